//! The values of CEL. Cloning one never copies what it holds.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::shape::{ListShape, ObjectShape, Shape};
use crate::types::Type;

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

/// An instant in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Since the beginning of 1970.
    pub seconds: i64,
    /// Below a billion.
    pub nanoseconds: u32,
}

/// A list.
#[derive(Debug, Clone)]
pub enum List {
    /// One that was computed.
    Computed(Arc<Vec<Value>>),
    /// One of a document.
    Document(Arc<Vec<trueline_yaml::Value>>, Arc<ListShape>),
}

/// A map.
#[derive(Debug, Clone)]
pub enum Map {
    /// One that was computed.
    Computed(Arc<ComputedMap>),
    /// A map of a document, whose values have one shape.
    Document(Arc<trueline_yaml::Map>, Shape),
    /// An object of a document.
    Object(Arc<trueline_yaml::Map>, Arc<ObjectShape>),
}

/// The entries of a computed map, in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct ComputedMap {
    // Lookup by key across numeric types is the business of this type alone.
    pub(crate) entries: Vec<(Value, Value)>,
}

/// A value of a library, such as a URL.
pub trait Opaque: fmt::Debug + Send + Sync {
    /// The name of its type.
    fn type_name(&self) -> &'static str;
    /// Whether it is equal to another value of any type of the library.
    fn equals(&self, other: &dyn Opaque) -> bool;
    /// For its library to look into it.
    fn as_any(&self) -> &dyn Any;
}
