//! Keys of computed maps: which of them are the same.

use std::hash::{Hash, Hasher};

use crate::value::Value;

/// A key as a map holds it. An `int` and a `uint` of the same number are two keys; looking one up finds the other.
#[derive(Debug, Clone)]
pub(crate) struct Key(pub Value);

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        match (&self.0, &other.0) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::UInt(left), Value::UInt(right)) => left == right,
            (Value::Double(left), Value::Double(right)) => left == right,
            (Value::String(left), Value::String(right)) => left == right,
            (Value::Duration(left), Value::Duration(right)) => left == right,
            (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
            (Value::Type(left), Value::Type(right)) => left.runtime_name() == right.runtime_name(),
            // Lists, maps and values of libraries are keys only as the very thing they are.
            _ => false,
        }
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Value::Bool(value) => value.hash(state),
            Value::Int(value) => value.hash(state),
            Value::UInt(value) => value.hash(state),
            // Zero has two signs and one hash.
            Value::Double(value) => (value + 0.0).to_bits().hash(state),
            Value::String(text) => text.hash(state),
            Value::Duration(value) => value.hash(state),
            Value::Timestamp(value) => value.seconds.hash(state),
            _ => 0_u8.hash(state),
        }
    }
}

/// Other keys of the same number, in the order in which they are looked for.
pub(super) fn same_number(key: &Value) -> [Option<Value>; 2] {
    match *key {
        Value::Int(number) => [u64::try_from(number).ok().map(Value::UInt), None],
        Value::UInt(number) => [i64::try_from(number).ok().map(Value::Int), None],
        Value::Double(number) => {
            [lossless_int(number).map(Value::Int), lossless_uint(number).map(Value::UInt)]
        }
        _ => [None, None],
    }
}

/// The `int` that is exactly this number.
pub(crate) fn lossless_int(number: f64) -> Option<i64> {
    let whole = number as i64;
    (number > i64::MIN as f64 && number < i64::MAX as f64 && whole as f64 == number).then_some(whole)
}

/// The `uint` that is exactly this number.
pub(crate) fn lossless_uint(number: f64) -> Option<u64> {
    let whole = number as u64;
    (number >= 0.0 && number < u64::MAX as f64 && whole as f64 == number).then_some(whole)
}
