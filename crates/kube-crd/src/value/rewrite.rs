//! Changing a value without copying the parts that stay as they are.

use std::sync::Arc;

use trueline_yaml::{Data, Map, MapEntry, Value};

/// What becomes of a part of a value.
pub(crate) enum Fate {
    /// It stays.
    Kept,
    /// Something else takes its place.
    Changed(Value),
    /// It goes.
    Gone,
}

impl From<Option<Value>> for Fate {
    fn from(changed: Option<Value>) -> Self {
        changed.map_or(Self::Kept, Self::Changed)
    }
}

/// The map with the fate of every entry carried out; nothing if all of them stay.
pub(crate) fn rewrite_map<'m>(
    map: &'m Arc<Map>,
    mut fate: impl FnMut(&'m Arc<str>, &'m MapEntry) -> Fate,
) -> Option<Map> {
    let mut changed: Option<Map> = None;
    let mut gone = Vec::new();
    for (index, (key, entry)) in map.iter().enumerate() {
        match fate(key, entry) {
            Fate::Kept => {}
            Fate::Gone => gone.push(index),
            Fate::Changed(value) => {
                let changed = changed.get_or_insert_with(|| Map::clone(map));
                if let Some((_, entry)) = changed.get_index_mut(index) {
                    entry.value = value;
                }
            }
        }
    }
    if gone.is_empty() {
        return changed;
    }
    let mut changed = changed.unwrap_or_else(|| Map::clone(map));
    let mut gone = gone.into_iter().peekable();
    let mut index = 0;
    changed.retain(|_, _| {
        let goes = gone.next_if_eq(&index).is_some();
        index += 1;
        !goes
    });
    Some(changed)
}

/// The list with the items that change; nothing if all of them stay.
pub(crate) fn rewrite_list<'v>(
    items: &'v Arc<Vec<Value>>,
    mut change: impl FnMut(usize, &'v Value) -> Option<Value>,
) -> Option<Vec<Value>> {
    let mut changed: Option<Vec<Value>> = None;
    for (index, item) in items.iter().enumerate() {
        if let Some(value) = change(index, item) {
            let changed = changed.get_or_insert_with(|| Vec::clone(items));
            if let Some(item) = changed.get_mut(index) {
                *item = value;
            }
        }
    }
    changed
}

/// A map in the place of a value.
pub(crate) fn with_map(value: &Value, map: Map) -> Value {
    Value { data: Data::Map(Arc::new(map)), origin: value.origin }
}

/// A list in the place of a value.
pub(crate) fn with_list(value: &Value, items: Vec<Value>) -> Value {
    Value { data: Data::List(Arc::new(items)), origin: value.origin }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_copied_only_if_it_changes() {
        let value = Value::from_json_text(r#"{"a": 1, "b": 2, "c": 3, "d": 4}"#).unwrap();
        let Data::Map(map) = &value.data else { panic!("a map") };
        assert!(rewrite_map(map, |_, _| Fate::Kept).is_none());
        let changed = rewrite_map(map, |key, _| match &**key {
            "a" | "c" => Fate::Gone,
            "d" => Fate::Changed(Value::from(true)),
            _ => Fate::Kept,
        });
        let changed = with_map(&value, changed.unwrap());
        assert_eq!(changed, Value::from_json_text(r#"{"b": 2, "d": true}"#).unwrap());
    }
}
