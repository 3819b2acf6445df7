//! Documents to text.

mod json;
mod pos;
mod yaml;

use std::fmt;

use super::{Document, DocumentSet, Presence, Value};
pub use json::{JsonOptions, json_of};
use pos::PositionPrinter;
pub use yaml::{Part, Piece, yaml_of, yaml_with_pieces};

/// What `-o` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// YAML.
    #[default]
    Yaml,
    /// JSON.
    Json,
    /// Each node with its position.
    Pos,
}

/// A value that a format cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// A key of a JSON object that is not a string.
    KeyNotString,
    /// A number that JSON has no spelling for, as Go prints it.
    NotFinite(&'static str),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::KeyNotString => f.write_str("Expected key to be string"),
            WriteError::NotFinite(number) => write!(f, "json: unsupported value: {number}"),
        }
    }
}

impl std::error::Error for WriteError {}

/// So much text is handed over at once.
const PART: usize = 64 << 10;

/// Prints documents one after another, of one file or of several.
#[derive(Debug)]
pub struct Printer {
    format: Format,
    out: String,
    is_first: bool,
    positions: PositionPrinter,
}

impl Printer {
    /// Nothing printed yet.
    pub fn new(format: Format) -> Self {
        Printer { format, out: String::new(), is_first: true, positions: PositionPrinter::default() }
    }

    /// Prints a document, unless it is empty or not one of the text.
    pub fn print(&mut self, document: &Document) -> Result<(), WriteError> {
        if document.presence == Presence::Injected || document.is_empty() {
            return Ok(());
        }
        match self.format {
            Format::Yaml => {
                if !self.is_first {
                    self.out.push_str("---\n");
                }
                self.is_first = false;
                yaml::write(&mut self.out, &document.value);
            }
            Format::Json => self.out.push_str(&json_of(&document.value, JsonOptions::default())?),
            Format::Pos => self.positions.document(&mut self.out, document),
        }
        Ok(())
    }

    /// Prints all documents of a set.
    pub fn print_all(&mut self, documents: &DocumentSet) -> Result<(), WriteError> {
        documents.documents.iter().try_for_each(|document| self.print(document))
    }

    /// What was printed since the last call, once it is worth handing over; nothing as long as a later document may
    /// still turn out to be one that the format cannot hold.
    pub fn part(&mut self) -> Option<String> {
        let is_worth = self.out.len() >= PART && self.format != Format::Json;
        is_worth.then(|| std::mem::replace(&mut self.out, String::with_capacity(PART + PART / 4)))
    }

    /// What was printed.
    pub fn finish(self) -> String {
        self.out
    }
}

/// The documents of a set as text.
pub fn write_documents(documents: &DocumentSet, format: Format) -> Result<String, WriteError> {
    let mut printer = Printer::new(format);
    printer.print_all(documents)?;
    Ok(printer.finish())
}

/// A scalar as YAML, on as many lines as it needs, without a line break at the end; nothing for a map or an array.
pub(crate) fn leaf(value: &Value) -> Option<String> {
    if value.is_collection() {
        return None;
    }
    let mut text = yaml_of(value);
    text.pop();
    Some(text)
}
