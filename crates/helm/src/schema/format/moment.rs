//! Days, times and spans of time.

use trueline_gostd::time::{Zone, is_duration, parse};

use super::{Verdict, count_digits, fail, quoted};

/// `P1Y2M3DT4H5M6S` and its like.
pub(super) fn duration(text: &str) -> Verdict {
    let Some(rest) = text.strip_prefix('P') else { return fail("must start with P") };
    if rest.is_empty() {
        return fail("nothing after P");
    }
    if let Some(weeks) = rest.strip_suffix('W') {
        return match weeks {
            "" => fail("no number in week"),
            weeks if count_digits(weeks) == weeks.len() => Ok(()),
            _ => fail("invalid week"),
        };
    }
    for (index, part) in rest.split('T').enumerate() {
        if index != 0 && part.is_empty() {
            return fail("no time elements");
        }
        let Some(all) = ["YMD", "HMS"].get(index) else { return fail("more than one T") };
        elements(part, all)?;
    }
    Ok(())
}

/// A duration as above, or what Go and the API server read as one: `1h30m`, `3 days`.
pub(super) fn kubernetes_duration(text: &str) -> Verdict {
    if is_duration(text) || is_loose_duration(text) { Ok(()) } else { duration(text) }
}

/// Whether a string has numbers with units anywhere, which is all that the API server asks for.
fn is_loose_duration(text: &str) -> bool {
    /// The last name of a unit may go on: `sec`, `seconds`.
    const UNITS: [(&[&str], &str); 8] = [
        (&["ns"], "nano"),
        (&["us", "\u{b5}s"], "micro"),
        (&["ms"], "milli"),
        (&["s"], "sec"),
        (&["m"], "min"),
        (&["h", "hr"], "hour"),
        (&["d"], "day"),
        (&["w", "wk"], "week"),
    ];
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        rest = rest.get(start..).unwrap_or_default();
        let (number, behind) = rest.split_at(count_digits(rest));
        let name = behind.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let is_letter = |character: char| character.is_ascii_alphabetic() || character == '\u{b5}';
        let (name, behind) =
            name.split_at(name.find(|character| !is_letter(character)).unwrap_or(name.len()));
        rest = behind;
        if name.is_empty() {
            continue;
        }
        if number.parse::<i64>().is_err() {
            return false;
        }
        let name = name.to_lowercase();
        found |= UNITS.iter().any(|(names, last)| names.contains(&name.as_str()) || name.starts_with(last));
    }
    found
}

fn elements(mut part: &str, all: &str) -> Verdict {
    let mut units = all;
    while !part.is_empty() {
        let digits = count_digits(part);
        if digits == 0 {
            return fail("missing number");
        }
        part = part.get(digits..).unwrap_or_default();
        let Some(unit) = part.bytes().next().map(char::from) else { return fail("missing unit") };
        match units.split_once(unit) {
            Some((_, rest)) => units = rest,
            None if all.contains(unit) => return Err(format!("unit {} out of order", quoted(unit))),
            None => return Err(format!("invalid unit {}", quoted(unit))),
        }
        part = part.get(1..).unwrap_or_default();
    }
    Ok(())
}

/// Two moments, or one and a duration.
pub(super) fn period(text: &str) -> Verdict {
    let Some((start, end)) = text.split_once('/') else { return fail("missing slash") };
    let because = |what: &str, verdict: Verdict| verdict.map_err(|why| format!("invalid {what}: {why}"));
    if start.starts_with('P') {
        because("start duration", duration(start))?;
        return because("end date-time", date_time(end));
    }
    because("start date-time", date_time(start))?;
    match end.starts_with('P') {
        true => because("end duration", duration(end)),
        false => because("end date-time", date_time(end)),
    }
}

/// `2006-01-02T15:04:05Z` and its like.
pub(super) fn date_time(text: &str) -> Verdict {
    if text.len() < 20 {
        return fail("less than 20 characters long");
    }
    if !matches!(text.as_bytes().get(10), Some(b't' | b'T')) {
        return fail("11th character must be t or T");
    }
    let (day, rest) = text.split_at_checked(10).unwrap_or((text, ""));
    date(day).map_err(|why| format!("invalid date element: {why}"))?;
    time(rest.get(1..).unwrap_or_default()).map_err(|why| format!("invalid time element: {why}"))
}

/// `2006-01-02`.
pub(super) fn date(text: &str) -> Verdict {
    Ok(parse(b"2006-01-02", text.as_bytes(), &Zone::Utc).map(drop)?)
}

/// A number of two letters as Go reads it: a sign may stand in front.
fn number(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok())
}

/// `15:04:05.999+07:00` and its like.
pub(super) fn time(text: &str) -> Verdict {
    let bytes = text.as_bytes();
    if bytes.len() < 9 {
        return fail("less than 9 characters long");
    }
    if bytes.get(2) != Some(&b':') || bytes.get(5) != Some(&b':') {
        return fail("missing colon in correct place");
    }
    let mut parts = [0; 3];
    for (part, digits) in
        parts.iter_mut().zip(bytes.get(..8).unwrap_or_default().splitn(3, |byte| *byte == b':'))
    {
        let Some(value) = number(digits) else { return fail("invalid hour/min/sec") };
        if value < 0 {
            return fail("non-positive hour/min/sec");
        }
        *part = value;
    }
    let [hour, minute, second] = parts;
    if hour > 23 || minute > 59 || second > 60 {
        return fail("hour/min/sec out of range");
    }
    let mut rest = bytes.get(8..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return fail("no digits in second fraction");
        }
        rest = fraction.get(digits..).unwrap_or_default();
    }
    let mut minutes = hour * 60 + minute;
    if rest != b"z" && rest != b"Z" {
        minutes -= offset(rest)?;
        if minutes < 0 {
            minutes += 24 * 60;
        }
    }
    if second >= 60 && minutes != 23 * 60 + 59 {
        return fail("invalid leap second");
    }
    Ok(())
}

/// The minutes of `+07:00` and its like.
fn offset(text: &[u8]) -> Result<i32, String> {
    let fail = |reason: &str| Err(reason.to_owned());
    let [sign, digits @ ..] = text else { return fail("offset must be 6 characters long") };
    if digits.len() != 5 {
        return fail("offset must be 6 characters long");
    }
    if !matches!(sign, b'+' | b'-') {
        return fail("offset must begin with plus/minus");
    }
    if digits.get(2) != Some(&b':') {
        return fail("missing colon in offset in correct place");
    }
    let mut parts = [0; 2];
    for (part, digits) in parts.iter_mut().zip(digits.splitn(2, |byte| *byte == b':')) {
        let Some(value) = number(digits) else { return fail("invalid hour/min in offset") };
        if value < 0 {
            return fail("non-positive hour/min in offset");
        }
        *part = value;
    }
    let [hour, minute] = parts;
    if hour > 23 || minute > 59 {
        return fail("hour/min in offset out of range");
    }
    Ok(if *sign == b'+' { hour * 60 + minute } else { -(hour * 60 + minute) })
}

#[cfg(test)]
mod tests {
    use super::super::{check, check_kubernetes_duration};

    #[test]
    fn durations_of_kubernetes_are_those_of_go_and_more() {
        for (text, reason) in [
            ("1h30m", ""),
            ("0", ""),
            ("P1Y2M", ""),
            ("PT5S", ""),
            ("3 days", ""),
            ("1d12h", ""),
            ("about 2 Weeks", ""),
            ("5 minutes and 3 apples", ""),
            ("", "must start with P"),
            ("soon", "must start with P"),
            ("5", "must start with P"),
            ("5 apples", "must start with P"),
            ("99999999999999999999h", "must start with P"),
            ("Pxyz", "missing number"),
        ] {
            let found = check_kubernetes_duration(text).err().unwrap_or_default();
            assert_eq!(found, reason, "{text}");
        }
    }

    #[test]
    fn moments_are_read_as_go_reads_them() {
        for (format, text, reason) in [
            ("date", "2024-02-29", ""),
            ("date", "2023-02-29", "parsing time \"2023-02-29\": day out of range"),
            ("date", "2023-13-01", "parsing time \"2023-13-01\": month out of range"),
            (
                "date",
                "2023-1-01",
                "parsing time \"2023-1-01\" as \"2006-01-02\": cannot parse \"1-01\" as \"01\"",
            ),
            ("date", "x", "parsing time \"x\" as \"2006-01-02\": cannot parse \"x\" as \"2006\""),
            (
                "date",
                "2023/01/01",
                "parsing time \"2023/01/01\" as \"2006-01-02\": cannot parse \"/01/01\" as \"-\"",
            ),
            ("date", "2023-01-01x", "parsing time \"2023-01-01x\": extra text: \"x\""),
            ("time", "12:00:00Z", ""),
            ("time", "23:59:60Z", ""),
            ("time", "12:00:60Z", "invalid leap second"),
            ("time", "12:00", "less than 9 characters long"),
            ("time", "12:00:00.Z", "no digits in second fraction"),
            ("time", "12:00:00+7:00", "offset must be 6 characters long"),
            ("time", "25:00:00Z", "hour/min/sec out of range"),
            ("date-time", "2023-01-01T00:00:00Z", ""),
            ("date-time", "2023-01-01", "less than 20 characters long"),
            ("date-time", "2023-01-01 00:00:00Z", "11th character must be t or T"),
            ("duration", "P1Y2M3DT4H5M6S", ""),
            ("duration", "P3W", ""),
            ("duration", "1Y", "must start with P"),
            ("duration", "P1D1Y", "unit 'Y' out of order"),
            ("duration", "P1X", "invalid unit 'X'"),
            ("duration", "PT", "no time elements"),
            ("period", "2023-01-01T00:00:00Z/P1D", ""),
            ("period", "P1/2023", "invalid start duration: missing unit"),
            ("period", "x", "missing slash"),
        ] {
            let found = check(format, text).err().unwrap_or_default();
            assert_eq!(found, reason, "{format} {text}");
        }
    }
}
