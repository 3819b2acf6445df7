//! When a value is the same as one that a schema names.

use serde_json::Value as Json;
use trueline_schema::spend;
use trueline_yaml::{Data, Value};

use super::number::Decimal;

/// Whether a value is one of those that `enum` lists.
pub(super) fn is_one_of(value: &Value, choices: &[Json]) -> bool {
    spend(choices.len() as u64);
    choices.iter().any(|choice| equals(value, choice))
}

/// Whether two values are equal, numbers by their size.
pub(super) fn equals(value: &Value, json: &Json) -> bool {
    match (&value.data, json) {
        (Data::Null, Json::Null) => true,
        (Data::Bool(left), Json::Bool(right)) => left == right,
        (Data::String(left), Json::String(right)) => **left == **right,
        (Data::Int(_) | Data::UInt(_) | Data::Float(_), Json::Number(_)) => {
            let number = Decimal::of_value(value);
            number.is_some() && number == Decimal::of_json(json)
        }
        (Data::List(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equals(left, right))
        }
        (Data::Map(left), Json::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, entry)| right.get(&**name).is_some_and(|right| equals(&entry.value, right)))
        }
        _ => false,
    }
}
