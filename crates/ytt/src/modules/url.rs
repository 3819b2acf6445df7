//! `url`: addresses and their parts.

use std::rc::Rc;

use trueline_gostd::GoError;
use trueline_gostd::url::{self, Query, Url, User};
use trueline_starlark::{Dict, Error, Mark, Thread, Value};

use super::ip::{method, object};
use super::{bytes, function, module_of, only};
use crate::tree::{self, Made};
use crate::value::{Content, Context, from_starlark};

/// The module.
pub(super) fn module(context: &Context) -> Value {
    let encoding = |name: &'static str, encode: fn(&[u8]) -> Vec<u8>| {
        function(name, move |thread, args| {
            let value = only(args)?;
            let text = bytes(value)?;
            paid(thread, text, 3)?;
            Ok(Value::string_from(encode(text)).with_mark(value.mark()))
        })
    };
    let decoding = |name: &'static str, decode: fn(&[u8]) -> Result<Vec<u8>, GoError>| {
        function(name, move |thread, args| {
            let value = only(args)?;
            let text = bytes(value)?;
            paid(thread, text, 1)?;
            let decoded = decode(text).map_err(Error::new)?;
            Ok(Value::string_from(decoded).with_mark(value.mark()))
        })
    };
    let context = context.clone();
    let query_params_encode = function("url.query_params_encode", move |thread, args| {
        let given = only(args)?;
        let query = query_of(&from_starlark(given, &context)?)?;
        let length = query.iter().fold(0_usize, |length, (key, values)| {
            values.iter().fold(length, |length, value| length.saturating_add(key.len() + value.len() + 2))
        });
        thread.spend(length)?;
        thread.need_memory(length.saturating_mul(3))?;
        Ok(Value::string_from(url::query_text(&query)).with_mark(given.mark()))
    });
    let query_params_decode = function("url.query_params_decode", |thread, args| {
        let given = only(args)?;
        let text = bytes(given)?;
        paid(thread, text, 16)?;
        // Semicolons had separated parameters before Go 1.17, and ytt has kept that.
        let text: Vec<u8> = text.iter().map(|byte| if *byte == b';' { b'&' } else { *byte }).collect();
        let result = Dict::new();
        for (key, values) in url::parse_query(&text).map_err(Error::new)? {
            let values =
                values.into_iter().map(|value| Value::string_from(value).with_mark(given.mark())).collect();
            result.insert(thread, Value::string_from(key), Value::list(values))?;
        }
        Ok(Value::dict(result))
    });
    let parse = function("url.parse", |thread, args| {
        let value = only(args)?;
        let text = bytes(value)?;
        paid(thread, text, 4)?;
        let url = Url::parse(text).map_err(Error::new)?;
        Ok(url_value(url, value.mark()))
    });
    module_of(
        "url",
        [
            ("path_segment_encode", encoding("url.path_segment_encode", url::escape_segment)),
            ("path_segment_decode", decoding("url.path_segment_decode", url::unescape_segment)),
            ("query_param_value_encode", encoding("url.query_param_value_encode", url::escape_query)),
            ("query_param_value_decode", decoding("url.query_param_value_decode", url::unescape_query)),
            ("query_params_encode", query_params_encode),
            ("query_params_decode", query_params_decode),
            ("parse", parse),
        ],
    )
}

/// Charges for a string, and for a result that is so many times as long.
fn paid(thread: &Thread, text: &[u8], times: usize) -> Result<(), Error> {
    thread.spend(text.len())?;
    thread.need_memory(text.len().saturating_mul(times))
}

fn url_value(url: Url, mark: Mark) -> Value {
    let user = url.user.clone().map_or(Value::NONE, |user| user_value(user, mark));
    let url = Rc::new(url);
    let (for_user, for_string, for_hostname) = (Rc::clone(&url), Rc::clone(&url), url);
    let without_user = move || url_value(Url { user: None, ..(*for_user).clone() }, mark);
    let fields = [
        ("user", user),
        ("without_user", method("url.value.without_user", without_user)),
        ("string", method("url.value.string", move || Value::string_from(for_string.text()).with_mark(mark))),
        (
            "hostname",
            method("url.value.hostname", move || Value::string(for_hostname.hostname()).with_mark(mark)),
        ),
    ];
    let hint = "@ytt:url.value does not automatically encode (hint: use .string())";
    object("@ytt:url.value", hint, fields)
}

fn user_value(user: User, mark: Mark) -> Value {
    let text = |bytes: &[u8]| Value::string(bytes).with_mark(mark);
    let fields = [
        ("name", text(&user.name)),
        ("password", user.password.as_deref().map_or(Value::NONE, text)),
        ("string", method("string", move || Value::string_from(user.text()).with_mark(mark))),
    ];
    let hint = "@ytt:url.user does not automatically encode (hint: use .string())";
    object("@ytt:url.user", hint, fields)
}

/// The parameters that a dict of lists of strings stands for.
fn query_of(content: &Content) -> Result<Query, Error> {
    let wrong = |what: &str, found: &str| Err(Error::new(format!("expected {what}, but was {found}")));
    let map = match content {
        Content::Value(tree::Value::Map(map)) if map.made == Made::Plain => map,
        Content::Value(other) => return wrong("argument to be a map", go_type(other)),
        Content::Documents(_) => return wrong("argument to be a map", "*yamlmeta.DocumentSet"),
    };
    let mut query = Query::new();
    for item in &map.items {
        let Some(key) = item.key.as_text() else {
            return wrong("map key to be string", go_type(&item.key));
        };
        let tree::Value::Array(array) = &item.value else {
            return wrong("map value to be array", go_type(&item.value));
        };
        if array.made == Made::Yaml {
            return wrong("map value to be array", go_type(&item.value));
        }
        let values = query.entry(key.as_bytes().to_vec()).or_default();
        for value in &array.items {
            match value.value.as_text() {
                Some(text) => values.push(text.as_bytes().to_vec()),
                None => return wrong("array value to be string", go_type(&value.value)),
            }
        }
    }
    Ok(query)
}

/// The Go type that ytt has for a value that came from Starlark.
fn go_type(value: &tree::Value) -> &'static str {
    match value {
        tree::Value::Null => "<nil>",
        tree::Value::Bool(_) => "bool",
        tree::Value::Int(_) => "int64",
        tree::Value::UInt(_) => "uint64",
        tree::Value::Float(_) => "float64",
        tree::Value::String(_) => "string",
        tree::Value::Map(map) if map.made == Made::Plain => "*orderedmap.Map",
        tree::Value::Map(_) => "*yamlmeta.Map",
        tree::Value::Array(array) if array.made == Made::Plain => "[]interface {}",
        tree::Value::Array(_) => "*yamlmeta.Array",
    }
}
