//! What may have been meant by an amount or a file mode that the server does not take.

use trueline_apimachinery::quantity::Quantity;

/// The units of amounts, each as powers of ten and of two.
const UNITS: [(&str, &str, &str); 6] = [
    ("k", "k", "Ki"),
    ("m", "M", "Mi"),
    ("g", "G", "Gi"),
    ("t", "T", "Ti"),
    ("p", "P", "Pi"),
    ("e", "E", "Ei"),
];

/// What an amount that cannot be read may have been meant to be: `128MB` is `128M` in powers of ten, or `128Mi` in powers of
/// two.
pub(crate) fn amount(text: &str) -> Vec<String> {
    let compact: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let end = compact.find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, '.' | ',' | '+' | '-'));
    let Some((number, unit)) = compact.split_at_checked(end.unwrap_or(compact.len())) else {
        return Vec::new();
    };
    let number = number.replace(',', ".");
    let is_readable = |candidate: &String| Quantity::parse(candidate).is_ok();
    let all = |candidates: Vec<String>| {
        if candidates.iter().all(is_readable) { candidates } else { Vec::new() }
    };
    let lower = unit.to_lowercase();
    // The unit itself may be right, and blanks or a comma wrong.
    let same = format!("{number}{unit}");
    if is_readable(&same) {
        return vec![same];
    }
    if matches!(lower.as_str(), "b" | "byte" | "bytes") {
        return all(vec![number]);
    }
    let known = UNITS.iter().find(|(first, ..)| lower.starts_with(first));
    match (known, lower.get(1..)) {
        (Some((_, _, two)), Some("i" | "ib" | "ibyte" | "ibytes")) => all(vec![format!("{number}{two}")]),
        (Some((_, ten, two)), Some("" | "b" | "byte" | "bytes" | "byt")) => {
            all(vec![format!("{number}{ten}"), format!("{number}{two}")])
        }
        _ => Vec::new(),
    }
}

/// A mode that was written in decimal but reads as an octal one: `644` is `0644`.
pub(crate) fn mode(number: i64) -> Option<String> {
    let digits = number.to_string();
    let is_octal = digits.len() == 3 && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    is_octal.then(|| format!("0{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        let both = |ten, two| vec![ten, two];
        let one = |text| vec![text];
        for (text, expected) in [
            ("128MB", both("128M", "128Mi")),
            ("128mb", both("128M", "128Mi")),
            ("1.5GB", both("1.5G", "1.5Gi")),
            ("1g", both("1G", "1Gi")),
            ("10K", both("10k", "10Ki")),
            ("1GiB", one("1Gi")),
            ("1gi", one("1Gi")),
            ("500 m", one("500m")),
            ("1,5", one("1.5")),
            ("64 Mi", one("64Mi")),
            ("100bytes", one("100")),
            ("abc", vec![]),
            ("", vec![]),
            ("1 core", vec![]),
            ("ä", vec![]),
            ("..MB", vec![]),
        ] {
            assert_eq!(amount(text), expected, "{text}");
        }
    }

    #[test]
    fn modes() {
        for (number, expected) in [
            (644, Some("0644")),
            (755, Some("0755")),
            (888, None),
            (1777, None),
            (-1, None),
            (512, Some("0512")),
        ] {
            assert_eq!(mode(number).as_deref(), expected, "{number}");
        }
    }
}
