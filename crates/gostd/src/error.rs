//! What Go's packages say when they refuse a string.

use std::fmt;

/// What a string could not be read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GoErrorKind {
    /// A URL.
    Url,
    /// The query of a URL, or a part of a URL with escapes.
    Escaped,
    /// An IP address.
    Address,
    /// A network: an address with a prefix length.
    Network,
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// A time.
    Time,
    /// A duration.
    Duration,
}

impl GoErrorKind {
    /// The error with Go's message.
    pub(crate) fn says(self, message: impl Into<Box<str>>) -> GoError {
        GoError { kind: self, message: message.into() }
    }
}

/// An error of Go's: what was expected, and Go's message exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoError {
    kind: GoErrorKind,
    message: Box<str>,
}

impl GoError {
    /// What the string could not be read as.
    pub fn kind(&self) -> GoErrorKind {
        self.kind
    }

    /// Go's message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for GoError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for GoError {}

/// Most of what agrees with a Go program passes Go's messages on.
impl From<GoError> for String {
    fn from(error: GoError) -> Self {
        error.message.into()
    }
}
