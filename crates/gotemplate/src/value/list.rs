//! Slices. No template function changes one in place, so they are shared and never written.

use std::ops::Deref;
use std::rc::Rc;

use super::{Element, Value, drop};

/// A slice with the type of its elements.
#[derive(Debug, Clone)]
pub struct List {
    element: Element,
    /// `None` for Go's nil slice, which is empty but encoded as `null`.
    items: Option<Rc<Items>>,
}

#[derive(Debug)]
struct Items(Vec<Value>);

impl List {
    /// A slice.
    pub fn new(element: Element, items: Vec<Value>) -> Self {
        List { element, items: Some(Rc::new(Items(items))) }
    }

    /// Go's nil slice: empty, but encoded as `null`.
    pub fn nil(element: Element) -> Self {
        List { element, items: None }
    }

    /// Whether it is Go's nil slice.
    pub fn is_nil(&self) -> bool {
        self.items.is_none()
    }

    /// The type of its elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Whether both are one slice in memory.
    pub fn same(&self, other: &List) -> bool {
        match (&self.items, &other.items) {
            (Some(left), Some(right)) => Rc::ptr_eq(left, right),
            (left, right) => left.is_none() && right.is_none(),
        }
    }
}

impl Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        self.items.as_ref().map_or(&[], |items| &items.0)
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        drop::free(self.0.drain(..));
    }
}
