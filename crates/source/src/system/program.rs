//! Programs that a system runs.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// A program that is to be run.
#[derive(Clone)]
pub struct Program<'p> {
    /// Its path, or its name if it is looked for in the directories of `PATH`.
    pub path: &'p Path,
    /// Its arguments.
    pub arguments: &'p [String],
    /// Variables beside those of the system.
    pub variables: &'p [(OsString, OsString)],
    /// What it finds on standard input.
    pub input: &'p [u8],
    /// How long it may take; without a limit, as long as it wants.
    pub patience: Option<Duration>,
    /// How much of its output is read.
    pub most: u64,
}

impl fmt::Debug for Program<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its input and variables may hold secrets.
        formatter.debug_struct("Program").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A program that ended.
#[derive(Clone)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it wrote to standard error.
    pub complaints: Vec<u8>,
}

impl fmt::Debug for Finished {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Finished").field("ending", &self.ending).finish_non_exhaustive()
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Neither is known.
    Unknown,
}
