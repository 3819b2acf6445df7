//! Maps that can be changed while they are shared.
//!
//! Go's maps are references: where Helm puts a map of values into a second place, what is merged into it
//! later shows in both. Globals and imported values rely on it, so maps are held the same way while they
//! are coalesced. A map that nobody has changed stays as it was read and is never copied.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_source::Span;
use trueline_yaml::{Data, Map, MapEntry, Value};

/// A map that can be shared and changed.
#[derive(Debug)]
pub(crate) struct Table {
    origin: Option<Span>,
    ownership: Ownership,
    inner: RefCell<Inner>,
}

/// Who may look at a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ownership {
    /// Only the one who made it.
    Own,
    /// Anyone who came across it.
    Shared,
}

#[derive(Debug)]
struct Inner {
    map: Arc<Map>,
    /// The maps below that can be changed too. They stand for what the map above says under their keys.
    live: FxHashMap<Arc<str>, Rc<Table>>,
}

/// What a key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Missing,
    Null,
    Table,
    Other,
}

/// What can be put under a key.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Value(Value),
    Table(Rc<Table>),
}

fn take_one(left: &mut usize) -> bool {
    left.checked_sub(1).map(|fewer| *left = fewer).is_some()
}

fn count(value: &Value, left: &mut usize, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    take_one(left)
        && match &value.data {
            Data::List(items) => items.iter().all(|item| count(item, left, depth)),
            Data::Map(map) => map.values().all(|entry| count(&entry.value, left, depth)),
            _ => true,
        }
}

impl Table {
    /// A map that begins as it was read.
    pub(crate) fn new(map: Arc<Map>, origin: Option<Span>) -> Rc<Self> {
        let inner = RefCell::new(Inner { map, live: FxHashMap::default() });
        Rc::new(Table { origin, ownership: Ownership::Shared, inner })
    }

    /// An empty map that stands in no other.
    pub(crate) fn own(origin: Option<Span>) -> Rc<Self> {
        let inner = RefCell::new(Inner { map: Arc::default(), live: FxHashMap::default() });
        Rc::new(Table { origin, ownership: Ownership::Own, inner })
    }

    /// Whether it may stand in several places.
    pub(crate) fn is_shared(&self) -> bool {
        self.ownership == Ownership::Shared
    }

    /// The map that a value is; an empty one for anything else.
    pub(crate) fn of(value: &Value) -> Rc<Self> {
        let map = match &value.data {
            Data::Map(map) => Arc::clone(map),
            _ => Arc::default(),
        };
        Table::new(map, value.origin)
    }

    pub(crate) fn origin(&self) -> Option<Span> {
        self.origin
    }

    /// The entries as they were at this moment; what they say of maps below may be out of date.
    pub(crate) fn entries(&self) -> Arc<Map> {
        Arc::clone(&self.inner.borrow().map)
    }

    /// Whether it still is that very map.
    pub(crate) fn is_still(&self, map: &Arc<Map>) -> bool {
        let inner = self.inner.borrow();
        inner.live.is_empty() && Arc::ptr_eq(&inner.map, map)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inner.borrow().map.is_empty()
    }

    pub(crate) fn kind(&self, key: &str) -> EntryKind {
        let inner = self.inner.borrow();
        if inner.live.contains_key(key) {
            return EntryKind::Table;
        }
        match inner.map.get(key).map(|entry| &entry.value.data) {
            None => EntryKind::Missing,
            Some(Data::Null) => EntryKind::Null,
            Some(Data::Map(_)) => EntryKind::Table,
            Some(_) => EntryKind::Other,
        }
    }

    /// Takes each value inside from what is left; false if that is not enough. What is nested too deep is left to those
    /// who refuse it.
    pub(crate) fn count(&self, left: &mut usize, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        let inner = self.inner.borrow();
        inner.map.iter().all(|(key, entry)| match inner.live.get(key) {
            Some(table) => take_one(left) && table.count(left, depth),
            None => count(&entry.value, left, depth),
        })
    }

    /// The map below a key, to be changed or shared.
    pub(crate) fn table(&self, key: &str) -> Option<Rc<Table>> {
        let mut inner = self.inner.borrow_mut();
        if let Some(table) = inner.live.get(key) {
            return Some(Rc::clone(table));
        }
        let (key, entry) = inner.map.get_key_value(key)?;
        let Data::Map(map) = &entry.value.data else { return None };
        let (key, table) = (Arc::clone(key), Table::new(Arc::clone(map), entry.value.origin));
        inner.live.insert(key, Rc::clone(&table));
        Some(table)
    }

    /// What a key has. A map is shared: what is merged into it shows here too.
    pub(crate) fn node(&self, key: &str) -> Option<Node> {
        if let Some(table) = self.table(key) {
            return Some(Node::Table(table));
        }
        self.inner.borrow().map.get(key).map(|entry| Node::Value(entry.value.clone()))
    }

    pub(crate) fn insert(&self, key: &Arc<str>, key_origin: Option<Span>, node: Node) {
        let mut inner = self.inner.borrow_mut();
        let value = match node {
            Node::Value(value) => {
                inner.live.remove(key);
                value
            }
            Node::Table(table) => {
                let origin = table.origin;
                inner.live.insert(Arc::clone(key), table);
                // The entry keeps the order of keys; what it says is out of date from now on.
                if inner.map.contains_key(key) {
                    return;
                }
                Value { data: Data::Null, origin }
            }
        };
        Arc::make_mut(&mut inner.map).insert(Arc::clone(key), MapEntry { key_origin, value });
    }

    pub(crate) fn remove(&self, key: &str) {
        let mut inner = self.inner.borrow_mut();
        inner.live.remove(key);
        Arc::make_mut(&mut inner.map).swap_remove(key);
    }

    /// A second map with the same entries, whose maps below are the same ones.
    pub(crate) fn shallow_copy(&self) -> Rc<Table> {
        let entries = self.entries();
        for (key, entry) in entries.iter() {
            if matches!(entry.value.data, Data::Map(_)) {
                self.table(key);
            }
        }
        let inner = self.inner.borrow();
        let inner = Inner { map: Arc::clone(&inner.map), live: inner.live.clone() };
        // It stands where its maker puts it.
        Rc::new(Table { origin: self.origin, ownership: Ownership::Own, inner: RefCell::new(inner) })
    }

    /// How deep the maps below that can be changed are nested, and whether one of them is the other map.
    pub(crate) fn survey(&self, other: &Table) -> Survey {
        let inner = self.inner.borrow();
        let mut survey = Survey { depth: 1, finds: std::ptr::eq(self, other) };
        for table in inner.live.values() {
            let below = table.survey(other);
            survey.depth = survey.depth.max(below.depth + 1);
            survey.finds |= below.finds;
        }
        survey
    }

    /// The value that the map is now. Maps that are shared here are shared there too.
    pub(crate) fn freeze(&self) -> Value {
        let mut inner = self.inner.borrow_mut();
        let Inner { map, live } = &mut *inner;
        let mut changed: Vec<(Arc<str>, Value)> = Vec::new();
        for (key, table) in live.iter() {
            let value = table.freeze();
            let same = match (map.get(key).map(|entry| &entry.value.data), &value.data) {
                (Some(Data::Map(before)), Data::Map(now)) => Arc::ptr_eq(before, now),
                _ => false,
            };
            if !same {
                changed.push((Arc::clone(key), value));
            }
        }
        if !changed.is_empty() {
            let map = Arc::make_mut(map);
            for (key, value) in changed {
                if let Some(entry) = map.get_mut(&key) {
                    entry.value = value;
                }
            }
        }
        Value { data: Data::Map(Arc::clone(map)), origin: self.origin }
    }
}

/// What [`Table::survey`] finds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Survey {
    pub(crate) depth: usize,
    pub(crate) finds: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(json: &str) -> Rc<Table> {
        Table::of(&Value::from_json_text(json).unwrap())
    }

    #[test]
    fn what_is_shared_changes_in_both_places() {
        let parent = table(r#"{"g": {"own": 1, "deep": {"x": 1}}}"#);
        let copy = parent.table("g").unwrap().shallow_copy();
        copy.insert(&"own".into(), None, Node::Value(Value::from(2i64)));
        copy.table("deep").unwrap().insert(&"y".into(), None, Node::Value(Value::from(3i64)));
        assert_eq!(parent.freeze().to_json_text().unwrap(), r#"{"g":{"deep":{"x":1,"y":3},"own":1}}"#);
        assert_eq!(copy.freeze().to_json_text().unwrap(), r#"{"deep":{"x":1,"y":3},"own":2}"#);
    }

    #[test]
    fn what_nobody_changed_is_the_same_map() {
        let value = Value::from_json_text(r#"{"a": {"b": {"c": 1}}, "d": 2}"#).unwrap();
        let table = Table::of(&value);
        table.table("a").unwrap().table("b").unwrap();
        let (Data::Map(before), Data::Map(after)) = (&value.data, &table.freeze().data) else { panic!() };
        assert!(Arc::ptr_eq(before, after));
    }

    #[test]
    fn keys_are_set_and_removed() {
        let values = table(r#"{"a": 1, "b": {"c": 2}, "n": null}"#);
        assert_eq!(
            ["a", "b", "n", "x"].map(|key| values.kind(key)),
            [EntryKind::Other, EntryKind::Table, EntryKind::Null, EntryKind::Missing]
        );
        values.insert(&"x".into(), None, Node::Table(table(r#"{"y": 1}"#)));
        values.insert(&"a".into(), None, Node::Table(table("{}")));
        values.insert(&"b".into(), None, Node::Value(Value::from(true)));
        values.remove("n");
        assert_eq!(values.freeze().to_json_text().unwrap(), r#"{"a":{},"b":true,"x":{"y":1}}"#);
    }

    #[test]
    fn a_map_inside_itself_is_found() {
        let outer = table(r#"{"a": {"b": {}}}"#);
        let inner = outer.table("a").unwrap().table("b").unwrap();
        assert!(outer.survey(&inner).finds && !inner.survey(&outer).finds);
        assert_eq!(outer.survey(&inner).depth, 3);
    }
}
