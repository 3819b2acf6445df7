//! What goes wrong in a run, shown in kubeconform's words.

use std::fmt;
use std::io;

use trueline_analysis::LocationError;
use trueline_gostd::system::error as go_error;
use trueline_helm::repository::unanswered;
use trueline_regexp::PatternError;
use trueline_source::{LoadError, SendError, TypedReadError};

/// Why a run could not be made, or could not go on.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The output is to have a format that there is not.
    Format,
    /// The schemas of this version of Kubernetes are not embedded; those of the others are.
    NotEmbedded(String, Vec<String>),
    /// A place for schemas cannot be used.
    Location(LocationError),
    /// What is to be the folder of fetched schemas is not a directory.
    CacheIsNoDirectory(String),
    /// The folder of fetched schemas cannot be looked at.
    Cache(String, io::Error),
    /// There are no threads.
    Threads,
    /// There is no large stack, and why.
    Stack(String),
    /// Standard input cannot be read.
    Input(LoadError),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Format => {
                formatter.write_str("'outputFormat' must be 'json', 'junit', 'pretty', 'tap' or 'text'")
            }
            Failure::NotEmbedded(typed, versions) => write!(
                formatter,
                "there are no schemas of Kubernetes {typed}: those of {} are embedded, and others can be given with \
                 -schema-location",
                versions.join(", ")
            ),
            Failure::Location(error) => {
                write!(formatter, "failed initialising schema location registry: {error}")
            }
            Failure::Stack(why) => formatter.write_str(why),
            Failure::CacheIsNoDirectory(typed) => {
                write!(formatter, "cache folder {typed} is not a directory")
            }
            Failure::Cache(typed, error) => {
                write!(formatter, "failed opening cache folder {typed}: stat {typed}: {}", go_error(error))
            }
            Failure::Threads => formatter.write_str("the threads of `-n` cannot be started"),
            Failure::Input(error) => error.fmt(formatter),
            Failure::Output(error) => write!(formatter, "write /dev/stdout: {}", go_error(error)),
        }
    }
}

/// Why it could not be found out whether there is a schema.
#[derive(Debug)]
pub(crate) enum SchemaFailure {
    /// The place makes no path or address of the kind.
    Location(LocationError),
    /// The file cannot be read.
    File(TypedReadError),
    /// The document is not JSON; Go's words.
    NoJson(String),
    /// The server does not answer.
    NoAnswer(String, SendError),
    /// The server answers with this status.
    Status(String, u16),
    /// What was fetched cannot be kept.
    NotKept(io::Error),
}

impl fmt::Display for SchemaFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaFailure::Location(error) => error.fmt(formatter),
            SchemaFailure::NoJson(why) => formatter.write_str(why),
            SchemaFailure::File(error) => error.fmt(formatter),
            SchemaFailure::NoAnswer(url, error) => {
                write!(formatter, "failed downloading schema at {url}: {}", unanswered(error))
            }
            SchemaFailure::Status(url, status) => {
                write!(formatter, "error while downloading schema at {url} - received HTTP status {status}")
            }
            SchemaFailure::NotKept(error) => {
                write!(formatter, "failed to write cache to disk: {}", go_error(error))
            }
        }
    }
}

/// Why a path is not gone over.
#[derive(Debug, Clone)]
pub(crate) enum PathFailure {
    /// What is there cannot be found out; Go's words.
    Lstat(String, String),
    /// A directory cannot be listed; Go's words.
    Open(String, String),
    /// It is not a file that can be read to its end.
    NotRegular(String),
    /// It is in too many directories, of which there may be so many.
    TooDeep(String, usize),
    /// A pattern for paths that are left out cannot be used.
    Pattern(PatternError),
}

impl PathFailure {
    pub(crate) fn lstat(path: &str, error: &io::Error) -> Self {
        PathFailure::Lstat(path.to_owned(), go_error(error))
    }

    pub(crate) fn open(path: &str, error: &io::Error) -> Self {
        PathFailure::Open(path.to_owned(), go_error(error))
    }
}

impl fmt::Display for PathFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathFailure::Lstat(path, words) => write!(formatter, "lstat {path}: {words}"),
            PathFailure::Open(path, words) => write!(formatter, "open {path}: {words}"),
            PathFailure::NotRegular(path) => write!(formatter, "open {path}: it is not a regular file"),
            PathFailure::TooDeep(path, most) => {
                write!(formatter, "open {path}: directories are nested more than {most} deep")
            }
            PathFailure::Pattern(error) => error.fmt(formatter),
        }
    }
}

impl From<PatternError> for PathFailure {
    fn from(error: PatternError) -> Self {
        PathFailure::Pattern(error)
    }
}
