//! What an update leaves alone: errors of a value that is the same as before. Which old value belongs to a
//! new one is known for fields, entries of maps and items of lists with keys.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_yaml::{Data, Value};

use super::compile::{Additional, Node};
use crate::object::printed::json;

/// The schema of a field and the old value that belongs to it.
pub(super) fn old_member<'a>(node: &Node, value: &Value, old: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key)?;
    member_node(node, key)?;
    old.get(key)
}

fn member_node<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    node.properties.get(key).or(match &node.additional {
        Additional::Schema(schema) => Some(schema),
        Additional::Any | Additional::None => None,
    })
}

/// The items of an old list by what they are known by.
#[derive(Debug)]
pub(super) struct OldItems<'a, 'n> {
    keys: &'n [Arc<str>],
    items: FxHashMap<Vec<String>, &'a Value>,
}

impl<'a, 'n> OldItems<'a, 'n> {
    /// Nothing if the items of such lists cannot be told apart.
    pub(super) fn of(node: &'n Node, old: &'a Value) -> Option<Self> {
        let (keys, Data::List(old_items)) = (node.list_keys.as_ref()?, &old.data) else { return None };
        node.items.as_ref()?;
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
    pub(super) fn of_item(&self, item: &Value) -> Option<&'a Value> {
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
pub(super) fn is_unchanged(node: &Node, value: &Value, old: &Value) -> bool {
    match (&value.data, &old.data) {
        (Data::Null, Data::Null) => true,
        (Data::List(items), Data::List(old_items)) => {
            items.len() == old_items.len()
                && match (&node.list_keys, &node.items) {
                    (Some(_), Some(item_node)) => OldItems::of(node, old).is_some_and(|before| {
                        let is_same = |item: &Value, old: &Value| is_unchanged(item_node, item, old);
                        items.iter().all(|item| before.of_item(item).is_some_and(|old| is_same(item, old)))
                    }),
                    (Some(_), None) => items.is_empty(),
                    (None, _) => items == old_items,
                }
        }
        (Data::Map(map), Data::Map(old_map)) => {
            map.len() == old_map.len()
                && map.iter().all(|(key, entry)| match (member_node(node, key), old_map.get(key)) {
                    (Some(node), Some(old)) => is_unchanged(node, &entry.value, &old.value),
                    _ => false,
                })
        }
        (Data::List(_) | Data::Map(_) | Data::Null, _) | (_, Data::List(_) | Data::Map(_) | Data::Null) => {
            false
        }
        _ => value == old,
    }
}
