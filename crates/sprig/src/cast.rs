//! Converts anything to a number by the rules of `spf13/cast`: what cannot be converted is zero.

use trueline_gostd::strconv::{parse_float, parse_int};
use trueline_gotemplate::{Data, Object, Value};

/// Converts anything to an `int64`, which also serves for `int`.
pub(crate) fn to_int(value: &Value) -> i64 {
    match &value.data {
        Data::Int(_, value) => *value,
        Data::Uint(_, value) => *value as i64,
        Data::Float(value) => truncate(*value),
        Data::Bool(value) => i64::from(*value),
        Data::String(text) => parse_int(without_zero_fraction(text.as_bytes()), 0).unwrap_or(0),
        Data::Object(object) => calendar_number(&**object).unwrap_or(0),
        _ => 0,
    }
}

/// Converts anything to a `float64`.
pub(crate) fn to_float(value: &Value) -> f64 {
    match &value.data {
        Data::Int(_, value) => *value as f64,
        Data::Uint(_, value) => *value as f64,
        Data::Float(value) => *value,
        Data::Bool(value) => f64::from(u8::from(*value)),
        Data::String(text) => parse_float(text.as_bytes()).unwrap_or(0.0),
        Data::Object(object) => calendar_number(&**object).unwrap_or(0) as f64,
        _ => 0.0,
    }
}

/// The two named number types that count as numbers.
fn calendar_number(object: &dyn Object) -> Option<i64> {
    match (object.type_name(), object.plain().data) {
        ("time.Month" | "time.Weekday", trueline_yaml::Data::Int(number)) => Some(number),
        _ => None,
    }
}

/// Go's conversion on a 64-bit machine: what does not fit becomes the smallest number.
fn truncate(value: f64) -> i64 {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if (-BEYOND..BEYOND).contains(&value) { value as i64 } else { i64::MIN }
}

/// The string without a fraction that is all zeros.
fn without_zero_fraction(text: &[u8]) -> &[u8] {
    let zeros = text.iter().rev().take_while(|byte| **byte == b'0').count();
    match text.len().checked_sub(zeros + 1).filter(|_| zeros > 0) {
        Some(dot) if text.get(dot) == Some(&b'.') => text.get(..dot).unwrap_or(text),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_cast_reads_them() {
        for (text, expected) in [
            ("", 0),
            ("7", 7),
            ("-7", -7),
            ("+7", 7),
            ("010", 8),
            ("08", 0),
            ("0x1F", 31),
            ("0b101", 5),
            ("0o17", 15),
            ("1_000", 1000),
            ("1__0", 0),
            ("_1", 0),
            ("0x_1", 1),
            ("0_7", 7),
            ("4.7", 0),
            ("4.0", 4),
            ("4.000", 4),
            ("4.", 0),
            (".0", 0),
            ("100", 100),
            ("1e3", 0),
            (" 1", 0),
            ("9223372036854775807", i64::MAX),
            ("9223372036854775808", 0),
            ("-9223372036854775808", i64::MIN),
            ("0x", 0),
            ("x", 0),
        ] {
            assert_eq!(to_int(&Value::from(text)), expected, "{text}");
        }
    }

    #[test]
    fn other_types_become_integers() {
        for (value, expected) in [
            (Value::nil(), 0),
            (Value::from(4.7), 4),
            (Value::from(-4.7), -4),
            (Value::from(1e30), i64::MIN),
            (Value::from(f64::NAN), i64::MIN),
            (Value::from(true), 1),
            (Value::new(Data::Uint(trueline_gotemplate::UintKind::Uint64, u64::MAX)), -1),
            (Value::list(vec![]), 0),
        ] {
            assert_eq!(to_int(&value), expected, "{value:?}");
        }
    }

    #[test]
    fn floats_are_read_as_go_reads_them() {
        for (text, expected) in [
            ("1.5", 1.5),
            ("1e3", 1000.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("1_000", 1000.0),
            ("0x1p4", 16.0),
            ("0x1.8p1", 3.0),
            ("0x1", 0.0),
            ("0x1p-1074", 5e-324),
            ("0x1.fffffffffffff8p1", 4.0),
            ("0x1p1024", 0.0),
            ("1e999", 0.0),
            ("abc", 0.0),
            ("", 0.0),
            ("+Inf", f64::INFINITY),
            ("-infinity", f64::NEG_INFINITY),
            (" 1", 0.0),
            ("1e", 0.0),
            ("e5", 0.0),
            ("-.5", -0.5),
        ] {
            assert_eq!(to_float(&Value::from(text)), expected, "{text}");
        }
        assert!(to_float(&Value::from("nan")).is_nan());
        assert_eq!(to_float(&Value::from("-nan")), 0.0);
    }
}
