//! Why a command of our own could not run.

use std::fmt;
use std::io;
use std::path::PathBuf;

use trueline_analysis::{CrdFailure, CrdFiles, QueryFailure, Unanswered, ValueFailure};
use trueline_source::plain;

use crate::machine::NoDirectory;
use crate::output::{NoDestination, Unwritten};

/// Why a command could not run; shown as one sentence.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was typed contradicts itself, or names what there is not.
    Usage(String),
    /// There is no working directory.
    Directory(NoDirectory),
    /// A report cannot go where it should.
    Destination(NoDestination),
    /// Files could not be written.
    Unwritten(Unwritten),
    /// A directory cannot be made.
    Unmade(PathBuf, io::Error),
    /// Standard output cannot be written.
    Output(io::Error),
    /// Standard input cannot be read.
    Input(io::Error),
    /// A line of standard input is longer than so many bytes.
    LongLine(usize, u64),
    /// A line of standard input is not text.
    BinaryLine(usize),
    /// The threads of `--jobs` cannot be started.
    Threads,
    /// The CRDs and objects that were named cannot be used; with the places that the sentence names.
    Files(String),
    /// The value of a chart cannot be followed.
    Value(ValueFailure),
    /// The run could not be made; a sentence of the engine.
    Run(Unanswered),
}

impl Failure {
    /// What was typed cannot be meant.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Failure::Usage(sentence.into())
    }

    /// Why nothing was made of files.
    pub(crate) fn of_files(failure: &CrdFailure, files: &CrdFiles) -> Self {
        Failure::Files(failure.sentence(files.sources()))
    }

    /// Why nothing can be asked of an object.
    pub(crate) fn of_query(failure: &QueryFailure, files: &CrdFiles) -> Self {
        Failure::Files(failure.sentence(files.sources()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Run(unanswered) => unanswered.fmt(formatter),
            Failure::Usage(sentence) | Failure::Files(sentence) => formatter.write_str(sentence),
            Failure::Directory(error) => error.fmt(formatter),
            Failure::Destination(error) => error.fmt(formatter),
            Failure::Unwritten(error) => error.fmt(formatter),
            Failure::Unmade(path, error) => {
                write!(formatter, "`{}` cannot be made: {}", path.display(), plain(error))
            }
            Failure::Output(error) => {
                write!(formatter, "standard output cannot be written: {}", plain(error))
            }
            Failure::Input(error) => write!(formatter, "standard input cannot be read: {}", plain(error)),
            Failure::LongLine(number, most) => {
                write!(formatter, "line {number} of standard input is longer than {} MiB", most >> 20)
            }
            Failure::BinaryLine(number) => {
                write!(formatter, "line {number} of standard input is not UTF-8 text")
            }
            Failure::Threads => formatter.write_str("the threads of `--jobs` cannot be started"),
            Failure::Value(failure) => failure.fmt(formatter),
        }
    }
}

impl From<NoDirectory> for Failure {
    fn from(error: NoDirectory) -> Self {
        Failure::Directory(error)
    }
}

impl From<NoDestination> for Failure {
    fn from(error: NoDestination) -> Self {
        Failure::Destination(error)
    }
}

impl From<Unwritten> for Failure {
    fn from(error: Unwritten) -> Self {
        Failure::Unwritten(error)
    }
}

impl From<ValueFailure> for Failure {
    fn from(failure: ValueFailure) -> Self {
        Failure::Value(failure)
    }
}
