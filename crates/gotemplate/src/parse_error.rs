//! What can be wrong with the text of a template.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::node::Name;

/// One thing that is wrong with a template's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The name of the text.
    pub name: Arc<str>,
    /// The line that Go names, from one.
    pub line: usize,
    /// Go's words, without name and line. Only those of the first error of a text are sure to be Go's: it
    /// stops there.
    pub message: String,
    /// The place in the text, in bytes.
    pub range: Range<usize>,
    /// What is wrong.
    pub fault: Fault,
}

/// Go's text of the error.
impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "template: {}:{}: {}", self.name, self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The things that can be wrong. Ranges are places in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A comment without its `*/`.
    UnclosedComment,
    /// Something between a comment and the end of its action.
    TextBehindComment,
    /// The text ends within an action.
    UnclosedAction,
    /// The action ends within parentheses.
    UnclosedParenthesis,
    /// A `)` that closes nothing.
    ExtraParenthesis,
    /// A colon without a `=` behind it.
    LoneColon,
    /// A character that means nothing in an action.
    StrangeCharacter(char),
    /// A character that cannot stand behind a name.
    CharacterInName(char),
    /// A character constant without its closing quote.
    UnclosedCharacter,
    /// A string without its closing quote.
    UnclosedString,
    /// A raw string without its closing quote.
    UnclosedRawString,
    /// Digits and letters that are no number.
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
    /// A token that cannot stand where it stands.
    Unexpected {
        /// The token.
        found: String,
        /// What was being read, in Go's words, such as `operand` or `define clause`.
        context: &'static str,
    },
    /// A definition that stands in a block.
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
        /// The definition that stands in it, which is where Go finds the mistake.
        define: Option<Range<usize>>,
    },
    /// An `end` that closes nothing.
    ExtraEnd,
    /// An `else` that belongs to nothing.
    ExtraElse,
    /// A second `else` of one block.
    SecondElse {
        /// The first.
        first: Range<usize>,
    },
    /// An `else if` or `else with` that belongs to another kind of block.
    ElseOfOtherKind {
        /// The keyword of the block.
        block: &'static str,
        /// The keyword behind `else`.
        keyword: &'static str,
    },
    /// A value is missing.
    MissingValue {
        /// What it is missing for, in Go's words, such as `if` or `command`.
        context: &'static str,
    },
    /// A value behind `|`, where only a function can stand.
    NotExecutable,
    /// A field of a constant, or of a dot.
    FieldOfConstant,
    /// More variables than the action can declare.
    TooManyVariables {
        /// Go's name of what declares them.
        context: &'static str,
    },
    /// Something else than a variable behind the comma of a `range`.
    VariableExpected,
    /// `break` or `continue` where there is no loop.
    OutsideRange {
        /// Which of them.
        keyword: &'static str,
    },
    /// Two templates of one name in one text.
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
    /// Go's words about what its lexer finds; `text` is what was read of the token.
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
