//! Readers of templates for several threads: each takes one that is free, so that all texts share a few.

use std::sync::{Mutex, PoisonError};

use trueline_gotemplate::{Reader, SharedFunctions};

/// Readers that know the same functions.
#[derive(Debug)]
pub(super) struct Readers {
    functions: SharedFunctions,
    free: Mutex<Vec<Reader>>,
}

impl Readers {
    pub(super) fn new(functions: SharedFunctions) -> Self {
        Readers { functions, free: Mutex::default() }
    }

    pub(super) fn functions(&self) -> &SharedFunctions {
        &self.functions
    }

    /// Does something with a reader that nobody else uses.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Reader) -> T) -> T {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = free().pop();
        let mut reader = taken.unwrap_or_else(|| Reader::new(SharedFunctions::clone(&self.functions)));
        let done = work(&mut reader);
        free().push(reader);
        done
    }
}
