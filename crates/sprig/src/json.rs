//! Conversion to and from JSON.

use trueline_gotemplate::{Context, Data, Element, Error, Function, List, Map, MapKind, Type, Value};
use trueline_yaml::json::{Escaping, Layout, WriteOptions};

use crate::argument::{any, text};
use crate::define::fixed;
use crate::from_json::{Decoded, decode};
use crate::marks::Places;
use crate::text::{kept, weighed};
use crate::to_json::to_json;

const VALUE: &[Type] = &[Type::Any];
const TEXT: &[Type] = &[Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("toJson", VALUE, compact, "VALUE", "The value as JSON in one line."),
    fixed(
        "mustToJson",
        VALUE,
        must_compact,
        "VALUE",
        "Like `toJson`, but fails where that returns an empty string.",
    ),
    fixed("toPrettyJson", VALUE, pretty, "VALUE", "The value as JSON with one line per item."),
    fixed(
        "mustToPrettyJson",
        VALUE,
        must_pretty,
        "VALUE",
        "Like `toPrettyJson`, but fails where that returns an empty string.",
    ),
    fixed("toRawJson", VALUE, raw, "VALUE", "Like `toJson`, without escaping `<`, `>` and `&`."),
    fixed("mustToRawJson", VALUE, raw, "VALUE", "Like `toRawJson`."),
    fixed(
        "fromJson",
        TEXT,
        from_json,
        "STRING",
        "The JSON string as a map; an error message goes under `Error`.",
    ),
    fixed(
        "fromJsonArray",
        TEXT,
        from_json_array,
        "STRING",
        "The JSON string as a list, or a list with the error message.",
    ),
    fixed("mustFromJson", TEXT, must_from_json, "STRING", "The JSON string as a value of any type."),
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

/// An empty string for what cannot be written; a reached limit is still an error.
pub(crate) fn or_nothing(text: Result<Value, Error>) -> Result<Value, Error> {
    match text {
        Err(error) if !error.is_limit() => Ok(Value::from("")),
        text => text,
    }
}

fn written(context: &mut dyn Context, arguments: &[Value], options: WriteOptions) -> Result<Value, Error> {
    let value = any(arguments, 0);
    weighed(context, &value)?;
    let text = to_json(&value, options, context.traces())?;
    context.spend(text.len() as u64)?;
    Ok(Value::from(text).at(value.origin))
}

fn from_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let decoded = decoded(context, arguments)?;
    kept(context, as_map(decoded, ""))
}

fn from_json_array(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let decoded = decoded(context, arguments)?;
    kept(context, as_list(decoded, ""))
}

fn must_from_json(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    match decoded(context, arguments)? {
        Err(words) | Ok(Decoded { error: Some(words), .. }) => Err(Error::new(words)),
        Ok(decoded) => kept(context, decoded.value),
    }
}

fn decoded(context: &mut dyn Context, arguments: &[Value]) -> Result<Result<Decoded, String>, Error> {
    let text = text(arguments, 0);
    context.spend((text.len() as u64).saturating_mul(8))?;
    let places = Places { text: &text, whole: any(arguments, 0).origin };
    Ok(decode(text.as_bytes(), context.traces().then_some(places)))
}

/// The value if it is a map, otherwise a map with the error, which follows `prefix` unless it is a syntax
/// error.
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

/// The value if it is a list, otherwise a list with the error, which follows `prefix` unless it is a syntax
/// error.
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

/// Go's error for a value that does not have the requested type.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, check, shown};
    use trueline_gotemplate::{Entry, Str, Trace};
    use trueline_source::SourceId;

    #[test]
    fn functions_return_what_helm_returns() {
        check(&[
            (
                r#"toJson (dict "b" (list 1 1.5 nil) "a" "<x>&\u2028é")"#,
                r#"string "{\"a\":\"\\u003cx\\u003e\\u0026\\u2028é\",\"b\":[1,1.5,null]}""#,
            ),
            ("toJson (list)", r#"string "[]""#),
            ("toJson (rest (list))", r#"string "null""#),
            (r#"toJson (fromJson "null")"#, r#"string "null""#),
            (r#"toRawJson (dict "a" "<x>")"#, r#"string "{\"a\":\"\u003cx\u003e\"}""#),
            (
                r#"toPrettyJson (dict "a" (list 1 (dict)) "b" (list))"#,
                r#"string "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}""#,
            ),
            ("mustToJson 1e21", r#"string "1e+21""#),
            (r#"toJson (float64 "inf")"#, r#"string """#),
            (r#"mustToJson (float64 "inf")"#, "! json: unsupported value: +Inf"),
            (
                r#"fromJson "{\"a\": [1, 2.5, \"x\\u00e9\\ud83d\\ude00\\ud800\", null, true]}""#,
                r#"map[string]interface {} {"a":[1,2.5,"xé😀�",null,true]}"#,
            ),
            (
                r#"fromJson "[1]""#,
                r#"map[string]interface {} {"Error":"json: cannot unmarshal array into Go value of type map[string]interface {}"}"#,
            ),
            (r#"fromJson "{""#, r#"map[string]interface {} {"Error":"unexpected end of JSON input"}"#),
            (
                r#"fromJson "{\"a\" 1}""#,
                r#"map[string]interface {} {"Error":"invalid character '1' after object key"}"#,
            ),
            (
                r#"fromJson "{\"a\":1,}""#,
                r#"map[string]interface {} {"Error":"invalid character '}' looking for beginning of object key string"}"#,
            ),
            (
                r#"fromJson "{a:1}""#,
                r#"map[string]interface {} {"Error":"invalid character 'a' looking for beginning of object key string"}"#,
            ),
            (
                r#"fromJson "\"x\"""#,
                r#"map[string]interface {} {"Error":"json: cannot unmarshal string into Go value of type map[string]interface {}"}"#,
            ),
            (
                r#"fromJson "tru""#,
                r#"map[string]interface {} {"Error":"invalid character ' ' in literal true (expecting 'e')"}"#,
            ),
            (
                r#"fromJson "{\"a\":1e999,\"b\":1}""#,
                r#"map[string]interface {} {"Error":"json: cannot unmarshal number 1e999 into Go value of type float64","a":null,"b":1}"#,
            ),
            (r#"fromJson """#, r#"map[string]interface {} {"Error":"unexpected end of JSON input"}"#),
            (r#"fromJsonArray "[1,""#, r#"[]interface {} ["unexpected end of JSON input"]"#),
            (
                r#"fromJsonArray "[1,{}] x""#,
                r#"[]interface {} ["invalid character 'x' after top-level value"]"#,
            ),
            (
                r#"fromJsonArray "{}""#,
                r#"[]interface {} ["json: cannot unmarshal object into Go value of type []interface {}"]"#,
            ),
            (r#"fromJsonArray "null""#, "[]interface {} null"),
            (r#"mustFromJson "01""#, "! invalid character '1' after top-level value"),
            (r#"mustFromJson "\"\\x\"""#, "! invalid character 'x' in string escape code"),
            (r#"mustFromJson "\"a\nb\"""#, r"! invalid character '\n' in string literal"),
            (r#"mustFromJson "1""#, "float64 1"),
            (r#"mustFromJson "'""#, r"! invalid character '\'' looking for beginning of value"),
        ]);
    }

    #[test]
    fn scalars_keep_their_origin_in_both_directions() {
        let span = |start| SourceId::from_index(0).span(start, start + 5);
        let map = Map::new(MapKind::Any);
        let value = Value::list(vec![Value::from("x").at(Some(span(10))), Value::int(7).at(Some(span(20)))]);
        map.set_entry("key", Entry { key_origin: Some(span(0)), value });
        let written = call(FUNCTIONS, "toJson", &[Value::from(map)]).unwrap();
        let text = written.as_str().unwrap();
        assert_eq!(text.text(), r#"{"key":["x",7]}"#);
        assert_eq!(
            [0, 1, 6, 8, 11, 12].map(|offset| text.trace_at(offset)),
            [
                Trace::Unknown,
                Trace::Value(span(0)),
                Trace::Unknown,
                Trace::Value(span(10)),
                Trace::Unknown,
                Trace::Value(span(20))
            ]
        );
        let read = call(FUNCTIONS, "fromJson", &[written]).unwrap();
        let entry = read.as_map().unwrap().entry("key").unwrap();
        let origins: Vec<_> = entry.value.as_list().unwrap().iter().map(|item| item.origin).collect();
        assert_eq!((entry.key_origin, origins), (Some(span(0)), vec![Some(span(10)), Some(span(20))]));
    }

    #[test]
    fn bytes_that_are_not_utf8_become_escapes() {
        let value = Value::from(Str::from(&b"a\xff\xe2\x82<"[..]));
        assert_eq!(shown(call(FUNCTIONS, "toJson", &[value])), r#""a\ufffd\ufffd\ufffd\u003c""#);
    }
}
