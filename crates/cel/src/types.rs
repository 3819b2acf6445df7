//! The types of CEL.

use std::sync::Arc;

use crate::shape::ObjectShape;

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
    Opaque(&'static str),
    /// An object with named fields.
    Object(Arc<ObjectShape>),
    /// A parameter of a declaration, such as `T` in `list(T)`.
    Param(&'static str),
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
}
