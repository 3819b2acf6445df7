//! How Go prints values, as error texts repeat it.

use std::fmt;

use trueline_gostd::number;

use crate::value::{Timestamp, Value};

/// Lists and maps print at most this many bytes, so a fault about a large value stays small.
const LONGEST: usize = 1 << 16;

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        write(self, &mut text);
        formatter.write_str(&text)
    }
}

fn write(value: &Value, text: &mut String) {
    if text.len() > LONGEST {
        return;
    }
    match value {
        Value::Null => text.push_str("NULL_VALUE"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => text.push_str(&value.to_string()),
        Value::UInt(value) => text.push_str(&value.to_string()),
        Value::Double(value) => text.push_str(&number::general(*value)),
        Value::String(value) => text.push_str(value),
        Value::Bytes(bytes) => {
            let bytes: Vec<String> = bytes.iter().take(LONGEST).map(u8::to_string).collect();
            text.push_str(&format!("[{}]", bytes.join(" ")));
        }
        Value::Duration(value) => text.push_str(&trueline_gostd::time::Duration(*value).to_string()),
        Value::Timestamp(value) => text.push_str(&value.go_text()),
        Value::List(list) => {
            text.push('[');
            for (index, item) in list.iter().enumerate() {
                if text.len() > LONGEST {
                    break;
                }
                if index > 0 {
                    text.push_str(", ");
                }
                write(&item, text);
            }
            text.push(']');
        }
        Value::Map(map) => {
            text.push('{');
            for (index, (key, value)) in map.iter().enumerate() {
                if text.len() > LONGEST {
                    break;
                }
                if index > 0 {
                    text.push_str(", ");
                }
                write(&key, text);
                text.push_str(": ");
                write(&value, text);
            }
            text.push('}');
        }
        Value::Type(value) => text.push_str(value.runtime_name()),
        Value::Optional(None) => text.push_str("optional.none()"),
        Value::Optional(Some(value)) => {
            text.push_str("optional(");
            write(value, text);
            text.push(')');
        }
        Value::Opaque(opaque) => text.push_str(&opaque.text()),
    }
}

impl Timestamp {
    /// As RFC 3339 in its own zone, with as many digits as it has.
    pub fn rfc3339(&self) -> String {
        self.written(b"2006-01-02T15:04:05.999999999Z07:00")
    }

    fn go_text(&self) -> String {
        self.written(b"2006-01-02 15:04:05.999999999 -0700 MST")
    }

    fn written(&self, layout: &[u8]) -> String {
        use trueline_gostd::time::{Time, Zone};
        let zone = if self.offset == 0 { Zone::Utc } else { Zone::fixed(b"", i64::from(self.offset)) };
        let time = Time::unix(self.seconds, self.nanoseconds).in_zone(zone);
        String::from_utf8_lossy(&time.format(layout)).into_owned()
    }
}
