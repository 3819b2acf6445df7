//! Values on their own: what a chart's values, a data value or a decoded text is once it has left its
//! document. Each node remembers where it was typed. Copies are cheap: lists, maps and strings are shared.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use trueline_source::Span;

use crate::{NodeKind, NodeRef, ScalarValue};

/// A value with its origin.
#[derive(Debug, Clone)]
pub struct Value {
    /// What it is.
    pub data: Data,
    /// Where it was typed.
    pub origin: Option<Span>,
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum Data {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number that fits 64 bits with a sign.
    Int(i64),
    /// A whole number that fits 64 bits only without a sign.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// Text.
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

    /// The value of a node: aliases, merge keys and equal keys worked out.
    pub fn from_node(node: NodeRef<'_>) -> Self {
        let data = match node.kind() {
            NodeKind::Scalar { value, .. } => match value {
                ScalarValue::Null => Data::Null,
                ScalarValue::Bool(value) => Data::Bool(value),
                ScalarValue::Int(value) => Data::Int(value),
                ScalarValue::UInt(value) => Data::UInt(value),
                ScalarValue::Float(value) => Data::Float(value),
                ScalarValue::String => Data::String(node.text().unwrap_or_default().into()),
            },
            NodeKind::Sequence { .. } => {
                Data::List(Arc::new(node.items().into_iter().flatten().map(Value::from_node).collect()))
            }
            // `kind` looks through aliases.
            NodeKind::Mapping { .. } | NodeKind::Alias(_) => {
                let entries = node.entries().into_iter().flatten().map(|(key, value)| {
                    let entry = MapEntry { key_origin: Some(key.span()), value: Value::from_node(value) };
                    (Arc::from(key.key_text()), entry)
                });
                Data::Map(Arc::new(entries.collect()))
            }
        };
        Value { data, origin: Some(node.span()) }
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

/// The text of a floating-point key as `sigs.k8s.io/yaml` makes it: shortest for 32 bits.
pub(crate) fn key_of_float(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    format!("{}", value as f32)
}
