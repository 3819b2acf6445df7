//! Methods of lists.

use std::rc::Rc;

use super::Method;
use crate::Thread;
use crate::builtin::{Args, Want};
use crate::data::List;
use crate::error::Error;
use crate::ops::{as_int32, equal, indices, list_extend, out_of_range};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    Method { name: "append", function: append },
    Method { name: "clear", function: clear },
    Method { name: "extend", function: extend },
    Method { name: "index", function: index },
    Method { name: "insert", function: insert },
    Method { name: "pop", function: pop },
    Method { name: "remove", function: remove },
];

fn list<'a>(receiver: &'a Value, name: &str) -> Result<&'a Rc<List>, Error> {
    receiver.list_object().ok_or_else(|| Error::new(format!("{name}: not a list")))
}

fn append(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [item] = args.positional_only(name, 1, [Want::Any])?;
    let list = list(receiver, name)?;
    list.check_mutable("append to").map_err(|error| error.prefixed(name))?;
    if let Some(item) = item {
        thread.note_list(list, item);
        list.change(|items| items.push(item.clone()));
    }
    Ok(Value::NONE)
}

fn clear(_: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let list = list(receiver, name)?;
    list.check_mutable("clear").map_err(|error| error.prefixed(name))?;
    list.clear();
    Ok(Value::NONE)
}

fn extend(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [iterable] = args.positional_only(name, 1, [Want::Iterable])?;
    list(receiver, name)?.check_mutable("extend").map_err(|error| error.prefixed(name))?;
    if let Some(iterable) = iterable {
        list_extend(thread, receiver, iterable)?;
    }
    Ok(Value::NONE)
}

fn index(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    let [value, start, end] = args.positional_only(name, 1, [Want::Any; 3])?;
    let list = list(receiver, name)?;
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let (start, end) = indices(start, end, length).map_err(|error| error.prefixed(name))?;
    for place in start..end {
        thread.spend(1)?;
        let Some(item) = usize::try_from(place).ok().and_then(|place| list.get(place)) else { break };
        let value = value.unwrap_or(&Value::NONE);
        if equal(thread, &item, value).map_err(|error| error.prefixed(name))? {
            return Ok(Value::int(place));
        }
    }
    Err(Error::new(format!("{name}: value not in list")))
}

fn insert(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [place, item] = args.positional_only(name, 2, [Want::Int, Want::Any])?;
    let list = list(receiver, name)?;
    list.check_mutable("insert into").map_err(|error| error.prefixed(name))?;
    let place = place.and_then(|place| as_int32(place).ok()).map_or(0, i64::from);
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let place = if place < 0 { place + length } else { place };
    let place = usize::try_from(place.clamp(0, length)).unwrap_or(0);
    thread.spend(list.len().saturating_sub(place) / 16)?;
    if let Some(item) = item {
        thread.note_list(list, item);
        list.change(|items| items.insert(place.min(items.len()), item.clone()));
    }
    Ok(Value::NONE)
}

fn pop(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    let [place] = args.positional_only(name, 0, [Want::Int])?;
    let list = list(receiver, name)?;
    let length = list.len();
    let given = match place {
        Some(place) => as_int32(place).map_err(Error::new)?,
        None => i32::try_from(length).unwrap_or(i32::MAX) - 1,
    };
    let place = if given < 0 { i64::from(given) + length as i64 } else { i64::from(given) };
    let place = usize::try_from(place).ok().filter(|place| *place < length);
    let place = place.ok_or_else(|| out_of_range(given, length, "list").prefixed(name))?;
    list.check_mutable("pop from").map_err(|error| error.prefixed(name))?;
    thread.spend((length - place) / 16)?;
    Ok(list.change(|items| if place < items.len() { items.remove(place) } else { Value::NONE }))
}

fn remove(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [value] = args.positional_only(name, 1, [Want::Any])?;
    let list = list(receiver, name)?;
    list.check_mutable("remove from").map_err(|error| error.prefixed(name))?;
    let mut place = 0;
    while let Some(item) = list.get(place) {
        thread.spend(1)?;
        let value = value.unwrap_or(&Value::NONE);
        if equal(thread, &item, value).map_err(|error| error.prefixed(name))? {
            let removed =
                list.change(|items| if place < items.len() { Some(items.remove(place)) } else { None });
            drop(removed);
            return Ok(Value::NONE);
        }
        place += 1;
    }
    Err(Error::new("remove: element not found"))
}
