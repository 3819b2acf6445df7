//! Which values are equal, and which comes first.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::fault::Fault;
use crate::shape::Shape;
use crate::value::{List, Map, Value, merge};

impl Value {
    /// Whether both are equal: numbers by their size, whatever their types are; anything else only within its type.
    pub fn equals(&self, other: &Value) -> bool {
        self.equality(other) == Some(true)
    }

    /// As [`Value::equals`]; nothing where a value of a library cannot be compared with the other.
    pub fn equality(&self, other: &Value) -> Option<bool> {
        Some(match (self, other) {
            (Value::Null, other) | (other, Value::Null) => matches!(other, Value::Null),
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::UInt(left), Value::UInt(right)) => left == right,
            (Value::String(left), Value::String(right)) => left == right,
            (Value::Bytes(left), Value::Bytes(right)) => left == right,
            (Value::Duration(left), Value::Duration(right)) => left == right,
            (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
            (Value::List(left), Value::List(right)) => return lists_equal(left, right),
            (Value::Map(left), Value::Map(right)) => return maps_equal(left, right),
            // Lists and maps of documents are only compared with their like.
            (Value::List(list), _) if list.shape().is_some() => return None,
            (Value::Map(map), _) if is_shaped(map) => return None,
            (Value::Type(left), Value::Type(right)) => left.runtime_name() == right.runtime_name(),
            (Value::Optional(left), Value::Optional(right)) => match (left, right) {
                (Some(left), Some(right)) => return left.equality(right),
                (left, right) => left.is_none() && right.is_none(),
            },
            (Value::Opaque(left), right) => return left.equals(right),
            (left, right) => numbers(left, right) == Some(Some(Ordering::Equal)),
        })
    }

    /// Which of both comes first, or why that cannot be said.
    pub fn compare(&self, other: &Value) -> Result<Ordering, Fault> {
        match (self, other) {
            (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
            (Value::String(left), Value::String(right)) => Ok(left.as_bytes().cmp(right.as_bytes())),
            (Value::Bytes(left), Value::Bytes(right)) => Ok(left.cmp(right)),
            (Value::Duration(left), Value::Duration(right)) => Ok(left.cmp(right)),
            (Value::Timestamp(left), Value::Timestamp(right)) => Ok(left.cmp(right)),
            (Value::Double(left), _) if left.is_nan() => Err(Fault::new("NaN values cannot be ordered")),
            (left, right) => match numbers(left, right) {
                Some(Some(ordering)) => Ok(ordering),
                Some(None) => Err(Fault::new("NaN values cannot be ordered")),
                None => Err(Fault::no_such_overload()),
            },
        }
    }
}

/// The order of two numbers. Nothing for what is not a number, and `Some(None)` where one of them is NaN.
fn numbers(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    Some(match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::UInt(left), Value::UInt(right)) => Some(left.cmp(right)),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::UInt(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::UInt(left), Value::Int(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        // Integers become doubles here, as they do in cel-go: numbers that no double can tell apart are equal.
        (Value::Int(left), Value::Double(right)) => (*left as f64).partial_cmp(right),
        (Value::Double(left), Value::Int(right)) => left.partial_cmp(&(*right as f64)),
        (Value::UInt(left), Value::Double(right)) => (*left as f64).partial_cmp(right),
        (Value::Double(left), Value::UInt(right)) => left.partial_cmp(&(*right as f64)),
        _ => return None,
    })
}

fn lists_equal(left: &List, right: &List) -> Option<bool> {
    if left.len() != right.len() {
        return Some(false);
    }
    if let Some(shape) = left.shape() {
        return merge::equal(left, right, shape);
    }
    // Items that cannot be compared do not make computed lists different.
    Some(left.iter().zip(right.iter()).all(|(left, right)| left.equality(&right) != Some(false)))
}

fn maps_equal(left: &Map, right: &Map) -> Option<bool> {
    if let (Map::Lazy(left), Map::Lazy(right)) = (left, right) {
        return Some(Arc::ptr_eq(left, right));
    }
    if left.len() != right.len() {
        return Some(false);
    }
    for (key, value) in left {
        match right.get(&key).map(|other| value.equality(&other)) {
            Some(Some(true)) => {}
            None | Some(Some(false)) => return Some(false),
            // As with lists, only those of documents mind.
            Some(None) if is_shaped(left) => return None,
            Some(None) => {}
        }
    }
    Some(true)
}

/// Whether more is known of a map than that it is one.
fn is_shaped(map: &Map) -> bool {
    match map {
        Map::Object(..) => true,
        Map::Document(_, shape) => *shape != Shape::Dyn,
        Map::Computed(_) | Map::Lazy(_) => false,
    }
}
