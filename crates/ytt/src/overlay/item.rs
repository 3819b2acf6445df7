//! What documents, map items and array items have in common.

use std::fmt;

use crate::tree::{ArrayItem, Document, MapItem, Meta, Value};

/// A node that overlays match.
pub(super) trait Item: Clone {
    /// What is said if its value would be a document set.
    const ONLY: &'static str;

    fn value(&self) -> &Value;
    fn value_mut(&mut self) -> &mut Value;
    fn meta(&self) -> &Meta;
    fn meta_mut(&mut self) -> &mut Meta;

    /// Takes the value of another node, and with it where that was typed. Its annotations stay.
    fn take_value_of(&mut self, other: &Self) {
        *self.value_mut() = other.value().clone();
        self.meta_mut().set_place(other.meta().place());
        self.meta_mut().set_position(other.meta().position());
    }

    /// What messages call it.
    fn label(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// An item's label, to be printed.
pub(super) struct Label<'i, N>(pub(super) &'i N);

impl<N: Item> fmt::Display for Label<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.label(f)
    }
}

impl Item for Document {
    const ONLY: &'static str = "documents can only contain arrays, maps, or scalars";

    fn value(&self) -> &Value {
        &self.value
    }

    fn value_mut(&mut self) -> &mut Value {
        &mut self.value
    }

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut Meta {
        &mut self.meta
    }

    /// A document keeps its position: it is that of its separator and not of its value.
    fn take_value_of(&mut self, other: &Self) {
        self.value = other.value.clone();
        self.meta.set_place(other.meta.place());
    }

    fn label(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Document")
    }
}

impl Item for MapItem {
    const ONLY: &'static str = "map items can only contain arrays, maps, or scalars";

    fn value(&self) -> &Value {
        &self.value
    }

    fn value_mut(&mut self) -> &mut Value {
        &mut self.value
    }

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut Meta {
        &mut self.meta
    }

    fn label(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Map item (key '{}')", self.key.go_string())
    }
}

impl Item for ArrayItem {
    const ONLY: &'static str = "array items can only contain maps, arrays, or scalars";

    fn value(&self) -> &Value {
        &self.value
    }

    fn value_mut(&mut self) -> &mut Value {
        &mut self.value
    }

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut Meta {
        &mut self.meta
    }

    fn label(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Array item")
    }
}
