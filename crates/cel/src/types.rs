//! The types of CEL.

pub mod shape;

use std::fmt;
use std::sync::Arc;

use self::shape::ObjectShape;
use crate::size::Size;

/// A type, as declared and as worked out by the checker.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Anything; known only when the expression runs.
    Dyn,
    /// A protobuf `Any`, which behaves like [`Type::Dyn`].
    Any,
    /// What an expression with a reported error has.
    Error,
    /// The type of `null`.
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    UInt,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `list(T)`
    List(Arc<Type>),
    /// `map(K, V)`
    Map(Arc<Type>, Arc<Type>),
    /// `optional_type(T)`
    Optional(Arc<Type>),
    /// `wrapper(T)`: a scalar or null.
    Wrapper(Arc<Type>),
    /// `type(T)`: the type of types. Nothing where the type is not known.
    Type(Option<Arc<Type>>),
    /// A type whose inside only its library knows, such as `kubernetes.URL`.
    Opaque(&'static OpaqueType),
    /// An object with named fields.
    Object(Arc<ObjectShape>),
    /// A parameter of a declaration, such as `T` in `list(T)`.
    Param(&'static str),
    /// A parameter that the checker made up for one use of a declaration.
    Variable(u32),
}

/// A type whose inside only its library knows.
#[derive(Debug)]
pub struct OpaqueType {
    /// Its name, such as `kubernetes.URL`.
    pub name: &'static str,
    /// How the checker treats it.
    pub kind: OpaqueKind,
    /// What comparing two values of it with `==` may cost, where that is not worked out as for other values. It is asked
    /// with the size of the right side, if that is known.
    pub equality: Option<fn(Option<Size>) -> Size>,
}

/// Two opaque types are the same if they have the same name.
impl PartialEq for OpaqueType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// How the checker treats a type whose inside it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueKind {
    /// As a message without fields: it may be null, and reading a field is an undefined field.
    Message,
    /// As an abstract type: it has no fields at all.
    Abstract,
}

impl Type {
    /// `list(item)`
    pub fn list(item: Type) -> Type {
        Type::List(Arc::new(item))
    }

    /// `map(key, value)`
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new(key), Arc::new(value))
    }

    /// `optional_type(value)`
    pub fn optional(value: Type) -> Type {
        Type::Optional(Arc::new(value))
    }

    /// `wrapper(value)`
    pub fn wrapper(value: Type) -> Type {
        Type::Wrapper(Arc::new(value))
    }

    /// `type(value)`
    pub fn type_of(value: Type) -> Type {
        Type::Type(Some(Arc::new(value)))
    }

    /// The same type with other objects in it. Those for which `other` has nothing stay as they are.
    #[must_use]
    pub fn map_objects(&self, other: &dyn Fn(&ObjectShape) -> Option<ObjectShape>) -> Type {
        let map = |inner: &Type| Arc::new(inner.map_objects(other));
        match self {
            Type::List(item) => Type::List(map(item)),
            Type::Map(key, value) => Type::Map(map(key), map(value)),
            Type::Optional(value) => Type::Optional(map(value)),
            Type::Wrapper(value) => Type::Wrapper(map(value)),
            Type::Type(Some(inner)) => Type::Type(Some(map(inner))),
            Type::Object(shape) => match other(shape) {
                Some(shape) => Type::Object(Arc::new(shape)),
                None => self.clone(),
            },
            _ => self.clone(),
        }
    }

    /// The types it is made of.
    pub fn params(&self) -> Params<'_> {
        match self {
            Type::List(item) | Type::Optional(item) | Type::Wrapper(item) => Params::One(item),
            Type::Type(Some(inner)) => Params::One(inner),
            Type::Map(key, value) => Params::Two(key, value),
            _ => Params::None,
        }
    }

    /// The name that values of it have when an expression runs, without what it is made of.
    pub fn runtime_name(&self) -> &str {
        match self {
            Type::Dyn => "dyn",
            Type::Any => "google.protobuf.Any",
            Type::Error => "error",
            Type::Null => "null_type",
            Type::Bool => "bool",
            Type::Int => "int",
            Type::UInt => "uint",
            Type::Double => "double",
            Type::String => "string",
            Type::Bytes => "bytes",
            Type::Duration => "google.protobuf.Duration",
            Type::Timestamp => "google.protobuf.Timestamp",
            Type::List(_) => "list",
            Type::Map(..) => "map",
            Type::Optional(_) => "optional_type",
            Type::Wrapper(inner) => inner.runtime_name(),
            Type::Type(_) => "type",
            Type::Opaque(opaque) => opaque.name,
            Type::Object(shape) => &shape.name,
            Type::Param(name) => name,
            Type::Variable(_) => "dyn",
        }
    }
}

/// The types that a type is made of.
#[derive(Debug, Clone, Copy)]
pub enum Params<'a> {
    /// Nothing.
    None,
    /// The item of a list, the value of an optional.
    One(&'a Arc<Type>),
    /// The key and the value of a map.
    Two(&'a Arc<Type>, &'a Arc<Type>),
}

impl<'a> Params<'a> {
    /// The first of them.
    pub fn first(self) -> Option<&'a Type> {
        match self {
            Params::None => None,
            Params::One(first) | Params::Two(first, _) => Some(first),
        }
    }
}

/// As cel-go writes a checked type.
impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => formatter.write_str("any"),
            Type::Duration => formatter.write_str("duration"),
            Type::Timestamp => formatter.write_str("timestamp"),
            Type::Error => formatter.write_str("!error!"),
            Type::Null => formatter.write_str("null"),
            Type::List(item) => write!(formatter, "list({item})"),
            Type::Map(key, value) => write!(formatter, "map({key}, {value})"),
            Type::Optional(value) => write!(formatter, "optional_type({value})"),
            Type::Wrapper(value) => write!(formatter, "wrapper({value})"),
            Type::Type(Some(inner)) => write!(formatter, "type({inner})"),
            Type::Variable(number) => write!(formatter, "_var{number}"),
            other => formatter.write_str(other.runtime_name()),
        }
    }
}
