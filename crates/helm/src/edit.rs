//! Texts that were edited: where what stayed the same is now.

use trueline_source::{SourceId, Span};

/// The part of a source that was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) source: SourceId,
    /// Where the change begins.
    pub(crate) start: u32,
    /// The end of what was replaced.
    pub(crate) end: u32,
    /// Where that end is now.
    pub(crate) now: u32,
}

impl Edit {
    /// The smallest part that differs between two texts of a source; nothing if they are too long.
    pub(crate) fn between(source: SourceId, before: &[u8], after: &[u8]) -> Option<Edit> {
        let start = same_at_start(before, after);
        let same = same_at_end(before.get(start..)?, after.get(start..)?);
        let place = |offset: usize| u32::try_from(offset).ok();
        Some(Edit {
            source,
            start: place(start)?,
            end: place(before.len() - same)?,
            now: place(after.len() - same)?,
        })
    }

    /// Where a span of the text before is now; nothing if it begins or ends inside of what was replaced.
    pub(crate) fn moved(&self, span: Span) -> Option<Span> {
        let start = match span.start {
            start if start < self.start => start,
            start => self.behind(start)?,
        };
        let end = match span.end {
            end if end <= self.start => end,
            end => self.behind(end)?,
        };
        Some(Span { start, end: end.max(start), ..span })
    }

    /// Where an offset after the change is now.
    fn behind(&self, offset: u32) -> Option<u32> {
        self.now.checked_add(offset.checked_sub(self.end)?)
    }
}

/// So many bytes are compared at once, which is much faster than one by one.
const AT_ONCE: usize = 64;

/// How many bytes two texts have in common at their start.
fn same_at_start(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.chunks_exact(AT_ONCE).zip(other.chunks_exact(AT_ONCE));
    let start = AT_ONCE * chunks.take_while(|(one, other)| one == other).count();
    let rest = one.iter().skip(start).zip(other.iter().skip(start));
    start + rest.take_while(|(one, other)| one == other).count()
}

/// The same at their end.
fn same_at_end(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.rchunks_exact(AT_ONCE).zip(other.rchunks_exact(AT_ONCE));
    let end = AT_ONCE * chunks.take_while(|(one, other)| one == other).count();
    let rest = one.iter().rev().skip(end).zip(other.iter().rev().skip(end));
    end + rest.take_while(|(one, other)| one == other).count()
}

/// The edits of several sources, one each.
#[derive(Debug, Default)]
pub(crate) struct Edits(pub(crate) Vec<Edit>);

impl Edits {
    /// Whether nothing was edited.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where a span is now; nothing if it begins or ends inside of what was replaced.
    pub(crate) fn moved(&self, span: Span) -> Option<Span> {
        match self.0.iter().find(|edit| edit.source == span.source) {
            Some(edit) => edit.moved(span),
            None => Some(span),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_part_that_differs_is_found_in_long_texts() {
        let source = SourceId::from_index(0);
        for length in [0, 1, 63, 64, 65, 127, 128, 129, 200] {
            let text = "x".repeat(length);
            let (before, after) = (format!("{text}a{text}"), format!("{text}bc{text}"));
            let edit = Edit::between(source, before.as_bytes(), after.as_bytes()).unwrap();
            assert_eq!(
                (edit.start as usize, edit.end as usize, edit.now as usize),
                (length, length + 1, length + 2)
            );
        }
    }

    #[test]
    fn what_is_around_an_edit_moves_with_it() {
        let source = SourceId::from_index(0);
        for (before, after, span, moved) in [
            ("abcdef", "abXcdef", (0, 2), Some((0, 2))),
            ("abcdef", "abXcdef", (2, 3), Some((3, 4))),
            ("abcdef", "abXcdef", (1, 4), Some((1, 5))),
            ("abcdef", "abXcdef", (2, 2), Some((3, 3))),
            ("abcdef", "abXYef", (2, 3), None),
            ("abcdef", "abXYef", (1, 3), None),
            ("abcdef", "abXYef", (1, 4), Some((1, 4))),
            ("abcdef", "abXYef", (4, 6), Some((4, 6))),
            ("abcdef", "abef", (3, 5), None),
            ("abcdef", "abef", (4, 6), Some((2, 4))),
            ("abcdef", "abef", (0, 6), Some((0, 4))),
        ] {
            let edit = Edit::between(source, before.as_bytes(), after.as_bytes()).unwrap();
            let moved = moved.map(|(start, end)| source.span(start, end));
            assert_eq!(edit.moved(source.span(span.0, span.1)), moved, "{before} {after} {span:?}");
            let edits = Edits(vec![edit]);
            let other = SourceId::from_index(1).span(span.0, span.1);
            assert_eq!(edits.moved(other), Some(other));
        }
    }
}
