//! To YAML and back.

use std::sync::Arc;

use trueline_gotemplate::{Context, Data, Entry, Error, Function, Map, MapKind, Type, Value};
use trueline_source::Span;
use trueline_yaml::{self as yaml, Dialect};

use crate::argument::{any, text};
use crate::define::fixed;
use crate::from_json::Decoded;
use crate::json::{as_list, as_map, or_nothing};
use crate::marks::origin_in;
use crate::to_yaml::to_yaml;

const VALUE: &[Type] = &[Type::Any];
const TEXT: &[Type] = &[Type::String];

/// The family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("toYaml", VALUE, write, "VALUE", "The value as YAML, without the last line break."),
    fixed("mustToYaml", VALUE, must_write, "VALUE", "As `toYaml`, but fails where that gives nothing."),
    fixed("toYamlPretty", VALUE, write_pretty, "VALUE", "As `toYaml`, with lists indented under their keys."),
    fixed(
        "fromYaml",
        TEXT,
        from_yaml,
        "TEXT",
        "The map of a YAML text; what is wrong with it under `Error`.",
    ),
    fixed(
        "fromYamlArray",
        TEXT,
        from_yaml_array,
        "TEXT",
        "The list of a YAML text, or of what is wrong with it.",
    ),
];

fn write(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    or_nothing(must_write(context, arguments))
}

fn must_write(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    written(context, arguments, Dialect::Sigs)
}

fn write_pretty(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    or_nothing(written(context, arguments, Dialect::GoYamlV3))
}

fn written(context: &mut dyn Context, arguments: &[Value], dialect: Dialect) -> Result<Value, Error> {
    let value = any(arguments, 0);
    let text = to_yaml(&value, dialect, context.traces())?;
    context.spend(text.len() as u64)?;
    Ok(Value::from(text).at(value.origin))
}

fn from_yaml(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(match decoded(context, arguments)? {
        // Unlike JSON's, YAML's null leaves the map alone.
        Ok(decoded) if decoded.value.is_nil() => Value::from(Map::new(MapKind::Any)),
        decoded => as_map(decoded, DETOUR),
    })
}

fn from_yaml_array(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(match decoded(context, arguments)? {
        Ok(decoded) if decoded.value.is_nil() => Value::list(Vec::new()),
        decoded => as_list(decoded, DETOUR),
    })
}

/// What stands before the errors of the JSON that YAML is turned into.
const DETOUR: &str = "error unmarshaling JSON: while decoding JSON: ";

/// A decoded text in the form that the functions for JSON work on.
fn decoded(context: &mut dyn Context, arguments: &[Value]) -> Result<Result<Decoded, String>, Error> {
    let text = text(arguments, 0);
    context.spend(text.len() as u64)?;
    let whole = any(arguments, 0).origin;
    let traced = context.traces();
    let origin = |span: Option<Span>| {
        let span = span.filter(|_| traced)?;
        origin_in(&text, whole, span.start as usize..span.end as usize)
    };
    if let Some(words) = misplaced(text.as_bytes()) {
        return Ok(Err(format!("error converting YAML to JSON: yaml: {words}")));
    }
    Ok(match yaml::yaml_to_value(&text.text()) {
        Ok(value) => Ok(Decoded { value: from_plain(&value, &origin), error: None }),
        Err(words) => Err(format!("error converting YAML to JSON: {words}")),
    })
}

/// The value for templates, with floats for all numbers, as it is after the detour through JSON.
fn from_plain(value: &yaml::Value, origin: &dyn Fn(Option<Span>) -> Option<Span>) -> Value {
    let data = match &value.data {
        yaml::Data::Null => Data::Nil,
        yaml::Data::Bool(value) => Data::Bool(*value),
        yaml::Data::Int(value) => Data::Float(*value as f64),
        yaml::Data::UInt(value) => Data::Float(*value as f64),
        yaml::Data::Float(value) => Data::Float(*value),
        yaml::Data::String(text) => Data::String(Arc::clone(text).into()),
        yaml::Data::List(items) => {
            return Value::list(items.iter().map(|item| from_plain(item, origin)).collect());
        }
        yaml::Data::Map(map) => {
            let entries = map.iter().map(|(key, entry)| {
                let value = from_plain(&entry.value, origin);
                (Arc::clone(key), Entry { key_origin: origin(entry.key_origin), value })
            });
            return Value::from(Map::from_entries(MapKind::Any, entries));
        }
    };
    Value { data, origin: origin(value.origin) }
}

/// What libyaml says of the first bytes that are no UTF-8.
fn misplaced(text: &[u8]) -> Option<&'static str> {
    let error = std::str::from_utf8(text).err()?;
    let rest = text.get(error.valid_up_to()..)?;
    let width = match rest.first()? {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return Some("invalid leading UTF-8 octet"),
    };
    let Some(sequence) = rest.get(..width) else { return Some("incomplete UTF-8 octet sequence") };
    if sequence.iter().skip(1).any(|byte| byte & 0xc0 != 0x80) {
        return Some("invalid trailing UTF-8 octet");
    }
    let overlong = matches!(sequence, [0xc0 | 0xc1, ..] | [0xe0, 0x80..=0x9f, ..] | [0xf0, 0x80..=0x8f, ..]);
    Some(if overlong { "invalid length of a UTF-8 sequence" } else { "invalid Unicode character" })
}
