//! Types: what the values of a schema document say about data values.

use std::rc::Rc;

use crate::tree::{Document, KeyIndex, Map, MapItem, Meta, Position, Text, Value};
use crate::validation::Validation;

/// The type of a whole document.
#[derive(Debug)]
pub struct DocumentType {
    /// The type of its value.
    pub value: Type,
    /// Where the schema document is.
    pub position: Position,
    /// What there is if nobody says otherwise.
    pub default: Value,
    /// The rules that its value has to meet.
    pub validation: Option<Rc<Validation>>,
}

/// The type of a value.
#[derive(Debug)]
pub enum Type {
    /// A map with known keys.
    Map(Box<MapType>),
    /// An array with items of one type.
    Array(Box<ArrayType>),
    /// A scalar of one kind.
    Scalar(Box<ScalarType>),
    /// Anything.
    Any(Box<AnyType>),
    /// Null, or something of another type.
    Nullable(Box<NullableType>),
}

/// A map with known keys.
#[derive(Debug)]
pub struct MapType {
    /// What is known of each key.
    pub items: Vec<MapItemType>,
    /// Where it is declared.
    pub position: Position,
    /// What is said about it.
    pub documentation: Documentation,
    /// For each of `items`, the item to add where the key is missing.
    pub(super) defaults: Vec<MapItem>,
    pub(super) index: KeyIndex,
}

/// One key of a map.
#[derive(Debug)]
pub struct MapItemType {
    /// The type of its value.
    pub value: Type,
    /// The rules that its value has to meet.
    pub validation: Option<Rc<Validation>>,
}

/// An array with items of one type.
#[derive(Debug)]
pub struct ArrayType {
    /// What is known of each item.
    pub item: ArrayItemType,
    /// Where it is declared.
    pub position: Position,
    /// What there is if nobody says otherwise.
    pub default: Value,
    /// What is said about it.
    pub documentation: Documentation,
}

/// The items of an array.
#[derive(Debug)]
pub struct ArrayItemType {
    /// The type of its value.
    pub value: Type,
    /// The rules that its value has to meet.
    pub validation: Option<Rc<Validation>>,
}

/// The kinds of scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named like what it is")]
pub enum Scalar {
    String,
    Integer,
    Float,
    Boolean,
}

/// A scalar of one kind.
#[derive(Debug)]
pub struct ScalarType {
    /// Its kind.
    pub scalar: Scalar,
    /// Where it is declared.
    pub position: Position,
    /// What there is if nobody says otherwise.
    pub default: Value,
    /// What is said about it.
    pub documentation: Documentation,
}

/// Anything.
#[derive(Debug)]
pub struct AnyType {
    /// Where it is declared.
    pub position: Position,
    /// What there is if nobody says otherwise.
    pub default: Value,
    /// What is said about it.
    pub documentation: Documentation,
}

/// Null, or something of another type.
#[derive(Debug)]
pub struct NullableType {
    /// The other type.
    pub value: Type,
    /// Where it is declared.
    pub position: Position,
    /// What is said about it.
    pub documentation: Documentation,
}

/// What a schema says about a value for its readers.
#[derive(Debug, Clone, Default)]
pub struct Documentation {
    /// `@schema/title`
    pub title: Option<Text>,
    /// `@schema/desc`
    pub description: Option<Text>,
    /// `@schema/deprecated`, with its notice.
    pub deprecated: Option<Text>,
    /// `@schema/examples`
    pub examples: Vec<Example>,
}

/// An example with its description.
#[derive(Debug, Clone)]
pub struct Example {
    /// What it shows.
    pub description: Text,
    /// The example.
    pub value: Value,
}

impl DocumentType {
    /// The type of documents for which there is no schema.
    pub fn anything() -> DocumentType {
        let any = AnyType {
            position: Position::unknown(),
            default: Value::Null,
            documentation: Documentation::default(),
        };
        DocumentType {
            value: Type::Any(Box::new(any)),
            position: Position::unknown(),
            default: Value::Null,
            validation: None,
        }
    }

    /// The document that there is if nobody says otherwise.
    pub fn default_document(&self) -> Document {
        Document { value: self.default.clone(), meta: Meta::at(self.position.clone()), ..Document::default() }
    }
}

impl MapType {
    /// The keys, in the order in which they were declared.
    pub fn keys(&self) -> impl Iterator<Item = &Value> {
        self.defaults.iter().map(|item| &item.key)
    }

    /// What there is for each key if nobody says otherwise, in the order of the keys.
    pub(super) fn default_items(&self) -> &[MapItem] {
        &self.defaults
    }

    /// What is known of a key.
    pub fn get(&self, key: &Value) -> Option<&MapItemType> {
        self.items.get(self.find(key)?)
    }

    pub(super) fn find(&self, key: &Value) -> Option<usize> {
        self.index.find(&self.defaults, key)
    }
}

impl Scalar {
    /// The kind of a value, if it is a scalar other than null.
    pub fn of(value: &Value) -> Option<Scalar> {
        match value {
            Value::Bool(_) => Some(Scalar::Boolean),
            Value::Int(_) | Value::UInt(_) => Some(Scalar::Integer),
            Value::Float(_) => Some(Scalar::Float),
            Value::String(_) => Some(Scalar::String),
            Value::Null | Value::Map(_) | Value::Array(_) => None,
        }
    }

    /// Whether it takes scalars of another kind: integers are floats too.
    pub fn takes(self, other: Scalar) -> bool {
        self == other || (self, other) == (Scalar::Float, Scalar::Integer)
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::String => "string",
            Scalar::Integer => "integer",
            Scalar::Float => "float",
            Scalar::Boolean => "boolean",
        }
    }
}

impl Type {
    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Type::Map(_) => "map",
            Type::Array(_) => "array",
            Type::Scalar(scalar) => scalar.scalar.name(),
            Type::Any(_) => "any",
            Type::Nullable(_) => "null",
        }
    }

    /// Whether its values are strings, or strings and null.
    pub(super) fn is_string(&self) -> bool {
        match self {
            Type::Scalar(scalar) => scalar.scalar == Scalar::String,
            Type::Nullable(nullable) => nullable.value.is_string(),
            _ => false,
        }
    }

    /// Where it is declared.
    pub fn position(&self) -> &Position {
        match self {
            Type::Map(map) => &map.position,
            Type::Array(array) => &array.position,
            Type::Scalar(scalar) => &scalar.position,
            Type::Any(any) => &any.position,
            Type::Nullable(nullable) => &nullable.position,
        }
    }

    /// What is said about it.
    pub fn documentation(&self) -> &Documentation {
        match self {
            Type::Map(map) => &map.documentation,
            Type::Array(array) => &array.documentation,
            Type::Scalar(scalar) => &scalar.documentation,
            Type::Any(any) => &any.documentation,
            Type::Nullable(nullable) => &nullable.documentation,
        }
    }

    pub(super) fn documentation_mut(&mut self) -> &mut Documentation {
        match self {
            Type::Map(map) => &mut map.documentation,
            Type::Array(array) => &mut array.documentation,
            Type::Scalar(scalar) => &mut scalar.documentation,
            Type::Any(any) => &mut any.documentation,
            Type::Nullable(nullable) => &mut nullable.documentation,
        }
    }

    /// What there is if nobody says otherwise.
    pub fn default(&self) -> Value {
        match self {
            Type::Map(map) => {
                let meta = Meta::at(map.position.clone());
                Map::new(map.defaults.clone(), meta).into()
            }
            Type::Array(array) => array.default.clone(),
            Type::Scalar(scalar) => scalar.default.clone(),
            Type::Any(any) => any.default.clone(),
            Type::Nullable(_) => Value::Null,
        }
    }

    /// Sets what there is if nobody says otherwise. The default of a map is that of its items, and stays so.
    pub(super) fn set_default(&mut self, value: &Value) {
        match self {
            Type::Map(_) => {}
            Type::Array(array) => array.default = value.clone(),
            Type::Scalar(scalar) => scalar.default = value.clone(),
            Type::Any(any) => any.default = value.clone(),
            Type::Nullable(nullable) => nullable.value.set_default(value),
        }
    }
}
