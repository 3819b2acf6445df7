//! Starlark values to trees and back.

use trueline_starlark::{BigInt, CustomValue, Dict, Error, Thread, Value, View};

use super::{Content, Context, Fragment, Measure, Noop, Struct};
use crate::tree::{self, Array, ArrayItem, Made, Map, MapItem, Meta, Position};

/// How deep lists and dicts may be inside each other: trees are walked recursively, and a list can hold itself.
const DEEPEST: usize = 500;

/// A value of a tree in Starlark: scalars as they are, with the place as their mark, collections as fragments, and what
/// was a dict or a list as such again.
///
/// # Errors
/// If the limits are reached.
pub fn to_starlark(
    thread: &mut Thread,
    value: &tree::Value,
    place: &Position,
    context: &Context,
) -> Result<Value, Error> {
    if let Some(scalar) = scalar(value) {
        return Ok(scalar.with_mark(context.mark(place)));
    }
    match value {
        tree::Value::Map(map) if map.made == Made::Plain => {
            thread.spend(map.items.len())?;
            let dict = Dict::new();
            for item in &map.items {
                let key = to_starlark(thread, &item.key, &Position::unknown(), context)?;
                let value = to_starlark(thread, &item.value, &item.meta.place(), context)?;
                dict.insert(thread, key, value)?;
            }
            Ok(Value::dict(dict))
        }
        tree::Value::Array(array) if array.made == Made::Plain => {
            thread.spend(array.items.len())?;
            let items = array.items.iter();
            let items: Result<Vec<Value>, Error> =
                items.map(|item| to_starlark(thread, &item.value, &item.meta.place(), context)).collect();
            Ok(Value::list(items?))
        }
        collection => {
            Ok(Value::custom(Fragment::new(collection.clone(), context)).with_mark(context.mark(place)))
        }
    }
}

/// The same, with maps as structs and arrays as lists: what data values are.
///
/// # Errors
/// If a map has a key that is not a string.
pub fn to_struct(value: &tree::Value, place: &Position, context: &Context) -> Result<Value, Error> {
    if let Some(scalar) = scalar(value) {
        return Ok(scalar.with_mark(context.mark(place)));
    }
    match value {
        tree::Value::Map(map) => Ok(Value::custom(Struct::of_map(map, context)?)),
        tree::Value::Array(array) => {
            let items: Result<Vec<Value>, Error> =
                array.items.iter().map(|item| to_struct(&item.value, &item.meta.place(), context)).collect();
            Ok(Value::list(items?))
        }
        _ => Ok(Value::NONE),
    }
}

/// Whether Starlark sees it as a fragment.
pub(super) fn is_fragment(value: &tree::Value) -> bool {
    match value {
        tree::Value::Map(map) => map.made == Made::Yaml,
        tree::Value::Array(array) => array.made == Made::Yaml,
        _ => false,
    }
}

/// A scalar with its place, if it is one.
pub(super) fn simple(value: &tree::Value, place: &Position, context: Option<&Context>) -> Option<Value> {
    let scalar = scalar(value)?;
    Some(match context {
        Some(context) => scalar.with_mark(context.mark(place)),
        None => scalar,
    })
}

fn scalar(value: &tree::Value) -> Option<Value> {
    Some(match value {
        tree::Value::Null => Value::NONE,
        tree::Value::Bool(value) => Value::bool(*value),
        tree::Value::Int(value) => Value::int(*value),
        tree::Value::UInt(value) => Value::big(BigInt::from(*value)),
        tree::Value::Float(value) => Value::float(*value),
        tree::Value::String(text) => Value::string(text.as_bytes()),
        tree::Value::Map(_) | tree::Value::Array(_) => return None,
    })
}

/// A Starlark value as YAML. Dicts, structs, lists, tuples and sets become plain collections, fragments what they hold.
/// Items know where their values were typed; of the value itself, `context.position(value.mark())` says it. All nodes are
/// charged to the context, those of fragments as well.
///
/// # Errors
/// For values that YAML cannot have, and if there are too many.
pub fn from_starlark(value: &Value, context: &Context) -> Result<Content, Error> {
    from_starlark_measured(value, context).map(|(content, _)| content)
}

/// The same where documents are not possible.
///
/// # Errors
/// As for [`from_starlark`], and for documents.
pub fn tree_value(value: &Value, context: &Context) -> Result<tree::Value, Error> {
    convert(value, context, 0).map(|(value, _)| value)
}

/// [`from_starlark`], with the size of the result.
pub(crate) fn from_starlark_measured(value: &Value, context: &Context) -> Result<(Content, Measure), Error> {
    if let Some(fragment) = value.as_custom::<Fragment>() {
        return Ok((fragment.content(), fragment.charged_measure()?));
    }
    convert(value, context, 0).map(|(value, measure)| (Content::Value(value), measure))
}

type Converted = (tree::Value, Measure);

fn convert(value: &Value, context: &Context, depth: usize) -> Result<Converted, Error> {
    let scalar = match value.view() {
        View::None => tree::Value::Null,
        View::Bool(value) => tree::Value::Bool(value),
        View::Int(value) => tree::Value::Int(value),
        View::BigInt(value) => match u64::try_from(value) {
            Ok(value) => tree::Value::unsigned(value),
            Err(_) => {
                return Err(Error::new("Unable to convert value: the integer does not fit into 64 bits"));
            }
        },
        View::Float(value) => tree::Value::Float(value),
        View::String(text) => {
            let nodes = Context::nodes_of_text(text.as_bytes().len());
            context.charge(nodes)?;
            return Ok((tree::Value::string(text.as_bytes()), Measure { nodes, height: 0 }));
        }
        View::List(list) => return sequence(&list.to_vec(), context, depth),
        View::Tuple(items) => return sequence(items, context, depth),
        View::Set(set) => return sequence(&set.items(), context, depth),
        View::Dict(dict) => {
            let entries = dict.items().into_iter();
            return mapping(entries, context, depth, |key| {
                convert(&key, context, depth + 1).map(|(key, _)| key)
            });
        }
        View::Custom(custom) => return convert_custom(custom, context, depth),
        _ => return Err(no_yaml(value.type_name())),
    };
    Ok((scalar, Measure::default()))
}

fn convert_custom(custom: &dyn CustomValue, context: &Context, depth: usize) -> Result<Converted, Error> {
    let any = custom.as_any();
    if let Some(fragment) = any.downcast_ref::<Fragment>() {
        return match fragment.content() {
            Content::Value(value) => Ok((value, fragment.charged_measure()?)),
            Content::Documents(_) => {
                Err(Error::new("Unable to convert value: a document set cannot be inside of a list or dict"))
            }
        };
    }
    let Some(fields) = any.downcast_ref::<Struct>() else { return Err(no_yaml(custom.type_name())) };
    if let Some(hint) = fields.hint() {
        return Err(Error::new(format!("Unable to convert value: {hint}")));
    }
    mapping(fields.fields()?.into_iter(), context, depth, |name| Ok(tree::Value::String(name)))
}

fn mapping<K>(
    entries: impl ExactSizeIterator<Item = (K, Value)>,
    context: &Context,
    depth: usize,
    to_key: impl Fn(K) -> Result<tree::Value, Error>,
) -> Result<Converted, Error> {
    check_depth(depth)?;
    context.charge(entries.len() as u64 + 1)?;
    let mut measure = Measure::default();
    let mut items = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let key = to_key(key)?;
        let meta = Meta::default().typed_at(context.position(value.mark()));
        let value = item(&value, context, depth, &mut measure)?;
        items.push(MapItem { key, value, meta });
    }
    Ok((Map { items, meta: Meta::default(), made: Made::Plain }.into(), measure.check()?))
}

fn sequence(values: &[Value], context: &Context, depth: usize) -> Result<Converted, Error> {
    check_depth(depth)?;
    context.charge(values.len() as u64 + 1)?;
    let mut measure = Measure::default();
    let mut items = Vec::with_capacity(values.len());
    for value in values {
        let meta = Meta::default().typed_at(context.position(value.mark()));
        let value = item(value, context, depth, &mut measure)?;
        items.push(ArrayItem { value, meta });
    }
    Ok((Array { items, meta: Meta::default(), made: Made::Plain }.into(), measure.check()?))
}

fn item(value: &Value, context: &Context, depth: usize, measure: &mut Measure) -> Result<tree::Value, Error> {
    let (value, below) = convert(value, context, depth + 1)?;
    let mut item = Measure::default();
    item.include(below);
    measure.include(item);
    Ok(value)
}

fn check_depth(depth: usize) -> Result<(), Error> {
    if depth < DEEPEST {
        return Ok(());
    }
    Err(Error::limit(format!("Unable to convert value: it is nested more than {DEEPEST} levels deep")))
}

fn no_yaml(type_name: &str) -> Error {
    Error::new(format!("Unable to convert value: a value of type {type_name} cannot be written as YAML"))
}

/// The type of a value as ytt's Go code names it; some messages show it.
pub fn go_type_name(value: &Value) -> &'static str {
    match value.view() {
        View::None => "starlark.NoneType",
        View::Bool(_) => "starlark.Bool",
        View::Int(_) | View::BigInt(_) => "starlark.Int",
        View::Float(_) => "starlark.Float",
        View::String(_) => "starlark.String",
        View::List(_) => "*starlark.List",
        View::Tuple(_) => "starlark.Tuple",
        View::Dict(_) => "*starlark.Dict",
        View::Set(_) => "*starlark.Set",
        View::Range(_) => "starlark.rangeValue",
        View::Function(_) => "*starlark.Function",
        View::Builtin(_) => "*starlark.Builtin",
        View::Custom(custom) => {
            let any = custom.as_any();
            if any.is::<Fragment>() {
                "*yamltemplate.StarlarkFragment"
            } else if any.is::<Struct>() {
                match custom.type_name() {
                    "@ytt:assert.assertion" => "*yttlibrary.Assertion",
                    "@ytt:ip.addr" => "*yttlibrary.IPAddrValue",
                    "@ytt:ip.net" => "*yttlibrary.IPNetValue",
                    "@ytt:url.user" => "*yttlibrary.URLUser",
                    "@ytt:url.value" => "*yttlibrary.URLValue",
                    _ => "*core.StarlarkStruct",
                }
            } else if any.is::<Noop>() {
                "*core.StarlarkNoop"
            } else if custom.is_callable() {
                "*starlark.Builtin"
            } else if matches!(custom.type_name(), "elems" | "codepoints") {
                "starlark.stringIterable"
            } else {
                "*starlarkstruct.Module"
            }
        }
        _ => "starlark.Value",
    }
}
