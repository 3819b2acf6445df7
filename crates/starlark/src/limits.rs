//! The limits on the cost of programs.

use std::cell::Cell;

use crate::{Error, live};

/// The total cost of running programs: a thread and all that are forked from it share one set of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Turns of loops, calls, instructions (four of them are a step), and the work of functions for each byte
    /// or element.
    pub steps: u64,
    /// The bytes that values may hold at the same time.
    pub memory: usize,
    /// The depth of nested calls. Calls between Starlark functions take no native stack.
    pub depth: usize,
    /// The depth of built-in or embedder functions that call back into Starlark: these use native stack, up to
    /// 10 KiB each in a debug build and half of that in a release build.
    pub reentry: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        // A step takes 20 to 60 nanoseconds. A growing list briefly exists twice, and what is made from values
        // (documents, text) takes additional memory.
        Limits { steps: 100_000_000, memory: 384 << 20, depth: 10_000, reentry: 60 }
    }
}

/// The remaining limits.
#[derive(Debug)]
pub(crate) struct Meter {
    steps: Cell<u64>,
    /// The value of [`live::bytes`] that must not be exceeded.
    memory_end: usize,
    memory: usize,
    pub(crate) depth: usize,
    pub(crate) reentry: usize,
    pub(crate) entered: Cell<usize>,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Meter {
        Meter {
            steps: Cell::new(limits.steps),
            memory_end: live::bytes().saturating_add(limits.memory),
            memory: limits.memory,
            depth: limits.depth,
            reentry: limits.reentry,
            entered: Cell::new(0),
        }
    }

    pub(crate) fn steps_left(&self) -> u64 {
        self.steps.get()
    }

    /// Charges for work before it is done.
    #[inline]
    pub(crate) fn step(&self, steps: u64) -> Result<(), Error> {
        match self.steps.get().checked_sub(steps) {
            Some(left) if live::bytes() <= self.memory_end => {
                self.steps.set(left);
                Ok(())
            }
            Some(_) => Err(self.no_memory()),
            None => {
                self.steps.set(0);
                Err(Error::limit("the program takes too many steps"))
            }
        }
    }

    /// Checks that memory is available before it is used.
    pub(crate) fn memory(&self, bytes: usize) -> Result<(), Error> {
        if live::bytes().saturating_add(bytes) > self.memory_end { Err(self.no_memory()) } else { Ok(()) }
    }

    #[cold]
    fn no_memory(&self) -> Error {
        Error::limit(format!("the program needs more than {} MiB of memory", self.memory.div_ceil(1 << 20)))
    }
}
