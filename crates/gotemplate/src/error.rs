//! What goes wrong while a template runs: a chain of links, as Go's wrapped errors are.

use std::fmt;

use trueline_source::Span;

/// One link of the chain. Its text is its own message followed by that of its cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The kind of link.
    pub link: Link,
    /// Its own message; if it has a cause, the message ends with a separator such as `: `.
    pub words: String,
    /// Its cause.
    pub cause: Option<Box<Error>>,
    /// The facts of the message, if there are any.
    pub reason: Option<Box<Reason>>,
}

/// The facts of an error, from which a diagnostic is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A field of nil was read.
    FieldOfNil {
        /// The field.
        field: String,
        /// The fields before it, as written.
        owner: String,
    },
    /// A value has no such field, or no fields at all.
    NoField {
        /// The field.
        field: String,
        /// The fields before it, as written.
        owner: String,
        /// The type of the value.
        found: String,
    },
    /// A map has no such key, and missing keys are errors.
    NoKey {
        /// The key.
        key: String,
    },
    /// A function or method was called with too many or too few arguments.
    ArgumentCount {
        /// The function.
        function: String,
        /// How many it expects.
        wanted: usize,
        /// Whether it also takes more.
        variadic: bool,
        /// How many it got.
        found: usize,
    },
    /// An argument has the wrong type.
    ArgumentType {
        /// The function, if known.
        function: String,
        /// The expected type.
        wanted: String,
        /// The type of the value or of the constant.
        found: String,
    },
    /// Something that is not a function has arguments.
    NotAFunction {
        /// The operand, as written.
        found: String,
    },
    /// `range` over something without items.
    NotIterable {
        /// The type of the value.
        found: String,
    },
    /// Two values that cannot be compared.
    Comparison {
        /// The type of the first.
        left: String,
        /// The type of the second.
        right: String,
    },
    /// A value is assigned to a variable that was never declared.
    Undeclared {
        /// The variable.
        name: String,
    },
    /// No template has this name.
    NoTemplate {
        /// The name.
        name: String,
        /// The template that was probably meant.
        nearest: Option<String>,
    },
    /// A constant is too large.
    Overflow,
    /// A function gave up; the cause has its words.
    Call {
        /// The function.
        function: String,
    },
    /// A template stopped on purpose, because a value does not please whoever wrote it.
    Stopped {
        /// Their own words.
        message: String,
    },
    /// Templates that call each other went too deep.
    Depth,
}

/// The kinds of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// A template stopped.
    Template(Box<StoppedAt>),
    /// A function gave up.
    Function,
    /// A limit was reached; nothing goes on after it.
    Limit,
}

/// Where a template stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedAt {
    /// The name of the template, as `executing "…"` has it.
    pub template: String,
    /// Go's place: the name that the text was parsed under, line, and column from 0 in bytes.
    pub location: String,
    /// The node in Go's words, shortened as Go does it.
    pub context: String,
    /// Our place: the node in its source. `None` if the template's text is not a source.
    pub span: Option<Span>,
    /// Where the values involved were typed.
    pub values: Vec<Span>,
}

impl Error {
    /// A function's own error.
    pub fn new(words: impl Into<String>) -> Self {
        Error { link: Link::Function, words: words.into(), cause: None, reason: None }
    }

    /// A limit that was reached.
    pub fn limit(words: impl Into<String>) -> Self {
        Error { link: Link::Limit, words: words.into(), cause: None, reason: None }
    }

    /// An error that wraps another: `words` precede its message.
    pub fn wrap(words: impl Into<String>, cause: Error) -> Self {
        Error { link: Link::Function, words: words.into(), cause: Some(Box::new(cause)), reason: None }
    }

    /// The same error with these facts.
    pub fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(Box::new(reason));
        self
    }

    /// The links from the outermost to the innermost.
    pub fn chain(&self) -> impl Iterator<Item = &Error> {
        std::iter::successors(Some(self), |error| error.cause.as_deref())
    }

    /// The innermost link.
    pub fn root(&self) -> &Error {
        self.chain().last().unwrap_or(self)
    }

    /// Whether a limit caused it.
    pub fn is_limit(&self) -> bool {
        self.chain().any(|error| matches!(error.link, Link::Limit))
    }
}

/// Go's message for the whole chain.
impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in self.chain() {
            if let Link::Template(place) = &error.link {
                let StoppedAt { location, template, context, .. } = &**place;
                write!(
                    formatter,
                    "template: {location}: executing {} at <{context}>: ",
                    crate::fmt::quote(template)
                )?;
            }
            formatter.write_str(&error.words)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Chains can be a thousand links long, so they are freed in a loop instead of recursively.
impl Drop for Error {
    fn drop(&mut self) {
        let mut next = self.cause.take();
        while let Some(mut error) = next {
            next = error.cause.take();
        }
    }
}
