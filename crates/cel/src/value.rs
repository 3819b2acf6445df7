//! The values of CEL. Cloning one never copies what it holds.

mod document;
mod equality;
mod key;
mod lazy;
mod list;
mod map;
mod merge;
mod text;

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::types::{OpaqueType, Type};

pub(crate) use document::parse_timestamp;
pub use document::read;
pub(crate) use key::{Key, lossless_int, lossless_uint};
pub use lazy::Lazy;
pub use list::{Items, List};
pub use map::{ComputedMap, Entries, Map};

/// A value.
#[derive(Debug, Clone)]
pub enum Value {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    UInt(u64),
    /// `double`
    Double(f64),
    /// `string`
    String(Arc<str>),
    /// `bytes`
    Bytes(Arc<[u8]>),
    /// `google.protobuf.Duration`, in nanoseconds.
    Duration(i64),
    /// `google.protobuf.Timestamp`
    Timestamp(Timestamp),
    /// `list(T)`
    List(List),
    /// `map(K, V)` or an object.
    Map(Map),
    /// A type.
    Type(Type),
    /// `optional_type(T)`
    Optional(Option<Arc<Value>>),
    /// A value that only its library looks into.
    Opaque(Arc<dyn Opaque>),
}

/// An instant. Two are equal whatever the zone they are written in.
#[derive(Debug, Clone, Copy)]
pub struct Timestamp {
    /// Since the beginning of 1970.
    pub seconds: i64,
    /// Below a billion.
    pub nanoseconds: u32,
    /// The zone it was written with, in seconds east of UTC. Only its text depends on it.
    pub offset: i32,
}

impl Timestamp {
    /// An instant in UTC.
    pub fn new(seconds: i64, nanoseconds: u32) -> Self {
        Timestamp { seconds, nanoseconds, offset: 0 }
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        (self.seconds, self.nanoseconds) == (other.seconds, other.nanoseconds)
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanoseconds).cmp(&(other.seconds, other.nanoseconds))
    }
}

/// A value of a library, such as a URL.
pub trait Opaque: fmt::Debug + Send + Sync {
    /// Its type.
    fn opaque_type(&self) -> &'static OpaqueType;
    /// Whether it is equal to another value, which is not null; nothing if it cannot be compared with that.
    fn equals(&self, other: &Value) -> Option<bool>;
    /// For its library to look into it.
    fn as_any(&self) -> &dyn Any;
    /// Its size, if it has one. Costs may depend on it.
    fn size(&self) -> Option<u64> {
        None
    }
    /// Whether it is what `optional.ofNonZeroValue` makes nothing of.
    fn is_zero(&self) -> bool {
        false
    }
    /// Whether Go can look it up in a map.
    fn is_hashable(&self) -> bool {
        true
    }
    /// The name of the Go type that Kubernetes has for it, which some texts contain.
    fn go_type(&self) -> &'static str {
        self.opaque_type().name
    }
    /// How Go prints it with `%v`, as part of error texts.
    fn text(&self) -> String {
        format!("{{{}}}", self.opaque_type().name)
    }
}

impl Value {
    /// A string.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Value::String(text.into())
    }

    /// Bytes.
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Value::Bytes(bytes.into())
    }

    /// A list of values.
    pub fn list(items: Vec<Value>) -> Self {
        Value::List(List::from(items))
    }

    /// A value of a library.
    pub fn opaque(value: impl Opaque + 'static) -> Self {
        Value::Opaque(Arc::new(value))
    }

    /// An optional with a value.
    pub fn some(value: Value) -> Self {
        Value::Optional(Some(Arc::new(value)))
    }

    /// An optional without one.
    pub fn none() -> Self {
        Value::Optional(None)
    }

    /// The name of its type, as `type(value)` prints it and as error texts have it.
    pub fn type_name(&self) -> &str {
        match self {
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::UInt(_) => "uint",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::Bytes(_) => "bytes",
            Value::Duration(_) => "google.protobuf.Duration",
            Value::Timestamp(_) => "google.protobuf.Timestamp",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Type(_) => "type",
            Value::Optional(_) => "optional_type",
            Value::Opaque(opaque) => opaque.opaque_type().name,
        }
    }

    /// Its type, as `type(value)` gives it: nothing is said of what lists, maps and optionals hold.
    pub fn type_of(&self) -> Type {
        match self {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::UInt(_) => Type::UInt,
            Value::Double(_) => Type::Double,
            Value::String(_) => Type::String,
            Value::Bytes(_) => Type::Bytes,
            Value::Duration(_) => Type::Duration,
            Value::Timestamp(_) => Type::Timestamp,
            Value::List(_) => Type::list(Type::Dyn),
            Value::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Value::Type(_) => Type::Type(None),
            Value::Optional(_) => Type::optional(Type::Dyn),
            Value::Opaque(opaque) => Type::Opaque(opaque.opaque_type()),
        }
    }

    /// Whether a declared parameter takes it. Of what lists and maps hold, the first is looked at.
    pub fn fits(&self, declared: &Type) -> bool {
        match declared {
            Type::Dyn | Type::Any | Type::Param(_) | Type::Variable(_) | Type::Error => true,
            Type::Null => matches!(self, Value::Null),
            Type::Bool => matches!(self, Value::Bool(_)),
            Type::Int => matches!(self, Value::Int(_)),
            Type::UInt => matches!(self, Value::UInt(_)),
            Type::Double => matches!(self, Value::Double(_)),
            Type::String => matches!(self, Value::String(_)),
            Type::Bytes => matches!(self, Value::Bytes(_)),
            Type::Duration => matches!(self, Value::Duration(_)),
            Type::Timestamp => matches!(self, Value::Timestamp(_)),
            Type::List(item) => match self {
                Value::List(list) => list.get(0).is_none_or(|first| first.fits(item)),
                _ => false,
            },
            Type::Map(key, value) => match self {
                Value::Map(map) => {
                    map.iter().next().is_none_or(|first| first.0.fits(key) && first.1.fits(value))
                }
                _ => false,
            },
            Type::Optional(_) => matches!(self, Value::Optional(_)),
            Type::Wrapper(inner) => matches!(self, Value::Null) || self.fits(inner),
            Type::Type(_) => matches!(self, Value::Type(_)),
            Type::Opaque(opaque) => matches!(self, Value::Opaque(value) if value.opaque_type() == *opaque),
            Type::Object(shape) => matches!(self, Value::Map(Map::Object(_, own)) if own == shape),
        }
    }

    /// What `size` gives, and what costs are counted by: characters, bytes, items, entries.
    pub fn size(&self) -> Option<u64> {
        match self {
            Value::String(text) => Some(characters(text)),
            Value::Bytes(bytes) => Some(bytes.len() as u64),
            Value::List(list) => Some(list.len() as u64),
            Value::Map(map) => Some(map.len() as u64),
            Value::Opaque(opaque) => opaque.size(),
            _ => None,
        }
    }

    /// The size that a cost is counted by: one for everything that has no size of its own.
    pub fn cost_size(&self) -> u64 {
        match self {
            Value::Optional(Some(value)) => value.cost_size(),
            other => other.size().unwrap_or(1),
        }
    }

    /// The size that Kubernetes' functions count by, which do not look into optionals.
    pub fn outer_size(&self) -> u64 {
        self.size().unwrap_or(1)
    }

    /// Whether it is what `optional.ofNonZeroValue` makes nothing of.
    pub fn is_zero(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Int(value) => *value == 0,
            Value::UInt(value) => *value == 0,
            Value::Double(value) => *value == 0.0,
            Value::String(text) => text.is_empty(),
            Value::Bytes(bytes) => bytes.is_empty(),
            Value::Duration(value) => *value == 0,
            Value::Timestamp(value) => *value == Timestamp::new(-62_135_596_800, 0),
            Value::List(list) => list.is_empty(),
            Value::Map(map) => map.is_empty(),
            Value::Type(_) | Value::Optional(_) => false,
            Value::Opaque(opaque) => opaque.is_zero(),
        }
    }
}

/// How many characters a string has, quickly where all are ASCII.
pub fn characters(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::UInt(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Double(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::String(value.into())
    }
}
