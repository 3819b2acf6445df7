//! What can be wrong with a text, and the limits that no text may break.

use trueline_source::Span;

/// Bounds on what a text may demand. Every reader keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How deep lists and maps may be nested.
    pub depth: usize,
    /// How many bytes a text may have.
    pub size: usize,
    /// How many nodes a document may stand for once its aliases are followed.
    pub expanded_nodes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        // Real manifests stay below 50 levels. Readers of a document recurse over it, so the depth also
        // bounds their stack.
        Limits { depth: 1_000, size: 64 << 20, expanded_nodes: 4_000_000 }
    }
}

/// A text that could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where it is wrong.
    pub span: Span,
    /// Where the thing began that could not be finished, such as an open bracket.
    pub context: Option<Span>,
    /// go-yaml's text for it, for the commands that repeat it; empty for JSON.
    pub go_text: String,
}

/// The kinds of [`SyntaxError`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// Not as the grammar demands: what was found or missing, in words.
    Grammar(String),
    /// Lists and maps are nested deeper than the limit.
    TooDeep,
    /// The text is longer than the limit.
    TooLarge,
    /// Aliases stand for more nodes than the limit.
    TooManyAliases,
}
