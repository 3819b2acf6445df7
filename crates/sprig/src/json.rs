//! To JSON and back.

use trueline_gotemplate::{Context, Data, Element, Error, Function, List, Map, MapKind, Type, Value};
use trueline_source::Span;
use trueline_yaml::json::{Escaping, Layout, WriteOptions};

use crate::argument::{any, text};
use crate::define::fixed;
use crate::from_json::{Decoded, decode};
use crate::marks::origin_in;
use crate::to_json::to_json;

const VALUE: &[Type] = &[Type::Any];
const TEXT: &[Type] = &[Type::String];

/// The family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("toJson", VALUE, compact, "VALUE", "The value as JSON in one line."),
    fixed("mustToJson", VALUE, must_compact, "VALUE", "As `toJson`, but fails where that gives nothing."),
    fixed("toPrettyJson", VALUE, pretty, "VALUE", "The value as JSON with a line for each item."),
    fixed(
        "mustToPrettyJson",
        VALUE,
        must_pretty,
        "VALUE",
        "As `toPrettyJson`, but fails where that gives nothing.",
    ),
    fixed("toRawJson", VALUE, raw, "VALUE", "As `toJson`, with `<`, `>` and `&` as they are."),
    fixed("mustToRawJson", VALUE, raw, "VALUE", "As `toRawJson`."),
    fixed(
        "fromJson",
        TEXT,
        from_json,
        "TEXT",
        "The map of a JSON text; what is wrong with it under `Error`.",
    ),
    fixed(
        "fromJsonArray",
        TEXT,
        from_json_array,
        "TEXT",
        "The list of a JSON text, or of what is wrong with it.",
    ),
    fixed("mustFromJson", TEXT, must_from_json, "TEXT", "The value of a JSON text, whatever it is."),
];

fn compact(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    or_nothing(must_compact(context, arguments))
}

fn must_compact(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    written(context, arguments, WriteOptions::default())
}

fn pretty(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    or_nothing(must_pretty(context, arguments))
}

fn must_pretty(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    written(context, arguments, WriteOptions { layout: Layout::Indented, ..WriteOptions::default() })
}

fn raw(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    written(context, arguments, WriteOptions { escaping: Escaping::Minimal, ..WriteOptions::default() })
}

/// An empty text for what cannot be written; limits stay limits.
pub(crate) fn or_nothing(text: Result<Value, Error>) -> Result<Value, Error> {
    match text {
        Err(error) if !error.is_limit() => Ok(Value::from("")),
        text => text,
    }
}

fn written(context: &mut dyn Context, arguments: &[Value], options: WriteOptions) -> Result<Value, Error> {
    let value = any(arguments, 0);
    let text = to_json(&value, options, context.traces())?;
    context.spend(text.len() as u64)?;
    Ok(Value::from(text).at(value.origin))
}

fn from_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(as_map(decoded(context, arguments)?, ""))
}

fn from_json_array(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(as_list(decoded(context, arguments)?, ""))
}

fn must_from_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match decoded(context, arguments)? {
        Err(words) | Ok(Decoded { error: Some(words), .. }) => Err(Error::new(words)),
        Ok(decoded) => Ok(decoded.value),
    }
}

fn decoded(context: &mut dyn Context, arguments: &[Value]) -> Result<Result<Decoded, String>, Error> {
    let text = text(arguments, 0);
    context.spend(text.len() as u64)?;
    let whole = any(arguments, 0).origin;
    let traced = context.traces();
    let origin = |start: usize, end: usize| -> Option<Span> {
        if traced { origin_in(&text, whole, start..end) } else { None }
    };
    Ok(decode(text.as_bytes(), &origin))
}

/// The value if it is a map, else a map with the error, behind `prefix` where it is not one of syntax.
pub(crate) fn as_map(decoded: Result<Decoded, String>, prefix: &str) -> Value {
    let failed = |words: String| Value::from(Map::from_iter([("Error", Value::from(words))]));
    match decoded {
        Err(words) => failed(words),
        Ok(Decoded { value, error }) => match (value.data, error) {
            (Data::Nil, None) => Value::from(Map::nil(MapKind::Any)),
            (Data::Map(map), error) => {
                if let Some(words) = error {
                    map.set("Error", Value::from(format!("{prefix}{words}")));
                }
                Value::from(map).at(value.origin)
            }
            (data, _) => failed(format!("{prefix}{}", mismatch(&data, "map[string]interface {}"))),
        },
    }
}

/// The value if it is a list, else a list of the error, behind `prefix` where it is not one of syntax.
pub(crate) fn as_list(decoded: Result<Decoded, String>, prefix: &str) -> Value {
    let failed = |words: String| Value::list(vec![Value::from(words)]);
    match decoded {
        Err(words) => failed(words),
        Ok(Decoded { value, error }) => match (value.data, error) {
            (Data::Nil, None) => Value::from(List::nil(Element::Any)),
            (Data::List(list), None) => Value::from(list).at(value.origin),
            (Data::List(_), Some(words)) => failed(format!("{prefix}{words}")),
            (data, _) => failed(format!("{prefix}{}", mismatch(&data, "[]interface {}"))),
        },
    }
}

/// What Go says of a value that is not of the type that is asked for.
fn mismatch(data: &Data, wanted: &str) -> String {
    let name = match data {
        Data::Map(_) => "object",
        Data::List(_) => "array",
        Data::Bool(_) => "bool",
        Data::String(_) => "string",
        _ => "number",
    };
    format!("json: cannot unmarshal {name} into Go value of type {wanted}")
}
