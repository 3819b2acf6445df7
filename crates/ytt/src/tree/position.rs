//! Where nodes come from.

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use trueline_source::{SourceId, Span};
use trueline_yaml::line_starts;

use super::meta::{Commons, Stretch};

/// What nodes come from: a file, a flag, or something that was only computed.
pub struct File {
    name: Box<str>,
    text: Arc<str>,
    source: Option<SourceId>,
    origin: Origin,
    /// Where lines start, worked out when the first line number is asked for.
    lines: OnceCell<Lines>,
    commons: RefCell<Commons>,
}

struct Lines {
    starts: Vec<u32>,
    /// Where lines start that end with a line feed, if others do not.
    fed: Option<Vec<u32>>,
}

/// Whether somebody typed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Typed,
    /// The first byte that is not UTF-8, and go-yaml's words for what is wrong there.
    Undecodable(usize, &'static str),
    /// The value of a flag or a variable: one line, whatever it holds.
    Argument,
    Memory,
}

impl File {
    /// A file with the name that messages use.
    pub fn new(name: &str, text: impl Into<Arc<str>>) -> Rc<File> {
        File::make(name, text.into(), None, Origin::Typed)
    }

    /// The same, known to a [`trueline_source::SourceMap`].
    pub fn in_source(name: &str, text: impl Into<Arc<str>>, source: SourceId) -> Rc<File> {
        File::make(name, text.into(), Some(source), Origin::Typed)
    }

    /// A file of bytes. What is not UTF-8 is replaced in its text and reported when it is read.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Rc<File> {
        match std::str::from_utf8(bytes) {
            Ok(text) => File::new(name, text),
            Err(error) => {
                let text = String::from_utf8_lossy(bytes);
                let offset = error.valid_up_to();
                let words = undecodable(bytes.get(offset..).unwrap_or_default());
                File::make(name, text.into(), None, Origin::Undecodable(offset, words))
            }
        }
    }

    /// The value of a flag or a variable. Reports show it as one line, also if there are line breaks in it.
    pub fn argument(name: &str, text: impl Into<Arc<str>>) -> Rc<File> {
        File::make(name, text.into(), None, Origin::Argument)
    }

    fn make(name: &str, text: Arc<str>, source: Option<SourceId>, origin: Origin) -> Rc<File> {
        Rc::new(File {
            name: name.into(),
            text,
            source,
            origin,
            lines: OnceCell::new(),
            commons: RefCell::default(),
        })
    }

    /// The name that messages use; empty for values that have no file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What its nodes share.
    pub(super) fn commons(&self) -> &RefCell<Commons> {
        &self.commons
    }

    /// Its id in the map of sources, if it is there.
    pub fn source(&self) -> Option<SourceId> {
        self.source
    }

    /// The first byte that is not UTF-8, if there is one, and what is wrong there.
    pub(super) fn undecodable(&self) -> Option<(usize, &'static str)> {
        match self.origin {
            Origin::Undecodable(offset, words) => Some((offset, words)),
            Origin::Typed | Origin::Argument | Origin::Memory => None,
        }
    }

    /// Whether it was made by [`File::argument`].
    pub fn is_argument(&self) -> bool {
        self.origin == Origin::Argument
    }

    /// The line of an offset, from one, as YAML counts line breaks.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.lines().starts.partition_point(|&start| start <= offset) as u32
    }

    /// Where a line starts; lines are counted from one.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.lines().starts.get((line as usize).checked_sub(1)?).copied()
    }

    /// The text of a line, which ends at a line feed whatever YAML takes for a line break. Lines are counted from one.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(index) = (line as usize).checked_sub(1) else { return "" };
        if self.is_argument() {
            return if index == 0 { &self.text } else { "" };
        }
        let lines = self.lines();
        let starts = lines.fed.as_ref().unwrap_or(&lines.starts);
        let rest = starts.get(index).and_then(|&start| self.text.get(start as usize..));
        rest.and_then(|rest| rest.split('\n').next()).unwrap_or_default()
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| {
            if self.is_argument() {
                return Lines { starts: vec![0], fed: None };
            }
            let starts = line_starts(&self.text);
            let feeds = memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|feed| feed as u32 + 1);
            let fed: Vec<u32> = std::iter::once(0).chain(feeds).collect();
            let fed = (fed.len() != starts.len()).then_some(fed);
            Lines { starts, fed }
        })
    }
}

/// What is wrong with the first character of bytes, in the words of go-yaml's reader.
fn undecodable(bytes: &[u8]) -> &'static str {
    let first = bytes.first().copied().unwrap_or_default();
    let (width, bits) = match first {
        0xc0..=0xdf => (2, first & 0x1f),
        0xe0..=0xef => (3, first & 0x0f),
        0xf0..=0xf7 => (4, first & 0x07),
        _ => return "invalid leading UTF-8 octet",
    };
    let Some(trail) = bytes.get(1..width) else { return "incomplete UTF-8 octet sequence" };
    if trail.iter().any(|byte| byte & 0xc0 != 0x80) {
        return "invalid trailing UTF-8 octet";
    }
    let code = trail.iter().fold(u32::from(bits), |code, byte| (code << 6) | u32::from(byte & 0x3f));
    let shortest = match width {
        2 => 0x80,
        3 => 0x800,
        _ => 0x1_0000,
    };
    if code < shortest { "invalid length of a UTF-8 sequence" } else { "invalid Unicode character" }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "File({})", self.name)
    }
}

/// A place in a [`File`], or the absence of one. Lines are worked out when something is printed.
#[derive(Clone, Default)]
pub struct Position {
    file: Option<Rc<File>>,
    start: u32,
    end: u32,
}

/// The start of a position in a known file at an unknown line.
const NO_LINE: u32 = u32::MAX;

impl Position {
    /// A stretch of a file.
    pub fn new(file: &Rc<File>, range: Range<u32>) -> Position {
        Position { file: Some(Rc::clone(file)), start: range.start.min(NO_LINE - 1), end: range.end }
    }

    /// A whole line of a file; lines are counted from one.
    pub fn of_line(file: &Rc<File>, line: u32) -> Position {
        let start = file.line_start(line).unwrap_or(file.text.len() as u32);
        let length =
            file.text.get(start as usize..).and_then(|rest| rest.split('\n').next()).map_or(0, str::len);
        Position::new(file, start..start + length as u32)
    }

    /// The only line of a source that is not a file, such as the value of a flag; printed as `NAME:1`.
    pub fn of_text(name: &str, text: &str) -> Position {
        Position::new(&File::argument(name, text), 0..u32::try_from(text.len()).unwrap_or(u32::MAX))
    }

    /// The file, and where it is in it.
    pub(super) fn into_parts(self) -> (Option<Rc<File>>, Stretch) {
        (self.file, (self.start, self.end))
    }

    /// The same put together again.
    pub(super) fn of_parts(file: Option<&Rc<File>>, (start, end): Stretch) -> Position {
        Position { file: file.cloned(), start, end }
    }

    /// No place at all.
    pub fn unknown() -> Position {
        Position::default()
    }

    /// A known file at an unknown line.
    pub fn unknown_in(file: &Rc<File>) -> Position {
        Position { file: Some(Rc::clone(file)), start: NO_LINE, end: NO_LINE }
    }

    /// The place of a value that was computed, with the line that reports show for it.
    pub fn in_memory(line: &str) -> Position {
        let file = File::make("", line.into(), None, Origin::Memory);
        Position { file: Some(file), start: NO_LINE, end: NO_LINE }
    }

    /// Whether there is a line.
    pub fn is_known(&self) -> bool {
        self.file.is_some() && self.start != NO_LINE
    }

    /// Whether it was made by [`Position::in_memory`].
    pub fn is_from_memory(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.origin == Origin::Memory)
    }

    /// The file, if one is known.
    pub fn file(&self) -> Option<&Rc<File>> {
        self.file.as_ref()
    }

    /// The file's name; empty without one.
    pub fn file_name(&self) -> &str {
        self.file.as_ref().map_or("", |file| file.name())
    }

    /// The line, from one.
    pub fn line(&self) -> Option<u32> {
        match &self.file {
            Some(file) if self.start != NO_LINE => Some(file.line_of(self.start)),
            _ => None,
        }
    }

    /// The text of the line; empty without one.
    pub fn line_text(&self) -> &str {
        match (&self.file, self.line()) {
            // The first document, where its marker was left out: there is a line, but nothing was typed there.
            (Some(file), Some(_)) if self.end == 0 && !file.is_argument() => "",
            (Some(file), Some(line)) => file.line_text(line),
            (Some(file), None) if file.origin == Origin::Memory => &file.text,
            _ => "",
        }
    }

    /// The bytes of the file that it covers.
    pub fn range(&self) -> Option<Range<u32>> {
        self.is_known().then_some(self.start..self.end.max(self.start))
    }

    /// The place in the map of sources, if the file is there.
    pub fn span(&self) -> Option<Span> {
        let range = self.range()?;
        Some(self.file.as_ref()?.source?.span(range.start as usize, range.end as usize))
    }

    /// The line so many lines further down.
    pub fn lines_below(&self, lines: u32) -> Position {
        match (&self.file, self.line()) {
            (Some(file), Some(line)) if lines > 0 => Position::of_line(file, line.saturating_add(lines)),
            _ => self.clone(),
        }
    }

    /// Whether both are in one file, on the same line or on neighbouring ones.
    pub fn is_next_to(&self, other: &Position) -> bool {
        match (self.line(), other.line()) {
            (Some(one), Some(two)) => self.file_name() == other.file_name() && one.abs_diff(two) <= 1,
            _ => false,
        }
    }

    /// `line FILE:LINE`, as most messages have it.
    pub fn as_string(&self) -> String {
        format!("line {self}")
    }

    /// The line alone, or `?`.
    pub fn as_line(&self) -> String {
        self.line().map_or_else(|| "?".to_owned(), |line| line.to_string())
    }
}

impl fmt::Display for Position {
    /// `FILE:LINE`, `FILE:?`, `LINE` or `?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file_name();
        if !name.is_empty() {
            write!(f, "{name}:")?;
        }
        match self.line() {
            Some(line) => write!(f, "{line}"),
            None => f.write_str("?"),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_printed_as_file_and_line() {
        let file = File::new("config.yml", "a: 1\nb:\r\n  c: 2");
        for (position, text, line) in [
            (Position::new(&file, 0..1), "config.yml:1", "a: 1"),
            (Position::new(&file, 5..6), "config.yml:2", "b:\r"),
            (Position::new(&file, 11..12), "config.yml:3", "  c: 2"),
            (Position::of_line(&file, 3), "config.yml:3", "  c: 2"),
            (Position::new(&file, 0..0), "config.yml:1", ""),
            (Position::new(&file, 0..1).lines_below(2), "config.yml:3", "  c: 2"),
            (Position::unknown_in(&file), "config.yml:?", ""),
            (Position::unknown(), "?", ""),
            (Position::of_text("(data-value arg)", "a=b"), "(data-value arg):1", "a=b"),
            (Position::of_text("", "b"), "1", "b"),
            (Position::in_memory("port: \"x\""), "?", "port: \"x\""),
        ] {
            assert_eq!((&*position.to_string(), position.line_text()), (text, line));
            assert_eq!(position.as_string(), format!("line {text}"));
        }
        assert!(Position::new(&file, 0..1).is_next_to(&Position::new(&file, 5..6)));
        assert!(!Position::new(&file, 0..1).is_next_to(&Position::new(&file, 11..12)));
        assert!(!Position::unknown().is_next_to(&Position::unknown()));
    }

    #[test]
    fn lines_end_where_yaml_says_but_are_shown_as_go_splits_them() {
        let file = File::new("a.yml", "a: 1\rb: 2\nc: 3\u{85}d: 4");
        let lines: Vec<_> = [0, 5, 10, 16].map(|offset| file.line_of(offset)).into();
        assert_eq!(lines, [1, 2, 3, 4]);
        assert_eq!(
            (file.line_text(1), file.line_text(2), file.line_text(3)),
            ("a: 1\rb: 2", "c: 3\u{85}d: 4", "")
        );
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_described_as_go_yaml_does() {
        for (bytes, words) in [
            (&b"\xff"[..], "invalid leading UTF-8 octet"),
            (b"\xe2\x82", "incomplete UTF-8 octet sequence"),
            (b"\xe2a\x82", "invalid trailing UTF-8 octet"),
            (b"\xc0\x80", "invalid length of a UTF-8 sequence"),
            (b"\xed\xa0\x80", "invalid Unicode character"),
            (b"\xf4\x90\x80\x80", "invalid Unicode character"),
        ] {
            let file = File::from_bytes("a", &[b"ab", bytes].concat());
            assert_eq!(file.undecodable(), Some((2, words)));
        }
    }

    #[test]
    fn the_value_of_a_flag_is_one_line() {
        let position = Position::of_text("(data-value arg)", "a=1\n2\n");
        assert_eq!((position.to_string().as_str(), position.line_text()), ("(data-value arg):1", "a=1\n2\n"));
        let file = Rc::clone(position.file().unwrap());
        let further_on = Position::new(&file, 4..5);
        assert_eq!((further_on.line(), further_on.line_text()), (Some(1), "a=1\n2\n"));
    }
}
