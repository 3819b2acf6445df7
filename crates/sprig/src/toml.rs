//! Values of templates as TOML, and TOML as values of templates.

use std::borrow::Cow;

use trueline_gostd::toml::{
    self, Layout, Node, Release, Scalar, Sink, Source, TableId, TomlKind, WriteFault, Written,
};
use trueline_gotemplate::{
    Data, Element, Error, Kind, List, Map, MapKind, Object, Origins, Str, StrBuilder, Trace, Value,
};

use crate::argument::trace;
use crate::text::check_size;
use crate::time::{as_duration, as_time, time_value};

/// The release that Helm uses.
const RELEASE: Release = Release::V1_6;

/// Parses text; the error is Go's message.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, String> {
    let tables = toml::read(bytes, RELEASE)?.into_tables();
    let maps: Vec<Map> = tables.iter().map(|_| Map::new(MapKind::Any)).collect();
    for (map, table) in maps.iter().zip(tables) {
        for (key, node) in table {
            map.set(key, value(&node, &maps));
        }
    }
    Ok(maps.first().cloned().map_or_else(Value::nil, Value::from))
}

fn value(node: &Node, maps: &[Map]) -> Value {
    let table = |id: &TableId| maps.get(*id).cloned().map_or_else(Value::nil, Value::from);
    match node {
        Node::Plain(Scalar::String(text)) => Value::from(text.as_str()),
        Node::Plain(Scalar::Int(number)) => Value::int64(*number),
        Node::Plain(Scalar::Float(number)) => Value::from(*number),
        Node::Plain(Scalar::Bool(truth)) => Value::from(*truth),
        Node::Plain(Scalar::Time(time)) => time_value(time.clone()),
        Node::Array(items) => Value::list(items.iter().map(|item| value(item, maps)).collect()),
        Node::Table(id) => table(id),
        Node::Tables(ids) => {
            let items = ids.iter().map(table).collect();
            Value::from(List::new(Element::Named("map[string]interface {}"), items))
        }
    }
}

/// Writes a value; the error is Go's message.
pub(crate) fn write(value: &Value) -> Result<Str, Error> {
    if value.is_nil() {
        return Err(Error::new("reflect: call of reflect.Value.Type on zero Value"));
    }
    let mut out = Traced { text: StrBuilder::default(), refused: None };
    toml::write(&TomlValue(Cow::Borrowed(value)), Layout { indent: 2, release: RELEASE }, &mut out)
        .map_err(|words| out.refused.take().unwrap_or_else(|| Error::new(words)))?;
    Ok(out.text.finish())
}

/// Text that remembers which value wrote which part.
struct Traced {
    text: StrBuilder,
    /// Why writing stopped.
    refused: Option<Error>,
}

impl Sink<TomlValue<'_>> for Traced {
    fn push(&mut self, text: &[u8]) -> Result<(), WriteFault> {
        self.text.push(text, Trace::Unknown);
        self.check()
    }

    fn push_plain(&mut self, text: &[u8], value: &TomlValue<'_>) -> Result<(), WriteFault> {
        self.text.push(text, trace(&value.0));
        self.check()
    }

    fn is_empty(&self) -> bool {
        self.text.bytes().is_empty()
    }
}

impl Traced {
    /// Refuses a string that would fill the memory.
    fn check(&mut self) -> Result<(), WriteFault> {
        check_size(self.text.bytes().len() as u64).map_err(|error| {
            let words = error.to_string();
            self.refused = Some(error);
            WriteFault::Full(words)
        })
    }
}

/// A value to be written.
struct TomlValue<'a>(Cow<'a, Value>);

impl Source for TomlValue<'_> {
    fn kind(&self) -> Result<TomlKind, WriteFault> {
        Ok(match &self.0.data {
            Data::Invalid | Data::Nil => TomlKind::Nothing,
            Data::List(list) if list.is_nil() => TomlKind::Nothing,
            Data::Map(map) if map.is_nil() => TomlKind::Nothing,
            Data::Complex(_) => return Err(WriteFault::UnsupportedType("complex128".to_owned())),
            Data::Map(_) => TomlKind::Table,
            Data::List(_) | Data::Bytes(_) => TomlKind::Array,
            Data::Object(object) => kind_of(&**object),
            Data::Bool(_) | Data::Int(..) | Data::Uint(..) | Data::Float(_) | Data::String(_) => {
                TomlKind::Plain
            }
        })
    }

    fn plain(&self) -> Result<Written<'_>, WriteFault> {
        if let Some(time) = as_time(&self.0) {
            return Ok(Written::Time(time));
        }
        if let Some(span) = as_duration(&self.0) {
            return Ok(Written::Text(span.to_string().into_bytes().into()));
        }
        match &self.0.data {
            Data::String(text) => Ok(Written::Text(text.as_bytes().into())),
            Data::Bool(truth) => Ok(Written::Bool(*truth)),
            Data::Int(_, number) => Ok(Written::Int(i128::from(*number))),
            Data::Uint(_, number) => Ok(Written::Int(i128::from(*number))),
            Data::Float(number) => Ok(Written::Float(*number)),
            Data::Object(object) if has_text(&**object) => {
                Ok(Written::Text(object.text().into_bytes().into()))
            }
            Data::Object(object) => match plain(&**object).data {
                Data::Int(_, number) => Ok(Written::Int(i128::from(number))),
                Data::Float(number) => Ok(Written::Float(number)),
                _ => Err(WriteFault::UnexpectedType(self.0.type_name())),
            },
            _ => Err(WriteFault::UnexpectedType(self.0.type_name())),
        }
    }

    fn items(&self) -> Vec<Self> {
        let items = crate::argument::items(&self.0).map(Cow::into_owned).unwrap_or_default();
        items.into_iter().map(|item| TomlValue(Cow::Owned(item))).collect()
    }

    fn entries(&self) -> Vec<(String, Self)> {
        let own = |name: String, value| (name, TomlValue(Cow::Owned(value)));
        let of_map = |value: &Value| {
            let map = value.as_map().map(|map| map.with_kind(MapKind::Any));
            let entries = map.map(|map| map.entries()).unwrap_or_default();
            entries.into_iter().map(|(name, entry)| own(name.to_string(), entry.value)).collect()
        };
        match &self.0.data {
            Data::Object(object) => match object.entries() {
                Some(entries) => {
                    entries.into_iter().map(|(name, value)| own(name.to_string(), value)).collect()
                }
                None => of_map(&plain(&**object)),
            },
            _ => of_map(&self.0),
        }
    }
}

/// Whether a host object defines how it is written.
fn has_text(object: &dyn Object) -> bool {
    matches!(object.type_name(), "time.Time" | "*semver.Version" | "semver.Version")
        || object.kind() == Kind::String
}

fn kind_of(object: &dyn Object) -> TomlKind {
    match object.kind() {
        _ if has_text(object) => TomlKind::Plain,
        Kind::Slice => TomlKind::Array,
        Kind::Map | Kind::Struct | Kind::Pointer => TomlKind::Table,
        _ => TomlKind::Plain,
    }
}

fn plain(object: &dyn Object) -> Value {
    Value::from_plain(&object.plain(), Origins::Dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_gostd::time::Time;

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
            (map([("d", time_value(Time::unix(0, 0)))]), "d = 1970-01-01T00:00:00Z\n"),
            (map([("i", Value::from(f64::NEG_INFINITY))]), "i = -inf\n"),
        ] {
            assert_eq!(write(&value).unwrap().text(), expected);
        }
    }

    /// Each name is repeated for every table inside it.
    #[test]
    fn long_names_of_deep_tables_are_refused() {
        let name = "n".repeat(60_000);
        let deep = (0..400).fold(Value::int(1), |value, _| map([(&*name, value)]));
        assert!(write(&deep).unwrap_err().is_limit());
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
            assert_eq!(write(&value).unwrap_err().to_string(), expected);
        }
        holding_itself.remove("self");
    }
}
