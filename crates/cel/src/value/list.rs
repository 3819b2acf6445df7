//! Lists: computed ones, those of documents, and two that were added without copying either.

use std::sync::Arc;

use crate::shape::{ListKind, ListShape, Shape};
use crate::value::{Value, document};

/// A list.
#[derive(Debug, Clone)]
pub enum List {
    /// One that was computed.
    Computed(Arc<Vec<Value>>),
    /// One of a document.
    Document(Arc<Vec<trueline_yaml::Value>>, Arc<ListShape>),
    /// Lists of documents that were added as their shape says, and that still compare so.
    Merged(Arc<Vec<Value>>, Arc<ListShape>),
    /// Two lists, one after the other. Adding long lists must not copy them: a few characters of an expression could
    /// otherwise fill the memory.
    Joined(Arc<Joined>),
}

/// Two lists, one after the other.
#[derive(Debug)]
pub struct Joined {
    first: List,
    second: List,
    len: usize,
}

/// Lists up to this length are copied when they are added, which makes reading them faster.
const COPIED: usize = 32;

impl List {
    /// How many items there are.
    pub fn len(&self) -> usize {
        match self {
            List::Computed(items) | List::Merged(items, _) => items.len(),
            List::Document(items, _) => items.len(),
            List::Joined(joined) => joined.len,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item with this index.
    pub fn get(&self, index: usize) -> Option<Value> {
        let (mut list, mut index) = (self, index);
        loop {
            match list {
                List::Computed(items) | List::Merged(items, _) => return items.get(index).cloned(),
                List::Document(items, shape) => {
                    return items.get(index).map(|item| document::read(item, &shape.item));
                }
                List::Joined(joined) => {
                    let first = joined.first.len();
                    if index < first {
                        list = &joined.first;
                    } else {
                        (list, index) = (&joined.second, index - first);
                    }
                }
            }
        }
    }

    /// Its shape, if it is a list of a document of which more is known than that it is a list.
    pub(super) fn shape(&self) -> Option<&Arc<ListShape>> {
        match self {
            List::Document(_, shape) | List::Merged(_, shape) => {
                let is_any = shape.item == Shape::Dyn && shape.kind == ListKind::Ordered;
                (!is_any).then_some(shape)
            }
            List::Computed(_) | List::Joined(_) => None,
        }
    }

    /// The items in order.
    pub fn iter(&self) -> Items<'_> {
        Items { list: self, next: 0 }
    }

    /// Both lists, one after the other.
    #[must_use]
    pub fn joined(self, other: List) -> List {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let len = self.len().saturating_add(other.len());
        if len <= COPIED {
            let mut items = Vec::with_capacity(len);
            items.extend(self.iter());
            items.extend(other.iter());
            return List::from(items);
        }
        List::Joined(Arc::new(Joined { first: self, second: other, len }))
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        List::Computed(Arc::new(items))
    }
}

/// The items of a list.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    list: &'a List,
    next: usize,
}

impl Iterator for Items<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let item = self.list.get(self.next)?;
        self.next += 1;
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.list.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = Value;
    type IntoIter = Items<'a>;

    fn into_iter(self) -> Items<'a> {
        self.iter()
    }
}
