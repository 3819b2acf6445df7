//! Functions that put things in order.

use super::collections::collect;
use super::sort::sort;
use crate::Thread;
use crate::builtin::{Args, Want};
use crate::custom::CompareOp;
use crate::error::Error;
use crate::fault::Fault;
use crate::iterate::Elements;
use crate::ops::compare;
use crate::value::Value;

pub(super) fn max(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    extreme(thread, args, "max", CompareOp::Greater)
}

pub(super) fn min(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    extreme(thread, args, "min", CompareOp::Less)
}

fn extreme(thread: &mut Thread, args: &Args<'_>, name: &str, op: CompareOp) -> Result<Value, Error> {
    if args.positional.is_empty() {
        return Err(Error::new(format!("{name} requires at least one positional argument")));
    }
    let [key] = Args { positional: &[], named: args.named }.unpack(name, [("key?", Want::Callable)])?;
    let all;
    let iterable = match args.positional {
        [iterable] => iterable,
        several => {
            all = Value::tuple(several.to_vec());
            &all
        }
    };
    let Some(mut elements) = Elements::of(iterable) else {
        let fault = Fault::NotIterable { found: iterable.type_name().to_owned() };
        return Err(Error::from(fault).prefixed(name));
    };
    let Some(mut best) = elements.next() else {
        return Err(Error::new(format!("{name}: argument is an empty sequence")));
    };
    let mut best_key = key_of(thread, key, &best)?;
    while let Some(element) = elements.next() {
        thread.spend(1)?;
        let element_key = key_of(thread, key, &element)?;
        if compare(thread, op, &element_key, &best_key).map_err(|error| error.prefixed(name))? {
            best = element;
            best_key = element_key;
        }
    }
    Ok(best)
}

fn key_of(thread: &mut Thread, key: Option<&Value>, value: &Value) -> Result<Value, Error> {
    match key {
        Some(key) => thread.call(key, Args::of(std::slice::from_ref(value))),
        None => Ok(value.clone()),
    }
}

pub(super) fn reversed(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [iterable] = args.positional_only("reversed", 1, [Want::Iterable])?;
    let mut items = collect(thread, iterable)?;
    items.reverse();
    Ok(Value::list(items))
}

pub(super) fn sorted(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let params = [("iterable", Want::Iterable), ("key?", Want::Callable), ("reverse?", Want::Bool)];
    let [iterable, key, reverse] = args.unpack("sorted", params)?;
    // While keys are computed, the sorted list cannot be changed.
    let _guard = iterable.and_then(Elements::of);
    let items = collect(thread, iterable)?;
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let item_key = key_of(thread, key, &item)?;
        keyed.push((item_key, item));
    }
    let reverse = reverse.is_some_and(Value::truth);
    sort(thread, &mut keyed, reverse)?;
    Ok(Value::list(keyed.into_iter().map(|(_, item)| item).collect()))
}
