//! What an update leaves alone: errors of a value that is the same as before. Which old value belongs to a
//! new one is known for fields, entries of maps and items of lists with keys.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_yaml::{Data, Value};

use super::Structural;
use crate::props::OrBool;
use crate::value::printed::json;

/// A schema that says which old value belongs to a new one.
pub(crate) trait Correlates {
    /// The keys that items are known by, if they can be found again in another list.
    fn list_keys(&self) -> Option<&[Arc<str>]>;
    /// The schema of items.
    fn item(&self) -> Option<&Self>;
    /// The schema of a field.
    fn member(&self, key: &str) -> Option<&Self>;
}

impl Correlates for Structural {
    fn list_keys(&self) -> Option<&[Arc<str>]> {
        match (self.extensions.list_type.as_deref(), &*self.generic.type_name) {
            (Some("map"), "array") => Some(&self.extensions.list_map_keys),
            (Some("map"), _) => Some(&[]),
            _ => None,
        }
    }

    fn item(&self) -> Option<&Self> {
        self.items.as_deref()
    }

    fn member(&self, key: &str) -> Option<&Self> {
        self.property(key).or(match self.additional_properties.as_deref() {
            Some(OrBool::Schema(schema)) => Some(schema),
            _ => None,
        })
    }
}

/// The schema of a field and the old value that belongs to it.
pub(crate) fn old_member<'a>(
    schema: &impl Correlates,
    value: &Value,
    old: &'a Value,
    key: &str,
) -> Option<&'a Value> {
    value.get(key)?;
    schema.member(key)?;
    old.get(key)
}

/// The items of an old list by what they are known by.
#[derive(Debug)]
pub(crate) struct OldItems<'a, 'n> {
    keys: &'n [Arc<str>],
    items: FxHashMap<Vec<String>, &'a Value>,
}

impl<'a, 'n> OldItems<'a, 'n> {
    /// Nothing if the items of such lists cannot be told apart.
    pub(crate) fn of(schema: &'n impl Correlates, old: &'a Value) -> Option<Self> {
        let (keys, Data::List(old_items)) = (schema.list_keys()?, &old.data) else { return None };
        schema.item()?;
        let mut items = FxHashMap::default();
        for item in old_items.iter() {
            if let Some(key) = key_of(keys, item) {
                // The first of several counts.
                items.entry(key).or_insert(item);
            }
        }
        Some(OldItems { keys, items })
    }

    /// The old item that belongs to an item of a list.
    pub(crate) fn of_item(&self, item: &Value) -> Option<&'a Value> {
        self.items.get(&key_of(self.keys, item)?).copied()
    }
}

/// What an item is known by; nothing if it lacks a key or the value of a key is no scalar.
fn key_of(keys: &[Arc<str>], item: &Value) -> Option<Vec<String>> {
    if keys.is_empty() {
        return None;
    }
    keys.iter()
        .map(|key| {
            let value = item.get(key)?;
            (!matches!(value.data, Data::Null | Data::List(_) | Data::Map(_))).then(|| json(value))
        })
        .collect()
}

/// Whether a value is the same as before: the order of items with keys does not count, and a field that the
/// schema does not know cannot be compared.
pub(crate) fn is_unchanged<S: Correlates>(schema: &S, value: &Value, old: &Value) -> bool {
    match (&value.data, &old.data) {
        (Data::Null, Data::Null) => true,
        (Data::List(items), Data::List(old_items)) => {
            items.len() == old_items.len()
                && match (schema.list_keys(), schema.item()) {
                    (Some(_), Some(item_schema)) => OldItems::of(schema, old).is_some_and(|before| {
                        let is_same = |item: &Value, old: &Value| is_unchanged(item_schema, item, old);
                        items.iter().all(|item| before.of_item(item).is_some_and(|old| is_same(item, old)))
                    }),
                    (Some(_), None) => items.is_empty(),
                    (None, _) => items == old_items,
                }
        }
        (Data::Map(map), Data::Map(old_map)) => {
            map.len() == old_map.len()
                && map.iter().all(|(key, entry)| match (schema.member(key), old_map.get(key)) {
                    (Some(schema), Some(old)) => is_unchanged(schema, &entry.value, &old.value),
                    _ => false,
                })
        }
        (Data::List(_) | Data::Map(_) | Data::Null, _) | (_, Data::List(_) | Data::Map(_) | Data::Null) => {
            false
        }
        _ => value == old,
    }
}
