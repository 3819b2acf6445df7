//! What a program may cost.

use std::cell::Cell;

use crate::{Error, live};

/// What running programs may cost in all: one set of limits is shared by a thread and all that are forked from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Turns of loops, calls, instructions (four of them are a step), and what functions do for each byte or element.
    pub steps: u64,
    /// Bytes that values may hold at the same time.
    pub memory: usize,
    /// Calls inside each other. Calls between Starlark functions take no native stack.
    pub depth: usize,
    /// Functions of the language or the embedder that call back into Starlark, inside each other: these do take native
    /// stack, up to 10 KiB each in a debug build and half of that in a release build.
    pub reentry: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        // A step takes 20 to 60 nanoseconds. A list that grows is there twice for a moment, and what is made of values
        // (documents, text) takes memory of its own.
        Limits { steps: 100_000_000, memory: 384 << 20, depth: 10_000, reentry: 60 }
    }
}

/// What is left of the limits.
#[derive(Debug)]
pub(crate) struct Meter {
    steps: Cell<u64>,
    /// The count of [`live::bytes`] that must not be passed.
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

    /// Pays for work before it is done.
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

    /// Asks for memory before it is taken.
    pub(crate) fn memory(&self, bytes: usize) -> Result<(), Error> {
        if live::bytes().saturating_add(bytes) > self.memory_end { Err(self.no_memory()) } else { Ok(()) }
    }

    #[cold]
    fn no_memory(&self) -> Error {
        Error::limit(format!("the program needs more than {} MiB of memory", self.memory.div_ceil(1 << 20)))
    }
}
