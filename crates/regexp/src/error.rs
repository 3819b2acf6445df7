//! Why a pattern cannot be used, in Go's words.

use std::fmt;
use std::sync::Arc;

/// Why a pattern cannot be used. It is displayed as Go's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    kind: PatternErrorKind,
    problem: &'static str,
    at: String,
}

/// The kinds of [`PatternError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// The pattern is malformed.
    Syntax,
    /// The pattern is valid, but too large to be run.
    TooLarge,
    /// The pattern is valid, but its groups are nested too deeply.
    TooDeep,
}

/// Go's message about a pattern that is too large.
pub(crate) const TOO_LARGE: &str = "expression too large";

/// Go's message about a pattern that is nested too deeply.
pub(crate) const TOO_DEEP: &str = "expression nests too deeply";

impl PatternError {
    /// An error with Go's description of the problem, and the part of the pattern that Go shows.
    pub(crate) fn new(problem: &'static str, at: &str) -> Self {
        let kind = match problem {
            TOO_LARGE => PatternErrorKind::TooLarge,
            TOO_DEEP => PatternErrorKind::TooDeep,
            _ => PatternErrorKind::Syntax,
        };
        PatternError { kind, problem, at: at.to_owned() }
    }

    /// The kind of error.
    pub fn kind(&self) -> PatternErrorKind {
        self.kind
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "error parsing regexp: {}: `{}`", self.problem, self.at)
    }
}

impl std::error::Error for PatternError {}

impl From<PatternError> for String {
    fn from(error: PatternError) -> Self {
        error.to_string()
    }
}

impl From<PatternError> for Arc<str> {
    fn from(error: PatternError) -> Self {
        error.to_string().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regexp;

    #[test]
    fn errors_have_a_kind_and_go_s_message() {
        let error = |pattern: &str| Regexp::new(pattern.as_bytes()).unwrap_err();
        assert_eq!(error("(a").kind(), PatternErrorKind::Syntax);
        assert_eq!(error("(a").to_string(), "error parsing regexp: missing closing ): `(a`");
        assert_eq!(
            error(&format!("{}a{}", "(".repeat(2_000), ")".repeat(2_000))).kind(),
            PatternErrorKind::TooDeep
        );
        assert_eq!(error("((a{100}){100}){1000}").kind(), PatternErrorKind::Syntax);
    }
}
