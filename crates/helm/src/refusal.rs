//! Why a function of this crate refuses what it was given.

use std::fmt;

/// A refusal: its kind for programs, and Helm's words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of refusal it is.
    pub kind: RefusalKind,
    text: String,
}

/// The kinds of [`Refusal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// A file, an expression or a reference cannot be read.
    Syntax,
    /// A version or a constraint on versions is not one.
    Version,
    /// A name is not allowed.
    Name,
    /// A URL cannot be read.
    Address,
    /// No chart, version or repository is the one that was asked for.
    NotFound,
    /// A chart is not made for this version of Kubernetes.
    Incompatible,
    /// A template on the command line fails.
    Template,
    /// The output cannot be written.
    Unwritable,
    /// The machine has no room for another thread, or the thread stopped.
    Thread,
}

impl RefusalKind {
    /// A refusal of this kind.
    pub fn of(self, text: impl Into<String>) -> Refusal {
        Refusal { kind: self, text: text.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

/// Commands print the words.
impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.text
    }
}
