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

use trueline_yaml::{Data, MapEntry, Value};

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

/// A map with an entry set, in the place of the one that was there. A map that nobody else has is not copied.
pub(crate) fn with_member(mut value: Value, key: &str, member: Value) -> Value {
    set_member(&mut value, key, member);
    value
}

/// Sets an entry of a map, in the place of the one that was there. What is no map becomes one.
fn set_member(value: &mut Value, key: &str, member: Value) {
    if !matches!(value.data, Data::Map(_)) {
        value.data = Data::Map(Arc::default());
    }
    let Data::Map(map) = &mut value.data else { return };
    let map = Arc::make_mut(map);
    match map.get_mut(key) {
        Some(entry) => entry.value = member,
        None => drop(map.insert(key.into(), MapEntry { key_origin: None, value: member })),
    }
}

/// Changes an entry of a map, if it is there.
fn change_member(value: &mut Value, key: &str, change: impl FnOnce(&mut Value)) {
    if let Data::Map(map) = &mut value.data
        && map.contains_key(key)
        && let Some(entry) = Arc::make_mut(map).get_mut(key)
    {
        change(&mut entry.value);
    }
}

/// A map without an entry.
fn without_member(mut value: Value, key: &str) -> Value {
    remove_member(&mut value, key);
    value
}

/// Takes an entry out of a map.
fn remove_member(value: &mut Value, key: &str) {
    if let Data::Map(map) = &mut value.data
        && map.contains_key(key)
    {
        Arc::make_mut(map).shift_remove(key);
    }
}
