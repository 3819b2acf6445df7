//! Go's types, as far as templates can see them.

use std::borrow::Cow;

/// The width of a number with a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are Go's")]
pub enum IntKind {
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
}

/// The width of a number without a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are Go's")]
pub enum UintKind {
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
}

/// The element type of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// `interface {}`.
    Any,
    /// `string`.
    String,
    /// `int`.
    Int,
    /// `[]interface {}`.
    AnyList,
    /// `uint8`; only the nil slice is kept as a list, all others are [`super::Data::Bytes`].
    Byte,
    /// A type of the host, such as `*chart.Dependency`.
    Named(&'static str),
}

/// The value type of a map, or its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapKind {
    /// `map[string]interface {}`.
    Any,
    /// `map[string]string`.
    String,
    /// A named type whose underlying type is `map[string]interface {}`.
    Named(&'static str),
}

/// The type of a value, of a parameter or of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are Go's")]
pub enum Type {
    /// `interface {}`.
    Any,
    /// `reflect.Value`: some of Go's own functions take it. They see the difference between an empty interface
    /// and no value at all.
    Reflect,
    Bool,
    Int(IntKind),
    Uint(UintKind),
    Float64,
    Complex128,
    String,
    /// `[]uint8`.
    Bytes,
    List(Element),
    Map(MapKind),
    /// A type of the host: a struct, a pointer, a named type.
    Named(&'static str),
    /// A type of the host that is an integer, such as `time.Duration`. A function that takes one can also be
    /// called with integer constants, which are passed unchanged.
    NamedInt(&'static str),
}

/// `int`, the type of counts.
pub(crate) const INT: Type = Type::Int(IntKind::Int);

impl Type {
    /// `int`.
    pub const INT: Type = INT;
    /// `int64`.
    pub const INT64: Type = Type::Int(IntKind::Int64);
    /// `[]interface {}`.
    pub const LIST: Type = Type::List(Element::Any);
    /// `[]string`.
    pub const STRINGS: Type = Type::List(Element::String);
    /// `map[string]interface {}`.
    pub const MAP: Type = Type::Map(MapKind::Any);

    /// Go's name of it.
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Type::Any => "interface {}",
            Type::Reflect => "reflect.Value",
            Type::Bool => "bool",
            Type::Int(kind) => kind.name(),
            Type::Uint(kind) => kind.name(),
            Type::Float64 => "float64",
            Type::Complex128 => "complex128",
            Type::String => "string",
            Type::Bytes | Type::List(Element::Byte) => "[]uint8",
            Type::List(Element::Any) => "[]interface {}",
            Type::List(Element::String) => "[]string",
            Type::List(Element::Int) => "[]int",
            Type::List(Element::AnyList) => "[][]interface {}",
            Type::List(Element::Named(name)) => return Cow::Owned(format!("[]{name}")),
            Type::Map(MapKind::Any) => "map[string]interface {}",
            Type::Map(MapKind::String) => "map[string]string",
            Type::Map(MapKind::Named(name)) | Type::Named(name) | Type::NamedInt(name) => name,
        })
    }
}

impl IntKind {
    /// The number truncated to this width, as in Go.
    pub(crate) fn wrap(self, value: i64) -> i64 {
        match self {
            IntKind::Int | IntKind::Int64 => value,
            IntKind::Int8 => i64::from(value as i8),
            IntKind::Int16 => i64::from(value as i16),
            IntKind::Int32 => i64::from(value as i32),
        }
    }

    /// Go's name of it.
    pub fn name(self) -> &'static str {
        match self {
            IntKind::Int => "int",
            IntKind::Int8 => "int8",
            IntKind::Int16 => "int16",
            IntKind::Int32 => "int32",
            IntKind::Int64 => "int64",
        }
    }
}

impl UintKind {
    /// The number truncated to this width, as in Go.
    pub(crate) fn wrap(self, value: u64) -> u64 {
        match self {
            UintKind::Uint | UintKind::Uint64 => value,
            UintKind::Uint8 => u64::from(value as u8),
            UintKind::Uint16 => u64::from(value as u16),
            UintKind::Uint32 => u64::from(value as u32),
        }
    }

    /// Go's name of it.
    pub fn name(self) -> &'static str {
        match self {
            UintKind::Uint => "uint",
            UintKind::Uint8 => "uint8",
            UintKind::Uint16 => "uint16",
            UintKind::Uint32 => "uint32",
            UintKind::Uint64 => "uint64",
        }
    }
}

/// Go's `reflect` name of the kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are Go's")]
pub enum Kind {
    Invalid,
    Bool,
    Int(IntKind),
    Uint(UintKind),
    Float64,
    Complex128,
    String,
    Slice,
    Map,
    Struct,
    Pointer,
    Func,
}

impl Kind {
    /// Go's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Invalid => "invalid",
            Kind::Bool => "bool",
            Kind::Int(kind) => kind.name(),
            Kind::Uint(kind) => kind.name(),
            Kind::Float64 => "float64",
            Kind::Complex128 => "complex128",
            Kind::String => "string",
            Kind::Slice => "slice",
            Kind::Map => "map",
            Kind::Struct => "struct",
            Kind::Pointer => "ptr",
            Kind::Func => "func",
        }
    }
}
