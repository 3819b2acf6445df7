//! What a host chooses for a run.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Branches;
use crate::node::{Bytes, Tree};
use crate::{Context, Environment, Error, Map, Origins, Type, Value};

/// What a host chooses for a run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The value of a missing key.
    pub missing_key: MissingKey,
    /// Whether each byte of output remembers where it came from. If not, this costs nothing.
    pub origins: Origins,
    /// When a run is stopped.
    pub limits: Limits,
    /// The clock and the random numbers.
    pub environment: &'a dyn Environment,
    /// The host's data for its own functions.
    pub host: &'a dyn Any,
    /// The methods of maps with a named type, by the names of type and method.
    pub map_methods: fn(&str, &str) -> Option<&'static MapMethod>,
    /// Where to record which branches are taken, if requested.
    pub branches: Option<&'a Branches>,
    /// Where to record how many steps it took, even if it fails.
    pub spent: Option<&'a Cell<u64>>,
    /// Where to record which templates of the set are asked for, if requested.
    pub asked: Option<&'a AskedTemplates>,
}

/// The names under which a run asked its set for templates, also for those that the set does not have.
#[derive(Debug, Default)]
pub struct AskedTemplates(RefCell<FxHashSet<Bytes>>);

impl AskedTemplates {
    pub(super) fn note(&self, name: &[u8], found: Option<&Tree>) {
        let mut names = self.0.borrow_mut();
        if !names.contains(name) {
            names.insert(found.map_or_else(|| Arc::from(name), |tree| Arc::clone(&tree.name)));
        }
    }

    /// The names.
    pub fn into_names(self) -> Vec<Bytes> {
        self.0.into_inner().into_iter().collect()
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Options { missing_key, origins, limits, .. } = self;
        write!(formatter, "Options {{ {missing_key:?}, {origins:?}, {limits:?} }}")
    }
}

impl<'a> Options<'a> {
    /// Go's defaults: missing keys have no value; no traces.
    pub fn new(environment: &'a dyn Environment, host: &'a dyn Any) -> Self {
        Options {
            missing_key: MissingKey::Invalid,
            origins: Origins::Dropped,
            limits: Limits::default(),
            environment,
            host,
            map_methods: |_, _| None,
            branches: None,
            spent: None,
            asked: None,
        }
    }
}

/// A method of a map with a named type.
#[derive(Debug)]
pub struct MapMethod {
    /// Its name.
    pub name: &'static str,
    /// The types of its parameters, without the receiver.
    pub parameters: &'static [Type],
    /// The implementation. The arguments fit the parameters.
    pub call: fn(&Map, &mut dyn Context, &[Value]) -> Result<Value, Error>,
}

/// The value of a missing key: Go's option `missingkey`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingKey {
    /// No value; its fields have no value either.
    Invalid,
    /// The zero value of the map's type: nil for most, whose fields are errors.
    Zero,
    /// An error.
    Error,
}

/// When a run is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many steps it may take: nodes that are executed, calls, and what functions count.
    pub steps: u64,
    /// How many bytes may be written, counting what included templates write.
    pub output: u64,
    /// How deeply templates and their parts may call each other. One `include` takes four to eight levels.
    pub depth: u32,
}

impl Default for Limits {
    /// Far more than any chart needs. The depth is safe on a stack of 256 MiB.
    fn default() -> Self {
        Limits { steps: 200_000_000, output: 32 << 20, depth: 20_000 }
    }
}
