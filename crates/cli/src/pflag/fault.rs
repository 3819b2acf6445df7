//! What is wrong with flags and their values, in the words of pflag and of Go.

use std::fmt;

use trueline_helm::quote;

/// What is wrong with a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FlagError {
    /// A word that begins like a flag is none.
    Syntax(String),
    /// No flag has this name.
    Unknown(String),
    /// No flag has this letter, which is in this group.
    UnknownLetter(char, String),
    /// The flag of this name needs a value.
    NoValue(String),
    /// The flag of this letter, which is in this group, needs a value.
    NoValueOfLetter(char, String),
    /// A value does not fit its flag.
    Invalid {
        /// The value.
        value: String,
        /// The flag, as it is shown.
        flag: String,
        /// Why it does not fit.
        fault: ValueFault,
    },
}

impl fmt::Display for FlagError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlagError::Syntax(word) => write!(formatter, "bad flag syntax: {word}"),
            FlagError::Unknown(name) => write!(formatter, "unknown flag: --{name}"),
            FlagError::UnknownLetter(letter, group) => {
                write!(formatter, "unknown shorthand flag: '{letter}' in -{group}")
            }
            FlagError::NoValue(name) => write!(formatter, "flag needs an argument: --{name}"),
            FlagError::NoValueOfLetter(letter, group) => {
                write!(formatter, "flag needs an argument: '{letter}' in -{group}")
            }
            FlagError::Invalid { value, flag, fault } => {
                write!(formatter, "invalid argument {} for {} flag: {fault}", quote(value), quote(flag))
            }
        }
    }
}

/// Why a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueFault {
    /// A function of Go does not take it.
    Number {
        /// The function.
        function: &'static str,
        /// The value.
        value: String,
        /// Whether it is too large; otherwise it is not of the form.
        problem: NumberProblem,
    },
    /// It is not a pair of a key and a value.
    NoPair(String),
    /// There is nothing in it.
    Empty,
    /// A quote is in the wrong place.
    Quote {
        /// What is wrong with it.
        problem: QuoteProblem,
        /// Its line.
        line: usize,
        /// Its column.
        column: usize,
        /// The line where the list begins.
        first_line: usize,
    },
    /// It is not a duration; Go's words.
    Duration(String),
    /// The command does not take it; its words.
    Refused(String),
}

/// What is wrong with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberProblem {
    /// It is not one.
    Syntax,
    /// It is too large.
    Range,
}

/// What is wrong with a quote in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteProblem {
    /// It is inside of a field that does not begin with one.
    Bare,
    /// It does not end its field, or is missing at the end.
    Unmatched,
}

impl fmt::Display for ValueFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueFault::Number { function, value, problem } => {
                let problem = match problem {
                    NumberProblem::Syntax => "invalid syntax",
                    NumberProblem::Range => "value out of range",
                };
                write!(formatter, "strconv.{function}: parsing {}: {problem}", quote(value))
            }
            ValueFault::NoPair(pair) => write!(formatter, "{pair} must be formatted as key=value"),
            ValueFault::Empty => formatter.write_str("EOF"),
            ValueFault::Quote { problem, line, column, first_line } => {
                if line != first_line {
                    write!(formatter, "record on line {first_line}; ")?;
                }
                let problem = match problem {
                    QuoteProblem::Bare => "bare \" in non-quoted-field",
                    QuoteProblem::Unmatched => "extraneous or missing \" in quoted-field",
                };
                write!(formatter, "parse error on line {line}, column {column}: {problem}")
            }
            ValueFault::Duration(words) | ValueFault::Refused(words) => formatter.write_str(words),
        }
    }
}
