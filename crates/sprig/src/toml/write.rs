//! Writing: keys with plain values first, then tables, each indented by its depth.

use trueline_gotemplate::{Data, Kind, MapKind, Object, Origins, Str, StrBuilder, Trace, Value, fmt};

use super::{LOCAL_DATE, LOCAL_DATE_TIME, LOCAL_TIME, MAX_DEPTH, joined, quoted, quoted_key};
use crate::argument::trace;
use crate::time::{Time, Zone, as_duration, as_time};

/// Writes a value; the error is Go's text.
pub(crate) fn write(value: &Value) -> Result<Str, String> {
    if value.is_nil() {
        return Err("reflect: call of reflect.Value.Type on zero Value".to_owned());
    }
    let mut writer = Writer { out: StrBuilder::default(), depth: 0 };
    writer.encode(&[], value)?;
    Ok(writer.out.finish())
}

/// What a value is in this format. Nothing at all is left out of tables and refused in arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Nothing,
    Plain,
    Array,
    Table,
    Tables,
}

struct Writer {
    out: StrBuilder,
    depth: usize,
}

impl Writer {
    fn encode(&mut self, key: &[String], value: &Value) -> Result<(), String> {
        match shape(value, MAX_DEPTH)? {
            Shape::Nothing => Ok(()),
            Shape::Plain | Shape::Array => self.key_value(key, value, Place::Line),
            Shape::Tables => self.tables(key, value),
            Shape::Table => self.table(key, value),
        }
    }

    fn push(&mut self, text: impl AsRef<[u8]>) {
        self.out.push(text.as_ref(), Trace::Unknown);
    }

    /// A line break, unless nothing stands above.
    fn line_break(&mut self) {
        if !self.out.bytes().is_empty() {
            self.push("\n");
        }
    }

    fn key_value(&mut self, key: &[String], value: &Value, place: Place) -> Result<(), String> {
        let Some((last, parents)) = key.split_last() else { return self.element(value) };
        self.push("  ".repeat(parents.len()));
        self.push(quoted_key(last));
        self.push(" = ");
        self.element(value)?;
        if place == Place::Line {
            self.line_break();
        }
        Ok(())
    }

    fn table(&mut self, key: &[String], value: &Value) -> Result<(), String> {
        // Tables of the first level have an empty line above.
        if key.len() == 1 {
            self.line_break();
        }
        if let Some(parents) = key.len().checked_sub(1) {
            self.push(format!("{}[{}]", "  ".repeat(parents), joined(key)));
            self.line_break();
        }
        self.entries(key, value, Place::Line)
    }

    fn tables(&mut self, key: &[String], value: &Value) -> Result<(), String> {
        let Some(parents) = key.len().checked_sub(1) else {
            return Err("toml: top-level values must be Go maps or structs".to_owned());
        };
        for item in items(value) {
            if shape(&item, MAX_DEPTH)? == Shape::Nothing {
                continue;
            }
            self.line_break();
            self.push(format!("{}[[{}]]", "  ".repeat(parents), joined(key)));
            self.line_break();
            self.entries(key, &item, Place::Line)?;
        }
        Ok(())
    }

    /// The entries of a table: those that are no tables first.
    fn entries(&mut self, key: &[String], value: &Value, place: Place) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("toml: the value is nested too deeply".to_owned());
        }
        let mut parts = (Vec::new(), Vec::new());
        for (name, value) in entries(value) {
            let is_table = matches!(shape(&value, MAX_DEPTH)?, Shape::Table | Shape::Tables);
            let part = if is_table { &mut parts.1 } else { &mut parts.0 };
            part.push((name, value));
        }
        if place == Place::Inline {
            self.push("{");
        }
        let both = [(&parts.0, !parts.1.is_empty()), (&parts.1, false)];
        for (part, more) in both {
            for (index, (name, value)) in part.iter().enumerate() {
                if shape(value, MAX_DEPTH)? == Shape::Nothing {
                    continue;
                }
                if place == Place::Line {
                    self.encode(&[key, std::slice::from_ref(name)].concat(), value)?;
                    continue;
                }
                self.key_value(std::slice::from_ref(name), value, Place::Inline)?;
                // The comma depends on the place alone: one stands also before what is left out.
                if more || index + 1 < part.len() {
                    self.push(", ");
                }
            }
        }
        if place == Place::Inline {
            self.push("}");
        }
        self.depth -= 1;
        Ok(())
    }

    /// A value behind a key or in an array.
    fn element(&mut self, value: &Value) -> Result<(), String> {
        let trace = trace(value);
        if let Some(time) = as_time(value) {
            self.out.push(&shown_time(&time), trace);
            return Ok(());
        }
        if let Some(span) = as_duration(value) {
            self.out.push(&quoted(span.to_string().as_bytes()), trace);
            return Ok(());
        }
        match &value.data {
            Data::String(text) => self.out.push(&quoted(text.as_bytes()), trace),
            Data::Bool(truth) => self.out.push(truth.to_string().as_bytes(), trace),
            Data::Int(_, number) => self.out.push(number.to_string().as_bytes(), trace),
            Data::Uint(_, number) => self.out.push(number.to_string().as_bytes(), trace),
            Data::Float(number) => self.out.push(shown_float(*number).as_bytes(), trace),
            Data::List(_) | Data::Bytes(_) => return self.array(value),
            Data::Map(_) => return self.entries(&[], value, Place::Inline),
            Data::Object(object) => match kind_of(&**object) {
                ObjectShape::Text => self.out.push(&quoted(object.text().as_bytes()), trace),
                ObjectShape::Number => return self.element(&plain(&**object)),
                ObjectShape::Array => return self.array(value),
                ObjectShape::Table => return self.entries(&[], value, Place::Inline),
            },
            Data::Invalid | Data::Nil | Data::Complex(_) => {
                return Err(format!("unexpected type: {}", value.type_name()));
            }
        }
        Ok(())
    }

    fn array(&mut self, value: &Value) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("toml: the value is nested too deeply".to_owned());
        }
        self.push("[");
        for (index, item) in items(value).iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            self.element(item)?;
        }
        self.push("]");
        self.depth -= 1;
        Ok(())
    }
}

/// Whether an entry has a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Line,
    Inline,
}

fn shape(value: &Value, depth: usize) -> Result<Shape, String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err("toml: the value is nested too deeply".to_owned());
    };
    Ok(match &value.data {
        Data::Invalid | Data::Nil => Shape::Nothing,
        Data::List(list) if list.is_nil() => Shape::Nothing,
        Data::Map(map) if map.is_nil() => Shape::Nothing,
        Data::Complex(_) => return Err("unsupported type: complex128".to_owned()),
        Data::Map(_) => Shape::Table,
        Data::List(_) | Data::Bytes(_) => array_shape(value, depth)?,
        Data::Object(object) => match kind_of(&**object) {
            ObjectShape::Text | ObjectShape::Number => Shape::Plain,
            ObjectShape::Array => array_shape(value, depth)?,
            ObjectShape::Table => Shape::Table,
        },
        Data::Bool(_) | Data::Int(..) | Data::Uint(..) | Data::Float(_) | Data::String(_) => Shape::Plain,
    })
}

fn array_shape(value: &Value, depth: usize) -> Result<Shape, String> {
    let items = items(value);
    let mut shape_of_all = if items.is_empty() { Shape::Array } else { Shape::Tables };
    for item in &items {
        match shape(item, depth)? {
            Shape::Nothing => return Err("toml: cannot encode array with nil element".to_owned()),
            Shape::Table => {}
            Shape::Plain | Shape::Array | Shape::Tables => shape_of_all = Shape::Array,
        }
    }
    Ok(shape_of_all)
}

/// What an object of the host is.
enum ObjectShape {
    /// It has a text of its own.
    Text,
    Number,
    Array,
    Table,
}

fn kind_of(object: &dyn Object) -> ObjectShape {
    // Times and versions say themselves how they are written.
    if matches!(object.type_name(), "time.Time" | "*semver.Version" | "semver.Version") {
        return ObjectShape::Text;
    }
    match object.kind() {
        Kind::Slice => ObjectShape::Array,
        Kind::Map | Kind::Struct | Kind::Pointer => ObjectShape::Table,
        Kind::String => ObjectShape::Text,
        _ => ObjectShape::Number,
    }
}

fn plain(object: &dyn Object) -> Value {
    Value::from_plain(&object.plain(), Origins::Dropped)
}

fn items(value: &Value) -> Vec<Value> {
    crate::argument::items(value).map(std::borrow::Cow::into_owned).unwrap_or_default()
}

fn entries(value: &Value) -> Vec<(String, Value)> {
    let of_map = |value: &Value| {
        let map = value.as_map().map(|map| map.with_kind(MapKind::Any));
        let entries = map.map(|map| map.entries()).unwrap_or_default();
        entries.into_iter().map(|(name, entry)| (name.to_string(), entry.value)).collect()
    };
    match &value.data {
        Data::Object(object) => match object.entries() {
            Some(entries) => entries.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
            None => of_map(&plain(&**object)),
        },
        _ => of_map(value),
    }
}

fn shown_time(time: &Time) -> Vec<u8> {
    let zone = time.zone().name();
    let layout: &[u8] = match &*zone {
        LOCAL_DATE_TIME => b"2006-01-02T15:04:05.999999999",
        LOCAL_DATE => b"2006-01-02",
        LOCAL_TIME => b"15:04:05.999999999",
        _ => return time.format(b"2006-01-02T15:04:05.999999999Z07:00"),
    };
    time.in_zone(Zone::Utc).format(layout)
}

fn shown_float(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_nan() {
        return format!("{sign}nan");
    }
    if number.is_infinite() {
        return format!("{sign}inf");
    }
    let text = fmt::text(&Value::from(number)).text().into_owned();
    if text.contains(['e', '.']) { text } else { format!("{text}.0") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_gotemplate::Map;

    fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
        Value::from(entries.into_iter().collect::<Map>())
    }

    #[test]
    fn values() {
        let inner = || map([("a", Value::int(1))]);
        for (value, expected) in [
            (
                map([("a", Value::int(1)), ("b", "x".into()), ("c", true.into())]),
                "a = 1\nb = \"x\"\nc = true\n",
            ),
            (map([("f", Value::from(5.0)), ("g", Value::from(1e7))]), "f = 5.0\ng = 1e+07\n"),
            (map([("l", Value::list(vec![Value::int(1), "a".into()]))]), "l = [1, \"a\"]\n"),
            (map([("l", Value::list(vec![inner(), inner()]))]), "[[l]]\n  a = 1\n\n[[l]]\n  a = 1\n"),
            (map([("l", Value::list(vec![inner(), Value::int(2)]))]), "l = [{a = 1}, 2]\n"),
            (map([("n", Value::nil())]), ""),
            (Value::list(vec![Value::int(1)]), "[1]"),
            ("x".into(), "\"x\""),
            (map([("s", "a\n\"\\\u{1}".into())]), "s = \"a\\n\\\"\\\\\\u0001\"\n"),
            (map([("bad key", Value::int(1)), ("", Value::int(3))]), "\"\" = 3\n\"bad key\" = 1\n"),
            (map([("e", map([]))]), "[e]\n"),
            (map([("z", Value::int(1)), ("t", inner())]), "z = 1\n\n[t]\n  a = 1\n"),
            (map([("t", map([("a", Value::int(1)), ("u", inner())]))]), "[t]\n  a = 1\n  [t.u]\n    a = 1\n"),
            (map([("l", Value::list(vec![]))]), "l = []\n"),
            (map([("d", Value::object(Time::unix(0, 0)))]), "d = 1970-01-01T00:00:00Z\n"),
            (map([("i", Value::from(f64::NEG_INFINITY))]), "i = -inf\n"),
        ] {
            assert_eq!(write(&value).map(|text| text.text().into_owned()).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn errors() {
        let holding_itself = Map::new(MapKind::Any);
        holding_itself.set("self", Value::from(holding_itself.clone()));
        for (value, expected) in [
            (Value::nil(), "reflect: call of reflect.Value.Type on zero Value"),
            (map([("l", Value::list(vec![Value::nil()]))]), "toml: cannot encode array with nil element"),
            (Value::list(vec![map([])]), "toml: top-level values must be Go maps or structs"),
            (Value::from(holding_itself.clone()), "toml: the value is nested too deeply"),
        ] {
            assert_eq!(write(&value).unwrap_err(), expected);
        }
        holding_itself.remove("self");
    }
}
