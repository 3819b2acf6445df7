//! Patterns of schemas: Go's syntax, matched anywhere in a string.

use std::sync::Arc;

use trueline_regexp::{Matcher, PatternError};

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern(Arc<Matcher>);

impl Pattern {
    /// Compiles a pattern; the error is Go's message.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        Matcher::shared(pattern.as_bytes()).map(Pattern)
    }

    /// Whether a part of the string matches; `None` if the pattern is too large to tell.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        self.0.is_match(text)
    }
}
