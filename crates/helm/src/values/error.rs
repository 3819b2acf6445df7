//! What stops values from being joined.

use std::fmt;

use trueline_diagnostic::Diagnostic;

/// An error as Helm words it, which is what it prints, and as we do.
#[derive(Debug, Clone)]
pub struct ValueError {
    text: String,
    /// What is wrong, at its place; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl ValueError {
    pub(crate) fn new(text: impl Into<String>, diagnostics: Vec<Diagnostic>) -> Self {
        ValueError { text: text.into(), diagnostics }
    }

    /// The same error with Helm's words for what was being done before it.
    pub fn within(self, words: impl fmt::Display) -> Self {
        ValueError { text: format!("{words}: {}", self.text), ..self }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for ValueError {}
