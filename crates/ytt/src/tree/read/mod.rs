//! YAML text to documents, by the rules of ytt's fork of go-yaml.

mod build;
mod comments;
mod strict;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use trueline_yaml::{Limits, SyntaxError};

use super::{DocumentSet, File, Position};
use build::Builder;

/// What becomes of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommentHandling {
    /// They are given to nodes.
    #[default]
    Attach,
    /// They are left out: plain YAML.
    Ignore,
}

/// How plain scalars are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scalars {
    /// As YAML 1.1 has it.
    #[default]
    Lenient,
    /// What could be misread is an error (`--strict`).
    Strict,
}

/// How YAML is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// What becomes of comments.
    pub comments: CommentHandling,
    /// How plain scalars are understood.
    pub scalars: Scalars,
    /// What the text may demand.
    pub limits: Limits,
}

impl Default for ReadOptions {
    fn default() -> Self {
        // Aliases share what they stand for, but merge keys copy, and whoever walks over a tree walks over all of it.
        let limits = Limits { expanded_nodes: 1_000_000, nodes: 2_000_000, ..Limits::default() };
        ReadOptions { comments: CommentHandling::default(), scalars: Scalars::default(), limits }
    }
}

/// Why something is not YAML.
#[derive(Debug, Clone)]
pub struct ReadError {
    /// ytt's words, such as `yaml: line 2: found unexpected end of stream`.
    pub text: String,
    /// Where it is wrong.
    pub position: Position,
    /// What is wrong, as far as the YAML reader found it.
    pub syntax: Option<Box<SyntaxError>>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for ReadError {}

/// Reads all documents of a file. Duplicate keys are kept; see [`DocumentSet::override_map_keys`].
pub fn read(file: &Rc<File>, options: &ReadOptions) -> Result<DocumentSet, ReadError> {
    if let Some((offset, words)) = file.undecodable() {
        return Err(undecodable(file, offset, words));
    }
    let text = file.text();
    if starts_with_marker(text) {
        return Builder::new(file, text, Shift::none(), options).read();
    }
    // ytt puts a document marker before what has none, and its errors count that line.
    let mut marked = String::with_capacity(text.len() + MARKER.len());
    marked.push_str(MARKER);
    marked.push_str(text);
    Builder::new(file, &marked, Shift { bytes: MARKER.len() as u32, lines: 1 }, options).read()
}

const MARKER: &str = "---\n";

/// What comes before the text of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shift {
    bytes: u32,
    lines: u32,
}

impl Shift {
    fn none() -> Self {
        Shift { bytes: 0, lines: 0 }
    }

    /// A place of the file from one of the text that is read.
    fn place(self, start: u32, end: u32) -> std::ops::Range<u32> {
        start.saturating_sub(self.bytes)..end.saturating_sub(self.bytes)
    }
}

/// Whether a document marker comes before everything but white space.
fn starts_with_marker(text: &str) -> bool {
    const SPACE: [char; 5] = ['\t', '\n', '\x0c', '\r', ' '];
    text.trim_start_matches(SPACE).strip_prefix("---").is_some_and(|rest| rest.starts_with(SPACE))
}

/// The error for bytes that are not UTF-8; the text of the file has a replacement character there.
fn undecodable(file: &Rc<File>, offset: usize, words: &str) -> ReadError {
    let start = u32::try_from(offset).unwrap_or(u32::MAX);
    let end = start.saturating_add('\u{fffd}'.len_utf8() as u32);
    ReadError { text: format!("yaml: {words}"), position: Position::new(file, start..end), syntax: None }
}

/// An error of the YAML reader, with its line counted as ytt does.
fn worded(file: &Rc<File>, shift: Shift, error: SyntaxError) -> ReadError {
    let range = shift.place(error.span.start, error.span.end);
    let text = without_marker_line(&error.go_text, shift.lines);
    ReadError { text, position: Position::new(file, range), syntax: Some(Box::new(error)) }
}

/// `yaml: line 3: …` becomes `yaml: line 2: …` where a line was put in front.
fn without_marker_line(text: &str, lines: u32) -> String {
    let corrected = || {
        let (number, rest) = text.strip_prefix("yaml: line ")?.split_once(": ")?;
        let line = number.parse::<u32>().ok()?.checked_sub(lines)?;
        Some(format!("yaml: line {line}: {rest}"))
    };
    match lines {
        0 => text.to_owned(),
        _ => corrected().unwrap_or_else(|| text.to_owned()),
    }
}

/// Why a string is not one document of YAML. It prints as ytt does.
#[derive(Debug, Clone)]
pub enum ReadOneError {
    /// It is not YAML.
    NotYaml(ReadError),
    /// It has no document, or several.
    NotOne,
}

impl fmt::Display for ReadOneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadOneError::NotYaml(error) => error.fmt(f),
            ReadOneError::NotOne => f.write_str("Expected to find exactly one YAML document"),
        }
    }
}

impl std::error::Error for ReadOneError {}

/// Reads YAML that must be one document, without comments: what `yaml.decode` takes. Nobody typed it, so its values
/// have no places; one that is remembered would keep the whole text.
pub fn read_one(text: impl Into<Arc<str>>) -> Result<super::Value, ReadOneError> {
    let file = File::new("", text);
    let options = ReadOptions { comments: CommentHandling::Ignore, ..ReadOptions::default() };
    let set = read(&file, &options).map_err(ReadOneError::NotYaml)?;
    match <[super::Document; 1]>::try_from(set.documents) {
        Ok([mut document]) => {
            forget_places(&mut document.value);
            Ok(document.value)
        }
        Err(_) => Err(ReadOneError::NotOne),
    }
}

/// Values are only nested as deeply as the reader allows, so this may recurse.
fn forget_places(value: &mut super::Value) {
    match value {
        super::Value::Map(_) => {
            for item in value.as_map_mut().into_iter().flat_map(|map| &mut map.items) {
                item.meta.set_place(Position::unknown());
                forget_places(&mut item.value);
            }
        }
        super::Value::Array(_) => {
            for item in value.as_array_mut().into_iter().flat_map(|array| &mut array.items) {
                item.meta.set_place(Position::unknown());
                forget_places(&mut item.value);
            }
        }
        _ => {}
    }
}
