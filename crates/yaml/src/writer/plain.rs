//! Whether a string without quotes would be read as a string, and what is quoted for the sake of other readers.

use crate::timestamp::is_timestamp;
use crate::{Dialect, ScalarValue, resolve};

/// Whether the string keeps its meaning without quotes.
pub(super) fn is_string(text: &str, dialect: Dialect) -> bool {
    // Version 3 no longer reads `yes` and the like as booleans, but others do.
    let is_string = |dialect| resolve::plain(text, dialect) == ScalarValue::String;
    is_string(Dialect::Sigs)
        && (dialect == Dialect::Sigs || is_string(dialect))
        && (!text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-'))
            || !is_timestamp(text) && !is_base_60(text))
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`: not a number for go-yaml, but for other readers.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_mean_something_else_is_not_a_string() {
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
