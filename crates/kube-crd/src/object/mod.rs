//! What the server does to objects of custom resources: decode, prune, default, validate.
//!
//! Values keep the origins of what was typed, defaults those that they have in the definition. Whatever else the server
//! puts into an object has none, so an error about it is reported at the nearest place around it that was typed.

pub(crate) mod coerce;
mod decode;
mod default;
pub(crate) mod embedded;
mod known;
pub(crate) mod list_types;
pub(crate) mod metadata;
mod nulls;
mod prune;
pub(crate) mod request;
mod resource;
pub(crate) mod scale;
mod shape;
#[cfg(test)]
pub(crate) mod tests;
mod unions;
mod validate;
mod warnings;

use std::sync::Arc;

use trueline_yaml::{Data, Map, MapEntry, Value};

pub use crate::structural::Root;
pub use crate::value::with_server_numbers;
pub use decode::{Decoded, head};
pub(crate) use default::has_default;
pub(crate) use default::size;
pub use default::{MOST_DEFAULTED, default, with_pruned_defaults};
pub use nulls::drop_nulls;
pub use prune::{Pruned, prune};
pub(crate) use request::Held;
pub use request::{Verdict, says_rules_not_checked};
pub use resource::{Resource, Version};
pub use trueline_apimachinery::formats::is_known_format;
pub use unions::{UNION_CODES, union_findings};
pub use validate::{Purpose, Validator, validate};
pub use warnings::compare_versions;

/// A map with an entry set, in the place of the one that was there.
pub(crate) fn with_member(value: &Value, key: &str, member: Value) -> Value {
    let mut map = match &value.data {
        Data::Map(map) => Map::clone(map),
        _ => Map::default(),
    };
    let key_origin = map.get(key).and_then(|entry| entry.key_origin);
    map.insert(key.into(), MapEntry { key_origin, value: member });
    Value { data: Data::Map(Arc::new(map)), origin: value.origin }
}

/// A map without an entry.
fn without_member(value: &Value, key: &str) -> Value {
    match &value.data {
        Data::Map(map) if map.contains_key(key) => {
            let mut map = Map::clone(map);
            map.shift_remove(key);
            Value { data: Data::Map(Arc::new(map)), origin: value.origin }
        }
        _ => value.clone(),
    }
}
