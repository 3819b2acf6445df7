//! Values as text.

use std::sync::Arc;

use trueline_gotemplate::{Context, Data, Element, Error, Str, Value, fmt};

/// The text of a value as Go's `%v` has it. Its own origin is left to whoever keeps the text.
pub(crate) fn display(context: &mut dyn Context, value: &Value) -> Result<Str, Error> {
    match &value.data {
        Data::String(text) => Ok(text.clone()),
        data => {
            weighed(context, value)?;
            Ok(fmt::text(&Value::new(data.clone())))
        }
    }
}

/// The text of a value: strings and bytes are themselves, all else is as `%v` has it.
pub(crate) fn string(context: &mut dyn Context, value: &Value) -> Result<Str, Error> {
    match &value.data {
        Data::Bytes(bytes) => Ok(Str::from(Arc::clone(bytes))),
        Data::List(list) if list.element() == Element::Byte => Ok(Str::empty()),
        _ => display(context, value),
    }
}

/// The most bytes that one call may make.
const LARGEST_TEXT: u64 = 32 << 20;

/// Counts work on all of a value before it is done, and refuses a value that would fill the memory once it is
/// written out.
pub(crate) fn weighed(context: &mut dyn Context, value: &Value) -> Result<(), Error> {
    let weight = value.weight_up_to(LARGEST_TEXT as usize + 1) as u64;
    check_size(weight)?;
    context.spend(weight / 2)
}

/// Counts what a value takes that was just made.
pub(crate) fn kept(context: &mut dyn Context, value: Value) -> Result<Value, Error> {
    context.spend(value.weight_up_to(usize::MAX).saturating_mul(2) as u64)?;
    Ok(value)
}

/// Refuses a text that would fill the memory.
pub(crate) fn check_size(bytes: u64) -> Result<(), Error> {
    if bytes > LARGEST_TEXT {
        return Err(Error::limit(format!("the text would have {bytes} bytes, more than {LARGEST_TEXT}")));
    }
    Ok(())
}
