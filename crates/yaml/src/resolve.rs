//! What a scalar means: YAML 1.1's rules as go-yaml applies them.

use trueline_gostd::base64::STANDARD;

use std::borrow::Cow;

use crate::dialect::TAG_PREFIX;
use crate::timestamp::is_timestamp;
use crate::{Dialect, ScalarValue};

/// A tag that does not fit; holds the actual type, such as `!!str`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrongTag(pub(crate) &'static str);

/// The meaning of a scalar without quotes and without a tag.
#[inline(always)]
pub(crate) fn plain(text: &str, dialect: Dialect) -> ScalarValue {
    match text.as_bytes().first() {
        None => ScalarValue::Null,
        Some(b'+' | b'-' | b'0'..=b'9') => number(text, dialect),
        Some(b'.') => word(text, dialect).or_else(|| fraction(text)).unwrap_or(ScalarValue::String),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~')
            if text.len() <= 5 =>
        {
            word(text, dialect).unwrap_or(ScalarValue::String)
        }
        Some(_) => ScalarValue::String,
    }
}

/// The meaning of a scalar with a tag, in quotes or not. The caller handles `!!binary`.
pub(crate) fn tagged(tag: &str, text: &str, dialect: Dialect) -> Result<ScalarValue, WrongTag> {
    let Some(name) = tag.strip_prefix(TAG_PREFIX) else { return Ok(ScalarValue::String) };
    if !matches!(name, "bool" | "int" | "float" | "null" | "timestamp") {
        return Ok(ScalarValue::String);
    }
    if name == "timestamp" && is_timestamp(text) {
        return Ok(ScalarValue::String);
    }
    let value = plain(text, dialect);
    let found = match value {
        ScalarValue::Null => "null",
        ScalarValue::Bool(_) => "bool",
        ScalarValue::Int(_) | ScalarValue::UInt(_) => "int",
        ScalarValue::Float(_) => "float",
        ScalarValue::String => "str",
    };
    match value {
        _ if found == name => Ok(value),
        ScalarValue::Int(value) if name == "float" => Ok(ScalarValue::Float(value as f64)),
        ScalarValue::Null => Err(WrongTag("!!null")),
        ScalarValue::Bool(_) => Err(WrongTag("!!bool")),
        ScalarValue::Int(_) | ScalarValue::UInt(_) => Err(WrongTag("!!int")),
        ScalarValue::Float(_) => Err(WrongTag("!!float")),
        ScalarValue::String => Err(WrongTag("!!str")),
    }
}

/// Words with a special meaning.
fn word(text: &str, dialect: Dialect) -> Option<ScalarValue> {
    Some(match text {
        "~" | "null" | "Null" | "NULL" => ScalarValue::Null,
        "true" | "True" | "TRUE" => ScalarValue::Bool(true),
        "false" | "False" | "FALSE" => ScalarValue::Bool(false),
        ".nan" | ".NaN" | ".NAN" => ScalarValue::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => ScalarValue::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => ScalarValue::Float(f64::NEG_INFINITY),
        // go-yaml v3 reads these as booleans only if a Go type requires one.
        _ if dialect == Dialect::GoYamlV3 => return None,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => ScalarValue::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => ScalarValue::Bool(false),
        _ => return None,
    })
}

/// A scalar that begins with a digit or a sign.
fn number(text: &str, dialect: Dialect) -> ScalarValue {
    let bytes = text.as_bytes();
    if bytes[0] != b'0' && bytes.len() <= 18 && bytes.iter().all(u8::is_ascii_digit) {
        return ScalarValue::Int(bytes.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')));
    }
    if let Some(b'.') = bytes.get(1)
        && let Some(value) = word(text, Dialect::Sigs)
    {
        return value;
    }
    let text = if bytes.contains(&b'_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) };
    integer(&text)
        .or_else(|| if is_float(text.as_bytes()) { float(&text) } else { None })
        // A sign is allowed between the prefix and the digits.
        .or_else(|| signed(text.strip_prefix("0b")?, |digits| (digits, 2)))
        .or_else(|| match dialect {
            Dialect::GoYamlV3 => signed(text.strip_prefix("0o")?, |digits| (digits, 8)),
            Dialect::Sigs | Dialect::Ytt => None,
        })
        .unwrap_or(ScalarValue::String)
}

/// An integer in any of the notations of Go.
fn integer(text: &str) -> Option<ScalarValue> {
    signed(text, |digits| {
        let bytes = digits.as_bytes();
        match (bytes.first(), bytes.get(1)) {
            (Some(b'0'), Some(b'x' | b'X')) if bytes.len() > 2 => (&digits[2..], 16),
            (Some(b'0'), Some(b'o' | b'O')) if bytes.len() > 2 => (&digits[2..], 8),
            (Some(b'0'), Some(b'b' | b'B')) if bytes.len() > 2 => (&digits[2..], 2),
            (Some(b'0'), Some(_)) => (&digits[1..], 8),
            _ => (digits, 10),
        }
    })
}

/// An integer with an optional sign; `split` separates the base from the digits.
fn signed(text: &str, split: impl Fn(&str) -> (&str, u32)) -> Option<ScalarValue> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (0, text),
    };
    let (digits, base) = split(digits);
    if !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, base).ok()?;
    match (sign, i64::try_from(magnitude)) {
        (-1, Ok(value)) => Some(ScalarValue::Int(-value)),
        (-1, Err(_)) if magnitude == 1 << 63 => Some(ScalarValue::Int(i64::MIN)),
        (0 | 1, Ok(value)) => Some(ScalarValue::Int(value)),
        (0, Err(_)) => Some(ScalarValue::UInt(magnitude)),
        _ => None,
    }
}

/// A scalar that begins with a full stop.
fn fraction(text: &str) -> Option<ScalarValue> {
    if !text.contains('_') {
        return if is_float(text.as_bytes()) { float(text) } else { None };
    }
    // Elsewhere underscores are ignored; here they must be between two digits.
    let bytes = text.as_bytes();
    let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let separates = |(index, _): (usize, &str)| index > 0 && digit(index - 1) && digit(index + 1);
    if text.match_indices('_').all(separates) { fraction(&text.replace('_', "")) } else { None }
}

fn float(text: &str) -> Option<ScalarValue> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(ScalarValue::Float)
}

/// Whether it consists of a sign, digits with a decimal point, and an exponent.
fn is_float(bytes: &[u8]) -> bool {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut position = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(position);
    position += whole;
    if bytes.get(position) == Some(&b'.') {
        position += 1;
        let behind = digits(position);
        if whole + behind == 0 {
            return false;
        }
        position += behind;
    } else if whole == 0 {
        return false;
    }
    if matches!(bytes.get(position), Some(b'e' | b'E')) {
        position += 1;
        position += usize::from(matches!(bytes.get(position), Some(b'+' | b'-')));
        let exponent = digits(position);
        if exponent == 0 {
            return false;
        }
        position += exponent;
    }
    position == bytes.len()
}

/// The bytes of a base64 text as go-yaml reads it.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cases: &[(&str, ScalarValue)], dialect: Dialect) {
        for (text, value) in cases {
            assert_eq!(plain(text, dialect), *value, "{text}");
        }
    }

    #[test]
    fn integers_in_every_notation() {
        use ScalarValue::{Float, Int, String, UInt};
        check(
            &[
                ("0", Int(0)),
                ("-0", Int(0)),
                ("+12", Int(12)),
                ("1_000", Int(1000)),
                ("0x1F", Int(31)),
                ("-0x1f", Int(-31)),
                ("0o17", Int(15)),
                ("017", Int(15)),
                ("08", Float(8.0)),
                ("0b101", Int(5)),
                ("-0b101", Int(-5)),
                ("0b-101", Int(-5)),
                ("0x", String),
                ("9223372036854775807", Int(i64::MAX)),
                ("-9223372036854775808", Int(i64::MIN)),
                ("9223372036854775808", UInt(1 << 63)),
                ("18446744073709551616", Float(18446744073709551616.0)),
                ("1__2", Int(12)),
                ("-", String),
                ("12a", String),
            ],
            Dialect::Sigs,
        );
    }

    #[test]
    fn fractions_and_what_only_looks_like_one() {
        use ScalarValue::{Float, String};
        check(
            &[
                ("1.", Float(1.0)),
                (".5", Float(0.5)),
                (".5_5", Float(0.55)),
                (".5e1_0", Float(5e9)),
                (".5__5", String),
                ("._5", String),
                ("-.5e1", Float(-5.0)),
                ("1e3", Float(1000.0)),
                ("1e400", String),
                (".", String),
                (".e1", String),
                ("1.2.3", String),
                ("1:30", String),
                ("-.inf", Float(f64::NEG_INFINITY)),
                ("+.Inf", Float(f64::INFINITY)),
                ("2001-01-01", String),
            ],
            Dialect::Sigs,
        );
        assert!(matches!(plain(".nan", Dialect::Sigs), Float(value) if value.is_nan()));
    }

    #[test]
    fn words_differ_between_dialects() {
        use ScalarValue::{Bool, Null, String};
        check(
            &[("yes", Bool(true)), ("N", Bool(false)), ("off", Bool(false)), ("nO", String)],
            Dialect::Sigs,
        );
        check(&[("yes", String), ("N", String), ("true", Bool(true)), ("~", Null)], Dialect::GoYamlV3);
        check(&[("", Null), ("Null", Null), ("nULL", String)], Dialect::Sigs);
    }

    #[test]
    fn tags_must_fit() {
        let long = |name: &str| format!("{TAG_PREFIX}{name}");
        let check = |name: &str, text: &str| tagged(&long(name), text, Dialect::Sigs);
        assert_eq!(check("int", "3"), Ok(ScalarValue::Int(3)));
        assert_eq!(check("float", "3"), Ok(ScalarValue::Float(3.0)));
        assert_eq!(check("str", "3"), Ok(ScalarValue::String));
        assert_eq!(check("int", "3.5"), Err(WrongTag("!!float")));
        assert_eq!(check("null", ""), Ok(ScalarValue::Null));
        assert_eq!(check("timestamp", "2001-12-14t21:59:43.10-05:00"), Ok(ScalarValue::String));
        assert_eq!(check("timestamp", "2001-02-30"), Err(WrongTag("!!str")));
        assert_eq!(tagged("!mine", "3", Dialect::Sigs), Ok(ScalarValue::String));
    }

    #[test]
    fn base64_is_strict() {
        assert_eq!(base64("aGVs\nbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(base64("aGVsbG8"), None);
        assert_eq!(base64("aGVsbA==aGVs"), None);
        assert_eq!(base64("a?=="), None);
        assert_eq!(base64("").as_deref(), Some(&b""[..]));
    }
}
