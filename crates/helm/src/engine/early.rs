//! Templates that are read before it is known whose they are: while a chart's values are read, other threads have
//! nothing else to do.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use trueline_gotemplate::{Delimiters, SharedFunctions, Text};

use super::functions;
use super::readers::Readers;
use crate::chart::Compat;

/// The name of a template whose own is not known yet: none that a person would write.
const NO_NAME: &str = "\u{0}";

/// Templates that were read before it is known whose they are.
#[derive(Debug)]
pub struct Early {
    readers: Readers,
    read: Mutex<FxHashMap<usize, Text>>,
}

impl Early {
    /// None yet.
    pub fn new(compat: Compat) -> Self {
        Early { readers: Readers::new(Arc::new(functions::all(compat))), read: Mutex::default() }
    }

    /// Reads a template. Its errors are reported once its name is known.
    pub fn read(&self, data: &Arc<[u8]>) {
        let read = self.readers.with(|reader| reader.read(NO_NAME, data, None, Delimiters::default()));
        if let Ok(text) = read {
            self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(Early::key(data), text);
        }
    }

    /// Identifies a template by its text as long as that is held: a template that was read holds its text.
    pub(super) fn key(data: &Arc<[u8]>) -> usize {
        data.as_ptr().addr()
    }

    pub(super) fn functions(&self) -> &SharedFunctions {
        self.readers.functions()
    }

    /// The templates by their keys, and their readers.
    pub(super) fn into_parts(self) -> (FxHashMap<usize, Text>, Readers) {
        (self.read.into_inner().unwrap_or_else(PoisonError::into_inner), self.readers)
    }
}
