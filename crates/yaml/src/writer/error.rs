//! What the Go libraries refuse to write.

use std::fmt;

use crate::json::UnsupportedNumber;

/// A value that the Go library has no text for. Its words are those of the library.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MarshalError {
    /// Infinity, or what is not a number at all.
    Number(UnsupportedNumber),
    /// A character that no YAML text may have, such as DEL.
    ControlCharacter,
    /// A key that is too long for a reader to recognise, or has a line break in it; the line that the
    /// library names, or 0.
    Key(usize),
    /// A line of a text that looks like the end of the document; the line that the library names.
    DocumentIndicator(usize),
}

impl fmt::Display for MarshalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MarshalError::Number(number) => write!(formatter, "error marshaling into JSON: {number}"),
            MarshalError::ControlCharacter => formatter.write_str("yaml: control characters are not allowed"),
            MarshalError::Key(0) => formatter.write_str("yaml: did not find expected ',' or '}'"),
            MarshalError::Key(line) => {
                write!(formatter, "yaml: line {line}: did not find expected ',' or '}}'")
            }
            MarshalError::DocumentIndicator(line) => {
                write!(formatter, "yaml: line {line}: found unexpected document indicator")
            }
        }
    }
}

impl std::error::Error for MarshalError {}
