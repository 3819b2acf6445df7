//! Why files that flags name cannot be used.

use std::fmt;

/// Why a file cannot be used. It prints as ytt does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    kind: InputErrorKind,
    text: Box<str>,
}

/// The kinds of [`InputError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputErrorKind {
    /// A flag names it in a way that cannot be read.
    Flag,
    /// It is not there, or it cannot be read.
    Unreadable,
    /// It is neither a file nor a directory.
    NotAFile,
    /// It is a link that may not be followed.
    Link,
    /// There are more files, bytes or levels of directories than are taken.
    TooMuch,
    /// Standard input is asked for a second time.
    ReadTwice,
}

impl InputErrorKind {
    /// An error of this kind, in ytt's words.
    pub fn of(self, text: impl Into<Box<str>>) -> InputError {
        InputError { kind: self, text: text.into() }
    }
}

impl InputError {
    /// Of which kind it is.
    pub fn kind(&self) -> InputErrorKind {
        self.kind
    }

    /// The same error, after words on what was being done.
    pub(crate) fn while_doing(self, what: &str) -> Self {
        self.kind.of(format!("{what}: {}", self.text))
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for InputError {}
