//! Reads text event by event, with the meaning of scalars, for trees that a [`crate::Document`] cannot hold,
//! such as ytt's, which have maps as keys and strings of bytes.

use std::borrow::Cow;

use trueline_source::SourceId;

use crate::comments::Site;
use crate::dialect::TAG_PREFIX;
use crate::fault::{Failure, Stage};
use crate::parser::{self, NodeProperties, Parser};
use crate::scanner::Revision;
use crate::{Dialect, Limits, ScalarStyle, ScalarValue, SyntaxError, SyntaxErrorKind, resolve};

/// Reads text by the rules of [`Dialect::Ytt`]. Nesting is limited here; the caller handles anchors, because
/// only it knows what an alias costs.
pub struct Events<'t> {
    text: &'t str,
    parser: Parser<'t>,
    limits: Limits,
    depth: usize,
}

/// The next event of the text. All places are byte offsets.
#[derive(Debug)]
pub enum Event<'e> {
    /// A document begins: its `---`, its first directive or its first token.
    DocumentStart {
        /// Where.
        start: u32,
    },
    /// A document ends.
    DocumentEnd,
    /// A scalar.
    Scalar(Scalar<'e>),
    /// A reference to an anchored node.
    Alias {
        /// The name, without the `*`.
        name: &'e str,
        /// Where it is.
        place: NodePlace,
    },
    /// A list begins.
    SequenceStart {
        /// Its anchor.
        anchor: Option<&'e str>,
        /// Where it begins.
        place: NodePlace,
    },
    /// A map begins.
    MappingStart {
        /// Its anchor.
        anchor: Option<&'e str>,
        /// Where it begins.
        place: NodePlace,
    },
    /// The list or map that started last ends; the place is after its bracket if it has one.
    CollectionEnd {
        /// After its bracket.
        end: Option<u32>,
    },
}

/// Where a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePlace {
    /// Where its tag or anchor begins; where its content begins if it has neither.
    pub start: u32,
    /// Where its content begins.
    pub content: u32,
    /// After its content, if that is already known.
    pub end: u32,
    /// For a list item: its `-`, or the `[` or `,` before it.
    pub item: u32,
}

/// A scalar and its meaning.
#[derive(Debug)]
pub struct Scalar<'e> {
    /// Its text; for `!!binary`, the decoded bytes.
    pub text: Cow<'e, [u8]>,
    /// What it means, or what is wrong with its tag.
    pub value: Result<ScalarValue, SyntaxErrorKind>,
    /// How it was written.
    pub style: ScalarStyle,
    /// Its tag in full.
    pub tag: Option<Box<str>>,
    /// Its anchor.
    pub anchor: Option<&'e str>,
    /// Where it is.
    pub place: NodePlace,
}

impl Scalar<'_> {
    /// Whether it is `<<`, which as a key merges another map.
    pub fn is_merge(&self) -> bool {
        *self.text == *b"<<"
            && match &self.tag {
                None => self.style == ScalarStyle::Plain,
                Some(tag) => tag.strip_prefix(TAG_PREFIX) == Some("merge"),
            }
    }

    /// Whether its meaning comes from its text alone, without quotes or a tag.
    pub fn is_plain(&self) -> bool {
        self.tag.is_none() && self.style == ScalarStyle::Plain
    }
}

/// A comment between tokens: from its `#` to the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentPlace {
    /// Its `#`.
    pub start: u32,
    /// The end of its line.
    pub end: u32,
}

impl<'t> Events<'t> {
    /// Begins at the start of the text.
    pub fn new(text: &'t str, limits: Limits) -> Self {
        Events { text, parser: Parser::new(text, Revision::Ytt), limits, depth: 0 }
    }

    /// The next event; `None` at the end of the text and after an error.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, SyntaxError> {
        if self.text.len() > self.limits.size || self.text.len() > crate::document::LONGEST {
            return Err(self.worded(*Failure::boxed(SyntaxErrorKind::TooLarge, Stage::Decoder, 0, 0, 0)));
        }
        let event = match self.parser.next() {
            Ok(event) => event,
            Err(fault) => return Err(self.worded(*fault)),
        };
        let item = self.parser.item_start;
        Ok(Some(match event {
            parser::Event::StreamEnd => return Ok(None),
            parser::Event::DocumentStart(_) => Event::DocumentStart { start: self.parser.document_start },
            parser::Event::DocumentEnd => {
                // All scalars of the document have been returned.
                self.parser.scanner.decoded.clear();
                Event::DocumentEnd
            }
            parser::Event::Alias { start, end } => Event::Alias {
                name: self.parser.scanner.slice(start + 1, end),
                place: NodePlace { start, content: start, end, item },
            },
            parser::Event::Scalar { text, style, start, end } => {
                let (anchor, tag, place) = self.properties(start, end, item);
                let text = self.parser.scanner.text_of(text);
                let (text, value) = meaning(text, style, tag.as_deref());
                Event::Scalar(Scalar { text, value, style, tag, anchor, place })
            }
            parser::Event::SequenceStart { start, .. } => {
                self.open(start)?;
                let (anchor, _, place) = self.properties(start, start, item);
                Event::SequenceStart { anchor, place }
            }
            parser::Event::MappingStart { start, .. } => {
                self.open(start)?;
                let (anchor, _, place) = self.properties(start, start, item);
                Event::MappingStart { anchor, place }
            }
            parser::Event::SequenceEnd(end) | parser::Event::MappingEnd(end) => {
                self.depth = self.depth.saturating_sub(1);
                Event::CollectionEnd { end }
            }
        }))
    }

    /// How deeply lists and maps are nested here.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The comments read since the last call, in order. Those after `|`, `>` and directives do not count.
    pub fn take_comments(&mut self) -> impl Iterator<Item = CommentPlace> + use<> {
        let comments = std::mem::take(&mut self.parser.scanner.comments);
        comments
            .into_iter()
            .filter(|comment| comment.site == Site::Between)
            .map(|comment| CommentPlace { start: comment.start, end: comment.end })
    }

    /// Builds the error for something that only the consumer of the events can notice.
    pub fn error(&self, kind: SyntaxErrorKind, start: u32, end: u32) -> SyntaxError {
        self.worded(*Failure::boxed(kind, Stage::Decoder, start as usize, end as usize, 0))
    }

    fn open(&mut self, start: u32) -> Result<(), SyntaxError> {
        if self.depth >= self.limits.depth {
            return Err(self.error(SyntaxErrorKind::TooDeep, start, start + 1));
        }
        self.depth += 1;
        Ok(())
    }

    fn properties(
        &mut self,
        start: u32,
        end: u32,
        item: u32,
    ) -> (Option<&'t str>, Option<Box<str>>, NodePlace) {
        match self.parser.properties.take().map(|properties| *properties) {
            None => (None, None, NodePlace { start, content: start, end, item }),
            Some(NodeProperties { anchor, tag, start: first, .. }) => {
                let anchor = anchor.map(|(from, to)| self.parser.scanner.slice(from, to));
                (
                    anchor,
                    tag.map(String::into_boxed_str),
                    NodePlace { start: first, content: start, end, item },
                )
            }
        }
    }

    fn worded(&self, fault: Failure) -> SyntaxError {
        fault.into_error(SourceId::from_index(0), self.text)
    }
}

/// What a scalar means.
fn meaning<'s>(
    text: &'s str,
    style: ScalarStyle,
    tag: Option<&str>,
) -> (Cow<'s, [u8]>, Result<ScalarValue, SyntaxErrorKind>) {
    let bytes = Cow::Borrowed(text.as_bytes());
    let Some(tag) = tag else {
        let value = match style {
            ScalarStyle::Plain => resolve::plain(text, Dialect::Ytt),
            _ => ScalarValue::String,
        };
        return (bytes, Ok(value));
    };
    if tag.strip_prefix(TAG_PREFIX) == Some("binary") {
        return match resolve::base64(text) {
            Some(decoded) => (Cow::Owned(decoded), Ok(ScalarValue::String)),
            None => (bytes, Err(SyntaxErrorKind::BadBase64)),
        };
    }
    let value = resolve::tagged(tag, text, Dialect::Ytt).map_err(|resolve::WrongTag(found)| {
        let tag = tag.replacen(TAG_PREFIX, "!!", 1);
        SyntaxErrorKind::WrongTag { found, text: text.to_owned(), tag }
    });
    (bytes, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events in short: `+m` and `+s` open, `-` closes, scalars by their meaning.
    fn events(text: &str) -> String {
        let mut events = Events::new(text, Limits::default());
        let mut words = Vec::new();
        loop {
            match events.next_event() {
                Err(error) => {
                    words.push(error.go_text);
                    break;
                }
                Ok(None) => break,
                Ok(Some(event)) => words.push(match event {
                    Event::DocumentStart { start } => format!("doc@{start}"),
                    Event::DocumentEnd => "end".to_owned(),
                    Event::Alias { name, .. } => format!("*{name}"),
                    Event::SequenceStart { anchor, .. } => format!("+s{}", anchor.unwrap_or_default()),
                    Event::MappingStart { anchor, .. } => format!("+m{}", anchor.unwrap_or_default()),
                    Event::CollectionEnd { .. } => "-".to_owned(),
                    Event::Scalar(scalar) => match scalar.value {
                        Ok(ScalarValue::String) => format!("{:?}", String::from_utf8_lossy(&scalar.text)),
                        Ok(value) => format!("{value:?}"),
                        Err(kind) => format!("{}", kind.go_problem()),
                    },
                }),
            }
        }
        words.join(" ")
    }

    #[test]
    fn events_carry_the_meaning_of_scalars() {
        for (text, expected) in [
            ("a: [1, yes]\n", "doc@0 +m \"a\" +s Int(1) Bool(true) - - end"),
            ("--- &x\n? {a: b}\n: *x\n", "doc@0 +mx +m \"a\" \"b\" - *x - end"),
            ("!!binary /w==", "doc@0 \"\u{fffd}\" end"),
            ("!!binary x", "doc@0 !!binary value contains invalid base64 data end"),
            ("!!int x", "doc@0 cannot decode !!str `x` as a !!int end"),
            ("# c\n---\na\n...\n%YAML 1.1\n---\n", "doc@4 \"a\" end doc@14 Null end"),
            ("a: [", "doc@0 +m \"a\" +s yaml: line 1: did not find expected node content"),
        ] {
            assert_eq!(events(text), expected, "{text}");
        }
    }

    #[test]
    fn items_of_lists_begin_at_their_dash_or_comma() {
        let text = "- a\n- [b,\n  c]\n";
        let mut events = Events::new(text, Limits::default());
        let mut items = Vec::new();
        while let Ok(Some(event)) = events.next_event() {
            if let Event::Scalar(scalar) = event {
                items.push((String::from_utf8_lossy(&scalar.text).into_owned(), scalar.place.item));
            }
        }
        assert_eq!(items, [("a".to_owned(), 0), ("b".to_owned(), 6), ("c".to_owned(), 8)]);
    }

    #[test]
    fn comments_of_block_headers_and_directives_are_left_out() {
        let text = "%YAML 1.1 # a\n--- # b\nk: | # c\n  # d\n# e\n";
        let mut events = Events::new(text, Limits::default());
        while let Ok(Some(_)) = events.next_event() {}
        let texts: Vec<_> = events
            .take_comments()
            .map(|comment| &text[comment.start as usize..comment.end as usize])
            .collect();
        assert_eq!(texts, ["# b", "# e"]);
    }

    #[test]
    fn nesting_is_limited() {
        let text = "[".repeat(20);
        let mut events = Events::new(&text, Limits { depth: 10, ..Limits::default() });
        let error = loop {
            match events.next_event() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("no error"),
                Err(error) => break error,
            }
        };
        assert_eq!((error.kind, error.span.start), (SyntaxErrorKind::TooDeep, 10));
    }
}
