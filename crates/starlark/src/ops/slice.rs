//! Slices.

use super::integer::as_int32;
use crate::Thread;
use crate::error::Error;
use crate::value::{Inner, Value};

/// `value[start:end:step]`; omitted bounds are `None`.
pub(crate) fn slice(
    thread: &mut Thread,
    value: &Value,
    start: &Value,
    end: &Value,
    step: &Value,
) -> Result<Value, Error> {
    let is_sliceable = matches!(
        value.0,
        Inner::Text(..) | Inner::List(..) | Inner::Tuple(..) | Inner::Range(..) | Inner::Custom(..)
    );
    let invalid = || Error::new(format!("invalid slice operand {}", value.type_name()));
    let Some(length) = super::length(value).filter(|_| is_sliceable) else { return Err(invalid()) };
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let step = if step.is_none() {
        1
    } else {
        let type_name = step.type_name();
        i64::from(
            as_int32(step).map_err(|_| Error::new(format!("got {type_name} for slice step, want int")))?,
        )
    };
    if step == 0 {
        return Err(Error::new("zero is not a valid slice step"));
    }
    let (start, end) = if step > 0 {
        let (start, end) = indices(Some(start), Some(end), length)?;
        (start, end.max(start))
    } else {
        let start = bound(Some(start), length, length - 1, "start")?.min(length - 1);
        let end = bound(Some(end), length, -1, "end")?.max(-1);
        (start.max(end), end)
    };
    if let Inner::Custom(_, custom) = &value.0 {
        return custom.value().slice(thread, start, end, step).unwrap_or_else(|| Err(invalid()));
    }
    if let Inner::Range(_, range) = &value.0 {
        return Ok(Value::range(range.slice(start, end, step)));
    }
    let count = usize::try_from((end - start).unsigned_abs().div_ceil(step.unsigned_abs())).unwrap_or(0);
    let whole = step == 1;
    let at = |index: i64| usize::try_from(index).unwrap_or(usize::MAX);
    let picked = (0..count).map(|index| at(start + step * i64::try_from(index).unwrap_or(0)));
    Ok(match &value.0 {
        Inner::Text(mark, text) => {
            thread.spend(if whole { count / 64 } else { count / 4 })?;
            thread.need_memory(count)?;
            let part = if whole {
                Value::string(text.get(at(start)..at(end)).unwrap_or_default())
            } else {
                Value::string_from(picked.filter_map(|index| text.get(index).copied()).collect::<Vec<u8>>())
            };
            part.with_mark(*mark)
        }
        Inner::List(_, list) => {
            thread.spend(count)?;
            thread.need_memory(count * size_of::<Value>())?;
            Value::list(list.with(|items| picked.filter_map(|index| items.get(index).cloned()).collect()))
        }
        Inner::Tuple(_, tuple) => {
            thread.spend(count)?;
            thread.need_memory(count * size_of::<Value>())?;
            Value::tuple(picked.filter_map(|index| tuple.items().get(index).cloned()).collect())
        }
        _ => return Err(invalid()),
    })
}

/// Bounds within a length, for steps forward. The start may be after the end.
pub(crate) fn indices(start: Option<&Value>, end: Option<&Value>, length: i64) -> Result<(i64, i64), Error> {
    let start = bound(start, length, 0, "start")?.clamp(0, length);
    let end = bound(end, length, length, "end")?.clamp(0, length);
    Ok((start, end))
}

fn bound(value: Option<&Value>, length: i64, default: i64, which: &str) -> Result<i64, Error> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(default) };
    let Ok(index) = as_int32(value) else {
        let type_name = value.type_name();
        return Err(Error::new(format!("invalid {which} index: got {type_name}, want int")));
    };
    Ok(if index < 0 { i64::from(index) + length } else { i64::from(index) })
}
