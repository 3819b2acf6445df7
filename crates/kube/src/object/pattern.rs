//! Patterns of schemas: Go's syntax, found anywhere in a text.

use trueline_regexp::Regexp;

/// A pattern that is ready to be held against texts.
#[derive(Debug)]
pub(crate) struct Pattern(Regexp);

impl Pattern {
    /// Makes a pattern ready; the error is Go's text.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        Regexp::new(pattern.as_bytes()).map(Pattern)
    }

    /// Whether a part of the text matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }
}
