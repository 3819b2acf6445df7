//! Functions that inspect or create collections.

use super::Method;
use crate::Thread;
use crate::builtin::{Args, Want};
use crate::data::{Range, Set};
use crate::error::Error;
use crate::iterate::Elements;
use crate::ops::{as_int32, length};
use crate::value::Value;

pub(super) const SET_METHODS: &[Method] = &[Method { name: "union", function: set_union }];

pub(super) fn any(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    holds_for(thread, args, "any", |truth| truth)
}

pub(super) fn all(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    holds_for(thread, args, "all", |truth| !truth).map(|found| Value::bool(!found.truth()))
}

fn holds_for(
    thread: &mut Thread,
    args: &Args<'_>,
    name: &str,
    wanted: impl Fn(bool) -> bool,
) -> Result<Value, Error> {
    let [iterable] = args.positional_only(name, 1, [Want::Iterable])?;
    let mut elements = iterable.and_then(Elements::of);
    while let Some(element) = elements.as_mut().and_then(Elements::next) {
        thread.spend(1)?;
        if wanted(element.truth()) {
            return Ok(Value::bool(true));
        }
    }
    Ok(Value::bool(false))
}

pub(super) fn len(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [value] = args.positional_only("len", 1, [Want::Any])?;
    let value = value.unwrap_or(&Value::NONE);
    match length(value) {
        Some(length) => Ok(Value::size(length)),
        None => Err(Error::new(format!("len: value of type {} has no len", value.type_name()))),
    }
}

/// The elements of an argument that is known to be iterable.
pub(super) fn collect(thread: &mut Thread, iterable: Option<&Value>) -> Result<Vec<Value>, Error> {
    let Some(iterable) = iterable else { return Ok(Vec::new()) };
    let known = length(iterable).unwrap_or(0);
    thread.need_memory(known.saturating_mul(size_of::<Value>()))?;
    thread.spend(known)?;
    Ok(thread.elements(iterable)?.unwrap_or_default())
}

pub(super) fn list(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [iterable] = args.positional_only("list", 0, [Want::Iterable])?;
    collect(thread, iterable).map(Value::list)
}

pub(super) fn tuple(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [iterable] = args.positional_only("tuple", 0, [Want::Iterable])?;
    collect(thread, iterable).map(Value::tuple)
}

pub(super) fn set(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [iterable] = args.positional_only("set", 0, [Want::Iterable])?;
    let set = Set::new();
    let mut elements = iterable.and_then(Elements::of);
    while let Some(element) = elements.as_mut().and_then(Elements::next) {
        thread.spend(1)?;
        set.insert(thread, element).map_err(|error| error.prefixed("set"))?;
    }
    Ok(Value::set(set))
}

fn set_union(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [iterable] = args.positional_only(name, 0, [Want::Iterable])?;
    // The original crashes if the argument is missing.
    let Some(iterable) = iterable else { return Err(Error::new("union: got 0 arguments, want 1")) };
    let set = Set::new();
    for source in [receiver, iterable] {
        let mut elements = Elements::of(source);
        while let Some(element) = elements.as_mut().and_then(Elements::next) {
            thread.spend(1)?;
            set.insert(thread, element).map_err(|error| error.prefixed(name))?;
        }
    }
    Ok(Value::set(set))
}

pub(super) fn enumerate(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [iterable, start] = args.positional_only("enumerate", 1, [Want::Iterable, Want::Int])?;
    let start = start.and_then(|start| as_int32(start).ok()).map_or(0, i64::from);
    let items = collect(thread, iterable)?;
    thread.need_memory(items.len().saturating_mul(8 * size_of::<Value>()))?;
    let pairs = (start..).zip(items).map(|(index, item)| Value::tuple(vec![Value::int(index), item]));
    Ok(Value::list(pairs.collect()))
}

pub(super) fn range(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [first, second, third] = args.positional_only("range", 1, [Want::Int, Want::Int, Want::Int])?;
    let number = |value: Option<&Value>| value.and_then(|value| as_int32(value).ok()).map(i64::from);
    let first = number(first).unwrap_or(0);
    let (start, stop) = match number(second) {
        Some(stop) => (first, stop),
        None => (0, first),
    };
    let step = number(third).unwrap_or(1);
    if step == 0 {
        return Err(Error::new("range: step argument must not be zero"));
    }
    Ok(Value::range(Range::new(start, stop, step)))
}

pub(super) fn zip(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    super::no_names(args, "zip")?;
    let mut columns = Vec::with_capacity(args.positional.len());
    for (index, value) in args.positional.iter().enumerate() {
        let Some(elements) = Elements::of(value) else {
            let type_name = value.type_name();
            return Err(Error::new(format!("zip: argument #{} is not iterable: {type_name}", index + 1)));
        };
        columns.push(elements);
    }
    let mut rows = Vec::new();
    while !columns.is_empty() {
        thread.spend(columns.len())?;
        let mut row = Vec::with_capacity(columns.len());
        row.extend(columns.iter_mut().map_while(Elements::next));
        if row.len() < columns.len() {
            break;
        }
        rows.push(Value::tuple(row));
    }
    Ok(Value::list(rows))
}
