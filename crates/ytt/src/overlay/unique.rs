//! A map has a key once. Overlays may break that on their way, as long as their result keeps it: ytt crashes when it prints
//! such a result.

use super::engine::Engine;
use super::fault::Fault;
use super::item::{Item, Label};
use crate::tree::{Document, Value};

impl Engine<'_> {
    /// Whether what was overlaid has every key once.
    pub(super) fn finish(&self, documents: &[&mut Vec<Document>]) -> Result<(), Fault> {
        if !self.may_repeat_keys {
            return Ok(());
        }
        documents.iter().flat_map(|documents| documents.iter()).try_for_each(inside)
    }

    /// The same, for a value.
    pub(super) fn finish_value(&self, value: &Value) -> Result<(), Fault> {
        if self.may_repeat_keys { keys_once(value) } else { Ok(()) }
    }
}

fn inside<N: Item>(node: &N) -> Result<(), Fault> {
    keys_once(node.value()).map_err(|fault| fault.within(format_args!("{}", Label(node)), node.meta()))
}

fn keys_once(value: &Value) -> Result<(), Fault> {
    match value {
        Value::Map(map) => match map.second_with_a_key() {
            Some(item) => {
                let fault = Fault::duplicate(&item.key);
                Err(fault.within(format_args!("{}", Label(item)), &item.meta))
            }
            None => map.items.iter().try_for_each(inside),
        },
        Value::Array(array) => array.items.iter().try_for_each(inside),
        _ => Ok(()),
    }
}
