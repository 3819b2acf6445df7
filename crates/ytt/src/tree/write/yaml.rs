//! YAML, as ytt's fork of go-yaml writes it. Nothing here recurses, because programs can nest values deeper than any
//! text.

use std::ops::Range;
use std::slice;

use trueline_yaml::{Dialect, Emitter, EmptyKey, number};

use super::super::{ArrayItem, Document, MapItem, Meta, Text, Value};

/// The YAML text of a value, with a line break at its end.
pub fn yaml_of(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

/// A piece of the text of a document, and the node that it is from.
#[derive(Debug, Clone)]
pub struct Piece<'v> {
    /// Where it is in the text.
    pub range: Range<usize>,
    /// What is known of the node.
    pub meta: &'v Meta,
    /// The closest node around it that has a position: what code makes has none.
    pub holder: Option<&'v Meta>,
    /// What of the node it is.
    pub part: Part,
}

/// What a piece of text is of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The key.
    Key,
    /// The value, which is a scalar.
    Value,
}

/// The YAML text of a document, with a line break at its end, and the keys and scalars in it.
pub fn yaml_with_pieces(document: &Document) -> (String, Vec<Piece<'_>>) {
    let (mut out, mut pieces) = (String::new(), Vec::new());
    write_noting(&mut out, &document.value, Some(&document.meta), |piece| pieces.push(piece));
    (out, pieces)
}

/// Adds the YAML text of a document's value.
pub(super) fn write(out: &mut String, value: &Value) {
    write_noting(out, value, None, |_| ());
}

fn write_noting<'v>(
    out: &mut String,
    value: &'v Value,
    meta: Option<&'v Meta>,
    mut note: impl FnMut(Piece<'v>),
) {
    let mut emitter = Emitter::behind(std::mem::take(out), Dialect::Ytt);
    let mut steps = vec![Step::Node(value, meta, None)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Node(value, meta, holder) => {
                let inner = meta.filter(|meta| meta.position().is_known()).or(holder);
                node(&mut emitter, value, inner, &mut steps);
                if let Some(meta) = meta.filter(|_| !value.is_collection()) {
                    note(Piece { range: emitter.last_scalar(), meta, holder, part: Part::Value });
                }
            }
            Step::EndKey => emitter.end_key(),
            Step::Map(mut items, holder) => match items.next() {
                None => emitter.end(),
                Some(item) => {
                    steps.push(Step::Map(items, holder));
                    steps.push(Step::Node(&item.value, Some(&item.meta), holder));
                    key(&mut emitter, &item.key, &mut steps);
                    if !item.key.is_collection() {
                        let range = emitter.last_scalar();
                        note(Piece { range, meta: &item.meta, holder, part: Part::Key });
                    }
                }
            },
            Step::Array(mut items, holder) => match items.next() {
                None => emitter.end(),
                Some(item) => {
                    emitter.item();
                    steps.push(Step::Array(items, holder));
                    steps.push(Step::Node(&item.value, Some(&item.meta), holder));
                }
            },
        }
    }
    *out = emitter.finish();
}

/// What is left to write.
enum Step<'v> {
    /// A value, with what is known of its node unless it is a part of a key, and with the closest node around it that has
    /// a position.
    Node(&'v Value, Option<&'v Meta>, Option<&'v Meta>),
    EndKey,
    Map(slice::Iter<'v, MapItem>, Option<&'v Meta>),
    Array(slice::Iter<'v, ArrayItem>, Option<&'v Meta>),
}

fn node<'v>(emitter: &mut Emitter, value: &'v Value, holder: Option<&'v Meta>, steps: &mut Vec<Step<'v>>) {
    match value {
        Value::Null => emitter.null(),
        Value::Bool(value) => emitter.bool(*value),
        Value::Int(value) => emitter.int(*value),
        Value::UInt(value) => emitter.uint(*value),
        Value::Float(value) => emitter.float(*value),
        Value::String(text) => match text.as_str() {
            Some(text) => emitter.string(text),
            None => emitter.binary(text),
        },
        Value::Map(map) if map.items.is_empty() => emitter.empty_map(),
        Value::Map(map) => {
            emitter.begin_map();
            steps.push(Step::Map(map.items.iter(), holder));
        }
        Value::Array(array) if array.items.is_empty() => emitter.empty_list(),
        Value::Array(array) => {
            emitter.begin_list();
            steps.push(Step::Array(array.items.iter(), holder));
        }
    }
}

/// Writes a key, or begins it and leaves the rest to the steps.
fn key<'v>(emitter: &mut Emitter, key: &'v Value, steps: &mut Vec<Step<'v>>) {
    match key {
        Value::String(text) => string_key(emitter, text),
        Value::Null => emitter.plain_key("null"),
        Value::Bool(value) => emitter.plain_key(if *value { "true" } else { "false" }),
        Value::Int(value) => emitter.plain_key(&value.to_string()),
        Value::UInt(value) => emitter.plain_key(&value.to_string()),
        Value::Float(value) => emitter.plain_key(&number::yaml(*value)),
        Value::Map(map) if map.items.is_empty() => emitter.empty_key(EmptyKey::Map),
        Value::Array(array) if array.items.is_empty() => emitter.empty_key(EmptyKey::List),
        Value::Map(_) | Value::Array(_) => {
            emitter.begin_key();
            steps.push(Step::EndKey);
            steps.push(Step::Node(key, None, None));
        }
    }
}

fn string_key(emitter: &mut Emitter, text: &Text) {
    match text.as_str() {
        Some(text) => emitter.key(text),
        None => emitter.binary_key(text),
    }
}
