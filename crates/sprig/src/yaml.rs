//! Conversion to and from YAML.

use std::sync::Arc;

use trueline_gotemplate::{Context, Data, Entry, Error, Function, Map, MapKind, Type, Value};
use trueline_source::Span;
use trueline_yaml::{self as yaml, Dialect};

use crate::argument::{any, text};
use crate::define::fixed;
use crate::from_json::Decoded;
use crate::json::{as_list, as_map, or_nothing};
use crate::marks::Places;
use crate::text::{kept, weighed};
use crate::to_yaml::to_yaml;

const VALUE: &[Type] = &[Type::Any];
const TEXT: &[Type] = &[Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("toYaml", VALUE, write, "VALUE", "The value as YAML, without the last line break."),
    fixed(
        "mustToYaml",
        VALUE,
        must_write,
        "VALUE",
        "Like `toYaml`, but fails where that returns an empty string.",
    ),
    fixed(
        "toYamlPretty",
        VALUE,
        write_pretty,
        "VALUE",
        "Like `toYaml`, with lists indented under their keys.",
    ),
    fixed(
        "fromYaml",
        TEXT,
        from_yaml,
        "STRING",
        "The YAML string as a map; an error message goes under `Error`.",
    ),
    fixed(
        "fromYamlArray",
        TEXT,
        from_yaml_array,
        "STRING",
        "The YAML string as a list, or a list with the error message.",
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
    weighed(context, &value)?;
    let text = to_yaml(&value, dialect, context.traces())?;
    context.spend(text.len() as u64)?;
    Ok(Value::from(text).at(value.origin))
}

fn from_yaml(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = match decoded(context, arguments)? {
        // Unlike JSON's null, YAML's null does not change the map.
        Ok(decoded) if decoded.value.is_nil() => Value::from(Map::new(MapKind::Any)),
        decoded => as_map(decoded, DETOUR),
    };
    kept(context, map)
}

fn from_yaml_array(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = match decoded(context, arguments)? {
        Ok(decoded) if decoded.value.is_nil() => Value::list(Vec::new()),
        decoded => as_list(decoded, DETOUR),
    };
    kept(context, list)
}

/// The prefix of errors about the JSON that YAML is converted to.
const DETOUR: &str = "error unmarshaling JSON: while decoding JSON: ";

/// A decoded text in the form that the JSON functions use.
fn decoded(context: &mut dyn Context, arguments: &[Value]) -> Result<Result<Decoded, String>, Error> {
    let text = text(arguments, 0);
    context.spend((text.len() as u64).saturating_mul(8))?;
    let places = Places { text: &text, whole: any(arguments, 0).origin };
    let places = context.traces().then_some(&places);
    if let Some(words) = misplaced(text.as_bytes()) {
        return Ok(Err(format!("error converting YAML to JSON: yaml: {words}")));
    }
    Ok(match yaml::yaml_to_value(&text.text()) {
        Ok(value) => Ok(Decoded { value: from_plain(&value, places), error: None }),
        Err(words) => Err(format!("error converting YAML to JSON: {words}")),
    })
}

/// The value for templates, with floats for all numbers, as after the detour through JSON.
fn from_plain(value: &yaml::Value, places: Option<&Places<'_>>) -> Value {
    let range = |span: Span| span.start as usize..span.end as usize;
    let origin = |span: Option<Span>| places?.origin(range(span?));
    let data = match &value.data {
        yaml::Data::Null => Data::Nil,
        yaml::Data::Bool(value) => Data::Bool(*value),
        yaml::Data::Int(value) => Data::Float(*value as f64),
        yaml::Data::UInt(value) => Data::Float(*value as f64),
        yaml::Data::Float(value) => Data::Float(*value),
        yaml::Data::String(text) => {
            let copied = places.zip(value.origin).and_then(|(places, span)| places.copied(range(span), text));
            match copied {
                Some(parts) => return Value::from(parts),
                None => Data::String(Arc::clone(text).into()),
            }
        }
        yaml::Data::List(items) => {
            return Value::list(items.iter().map(|item| from_plain(item, places)).collect());
        }
        yaml::Data::Map(map) => {
            let entries = map.iter().map(|(key, entry)| {
                let value = from_plain(&entry.value, places);
                (Arc::clone(key), Entry { key_origin: origin(entry.key_origin), value })
            });
            return Value::from(Map::from_entries(MapKind::Any, entries));
        }
    };
    Value { data, origin: origin(value.origin) }
}

/// libyaml's message about the first bytes that are not UTF-8.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, check, shown};
    use trueline_gotemplate::{Str, StrBuilder, Trace};
    use trueline_source::SourceId;

    #[test]
    fn functions_return_what_helm_returns() {
        check(&[
            (
                r#"toYaml (dict "b" (list 1 "x" (list 2)) "a" (dict "c" nil "d" (list) "e" (dict)) "a10" 1 "a9" 1)"#,
                r#"string "a:\n  c: null\n  d: []\n  e: {}\na9: 1\na10: 1\nb:\n- 1\n- x\n- - 2""#,
            ),
            (
                r#"toYamlPretty (dict "b" (list 1 (list 2)) "a" 1e21)"#,
                r#"string "a: 1e+21\nb:\n  - 1\n  - - 2""#,
            ),
            (r#"toYaml "multi\nline\n""#, r#"string "|\n  multi\n  line""#),
            (r#"toYaml "true""#, r#"string "\"true\"""#),
            ("toYaml (rest (list))", r#"string "null""#),
            ("toYamlPretty (rest (list))", r#"string "[]""#),
            ("toYaml nil", r#"string "null""#),
            (r#"toYaml (float64 "nan")"#, r#"string """#),
            (r#"mustToYaml (float64 "nan")"#, "! error marshaling into JSON: json: unsupported value: NaN"),
            (r#"toYaml "a\u007f""#, r#"string """#),
            (r#"mustToYaml "a\u007f""#, "! yaml: control characters are not allowed"),
            (r#"toYaml "a\u0085b""#, r#"string "a b""#),
            (
                r#"fromYaml "a: 1\nb: [x, yes, 0x10, ~]\n""#,
                r#"map[string]interface {} {"a":1,"b":["x",true,16,null]}"#,
            ),
            (
                r#"fromYaml "- 1""#,
                r#"map[string]interface {} {"Error":"error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"}"#,
            ),
            (r#"fromYaml """#, "map[string]interface {} {}"),
            (r#"fromYaml "null""#, "map[string]interface {} {}"),
            (
                r#"fromYaml "a: b: c""#,
                r#"map[string]interface {} {"Error":"error converting YAML to JSON: yaml: mapping values are not allowed in this context"}"#,
            ),
            (
                r#"fromYaml "x""#,
                r#"map[string]interface {} {"Error":"error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type map[string]interface {}"}"#,
            ),
            (r#"fromYamlArray "- 1\n- a: b\n""#, r#"[]interface {} [1,{"a":"b"}]"#),
            (
                r#"fromYamlArray "a: 1""#,
                r#"[]interface {} ["error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go value of type []interface {}"]"#,
            ),
            (r#"fromYamlArray """#, "[]interface {} []"),
            (r#"fromYaml "1: 2\ntrue: 3\n""#, r#"map[string]interface {} {"1":2,"true":3}"#),
        ]);
    }

    #[test]
    fn scalars_keep_their_origin_in_both_directions() {
        let span = |start| SourceId::from_index(0).span(start, start + 5);
        let map = Map::new(MapKind::Any);
        let entry = |key: usize, value: Value| Entry { key_origin: Some(span(key)), value };
        map.set_entry("text", entry(100, Value::from("a: b").at(Some(span(110)))));
        map.set_entry("number", entry(200, Value::int(7).at(Some(span(210)))));
        map.set_entry("list", entry(300, Value::list(vec![Value::from("x").at(Some(span(310)))])));
        map.set_entry("lines", entry(400, Value::from("one\ntwo\n").at(Some(span(410)))));
        let written = call(FUNCTIONS, "toYaml", &[Value::from(map)]).unwrap();
        let text = written.as_str().unwrap();
        assert_eq!(text.text(), "lines: |\n  one\n  two\nlist:\n- x\nnumber: 7\ntext: 'a: b'");
        let place = |part: &str| text.trace_at(text.text().find(part).unwrap());
        for (part, start) in
            [("lines", 400), ("|", 410), ("two", 410), ("x", 310), ("number", 200), ("7", 210), ("'a", 110)]
        {
            assert_eq!(place(part), Trace::Value(span(start)), "{part}");
        }
        assert_eq!(place(": 7"), Trace::Unknown);

        let read = call(FUNCTIONS, "fromYaml", &[written]).unwrap();
        let read = read.as_map().unwrap();
        let found = |key: &str| read.entry(key).map(|entry| (entry.key_origin, entry.value.origin));
        assert_eq!(found("number"), Some((Some(span(200)), Some(span(210)))));
        assert_eq!(found("text"), Some((Some(span(100)), Some(span(110)))));
        assert_eq!(found("lines"), Some((Some(span(400)), Some(span(410)))));
    }

    #[test]
    fn strings_of_several_parts_keep_them_in_both_directions() {
        let span = |start| SourceId::from_index(0).span(start, start + 5);
        for [before, behind] in [["a: ", "\n"], ["a: '", "'\n"], ["a: \"", "\"\n"]] {
            let mut builder = StrBuilder::default();
            builder.push(before.as_bytes(), Trace::Unknown);
            builder.push(b"image", Trace::Value(span(10)));
            builder.push(b":", Trace::Unknown);
            builder.push(b"tag", Trace::Printed { action: span(90), value: Some(span(20)) });
            builder.push(behind.as_bytes(), Trace::Unknown);
            let read = call(FUNCTIONS, "fromYaml", &[Value::from(builder.finish())]).unwrap();
            let text = read.as_map().unwrap().get("a").unwrap();
            let starts: Vec<_> = text.as_str().unwrap().runs().iter().map(|run| run.start).collect();
            assert_eq!(starts, [0, 5, 6]);
            let json = call(crate::json::FUNCTIONS, "toJson", &[read]).unwrap();
            let read = call(crate::json::FUNCTIONS, "fromJson", &[json]).unwrap();
            let written = call(FUNCTIONS, "toYaml", &[read]).unwrap();
            let written = written.as_str().unwrap();
            assert_eq!(written.text(), "a: image:tag");
            assert_eq!(written.trace_at(3), Trace::Value(span(10)));
            assert_eq!(written.trace_at(8), Trace::Unknown);
            assert_eq!(written.trace_at(9), Trace::Value(span(20)));
        }
    }

    #[test]
    fn blocks_keep_the_parts_of_their_lines() {
        let span = |start| SourceId::from_index(0).span(start, start + 5);
        let mut builder = StrBuilder::default();
        builder.push(b"a:\n  b: |\n    one ", Trace::Unknown);
        builder.push(b"1", Trace::Value(span(10)));
        builder.push(b"\n\n    two ", Trace::Unknown);
        builder.push(b"2", Trace::Value(span(20)));
        builder.push(b"\n  c: 1\n", Trace::Unknown);
        let read = call(FUNCTIONS, "fromYaml", &[Value::from(builder.finish())]).unwrap();
        let inner = read.as_map().unwrap().get("a").unwrap();
        let text = inner.as_map().unwrap().get("b").unwrap();
        let text = text.as_str().unwrap();
        assert_eq!(text.text(), "one 1\n\ntwo 2\n");
        assert_eq!((text.trace_at(4), text.trace_at(11)), (Trace::Value(span(10)), Trace::Value(span(20))));
        let json = call(crate::json::FUNCTIONS, "toJson", &[read]).unwrap();
        let read = call(crate::json::FUNCTIONS, "fromJson", &[json]).unwrap();
        let written = call(FUNCTIONS, "toYaml", &[read]).unwrap();
        let written = written.as_str().unwrap();
        let place = |part: &str| written.trace_at(written.text().find(part).unwrap());
        assert_eq!(written.text(), "a:\n  b: |\n    one 1\n\n    two 2\n  c: 1");
        assert_eq!((place("1\n"), place("2\n")), (Trace::Value(span(10)), Trace::Value(span(20))));
    }

    #[test]
    fn a_string_with_one_origin_passes_it_to_everything_in_it() {
        let origin = Some(SourceId::from_index(0).span(3, 9));
        let read = call(FUNCTIONS, "fromYaml", &[Value::from("a: 1").at(origin)]).unwrap();
        assert_eq!(read.as_map().unwrap().get("a").unwrap().origin, origin);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_as_by_libyaml() {
        for (bytes, words) in [
            (&b"a: \xff"[..], "invalid leading UTF-8 octet"),
            (b"a: \xe2\x82", "incomplete UTF-8 octet sequence"),
            (b"a: \xe2x\x82", "invalid trailing UTF-8 octet"),
            (b"a: \xc0\x80", "invalid length of a UTF-8 sequence"),
            (b"a: \xed\xa0\x80", "invalid Unicode character"),
        ] {
            let read = call(FUNCTIONS, "fromYaml", &[Value::from(Str::from(bytes))]).unwrap();
            let expected = format!("error converting YAML to JSON: yaml: {words}");
            let found = read.as_map().unwrap().get("Error").unwrap();
            assert_eq!(found.as_str().unwrap().text(), expected);
        }
    }

    #[test]
    fn a_map_that_contains_itself_has_no_yaml() {
        let map = Map::new(MapKind::Any);
        map.set("self", Value::from(map.clone()));
        assert_eq!(shown(call(FUNCTIONS, "toYaml", &[Value::from(map.clone())])), "");
        map.remove("self");
    }
}
