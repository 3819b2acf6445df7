//! Values as Go's `fmt` prints them in Helm's own messages.

use std::fmt::Write as _;

use trueline_yaml::{Data, Value, number};

/// The verb `%v`.
pub(crate) fn go_value(value: &Value) -> String {
    let mut text = String::new();
    push(&mut text, value, &plain);
    text
}

/// The verb `%t`, which fits truth values only and says so of everything else.
pub(super) fn go_truth(value: &Value) -> String {
    if matches!(value.data, Data::Null) {
        return "%!t(<nil>)".to_owned();
    }
    let mut text = String::new();
    push(&mut text, value, &|text, value| match &value.data {
        Data::Bool(_) | Data::Null => plain(text, value),
        _ => {
            let _ = write!(text, "%!t({}=", go_type(&value.data));
            plain(text, value);
            text.push(')');
        }
    });
    text
}

/// Go's name of the type that a value has in a map of values.
pub(crate) fn go_type(data: &Data) -> &'static str {
    match data {
        Data::Null => "nil",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int64",
        Data::UInt(_) => "uint64",
        Data::Float(_) => "float64",
        Data::String(_) => "string",
        Data::List(_) => "[]interface {}",
        Data::Map(_) => "map[string]interface {}",
    }
}

fn push(text: &mut String, value: &Value, scalar: &dyn Fn(&mut String, &Value)) {
    match &value.data {
        Data::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                push(text, item, scalar);
            }
            text.push(']');
        }
        Data::Map(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            text.push_str("map[");
            for (index, (key, entry)) in entries.into_iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                scalar(text, &Value::new(Data::String(key.clone())));
                text.push(':');
                push(text, &entry.value, scalar);
            }
            text.push(']');
        }
        _ => scalar(text, value),
    }
}

/// Writing to a string cannot fail.
fn plain(text: &mut String, value: &Value) {
    let _ = match &value.data {
        Data::Bool(value) => write!(text, "{value}"),
        Data::Int(value) => write!(text, "{value}"),
        Data::UInt(value) => write!(text, "{value}"),
        Data::Float(value) => write!(text, "{}", number::general(*value)),
        Data::String(value) => write!(text, "{value}"),
        Data::Null | Data::List(_) | Data::Map(_) => write!(text, "<nil>"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_go_prints_them() {
        for (json, value, truth) in [
            ("null", "<nil>", "%!t(<nil>)"),
            ("true", "true", "true"),
            ("5", "5", "%!t(float64=5)"),
            ("1000000", "1e+06", "%!t(float64=1e+06)"),
            ("\"x y\"", "x y", "%!t(string=x y)"),
            (r#"[1, "a", null]"#, "[1 a <nil>]", "[%!t(float64=1) %!t(string=a) <nil>]"),
            (r#"{"b": true, "a": []}"#, "map[a:[] b:true]", "map[%!t(string=a):[] %!t(string=b):true]"),
        ] {
            let parsed = Value::from_json_text(json).unwrap().with_json_numbers();
            assert_eq!(go_value(&parsed), value);
            assert_eq!(go_truth(&parsed), truth);
        }
        assert_eq!(go_truth(&Value::from(5i64)), "%!t(int64=5)");
    }
}
