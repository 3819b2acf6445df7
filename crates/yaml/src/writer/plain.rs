//! Whether a text without quotes would be read as a string: the scalar rules of YAML 1.1 as go-yaml has
//! them, and what it quotes for the sake of other readers.

use crate::Dialect;

/// Whether the text means itself when it is written without quotes.
pub(super) fn is_string(text: &str, dialect: Dialect) -> bool {
    let Some(first) = text.bytes().next() else { return false };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => !is_word(text),
        b'.' => !is_word(text) && !is_point_float(text),
        b'+' | b'-' | b'0'..=b'9' => {
            !is_word(text) && !is_timestamp(text) && !is_number(text, dialect) && !is_base_60(text)
        }
        _ => true,
    }
}

fn is_word(text: &str) -> bool {
    const WORDS: [&str; 24] = [
        "y", "yes", "Yes", "YES", "n", "no", "No", "NO", "true", "True", "TRUE", "false", "False", "FALSE",
        "on", "On", "ON", "off", "Off", "OFF", "null", "Null", "NULL", "~",
    ];
    const NUMBERS: [&str; 6] = [".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"];
    WORDS.contains(&text)
        || matches!(text, "Y" | "N")
        || NUMBERS.contains(&text)
        || text.strip_prefix(['+', '-']).is_some_and(|rest| NUMBERS[3..].contains(&rest))
}

fn is_number(text: &str, dialect: Dialect) -> bool {
    let plain: String = text.chars().filter(|&character| character != '_').collect();
    if is_whole(&plain) || (is_yaml_float(&plain) && is_finite(&plain)) {
        return true;
    }
    // A sign may stand behind the prefix, because the rest is read as a number of its own.
    let (behind, radix) = match plain.strip_prefix("0b") {
        Some(behind) => (behind, 2),
        None => match plain.strip_prefix("0o") {
            Some(behind) if dialect == Dialect::GoYamlV3 => (behind, 8),
            _ => return false,
        },
    };
    i64::from_str_radix(behind, radix).is_ok()
}

/// Whether Go reads it as a whole number of 64 bits, with prefixes.
fn is_whole(plain: &str) -> bool {
    let (negative, unsigned, signed) = match plain.as_bytes().first() {
        Some(b'-') => (true, &plain[1..], true),
        Some(b'+') => (false, &plain[1..], true),
        _ => (false, plain, false),
    };
    let (digits, radix) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (&unsigned[2..], 16),
        [b'0', b'o' | b'O', _, ..] => (&unsigned[2..], 8),
        [b'0', b'b' | b'B', _, ..] => (&unsigned[2..], 2),
        [b'0', _, ..] => (&unsigned[1..], 8),
        _ => (unsigned, 10),
    };
    if !digits.starts_with(|first: char| first.is_digit(radix)) {
        return false;
    }
    match u64::from_str_radix(digits, radix) {
        Ok(size) if negative => size <= i64::MIN.unsigned_abs(),
        Ok(size) => !signed || i64::try_from(size).is_ok(),
        Err(_) => false,
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_yaml_float(plain: &str) -> bool {
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    let (whole, rest) = split_digits(unsigned);
    let rest = match rest.strip_prefix('.') {
        Some(behind) => {
            let (fraction, rest) = split_digits(behind);
            if whole.is_empty() && fraction.is_empty() {
                return false;
            }
            rest
        }
        None if whole.is_empty() => return false,
        None => rest,
    };
    match rest.strip_prefix(['e', 'E']) {
        None => rest.is_empty(),
        Some(exponent) => {
            let (digits, rest) = split_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
            !digits.is_empty() && rest.is_empty()
        }
    }
}

/// Numbers that are too large for a float stay strings.
fn is_finite(plain: &str) -> bool {
    plain.parse().is_ok_and(|value: f64| value.is_finite())
}

/// A text that begins with a point is read as Go reads a float: underscores may stand between digits.
fn is_point_float(text: &str) -> bool {
    let bytes = text.as_bytes();
    let between_digits = |index: usize| {
        let digit =
            |index: Option<usize>| index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_digit);
        let before = bytes[..index].iter().rposition(|&byte| byte != b'_');
        before == index.checked_sub(1) && digit(before) && digit(Some(index + 1))
    };
    let plain: String = text.chars().filter(|&character| character != '_').collect();
    text.match_indices('_').all(|(index, _)| between_digits(index))
        && is_yaml_float(&plain)
        && is_finite(&plain)
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`: no number for go-yaml, but for other readers.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digit_or_underscore = |character: char| character.is_ascii_digit() || character == '_';
    let (main, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut parts = main.split(':');
    let first = parts.next().unwrap_or_default();
    let mut count = 0;
    let groups = parts.all(|part| {
        count += 1;
        matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
    });
    first.starts_with(|first: char| first.is_ascii_digit())
        && first.chars().all(digit_or_underscore)
        && count > 0
        && groups
        && fraction.chars().all(digit_or_underscore)
}

/// A date, or a date and a time, in the forms that go-yaml knows.
fn is_timestamp(text: &str) -> bool {
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
    fn what_would_mean_something_else_is_no_string() {
        for text in [
            "",
            "~",
            "null",
            "y",
            "Y",
            "No",
            "ON",
            "true",
            ".inf",
            "-.INF",
            ".nan",
            ".5",
            ".5_5",
            ".5e3",
            "1",
            "-1",
            "+7",
            "0x1F",
            "017",
            "08",
            "0b11",
            "-0b1",
            "0o17",
            "1_000",
            "1e3",
            "1.",
            "1.5e-3",
            "18446744073709551615",
            "99999999999999999999",
            "12:30",
            "-1:59.5_",
            "2001-01-01",
            "2001-1-2T3:4:5Z",
            "2001-1-2t3:4:5.123+01:00",
            "2001-1-2   3:4:5",
            "2024-02-29",
            "1_2:30",
            "0b-1",
            "2001-1-2 3:4:5,5",
        ] {
            assert!(!is_string(text, Dialect::Sigs), "{text}");
        }
    }

    #[test]
    fn everything_else_is_a_string() {
        for text in [
            "a",
            "yess",
            "nul",
            ".",
            "...",
            ".infinity",
            ".5_",
            "._5",
            "-",
            "+",
            "0x",
            "1e999",
            "1,000",
            "12:60",
            "1:2:",
            "2001-13-01",
            "2001-02-29",
            "2001-1-2T3:4:5",
            "2001-1-2T24:0:0Z",
            "20010-1-1",
            "NaN",
            "_1",
            "1e",
            "0xg",
            "1.2.3",
            "0b2",
            "--1",
            "+.nan",
            "v1",
            "=",
            "<<",
            "2001-1-2 3:4:5Z",
        ] {
            assert!(is_string(text, Dialect::Sigs), "{text}");
        }
        assert!(is_string("0o-7", Dialect::Sigs));
        assert!(!is_string("0o-7", Dialect::GoYamlV3));
    }
}
