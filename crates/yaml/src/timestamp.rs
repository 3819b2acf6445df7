//! Points in time. They stay strings for every dialect, but the writer must quote what looks like one.

/// A date, or a date and a time, in the forms that go-yaml knows.
pub fn is_timestamp(text: &str) -> bool {
    let (year, rest) = split_digits(text);
    if year.len() != 4 {
        return false;
    }
    let Some((month, rest)) = rest.strip_prefix('-').and_then(short_number) else { return false };
    let Some((day, rest)) = rest.strip_prefix('-').and_then(short_number) else { return false };
    let Ok(year) = year.parse::<u32>() else { return false };
    if !(1..=12).contains(&month) || day < 1 || day > days_in(month, year) {
        return false;
    }
    if rest.is_empty() {
        return true;
    }
    match rest.strip_prefix(['T', 't']) {
        Some(time) => time_of_day(time).is_some_and(is_zone),
        None if rest.starts_with(' ') => time_of_day(rest.trim_start_matches(' ')).is_some_and(str::is_empty),
        None => false,
    }
}

/// Hour, minute and second with their fraction; what stands behind.
fn time_of_day(text: &str) -> Option<&str> {
    let (hour, rest) = short_number(text)?;
    let (minute, rest) = short_number(rest.strip_prefix(':')?)?;
    let (second, rest) = short_number(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = rest.strip_prefix(['.', ',']).map(split_digits);
    Some(match fraction {
        Some((digits, rest)) if !digits.is_empty() => rest,
        _ => rest,
    })
}

fn is_zone(text: &str) -> bool {
    if text == "Z" {
        return true;
    }
    let number = |tens: u8, ones: u8| {
        (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + ones - b'0')
    };
    match *text.as_bytes() {
        [b'+' | b'-', a, b, b':', c, d] => {
            number(a, b).is_some_and(|hours| hours <= 24) && number(c, d).is_some_and(|minutes| minutes <= 60)
        }
        _ => false,
    }
}

/// A number of one or two digits; a third is not part of it.
fn short_number(text: &str) -> Option<(u32, &str)> {
    let length = split_digits(text).0.len().min(2);
    let (digits, rest) = text.split_at(length);
    Some((digits.parse().ok()?, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn days_in(month: u32, year: u32) -> u32 {
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
    fn dates_and_times() {
        for text in [
            "2001-01-01",
            "2001-1-2T3:4:5Z",
            "2001-1-2t3:4:5.123+01:00",
            "2001-1-2T3:4:5-24:60",
            "2001-1-2   3:4:5",
            "2001-1-2 3:4:5,5",
            "2024-02-29",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "2001-13-01",
            "2001-02-29",
            "2001-1-2T3:4:5",
            "2001-1-2T24:0:0Z",
            "20010-1-1",
            "2001-1-2 3:4:5Z",
            "2001-1-2T3:4:5.Z",
            "2001-1-2T3:4:5+1:00",
            "2001",
            "",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
