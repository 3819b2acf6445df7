//! The values that the Go libraries refuse to write.

use std::fmt;

use crate::json::UnsupportedNumber;

/// A value that the Go library cannot write, with the library's message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MarshalError {
    /// Infinity or NaN.
    Number(UnsupportedNumber),
    /// A character that YAML does not allow, such as DEL.
    ControlCharacter,
    /// A key that is too long for a reader to recognise, or that contains a line break; holds the line that the
    /// library names, or 0.
    Key(usize),
    /// A line of a string that looks like the end of the document; holds the line that the library names.
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
