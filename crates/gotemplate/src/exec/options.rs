//! What a host chooses for a run.

use std::any::Any;
use std::cell::Cell;

use super::Branches;
use crate::{Context, Environment, Error, Map, Origins, Type, Value};

/// What a host chooses for a run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What a key that a map does not have stands for.
    pub missing_key: MissingKey,
    /// Whether each byte that is written remembers where it came from. If not, nothing is paid for it.
    pub origins: Origins,
    /// When a run is stopped.
    pub limits: Limits,
    /// The clock and the dice.
    pub environment: &'a dyn Environment,
    /// What the host's own functions find beside the templates.
    pub host: &'a dyn Any,
    /// The methods of maps that have a type of their own, by the names of type and method.
    pub map_methods: fn(&str, &str) -> Option<&'static MapMethod>,
    /// Where to note which branches are taken, if somebody wants to know.
    pub branches: Option<&'a Branches>,
    /// Where to note how many steps it took, also if it fails.
    pub spent: Option<&'a Cell<u64>>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Options { missing_key, origins, limits, .. } = self;
        write!(formatter, "Options {{ {missing_key:?}, {origins:?}, {limits:?} }}")
    }
}

impl<'a> Options<'a> {
    /// Go's defaults: missing keys are no value; no traces.
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
        }
    }
}

/// A method of a map that has a type of its own.
#[derive(Debug)]
pub struct MapMethod {
    /// Its name.
    pub name: &'static str,
    /// The types of its parameters, without the receiver.
    pub parameters: &'static [Type],
    /// Does it. The arguments fit the parameters.
    pub call: fn(&Map, &mut dyn Context, &[Value]) -> Result<Value, Error>,
}

/// What a key that a map does not have stands for: Go's option `missingkey`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingKey {
    /// No value, whose fields are no value either.
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
    /// How deep templates and the parts of them may call each other. One `include` takes four to eight.
    pub depth: u32,
}

impl Default for Limits {
    /// Far more than any chart needs. The depth is safe on a stack of 256 MiB.
    fn default() -> Self {
        Limits { steps: 200_000_000, output: 32 << 20, depth: 20_000 }
    }
}
