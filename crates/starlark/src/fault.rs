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
    /// Arguments for a function that takes none.
    NoParameters {
        /// The function.
        function: String,
        /// How many are given.
        given: usize,
    },
    /// More arguments without names than a function takes.
    TooManyArguments {
        /// The function.
        function: String,
        /// How many it takes at most.
        most: usize,
        /// Whether it takes fewer, too.
        fewer: Fewer,
        /// How many are given.
        given: usize,
    },
    /// Several values for one parameter.
    RepeatedArgument {
        /// The function.
        function: String,
        /// The parameter, in quotes.
        parameter: String,
    },
    /// An argument whose name is that of no parameter.
    UnknownArgument {
        /// The function.
        function: String,
        /// The name, in quotes.
        argument: String,
    },
    /// The program says so itself, with `fail`.
    Said {
        /// Its words.
        words: String,
    },
}

/// Whether a function takes fewer arguments than there are parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fewer {
    /// Some parameters have defaults.
    Allowed,
    /// None has.
    Refused,
}

impl Fault {
    /// Whether a call does not fit the function that it calls: the call is at fault and not the function.
    pub fn is_of_call(&self) -> bool {
        matches!(
            self,
            Fault::MissingArguments { .. }
                | Fault::NoParameters { .. }
                | Fault::TooManyArguments { .. }
                | Fault::RepeatedArgument { .. }
                | Fault::UnknownArgument { .. }
        )
    }
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
            Fault::NoParameters { function, given } => {
                write!(f, "function {function} accepts no arguments ({given} given)")
            }
            Fault::TooManyArguments { function, most, fewer, given } => {
                let limit = if *fewer == Fewer::Allowed { "at most " } else { "" };
                let plural = if *most == 1 { "" } else { "s" };
                write!(
                    f,
                    "function {function} accepts {limit}{most} positional argument{plural} ({given} given)"
                )
            }
            Fault::RepeatedArgument { function, parameter } => {
                write!(f, "function {function} got multiple values for parameter {parameter}")
            }
            Fault::UnknownArgument { function, argument } => {
                write!(f, "function {function} got an unexpected keyword argument {argument}")
            }
            Fault::Said { words } => write!(f, "fail: {words}"),
        }
    }
}
