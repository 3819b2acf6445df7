//! Values while a template runs, like Go's: typed, shared, and mutable where Go's are.

mod drop;
mod list;
mod map;
mod object;
mod plain;
mod reads;
mod string;
mod types;

use std::rc::Rc;
use std::sync::Arc;

use trueline_source::Span;

pub use list::List;
pub use map::{Entry, Map, Watch};
pub use object::{Method, MethodCall, Object};
pub use plain::{MAX_DEPTH, MAX_NODES, NotPlain, Origins};
use reads::MapPlace;
pub use reads::{Changes, Reads};
pub use string::{Run, Str, StrBuilder, Trace};
pub use types::{Element, IntKind, Kind, MapKind, Type, UintKind};

/// A value and where it was typed.
#[derive(Debug, Clone, Default)]
pub struct Value {
    /// The content.
    pub data: Data,
    /// Where it was typed, if a user typed it. Text made of several parts has its runs in [`Str`].
    pub origin: Option<Span>,
}

/// The content of a value.
#[derive(Debug, Clone, Default)]
pub enum Data {
    /// No value at all (Go's zero `reflect.Value`). Only the evaluator creates and sees it; functions get
    /// [`Data::Nil`] instead.
    Invalid,
    /// An empty interface.
    #[default]
    Nil,
    /// True or false.
    Bool(bool),
    /// An integer with a sign.
    Int(IntKind, i64),
    /// An integer without a sign.
    Uint(UintKind, u64),
    /// A `float64`.
    Float(f64),
    /// A `complex128`: real and imaginary part.
    Complex(Rc<(f64, f64)>),
    /// A string of any bytes.
    String(Str),
    /// A `[]byte`.
    Bytes(Arc<[u8]>),
    /// A slice; it cannot be changed.
    List(List),
    /// A map with string keys, shared by everything that refers to it.
    Map(Map),
    /// A struct, a pointer or a named type of the host.
    Object(Rc<dyn Object>),
}

impl Value {
    /// A value that nobody typed.
    pub const fn new(data: Data) -> Self {
        Value { data, origin: None }
    }

    /// Nil.
    pub const fn nil() -> Self {
        Value::new(Data::Nil)
    }

    /// An `int`.
    pub const fn int(value: i64) -> Self {
        Value::new(Data::Int(IntKind::Int, value))
    }

    /// An `int64`.
    pub const fn int64(value: i64) -> Self {
        Value::new(Data::Int(IntKind::Int64, value))
    }

    /// A `[]interface {}`.
    pub fn list(items: Vec<Value>) -> Self {
        Value::new(Data::List(List::new(Element::Any, items)))
    }

    /// A `[]string`.
    pub fn strings<S: Into<Str>>(items: impl IntoIterator<Item = S>) -> Self {
        let items = items.into_iter().map(|item| Value::new(Data::String(item.into()))).collect();
        Value::new(Data::List(List::new(Element::String, items)))
    }

    /// A host object.
    pub fn object(object: impl Object + 'static) -> Self {
        Value::new(Data::Object(Rc::new(object)))
    }

    /// The same value, typed at `origin`.
    pub fn at(mut self, origin: Option<Span>) -> Self {
        self.origin = origin;
        self
    }

    /// Watches all maps in it. It must not contain itself.
    pub fn watch(&self, watch: &Watch) {
        match &self.data {
            Data::Map(map) => {
                map.watch(watch);
                map.read(|entries| entries.values().for_each(|entry| entry.value.watch(watch)));
            }
            Data::List(list) => list.iter().for_each(|item| item.watch(watch)),
            _ => {}
        }
    }

    /// The same for reads of them as well. What is in lists is read with the list.
    pub fn watch_reads(&self, watch: &Watch) {
        self.watch_reads_at(watch, MapPlace::ROOT);
    }

    fn watch_reads_at(&self, watch: &Watch, place: MapPlace) {
        match &self.data {
            Data::Map(map) => {
                map.watch_reads(watch, place);
                map.read(|entries| {
                    for (key, entry) in entries {
                        entry.value.watch_reads_at(watch, place.below(key));
                    }
                });
            }
            Data::List(_) => self.watch(watch),
            _ => {}
        }
    }

    /// Its type at run time.
    pub fn type_of(&self) -> Type {
        match &self.data {
            Data::Invalid | Data::Nil => Type::Any,
            Data::Bool(_) => Type::Bool,
            Data::Int(kind, _) => Type::Int(*kind),
            Data::Uint(kind, _) => Type::Uint(*kind),
            Data::Float(_) => Type::Float64,
            Data::Complex(_) => Type::Complex128,
            Data::String(_) => Type::String,
            Data::Bytes(_) => Type::Bytes,
            Data::List(list) if list.element() == Element::Byte => Type::Bytes,
            Data::List(list) => Type::List(list.element()),
            Data::Map(map) => Type::Map(map.kind()),
            Data::Object(object) => Type::Named(object.type_name()),
        }
    }

    /// The name of its type as Go's `%T` prints it: `float64`, `[]interface {}`, `<nil>`.
    pub fn type_name(&self) -> String {
        match &self.data {
            Data::Invalid | Data::Nil => "<nil>".into(),
            _ => self.type_of().name().into_owned(),
        }
    }

    /// Go's `reflect` name of its kind.
    pub fn kind(&self) -> Kind {
        match &self.data {
            Data::Invalid | Data::Nil => Kind::Invalid,
            Data::Bool(_) => Kind::Bool,
            Data::Int(kind, _) => Kind::Int(*kind),
            Data::Uint(kind, _) => Kind::Uint(*kind),
            Data::Float(_) => Kind::Float64,
            Data::Complex(_) => Kind::Complex128,
            Data::String(_) => Kind::String,
            Data::Bytes(_) | Data::List(_) => Kind::Slice,
            Data::Map(_) => Kind::Map,
            Data::Object(object) => object.kind(),
        }
    }

    /// Whether it is nil.
    pub fn is_nil(&self) -> bool {
        matches!(self.data, Data::Invalid | Data::Nil)
    }

    /// Whether it is true for a template: not nil, not zero, not empty.
    pub fn is_true(&self) -> bool {
        match &self.data {
            Data::Invalid | Data::Nil => false,
            Data::Bool(value) => *value,
            Data::Int(_, value) => *value != 0,
            Data::Uint(_, value) => *value != 0,
            Data::Float(value) => *value != 0.0,
            Data::Complex(parts) => parts.0 != 0.0 || parts.1 != 0.0,
            Data::String(text) => !text.is_empty(),
            Data::Bytes(bytes) => !bytes.is_empty(),
            Data::List(list) => !list.is_empty(),
            Data::Map(map) => !map.is_empty(),
            Data::Object(object) => object.is_true(),
        }
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&Str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&List> {
        match &self.data {
            Data::List(list) => Some(list),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::new(Data::Bool(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::new(Data::Float(value))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::new(Data::String(text.into()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::new(Data::String(text.into()))
    }
}

impl From<Str> for Value {
    fn from(text: Str) -> Self {
        Value::new(Data::String(text))
    }
}

impl From<List> for Value {
    fn from(list: List) -> Self {
        Value::new(Data::List(list))
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Value::new(Data::Map(map))
    }
}
