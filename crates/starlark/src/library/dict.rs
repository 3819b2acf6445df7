//! Dicts: the function that creates them, and their methods.

use std::rc::Rc;

use super::Method;
use crate::builtin::{Args, Want};
use crate::data::Dict;
use crate::error::Error;
use crate::iterate::Elements;
use crate::ops::length;
use crate::value::{Inner, Value};
use crate::{Thread, unicode};

pub(super) const METHODS: &[Method] = &[
    Method { name: "clear", function: clear },
    Method { name: "get", function: get },
    Method { name: "items", function: items },
    Method { name: "keys", function: keys },
    Method { name: "pop", function: pop },
    Method { name: "popitem", function: popitem },
    Method { name: "setdefault", function: setdefault },
    Method { name: "update", function: update },
    Method { name: "values", function: values },
];

pub(super) fn dict(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    if args.positional.len() > 1 {
        let count = args.positional.len();
        return Err(Error::new(format!("dict: got {count} arguments, want at most 1")));
    }
    let dict = Rc::new(Dict::new());
    fill(thread, &dict, args).map_err(|error| error.prefixed("dict"))?;
    Ok(Value(Inner::Dict(crate::Mark::NONE, dict)))
}

fn this<'a>(receiver: &'a Value, name: &str) -> Result<&'a Rc<Dict>, Error> {
    receiver.dict_object().ok_or_else(|| Error::new(format!("{name}: not a dict")))
}

fn set(thread: &mut Thread, dict: &Rc<Dict>, key: Value, value: Value) -> Result<(), Error> {
    thread.spend(1)?;
    thread.note_dict(dict, &key);
    thread.note_dict(dict, &value);
    dict.insert(thread, key, value)?;
    Ok(())
}

/// Adds the arguments of `dict()` and `update()`.
fn fill(thread: &mut Thread, dict: &Rc<Dict>, args: &Args<'_>) -> Result<(), Error> {
    if let Some(source) = args.positional.first() {
        let mapping = match &source.0 {
            Inner::Dict(_, dict) => Some(dict.items()),
            Inner::Custom(_, custom) => custom.value().items(thread).transpose()?,
            _ => None,
        };
        match mapping {
            Some(items) => {
                for (key, value) in items {
                    set(thread, dict, key, value)?;
                }
            }
            None => fill_from_pairs(thread, dict, source)?,
        }
    }
    let before = dict.len();
    for (key, value) in args.named {
        set(thread, dict, key.clone(), value.clone())?;
    }
    if dict.len() < before + args.named.len() {
        for (index, (key, _)) in args.named.iter().enumerate() {
            let bytes = key.as_bytes().unwrap_or_default();
            if args.named.iter().take(index).any(|(known, _)| known.as_bytes() == Some(bytes)) {
                return Err(Error::new(format!("duplicate keyword arg: {}", unicode::quote(bytes))));
            }
        }
    }
    Ok(())
}

fn fill_from_pairs(thread: &mut Thread, dict: &Rc<Dict>, source: &Value) -> Result<(), Error> {
    let Some(mut elements) = Elements::of(source) else {
        return Err(Error::new(format!("got {}, want iterable", source.type_name())));
    };
    let mut index = 0;
    while let Some(pair) = elements.next() {
        let type_name = pair.type_name();
        let what = format!("dictionary update sequence element #{index}");
        let Some(mut parts) = Elements::of(&pair) else {
            return Err(Error::new(format!("{what} is not iterable ({type_name})")));
        };
        match length(&pair) {
            None => return Err(Error::new(format!("{what} has unknown length ({type_name})"))),
            Some(2) => {}
            Some(other) => return Err(Error::new(format!("{what} has length {other}, want 2"))),
        }
        let (Some(key), Some(value)) = (parts.next(), parts.next()) else {
            return Err(Error::new(format!("{what} has unknown length ({type_name})")));
        };
        set(thread, dict, key, value)?;
        index += 1;
    }
    Ok(())
}

fn clear(_: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    this(receiver, name)?.clear()?;
    Ok(Value::NONE)
}

fn get(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    let [key, default] = args.positional_only(name, 1, [Want::Any; 2])?;
    let key = key.unwrap_or(&Value::NONE);
    let found = this(receiver, name)?.get(thread, key).map_err(|error| error.prefixed(name))?;
    Ok(found.or_else(|| default.cloned()).unwrap_or(Value::NONE))
}

fn items(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let dict = this(receiver, name)?;
    thread.spend(dict.len())?;
    thread.need_memory(dict.len() * 8 * size_of::<Value>())?;
    let pairs = dict.items().into_iter().map(|(key, value)| Value::tuple(vec![key, value]));
    Ok(Value::list(pairs.collect()))
}

fn keys(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let dict = this(receiver, name)?;
    thread.spend(dict.len())?;
    thread.need_memory(dict.len() * size_of::<Value>())?;
    Ok(Value::list(dict.keys()))
}

fn values(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let dict = this(receiver, name)?;
    thread.spend(dict.len())?;
    thread.need_memory(dict.len() * size_of::<Value>())?;
    Ok(Value::list(dict.items().into_iter().map(|(_, value)| value).collect()))
}

fn pop(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    let [key, default] = args.positional_only(name, 1, [Want::Any; 2])?;
    let key = key.unwrap_or(&Value::NONE);
    let found = this(receiver, name)?.remove(thread, key).map_err(|error| error.prefixed(name))?;
    found.or_else(|| default.cloned()).ok_or_else(|| Error::new(format!("{name}: missing key")))
}

fn popitem(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let dict = this(receiver, name)?;
    let Some((_, key)) = dict.next(0) else { return Err(Error::new(format!("{name}: empty dict"))) };
    let value = dict.remove(thread, &key).map_err(|error| error.prefixed(name))?;
    Ok(Value::tuple(vec![key, value.unwrap_or(Value::NONE)]))
}

fn setdefault(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [key, default] = args.positional_only(name, 1, [Want::Any; 2])?;
    let key = key.unwrap_or(&Value::NONE);
    let dict = this(receiver, name)?;
    if let Some(found) = dict.get(thread, key).map_err(|error| error.prefixed(name))? {
        return Ok(found);
    }
    let default = default.cloned().unwrap_or(Value::NONE);
    set(thread, dict, key.clone(), default.clone()).map_err(|error| error.prefixed(name))?;
    Ok(default)
}

fn update(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    if args.positional.len() > 1 {
        let count = args.positional.len();
        return Err(Error::new(format!("update: got {count} arguments, want at most 1")));
    }
    fill(thread, this(receiver, name)?, args).map_err(|error| error.prefixed(name))?;
    Ok(Value::NONE)
}
