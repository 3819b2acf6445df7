//! Regular expressions as Go writes and runs them, on an engine that takes time linear in the text.
//!
//! Go works on bytes and takes each byte that is no UTF-8 for one U+FFFD. Such text is searched in a copy
//! where that is so, and what is found is carried back.

mod matcher;
mod program;
mod texts;
mod translate;
mod tree;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

pub use matcher::Matcher;
pub use texts::{End, Texts, Wanted, texts};

/// How many patterns are kept ready per thread.
const KEPT: usize = 256;

/// How much memory one pattern may take.
const SIZE_LIMIT: usize = 64 << 20;

/// How deep groups may lie in each other for the engine, which calls itself for each.
const MAX_NESTING: usize = 200;

thread_local! {
    static READY: RefCell<BTreeMap<Vec<u8>, Rc<Regexp>>> = const { RefCell::new(BTreeMap::new()) };
}

/// A pattern ready to run.
#[derive(Debug)]
pub struct Regexp {
    regex: regex::Regex,
    /// The names of the groups, from the first on.
    names: Vec<String>,
    is_empty: bool,
}

/// How many matches are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// All that there are.
    All,
    /// No more than so many.
    AtMost(usize),
}

impl From<i64> for Count {
    fn from(count: i64) -> Self {
        usize::try_from(count).map_or(Self::All, Self::AtMost)
    }
}

impl Regexp {
    /// Makes a pattern ready, or takes the one that is; the error is Go's text.
    pub fn compile(pattern: &[u8]) -> Result<Rc<Self>, String> {
        if let Some(ready) = READY.with_borrow(|ready| ready.get(pattern).cloned()) {
            return Ok(ready);
        }
        let compiled = Rc::new(Self::new(pattern)?);
        READY.with_borrow_mut(|ready| {
            if ready.len() >= KEPT {
                ready.clear();
            }
            ready.insert(pattern.to_vec(), Rc::clone(&compiled));
        });
        Ok(compiled)
    }

    /// Makes a pattern ready for whoever keeps it, and shares it between threads; the error is Go's text.
    pub fn new(pattern: &[u8]) -> Result<Self, String> {
        let translated = translate::translate(pattern)?;
        if translated.depth > MAX_NESTING {
            return Err(translate::error("expression nests too deeply", &String::from_utf8_lossy(pattern)));
        }
        let regex = regex::RegexBuilder::new(&translated.pattern)
            .size_limit(SIZE_LIMIT)
            .nest_limit(10_000)
            .build()
            .map_err(|_| translate::error("expression too large", &String::from_utf8_lossy(pattern)))?;
        Ok(Self { regex, names: translated.names, is_empty: pattern.is_empty() })
    }

    /// Whether a part of the text matches.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(&Haystack::new(text).text)
    }

    /// Where the first match is.
    pub fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        let haystack = Haystack::new(text);
        self.regex.find(&haystack.text).map(|found| haystack.original(&found.range()))
    }

    /// Where the matches are.
    pub fn find_all(&self, text: &[u8], count: Count) -> Vec<Range<usize>> {
        let haystack = Haystack::new(text);
        let found = self.regex.find_iter(&haystack.text).map(|found| haystack.original(&found.range()));
        match count {
            Count::All => found.collect(),
            Count::AtMost(count) => found.take(count).collect(),
        }
    }

    /// The text between the matches, in at most so many parts.
    pub fn split(&self, text: &[u8], count: Count) -> Vec<Range<usize>> {
        if count == Count::AtMost(0) {
            return Vec::new();
        }
        if !self.is_empty && text.is_empty() {
            return std::iter::once(0..0).collect();
        }
        let mut parts = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for found in self.find_all(text, count) {
            if count == Count::AtMost(parts.len() + 1) {
                break;
            }
            end = found.start;
            if found.end != 0 {
                parts.push(begin..end);
            }
            begin = found.end;
        }
        if end != text.len() {
            parts.push(begin..text.len());
        }
        parts
    }

    /// Where the groups of each match are, the whole match first.
    pub fn captures_all(&self, text: &[u8]) -> Vec<Vec<Option<Range<usize>>>> {
        let haystack = Haystack::new(text);
        let groups = |captures: regex::Captures<'_>| {
            let found = captures.iter().map(|group| group.map(|group| haystack.original(&group.range())));
            found.collect()
        };
        self.regex.captures_iter(&haystack.text).map(groups).collect()
    }

    /// The names of the groups, from the first on; a group without one has an empty name.
    pub fn group_names(&self) -> &[String] {
        &self.names
    }
}

/// The text with a backslash before each character that means something in a pattern.
pub fn quote_meta(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if b"\\.+*?()|[]{}^$".contains(byte) {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out
}

/// A text to search in, and the way back to the bytes it was made of.
struct Haystack<'a> {
    text: Cow<'a, str>,
    /// Where U+FFFD stands for one byte.
    replaced: Vec<usize>,
}

impl<'a> Haystack<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self { text: Cow::Borrowed(text), replaced: Vec::new() };
        }
        let (mut text, mut replaced) = (String::with_capacity(bytes.len() + 16), Vec::new());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for _ in chunk.invalid() {
                replaced.push(text.len());
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Self { text: Cow::Owned(text), replaced }
    }

    fn original(&self, range: &Range<usize>) -> Range<usize> {
        let back = |place: usize| {
            let before = self.replaced.partition_point(|replaced| *replaced < place);
            place - before * (char::REPLACEMENT_CHARACTER.len_utf8() - 1)
        };
        back(range.start)..back(range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &[u8], ranges: &[Range<usize>]) -> Vec<String> {
        ranges.iter().map(|range| String::from_utf8_lossy(&text[range.clone()]).into_owned()).collect()
    }

    #[test]
    fn limited_counts() {
        let regexp = Regexp::compile(b",").unwrap();
        assert_eq!(texts(b"a,b,c", &regexp.split(b"a,b,c", Count::from(2))), ["a", "b,c"]);
        assert_eq!(texts(b"a,b,c", &regexp.split(b"a,b,c", Count::from(-1))), ["a", "b", "c"]);
        assert!(regexp.split(b"a,b,c", Count::from(0)).is_empty());
        assert_eq!(regexp.find_all(b"a,b,c", Count::from(1)).len(), 1);
        assert!(regexp.find_all(b"a,b,c", Count::from(0)).is_empty());
    }

    #[test]
    fn hostile_patterns() {
        for pattern in ["(".repeat(5_000) + &")".repeat(5_000), r"(\pL{1000})(\pL{1000}){1}".repeat(50)] {
            assert!(Regexp::compile(pattern.as_bytes()).is_err());
        }
        let nested = "(?:".repeat(150) + "a" + &")*".repeat(150);
        assert!(Regexp::compile(nested.as_bytes()).unwrap().is_match(b"a"));
    }

    #[test]
    fn quoting() {
        assert_eq!(quote_meta(b"1.5 [a] {b} $^\\"), b"1\\.5 \\[a\\] \\{b\\} \\$\\^\\\\");
    }
}
