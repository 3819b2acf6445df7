//! Lists.

use std::cell::RefCell;

use super::State;
use crate::{Error, Value, live};

/// A list. Everybody with a reference sees all changes.
#[derive(Default)]
pub struct List {
    items: RefCell<Vec<Value>>,
    pub(crate) state: State,
}

impl List {
    pub(crate) fn new(items: Vec<Value>) -> List {
        live::add(live::OBJECT + items.capacity() * size_of::<Value>());
        List { items: RefCell::new(items), state: State::default() }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.items.borrow().len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An element.
    pub fn get(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }

    /// All elements.
    pub fn to_vec(&self) -> Vec<Value> {
        self.items.borrow().clone()
    }

    /// Reads the elements. The closure must not use the list.
    pub(crate) fn with<R>(&self, look: impl FnOnce(&[Value]) -> R) -> R {
        look(&self.items.borrow())
    }

    /// Changes the elements, even if it is frozen. The closure must not use the list.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut Vec<Value>) -> R) -> R {
        let mut items = self.items.borrow_mut();
        let before = items.capacity();
        let result = change(&mut items);
        let after = items.capacity();
        if after > before {
            live::add((after - before) * size_of::<Value>());
        } else {
            live::remove((before - after) * size_of::<Value>());
        }
        result
    }

    /// Fails if the list cannot be changed now; `verb` and ` list` describe the change.
    pub(crate) fn check_mutable(&self, verb: &str) -> Result<(), Error> {
        if self.state.is_frozen() {
            return Err(Error::new(format!("cannot {verb} frozen list")));
        }
        if self.state.is_iterated() {
            return Err(Error::new(format!("cannot {verb} list during iteration")));
        }
        Ok(())
    }

    pub(crate) fn freeze(&self, waiting: &mut Vec<Value>) {
        if self.state.freeze() {
            waiting.extend(self.items.borrow().iter().filter(|item| !item.is_scalar()).cloned());
        }
    }

    pub(crate) fn clear(&self) {
        let items = self.change(std::mem::take);
        live::release(items);
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let items = std::mem::take(self.items.get_mut());
        live::remove(live::OBJECT + items.capacity() * size_of::<Value>());
        live::release(items);
    }
}
