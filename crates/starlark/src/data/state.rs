//! Whether a container may be changed.

use std::cell::Cell;

#[derive(Default)]
pub(crate) struct State {
    frozen: Cell<bool>,
    iterators: Cell<u32>,
    noted: Cell<bool>,
}

impl State {
    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.get()
    }

    /// Freezes it, and returns whether it was not frozen before.
    pub(crate) fn freeze(&self) -> bool {
        !self.frozen.replace(true)
    }

    pub(crate) fn is_iterated(&self) -> bool {
        self.iterators.get() > 0
    }

    pub(crate) fn begin_iteration(&self) {
        self.iterators.set(self.iterators.get().saturating_add(1));
    }

    pub(crate) fn end_iteration(&self) {
        self.iterators.set(self.iterators.get().saturating_sub(1));
    }

    /// Whether it has just become a container that may be part of a cycle.
    pub(crate) fn note(&self) -> bool {
        !self.noted.replace(true)
    }
}
