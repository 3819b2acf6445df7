//! The text of a compiled program, and where each of its lines comes from.

use std::fmt::Write as _;
use std::ops::Range;
use std::rc::Rc;

use super::node::{NodeId, NodeTable, Tag};
use crate::tree::{Position, Value};

/// The names of the functions that programs call. Each program has its own.
#[derive(Debug)]
pub(crate) struct InstructionNames {
    pub(crate) set_ctx_type: String,
    pub(crate) start_ctx: String,
    pub(crate) end_ctx: String,
    pub(crate) start_node_annotation: String,
    pub(crate) collect_node_annotation: String,
    pub(crate) start_node: String,
    pub(crate) set_node: String,
    pub(crate) set_map_item_key: String,
}

impl InstructionNames {
    pub(crate) fn new(id: u32) -> InstructionNames {
        let name = |what: &str| format!("__ytt_tpl{id}_{what}");
        InstructionNames {
            set_ctx_type: name("set_ctx_type"),
            start_ctx: name("start_ctx"),
            end_ctx: name("end_ctx"),
            start_node_annotation: name("start_node_annotation"),
            collect_node_annotation: name("collect_node_annotation"),
            start_node: name("start_node"),
            set_node: name("set_node"),
            set_map_item_key: name("set_map_item_key"),
        }
    }
}

/// Where a line of a program comes from.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The line that messages show.
    pub(crate) position: Position,
    /// The code itself, as narrow as it is known.
    pub(crate) code: Position,
    pub(crate) shown: Shown,
}

/// How a message shows where a line comes from.
#[derive(Debug, Clone)]
pub(crate) enum Shown {
    /// `FILE:LINE | text of the line`.
    Line,
    /// `LINE | text of the line`, for files that are nothing but code.
    BareLine,
    /// `FILE:LINE | piece`, for text templates.
    Piece(Rc<[u8]>),
}

impl Source {
    /// A line of a file; none for unknown positions.
    pub(crate) fn line(position: &Position) -> Option<Source> {
        let is_known = position.is_known();
        is_known.then(|| Source { position: position.clone(), code: position.clone(), shown: Shown::Line })
    }

    /// A piece of text.
    pub(crate) fn piece(position: Position, text: &[u8]) -> Source {
        Source { code: position.clone(), position, shown: Shown::Piece(text.into()) }
    }

    #[must_use]
    pub(crate) fn with_code(mut self, code: Position) -> Source {
        self.code = code;
        self
    }

    /// `FILE:LINE | text`.
    pub(crate) fn print(&self) -> String {
        match &self.shown {
            Shown::Line => format!("{} | {}", self.position, source_text(&self.position)),
            Shown::BareLine => format!("{} | {}", self.position.as_line(), source_text(&self.position)),
            Shown::Piece(text) => format!("{} | {}", self.position, String::from_utf8_lossy(text)),
        }
    }

    fn text(&self) -> String {
        match &self.shown {
            Shown::Piece(text) => String::from_utf8_lossy(text).into_owned(),
            Shown::Line | Shown::BareLine => source_text(&self.position).to_owned(),
        }
    }
}

/// The line as the file has it, whatever the position itself says of its text.
fn source_text(position: &Position) -> &str {
    match (position.file(), position.line()) {
        (Some(file), Some(line)) => file.line_text(line),
        _ => "",
    }
}

/// A line of a program.
#[derive(Debug)]
pub(crate) struct Line {
    /// Where it is in the text of the program.
    range: Range<usize>,
    /// How much white space was before it.
    indent: usize,
    pub(crate) source: Option<Source>,
    /// The first node that it starts.
    starts: Option<NodeId>,
    /// Whether it belongs to the instruction above it.
    is_continued: bool,
}

/// The text of a program by lines.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    text: Vec<u8>,
    lines: Vec<Line>,
    /// Whether the last line ends with a backslash: white space of the next one is kept.
    keeps_space: bool,
    /// How many brackets are open in the code since the last call that starts a node.
    brackets: i64,
}

impl Listing {
    /// Adds an instruction or a line of code.
    pub(crate) fn push(&mut self, code: impl AsRef<[u8]>, source: Option<Source>) {
        self.add(code.as_ref(), source, None);
    }

    /// Adds a line with code that somebody wrote.
    pub(crate) fn push_written(&mut self, code: impl AsRef<[u8]>, source: Option<Source>) {
        let code = code.as_ref();
        for byte in code {
            self.brackets += match byte {
                b'(' | b'[' | b'{' => 1,
                b')' | b']' | b'}' => -1,
                // A comment: brackets after it close nothing.
                b'#' => break,
                _ => 0,
            };
        }
        self.push(code, source);
    }

    /// Adds an instruction that starts nodes. ytt has a second instruction for every node: if there are brackets open,
    /// that is where Starlark sees that something is wrong.
    pub(crate) fn push_start(
        &mut self,
        names: &InstructionNames,
        tag: Tag,
        first: NodeId,
        source: Option<Source>,
    ) {
        let call = format!("{}({tag})", names.start_node);
        self.add(call.as_bytes(), source.clone(), Some(first));
        if std::mem::take(&mut self.brackets) > 0 {
            // Does nothing: the brackets may have been in a string.
            self.push(format!("{}(\"\")", names.set_ctx_type), source);
        }
    }

    /// Adds an instruction that starts a node which nobody wrote, as the last document of a file is; only such an
    /// instruction is ever shown, with what ytt writes after it. The second one is there as in [`Listing::push_start`].
    pub(crate) fn push_unwritten(&mut self, names: &InstructionNames, tag: Tag, comment: &str) {
        self.push(format!("{}({tag}) # {comment}", names.start_node), None);
        if std::mem::take(&mut self.brackets) > 0 {
            self.push(format!("{}({tag}) # {comment}", names.set_node), None);
        }
    }

    fn add(&mut self, code: &[u8], source: Option<Source>, starts: Option<NodeId>) {
        for (index, part) in code.split(|&byte| byte == b'\n').enumerate() {
            let trimmed = if self.keeps_space { part } else { trim_start(part) };
            self.keeps_space = trimmed.ends_with(b"\\");
            if !self.lines.is_empty() {
                self.text.push(b'\n');
            }
            let start = self.text.len();
            self.text.extend_from_slice(trimmed);
            self.lines.push(Line {
                range: start..self.text.len(),
                indent: part.len() - trimmed.len(),
                source: source.clone(),
                starts,
                is_continued: index > 0,
            });
        }
    }

    /// The program.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// A line, counted from one.
    pub(crate) fn line(&self, number: u32) -> Option<&Line> {
        self.lines.get((number as usize).checked_sub(1)?)
    }

    /// What a line of the program says.
    pub(crate) fn code(&self, line: &Line) -> String {
        let code = self.text.get(line.range.clone()).unwrap_or_default();
        " ".repeat(line.indent) + &String::from_utf8_lossy(code)
    }

    /// Where the nearest line before this one comes from that comes from anywhere.
    pub(crate) fn source_before(&self, number: u32, nodes: &NodeTable) -> Option<Source> {
        let before = self.lines.get(..(number as usize).checked_sub(1)?)?;
        let line = before.iter().rev().find(|line| line.source.is_some())?;
        let last =
            line.starts.and_then(|first| nodes.run(first).next_back()).and_then(|last| nodes.get(last));
        let last = last.map(|node| last_position(&node.value).unwrap_or_else(|| node.meta.position()));
        last.and_then(|position| Source::line(&position)).or_else(|| line.source.clone())
    }

    /// Where the nearest line after this one comes from that comes from anywhere.
    pub(crate) fn source_after(&self, number: u32) -> Option<Source> {
        let after = self.lines.get(number as usize..)?;
        after.iter().find_map(|line| line.source.clone())
    }

    /// All lines with what they come from, as `--debug` shows them.
    pub(crate) fn debug(&self) -> String {
        let mut result = String::from("src:  tmpl: code: | srccode");
        for (index, line) in self.lines.iter().enumerate() {
            let (number, text) = match &line.source {
                Some(source) => (source.position.line(), source.text()),
                None => (None, String::new()),
            };
            let number = number.map_or_else(|| "????".to_owned(), |number| format!("{number:4}"));
            let code = self.code(line);
            if line.is_continued {
                let _ = write!(result, "\n{code}");
            } else {
                let _ = write!(result, "\n{number}: {:4}: {code} | {text}", index + 1);
            }
        }
        result
    }
}

/// The position of the last node below a value.
fn last_position(value: &Value) -> Option<Position> {
    let mut value = value;
    let mut last = None;
    loop {
        let (meta, below) = match value {
            Value::Map(map) => map.items.last().map(|item| (&item.meta, &item.value))?,
            Value::Array(array) => array.items.last().map(|item| (&item.meta, &item.value))?,
            _ => return last,
        };
        last = Some(meta.position());
        match below {
            Value::Map(map) if map.items.is_empty() => return last,
            Value::Array(array) if array.items.is_empty() => return last,
            _ => value = below,
        }
    }
}

/// The bytes without white space at their start, as Go's `unicode.IsSpace` has it.
pub(crate) fn trim_start(bytes: &[u8]) -> &[u8] {
    let end = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let (valid, _) = bytes.split_at(end);
    let text = std::str::from_utf8(valid).unwrap_or_default();
    let trimmed = text.trim_start();
    bytes.get(text.len() - trimmed.len()..).unwrap_or_default()
}

/// The bytes without white space at their end.
pub(crate) fn trim_end(bytes: &[u8]) -> &[u8] {
    // Bytes that are not UTF-8 are no white space, so only the part after them matters.
    let mut start = 0;
    while let Err(error) = std::str::from_utf8(bytes.get(start..).unwrap_or_default()) {
        start += error.valid_up_to() + error.error_len().unwrap_or(bytes.len());
        if start >= bytes.len() {
            return bytes;
        }
    }
    let text = std::str::from_utf8(bytes.get(start..).unwrap_or_default()).unwrap_or_default();
    let trimmed = text.trim_end();
    bytes.get(..start + trimmed.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_their_indentation_unless_the_last_one_continues() {
        let mut listing = Listing::default();
        listing.push("  x = 1 + \\", None);
        listing.push("   2", None);
        listing.push("   y = 2", None);
        assert_eq!(listing.text(), b"x = 1 + \\\n   2\ny = 2");
        assert_eq!(listing.code(listing.line(1).unwrap()), "  x = 1 + \\");
        assert!(listing.line(0).is_none() && listing.line(4).is_none());
    }

    #[test]
    fn white_space_is_trimmed_around_bytes() {
        assert_eq!(trim_start(b" \n\t\xffa "), b"\xffa ");
        assert_eq!(trim_end(b" a\xff \n"), b" a\xff");
        assert_eq!(trim_end(b"\xff"), b"\xff");
        assert_eq!(trim_end("a\u{2003}".as_bytes()), b"a");
        assert_eq!(trim_end(b"  "), b"");
    }
}
