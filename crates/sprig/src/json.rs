//! To JSON and back.

use trueline_gotemplate::{Context, Error, Function, MAX_DEPTH, NotPlain, Type, Value};
use trueline_yaml::json::{self, Escaping, Layout, WriteOptions};

use crate::argument::any;
use crate::define::fixed;

/// The family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("toJson", &[Type::Any], to_json, "VALUE", "The value as JSON in one line."),
    fixed(
        "mustToJson",
        &[Type::Any],
        must_to_json,
        "VALUE",
        "As `toJson`, but fails where that gives nothing.",
    ),
    fixed(
        "toPrettyJson",
        &[Type::Any],
        to_pretty_json,
        "VALUE",
        "The value as JSON with a line for each item.",
    ),
    fixed(
        "mustToPrettyJson",
        &[Type::Any],
        must_to_pretty_json,
        "VALUE",
        "As `toPrettyJson`, but fails where that gives nothing.",
    ),
    fixed("toRawJson", &[Type::Any], to_raw_json, "VALUE", "As `toJson`, with `<`, `>` and `&` as they are."),
    fixed("mustToRawJson", &[Type::Any], to_raw_json, "VALUE", "As `toRawJson`."),
];

fn to_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    or_nothing(write(context, arguments, WriteOptions::default()))
}

fn must_to_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    write(context, arguments, WriteOptions::default())
}

fn to_pretty_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    or_nothing(must_to_pretty_json(context, arguments))
}

fn must_to_pretty_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    write(context, arguments, WriteOptions { layout: Layout::Indented, ..WriteOptions::default() })
}

fn to_raw_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    write(context, arguments, WriteOptions { escaping: Escaping::Minimal, ..WriteOptions::default() })
}

fn or_nothing(text: Result<Value, Error>) -> Result<Value, Error> {
    match text {
        Err(error) if !error.is_limit() => Ok(Value::from("")),
        text => text,
    }
}

fn write(_: &mut dyn Context, arguments: &[Value], options: WriteOptions) -> Result<Value, Error> {
    let value = any(arguments, 0);
    let plain = value.to_plain().map_err(not_plain)?;
    let text = json::write(&plain, options).map_err(|error| Error::new(error.to_string()))?;
    Ok(Value::from(text).at(value.origin))
}

/// What is said of a value that has no text.
pub(crate) fn not_plain(reason: NotPlain) -> Error {
    match reason {
        NotPlain::Complex => Error::new("json: unsupported type: complex128"),
        NotPlain::TooDeep => {
            Error::limit(format!("values nested deeper than {MAX_DEPTH} levels are not written"))
        }
    }
}
