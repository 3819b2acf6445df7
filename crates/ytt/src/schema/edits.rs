//! Nodes of schema overlays that only edit annotations: `@overlay/noop`. Their values mean nothing.

use std::rc::Rc;

use crate::tree::{Document, Map, Meta, Value};

const NOOP: &str = "overlay/noop";

fn is_edit(meta: &Meta) -> bool {
    meta.annotations().has(NOOP)
}

/// An array of a schema has one item; one that is only edited says nothing about its type.
fn is_edited_array(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|array| !array.items.is_empty() && array.items.iter().all(|item| is_edit(&item.meta)))
}

/// Whether a document has such nodes.
pub(super) fn has_edits(document: &Document) -> bool {
    let mut open = vec![(&document.meta, &document.value)];
    while let Some((meta, value)) = open.pop() {
        if is_edit(meta) {
            return true;
        }
        match value {
            Value::Map(map) => open.extend(map.items.iter().map(|item| (&item.meta, &item.value))),
            Value::Array(array) => open.extend(array.items.iter().map(|item| (&item.meta, &item.value))),
            _ => {}
        }
    }
    false
}

/// The document without such nodes.
pub(super) fn without_edits(document: &Document) -> Document {
    let mut document = document.clone();
    if is_edit(&document.meta) || is_edited_array(&document.value) {
        document.value = Map::default().into();
        return document;
    }
    let mut open = vec![&mut document.value];
    while let Some(value) = open.pop() {
        match value {
            Value::Map(map) => {
                let map = Rc::make_mut(map);
                map.items.retain(|item| !is_edit(&item.meta) && !is_edited_array(&item.value));
                open.extend(map.items.iter_mut().map(|item| &mut item.value));
            }
            Value::Array(array) => {
                open.extend(Rc::make_mut(array).items.iter_mut().map(|item| &mut item.value));
            }
            _ => {}
        }
    }
    document
}
