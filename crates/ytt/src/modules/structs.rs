//! `struct`: values with fields, and functions that are bound to arguments.

use indexmap::IndexMap;
use trueline_starlark::{Args, Error, Thread, Value};

use super::{function, module_of, only};
use crate::tree::{self, Made, Position, Text};
use crate::value::{Context, Struct, to_starlark, to_struct, tree_value};

pub(super) fn module(context: &Context) -> Value {
    let make = function("struct.make", |_, args| {
        if !args.positional.is_empty() {
            return Err(Error::new(
                "unexpected positional arguments (structs are made from keyword arguments only)",
            ));
        }
        Ok(from_keywords(args, Value::clone))
    });
    let make_and_bind = function("struct.make_and_bind", |_, args| {
        let [object] = args.positional else { return Err(Error::new("expected at exactly one argument")) };
        Ok(from_keywords(args, |value| match value.is_callable() {
            true => bound(value.clone(), vec![object.clone()]),
            false => value.clone(),
        }))
    });
    let bind = function("struct.bind", |_, args| match args.positional {
        [function, first, rest @ ..] => {
            let given = std::iter::once(first).chain(rest).cloned().collect();
            Ok(bound(function.clone(), given))
        }
        _ => Err(Error::new("expected at least two arguments")),
    });
    let for_encode = context.clone();
    let encode = function("struct.encode", move |_, args| {
        let value = plain_value(only(args)?, &for_encode)?;
        to_struct(&value, &for_encode.position(only(args)?.mark()), &for_encode)
    });
    let for_decode = context.clone();
    let decode = function("struct.decode", move |thread, args| {
        let value = plain_value(only(args)?, &for_decode)?;
        to_starlark(thread, &value, &Position::unknown(), &for_decode)
    });
    module_of(
        "struct",
        [
            ("make", make),
            ("make_and_bind", make_and_bind),
            ("bind", bind),
            ("encode", encode),
            ("decode", decode),
        ],
    )
}

/// A value that holds no fragment: the original dies of those.
fn plain_value(value: &Value, context: &Context) -> Result<tree::Value, Error> {
    let value = tree_value(value, context)?;
    let mut open = vec![&value];
    while let Some(value) = open.pop() {
        let made = match value {
            tree::Value::Map(map) => {
                open.extend(map.items.iter().flat_map(|item| [&item.key, &item.value]));
                map.made
            }
            tree::Value::Array(array) => {
                open.extend(array.items.iter().map(|item| &item.value));
                array.made
            }
            _ => Made::Plain,
        };
        if made == Made::Yaml {
            return Err(Error::new(
                "a yamlfragment is not supported (hint: use yaml.decode(yaml.encode(...)))",
            ));
        }
    }
    Ok(value)
}

/// A name that is given twice, as in `make(a=1, **{"a": 2})`, is one field with the last value.
fn from_keywords(args: &Args<'_>, change: impl Fn(&Value) -> Value) -> Value {
    let mut fields = IndexMap::with_capacity(args.named.len());
    for (name, value) in args.named {
        fields.insert(Text::from(name.as_bytes().unwrap_or_default()), change(value));
    }
    Value::custom(Struct::new(fields))
}

/// A function that is called with these arguments before those of its callers.
fn bound(callee: Value, given: Vec<Value>) -> Value {
    function("struct.bind_result", move |thread: &mut Thread, args| {
        let positional: Vec<Value> = given.iter().chain(args.positional).cloned().collect();
        thread.call(&callee, Args { positional: &positional, named: args.named })
    })
}
