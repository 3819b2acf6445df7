//! What can be wrong with the text of a template.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::node::Name;

/// One error in a template's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The name of the text.
    pub name: Arc<str>,
    /// The line that Go names, from one.
    pub line: usize,
    /// Go's message without name and line. Only the first message of the text is certain to match Go's, because
    /// Go stops there.
    pub message: String,
    /// The place in the text, in bytes.
    pub range: Range<usize>,
    /// The kind of error.
    pub fault: Fault,
}

/// Go's message for the error.
impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "template: {}:{}: {}", self.name, self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The kinds of error. Ranges are places in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A comment without its `*/`.
    UnclosedComment,
    /// Something follows a comment in its action.
    TextBehindComment,
    /// The text ends within an action.
    UnclosedAction,
    /// The action ends within parentheses.
    UnclosedParenthesis,
    /// A `)` without a `(`.
    ExtraParenthesis,
    /// A colon without a `=` after it.
    LoneColon,
    /// A character without meaning in an action.
    StrangeCharacter(char),
    /// A character that cannot follow a name.
    CharacterInName(char),
    /// A character constant without its closing quote.
    UnclosedCharacter,
    /// A string without its closing quote.
    UnclosedString,
    /// A raw string without its closing quote.
    UnclosedRawString,
    /// Digits and letters that are not a number.
    BadNumber,
    /// An integer beyond 64 bits.
    NumberTooLarge,
    /// A string with an escape that does not exist.
    BadString,
    /// Not exactly one character between single quotes.
    BadCharacter,
    /// No function has this name.
    UnknownFunction {
        /// The name.
        name: Name,
        /// The function that was probably meant.
        nearest: Option<String>,
    },
    /// No variable of this name is declared here.
    UnknownVariable {
        /// The name, with its `$`.
        name: Name,
    },
    /// A token that is not allowed where it is.
    Unexpected {
        /// The token.
        found: String,
        /// What was being read, in Go's words, such as `operand` or `define clause`.
        context: &'static str,
    },
    /// A definition inside a block.
    NestedDefine {
        /// The action that opened the block.
        opened: Range<usize>,
        /// The keyword of that action.
        keyword: &'static str,
    },
    /// The text ends within a block. The place is the action that opened it.
    UnclosedBlock {
        /// The keyword of that action.
        keyword: &'static str,
        /// The definition inside it, where Go reports the error.
        define: Option<Range<usize>>,
    },
    /// An `end` without a block.
    ExtraEnd,
    /// An `else` without a block.
    ExtraElse,
    /// A second `else` of one block.
    SecondElse {
        /// The first.
        first: Range<usize>,
    },
    /// An `else if` or `else with` in another kind of block.
    ElseOfOtherKind {
        /// The keyword of the block.
        block: &'static str,
        /// The keyword after `else`.
        keyword: &'static str,
    },
    /// A value is missing.
    MissingValue {
        /// What needs it, in Go's words, such as `if` or `command`.
        context: &'static str,
    },
    /// A value after `|`, where only a function is allowed.
    NotExecutable,
    /// A field of a constant, or of a dot.
    FieldOfConstant,
    /// More variables than the action can declare.
    TooManyVariables {
        /// Go's name for what declares them.
        context: &'static str,
    },
    /// Something other than a variable after the comma of a `range`.
    VariableExpected,
    /// `break` or `continue` outside a loop.
    OutsideRange {
        /// Which of them.
        keyword: &'static str,
    },
    /// Two templates with the same name in one text.
    DefinedTwice {
        /// The name.
        name: String,
        /// The first definition.
        first: Range<usize>,
    },
    /// Deeper nesting than is supported.
    TooDeep,
    /// A longer text than is supported.
    TooLong,
}

impl Fault {
    /// Go's message for what its lexer finds; `text` is the part of the token that was read.
    pub(crate) fn lexer_message(&self, text: &[u8]) -> String {
        let words = match self {
            Fault::UnclosedComment => "unclosed comment",
            Fault::TextBehindComment => "comment ends before closing delimiter",
            Fault::UnclosedAction => "unclosed action",
            Fault::UnclosedParenthesis => "unclosed left paren",
            Fault::ExtraParenthesis => "unexpected right paren",
            Fault::LoneColon => "expected :=",
            Fault::UnclosedCharacter => "unterminated character constant",
            Fault::UnclosedString => "unterminated quoted string",
            Fault::UnclosedRawString => "unterminated raw quoted string",
            Fault::StrangeCharacter(character) => {
                return format!("unrecognized character in action: {}", code_point(*character));
            }
            Fault::CharacterInName(character) => return format!("bad character {}", code_point(*character)),
            _ => return format!("bad number syntax: {}", crate::fmt::quote(text)),
        };
        words.to_owned()
    }
}

/// A character as Go's `%#U` writes it.
fn code_point(character: char) -> String {
    let number = format!("U+{:04X}", u32::from(character));
    if trueline_gostd::unicode::is_print(character) { format!("{number} '{character}'") } else { number }
}
