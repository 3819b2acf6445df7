//! Maps: computed ones, those of documents, and objects.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::shape::{ObjectShape, Shape};
use crate::value::key::{Key, same_number};
use crate::value::{Lazy, Value, document, lazy};

/// A map.
#[derive(Debug, Clone)]
pub enum Map {
    /// One that was computed.
    Computed(Arc<ComputedMap>),
    /// A map of a document, whose values have one shape.
    Document(Arc<trueline_yaml::Map>, Shape),
    /// An object of a document.
    Object(Arc<trueline_yaml::Map>, Arc<ObjectShape>),
    /// One whose values are made when they are read.
    Lazy(Arc<dyn Lazy>),
}

/// The entries of a computed map, in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct ComputedMap {
    entries: Vec<(Value, Value)>,
    // Made when there are enough entries for it to be worth its memory.
    index: FxHashMap<Key, usize>,
}

/// Maps up to this size are searched from the front.
const SEARCHED: usize = 8;

impl ComputedMap {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries.
    pub fn entries(&self) -> &[(Value, Value)] {
        &self.entries
    }

    /// Adds an entry, or replaces the value of this very key.
    pub fn insert(&mut self, key: Value, value: Value) {
        if let Some(position) = self.position(&key) {
            if let Some(entry) = self.entries.get_mut(position) {
                entry.1 = value;
            }
            return;
        }
        self.entries.push((key.clone(), value));
        if self.entries.len() == SEARCHED + 1 {
            for (position, (key, _)) in self.entries.iter().enumerate() {
                self.index.insert(Key(key.clone()), position);
            }
        } else if self.entries.len() > SEARCHED {
            self.index.insert(Key(key), self.entries.len() - 1);
        }
    }

    /// Removes the entry of this very key.
    pub fn remove(&mut self, key: &Value) {
        let Some(position) = self.position(key) else {
            return;
        };
        self.entries.remove(position);
        self.index.clear();
        if self.entries.len() > SEARCHED {
            for (position, (key, _)) in self.entries.iter().enumerate() {
                self.index.insert(Key(key.clone()), position);
            }
        }
    }

    /// The value of a key; numbers are found whatever their type is.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        let position = self
            .position(key)
            .or_else(|| same_number(key).into_iter().flatten().find_map(|key| self.position(&key)))?;
        self.entries.get(position).map(|(_, value)| value)
    }

    fn position(&self, key: &Value) -> Option<usize> {
        // Keys are wrapped by a clone, which copies no text.
        let key = Key(key.clone());
        if self.entries.len() > SEARCHED {
            return self.index.get(&key).copied();
        }
        self.entries.iter().position(|(own, _)| Key(own.clone()) == key)
    }
}

impl FromIterator<(Value, Value)> for ComputedMap {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Self {
        let mut map = ComputedMap::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl Map {
    /// How many entries there are. An object counts all its fields, also those that expressions do not see.
    pub fn len(&self) -> usize {
        match self {
            Map::Computed(map) => map.len(),
            Map::Document(map, _) | Map::Object(map, _) => map.len(),
            Map::Lazy(map) => map.keys().len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key; numbers are found whatever their type is. Objects are asked by the names of fields.
    pub fn get(&self, key: &Value) -> Option<Value> {
        match (self, key) {
            (Map::Computed(map), key) => map.get(key).cloned(),
            (Map::Document(map, shape), Value::String(key)) => {
                map.get(key).map(|entry| document::read(&entry.value, shape))
            }
            (Map::Object(map, shape), Value::String(key)) => {
                let field = shape.fields.get(key)?;
                let value = &map.get(&field.key)?.value;
                // A field that is null is not there.
                if let trueline_yaml::Data::Null = value.data {
                    return None;
                }
                Some(document::read(value, &field.shape))
            }
            (Map::Lazy(map), Value::String(key)) => lazy::get(&**map, key),
            _ => None,
        }
    }

    /// The entries: those of documents in the order in which they were written.
    pub fn iter(&self) -> Entries<'_> {
        let fields = match self {
            Map::Object(map, shape) => shape.present(map).cloned().collect(),
            Map::Lazy(map) => map.keys(),
            _ => Vec::new(),
        };
        Entries { map: self, fields, next: 0 }
    }
}

impl From<ComputedMap> for Map {
    fn from(map: ComputedMap) -> Self {
        Map::Computed(Arc::new(map))
    }
}

impl From<ComputedMap> for Value {
    fn from(map: ComputedMap) -> Self {
        Value::Map(Map::from(map))
    }
}

/// The entries of a map.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    map: &'a Map,
    fields: Vec<Arc<str>>,
    next: usize,
}

impl Iterator for Entries<'_> {
    type Item = (Value, Value);

    fn next(&mut self) -> Option<(Value, Value)> {
        let entry = match self.map {
            Map::Computed(map) => map.entries.get(self.next).cloned()?,
            Map::Document(map, shape) => {
                let (key, entry) = map.get_index(self.next)?;
                (Value::String(key.clone()), document::read(&entry.value, shape))
            }
            Map::Lazy(map) => {
                let name = self.fields.get(self.next)?;
                let value = lazy::get(&**map, name).unwrap_or(Value::Null);
                (Value::String(name.clone()), value)
            }
            Map::Object(..) => {
                let key = Value::String(self.fields.get(self.next)?.clone());
                let value = self.map.get(&key)?;
                (key, value)
            }
        };
        self.next += 1;
        Some(entry)
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = (Value, Value);
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}
