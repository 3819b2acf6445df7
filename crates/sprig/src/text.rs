//! Values as strings.

use std::sync::Arc;

use trueline_gotemplate::{Context, Data, Element, Error, Str, Value, fmt};

/// The string of a value as with Go's `%v`. The caller sets its origin.
pub(crate) fn display(context: &mut dyn Context, value: &Value) -> Result<Str, Error> {
    match &value.data {
        Data::String(text) => Ok(text.clone()),
        data => {
            weighed(context, value)?;
            Ok(fmt::text(&Value::new(data.clone())))
        }
    }
}

/// The string of a value: strings and bytes are used directly, everything else as with `%v`.
pub(crate) fn string(context: &mut dyn Context, value: &Value) -> Result<Str, Error> {
    match &value.data {
        Data::Bytes(bytes) => Ok(Str::from(Arc::clone(bytes))),
        Data::List(list) if list.element() == Element::Byte => Ok(Str::empty()),
        _ => display(context, value),
    }
}

/// The maximum size of the result of one call, in bytes.
const LARGEST_TEXT: u64 = 32 << 20;

/// Charges in advance for work on a whole value, and refuses a value that would fill the memory once it is
/// written out.
pub(crate) fn weighed(context: &mut dyn Context, value: &Value) -> Result<(), Error> {
    let weight = value.weight_up_to(LARGEST_TEXT as usize + 1) as u64;
    check_size(weight)?;
    context.spend(weight / 2)
}

/// Charges for the memory of a new value.
pub(crate) fn kept(context: &mut dyn Context, value: Value) -> Result<Value, Error> {
    context.spend(value.weight_up_to(usize::MAX).saturating_mul(2) as u64)?;
    Ok(value)
}

/// Refuses a string that would fill the memory.
pub(crate) fn check_size(bytes: u64) -> Result<(), Error> {
    if bytes > LARGEST_TEXT {
        return Err(Error::limit(format!("the text would have {bytes} bytes, more than {LARGEST_TEXT}")));
    }
    Ok(())
}
