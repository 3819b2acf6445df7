//! Errors with their place and the calls that led to them.

use std::any::Any;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::fault::Fault;

/// The kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source is not a valid program. There is exactly one problem.
    Syntax,
    /// Undefined names and other faults that are detected before running. There may be several problems.
    Resolve,
    /// The program failed while it ran.
    Evaluation,
    /// The program failed because an attribute does not exist. Only attribute access treats it differently: it
    /// adds a suggestion.
    NoAttribute,
    /// Running it would cost more than the [`crate::Limits`] allow.
    Limit,
}

/// A line and a column, both from 1. Columns count characters. Zero means that the place is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// One problem of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The original's message.
    pub message: String,
    /// The facts that the message is about, where they are known.
    pub fault: Option<Fault>,
    /// Where it is.
    pub position: Position,
}

/// A call that was active when an error happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The name of the function: `<toplevel>` for a file, `lambda` for a function without a name.
    pub function: Arc<str>,
    /// The name that the file was parsed with; `<builtin>` for functions that are not written in Starlark.
    pub file: Arc<str>,
    /// The place in the file; zero for builtins.
    pub position: Position,
}

/// An error. It is cheap to pass around; methods give access to its contents.
#[derive(Clone)]
pub struct Error(Box<Contents>);

#[derive(Clone)]
struct Contents {
    kind: ErrorKind,
    message: String,
    frames: Option<Vec<Frame>>,
    problems: Vec<Problem>,
    fault: Option<Fault>,
    payload: Option<Rc<dyn Any>>,
}

impl Problem {
    /// A problem that is known by its facts.
    pub(crate) fn of(fault: Fault, position: Position) -> Problem {
        Problem { message: fault.to_string(), fault: Some(fault), position }
    }

    /// A problem that is known by its message alone.
    pub(crate) fn new(message: impl Into<String>, position: Position) -> Problem {
        Problem { message: message.into(), fault: None, position }
    }
}

impl Error {
    /// A failure of a running program. The calls that led to it are added when it leaves the innermost one.
    pub fn new(message: impl Into<String>) -> Error {
        Error::of(ErrorKind::Evaluation, message.into())
    }

    /// An attribute that does not exist: attribute access adds the name that was probably meant.
    pub fn no_attribute(message: impl Into<String>) -> Error {
        Error::of(ErrorKind::NoAttribute, message.into())
    }

    /// A limit that was reached.
    pub fn limit(message: impl Into<String>) -> Error {
        Error::of(ErrorKind::Limit, message.into())
    }

    fn of(kind: ErrorKind, message: String) -> Error {
        let (problems, fault, payload) = (Vec::new(), None, None);
        Error(Box::new(Contents { kind, message, frames: None, problems, fault, payload }))
    }

    pub(crate) fn source(kind: ErrorKind, problems: Vec<Problem>) -> Error {
        let message = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
        let mut error = Error::of(kind, message);
        error.0.problems = problems;
        error
    }

    /// `prefix: message`, as a new error: it gets the calls of the place where it is used. A limit stays a
    /// limit.
    #[must_use]
    pub fn prefixed(&self, prefix: &str) -> Error {
        self.reworded(format!("{prefix}: {}", self.message()))
    }

    /// The same kind of error with another message, without the calls that led to it.
    #[must_use]
    pub fn reworded(&self, message: impl Into<String>) -> Error {
        let kind = if self.kind() == ErrorKind::Limit { ErrorKind::Limit } else { ErrorKind::Evaluation };
        let mut error = Error::of(kind, message.into());
        error.0.fault = self.0.fault.clone();
        error.0.payload = self.0.payload.clone();
        error
    }

    /// The same error with data of the embedder that is kept even if the message changes.
    #[must_use]
    pub fn with_payload(mut self, payload: Rc<dyn Any>) -> Error {
        self.0.payload = Some(payload);
        self
    }

    /// The data passed to [`Error::with_payload`].
    pub fn payload(&self) -> Option<&Rc<dyn Any>> {
        self.0.payload.as_ref()
    }

    /// The facts that the message is about, where they are known.
    pub fn fault(&self) -> Option<&Fault> {
        self.0.fault.as_ref()
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message, without the place; the first one if there are several problems.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The calls that led to it, innermost first. Empty for problems of a source.
    pub fn frames(&self) -> &[Frame] {
        self.0.frames.as_deref().unwrap_or_default()
    }

    /// The problems of a source, for [`ErrorKind::Syntax`] and [`ErrorKind::Resolve`].
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.0.frames.is_some()
    }

    pub(crate) fn set_frames(&mut self, frames: Vec<Frame>) {
        self.0.frames = Some(frames);
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        let mut error = Error::new(fault.to_string());
        error.0.fault = Some(fault);
        error
    }
}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error::new(message)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Error {
        Error::new(message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contents { kind, message, frames, problems, .. } = &*self.0;
        f.debug_struct("Error")
            .field("kind", kind)
            .field("message", message)
            .field("frames", frames)
            .field("problems", problems)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Error {}
