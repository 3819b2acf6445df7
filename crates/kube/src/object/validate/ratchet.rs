//! What an update leaves alone: errors of a value that is the same as before. Which old value belongs to a
//! new one is known for fields, entries of maps and items of lists with keys.

use std::sync::Arc;

use trueline_yaml::{Data, Value};

use super::compile::{Additional, Node};

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

/// The old item that belongs to an item of a list.
pub(super) fn old_item<'a>(node: &Node, item: &Value, old: &'a Value) -> Option<&'a Value> {
    let (keys, Data::List(old_items)) = (node.list_keys.as_ref()?, &old.data) else { return None };
    node.items.as_ref()?;
    let wanted = key_of(keys, item)?;
    let found = old_items.iter().find(|old| key_of(keys, old).is_some_and(|key| key == wanted))?;
    (!matches!(found.data, Data::Null)).then_some(found)
}

/// What an item is known by; nothing if it lacks a key or the value of a key is no scalar.
fn key_of<'v>(keys: &[Arc<str>], item: &'v Value) -> Option<Vec<&'v Value>> {
    if keys.is_empty() {
        return None;
    }
    keys.iter()
        .map(|key| {
            item.get(key).filter(|value| !matches!(value.data, Data::Null | Data::List(_) | Data::Map(_)))
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
                    (Some(_), Some(item_node)) => items.iter().all(|item| {
                        old_item(node, item, old).is_some_and(|old| is_unchanged(item_node, item, old))
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
