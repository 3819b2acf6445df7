//! The nodes of a document set.
//!
//! Collections are shared and copied on write: a clone of a value is a deep copy that costs one counter, until one of
//! the two is changed ([`Rc::make_mut`]). Overlays copy whole documents and change a few nodes of them.

use std::rc::Rc;

use super::{Comment, Meta, Text};

/// What a document, map item or array item holds.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// An integer of 64 bits with a sign.
    Int(i64),
    /// An integer that needs all 64 bits without a sign; never one that [`Value::Int`] can hold.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// A string of bytes.
    String(Text),
    /// A map.
    Map(Rc<Map>),
    /// An array.
    Array(Rc<Array>),
}

impl Value {
    /// A string.
    pub fn string(text: impl Into<Text>) -> Value {
        Value::String(text.into())
    }

    /// An integer without a sign, in the variant that fits.
    pub fn unsigned(value: u64) -> Value {
        i64::try_from(value).map_or(Value::UInt(value), Value::Int)
    }

    /// The name of its type in messages: `map`, `array`, `string`, `integer`, `float`, `boolean`, `null`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) | Value::UInt(_) => "integer",
            Value::Float(_) => "float",
            Value::String(_) => "string",
            Value::Map(_) => "map",
            Value::Array(_) => "array",
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Whether it is a map or an array.
    pub fn is_collection(&self) -> bool {
        matches!(self, Value::Map(_) | Value::Array(_))
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Rc<Map>> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The map to change, if it is one; copied first where it is shared.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Value::Map(map) => Some(Rc::make_mut(map)),
            _ => None,
        }
    }

    /// The array, if it is one.
    pub fn as_array(&self) -> Option<&Rc<Array>> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The array to change, if it is one; copied first where it is shared.
    pub fn as_array_mut(&mut self) -> Option<&mut Array> {
        match self {
            Value::Array(array) => Some(Rc::make_mut(array)),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Value::Map(Rc::new(map))
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Value::Array(Rc::new(array))
    }
}

/// How a collection came to be. ytt drops a document with an empty YAML map, but prints `{}` for an empty dict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Made {
    /// From YAML, of a file or a template.
    #[default]
    Yaml,
    /// From a Starlark list or dict.
    Plain,
}

/// A map. Keys may be there twice until [`DocumentSet::override_map_keys`] or an evaluation has settled which counts.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// Its items in order.
    pub items: Vec<MapItem>,
    /// Its position is that of its parent.
    pub meta: Meta,
    /// How it came to be.
    pub made: Made,
}

/// A key with its value.
#[derive(Debug, Clone, Default)]
pub struct MapItem {
    /// The key: mostly a string, but any value can be one.
    pub key: Value,
    /// The value.
    pub value: Value,
    /// Its position is that of the key.
    pub meta: Meta,
}

/// An array.
#[derive(Debug, Clone, Default)]
pub struct Array {
    /// Its items in order.
    pub items: Vec<ArrayItem>,
    /// Its position is that of its parent.
    pub meta: Meta,
    /// How it came to be.
    pub made: Made,
}

/// An item of an array.
#[derive(Debug, Clone, Default)]
pub struct ArrayItem {
    /// The value.
    pub value: Value,
    /// Its position is that of the dash.
    pub meta: Meta,
}

/// Whether a document is one of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Presence {
    /// It is.
    #[default]
    Written,
    /// It only holds the comments at the end of a file, and is never printed.
    Injected,
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// The value.
    pub value: Value,
    /// Its position is that of its `---`; line 1 where a first one is left out.
    pub meta: Meta,
    /// Whether it is one of the text.
    pub presence: Presence,
}

/// All documents of a file, or what a template made of them.
#[derive(Debug, Clone, Default)]
pub struct DocumentSet {
    /// The documents in order.
    pub documents: Vec<Document>,
    /// Every comment of the file, whoever owns it.
    pub all_comments: Vec<Comment>,
    /// Its position is unknown.
    pub meta: Meta,
}

impl Document {
    /// Whether printing leaves it out: null, or a YAML map or array without items.
    pub fn is_empty(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Map(map) => map.items.is_empty() && map.made == Made::Yaml,
            Value::Array(array) => array.items.is_empty() && array.made == Made::Yaml,
            _ => false,
        }
    }
}

impl Map {
    /// A map of YAML.
    pub fn new(items: Vec<MapItem>, meta: Meta) -> Map {
        Map { items, meta, made: Made::Yaml }
    }

    /// What a Starlark dict becomes.
    pub fn plain(items: Vec<MapItem>) -> Map {
        Map { items, meta: Meta::default(), made: Made::Plain }
    }

    /// Its items; they cannot be moved out of the field.
    pub fn into_items(mut self) -> Vec<MapItem> {
        std::mem::take(&mut self.items)
    }
}

impl Array {
    /// An array of YAML.
    pub fn new(items: Vec<ArrayItem>, meta: Meta) -> Array {
        Array { items, meta, made: Made::Yaml }
    }

    /// What a Starlark list becomes.
    pub fn plain(items: Vec<ArrayItem>) -> Array {
        Array { items, meta: Meta::default(), made: Made::Plain }
    }

    /// Its items; they cannot be moved out of the field.
    pub fn into_items(mut self) -> Vec<ArrayItem> {
        std::mem::take(&mut self.items)
    }
}

impl MapItem {
    /// A key with its value, at no position.
    pub fn plain(key: Value, value: Value) -> MapItem {
        MapItem { key, value, meta: Meta::default() }
    }
}

impl ArrayItem {
    /// A value at no position.
    pub fn plain(value: Value) -> ArrayItem {
        ArrayItem { value, meta: Meta::default() }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        let mut open = Vec::new();
        set_aside(self.items.iter_mut().map(|item| &mut item.value), &mut open);
        set_aside(self.items.iter_mut().map(|item| &mut item.key), &mut open);
        take_apart(open);
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        let mut open = Vec::new();
        set_aside(self.items.iter_mut().map(|item| &mut item.value), &mut open);
        take_apart(open);
    }
}

/// Takes out the collections that nobody else holds.
fn set_aside<'v>(values: impl Iterator<Item = &'v mut Value>, open: &mut Vec<Value>) {
    open.extend(values.filter(|value| is_sole_owner(value)).map(std::mem::take));
}

fn is_sole_owner(value: &Value) -> bool {
    match value {
        Value::Map(map) => Rc::strong_count(map) == 1 && !map.items.is_empty(),
        Value::Array(array) => Rc::strong_count(array) == 1 && !array.items.is_empty(),
        _ => false,
    }
}

/// Drops collections level by level: programs can nest them deeper than the stack allows to drop them.
fn take_apart(mut open: Vec<Value>) {
    while let Some(mut value) = open.pop() {
        match &mut value {
            Value::Map(map) => {
                let Some(map) = Rc::get_mut(map) else { continue };
                set_aside(map.items.iter_mut().map(|item| &mut item.value), &mut open);
                set_aside(map.items.iter_mut().map(|item| &mut item.key), &mut open);
            }
            Value::Array(array) => {
                let Some(array) = Rc::get_mut(array) else { continue };
                set_aside(array.items.iter_mut().map(|item| &mut item.value), &mut open);
            }
            _ => {}
        }
    }
}
