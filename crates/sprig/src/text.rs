//! Values as text.

use std::sync::Arc;

use trueline_gotemplate::{Data, Element, Error, MAX_NODES, Str, Value, fmt};

/// The text of a value as Go's `%v` has it. Its own origin is left to whoever keeps the text.
pub(crate) fn display(value: &Value) -> Str {
    match &value.data {
        Data::String(text) => text.clone(),
        data => fmt::text(&Value::new(data.clone())),
    }
}

/// The text of a value: strings and bytes are themselves, all else is as `%v` has it.
pub(crate) fn string(value: &Value) -> Str {
    match &value.data {
        Data::Bytes(bytes) => Str::from(Arc::clone(bytes)),
        Data::List(list) if list.element() == Element::Byte => Str::empty(),
        _ => display(value),
    }
}

/// The most bytes that one call may make.
const LARGEST_TEXT: u64 = 128 << 20;

/// Refuses a value that would fill the memory once it is written out.
pub(crate) fn check_value(value: &Value) -> Result<(), Error> {
    if value.is_larger_than(MAX_NODES) {
        return Err(Error::limit(format!("the value holds more than {MAX_NODES} values")));
    }
    Ok(())
}

/// Refuses a text that would fill the memory.
pub(crate) fn check_size(bytes: u64) -> Result<(), Error> {
    if bytes > LARGEST_TEXT {
        return Err(Error::limit(format!("the text would have {bytes} bytes, more than {LARGEST_TEXT}")));
    }
    Ok(())
}
