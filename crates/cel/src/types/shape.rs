//! How values that come from documents look to an expression: what a string is read as, which names fields have, and how
//! lists compare. A value of a document and its shape together are a value of CEL; nothing is converted before it is used.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Type;

/// How a value is seen.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// As it is: integers are `int`, other numbers `double`, maps have string keys.
    Dyn,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `double`, also where an integer was written.
    Double,
    /// `string`
    String,
    /// `bytes`, written as base64.
    Bytes,
    /// `duration`, written as Go writes it.
    Duration,
    /// `timestamp`, written as a date.
    Date,
    /// `timestamp`, written as RFC 3339.
    DateTime,
    /// `list(T)`
    List(Arc<ListShape>),
    /// `map(string, T)`
    Map(Arc<Shape>),
    /// An object with named fields.
    Object(Arc<ObjectShape>),
    /// A type that documents have no values of.
    Other(Type),
}

impl Shape {
    /// The type of values that are seen so.
    pub fn declared(&self) -> Type {
        match self {
            Shape::Dyn => Type::Dyn,
            Shape::Bool => Type::Bool,
            Shape::Int => Type::Int,
            Shape::Double => Type::Double,
            Shape::String => Type::String,
            Shape::Bytes => Type::Bytes,
            Shape::Duration => Type::Duration,
            Shape::Date | Shape::DateTime => Type::Timestamp,
            Shape::List(list) => Type::list(list.item.declared()),
            Shape::Map(value) => Type::map(Type::String, value.declared()),
            Shape::Object(shape) => Type::Object(shape.clone()),
            Shape::Other(declared) => declared.clone(),
        }
    }
}

/// A list of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ListShape {
    /// How items are seen.
    pub item: Shape,
    /// How lists compare and add.
    pub kind: ListKind,
}

/// How two lists compare and add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListKind {
    /// Item by item, in order.
    Ordered,
    /// As sets: the order does not count, and adding makes the union.
    Set,
    /// By the values of these fields: the order does not count, and the right side wins where keys are equal.
    Keyed(Vec<Arc<str>>),
}

/// An object with named fields.
#[derive(Debug, Clone)]
pub struct ObjectShape {
    /// The name of the type, which is part of error texts.
    pub name: Arc<str>,
    /// Fields by the name they have in expressions.
    pub fields: FxHashMap<Arc<str>, FieldShape>,
    /// What other fields there are.
    pub others: OtherFields,
}

/// What fields an object has beside those that are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherFields {
    /// None.
    #[default]
    None,
    /// Any, of which nothing is known.
    Any,
    /// Any can be read, but none can be written.
    Readable,
}

/// Two object types are the same if they have the same name.
impl PartialEq for ObjectShape {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A field of an object.
#[derive(Debug, Clone)]
pub struct FieldShape {
    /// The key in the document; expressions may have to escape it.
    pub key: Arc<str>,
    /// How its value is seen.
    pub shape: Shape,
}

impl ObjectShape {
    /// The names of the fields that an object has, as expressions write them.
    pub(crate) fn present<'a>(&'a self, map: &'a trueline_yaml::Map) -> impl Iterator<Item = &'a Arc<str>> {
        let is_present = |field: &FieldShape| {
            map.get(&field.key).is_some_and(|entry| !matches!(entry.value.data, trueline_yaml::Data::Null))
        };
        self.fields.iter().filter(move |(_, field)| is_present(field)).map(|(name, _)| name)
    }
}
