//! Lists of documents that are sets, or that are keyed by fields of their items: how they compare and add.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::shape::{ListKind, ListShape};
use crate::value::key::Key;
use crate::value::{List, Value};

/// What an item of a keyed list is found by.
type ItemKey = Vec<Option<Key>>;

impl List {
    /// Both lists: one after the other, or as the shape of the first says.
    #[must_use]
    pub fn plus(self, other: List) -> List {
        let Some(shape) = self.shape().cloned() else {
            return self.joined(other);
        };
        match &shape.kind {
            ListKind::Ordered => self.joined(other),
            ListKind::Set => union(&self, &other, shape),
            ListKind::Keyed(keys) => {
                let mut items: Vec<Value> = self.iter().collect();
                let mut positions: FxHashMap<ItemKey, usize> = items
                    .iter()
                    .enumerate()
                    .map(|(position, item)| (item_key(item, keys), position))
                    .collect();
                for item in &other {
                    let key = item_key(&item, keys);
                    match positions.get(&key).and_then(|&position| items.get_mut(position)) {
                        Some(own) => *own = item,
                        None => {
                            positions.insert(key, items.len());
                            items.push(item);
                        }
                    }
                }
                List::Merged(Arc::new(items), shape)
            }
        }
    }
}

fn union(left: &List, right: &List, shape: Arc<ListShape>) -> List {
    let mut items: Vec<Value> = left.iter().collect();
    let mut known: FxHashSet<Key> = items.iter().cloned().map(Key).collect();
    for item in right {
        if known.insert(Key(item.clone())) {
            items.push(item);
        }
    }
    List::Merged(Arc::new(items), shape)
}

/// Whether the right list has the items of the left one, as the shape of the left one compares them. Nothing where an
/// item cannot be compared.
pub(super) fn equal(left: &List, right: &List, shape: &ListShape) -> Option<bool> {
    match &shape.kind {
        ListKind::Ordered => {
            for (left, right) in left.iter().zip(right.iter()) {
                match left.equality(&right) {
                    Some(true) => {}
                    other => return other,
                }
            }
            Some(true)
        }
        ListKind::Set => {
            let known: FxHashSet<Key> = left.iter().map(Key).collect();
            Some(right.iter().all(|item| known.contains(&Key(item))))
        }
        ListKind::Keyed(keys) => {
            let own: FxHashMap<ItemKey, Value> =
                left.iter().map(|item| (item_key(&item, keys), item)).collect();
            for item in right {
                match own.get(&item_key(&item, keys)).map(|own| own.equality(&item)) {
                    Some(Some(true)) => {}
                    Some(other) => return other,
                    None => return Some(false),
                }
            }
            Some(true)
        }
    }
}

fn item_key(item: &Value, keys: &[Arc<str>]) -> ItemKey {
    let Value::Map(map) = item else {
        return Vec::new();
    };
    keys.iter().map(|key| map.get(&Value::String(key.clone())).map(Key)).collect()
}
