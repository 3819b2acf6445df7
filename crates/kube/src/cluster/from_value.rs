//! A value as a document: the rules of built-in kinds walk over nodes.

use std::sync::Arc;

use trueline_source::{SourceId, Span};
use trueline_yaml::{Builder, Data, Document, Entry, NodeId, ScalarStyle, ScalarValue, Value, number};

/// A document that was made of a value. The place of a node is its number, so the origin of what was found there can be
/// looked up.
#[derive(Debug)]
pub(super) struct ValueDocument {
    pub(super) document: Document,
    origins: Vec<Option<Span>>,
}

impl ValueDocument {
    /// The document of a value.
    pub(super) fn of(value: &Value) -> Self {
        let source = SourceId::from_index(0);
        let mut writer = Writer { source, builder: Builder::new(source, Arc::from("")), origins: Vec::new() };
        let root = writer.node(value);
        ValueDocument { document: writer.builder.finish(root), origins: writer.origins }
    }

    /// Where the part of the value was typed that has this place in the document.
    pub(super) fn origin(&self, place: Span) -> Option<Span> {
        self.origins.get(place.start as usize).copied().flatten()
    }
}

struct Writer {
    source: SourceId,
    builder: Builder,
    origins: Vec<Option<Span>>,
}

impl Writer {
    fn node(&mut self, value: &Value) -> NodeId {
        // Before its parts, so the order of places is that of the value.
        let place = self.place(value.origin);
        match &value.data {
            Data::Null => self.scalar("null", ScalarValue::Null, place),
            Data::Bool(value) => {
                self.scalar(if *value { "true" } else { "false" }, ScalarValue::Bool(*value), place)
            }
            Data::Int(value) => self.scalar(&value.to_string(), ScalarValue::Int(*value), place),
            Data::UInt(value) => self.scalar(&value.to_string(), ScalarValue::UInt(*value), place),
            Data::Float(value) => self.scalar(&number::general(*value), ScalarValue::Float(*value), place),
            Data::String(text) => self.scalar(text, ScalarValue::String, place),
            Data::List(items) => {
                let items: Vec<NodeId> = items.iter().map(|item| self.node(item)).collect();
                self.builder.sequence(&items, place)
            }
            Data::Map(map) => {
                let mut entries = Vec::with_capacity(map.len());
                for (key, entry) in map.iter() {
                    let place = self.place(entry.key_origin.or(entry.value.origin));
                    let key = self.scalar(key, ScalarValue::String, place);
                    entries.push(Entry { key, value: self.node(&entry.value) });
                }
                self.builder.mapping(&entries, None, place)
            }
        }
    }

    fn scalar(&mut self, text: &str, value: ScalarValue, place: Span) -> NodeId {
        let style = match value {
            ScalarValue::String => ScalarStyle::DoubleQuoted,
            _ => ScalarStyle::Plain,
        };
        let text = self.builder.decoded(text);
        self.builder.scalar(text, value, style, place)
    }

    fn place(&mut self, origin: Option<Span>) -> Span {
        let number = self.origins.len();
        self.origins.push(origin);
        self.source.span(number, number + 1)
    }
}
