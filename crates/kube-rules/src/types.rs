//! The types that fields have and values are typed as.

use trueline_yaml::{NodeKind, NodeRef, ScalarValue};

/// What a field wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedType {
    /// Text.
    String,
    /// `true` or `false`.
    Bool,
    /// Any number.
    Number,
    /// An integer.
    Integer,
    /// An integer or text.
    IntegerOrString,
    /// A list.
    List,
    /// A map, or an object.
    Map,
    /// A quantity, such as `500m`.
    Amount,
    /// Bytes, written in base64.
    Base64,
    /// A time, to the second.
    Time,
    /// A time with six decimals of a second.
    MicroTime,
}

/// What was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypedAs {
    /// Null, or nothing at all.
    Nothing,
    /// Text.
    String,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A number, but not an integer where one is wanted.
    OtherNumber,
    /// A list.
    List,
    /// A map.
    Map,
    /// An alias of YAML that is not resolved.
    Alias,
}

/// What a node was typed as.
pub(crate) fn typed_as(node: NodeRef<'_>) -> TypedAs {
    match node.kind() {
        NodeKind::Sequence { .. } => TypedAs::List,
        NodeKind::Mapping { .. } => TypedAs::Map,
        NodeKind::Scalar { value, .. } => match value {
            ScalarValue::Null => TypedAs::Nothing,
            ScalarValue::Bool(_) => TypedAs::Bool,
            ScalarValue::Int(_) | ScalarValue::UInt(_) | ScalarValue::Float(_) => TypedAs::Number,
            ScalarValue::String => TypedAs::String,
        },
        NodeKind::Alias(_) => TypedAs::Alias,
    }
}
