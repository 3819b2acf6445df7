//! Arguments as functions read them. A function is only called with arguments of the declared types, so what these say of
//! others is a safety net.

use std::sync::Arc;

use crate::function::Fault;
use crate::value::{List, Value};

/// The string at this position.
pub fn string(args: &[Value], index: usize) -> Result<&Arc<str>, Fault> {
    match args.get(index) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(Fault::no_such_overload()),
    }
}

/// The integer at this position.
pub fn int(args: &[Value], index: usize) -> Result<i64, Fault> {
    match args.get(index) {
        Some(Value::Int(number)) => Ok(*number),
        _ => Err(Fault::no_such_overload()),
    }
}

/// The boolean at this position.
pub fn boolean(args: &[Value], index: usize) -> Result<bool, Fault> {
    match args.get(index) {
        Some(Value::Bool(value)) => Ok(*value),
        _ => Err(Fault::no_such_overload()),
    }
}

/// The list at this position.
pub fn list(args: &[Value], index: usize) -> Result<&List, Fault> {
    match args.get(index) {
        Some(Value::List(list)) => Ok(list),
        _ => Err(Fault::no_such_overload()),
    }
}

/// The value of a library at this position.
pub fn opaque<T: 'static>(args: &[Value], index: usize) -> Result<&T, Fault> {
    match args.get(index) {
        Some(Value::Opaque(value)) => value.as_any().downcast_ref().ok_or_else(Fault::no_such_overload),
        _ => Err(Fault::no_such_overload()),
    }
}

/// The size of the argument at this position that a cost is counted by.
pub fn size(args: &[Value], index: usize) -> u64 {
    args.get(index).map_or(1, Value::outer_size)
}
