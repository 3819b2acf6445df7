//! Which comments of values.yaml speak of which key: those right above it, at the end of its line, and, for
//! annotations, right below it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Document, NodeRef, Placement, ReadOptions, Stream, read};

/// One line of comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// From the first `#` to the end of the line.
    pub(super) span: Span,
    /// What follows the `#`s, with its indentation.
    pub(super) text: &'t str,
    number: usize,
    column: usize,
}

impl Line<'_> {
    /// Whether it is the line after another.
    pub(super) fn follows(&self, other: &Line<'_>) -> bool {
        self.number == other.number + 1
    }

    /// The place of a part of [`Line::text`].
    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        let skipped = (self.span.end as usize).saturating_sub(self.text.len());
        self.span.source.span(skipped.saturating_add(start), skipped.saturating_add(end))
    }
}

/// The comments of one key.
#[derive(Debug, Default)]
pub(super) struct Around<'t> {
    /// On the lines right above it, as far in as it is.
    pub(super) above: Vec<Line<'t>>,
    /// At the end of its line.
    pub(super) beside: Option<Line<'t>>,
    /// On the lines right below it and all that it holds, as far in as it is.
    pub(super) below: Vec<Line<'t>>,
}

/// All comments of a file.
#[derive(Debug, Default)]
pub(super) struct Comments<'t> {
    /// By where their keys begin.
    pub(super) by_key: FxHashMap<u32, Around<'t>>,
    /// Every line that is nothing but a comment, in order.
    pub(super) lines: Vec<Line<'t>>,
    /// Where the first key begins.
    pub(super) first_key: Option<u32>,
}

/// A comment below a key is looked for after this many keys inside it.
const FARTHEST: usize = 10_000;

/// A key, where it begins.
#[derive(Debug, Clone, Copy)]
struct Key {
    start: u32,
    line: usize,
    column: usize,
}

/// The comments of a file.
pub(super) fn comments(source: SourceId, text: &Arc<str>) -> Comments<'_> {
    let Stream { documents, comments: left, .. } = read(source, text, &ReadOptions::default());
    let lines = Lines::of(text);
    let keys = keys(&documents, &lines);
    let mut found = Comments { first_key: keys.first().map(|key| key.start), ..Comments::default() };
    // Of the keys on one line the first one is the outermost: a comment after `a: {b: 1}` is about `a`.
    let on_line: FxHashMap<usize, Key> = keys.iter().rev().map(|key| (key.line, *key)).collect();
    for comment in documents.iter().flat_map(Document::comments).chain(&left) {
        let start = comment.span.start as usize;
        let whole = text.get(comment.span.range()).unwrap_or_default();
        let (number, column) = lines.place(start);
        let line = Line { span: comment.span, text: whole.trim_start_matches('#'), number, column };
        match comment.placement {
            Placement::OwnLine => found.lines.push(line),
            Placement::EndOfLine => {
                if let Some(key) = on_line.get(&number) {
                    found.by_key.entry(key.start).or_default().beside = Some(line);
                }
            }
        }
    }
    found.lines.sort_unstable_by_key(|line| line.span.start);
    let runs = found.lines.chunk_by(|one, next| next.follows(one));
    for run in runs {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let mut rest = run;
        if let Some(key) = on_line.get(&(last.number + 1)) {
            let begins = run.iter().rposition(|line| line.column != key.column).map_or(0, |place| place + 1);
            let (before, above) = run.split_at(begins);
            found.by_key.entry(key.start).or_default().above = above.to_vec();
            rest = before;
        }
        if lines.is_blank(first.number.wrapping_sub(1)) {
            continue;
        }
        let earlier = keys.partition_point(|key| key.start < first.span.start);
        for line in rest {
            let owner = keys.get(..earlier).unwrap_or_default().iter().rev();
            let mut owner = owner.take(FARTHEST).take_while(|key| key.column >= line.column);
            if let Some(key) = owner.find(|key| key.column == line.column) {
                found.by_key.entry(key.start).or_default().below.push(*line);
            }
        }
    }
    found
}

/// All keys of all documents in order.
fn keys(documents: &[Document], lines: &Lines<'_>) -> Vec<Key> {
    let maps = documents.iter().flat_map(Document::nodes).filter(|node| node.alias_target().is_none());
    let mut keys: Vec<Key> = maps
        .filter_map(NodeRef::written_entries)
        .flatten()
        .map(|(key, _)| {
            let start = key.span().start;
            let (line, column) = lines.place(start as usize);
            Key { start, line, column }
        })
        .collect();
    keys.sort_unstable_by_key(|key| key.start);
    keys
}

/// Where the lines of a file begin.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let starts = [0].into_iter().chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1));
        Lines { text, starts: starts.collect() }
    }

    /// The number of the line of an offset, and how far in it is.
    fn place(&self, offset: usize) -> (usize, usize) {
        let number = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(number).copied().unwrap_or_default();
        (number, offset - start)
    }

    /// Whether a line has nothing on it, or is none.
    fn is_blank(&self, number: usize) -> bool {
        let Some(start) = self.starts.get(number) else { return true };
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        self.text.get(*start..end).unwrap_or_default().trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The comments of a key: above, beside and below it.
    fn around(text: &str, key: &str) -> [String; 3] {
        let text: Arc<str> = Arc::from(text);
        let comments = comments(SourceId::from_index(0), &text);
        let start = text.find(&format!("{key}:")).unwrap() as u32;
        let join = |lines: &[Line<'_>]| {
            lines.iter().map(|line| line.text.trim().to_owned()).collect::<Vec<_>>().join("|")
        };
        match comments.by_key.get(&start) {
            Some(around) => [
                join(&around.above),
                join(&around.beside.into_iter().collect::<Vec<_>>()),
                join(&around.below),
            ],
            None => Default::default(),
        }
    }

    #[test]
    fn comments_speak_of_the_key_that_they_touch() {
        for (text, key, expected) in [
            ("# one\n# two\na: 1 # three\n", "a", ["one|two", "three", ""]),
            ("# far\n\n# near\na: 1\n", "a", ["near", "", ""]),
            ("# far\n\na: 1\n", "a", ["", "", ""]),
            ("a:\n  b: 1\n  # of b\n# of c\nc: 1\n", "c", ["of c", "", ""]),
            ("a:\n  b: 1\n  # of b\n# of c\nc: 1\n", "b", ["", "", "of b"]),
            ("a:\n  b: {}\n  # c: 1\n", "b", ["", "", "c: 1"]),
            ("a:\n  b: {}\n# below\n\nc: 1\n", "a", ["", "", "below"]),
            ("a:\n  b: {}\n\n# not below\n\nc: 1\n", "a", ["", "", ""]),
            ("a: # beside\n  b: 1\n", "a", ["", "beside", ""]),
            ("a:\n  # of b\n  b: 1\n", "b", ["of b", "", ""]),
            ("a: [1, {b: 2}] # beside\n", "a", ["", "beside", ""]),
            ("## two\na: 1\n", "a", ["two", "", ""]),
            ("a: |\n  # text\nb: 1\n", "b", ["", "", ""]),
        ] {
            assert_eq!(around(text, key), expected, "{text}");
        }
    }
}
