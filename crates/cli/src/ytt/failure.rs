//! Why a command of the family failed.

use std::fmt;

use crate::pflag::FlagError;

/// Why a command failed, shown in ytt's words where it has some.
#[derive(Debug)]
pub(super) enum Failure {
    /// The flags cannot be read.
    Flag(FlagError),
    /// The command is not one by itself.
    NoCommand(&'static str),
    /// The command takes one file, and so many were named.
    NotOneFile(&'static str, usize),
    /// The command takes no arguments, and this is one.
    ExtraArgument(&'static str, String),
    /// The inputs cannot be read, the run failed, or its output cannot be written; ytt's words.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Flag(error) => error.fmt(formatter),
            Failure::NoCommand(name) => {
                write!(formatter, "command '{name}' expects a command: trueline ytt schema import FILE")
            }
            Failure::NotOneFile(name, count) => {
                write!(formatter, "command '{name}' expects one file, found {count}")
            }
            Failure::ExtraArgument(name, extra) => {
                write!(formatter, "command '{name}' does not accept extra arguments '{extra}'")
            }
            Failure::Other(words) => formatter.write_str(words),
        }
    }
}

impl From<FlagError> for Failure {
    fn from(error: FlagError) -> Self {
        Failure::Flag(error)
    }
}

impl From<String> for Failure {
    fn from(words: String) -> Self {
        Failure::Other(words)
    }
}
