//! Slices. No template function changes one in place, so they are shared and never written.

use std::ops::Deref;
use std::rc::Rc;

use super::{Element, Value, drop};

/// A slice with the type of its elements.
#[derive(Debug, Clone)]
pub struct List {
    element: Element,
    items: Rc<Items>,
}

#[derive(Debug)]
struct Items(Vec<Value>);

impl List {
    /// A slice.
    pub fn new(element: Element, items: Vec<Value>) -> Self {
        List { element, items: Rc::new(Items(items)) }
    }

    /// The type of its elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Whether both are one slice in memory.
    pub fn same(&self, other: &List) -> bool {
        Rc::ptr_eq(&self.items, &other.items)
    }
}

impl Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.items.0
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        drop::free(self.0.drain(..));
    }
}
