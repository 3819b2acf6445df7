//! Values as the server prints them in its errors.

use std::fmt::Write;

use trueline_kube_facts::go_quoted;
use trueline_yaml::{Data, Value, number};

/// A value as it is printed after `Invalid value:`: strings in Go's quotes, numbers and booleans as they are, anything else as
/// JSON in one line.
pub(crate) fn printed(value: &Value) -> String {
    match &value.data {
        Data::String(text) => go_quoted(text),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::UInt(value) => number::general(*value as f64),
        Data::Float(value) => number::general(*value),
        Data::Null | Data::List(_) | Data::Map(_) => json(value),
    }
}

/// JSON in one line, as Go writes it. What has no spelling in JSON was refused when the value was decoded.
pub(crate) fn json(value: &Value) -> String {
    value.to_json_text().unwrap_or_default()
}

/// A value as Go's `%v` prints it.
pub(crate) fn plain(value: &Value) -> String {
    let mut text = String::new();
    write_plain(&mut text, value);
    text
}

fn write_plain(text: &mut String, value: &Value) {
    // Writing to a string cannot fail.
    let _ = match &value.data {
        Data::Null => write!(text, "<nil>"),
        Data::Bool(value) => write!(text, "{value}"),
        Data::Int(value) => write!(text, "{value}"),
        Data::UInt(value) => write!(text, "{}", number::general(*value as f64)),
        Data::Float(value) => write!(text, "{}", number::general(*value)),
        Data::String(content) => write!(text, "{content}"),
        Data::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                write_plain(text, item);
            }
            write!(text, "]")
        }
        Data::Map(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            text.push_str("map[");
            for (index, (key, entry)) in entries.into_iter().enumerate() {
                let _ = write!(text, "{}{key}:", if index > 0 { " " } else { "" });
                write_plain(text, &entry.value);
            }
            write!(text, "]")
        }
    };
}

/// The name of Go's type for a value that was decoded into no type of its own.
pub(crate) fn go_type(value: &Value) -> &'static str {
    match &value.data {
        Data::Null => "<nil>",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int64",
        Data::UInt(_) | Data::Float(_) => "float64",
        Data::String(_) => "string",
        Data::List(_) => "[]interface {}",
        Data::Map(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_the_server_prints_them() {
        let cases = [
            ("\"a\\\"\\n\"", "\"a\\\"\\n\"", "a\"\n"),
            ("1", "1", "1"),
            ("1.5", "1.5", "1.5"),
            ("10000000.5", "1.00000005e+07", "1.00000005e+07"),
            ("true", "true", "true"),
            ("null", "null", "<nil>"),
            (
                "{\"b\": [1, \"<\"], \"a\": null}",
                "{\"a\":null,\"b\":[1,\"\\u003c\"]}",
                "map[a:<nil> b:[1 <]]",
            ),
        ];
        for (text, expected, expected_plain) in cases {
            let value = Value::from_json_text(text).unwrap();
            assert_eq!(printed(&value), expected);
            assert_eq!(plain(&value), expected_plain);
        }
    }
}
