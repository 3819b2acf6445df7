//! Patterns of schemas: Go's syntax, found anywhere in a text.

use std::sync::Arc;

use trueline_regexp::Matcher;

/// A pattern that is ready to be matched against texts.
#[derive(Debug)]
pub struct Pattern(Arc<Matcher>);

impl Pattern {
    /// Reads a pattern; the error is Go's text.
    pub fn new(pattern: &str) -> Result<Self, String> {
        Matcher::shared(pattern.as_bytes()).map(Pattern)
    }

    /// Whether a part of the text matches; nothing if the pattern is too large to find that out.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        self.0.is_match(text)
    }
}
