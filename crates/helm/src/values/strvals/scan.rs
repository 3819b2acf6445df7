//! Characters with their places.

use trueline_source::{SourceId, Span};

use super::Form;

/// An argument that is read from left to right.
pub(super) struct Scanner<'t> {
    text: &'t str,
    offset: usize,
    source: SourceId,
    escapes: bool,
}

/// What was read up to a stop, without its escapes.
pub(super) struct Taken {
    pub(super) text: String,
    pub(super) span: Span,
    /// The character that ended it, which is read too; nothing at the end of the text.
    pub(super) stop: Option<char>,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str, source: SourceId, form: &Form<'_>) -> Self {
        Scanner { text, offset: 0, source, escapes: !matches!(form, Form::Literal) }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The empty place before the next character.
    pub(super) fn here(&self) -> Span {
        self.source.span(self.offset, self.offset)
    }

    pub(super) fn source(&self) -> SourceId {
        self.source
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.offset = self.offset.saturating_add(bytes);
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.offset += expected.len_utf8();
        }
        found
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.offset += next.len_utf8();
        Some(next)
    }

    /// Reads up to the first of the stops, and over it.
    pub(super) fn until(&mut self, stops: &[char]) -> Taken {
        let start = self.offset;
        let mut text = String::new();
        loop {
            let end = self.offset;
            let stop = match self.next() {
                None => None,
                Some(character) if stops.contains(&character) => Some(character),
                // A backslash at the very end escapes nothing and is lost.
                Some('\\') if self.escapes => match self.next() {
                    None => None,
                    Some(escaped) => {
                        text.push(escaped);
                        continue;
                    }
                },
                Some(character) => {
                    text.push(character);
                    continue;
                }
            };
            return Taken { text, span: self.source.span(start, end), stop };
        }
    }

    /// Reads white space and a comma after it. Returns whether there was nothing else.
    pub(super) fn empty_value(&mut self) -> bool {
        loop {
            let offset = self.offset;
            match self.next() {
                None | Some(',') => return true,
                Some(character) if character.is_whitespace() => {}
                Some(_) => {
                    self.offset = offset;
                    return false;
                }
            }
        }
    }
}
