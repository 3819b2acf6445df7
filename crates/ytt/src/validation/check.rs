//! The rules that have names: `min=`, `one_of=` and the like, also as functions of `@ytt:assert`.

use trueline_starlark::{CompareOp, Error, Thread, Value, View};

use crate::tree::{self, Format, Made, Position, read_one, write_documents, yaml_of};
use crate::value::{Content, Context, from_starlark, to_starlark};

/// A rule that has a name.
#[derive(Debug, Clone)]
pub enum Check {
    /// At least so long.
    MinLen(Value),
    /// At most so long.
    MaxLen(Value),
    /// At least as great.
    Min(Value),
    /// At most as great.
    Max(Value),
    /// Not null.
    NotNull,
    /// Exactly one of these keys, or of all keys, is not null.
    OneNotNull(Option<Value>),
    /// One of these.
    OneOf(Value),
}

impl Check {
    /// What a value must be.
    ///
    /// # Errors
    /// If the arguments cannot be printed.
    pub fn description(&self, thread: &mut Thread) -> Result<String, Error> {
        let mut with = |prefix: &str, value: &Value, suffix: &str| {
            let value = thread.repr(value)?;
            Ok(format!("{prefix}{}{suffix}", String::from_utf8_lossy(&value)))
        };
        match self {
            Check::MinLen(length) => with("length >= ", length, ""),
            Check::MaxLen(length) => with("length <= ", length, ""),
            Check::Min(least) => with("a value >= ", least, ""),
            Check::Max(most) => with("a value <= ", most, ""),
            Check::NotNull => Ok("not null".to_owned()),
            Check::OneNotNull(None) => Ok("exactly one of all children to be not null".to_owned()),
            Check::OneNotNull(Some(keys)) => with("exactly one of ", keys, " to be not null"),
            Check::OneOf(values) => with("one of ", values, ""),
        }
    }

    /// Checks a value against the rule.
    ///
    /// # Errors
    /// If the value breaks the rule, with what is wrong; the message begins as that of the function in `@ytt:assert`.
    pub fn run(&self, thread: &mut Thread, value: &Value, context: &Context) -> Result<(), Error> {
        match self {
            Check::MinLen(length) => check_length(thread, value, CompareOp::GreaterOrEqual, length),
            Check::MaxLen(length) => check_length(thread, value, CompareOp::LessOrEqual, length),
            Check::Min(least) => {
                check_bound(thread, value, (CompareOp::GreaterOrEqual, "value < "), least, context)
            }
            Check::Max(most) => {
                check_bound(thread, value, (CompareOp::LessOrEqual, "value > "), most, context)
            }
            Check::NotNull if value.is_none() => Err(Error::new("fail: value is null")),
            Check::NotNull => Ok(()),
            Check::OneNotNull(keys) => check_one_not_null(thread, value, keys.as_ref(), context),
            Check::OneOf(values) => check_one_of(thread, value, values, context),
        }
    }
}

fn check_length(thread: &mut Thread, value: &Value, op: CompareOp, bound: &Value) -> Result<(), Error> {
    let Some(length) = thread.len(value) else {
        return Err(Error::new(format!("len: value of type {} has no len", value.type_name())));
    };
    if thread.compare(op, &Value::size(length), bound)? {
        Ok(())
    } else {
        Err(Error::new(format!("fail: length = {length}")))
    }
}

fn check_bound(
    thread: &mut Thread,
    value: &Value,
    (op, words): (CompareOp, &str),
    bound: &Value,
    context: &Context,
) -> Result<(), Error> {
    let value = through_yaml(thread, value, context)?;
    let bound = through_yaml(thread, bound, context)?;
    if thread.compare(op, &value, &bound)? {
        return Ok(());
    }
    let bound = thread.str(&bound)?;
    Err(Error::new(format!("fail: {words}{}", String::from_utf8_lossy(&bound))))
}

fn check_one_of(thread: &mut Thread, value: &Value, values: &Value, context: &Context) -> Result<(), Error> {
    let value = through_yaml(thread, value, context)?;
    let values = through_yaml(thread, values, context)?;
    let is_one_of = match values.view() {
        View::Dict(dict) => dict.get(thread, &value)?.is_some(),
        View::List(list) => {
            let mut is_one_of = false;
            for allowed in list.to_vec() {
                if thread.equal(&allowed, &value)? {
                    is_one_of = true;
                    break;
                }
            }
            is_one_of
        }
        // An empty fragment is nothing after it has been YAML.
        _ => {
            let (value, values) = (value.type_name(), values.type_name());
            return Err(Error::new(format!("unknown binary op: {value} in {values}")));
        }
    };
    if is_one_of { Ok(()) } else { Err(Error::new("fail: not one of allowed values")) }
}

fn check_one_not_null(
    thread: &mut Thread,
    value: &Value,
    keys: Option<&Value>,
    context: &Context,
) -> Result<(), Error> {
    let value = through_yaml(thread, value, context)?;
    let View::Dict(dict) = value.view() else {
        return Err(Error::new(format!(
            "check: value must be a map or dict, but was '{}'",
            value.type_name()
        )));
    };
    let keys = match keys {
        None => dict.keys(),
        Some(keys) => {
            let written = thread.elements(keys)?.unwrap_or_default();
            let keys: Result<Vec<Value>, Error> =
                written.iter().map(|key| through_yaml(thread, key, context)).collect();
            keys?
        }
    };
    let mut not_null = Vec::new();
    for key in keys {
        // A key that is missing counts as null: schemas are there to notice it.
        if dict.get(thread, &key)?.is_some_and(|value| !value.is_none()) {
            not_null.push(key);
        }
    }
    match not_null.len() {
        0 if dict.is_empty() => Err(Error::new("check: value is empty")),
        0 => Err(Error::new("check: all values are null")),
        1 => Ok(()),
        _ => {
            let list = thread.repr(&Value::list(not_null))?;
            Err(Error::new(format!("check: {} are not null", String::from_utf8_lossy(&list))))
        }
    }
}

/// The value as it is after it has been written as YAML and read again: structs and fragments are dicts and lists, and
/// empty fragments are nothing.
pub fn through_yaml(thread: &mut Thread, value: &Value, context: &Context) -> Result<Value, Error> {
    match value.view() {
        View::None | View::Bool(_) | View::Int(_) | View::String(_) => return Ok(value.clone()),
        _ => {}
    }
    let value = match from_starlark(value, context)? {
        Content::Value(value) => value,
        Content::Documents(documents) => {
            let text =
                write_documents(&documents, Format::Yaml).map_err(|error| Error::new(error.to_string()))?;
            thread.spend(text.len())?;
            read_one(text).map_err(Error::new)?
        }
    };
    let is_dropped = match &value {
        tree::Value::Map(map) => map.items.is_empty() && map.made == Made::Yaml,
        tree::Value::Array(array) => array.items.is_empty() && array.made == Made::Yaml,
        _ => false,
    };
    if is_dropped {
        return Ok(Value::NONE);
    }
    let text = yaml_of(&value);
    thread.spend(text.len())?;
    let read = read_one(text).map_err(Error::new)?;
    to_starlark(thread, &read.to_plain(), &Position::unknown(), context)
}
