//! The names of operators and the words that are not names.

use super::token::TokenKind;

/// `c ? a : b`
pub const CONDITIONAL: &str = "_?_:_";
/// `a && b`
pub const AND: &str = "_&&_";
/// `a || b`
pub const OR: &str = "_||_";
/// `!a`
pub const NOT: &str = "!_";
/// `-a`
pub const NEGATE: &str = "-_";
/// `a + b`
pub const ADD: &str = "_+_";
/// `a == b`
pub const EQUALS: &str = "_==_";
/// `a[b]`
pub const INDEX: &str = "_[_]";
/// `a[?b]`
pub const OPTIONAL_INDEX: &str = "_[?_]";
/// `a.?b`
pub const OPTIONAL_SELECT: &str = "_?._";
/// `a in b`
pub const IN: &str = "@in";
/// The condition of a loop that ends at the first `false`.
pub const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
/// Adds to the map that a two-variable comprehension computes.
pub const MAP_INSERT: &str = "cel.@mapInsert";
/// The variable in which macros compute. Nobody can write it.
pub const ACCUMULATOR: &str = "@result";
/// What [`ACCUMULATOR`] was in the past; it may not be the variable of a macro.
pub const OLD_ACCUMULATOR: &str = "__result__";
/// The variable of a loop that never runs.
pub const UNUSED_VARIABLE: &str = "#unused";

/// Sorts a list by a list of keys.
pub const SORT_BY_KEYS: &str = "@sortByAssociatedKeys";
/// The list that `sortBy` sorts.
pub const SORTED_LIST: &str = "@__sortBy_input__";

/// The function that an operator between two operands is, and how it is written.
const BINARY: [(TokenKind, &str, &str); 12] = [
    (TokenKind::Plus, ADD, "+"),
    (TokenKind::Minus, "_-_", "-"),
    (TokenKind::Star, "_*_", "*"),
    (TokenKind::Slash, "_/_", "/"),
    (TokenKind::Percent, "_%_", "%"),
    (TokenKind::Equals, EQUALS, "=="),
    (TokenKind::NotEquals, "_!=_", "!="),
    (TokenKind::Less, "_<_", "<"),
    (TokenKind::LessEquals, "_<=_", "<="),
    (TokenKind::Greater, "_>_", ">"),
    (TokenKind::GreaterEquals, "_>=_", ">="),
    (TokenKind::In, IN, "in"),
];

/// The function of an operator of relations and sums.
pub(super) fn binary(kind: TokenKind) -> Option<&'static str> {
    BINARY.iter().find(|(token, ..)| *token == kind).map(|(_, function, _)| *function)
}

/// How the function of an operator of relations and sums is written.
pub(super) fn symbol(function: &str) -> Option<&'static str> {
    BINARY.iter().find(|(_, name, _)| *name == function).map(|(.., symbol)| *symbol)
}

/// How the function of an operator is written; nothing for other functions.
#[must_use]
pub fn operator_text(function: &str) -> Option<&'static str> {
    Some(match function {
        AND => "&&",
        OR => "||",
        NOT => "!",
        NEGATE => "-",
        OPTIONAL_SELECT => ".?",
        function => return symbol(function),
    })
}

/// Whether a word may not name a variable or a function.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "as" | "break"
            | "const"
            | "continue"
            | "else"
            | "false"
            | "for"
            | "function"
            | "if"
            | "import"
            | "in"
            | "let"
            | "loop"
            | "package"
            | "namespace"
            | "null"
            | "return"
            | "true"
            | "var"
            | "void"
            | "while"
    )
}
