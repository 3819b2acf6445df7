//! What was perhaps meant by an amount or a file mode that the server does not take.

use crate::quantity::Quantity;

/// The units of amounts, each as powers of ten and of two.
const UNITS: [(&str, &str, &str); 6] = [
    ("k", "k", "Ki"),
    ("m", "M", "Mi"),
    ("g", "G", "Gi"),
    ("t", "T", "Ti"),
    ("p", "P", "Pi"),
    ("e", "E", "Ei"),
];

/// How to write an amount that cannot be read: `128MB` is `128M` or `128Mi`.
pub(super) fn amount(text: &str) -> Option<String> {
    let compact: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let end = compact.find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, '.' | ',' | '+' | '-'));
    let (number, unit) = compact.split_at_checked(end.unwrap_or(compact.len()))?;
    let number = number.replace(',', ".");
    let readable = |candidate: &str| Quantity::parse(candidate).is_ok();
    let one = |candidate: String| readable(&candidate).then(|| format!("write `{candidate}`"));
    let lower = unit.to_lowercase();
    // The unit itself may be right, and blanks or a comma wrong.
    if let Some(help) = one(format!("{number}{unit}")) {
        return Some(help);
    }
    if matches!(lower.as_str(), "b" | "byte" | "bytes") {
        return one(number);
    }
    let (_, ten, two) = UNITS.iter().find(|(first, ..)| lower.starts_with(first))?;
    match lower.get(1..)? {
        "i" | "ib" | "ibyte" | "ibytes" => one(format!("{number}{two}")),
        "" | "b" | "byte" | "bytes" | "byt" => {
            let (ten, two) = (format!("{number}{ten}"), format!("{number}{two}"));
            (readable(&ten) && readable(&two))
                .then(|| format!("write `{ten}` for powers of ten, or `{two}` for powers of two"))
        }
        _ => None,
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
        let both = |ten: &str, two: &str| {
            Some(format!("write `{ten}` for powers of ten, or `{two}` for powers of two"))
        };
        let one = |text: &str| Some(format!("write `{text}`"));
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
            ("abc", None),
            ("", None),
            ("1 core", None),
            ("ä", None),
            ("..MB", None),
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
