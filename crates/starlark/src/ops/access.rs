//! Attributes and elements.

use super::integer::as_int32;
use super::shown;
use crate::Thread;
use crate::builtin::Builtin;
use crate::code::nearest;
use crate::error::{Error, ErrorKind};
use crate::fault::Fault;
use crate::library;
use crate::value::{Inner, Value};

/// `value.name`.
pub(crate) fn get_attr(thread: &mut Thread, value: &Value, name: &str) -> Result<Value, Error> {
    if let Some(method) = library::method(value, name) {
        return Ok(Value::builtin(Builtin::method(method, value.clone())));
    }
    if let Inner::Custom(_, custom) = &value.0 {
        match custom.value().attr(thread, name) {
            Ok(Some(attribute)) => return Ok(attribute),
            Ok(None) => {}
            Err(error) if error.kind() == ErrorKind::NoAttribute => {
                return Err(Error::new(error.message().to_owned() + &suggestion(value, name)));
            }
            Err(error) => return Err(error),
        }
    }
    let (found, nearest) = (value.type_name().to_owned(), nearest_attribute(value, name));
    Err(Fault::MissingAttribute { found, name: name.to_owned(), nearest }.into())
}

/// ` (did you mean .x?)`, if another attribute was probably meant.
fn suggestion(value: &Value, name: &str) -> String {
    nearest_attribute(value, name).map(|nearest| format!(" (did you mean .{nearest}?)")).unwrap_or_default()
}

/// The attribute that was probably meant.
fn nearest_attribute(value: &Value, name: &str) -> Option<String> {
    let names = library::attr_names(value);
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// `target.name = value`.
pub(crate) fn set_attr(thread: &mut Thread, target: &Value, name: &str, value: &Value) -> Result<(), Error> {
    if let Inner::Custom(_, custom) = &target.0
        && let Some(result) = custom.value().set_attr(thread, name, value)
    {
        return result.map_err(|error| match error.kind() {
            ErrorKind::NoAttribute => Error::new(error.message().to_owned() + &suggestion(target, name)),
            _ => error,
        });
    }
    Err(Error::new(format!("can't assign to .{name} field of {}", target.type_name())))
}

/// `value[key]`.
pub(crate) fn get_index(thread: &mut Thread, value: &Value, key: &Value) -> Result<Value, Error> {
    let found = match &value.0 {
        Inner::Dict(_, dict) => Some(dict.get(thread, key)?),
        Inner::Custom(_, custom) => custom.value().get_key(thread, key).transpose()?,
        _ => None,
    };
    if let Some(found) = found {
        return match found {
            Some(element) => Ok(element),
            None => {
                let (key, container) = (shown(thread, key)?.to_string(), value.type_name().to_owned());
                Err(Fault::MissingKey { key, container }.into())
            }
        };
    }
    let indexable = match &value.0 {
        Inner::Text(..) | Inner::List(..) | Inner::Tuple(..) | Inner::Range(..) => super::length(value),
        // Whether it can be indexed is only known when it is tried.
        Inner::Custom(_, custom) => custom.value().len(),
        _ => None,
    };
    let unhandled = || {
        let (found, index) = (value.type_name().to_owned(), key.type_name().to_owned());
        Error::from(Fault::Index { found, index })
    };
    let Some(length) = indexable else { return Err(unhandled()) };
    if let Inner::Custom(_, custom) = &value.0 {
        let index = match checked_index(value, key, length) {
            Ok(index) => index,
            Err(error) if length == 0 || custom.value().get_index(thread, 0).is_some() => return Err(error),
            Err(_) => return Err(unhandled()),
        };
        return custom.value().get_index(thread, index).unwrap_or_else(|| Err(unhandled()));
    }
    let index = checked_index(value, key, length)?;
    let element = match &value.0 {
        Inner::Text(mark, text) => text.get(index..=index).map(|byte| Value::string(byte).with_mark(*mark)),
        Inner::List(_, list) => list.get(index),
        Inner::Tuple(_, tuple) => tuple.items().get(index).cloned(),
        Inner::Range(_, range) => range.get(index).map(Value::int),
        _ => None,
    };
    element.ok_or_else(unhandled)
}

fn checked_index(value: &Value, key: &Value, length: usize) -> Result<usize, Error> {
    let index =
        as_int32(key).map_err(|message| Error::new(format!("{} index: {message}", value.type_name())))?;
    within(index, length).ok_or_else(|| out_of_range(index, length, value.type_name()))
}

/// An index that may count from the end.
fn within(index: i32, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let index = if index < 0 { i64::from(index) + length } else { i64::from(index) };
    usize::try_from(index).ok().filter(|_| index < length)
}

pub(crate) fn out_of_range(index: i32, length: usize, type_name: &str) -> Error {
    Error::new(if length == 0 {
        format!("index {index} out of range: empty {type_name}")
    } else {
        format!("{type_name} index {index} out of range [-{length}:{}]", length - 1)
    })
}

/// `value[key] = element`.
pub(crate) fn set_index(
    thread: &mut Thread,
    value: &Value,
    key: &Value,
    element: &Value,
) -> Result<(), Error> {
    match &value.0 {
        Inner::Dict(_, dict) => {
            thread.note_dict(dict, element);
            thread.note_dict(dict, key);
            dict.insert(thread, key.clone(), element.clone())?;
            return Ok(());
        }
        Inner::List(_, list) => {
            let index = as_int32(key).map_err(Error::new)?;
            let length = list.len();
            let place = within(index, length).ok_or_else(|| out_of_range(index, length, "list"))?;
            list.check_mutable("assign to element of")?;
            thread.note_list(list, element);
            let old = list
                .change(|items| items.get_mut(place).map(|item| std::mem::replace(item, element.clone())));
            drop(old);
            return Ok(());
        }
        Inner::Custom(_, custom) => {
            if let Some(result) = custom.value().set_key(thread, key, element) {
                return result;
            }
            let place = custom.value().len().zip(as_int32(key).ok());
            if let Some(place) = place.and_then(|(length, index)| within(index, length))
                && let Some(result) = custom.value().set_index(thread, place, element)
            {
                return result;
            }
        }
        _ => {}
    }
    Err(Error::new(format!("{} value does not support item assignment", value.type_name())))
}
