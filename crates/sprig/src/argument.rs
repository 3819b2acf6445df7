//! Access to the arguments of functions. The evaluator has already checked them against the parameters, so they
//! only have to be extracted.

use std::borrow::Cow;

use trueline_gotemplate::{Data, Error, Kind, Map, MapKind, Str, Trace, UintKind, Value};

/// The argument at this position; nil if there is none.
pub(crate) fn any(arguments: &[Value], index: usize) -> Value {
    arguments.get(index).cloned().unwrap_or_default()
}

/// The arguments from this position on.
pub(crate) fn rest(arguments: &[Value], index: usize) -> &[Value] {
    arguments.get(index..).unwrap_or_default()
}

/// The string at this position.
pub(crate) fn text(arguments: &[Value], index: usize) -> Str {
    match arguments.get(index).map(|value| &value.data) {
        Some(Data::String(text)) => text.clone(),
        _ => Str::empty(),
    }
}

/// The integer at this position.
pub(crate) fn integer(arguments: &[Value], index: usize) -> i64 {
    match arguments.get(index).map(|value| &value.data) {
        Some(Data::Int(_, value)) => *value,
        Some(Data::Uint(_, value)) => *value as i64,
        _ => 0,
    }
}

/// The number at this position.
pub(crate) fn float(arguments: &[Value], index: usize) -> f64 {
    match arguments.get(index).map(|value| &value.data) {
        Some(Data::Float(value)) => *value,
        _ => 0.0,
    }
}

/// The map at this position, with the parameter's type instead of a named one.
pub(crate) fn map(arguments: &[Value], index: usize) -> Map {
    match arguments.get(index).map(|value| &value.data) {
        Some(Data::Map(map)) => map.with_kind(MapKind::Any),
        _ => Map::nil(MapKind::Any),
    }
}

/// The origin of a value, for strings that are built from several.
pub(crate) fn trace(value: &Value) -> Trace {
    value.origin.map_or(Trace::Unknown, Trace::Value)
}

/// The items of anything that is a slice to Go.
pub(crate) fn items(value: &Value) -> Option<Cow<'_, [Value]>> {
    match &value.data {
        Data::List(list) => Some(Cow::Borrowed(list)),
        Data::Bytes(bytes) => {
            let items = bytes.iter().map(|byte| Value::new(Data::Uint(UintKind::Uint8, u64::from(*byte))));
            Some(Cow::Owned(items.collect()))
        }
        Data::Object(object) if object.kind() == Kind::Slice => object.items().map(Cow::Owned),
        _ => None,
    }
}

/// The items of a slice; for anything else Go's error about its kind, after `words`.
pub(crate) fn items_or<'v>(value: &'v Value, words: &str) -> Result<Cow<'v, [Value]>, Error> {
    if value.is_nil() {
        return Err(nil_dereference());
    }
    items(value).ok_or_else(|| Error::new(format!("{words} {}", value.kind().name())))
}

/// Go's error when it dereferences nil.
pub(crate) fn nil_dereference() -> Error {
    Error::new("runtime error: invalid memory address or nil pointer dereference")
}
