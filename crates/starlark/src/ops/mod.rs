//! Operators and related operations on values.

mod access;
mod binary;
mod compare;
mod float;
mod hash;
mod integer;
mod interpolate;
mod slice;

pub(crate) use access::{get_attr, get_index, out_of_range, set_attr, set_index};
pub(crate) use binary::{binary, inplace_add, list_extend, unary};
pub(crate) use compare::{compare, compare_depth, equal, simple_equal};
pub(crate) use float::{float_text, parse_float};
pub(crate) use hash::hash;
pub(crate) use integer::{as_float, as_int32, cost_of_digits, number_to_int};
pub(crate) use slice::{indices, slice};

use crate::error::Error;
use crate::value::{Inner, Value};
use crate::{Thread, Writer};

/// The result of `str()` for a value.
pub(crate) fn to_str(thread: &mut Thread, value: &Value) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new(thread);
    writer.str(value)?;
    Ok(writer.finish())
}

/// The result of `repr()` for a value.
pub(crate) fn to_repr(thread: &mut Thread, value: &Value) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new(thread);
    writer.repr(value)?;
    Ok(writer.finish())
}

/// A value in an error message.
pub(crate) fn shown(thread: &mut Thread, value: &Value) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&to_repr(thread, value)?).into_owned())
}

/// How many elements a value has, or bytes a string.
pub(crate) fn length(value: &Value) -> Option<usize> {
    match &value.0 {
        Inner::Text(_, text) => Some(text.len()),
        Inner::List(_, list) => Some(list.len()),
        Inner::Tuple(_, tuple) => Some(tuple.items().len()),
        Inner::Dict(_, dict) => Some(dict.len()),
        Inner::Set(_, set) => Some(set.len()),
        Inner::Range(_, range) => Some(range.len()),
        Inner::Custom(_, custom) => custom.value().len(),
        _ => None,
    }
}

pub(crate) fn is_iterable(value: &Value) -> bool {
    match &value.0 {
        Inner::List(..) | Inner::Tuple(..) | Inner::Dict(..) | Inner::Set(..) | Inner::Range(..) => true,
        Inner::Custom(_, custom) => custom.value().iterate().is_some(),
        _ => false,
    }
}
