//! Regular expressions as Go writes and runs them, on an engine that takes time linear in the text.
//!
//! Go works on bytes and treats each byte that is not UTF-8 as one U+FFFD. Such text is searched in a converted
//! copy, and the results are mapped back.

mod error;
mod expand;
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

use regex_automata::meta;

use crate::error::{TOO_DEEP, TOO_LARGE};

pub use error::{PatternError, PatternErrorKind};
pub use expand::Piece;
pub use matcher::Matcher;
pub use texts::{End, Texts, Wanted, texts};

/// How many compiled patterns are cached per thread, and how many bytes they may take. A search may add some
/// memory to each.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 16 << 20;

/// How much memory one pattern may take.
const SIZE_LIMIT: usize = 64 << 20;

/// Up to this much memory a pattern is compiled without asking the caller.
const SMALL: usize = 1 << 20;

/// How many bytes parsing needs for each byte of a pattern.
const READING: usize = 256;

/// How much memory a search may take to record where groups start and end.
const GROUP_BYTES: usize = 128 << 20;

/// The minimum bytes for a state of a pattern, and for the places of a group in a state.
const STATE: usize = 64;
const GROUP: usize = 32;

/// How much memory a search may take for its cache of a pattern.
const SEARCH_BYTES: usize = 1 << 20;

/// How deeply groups may be nested for the engine, which recurses into each.
const MAX_NESTING: usize = 200;

thread_local! {
    static READY: RefCell<Ready> = const { RefCell::new(Ready { patterns: BTreeMap::new(), bytes: 0 }) };
}

/// The cached patterns.
struct Ready {
    patterns: BTreeMap<Vec<u8>, Rc<Regexp>>,
    bytes: usize,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Regexp {
    regex: meta::Regex,
    /// The length of the longest match, if there is one.
    longest: Option<usize>,
    /// The names of the groups, from the first on.
    names: Vec<String>,
    is_empty: bool,
}

/// The places of the groups of a match, the whole match first.
pub type Groups = [Option<Range<usize>>];

/// How many matches to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// All of them.
    All,
    /// At most this many.
    AtMost(usize),
}

impl From<i64> for Count {
    fn from(count: i64) -> Self {
        usize::try_from(count).map_or(Self::All, Self::AtMost)
    }
}

impl Regexp {
    /// Compiles a pattern, or takes it from the cache; the error is Go's message.
    pub fn compile(pattern: &[u8]) -> Result<Rc<Self>, PatternError> {
        match Self::compile_for(pattern, &mut |_| Ok::<(), std::convert::Infallible>(())) {
            Ok(compiled) => compiled,
            Err(never) => match never {},
        }
    }

    /// Like [`Regexp::compile`], for callers that charge for work: `spend` is called with the bytes that the
    /// pattern needs before it uses them, and can refuse.
    pub fn compile_for<E>(
        pattern: &[u8],
        spend: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<Result<Rc<Self>, PatternError>, E> {
        if let Some(ready) = READY.with_borrow(|ready| ready.patterns.get(pattern).cloned()) {
            return Ok(Ok(ready));
        }
        // Parsing takes many times the length of a pattern, and a few bytes can make a large one.
        spend(pattern.len().saturating_mul(READING).saturating_add(1 << 10))?;
        let compiled = match Self::within(pattern, SMALL) {
            Ok(Some(compiled)) => compiled,
            Err(problem) => return Ok(Err(problem)),
            Ok(None) => {
                spend(SIZE_LIMIT)?;
                match Self::new(pattern) {
                    Ok(compiled) => compiled,
                    Err(problem) => return Ok(Err(problem)),
                }
            }
        };
        let compiled = Rc::new(compiled);
        let bytes = compiled.bytes().saturating_add(pattern.len());
        spend(bytes.saturating_add(compiled.group_bytes()))?;
        if bytes <= SMALL {
            READY.with_borrow_mut(|ready| {
                if ready.patterns.len() >= KEPT || ready.bytes + bytes > KEPT_BYTES {
                    (ready.patterns, ready.bytes) = (BTreeMap::new(), 0);
                }
                ready.bytes += bytes;
                ready.patterns.insert(pattern.to_vec(), Rc::clone(&compiled));
            });
        }
        Ok(Ok(compiled))
    }

    /// Compiles a pattern that the caller keeps and can share between threads; the error is Go's message.
    pub fn new(pattern: &[u8]) -> Result<Self, PatternError> {
        Self::within(pattern, SIZE_LIMIT)?
            .ok_or_else(|| PatternError::new(TOO_LARGE, &String::from_utf8_lossy(pattern)))
    }

    /// Compiles a pattern if it needs no more memory than this.
    fn within(pattern: &[u8], most: usize) -> Result<Option<Self>, PatternError> {
        let translated = translate::translate(pattern)?;
        if translated.depth > MAX_NESTING {
            return Err(PatternError::new(TOO_DEEP, &String::from_utf8_lossy(pattern)));
        }
        let syntax = regex_automata::util::syntax::Config::new().nest_limit(10_000);
        let Ok(tree) = regex_automata::util::syntax::parse_with(&translated.pattern, &syntax) else {
            return Ok(None);
        };
        let config = meta::Config::new().nfa_size_limit(Some(most)).hybrid_cache_capacity(SEARCH_BYTES);
        let longest = tree.properties().maximum_len();
        let regex = meta::Builder::new().configure(config).build_from_hir(&tree).ok();
        let made =
            regex.map(|regex| Self { regex, longest, names: translated.names, is_empty: pattern.is_empty() });
        Ok(made.filter(|made| made.group_bytes() <= GROUP_BYTES))
    }

    /// How many bytes a search may take for groups: their places are recorded for each state that a match may
    /// be in.
    fn group_bytes(&self) -> usize {
        (self.bytes() / STATE).saturating_mul(self.group_count()).saturating_mul(GROUP)
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.regex.memory_usage()
    }

    /// The maximum work per byte of the text: a large pattern is followed state by state.
    pub fn cost_per_byte(&self) -> usize {
        self.bytes() / 1_024 + 1
    }

    /// Like [`Regexp::cost_per_byte`], for a search that records where groups are: their places move from state
    /// to state.
    pub fn groups_cost_per_byte(&self) -> usize {
        self.cost_per_byte().saturating_mul(self.group_count() / 8 + 1)
    }

    /// The maximum number of bytes that are read again for each match in a string of this length: after the end
    /// of a match the search continues for a longer one, up to the end of the string if a match may have any
    /// length.
    pub fn looked_at_again(&self, length: usize) -> usize {
        self.longest.map_or(length, |longest| longest.min(length))
    }

    /// Whether a part of the text matches.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(&*Haystack::new(text).text)
    }

    /// Where the first match is.
    pub fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        let haystack = Haystack::new(text);
        self.regex.find(&*haystack.text).map(|found| haystack.original(&found.range()))
    }

    /// Where the matches are.
    pub fn find_all(&self, text: &[u8], count: Count) -> Vec<Range<usize>> {
        match self.find_all_for(text, count, &mut |_| Ok::<(), std::convert::Infallible>(())) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }

    /// Like [`Regexp::find_all`], for callers that charge for work: before each match is stored, `spend` is
    /// called with how many bytes may be read again to find the next.
    pub fn find_all_for<E>(
        &self,
        text: &[u8],
        count: Count,
        spend: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<Vec<Range<usize>>, E> {
        let haystack = Haystack::new(text);
        let mut matches = Vec::new();
        if count == Count::AtMost(0) {
            return Ok(matches);
        }
        for found in self.regex.find_iter(&*haystack.text) {
            spend(self.looked_at_again(haystack.text.len() - found.end()))?;
            matches.push(haystack.original(&found.range()));
            if count == Count::AtMost(matches.len()) {
                break;
            }
        }
        Ok(matches)
    }

    /// The text between the matches, in at most this many parts.
    pub fn split(&self, text: &[u8], count: Count) -> Vec<Range<usize>> {
        match self.split_for(text, count, &mut |_| Ok::<(), std::convert::Infallible>(())) {
            Ok(parts) => parts,
            Err(never) => match never {},
        }
    }

    /// Like [`Regexp::split`], for callers that charge for work, as with [`Regexp::find_all_for`].
    pub fn split_for<E>(
        &self,
        text: &[u8],
        count: Count,
        spend: &mut dyn FnMut(usize) -> Result<(), E>,
    ) -> Result<Vec<Range<usize>>, E> {
        if count == Count::AtMost(0) {
            return Ok(Vec::new());
        }
        if !self.is_empty && text.is_empty() {
            return Ok(std::iter::once(0..0).collect());
        }
        let mut parts = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for found in self.find_all_for(text, count, spend)? {
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
        Ok(parts)
    }

    /// Calls `visit` with the groups of each match, the whole match first, and with how many bytes may be read
    /// again to find the next; it can stop the search.
    pub fn captures_for<E>(
        &self,
        text: &[u8],
        visit: &mut dyn FnMut(&Groups, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let haystack = Haystack::new(text);
        let mut groups = Vec::new();
        for captures in self.regex.captures_iter(&*haystack.text) {
            groups.clear();
            groups.extend(captures.iter().map(|group| group.map(|group| haystack.original(&group.range()))));
            let end = captures.get_match().map_or(0, |found| found.end());
            visit(&groups, self.looked_at_again(haystack.text.len() - end))?;
        }
        Ok(())
    }

    /// How many groups a match has, including the whole match.
    pub fn group_count(&self) -> usize {
        self.names.len() + 1
    }

    /// The names of the groups, from the first on; a group without one has an empty name.
    pub fn group_names(&self) -> &[String] {
        &self.names
    }
}

/// The text with a backslash before each special character.
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

/// Text to search, and the map back to the bytes it was made from.
struct Haystack<'a> {
    text: Cow<'a, str>,
    /// The places where U+FFFD replaces one byte.
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
    fn groups_are_charged_and_limited() {
        let groups = |count: usize| Regexp::new("(a?)".repeat(count).as_bytes());
        let (few, many) = (groups(50).unwrap(), groups(500).unwrap());
        assert!(many.groups_cost_per_byte() > 50 * few.groups_cost_per_byte());
        let two = Regexp::new(b"(a)(b)").unwrap();
        assert_eq!(two.groups_cost_per_byte(), two.cost_per_byte());
        // Each state would store the places of all groups: more than a gigabyte.
        assert!(groups(5_000).is_err());
        let mut asked = 0;
        let refused = Regexp::compile_for("a|".repeat(100_000).as_bytes(), &mut |bytes| {
            asked = bytes;
            Err(())
        });
        assert!(refused.is_err() && asked > 40_000_000, "{asked}");
    }

    #[test]
    fn quoting() {
        assert_eq!(quote_meta(b"1.5 [a] {b} $^\\"), b"1\\.5 \\[a\\] \\{b\\} \\$\\^\\\\");
    }
}
