//! Times in objects (RFC 3339): Go's words about those that are none, and how the server writes the others.

use crate::field_path::go_quoted;

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// What is wrong with a time, in Go's words.
pub(super) fn error(text: &str) -> Option<String> {
    Time::parse(text).err()
}

/// A time as the server writes it: in UTC and in whole seconds. Nothing for one that cannot be read, and for the time
/// that counts as none.
pub(crate) fn in_utc(text: &str) -> Option<String> {
    let time = Time::parse(text).ok()?;
    let [year, month, day, hour, minute, second] = time.numbers.map(i64::from);
    let clock = hour * 3_600 + minute * 60 + second;
    let seconds = days_from_civil(year, month, day) * 86_400 + clock - time.offset;
    if seconds == days_from_civil(1, 1, 1) * 86_400 && !time.has_fraction {
        return None;
    }
    let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// A time that was read.
struct Time {
    /// From years to seconds.
    numbers: [u32; 6],
    /// Whether there is a fraction of a second that is not zero.
    has_fraction: bool,
    /// How many seconds the zone is ahead of UTC.
    offset: i64,
}

impl Time {
    fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text;
        let mut numbers = [0u32; 6];
        let parts =
            [("2006", 4, "-"), ("01", 2, "-"), ("02", 2, "T"), ("15", 2, ":"), ("04", 2, ":"), ("05", 2, "")];
        let cannot = |rest: &str, layout: &str| {
            let (text, rest) = (go_quoted(text), go_quoted(rest));
            Err(format!("parsing time {text} as \"{LAYOUT}\": cannot parse {rest} as \"{layout}\""))
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
        let mut has_fraction = false;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                has_fraction = fraction.bytes().take(digits).any(|byte| byte != b'0');
                rest = fraction.get(digits..).unwrap_or_default();
            }
        }
        let (zone_end, offset) = match rest.as_bytes() {
            [b'Z', ..] => (1, 0),
            [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2, ..]
                if [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()) =>
            {
                let number = |tens: u8, ones: u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
                let size = number(*h1, *h2) * 3_600 + number(*m1, *m2) * 60;
                (6, if *sign == b'-' { -size } else { size })
            }
            _ => return cannot(rest, "Z07:00"),
        };
        let out_of_range = |what: &str| Err(format!("parsing time {}: {what} out of range", go_quoted(text)));
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
                return Err(format!("parsing time {}: extra text: {}", go_quoted(text), go_quoted(extra)));
            }
        }
        if day < 1 || day > days_in(year, month) {
            return out_of_range("day");
        }
        Ok(Time { numbers, has_fraction, offset })
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the calendar that the rules of today give when they are carried back.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
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

    #[test]
    fn times_are_written_in_utc() {
        let cases = [
            ("2022-12-08T15:50:37Z", Some("2022-12-08T15:50:37Z")),
            ("2022-12-31T23:30:00.123-01:00", Some("2023-01-01T00:30:00Z")),
            ("2024-02-29T00:00:00+02:30", Some("2024-02-28T21:30:00Z")),
            ("0001-01-01T00:00:00Z", None),
            ("0001-01-01T00:00:00.5Z", Some("0001-01-01T00:00:00Z")),
        ];
        for (text, expected) in cases {
            assert_eq!(in_utc(text).as_deref(), expected, "{text}");
        }
    }
}
