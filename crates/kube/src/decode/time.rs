//! Times in objects (RFC 3339), and Go's words about those that are none.

use crate::field_path::go_quoted;

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// What is wrong with a time, in Go's words.
pub(super) fn error(text: &str) -> Option<String> {
    let mut rest = text;
    let mut numbers = [0u32; 6];
    let parts =
        [("2006", 4, "-"), ("01", 2, "-"), ("02", 2, "T"), ("15", 2, ":"), ("04", 2, ":"), ("05", 2, "")];
    let cannot = |rest: &str, layout: &str| {
        let (text, rest) = (go_quoted(text), go_quoted(rest));
        Some(format!("parsing time {text} as \"{LAYOUT}\": cannot parse {rest} as \"{layout}\""))
    };
    for ((layout, length, separator), number) in parts.into_iter().zip(&mut numbers) {
        let digits = rest.get(..length).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(digits) = digits else { return cannot(rest, layout) };
        *number = digits.parse().unwrap_or_default();
        rest = rest.get(length..).unwrap_or_default();
        match rest.strip_prefix(separator) {
            Some(after) => rest = after,
            None => return cannot(rest, separator),
        }
    }
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            rest = fraction.get(digits..).unwrap_or_default();
        }
    }
    let zone_end = match rest.as_bytes() {
        [b'Z', ..] => 1,
        [b'+' | b'-', h1, h2, b':', m1, m2, ..]
            if [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()) =>
        {
            6
        }
        _ => return cannot(rest, "Z07:00"),
    };
    let out_of_range = |what: &str| Some(format!("parsing time {}: {what} out of range", go_quoted(text)));
    let [year, month, day, hour, minute, second] = numbers;
    if !(1..=12).contains(&month) {
        return out_of_range("month");
    }
    if hour > 23 {
        return out_of_range("hour");
    }
    if minute > 59 {
        return out_of_range("minute");
    }
    if second > 59 {
        return out_of_range("second");
    }
    match rest.get(zone_end..) {
        None | Some("") => {}
        Some(extra) => {
            return Some(format!("parsing time {}: extra text: {}", go_quoted(text), go_quoted(extra)));
        }
    }
    if day < 1 || day > days_in(year, month) {
        return out_of_range("day");
    }
    None
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let rows = [
            ("2024-02-29T10:11:12Z", None),
            ("2024-02-29T10:11:12.5+01:00", None),
            ("x", Some(r#"parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006""#)),
            ("2023-02-29T10:11:12Z", Some(r#"parsing time "2023-02-29T10:11:12Z": day out of range"#)),
            (
                "2023-02-02",
                Some(r#"parsing time "2023-02-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T""#),
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(error(text).as_deref(), expected, "{text}");
        }
    }
}
