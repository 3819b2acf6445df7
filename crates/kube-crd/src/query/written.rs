//! Values and types as people read them: written in CEL, or as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use trueline_cel::shape::FieldShape;
use trueline_cel::syntax::{write_bytes, write_string};
use trueline_cel::types::Type;
use trueline_cel::value::{Map, Opaque, Value, read};
use trueline_gostd::base64;

/// Values that are longer are not written: a few characters of an expression can make a list that fills any memory.
pub const LONGEST: usize = 8 << 20;

/// How deep a value may be that is written.
const DEEPEST: usize = 1_000;

/// A value as an expression that gives it; nothing if it is too long.
pub(super) fn in_cel(value: &Value) -> Option<String> {
    written(value, Form::Cel)
}

/// A value as JSON; nothing if it is too long. What JSON has no form for is a string, as in the JSON of protobuf.
pub(super) fn in_json(value: &Value) -> Option<String> {
    written(value, Form::Json)
}

fn written(value: &Value, form: Form) -> Option<String> {
    let mut writer = Writer { text: String::new(), form };
    writer.value(value, 0)?;
    Some(writer.text)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Cel,
    Json,
}

struct Writer {
    text: String,
    form: Form,
}

impl Writer {
    fn value(&mut self, value: &Value, depth: usize) -> Option<()> {
        if self.text.len() > LONGEST || depth > DEEPEST {
            return None;
        }
        match value {
            Value::Null => self.text.push_str("null"),
            Value::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => self.plain(value),
            Value::UInt(value) => {
                self.plain(value);
                if self.form == Form::Cel {
                    self.text.push('u');
                }
            }
            Value::Double(value) => self.double(*value),
            Value::String(value) => self.string(value),
            Value::Bytes(bytes) => self.bytes(bytes),
            Value::Duration(value) => {
                self.call("duration", &trueline_gostd::time::Duration(*value).to_string())
            }
            Value::Timestamp(value) => self.call("timestamp", &value.rfc3339()),
            // Each item takes a character and a comma at least.
            Value::List(list) if list.len() > LONGEST / 2 => return None,
            Value::List(list) => {
                self.text.push('[');
                for (index, item) in list.iter().enumerate() {
                    self.separate(index);
                    self.value(&item, depth + 1)?;
                }
                self.text.push(']');
            }
            Value::Map(map) => self.map(map, depth)?,
            Value::Type(value) => match self.form {
                Form::Cel => self.text.push_str(value.runtime_name()),
                Form::Json => self.string(value.runtime_name()),
            },
            Value::Optional(inner) => self.optional(inner.as_deref(), depth)?,
            Value::Opaque(opaque) => self.opaque(&**opaque),
        }
        (self.text.len() <= LONGEST).then_some(())
    }

    fn plain(&mut self, value: &dyn std::fmt::Display) {
        let _ = write!(self.text, "{value}");
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.text.push_str(if self.form == Form::Cel { ", " } else { "," });
        }
    }

    fn double(&mut self, value: f64) {
        if value.is_finite() {
            // The form for debugging always has a point or an exponent.
            let _ = write!(self.text, "{value:?}");
            return;
        }
        let name = match value {
            value if value.is_nan() => "NaN",
            value if value > 0.0 => "Infinity",
            _ => "-Infinity",
        };
        self.call("double", name);
    }

    /// A value that a function makes of a string. JSON has only the string.
    fn call(&mut self, function: &str, argument: &str) {
        if self.form == Form::Json {
            self.string(argument);
            return;
        }
        self.text.push_str(function);
        self.text.push('(');
        self.string(argument);
        self.text.push(')');
    }

    fn string(&mut self, value: &str) {
        // The escapes of CEL are those of JSON as well.
        write_string(&mut self.text, value);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        match self.form {
            Form::Json => self.string(&base64::STANDARD.encode(bytes)),
            Form::Cel => write_bytes(&mut self.text, bytes),
        }
    }

    fn map(&mut self, map: &Map, depth: usize) -> Option<()> {
        self.text.push('{');
        match map {
            // The fields of an object have the keys and the order of its document; what expressions do not see is left out.
            Map::Object(fields, shape) => {
                let seen: BTreeMap<&str, &FieldShape> =
                    shape.fields.values().map(|field| (&*field.key, field)).collect();
                let present =
                    fields.iter().filter(|(_, entry)| !matches!(entry.value.data, trueline_yaml::Data::Null));
                let present = present.filter_map(|(key, entry)| Some((key, seen.get(&**key)?, entry)));
                for (index, (key, field, entry)) in present.enumerate() {
                    self.separate(index);
                    self.key(&Value::String(key.clone()), depth)?;
                    self.value(&read(&entry.value, &field.shape), depth + 1)?;
                }
            }
            _ => {
                for (index, (key, value)) in map.iter().enumerate() {
                    self.separate(index);
                    self.key(&key, depth)?;
                    self.value(&value, depth + 1)?;
                }
            }
        }
        self.text.push('}');
        Some(())
    }

    fn key(&mut self, key: &Value, depth: usize) -> Option<()> {
        match (self.form, key) {
            (Form::Cel, _) | (_, Value::String(_)) => self.value(key, depth + 1)?,
            // The keys of JSON are strings.
            (Form::Json, other) => {
                let text = in_cel(other)?;
                self.string(text.trim_end_matches('u'));
            }
        }
        self.text.push_str(if self.form == Form::Cel { ": " } else { ":" });
        Some(())
    }

    fn optional(&mut self, inner: Option<&Value>, depth: usize) -> Option<()> {
        match (self.form, inner) {
            (Form::Cel, None) => self.text.push_str("optional.none()"),
            (Form::Json, None) => self.text.push_str("null"),
            (Form::Cel, Some(inner)) => {
                self.text.push_str("optional.of(");
                self.value(inner, depth + 1)?;
                self.text.push(')');
            }
            (Form::Json, Some(inner)) => self.value(inner, depth + 1)?,
        }
        Some(())
    }

    fn opaque(&mut self, opaque: &dyn Opaque) {
        let function = match opaque.opaque_type().name {
            "kubernetes.Quantity" => "quantity",
            "kubernetes.URL" => "url",
            "kubernetes.Semver" => "semver",
            "kubernetes.NamedFormat" => "format.named",
            "net.IP" => "ip",
            "net.CIDR" => "cidr",
            _ if self.form == Form::Cel => return self.text.push_str(&opaque.text()),
            _ => "",
        };
        self.call(function, &opaque.text());
    }
}

/// A type in CEL's words. Objects have names that the server makes up; nobody is helped by them.
pub(super) fn type_text(declared: &Type) -> String {
    match declared {
        Type::Object(_) => "object".to_owned(),
        Type::List(item) => format!("list({})", type_text(item)),
        Type::Map(key, value) => format!("map({}, {})", type_text(key), type_text(value)),
        Type::Optional(value) => format!("optional_type({})", type_text(value)),
        Type::Type(Some(inner)) => format!("type({})", type_text(inner)),
        other => other.to_string(),
    }
}

/// The type that a value turned out to have.
pub(super) fn value_type_text(value: &Value) -> String {
    match value {
        Value::List(_) => "list".to_owned(),
        Value::Map(Map::Object(..)) => "object".to_owned(),
        Value::Map(_) => "map".to_owned(),
        Value::Optional(_) => "optional_type".to_owned(),
        other => other.type_of().to_string(),
    }
}
