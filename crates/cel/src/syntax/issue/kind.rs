//! What can be wrong with an expression, with the names and types of the case. The words of cel-go are written here and
//! nowhere else; whoever has other words chooses them by the kind.

use std::fmt;
use std::sync::Arc;

use crate::types::Type;

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum IssueKind {
    /// The text does not follow the grammar.
    Syntax(SyntaxIssue),
    /// A limit on the size, the nesting or the errors of an expression is exceeded.
    Limit(LimitIssue),
    /// A reserved word is used as a name.
    Reserved(Arc<str>),
    /// A field is written in back quotes, which this environment does not have.
    QuotedField,
    /// This syntax exists in CEL, but not in this environment.
    Unsupported(&'static str),
    /// A literal cannot be read.
    Literal(LiteralIssue),
    /// A macro does not take one of its arguments.
    Macro(MacroIssue),
    /// A name is not declared.
    Undeclared {
        /// The name.
        name: Arc<str>,
        /// The namespace in which it was looked up.
        container: Arc<str>,
    },
    /// A field is not declared.
    UndefinedField(Arc<str>),
    /// A value of this type has no fields.
    NoFields(Type),
    /// A value of this type cannot be iterated over.
    NotIterable(Type),
    /// A type was found where another is expected.
    Mismatch {
        /// The type that is expected.
        expected: Type,
        /// The type that was found.
        found: Type,
    },
    /// A field of a message literal has the wrong type.
    FieldMismatch {
        /// The field.
        field: Arc<str>,
        /// Its type; nothing if it cannot be set.
        expected: Option<Type>,
        /// The type that was found.
        found: Type,
    },
    /// A function has no overload for these arguments.
    NoOverload {
        /// The function, or the name that cel-go gives to an operator.
        function: &'static str,
        /// What it is called on.
        receiver: Option<Type>,
        /// The types of the arguments.
        arguments: Vec<Type>,
    },
    /// A message literal has the name of a type that cannot be written so.
    NotMessage(Type),
    /// A message literal has a name that is not a type.
    NotType(Type),
    /// The literal argument of this function can never be valid.
    LiteralArgument(&'static str),
    /// The string of `format` and its arguments do not match; cel-go's words.
    Format(String),
    /// Something that cel-go does not expect itself; its words.
    Internal(String),
}

/// Where the text does not follow the grammar. What was found is nothing at the end of the expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxIssue {
    /// Nothing that begins like this can follow.
    NoAlternative {
        /// The text that was read, up to and with the wrong token.
        found: Option<String>,
        /// The wrong token.
        token: Option<String>,
    },
    /// Another token is expected.
    Mismatched {
        /// The token.
        found: Option<String>,
        /// ANTLR's list of tokens.
        expected: String,
    },
    /// There is a token too many.
    Extraneous {
        /// The token.
        found: Option<String>,
        /// ANTLR's list of tokens.
        expected: String,
    },
    /// A token is missing.
    Missing {
        /// The token before which it is missing.
        found: Option<String>,
        /// ANTLR's list of tokens.
        expected: String,
    },
    /// No token begins like this.
    Unreadable(String),
    /// Reading went on after more errors than are allowed.
    Recoveries(u32),
}

/// A limit that is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitIssue {
    /// The characters of an expression.
    Length {
        /// How many there are.
        length: usize,
        /// How many are allowed.
        most: usize,
    },
    /// The bytes of an expression.
    Bytes,
    /// How deep the rules of the grammar are nested.
    Nesting(u32),
    /// How deep operators, calls and fields are nested.
    Levels,
    /// The tokens that are skipped after a syntax error.
    Skipped(u32),
    /// The syntax errors that are reported.
    Errors(u32),
    /// The size after macros are expanded.
    Macros,
}

/// A literal that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiteralIssue {
    /// An integer is out of range.
    Int,
    /// An unsigned integer is out of range.
    UInt,
    /// A double is out of range.
    Double,
    /// A string has an escape sequence that does not exist; cel-go's words.
    Escape(&'static str),
}

/// An argument that a macro does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MacroIssue {
    /// `has` takes a field.
    Has,
    /// A variable is not a plain name; cel-go's words.
    Variable(&'static str),
    /// A variable has the name of one that macros use themselves.
    Accumulator,
    /// Two variables have the same name.
    Duplicate(Arc<str>),
    /// `sortBy` does not take this kind of expression.
    SortBy,
}

impl IssueKind {
    /// The same with other types: each type in it is replaced.
    pub fn replace_types(&mut self, replace: &dyn Fn(&Type) -> Type) {
        let types: Vec<&mut Type> = match self {
            IssueKind::NoFields(found)
            | IssueKind::NotIterable(found)
            | IssueKind::NotMessage(found)
            | IssueKind::NotType(found) => vec![found],
            IssueKind::Mismatch { expected, found } => vec![expected, found],
            IssueKind::FieldMismatch { expected, found, .. } => expected.iter_mut().chain([found]).collect(),
            IssueKind::NoOverload { receiver, arguments, .. } => {
                receiver.iter_mut().chain(arguments).collect()
            }
            IssueKind::Syntax(_)
            | IssueKind::Limit(_)
            | IssueKind::Reserved(_)
            | IssueKind::QuotedField
            | IssueKind::Unsupported(_)
            | IssueKind::Literal(_)
            | IssueKind::Macro(_)
            | IssueKind::Undeclared { .. }
            | IssueKind::UndefinedField(_)
            | IssueKind::LiteralArgument(_)
            | IssueKind::Format(_)
            | IssueKind::Internal(_) => Vec::new(),
        };
        for found in types {
            *found = replace(found);
        }
    }
}

/// In cel-go's words.
impl fmt::Display for IssueKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IssueKind::Syntax(issue) => write!(out, "Syntax error: {issue}"),
            IssueKind::Limit(issue) => issue.fmt(out),
            IssueKind::Reserved(name) => write!(out, "reserved identifier: {name}"),
            IssueKind::QuotedField => out.write_str("unsupported syntax: '`'"),
            IssueKind::Unsupported(syntax) => write!(out, "unsupported syntax '{syntax}'"),
            IssueKind::Literal(issue) => issue.fmt(out),
            IssueKind::Macro(issue) => issue.fmt(out),
            IssueKind::Undeclared { name, container } => {
                write!(out, "undeclared reference to '{name}' (in container '{container}')")
            }
            IssueKind::UndefinedField(field) => write!(out, "undefined field '{field}'"),
            IssueKind::NoFields(found) => write!(out, "type '{found}' does not support field selection"),
            IssueKind::NotIterable(found) => write!(
                out,
                "expression of type '{found}' cannot be range of a comprehension (must be list, map, or dynamic)"
            ),
            IssueKind::Mismatch { expected, found } => {
                write!(out, "expected type '{expected}' but found '{found}'")
            }
            IssueKind::FieldMismatch { field, expected, found } => {
                let expected = expected.as_ref().map(Type::to_string).unwrap_or_default();
                write!(out, "expected type of field '{field}' is '{expected}' but provided type is '{found}'")
            }
            IssueKind::NoOverload { function, receiver, arguments } => {
                write!(out, "found no matching overload for '{function}' applied to '")?;
                if let Some(receiver) = receiver {
                    write!(out, "{receiver}.")?;
                }
                let arguments: Vec<String> = arguments.iter().map(Type::to_string).collect();
                write!(out, "({})'", arguments.join(", "))
            }
            IssueKind::NotMessage(found) => write!(out, "'{}' is not a message type", declared_name(found)),
            IssueKind::NotType(found) => write!(out, "'{}' is not a type", declared_name(found)),
            IssueKind::LiteralArgument(function) => write!(out, "invalid {function} argument"),
            IssueKind::Format(words) | IssueKind::Internal(words) => out.write_str(words),
        }
    }
}

/// In ANTLR's words.
impl fmt::Display for SyntaxIssue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SyntaxIssue::NoAlternative { found, .. } => {
                write!(out, "no viable alternative at input {}", quoted(found.as_deref()))
            }
            SyntaxIssue::Mismatched { found, expected } => {
                write!(out, "mismatched input {} expecting {expected}", quoted(found.as_deref()))
            }
            SyntaxIssue::Extraneous { found, expected } => {
                write!(out, "extraneous input {} expecting {expected}", quoted(found.as_deref()))
            }
            SyntaxIssue::Missing { found, expected } => {
                write!(out, "missing {expected} at {}", quoted(found.as_deref()))
            }
            SyntaxIssue::Recoveries(most) => write!(out, "error recovery attempt limit exceeded: {most}"),
            // ANTLR's lexer escapes nothing here.
            SyntaxIssue::Unreadable(found) => write!(out, "token recognition error at: '{found}'"),
        }
    }
}

impl fmt::Display for LimitIssue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitIssue::Length { length, most } => {
                write!(out, "expression code point size exceeds limit: size: {length}, limit {most}")
            }
            LimitIssue::Bytes => out.write_str("the expression is too long"),
            LimitIssue::Nesting(most) => write!(out, "expression recursion limit exceeded: {most}"),
            LimitIssue::Levels => out.write_str("max recursion depth exceeded"),
            LimitIssue::Skipped(most) => {
                write!(out, "error recovery token lookahead limit exceeded: {most}")
            }
            LimitIssue::Errors(most) => write!(out, "Syntax error: More than {most} syntax errors"),
            LimitIssue::Macros => out.write_str("the expression is too large after its macros are expanded"),
        }
    }
}

impl fmt::Display for LiteralIssue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            LiteralIssue::Int => "invalid int literal",
            LiteralIssue::UInt => "invalid uint literal",
            LiteralIssue::Double => "invalid double literal",
            LiteralIssue::Escape(words) => words,
        })
    }
}

impl fmt::Display for MacroIssue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MacroIssue::Has => out.write_str("invalid argument to has() macro"),
            MacroIssue::Variable(words) => out.write_str(words),
            MacroIssue::Accumulator => out.write_str("iteration variable overwrites accumulator variable"),
            MacroIssue::Duplicate(name) => write!(out, "duplicate variable name: {name}"),
            MacroIssue::SortBy => out.write_str(
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
            ),
        }
    }
}

/// A piece of an expression in quotes and on one line.
fn quoted(text: Option<&str>) -> String {
    let text = text.unwrap_or("<EOF>");
    format!("'{}'", text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}

/// A type's name without what it is made of.
fn declared_name(of: &Type) -> String {
    match of {
        Type::Wrapper(inner) => format!("wrapper({})", inner.runtime_name()),
        other => other.runtime_name().to_owned(),
    }
}
