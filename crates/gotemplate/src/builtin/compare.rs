//! `eq`, `ne`, `lt`, `le`, `gt`, `ge`: values of the same kind, and integers with and without a sign.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::{Context, Data, Error, Kind, Reason, Str, Value, fmt};

/// The comparable content of a value.
#[derive(Debug, Clone)]
enum Basic {
    Bool(bool),
    Complex(f64, f64),
    Int(i64),
    Float(f64),
    String(Str),
    Uint(u64),
}

impl Basic {
    fn of(value: &Value) -> Option<Basic> {
        Some(match &value.data {
            Data::Bool(value) => Basic::Bool(*value),
            Data::Int(_, value) => Basic::Int(*value),
            Data::Uint(_, value) => Basic::Uint(*value),
            Data::Float(value) => Basic::Float(*value),
            Data::Complex(parts) => Basic::Complex(parts.0, parts.1),
            Data::String(text) => Basic::String(text.clone()),
            Data::Object(object) => match object.kind() {
                Kind::Bool | Kind::Int(_) | Kind::Uint(_) | Kind::Float64 | Kind::String => {
                    return Basic::of(&Value::from_plain(&object.plain(), crate::Origins::Dropped));
                }
                _ => return None,
            },
            Data::Invalid | Data::Nil | Data::Bytes(_) | Data::List(_) | Data::Map(_) => return None,
        })
    }
}

pub(super) fn eq(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match arguments.split_first() {
        Some((left, rights)) if !rights.is_empty() => equal_to_any(left, rights).map(Value::from),
        _ => Err(Error::new("missing argument for comparison")),
    }
}

pub(super) fn ne(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (left, right) = pair(arguments)?;
    Ok(Value::from(!equal(left, right)?))
}

pub(super) fn lt(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (left, right) = pair(arguments)?;
    Ok(Value::from(less(left, right)?))
}

pub(super) fn le(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (left, right) = pair(arguments)?;
    Ok(Value::from(less(left, right)? || equal(left, right)?))
}

pub(super) fn gt(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (left, right) = pair(arguments)?;
    Ok(Value::from(!(less(left, right)? || equal(left, right)?)))
}

pub(super) fn ge(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (left, right) = pair(arguments)?;
    Ok(Value::from(!less(left, right)?))
}

fn pair(arguments: &[Value]) -> Result<(&Value, &Value), Error> {
    match arguments {
        [left, right] => Ok((left, right)),
        _ => Err(Error::new("missing argument for comparison")),
    }
}

fn equal_to_any(left: &Value, rights: &[Value]) -> Result<bool, Error> {
    for right in rights {
        if equal(left, right)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(left: &Value, right: &Value) -> Result<bool, Error> {
    // The common case avoids copying the string.
    if let (Data::String(left), Data::String(right)) = (&left.data, &right.data) {
        return Ok(left == right);
    }
    match (Basic::of(left), Basic::of(right)) {
        (Some(Basic::Bool(left)), Some(Basic::Bool(right))) => Ok(left == right),
        (Some(Basic::Complex(a, b)), Some(Basic::Complex(c, d))) => Ok(a == c && b == d),
        (Some(Basic::Float(left)), Some(Basic::Float(right))) => Ok(left == right),
        (Some(Basic::String(left)), Some(Basic::String(right))) => Ok(left == right),
        (Some(Basic::Int(left)), Some(Basic::Int(right))) => Ok(left == right),
        (Some(Basic::Uint(left)), Some(Basic::Uint(right))) => Ok(left == right),
        (Some(Basic::Int(signed)), Some(Basic::Uint(unsigned)))
        | (Some(Basic::Uint(unsigned)), Some(Basic::Int(signed))) => {
            Ok(u64::try_from(signed).is_ok_and(|signed| signed == unsigned))
        }
        (None, None) => equal_references(left, right),
        _ if left.is_nil() || right.is_nil() => Ok(false),
        _ => Err(incompatible(left, right)),
    }
}

/// Values other than numbers, strings and booleans: only nil and what the host made comparable.
fn equal_references(left: &Value, right: &Value) -> Result<bool, Error> {
    let kinds = (left.kind(), right.kind());
    if kinds.0 != kinds.1 && kinds.0 != Kind::Invalid && kinds.1 != Kind::Invalid {
        let words = format!(
            "non-comparable types {}: {}, {}: {}",
            as_text(left, "%s"),
            left.type_name(),
            right.type_name(),
            as_text(right, "%v")
        );
        return Err(incomparable(words, left, right));
    }
    if is_nil(left) || is_nil(right) {
        return Ok(is_nil(left) == is_nil(right));
    }
    match (&left.data, &right.data) {
        (Data::Object(left), Data::Object(right)) if comparable(right.kind()) => Ok(Rc::ptr_eq(left, right)
            || left.kind() != Kind::Pointer
                && left.type_name() == right.type_name()
                && left.text() == right.text()),
        _ => {
            let words = format!("non-comparable type {}: {}", as_text(right, "%s"), right.type_name());
            Err(incomparable(words, left, right))
        }
    }
}

fn comparable(kind: Kind) -> bool {
    matches!(kind, Kind::Struct | Kind::Pointer)
}

fn is_nil(value: &Value) -> bool {
    match &value.data {
        Data::Invalid | Data::Nil => true,
        Data::List(list) => list.is_nil(),
        Data::Map(map) => map.is_nil(),
        _ => false,
    }
}

fn less(left: &Value, right: &Value) -> Result<bool, Error> {
    let (Some(one), Some(other)) = (Basic::of(left), Basic::of(right)) else {
        return Err(invalid(left, right));
    };
    Ok(match (one, other) {
        (Basic::Bool(_), Basic::Bool(_)) | (Basic::Complex(..), Basic::Complex(..)) => {
            return Err(invalid(left, right));
        }
        (Basic::Float(left), Basic::Float(right)) => left < right,
        (Basic::Int(left), Basic::Int(right)) => left < right,
        (Basic::Uint(left), Basic::Uint(right)) => left < right,
        (Basic::String(left), Basic::String(right)) => {
            left.as_bytes().cmp(right.as_bytes()) == Ordering::Less
        }
        (Basic::Int(left), Basic::Uint(right)) => u64::try_from(left).map_or(true, |left| left < right),
        (Basic::Uint(left), Basic::Int(right)) => u64::try_from(right).is_ok_and(|right| left < right),
        _ => return Err(incompatible(left, right)),
    })
}

fn as_text(value: &Value, format: &str) -> String {
    fmt::sprintf(&format.into(), std::slice::from_ref(value)).text().into_owned()
}

fn incompatible(left: &Value, right: &Value) -> Error {
    let words = format!("incompatible types for comparison: {} and {}", left.type_name(), right.type_name());
    incomparable(words, left, right)
}

fn invalid(left: &Value, right: &Value) -> Error {
    incomparable("invalid type for comparison".to_owned(), left, right)
}

fn incomparable(words: String, left: &Value, right: &Value) -> Error {
    let reason = Reason::Comparison { left: left.type_name(), right: right.type_name() };
    Error::new(words).because(reason)
}
