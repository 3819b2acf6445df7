//! What is wrong with a program, as facts. The sentences of the original are printed from them here and nowhere else;
//! who has words of their own prints those.

use std::fmt;

/// What is wrong. Types and operators have the names that the language gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A name that nothing defines.
    Undefined {
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// A block without its `end`.
    OpenBlock,
    /// A string without its closing quote.
    OpenString,
    /// A token in the place of another.
    Unexpected {
        /// The token: the name of its kind, or the sign in quotes.
        found: String,
        /// What was wanted, in the same way.
        wanted: String,
    },
    /// Elements were wanted of a value that has none.
    NotIterable {
        /// The type of the value.
        found: String,
    },
    /// An operator between values that it is not for.
    Binary {
        /// The type of the left value.
        left: String,
        /// The operator.
        operator: &'static str,
        /// The type of the right value.
        right: String,
    },
    /// An operator before a value that it is not for.
    Unary {
        /// The operator.
        operator: &'static str,
        /// The type of the value.
        operand: String,
    },
    /// Values that have no order.
    NotComparable {
        /// The type of the left value.
        left: String,
        /// The operator.
        operator: &'static str,
        /// The type of the right value.
        right: String,
    },
    /// An index of a value that has none.
    Index {
        /// The type of the value.
        found: String,
        /// The type of the index.
        index: String,
    },
    /// A key that a container does not have.
    MissingKey {
        /// The key, as `repr` shows it.
        key: String,
        /// The type of the container.
        container: String,
    },
    /// A field or method that a value does not have.
    MissingAttribute {
        /// The type of the value.
        found: String,
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// Arguments that a call does not give.
    MissingArguments {
        /// The function.
        function: String,
        /// Their names.
        missing: Vec<String>,
    },
    /// The program says so itself, with `fail`.
    Said {
        /// Its words.
        words: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Undefined { name, nearest } => {
                write!(f, "undefined: {name}")?;
                nearest.as_ref().map_or(Ok(()), |nearest| write!(f, " (did you mean {nearest}?)"))
            }
            Fault::OpenBlock => {
                f.write_str("mismatched set of block openings (if/else/elif/for/def) and closing (end)")
            }
            Fault::OpenString => f.write_str("unexpected newline in string"),
            Fault::Unexpected { found, wanted } => write!(f, "got {found}, want {wanted}"),
            Fault::NotIterable { found } => write!(f, "{found} value is not iterable"),
            Fault::Binary { left, operator, right } => {
                write!(f, "unknown binary op: {left} {operator} {right}")
            }
            Fault::Unary { operator, operand } => write!(f, "unknown unary op: {operator} {operand}"),
            Fault::NotComparable { left, operator, right } => {
                write!(f, "{left} {operator} {right} not implemented")
            }
            Fault::Index { found, index } => write!(f, "unhandled index operation {found}[{index}]"),
            Fault::MissingKey { key, container } => write!(f, "key {key} not in {container}"),
            Fault::MissingAttribute { found, name, nearest } => {
                write!(f, "{found} has no .{name} field or method")?;
                nearest.as_ref().map_or(Ok(()), |nearest| write!(f, " (did you mean .{nearest}?)"))
            }
            Fault::MissingArguments { function, missing } => {
                let plural = if missing.len() > 1 { "s" } else { "" };
                let (count, missing) = (missing.len(), missing.join(", "));
                write!(f, "function {function} missing {count} argument{plural} ({missing})")
            }
            Fault::Said { words } => write!(f, "fail: {words}"),
        }
    }
}
