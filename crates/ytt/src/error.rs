//! What can go wrong: ytt's exact words, and beside them the facts and the places, so that nobody has to read the words
//! again.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use trueline_starlark as starlark;

pub use crate::fact::{Fact, RuleFault};
use crate::tree::{Position, ReadError};
pub use trueline_starlark::Fault as LanguageFault;

/// A failure of a run or of a part of it.
#[derive(Clone)]
pub struct Error(Box<Contents>);

#[derive(Debug, Clone)]
struct Contents {
    text: String,
    kind: ErrorKind,
    places: Vec<Position>,
    fact: Option<Fact>,
}

/// What kind of failure it is, with its facts.
#[derive(Clone)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Code of a YAML template, a text template or a library file failed, or is not a program.
    Template(Rc<[Failure]>),
    /// Something is not YAML.
    Yaml,
    /// A comment or a value that a template cannot have.
    Syntax,
    /// An overlay cannot be applied; the facts belong to the overlay part.
    Overlay(Rc<dyn Any>),
    /// A schema is wrong, or values do not have its types; the facts belong to the schema part.
    Schema(Rc<dyn Any>),
    /// Values break rules; the facts belong to the validation part.
    Validation(Rc<dyn Any>),
    /// A key of data values is not a string.
    Key,
    /// An input file is missing, or cannot be used.
    File,
    /// A flag or a data value of the command line cannot be used.
    Flag,
    /// The work would cost more than is allowed.
    Limit,
    /// Anything else.
    Other,
}

/// One thing that failed in a template.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What went wrong, as Starlark or a function said it.
    pub message: String,
    /// The facts that the message is about, where they are known.
    pub fact: Option<Fact>,
    /// What probably was meant.
    pub hint: Option<&'static str>,
    /// The calls that led to it, innermost first; of a syntax error, the place alone.
    pub frames: Vec<TraceFrame>,
    /// The failure of a function that has facts of its own, such as an overlay or the evaluation of a library.
    pub cause: Option<Error>,
}

/// A call, or the place of a syntax error.
#[derive(Debug, Clone)]
pub struct TraceFrame {
    /// The function; none for errors that are found before running.
    pub function: Option<Rc<str>>,
    /// The line of the template.
    pub position: Position,
}

impl Error {
    /// A failure in ytt's words.
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error(Box::new(Contents { text: text.into(), kind, places: Vec::new(), fact: None }))
    }

    /// A failure that is known by its facts.
    pub fn known(kind: ErrorKind, fact: Fact) -> Error {
        Error::new(kind, fact.to_string()).about(fact)
    }

    /// The same failure with the facts that its text is about.
    #[must_use]
    pub(crate) fn about(mut self, fact: Fact) -> Error {
        self.0.fact = Some(fact);
        self
    }

    /// A failure that has no facts.
    pub fn other(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Other, text)
    }

    /// A limit that was reached.
    pub fn limit(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Limit, text)
    }

    /// Adds a place, farther out than those that it has. Unknown ones are left out.
    #[must_use]
    pub fn at(mut self, place: Position) -> Error {
        if place.is_known() {
            self.0.places.push(place);
        }
        self
    }

    /// Adds several places, innermost first.
    #[must_use]
    pub fn at_all(mut self, places: impl IntoIterator<Item = Position>) -> Error {
        self.0.places.extend(places.into_iter().filter(Position::is_known));
        self
    }

    /// `prefix: text`, with the same facts and places.
    #[must_use]
    pub fn context(mut self, prefix: impl fmt::Display) -> Error {
        self.0.text = format!("{prefix}: {}", self.0.text);
        self
    }

    /// The same facts and places in other words.
    #[must_use]
    pub fn reworded(mut self, text: impl Into<String>) -> Error {
        self.0.text = text.into();
        self
    }

    /// What ytt prints after `ytt: Error: `, before [`reflow`].
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The facts that the text is about, where they are known.
    pub fn fact(&self) -> Option<&Fact> {
        self.0.fact.as_ref()
    }

    /// The places that are at fault, innermost first.
    pub fn places(&self) -> &[Position] {
        &self.0.places
    }

    /// The text as ytt's command prints it.
    pub fn printed(&self) -> String {
        reflow(&self.0.text)
    }

    /// The failure as an error of a Starlark function. It keeps its facts: [`Error::from`] finds them again.
    pub fn into_starlark(self) -> starlark::Error {
        let text = self.0.text.clone();
        let error = if matches!(self.0.kind, ErrorKind::Limit) {
            starlark::Error::limit(text)
        } else {
            starlark::Error::new(text)
        };
        error.with_payload(Rc::new(self))
    }
}

impl From<Error> for starlark::Error {
    fn from(error: Error) -> starlark::Error {
        error.into_starlark()
    }
}

impl From<starlark::Error> for Error {
    /// The message alone: errors of whole programs are made by the template part, which knows their lines.
    fn from(error: starlark::Error) -> Error {
        let inner = error.payload().and_then(|payload| payload.downcast_ref::<Error>());
        match inner {
            Some(inner) => inner.clone().reworded(error.message()),
            None if error.kind() == starlark::ErrorKind::Limit => Error::limit(error.message()),
            None => match error.fault() {
                Some(fault) => Error::other(error.message()).about(Fact::Language(fault.clone())),
                None => Error::other(error.message()),
            },
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        Error::new(ErrorKind::Yaml, error.text).at(error.position)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Debug for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            ErrorKind::Template(failures) => return write!(f, "Template({failures:?})"),
            ErrorKind::Yaml => "Yaml",
            ErrorKind::Syntax => "Syntax",
            ErrorKind::Overlay(_) => "Overlay",
            ErrorKind::Schema(_) => "Schema",
            ErrorKind::Validation(_) => "Validation",
            ErrorKind::Key => "Key",
            ErrorKind::File => "File",
            ErrorKind::Flag => "Flag",
            ErrorKind::Limit => "Limit",
            ErrorKind::Other => "Other",
        };
        f.write_str(name)
    }
}

impl std::error::Error for Error {}

/// A part of the first line that is in brackets, or the whole line.
struct Bracket {
    closing: &'static str,
    /// Between `...|` and `|...` brackets mean nothing.
    is_raw: bool,
    text: String,
}

/// The first line of a message, broken before each capital letter that follows a colon outside of brackets, each piece
/// two spaces further in. A closing bracket that was never opened ends the line, as in the original.
pub fn reflow(text: &str) -> String {
    let (first, rest) = match text.split_once('\n') {
        Some((first, rest)) => (first, Some(rest)),
        None => (text, None),
    };
    let mut result = String::with_capacity(text.len() + 16);
    for (depth, line) in broken(first).split('\n').enumerate() {
        if depth > 0 {
            result.push('\n');
        }
        result.extend(std::iter::repeat_n("  ", depth));
        result.push_str(line);
    }
    if let Some(rest) = rest {
        result.push('\n');
        result.push_str(rest);
    }
    result
}

fn broken(line: &str) -> String {
    let mut result = String::with_capacity(line.len());
    // What is outside of brackets and not yet broken.
    let mut open: Vec<Bracket> = Vec::new();
    let mut outside = String::new();
    for (offset, character) in line.char_indices() {
        if !open.last().is_some_and(|bracket| bracket.is_raw) {
            let opened = match character {
                '(' => Some(("(", ")")),
                '[' => Some(("[", "]")),
                '{' => Some(("{", "}")),
                _ => None,
            };
            if let Some((opening, closing)) = opened {
                if open.is_empty() {
                    result.push_str(&with_breaks(&std::mem::take(&mut outside)));
                }
                open.push(Bracket { closing, is_raw: false, text: opening.to_owned() });
                continue;
            }
            if matches!(character, ')' | ']' | '}') {
                if open.is_empty() {
                    break;
                }
                close(&mut open, &mut result);
                continue;
            }
        }
        let opens_raw = line.get(offset..offset + 4) == Some("...|") && offset + 4 < line.len();
        if opens_raw {
            if open.is_empty() {
                result.push_str(&with_breaks(&std::mem::take(&mut outside)));
            }
            open.push(Bracket { closing: "", is_raw: true, text: character.to_string() });
            continue;
        }
        match open.last_mut() {
            Some(bracket) => bracket.text.push(character),
            None => outside.push(character),
        }
        let closes_raw = offset >= 3 && line.get(offset - 3..=offset) == Some("|...");
        if closes_raw {
            if open.is_empty() {
                break;
            }
            close(&mut open, &mut result);
        }
    }
    // What was never closed is printed as it is, without its end.
    let unclosed: String = open.into_iter().map(|bracket| bracket.text).collect();
    result.push_str(&unclosed);
    result.push_str(&with_breaks(&outside));
    result
}

fn close(open: &mut Vec<Bracket>, result: &mut String) {
    let Some(mut bracket) = open.pop() else { return };
    bracket.text.push_str(bracket.closing);
    match open.last_mut() {
        Some(outer) => outer.text.push_str(&bracket.text),
        None => result.push_str(&bracket.text),
    }
}

fn with_breaks(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(": ") {
        let after = rest.get(at + 2..).unwrap_or_default();
        result.push_str(rest.get(..at).unwrap_or_default());
        let breaks = after.starts_with(|letter: char| letter.is_ascii_uppercase());
        result.push_str(if breaks { ":\n" } else { ": " });
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_broken_at_capital_letters() {
        for (text, expected) in [
            ("plain", "plain"),
            ("A: B: c: D", "A:\n  B: c:\n    D"),
            ("Over (in order: A): Doc: E\nx: Y", "Over (in order: A):\n  Doc:\n    E\nx: Y"),
            ("Missing code closing '@)' at line 2: Q", "Missing code closing '@"),
            ("\n- a: B", "\n- a: B"),
            ("x [a: (B: C", "x [a: (B: C"),
            ("a (b] c: D", "a (b) c:\n  D"),
            ("A: ...|x: Y)|... z: Q", "A: ...|x: Y)|... z:\n  Q"),
            ("é: É: E", "é: É:\n  E"),
        ] {
            assert_eq!(reflow(text), expected, "{text}");
        }
    }
}
