//! From the text of an expression to its tree, and back.
//!
//! The tree has the shape cel-go gives it, and what is wrong is said in its words and at its places. Well-formed
//! expressions go the short way: [`lexer`] → [`descent`] → [`build`]. Broken ones are read again by [`recovery`].

mod build;
mod descent;
mod issue;
mod lexer;
mod literal;
mod macros;
pub mod names;
mod print;
mod recovery;
#[cfg(test)]
mod tests;
mod token;
mod tree;

pub(crate) use issue::sorted;
pub use issue::{
    Issue, IssueKind, LimitIssue, LiteralIssue, MOST_ISSUES, MacroIssue, SyntaxIssue, display,
    line_and_column,
};
pub use print::{print, write_bytes, write_string};

use crate::ast::Ast;

/// How expressions are read.
#[derive(Debug, Clone)]
pub struct ParseOptions {
    /// Whether there are `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`, `optMap` and `optFlatMap`.
    pub optional: bool,
    /// Whether `all`, `exists`, `existsOne` and `exists_one` take two variables, and whether there are `transformList`,
    /// `transformMap` and `transformMapEntry`.
    pub two_variable_comprehensions: bool,
    /// Whether there is `sortBy`.
    pub sort_by: bool,
    /// Whether there is `cel.bind`.
    pub bindings: bool,
    /// Whether fields may be written in back quotes.
    pub quoted_identifiers: bool,
    /// Whether [`Ast::macro_calls`] is filled, which [`print`] needs.
    pub keep_macro_calls: bool,
    /// The most code points of an expression.
    pub most_code_points: usize,
    /// How deep an expression may be.
    pub most_depth: u32,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            optional: false,
            two_variable_comprehensions: false,
            sort_by: false,
            bindings: false,
            quoted_identifiers: false,
            keep_macro_calls: false,
            most_code_points: 100_000,
            most_depth: 250,
        }
    }
}

/// Reads an expression and expands its macros.
///
/// # Errors
///
/// Everything that is wrong. cel-go reports only the first 100 issues that it finds; these come first, in the order of their
/// places.
pub fn parse(text: &str, options: &ParseOptions) -> Result<Ast, Vec<Issue>> {
    // A code point has at least one byte, so most expressions need not be counted.
    if text.len() > options.most_code_points {
        let size = text.chars().count();
        if size > options.most_code_points {
            return Err(vec![Issue::nowhere(IssueKind::Limit(LimitIssue::Length {
                length: size,
                most: options.most_code_points,
            }))]);
        }
    }
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Issue::nowhere(IssueKind::Limit(LimitIssue::Bytes))]);
    }
    let mut tokens = lexer::tokens(text);
    if tokens.unreadable.is_empty() {
        match descent::read(tokens.list, options.most_depth) {
            Ok(tree) => {
                return build::build(text, &tree, options, Vec::new()).map_err(issue::sorted);
            }
            Err((descent::GivenUp, list)) => tokens.list = list,
        }
    }
    let outcome = recovery::read(text, tokens, options.most_depth);
    match outcome.tree {
        Some(tree) => build::build(text, &tree, options, outcome.issues).map_err(issue::sorted),
        None => Err(issue::sorted(outcome.issues)),
    }
}
