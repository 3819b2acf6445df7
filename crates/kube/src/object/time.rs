//! Points in time as the server writes them.

/// A time of RFC 3339 that has been checked, as the server writes it: in UTC and in whole seconds. Nothing for
/// the time that counts as none.
pub(crate) fn in_utc(text: &str) -> Option<String> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let clock = number(11, 13)? * 3_600 + number(14, 16)? * 60 + number(17, 19)?;
    let behind = text.get(19..)?;
    let fraction = behind.trim_end_matches(|end: char| !end.is_ascii_digit());
    let zone = behind.rfind(['+', '-']).filter(|_| !behind.ends_with('Z'));
    let (fraction, offset) = match zone {
        None => (fraction, 0),
        Some(at) => {
            let (fraction, zone) = behind.split_at(at);
            let part = |from: usize, to: usize| zone.get(from..to)?.parse::<i64>().ok();
            let size = part(1, 3)? * 3_600 + part(4, 6)? * 60;
            (fraction, if zone.starts_with('-') { -size } else { size })
        }
    };
    let seconds = days_from_civil(year, month, day) * 86_400 + clock - offset;
    let has_fraction = fraction.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    if seconds == days_from_civil(1, 1, 1) * 86_400 && !has_fraction {
        return None;
    }
    let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
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
