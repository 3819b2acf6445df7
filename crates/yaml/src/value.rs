//! Values independent of a document: a chart's values, a data value or a decoded text. Each node remembers
//! where it was typed. Copies are cheap: lists, maps and strings are shared.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use trueline_source::Span;

use crate::{NodeId, NodeKind, NodeRef, ScalarValue};

/// A value with its origin. Values are equal if their content is equal, wherever they come from.
#[derive(Debug, Clone)]
pub struct Value {
    /// The content.
    pub data: Data,
    /// Where it was typed.
    pub origin: Option<Span>,
}

/// The content of a value. Numbers are equal if they have the same value, however they are stored; the order of
/// keys is ignored.
#[derive(Debug, Clone)]
pub enum Data {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer that fits 64 bits with a sign.
    Int(i64),
    /// An integer that fits 64 bits only without a sign.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(Arc<str>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A map in the order it was typed.
    Map(Arc<Map>),
}

/// Keys with their values, in the order they were typed.
pub type Map = IndexMap<Arc<str>, MapEntry, FxBuildHasher>;

/// The value of a key, and where the key was typed.
#[derive(Debug, Clone)]
pub struct MapEntry {
    /// Where the key was typed.
    pub key_origin: Option<Span>,
    /// The value.
    pub value: Value,
}

impl Value {
    /// A value without an origin.
    pub fn new(data: Data) -> Self {
        Value { data, origin: None }
    }

    /// The value of a node: with aliases, merge keys and duplicate keys resolved.
    pub fn from_node(node: NodeRef<'_>) -> Self {
        Converter::new(Origins::Kept).value(node)
    }

    /// The same without origins, for a node of a document without a source.
    pub(crate) fn without_origins(node: NodeRef<'_>) -> Self {
        Converter::new(Origins::Dropped).value(node)
    }

    /// The same value for crates that know only `serde_json`. What JSON cannot express becomes null.
    pub fn to_serde(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.data {
            Data::Null => Json::Null,
            Data::Bool(value) => Json::Bool(*value),
            Data::Int(value) => Json::from(*value),
            Data::UInt(value) => Json::from(*value),
            Data::Float(value) => Json::from(*value),
            Data::String(text) => Json::String(text.to_string()),
            Data::List(items) => Json::Array(items.iter().map(Value::to_serde).collect()),
            Data::Map(map) => Json::Object(
                map.iter().map(|(key, entry)| (key.to_string(), entry.value.to_serde())).collect(),
            ),
        }
    }

    /// The same value without origins, in the order of its keys.
    pub fn from_serde(json: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        Value::new(match json {
            Json::Null => Data::Null,
            Json::Bool(value) => Data::Bool(*value),
            Json::Number(number) => number
                .as_i64()
                .map(Data::Int)
                .or_else(|| number.as_u64().map(Data::UInt))
                .or_else(|| number.as_f64().map(Data::Float))
                .unwrap_or(Data::Null),
            Json::String(text) => Data::String(text.as_str().into()),
            Json::Array(items) => Data::List(Arc::new(items.iter().map(Value::from_serde).collect())),
            Json::Object(map) => {
                let entries = map.iter().map(|(key, value)| {
                    (Arc::from(key.as_str()), MapEntry { key_origin: None, value: Value::from_serde(value) })
                });
                Data::Map(Arc::new(entries.collect()))
            }
        })
    }

    /// The same value with every number as a 64-bit float, as Go decodes numbers into an `interface {}`.
    /// Integers above 2⁵³ lose their last digits, as in Go.
    pub fn with_json_numbers(&self) -> Self {
        let data = match &self.data {
            Data::Int(value) => Data::Float(*value as f64),
            Data::UInt(value) => Data::Float(*value as f64),
            Data::List(items) => Data::List(Arc::new(items.iter().map(Value::with_json_numbers).collect())),
            Data::Map(map) => {
                let entries = map.iter().map(|(key, entry)| {
                    let value = entry.value.with_json_numbers();
                    (Arc::clone(key), MapEntry { key_origin: entry.key_origin, value })
                });
                Data::Map(Arc::new(entries.collect()))
            }
            data => data.clone(),
        };
        Value { data, origin: self.origin }
    }

    /// JSON's name of its type: `null`, `boolean`, `number`, `string`, `array` or `object`.
    pub fn type_name(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "boolean",
            Data::Int(_) | Data::UInt(_) | Data::Float(_) => "number",
            Data::String(_) => "string",
            Data::List(_) => "array",
            Data::Map(_) => "object",
        }
    }

    /// The value of a key, if it is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match &self.data {
            Data::Map(map) => map.get(key).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::new(Data::String(text.into()))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::new(Data::Bool(value))
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::new(Data::Int(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::new(Data::Float(value))
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Value::new(Data::List(Arc::new(items.into_iter().collect())))
    }
}

impl<K: Into<Arc<str>>> FromIterator<(K, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        let entries =
            entries.into_iter().map(|(key, value)| (key.into(), MapEntry { key_origin: None, value }));
        Value::new(Data::Map(Arc::new(entries.collect())))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl PartialEq for MapEntry {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Data::Null, Data::Null) => true,
            (Data::Bool(left), Data::Bool(right)) => left == right,
            (Data::String(left), Data::String(right)) => left == right,
            (Data::List(left), Data::List(right)) => left == right,
            (Data::Map(left), Data::Map(right)) => left == right,
            (Data::Float(left), Data::Float(right)) => left == right,
            (Data::Float(float), whole) | (whole, Data::Float(float)) => {
                whole.whole().is_some_and(|whole| same_size(whole, *float))
            }
            (left, right) => left.whole().is_some_and(|whole| right.whole() == Some(whole)),
        }
    }
}

impl Data {
    fn whole(&self) -> Option<i128> {
        match self {
            Data::Int(value) => Some(i128::from(*value)),
            Data::UInt(value) => Some(i128::from(*value)),
            _ => None,
        }
    }
}

/// Compared as integers: turning the integer into a float would round it.
fn same_size(whole: i128, float: f64) -> bool {
    float.fract() == 0.0 && float.abs() < 2e19 && float as i128 == whole
}

#[derive(Clone, Copy, PartialEq)]
enum Origins {
    Kept,
    Dropped,
}

/// The length from which a string is shared between the places where aliases and merge keys repeat it.
const LONG: usize = 256;

/// Converts nodes to values.
struct Converter {
    origins: Origins,
    /// Long strings by their nodes: aliases may repeat one a million times.
    texts: FxHashMap<NodeId, Arc<str>>,
}

impl Converter {
    fn new(origins: Origins) -> Self {
        Converter { origins, texts: FxHashMap::default() }
    }

    fn origin(&self, span: Span) -> Option<Span> {
        (self.origins == Origins::Kept).then_some(span)
    }

    fn text(&mut self, node: NodeRef<'_>, text: &str) -> Arc<str> {
        if text.len() < LONG {
            return text.into();
        }
        let holder = node.alias_target().unwrap_or(node).id();
        Arc::clone(self.texts.entry(holder).or_insert_with(|| text.into()))
    }

    fn value(&mut self, node: NodeRef<'_>) -> Value {
        let data = match node.kind() {
            NodeKind::Scalar { value, .. } => match value {
                ScalarValue::Null => Data::Null,
                ScalarValue::Bool(value) => Data::Bool(value),
                ScalarValue::Int(value) => Data::Int(value),
                ScalarValue::UInt(value) => Data::UInt(value),
                ScalarValue::Float(value) => Data::Float(value),
                ScalarValue::String => Data::String(self.text(node, node.text().unwrap_or_default())),
            },
            NodeKind::Sequence { .. } => {
                let items = node.items().into_iter().flatten().map(|item| self.value(item));
                Data::List(Arc::new(items.collect()))
            }
            // `kind` follows aliases.
            NodeKind::Mapping { .. } | NodeKind::Alias(_) => {
                let entries = node.entries().into_iter().flatten().map(|(key, value)| {
                    let entry = MapEntry { key_origin: self.origin(key.span()), value: self.value(value) };
                    (self.text(key, &key.key_text()), entry)
                });
                Data::Map(Arc::new(entries.collect()))
            }
        };
        Value { data, origin: self.origin(node.span()) }
    }
}

#[cfg(test)]
mod tests {
    use trueline_source::SourceId;

    use super::*;
    use crate::{Limits, json};

    fn value(text: &str) -> Value {
        Value::from_json_text(text).unwrap()
    }

    #[test]
    fn strings_repeated_by_aliases_are_stored_once() {
        let long = "x".repeat(LONG);
        let text = format!("a: &a {{k: {long}}}\n? &k {long}\n: 1\nb: [*a, *a, {{<<: *a}}, {{*k : 2}}]\n");
        let stream = crate::read(SourceId::from_index(0), &text.into(), &crate::ReadOptions::default());
        assert_eq!(stream.errors, []);
        let value = Value::from_node(stream.documents[0].root());
        let Data::List(items) = &value.get("b").unwrap().data else { panic!("{value:?}") };
        let texts = items.iter().filter_map(|item| item.get("k")?.as_str()).map(str::as_ptr);
        let texts: Vec<*const u8> = texts.collect();
        assert!(texts.len() == 3 && texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
    }

    #[test]
    fn values_are_equal_whatever_their_origin_and_order() {
        let text: Arc<str> = r#"{"a": [1, "x", null], "b": true}"#.into();
        let document = json::read(SourceId::from_index(3), &text, Limits::default()).unwrap();
        let read = Value::from_node(document.root());
        assert!(read.origin.is_some());
        assert_eq!(read, value(r#"{"b": true, "a": [1.0, "x", null]}"#));
        assert_ne!(read, value(r#"{"b": true, "a": [1, "x"]}"#));
        assert!(value("{}").origin.is_none());
    }

    #[test]
    fn numbers_are_compared_by_value() {
        assert_eq!(value("1"), Value::from(1.0));
        assert_ne!(value("9007199254740993"), Value::from(9007199254740992.0));
        assert_eq!(value("18446744073709551615"), Value::new(Data::UInt(u64::MAX)));
        assert_ne!(value("18446744073709551615"), Value::from(18446744073709551616.0));
        assert_ne!(value("-1"), Value::new(Data::UInt(u64::MAX)));
        assert_ne!(value("1"), value("true"));
        assert_ne!(value("0"), value("null"));
        assert_ne!(Value::from(f64::NAN), Value::from(f64::NAN));
        assert_ne!(Value::from(f64::INFINITY), value("1"));
    }

    #[test]
    fn serde_values_go_there_and_back() {
        let original = value(r#"{"b": [1, 2.5, 18446744073709551615, "x"], "a": {"c": null, "d": false}}"#);
        let json = original.to_serde();
        let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["b", "a"]);
        assert_eq!(Value::from_serde(&json), original);
        assert!(Value::from(f64::NAN).to_serde().is_null());
    }

    #[test]
    fn json_numbers_are_floats_everywhere() {
        let floats = value(r#"{"a": [1, {"b": 9007199254740993}]}"#).with_json_numbers();
        assert_eq!(floats.to_json_text().unwrap(), r#"{"a":[1,{"b":9007199254740992}]}"#);
    }

    #[test]
    fn type_names_are_those_of_json() {
        let names: Vec<_> =
            ["null", "true", "1", "1.5", "\"x\"", "[]", "{}"].map(|text| value(text).type_name()).into();
        assert_eq!(names, ["null", "boolean", "number", "number", "string", "array", "object"]);
    }
}
