//! Reading scalars as the server's decoder does: which texts and numbers it takes for which type.

use trueline_gostd::base64;
use trueline_kube_api::Type;
use trueline_yaml::{NodeRef, ScalarValue};

use crate::place::{integer_of, quantity_of};
use crate::problem::{Fact, Unreadable};
use crate::slip;
use crate::types::{TypedAs, WantedType, typed_as};

/// What is wrong with a scalar of a type, if something is.
pub(crate) fn scalar(node: NodeRef<'_>, wanted: &Type) -> Option<Fact> {
    let value = node.scalar();
    let wrong = |wanted| Some(Fact::WrongType(wanted, typed_as(node)));
    match (wanted, value) {
        (Type::Bool, Some(ScalarValue::Bool(_)))
        | (Type::String, Some(ScalarValue::String))
        | (Type::Double, Some(ScalarValue::Int(_) | ScalarValue::UInt(_))) => None,
        (Type::Double, Some(ScalarValue::Float(number))) if number.is_finite() => None,
        (Type::Int32, _) => integer(node, i64::from(i32::MIN), i64::from(i32::MAX), "32"),
        (Type::Int64, _) => integer(node, i64::MIN, i64::MAX, "64"),
        (Type::IntOrString, Some(ScalarValue::String)) => None,
        (Type::IntOrString, Some(ScalarValue::Int(_) | ScalarValue::UInt(_) | ScalarValue::Float(_))) => {
            integer(node, i64::from(i32::MIN), i64::from(i32::MAX), "32")
        }
        (Type::IntOrString, _) => wrong(WantedType::IntegerOrString),
        (Type::Quantity, Some(_)) => match quantity_of(node) {
            Ok(_) => None,
            Err(_) if !matches!(value, Some(ScalarValue::String)) => wrong(WantedType::Amount),
            Err(words) => {
                let meant = slip::amount(node.text().unwrap_or_default());
                Some(Fact::Unreadable(Unreadable::Quantity(words), meant))
            }
        },
        (Type::Quantity, None) => wrong(WantedType::Amount),
        (Type::Bytes, Some(ScalarValue::String)) => {
            let illegal = wrong_base64(node.text().unwrap_or_default())?;
            Some(Fact::Unreadable(Unreadable::Base64(illegal.0), Vec::new()))
        }
        // Go takes a list of numbers for bytes as well.
        (Type::Bytes, _) if node.items().is_some_and(|mut items| items.all(is_byte)) => None,
        (Type::Bytes, _) => wrong(WantedType::Base64),
        (Type::Time | Type::MicroTime, Some(ScalarValue::String)) => {
            let text = node.text().unwrap_or_default();
            let reason = match wanted {
                Type::Time if is_time(text) => return None,
                Type::Time => "it is not of the form 2006-01-02T15:04:05Z",
                _ if is_micro_time(text) => return None,
                _ if is_time(text) => "it needs six decimals of a second, as in 2006-01-02T15:04:05.000000Z",
                _ => "it is not of the form 2006-01-02T15:04:05.000000Z",
            };
            Some(Fact::Unreadable(Unreadable::Time(text.to_owned(), reason), Vec::new()))
        }
        (Type::Time, _) => wrong(WantedType::Time),
        (Type::MicroTime, _) => wrong(WantedType::MicroTime),
        (Type::Bool, _) => wrong(WantedType::Bool),
        (Type::String, _) => wrong(WantedType::String),
        (Type::Double, _) => wrong(WantedType::Number),
        _ => None,
    }
}

fn is_byte(node: NodeRef<'_>) -> bool {
    integer_of(node).is_some_and(|byte| (0..=255).contains(&byte))
}

fn integer(node: NodeRef<'_>, least: i64, most: i64, bits: &'static str) -> Option<Fact> {
    let is_number =
        matches!(node.scalar(), Some(ScalarValue::Int(_) | ScalarValue::UInt(_) | ScalarValue::Float(_)));
    match integer_of(node) {
        Some(value) if (least..=most).contains(&value) => None,
        Some(_) => Some(Fact::Unreadable(Unreadable::Bits(bits), Vec::new())),
        None if is_number => Some(Fact::WrongType(WantedType::Integer, TypedAs::OtherNumber)),
        None => Some(Fact::WrongType(WantedType::Integer, typed_as(node))),
    }
}

/// Where base64 goes wrong, as Go counts it; line breaks do not matter.
pub(crate) fn wrong_base64(text: &str) -> Option<base64::Illegal> {
    base64::STANDARD.decode(text.as_bytes()).err()
}

/// RFC 3339, as Go reads it.
fn is_time(text: &str) -> bool {
    let Some((rest, fraction)) = date_and_time(text) else { return false };
    if !fraction.is_empty() && fraction.len() < 2 {
        return false;
    }
    is_zone(rest)
}

/// RFC 3339 with exactly six digits of a second.
fn is_micro_time(text: &str) -> bool {
    date_and_time(text).is_some_and(|(rest, fraction)| fraction.len() == 7 && is_zone(rest))
}

/// What comes after date and time, and the fraction of a second with its point.
fn date_and_time(text: &str) -> Option<(&str, &str)> {
    let number = |range: std::ops::Range<usize>| -> Option<u32> {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let sign =
        |index: usize, wanted: &[u8]| text.as_bytes().get(index).is_some_and(|byte| wanted.contains(byte));
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let signs = sign(4, b"-") && sign(7, b"-") && sign(10, b"T") && sign(13, b":") && sign(16, b":");
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 31,
    };
    let in_range =
        (1..=12).contains(&month) && (1..=days).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !signs || !in_range {
        return None;
    }
    let rest = text.get(19..)?;
    let length = match rest.as_bytes().first() {
        Some(b'.' | b',') => 1 + rest.bytes().skip(1).take_while(u8::is_ascii_digit).count(),
        _ => 0,
    };
    let (fraction, zone) = rest.split_at_checked(length)?;
    Some((zone, fraction))
}

fn is_zone(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes {
        [b'Z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            let digits = [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit());
            digits && (*h1, *h2) <= (b'2', b'4') && (*m1, *m2) <= (b'6', b'0')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_go_reads_it() {
        for text in ["", "YQ==", "YWI=", "YWJj", "YW\nJj\n", "YWJjYQ=="] {
            assert_eq!(wrong_base64(text), None, "{text:?}");
        }
        for text in ["a", "YQ", "YQ=", "YQ===", "Y===", "====", "Y Q==", "YQ==YQ==", "ä", "YWJj=", "-_=="] {
            assert!(wrong_base64(text).is_some(), "{text:?}");
        }
        assert_eq!(wrong_base64("passwd"), Some(base64::Illegal(4)));
        assert_eq!(wrong_base64("YQ=x"), Some(base64::Illegal(2)));
    }

    #[test]
    fn times_are_read_as_go_reads_them() {
        for text in ["2024-01-31T00:00:00Z", "2024-02-29T23:59:59+01:00", "2024-01-01T00:00:00.5Z"] {
            assert!(is_time(text), "{text}");
        }
        for text in [
            "",
            "2024-01-01",
            "2024-01-01T00:00:00",
            "2023-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-01-01 00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00ZZ",
            "äöüäöüäöüäöü",
        ] {
            assert!(!is_time(text), "{text}");
        }
        assert!(is_micro_time("2024-01-01T00:00:00.000001Z") && !is_micro_time("2024-01-01T00:00:00Z"));
    }
}
