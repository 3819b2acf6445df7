//! From nodes to plain values and back: what ytt converts where Go values and its tree meet.

use std::rc::Rc;

use super::{Array, ArrayItem, Made, Map, MapItem, Meta, Position, Value};

impl Value {
    /// The value without positions, comments and annotations, with collections as Starlark would have made them.
    pub fn to_plain(&self) -> Value {
        match self {
            Value::Map(map) => {
                let items = map.items.iter().map(|item| MapItem {
                    key: item.key.to_plain(),
                    value: item.value.to_plain(),
                    meta: Meta::new(Position::unknown(), item.meta.place()),
                });
                Value::from(Map::plain(items.collect()))
            }
            Value::Array(array) => {
                let items = array.items.iter().map(|item| ArrayItem {
                    value: item.value.to_plain(),
                    meta: Meta::new(Position::unknown(), item.meta.place()),
                });
                Value::from(Array::plain(items.collect()))
            }
            scalar => scalar.clone(),
        }
    }

    /// Turns collections that Starlark made into nodes, all at one position. Nodes stay as they are, but what is below
    /// them is converted.
    pub fn into_nodes(self, position: &Position) -> Value {
        self.convert(&|_, _| position.clone(), position)
    }

    /// The same, with a position for each item that shows what it holds: reports print it instead of a source line.
    pub fn into_computed_nodes(self) -> Value {
        let line = |key: Option<&Value>, value: &Value| match key {
            Some(key) => Position::in_memory(&format!("{}: {}", key.go_value(), value.go_syntax())),
            None => Position::in_memory(&format!("- {}", value.go_syntax())),
        };
        self.convert(&line, &Position::unknown())
    }

    fn convert(self, item: &dyn Fn(Option<&Value>, &Value) -> Position, collection: &Position) -> Value {
        self.converted(item, collection).unwrap_or(self)
    }

    /// The value with nodes for what Starlark made; none if there is nothing of that kind, and what has nothing of it
    /// stays shared.
    fn converted(
        &self,
        item: &dyn Fn(Option<&Value>, &Value) -> Position,
        collection: &Position,
    ) -> Option<Value> {
        match self {
            Value::Map(map) => {
                let is_plain = map.made == Made::Plain;
                let mut copy = is_plain.then(|| Rc::clone(map));
                for (index, entry) in map.items.iter().enumerate() {
                    let value = entry.value.converted(item, collection);
                    if !is_plain && value.is_none() {
                        continue;
                    }
                    let entry = &mut Rc::make_mut(copy.get_or_insert_with(|| Rc::clone(map))).items[index];
                    if let Some(value) = value {
                        entry.value = value;
                    }
                    if is_plain {
                        entry.meta.set_position(item(Some(&entry.key), &entry.value));
                    }
                }
                let mut copy = copy?;
                if is_plain {
                    let changed = Rc::make_mut(&mut copy);
                    changed.made = Made::Yaml;
                    changed.meta.set_position(collection.clone());
                }
                Some(Value::Map(copy))
            }
            Value::Array(array) => {
                let is_plain = array.made == Made::Plain;
                let mut copy = is_plain.then(|| Rc::clone(array));
                for (index, entry) in array.items.iter().enumerate() {
                    let value = entry.value.converted(item, collection);
                    if !is_plain && value.is_none() {
                        continue;
                    }
                    let entry = &mut Rc::make_mut(copy.get_or_insert_with(|| Rc::clone(array))).items[index];
                    if let Some(value) = value {
                        entry.value = value;
                    }
                    if is_plain {
                        entry.meta.set_position(item(None, &entry.value));
                    }
                }
                let mut copy = copy?;
                if is_plain {
                    let changed = Rc::make_mut(&mut copy);
                    changed.made = Made::Yaml;
                    changed.meta.set_position(collection.clone());
                }
                Some(Value::Array(copy))
            }
            _ => None,
        }
    }
}
