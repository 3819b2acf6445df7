//! Results of overlays do not say how they were overlaid: annotations of overlays are removed from them.

use std::rc::Rc;

use super::annotations::NAMESPACE;
use crate::tree::{Array, DocumentSet, Map, Meta, Value};

/// Removes the annotations of overlays from documents.
pub(super) fn strip_documents(documents: &mut DocumentSet) {
    strip_meta(&mut documents.meta);
    for document in &mut documents.documents {
        strip_meta(&mut document.meta);
        strip_value(&mut document.value);
    }
}

/// Removes the annotations of overlays from a value. What has none stays shared.
pub(super) fn strip_value(value: &mut Value) {
    match value {
        Value::Map(shared) => {
            if let Some(map) = Rc::get_mut(shared) {
                strip_map(map);
            } else if map_has_any(shared) {
                strip_map(Rc::make_mut(shared));
            }
        }
        Value::Array(shared) => {
            if let Some(array) = Rc::get_mut(shared) {
                strip_array(array);
            } else if array_has_any(shared) {
                strip_array(Rc::make_mut(shared));
            }
        }
        _ => {}
    }
}

fn strip_map(map: &mut Map) {
    strip_meta(&mut map.meta);
    for item in &mut map.items {
        strip_meta(&mut item.meta);
        strip_value(&mut item.value);
    }
}

fn strip_array(array: &mut Array) {
    strip_meta(&mut array.meta);
    for item in &mut array.items {
        strip_meta(&mut item.meta);
        strip_value(&mut item.value);
    }
}

fn strip_meta(meta: &mut Meta) {
    if meta_has_any(meta) {
        meta.annotations_mut().retain(|name| !name.starts_with(NAMESPACE));
        if meta.annotations().is_empty() && meta.comments().is_empty() {
            meta.clear_extra();
        }
    }
}

fn meta_has_any(meta: &Meta) -> bool {
    meta.annotations().iter().any(|(name, _)| name.starts_with(NAMESPACE))
}

fn value_has_any(value: &Value) -> bool {
    match value {
        Value::Map(map) => map_has_any(map),
        Value::Array(array) => array_has_any(array),
        _ => false,
    }
}

fn map_has_any(map: &Map) -> bool {
    let item_has_any = |item: &crate::tree::MapItem| meta_has_any(&item.meta) || value_has_any(&item.value);
    meta_has_any(&map.meta) || map.items.iter().any(item_has_any)
}

fn array_has_any(array: &Array) -> bool {
    let item_has_any = |item: &crate::tree::ArrayItem| meta_has_any(&item.meta) || value_has_any(&item.value);
    meta_has_any(&array.meta) || array.items.iter().any(item_has_any)
}
