//! Regular expressions as Go writes and runs them, on an engine that takes time linear in the text.
//!
//! Go works on bytes and takes each byte that is no UTF-8 for one U+FFFD. Such text is searched in a copy
//! where that is so, and what is found is carried back.

mod translate;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use trueline_gotemplate::{Str, StrBuilder, Trace};

/// How many patterns are kept ready per thread.
const KEPT: usize = 256;

/// How much memory one pattern may take.
const SIZE_LIMIT: usize = 64 << 20;

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
pub(crate) enum Count {
    All,
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

    fn new(pattern: &[u8]) -> Result<Self, String> {
        let translated = translate::translate(pattern)?;
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
    pub(crate) fn find_all(&self, text: &[u8], count: Count) -> Vec<Range<usize>> {
        let haystack = Haystack::new(text);
        let found = self.regex.find_iter(&haystack.text).map(|found| haystack.original(&found.range()));
        match count {
            Count::All => found.collect(),
            Count::AtMost(count) => found.take(count).collect(),
        }
    }

    /// The text between the matches, in at most so many parts.
    pub(crate) fn split(&self, text: &[u8], count: Count) -> Vec<Range<usize>> {
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

    /// The text with each match replaced by the template, in which `$1`, `${1}` and `$name` stand for groups. What
    /// is copied keeps its traces.
    pub(crate) fn replace_all(&self, text: &Str, template: &[u8]) -> Str {
        if !template.contains(&b'$') {
            return self.replace_all_literal(text, template);
        }
        let haystack = Haystack::new(text.as_bytes());
        let mut out = StrBuilder::with_capacity(text.len());
        let mut end = 0;
        for captures in self.regex.captures_iter(&haystack.text) {
            let Some(whole) = captures.get(0).map(|found| haystack.original(&found.range())) else {
                continue;
            };
            out.push_part(text, end..whole.start, Trace::Unknown);
            let group = |index: usize| Some(haystack.original(&captures.get(index)?.range()));
            self.expand(template, text, &group, &mut out);
            end = whole.end;
        }
        out.push_part(text, end..text.len(), Trace::Unknown);
        out.finish()
    }

    /// The text with each match replaced by another text.
    pub(crate) fn replace_all_literal(&self, text: &Str, replacement: &[u8]) -> Str {
        let mut out = StrBuilder::with_capacity(text.len());
        let mut end = 0;
        for found in self.find_all(text.as_bytes(), Count::All) {
            out.push_part(text, end..found.start, Trace::Unknown);
            out.push(replacement, Trace::Unknown);
            end = found.end;
        }
        out.push_part(text, end..text.len(), Trace::Unknown);
        out.finish()
    }

    fn expand(
        &self,
        template: &[u8],
        text: &Str,
        group: &dyn Fn(usize) -> Option<Range<usize>>,
        out: &mut StrBuilder,
    ) {
        let mut rest = template;
        while let Some(dollar) = rest.iter().position(|byte| *byte == b'$') {
            out.push(rest.get(..dollar).unwrap_or_default(), Trace::Unknown);
            rest = rest.get(dollar + 1..).unwrap_or_default();
            if let Some(after) = rest.strip_prefix(b"$") {
                out.push(b"$", Trace::Unknown);
                rest = after;
                continue;
            }
            let Some((name, after)) = group_name(rest) else {
                out.push(b"$", Trace::Unknown);
                continue;
            };
            rest = after;
            let found = match group_number(name) {
                Some(number) => group(number),
                None => {
                    let named = self.names.iter().enumerate().filter(|(_, own)| *own == name);
                    named.filter_map(|(index, _)| group(index + 1)).next()
                }
            };
            out.push_part(text, found.unwrap_or_default(), Trace::Unknown);
        }
        out.push(rest, Trace::Unknown);
    }
}

/// The longest name after a dollar, with or without braces, and what follows.
fn group_name(text: &[u8]) -> Option<(&str, &[u8])> {
    let inside = text.strip_prefix(b"{").unwrap_or(text);
    let valid = inside.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = valid.find(|character: char| !(character.is_alphanumeric() || character == '_'));
    let name = valid.get(..end.unwrap_or(valid.len())).filter(|name| !name.is_empty())?;
    let rest = inside.get(name.len()..)?;
    if inside.len() < text.len() {
        return rest.strip_prefix(b"}").map(|rest| (name, rest));
    }
    Some((name, rest))
}

fn group_number(name: &str) -> Option<usize> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if plain && name.len() <= 9 { name.parse().ok() } else { None }
}

/// The text with a backslash before each character that means something in a pattern.
pub(crate) fn quote_meta(text: &[u8]) -> Vec<u8> {
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
    fn replacing_finding_splitting() {
        type Row = (&'static str, &'static [u8], &'static str, &'static [u8], &'static [&'static str], usize);
        // Pattern, text, template, what replacing gives, the matches, the number of parts.
        let rows: &[Row] = &[
            ("a*", b"baaab", "X", b"XbXbX", &["", "aaa", ""], 2),
            (
                r"(\w+)@(?P<h>\w+)",
                b"me@home you@work",
                "$h:$1 ${1}x $1x $$ $ ${h",
                b"home:me mex  $ $ ${h work:you youx  $ $ ${h",
                &["me@home", "you@work"],
                3,
            ),
            (r"\B", "éa b".as_bytes(), "|", "|éa b".as_bytes(), &[""], 1),
            (r"\b", "éa b".as_bytes(), "|", "é|a| |b|".as_bytes(), &["", "", "", ""], 4),
            (".", b"a\xffb", "<$0>", b"<a><\xff><b>", &["a", "\u{fffd}", "b"], 4),
            (r"\x{FFFD}", b"a\xffb", "x", b"axb", &["\u{fffd}"], 2),
            ("(a)|(b)", b"ab", "[$1$2]", b"[a][b]", &["a", "b"], 3),
            ("", b"abc", "-", b"-a-b-c-", &["", "", "", ""], 3),
            ("$", b"a\nb\n", "E", b"a\nb\nE", &[""], 1),
            ("(?m)$", b"a\nb\n", "E", b"aE\nbE\nE", &["", "", ""], 3),
            ("(?m)^", b"a\nb\n", "S", b"Sa\nSb\nS", &["", "", ""], 2),
            ("(?s).+", b"a\nb", "x", b"x", &["a\nb"], 2),
            ("(?U)a+", b"aaa", "x", b"xxx", &["a", "a", "a"], 4),
            ("(?i)[^a]", b"aAb", "x", b"aAx", &["b"], 2),
            (r"\s+", b" \x0b\t", "x", b"x\x0bx", &[" ", "\t"], 3),
            ("(a|ab)(c|bcd)", b"abcd", "$1-$2", b"a-bcd", &["abcd"], 2),
            ("x*", b"", "y", b"y", &[""], 1),
            (r"[\D]", b"a1", "x", b"x1", &["a"], 2),
            (r"(?i)\w", "ſ".as_bytes(), "x", b"x", &["ſ"], 2),
            ("(?P<a>x)|(?P<a>y)", b"xy", "<$a>", b"<x><y>", &["x", "y"], 3),
            (r"\pL+", "aé1".as_bytes(), "x", b"x1", &["aé"], 2),
            (r"[^\x00-\x{10FFFF}]", b"a", "x", b"a", &[], 1),
            (r"\Qa*b\Ec", b"a*bc", "x", b"x", &["a*bc"], 2),
            (r"\101\x42\a", b"AB\x07", "x", b"x", &["AB\x07"], 2),
            ("a{,5}", b"a{,5}", "x", b"x", &["a{,5}"], 2),
            ("[]a]+", b"a]", "x", b"x", &["a]"], 2),
            ("[[:upper:]_-]+", b"A_-b", "x", b"xb", &["A_-"], 2),
        ];
        for (pattern, text, template, replaced, found, parts) in rows {
            let regexp = Regexp::compile(pattern.as_bytes()).unwrap();
            let actual = regexp.replace_all(&Str::from(*text), template.as_bytes());
            assert_eq!(actual.text(), String::from_utf8_lossy(replaced), "{pattern}");
            assert_eq!(&texts(text, &regexp.find_all(text, Count::All)), found, "{pattern}");
            assert_eq!(regexp.split(text, Count::All).len(), *parts, "{pattern}");
            assert_eq!(regexp.is_match(text), !found.is_empty(), "{pattern}");
            assert_eq!(regexp.find(text).is_some(), !found.is_empty(), "{pattern}");
        }
    }

    #[test]
    fn what_is_copied_keeps_its_traces() {
        let span = |start| trueline_source::SourceId::from_index(0).span(start, start + 5);
        let mut builder = StrBuilder::default();
        builder.push(b"a <<", Trace::Unknown);
        builder.push(b"one", Trace::Value(span(10)));
        builder.push(b">> ", Trace::Unknown);
        builder.push(b"two", Trace::Value(span(20)));
        let replaced = Regexp::compile(b"<<(.*?)>>").unwrap().replace_all(&builder.finish(), b"[$1]");
        assert_eq!(replaced.text(), "a [one] two");
        assert_eq!(replaced.trace_at(3), Trace::Value(span(10)));
        assert_eq!(replaced.trace_at(6), Trace::Unknown);
        assert_eq!(replaced.trace_at(8), Trace::Value(span(20)));
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
