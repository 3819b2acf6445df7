//! Values as text.

use trueline_gotemplate::{Data, Error, Str, Value};

/// The text of a value as Go's `%v` has it.
pub(crate) fn display(value: &Value) -> Str {
    match &value.data {
        Data::Invalid | Data::Nil => Str::from("<nil>"),
        Data::Bool(value) => Str::from(if *value { "true" } else { "false" }),
        Data::Int(_, value) => Str::from(value.to_string()),
        Data::Uint(_, value) => Str::from(value.to_string()),
        Data::Float(value) => Str::from(trueline_yaml::number::general(*value)),
        Data::String(text) => text.clone(),
        Data::Object(object) => Str::from(object.text()),
        Data::Complex(_) | Data::Bytes(_) | Data::List(_) | Data::Map(_) => Str::from(format!("{value:?}")),
    }
}

/// The text of a value: strings and bytes are themselves, all else is as `%v` has it.
pub(crate) fn string(value: &Value) -> Str {
    match &value.data {
        Data::Bytes(bytes) => Str::from(std::sync::Arc::clone(bytes)),
        _ => display(value),
    }
}

/// The most bytes that one call may make.
const LARGEST_TEXT: u64 = 1 << 30;

/// Refuses a text that would fill the memory.
pub(crate) fn check_size(bytes: u64) -> Result<(), Error> {
    if bytes > LARGEST_TEXT {
        return Err(Error::limit(format!("the text would have {bytes} bytes, more than {LARGEST_TEXT}")));
    }
    Ok(())
}
