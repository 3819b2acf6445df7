//! Builds documents from events: anchors, merge keys, the meaning of scalars, the owners of comments.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_source::{SourceId, Span};

use crate::comments::{self, Owner};
use crate::decode;
use crate::dialect::TAG_PREFIX;
use crate::document::LONGEST;
use crate::fault::{Failure, Fault, MOST_ERRORS, NodeProblem, Problems, Stage};
use crate::parser::{Event, NodeProperties, Parser};
use crate::resolve;
use crate::scanner::Revision;
use crate::{
    Builder, Comment, CommentOwner, Dialect, Document, Entry, NodeId, ReadOptions, ScalarStyle, ScalarValue,
    Stream, SyntaxError, SyntaxErrorKind, Text,
};

/// What an anchor stands for.
#[derive(Debug, Clone, Copy)]
enum Anchored {
    /// A list or map that is still being read, by its index.
    Open(u64),
    Done {
        node: NodeId,
        height: usize,
        weight: u64,
    },
}

/// A list or map that is being read.
struct Frame {
    is_mapping: bool,
    start: u32,
    end: u32,
    /// Where its children start in the shared stacks.
    base: usize,
    /// The key that waits for its value.
    key: Option<NodeId>,
    merges: bool,
    properties: Option<Box<NodeProperties>>,
    owner: Option<usize>,
    number: u64,
    /// How deep the nesting below is, with aliases expanded.
    height: usize,
    /// How many nodes it stands for, with aliases expanded.
    weight: u64,
}

/// Which faults make a document invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Only what cannot be parsed.
    Unreadable,
    /// Also what the dialect cannot convert to JSON.
    Inconvertible,
}

/// Reads a YAML text.
pub fn read(source: SourceId, text: &Arc<str>, options: &ReadOptions) -> Stream {
    compose(source, text, options, Refusal::Inconvertible)
}

/// Reads all documents of the text.
pub(crate) fn compose(source: SourceId, text: &Arc<str>, options: &ReadOptions, refusal: Refusal) -> Stream {
    let mut stream = Stream::default();
    if text.len() > options.limits.size || text.len() > LONGEST {
        let fault = Failure::boxed(SyntaxErrorKind::TooLarge, Stage::Decoder, 0, 0, 0);
        stream.errors.push(fault.into_error(source, text));
        stream.first = Some(Err(0));
        return stream;
    }
    let revision = if options.dialect == Dialect::GoYamlV3 { Revision::Three } else { Revision::Two };
    let mut composer = Composer {
        source,
        text,
        options,
        refusal,
        parser: Parser::new(text, revision),
        builder: Builder::new(source, Arc::clone(text)),
        frames: Vec::with_capacity(16),
        items: Vec::with_capacity(16),
        entries: Vec::with_capacity(32),
        root: None,
        anchors: FxHashMap::default(),
        next_number: 0,
        problems: Problems::default(),
        merged: 0,
        has_alias: false,
        suspicious: false,
        weight: 0,
        tracks_owners: memchr::memchr(b'#', text.as_bytes()).is_some(),
        owners: Vec::new(),
        content_end: 0,
        // Capacities are rounded to few sizes, so the memory that one text frees fits the next.
        expected: (text.len() / 10).next_power_of_two().min(256),
        documents: 0,
        nodes: 0,
    };
    let mut restart = 0;
    let mut line = 0;
    loop {
        match composer.document() {
            Ok(None) => break,
            Ok(Some(())) => composer.finish(&mut stream),
            Err(fault) => {
                let is_over = fault.kind.is_limit_of_stream();
                let from = fault.start.max(restart + 1);
                let is_first = stream.first.is_none();
                let reader = fault.stage == Stage::Reader;
                let error = fault.into_error(source, text);
                if is_first {
                    stream.first = Some(Err(stream.errors.len()));
                }
                if stream.errors.last() != Some(&error) {
                    stream.errors.push(error);
                }
                if is_over {
                    composer.parser.scanner.comments.clear();
                    break;
                }
                // go-yaml refuses everything in the same read block as a forbidden character; the documents
                // before that block can still be read.
                if is_first && reader {
                    composer.parser.scanner.comments.clear();
                    composer.restart(0, 0);
                    continue;
                }
                let Some(position) = next_document(text, from) else { break };
                if stream.errors.len() >= MOST_ERRORS {
                    break;
                }
                line += comments::line_of(&text[restart..], position - restart);
                restart = position;
                composer.parser.scanner.comments.retain(|comment| (comment.start as usize) < position);
                stream.comments.extend(composer.comments_left());
                composer.restart(position, line);
            }
        }
    }
    stream.comments.extend(composer.comments_left());
    stream
}

/// The next `---` at the start of a line.
fn next_document(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes.get(from..)?, b"---").map(|found| from + found).find(|&position| {
        let starts_line = position == 0 || matches!(bytes[position - 1], b'\n' | b'\r');
        starts_line && matches!(bytes.get(position + 3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
    })
}

struct Composer<'t> {
    source: SourceId,
    text: &'t Arc<str>,
    options: &'t ReadOptions,
    refusal: Refusal,
    parser: Parser<'t>,
    builder: Builder,
    frames: Vec<Frame>,
    items: Vec<NodeId>,
    entries: Vec<Entry>,
    root: Option<NodeId>,
    anchors: FxHashMap<&'t str, Anchored>,
    next_number: u64,
    problems: Problems,
    /// How many entries came from merge keys, over the whole document.
    merged: u64,
    has_alias: bool,
    /// Whether there is a key or a number that JSON cannot have.
    suspicious: bool,
    weight: u64,
    tracks_owners: bool,
    owners: Vec<Owner>,
    content_end: u32,
    /// How many nodes the next document is expected to have.
    expected: usize,
    /// How many documents were started.
    documents: usize,
    /// How many nodes the documents before this one have.
    nodes: usize,
}

impl<'t> Composer<'t> {
    /// Reads one document; `None` at the end of the stream.
    fn document(&mut self) -> Result<Option<()>, Fault> {
        match self.parser.next()? {
            Event::DocumentStart(marker) => {
                self.documents += 1;
                if self.documents > self.options.limits.documents {
                    let start = marker.unwrap_or(self.content_end);
                    return Err(self.fault(SyntaxErrorKind::TooManyDocuments, start, start));
                }
                self.builder.reserve(self.expected);
                if let Some(start) = marker
                    && self.tracks_owners
                {
                    self.owners.push(Owner { start, owner: CommentOwner::Document });
                }
            }
            _ => return self.count_nodes().map(|()| None),
        }
        loop {
            match self.parser.next()? {
                Event::Scalar { text, style, start, end } => self.scalar(text, style, start, end),
                Event::Alias { start, end } => self.alias(start, end)?,
                Event::SequenceStart { start, .. } => self.open(false, start)?,
                Event::MappingStart { start, .. } => self.open(true, start)?,
                Event::SequenceEnd(end) | Event::MappingEnd(end) => self.close(end)?,
                Event::DocumentEnd | Event::StreamEnd | Event::DocumentStart(_) => return Ok(Some(())),
            }
            self.count_nodes()?;
        }
    }

    /// Refuses text with too many nodes and comments.
    #[inline]
    fn count_nodes(&self) -> Result<(), Fault> {
        let own = self.builder.count() + self.parser.scanner.comments.len();
        if self.nodes + own <= self.options.limits.nodes {
            return Ok(());
        }
        let end = self.parser.scanner.taken_end;
        Err(self.fault(SyntaxErrorKind::TooManyNodes, end, end))
    }

    fn scalar(&mut self, text: Text, style: ScalarStyle, start: u32, end: u32) {
        let properties = self.parser.properties.take();
        let owner = self.owner(properties.as_ref().map_or(start, |properties| properties.start));
        // An omitted node is placed after the text before it; go-yaml records the start of what follows.
        let mark = start;
        let left_out = start == end && properties.is_none();
        let (start, end) = if left_out {
            (self.parser.scanner.taken_end, self.parser.scanner.taken_end)
        } else {
            (start, end)
        };
        let span = self.span(start, end);
        let is_key = self.is_key();
        let tag = properties.as_ref().and_then(|properties| properties.tag.as_deref());
        let (text, value, problem) = match tag {
            None if style == ScalarStyle::Plain => {
                (text, resolve::plain(self.text_of(text), self.options.dialect), None)
            }
            None => (text, ScalarValue::String, None),
            Some(tag) => self.tagged(tag, text),
        };
        // Handles merge keys, and what JSON cannot express.
        let is_merge =
            is_key && end - start == 2 && style == ScalarStyle::Plain && self.text_of(text) == "<<" && {
                tag.is_none_or(|tag| tag == "!" || tag.strip_prefix(TAG_PREFIX) == Some("merge"))
            };
        match value {
            ScalarValue::Float(value) if !value.is_finite() => self.suspicious = true,
            ScalarValue::Null | ScalarValue::UInt(_) if is_key => self.suspicious = true,
            _ => {}
        }
        // A long string repeated by aliases counts as much as many short ones.
        let weight = {
            let (from, to) = text.range();
            1 + u64::from(to.saturating_sub(from)) / decode::BYTES_PER_NODE
        };
        let node = self.builder.scalar(text, value, style, span);
        if left_out && (mark != start || mark as usize == self.text.len()) {
            self.builder.mark(node, self.parser.empty_line);
        }
        if is_key
            && !matches!(value, ScalarValue::String | ScalarValue::Null)
            && self.text_of(text) != self.builder.node(node).key_text()
        {
            self.builder.note_reread(node);
        }
        if let Some(kind) = problem {
            self.problems.push(node, kind);
        }
        if is_merge && let Some(frame) = self.frames.last_mut() {
            frame.merges = true;
        }
        if let Some(properties) = properties {
            if let Some((from, to)) = properties.anchor {
                let name = self.parser.scanner.slice(from, to);
                self.anchors.insert(name, Anchored::Done { node, height: 0, weight });
            }
            self.keep_properties(node, *properties);
        }
        self.complete(node, end, 0, weight, owner);
    }

    /// The meaning of a scalar with a tag.
    fn tagged(&mut self, tag: &str, text: Text) -> (Text, ScalarValue, Option<SyntaxErrorKind>) {
        let content = self.text_of(text);
        if tag.strip_prefix(TAG_PREFIX) == Some("binary") {
            let Some(bytes) = resolve::base64(content) else {
                return (text, ScalarValue::String, Some(SyntaxErrorKind::BadBase64));
            };
            let from = self.parser.scanner.decoded.len();
            for chunk in bytes.utf8_chunks() {
                self.parser.scanner.decoded.push_str(chunk.valid());
                // Go replaces each invalid byte with one replacement character.
                chunk.invalid().iter().for_each(|_| self.parser.scanner.decoded.push('\u{fffd}'));
            }
            let text = Text::decoded(from as u32, self.parser.scanner.decoded.len() as u32);
            return (text, ScalarValue::String, None);
        }
        match resolve::tagged(tag, content, self.options.dialect) {
            Ok(value) => (text, value, None),
            Err(resolve::WrongTag(found)) => {
                let kind = SyntaxErrorKind::WrongTag {
                    found,
                    text: content.to_owned(),
                    tag: tag.replacen(TAG_PREFIX, "!!", 1),
                };
                (text, ScalarValue::String, Some(kind))
            }
        }
    }

    fn alias(&mut self, start: u32, end: u32) -> Result<(), Fault> {
        let owner = self.owner(start);
        let name = self.parser.scanner.slice(start + 1, end);
        let span = self.span(start, end);
        match self.anchors.get(name).copied() {
            None => {
                let kind = SyntaxErrorKind::UnknownAnchor(name.to_owned());
                Err(self.fault(kind, start, end))
            }
            Some(Anchored::Open(_)) => {
                let text = Text::source(start, end);
                let node = self.builder.scalar(text, ScalarValue::Null, ScalarStyle::Plain, span);
                let kind = SyntaxErrorKind::AnchorInItself(name.to_owned());
                self.problems.push(node, kind);
                self.complete(node, end, 0, 1, owner);
                Ok(())
            }
            Some(Anchored::Done { node, height, weight }) => {
                if self.frames.len() + height > self.options.limits.depth {
                    return Err(self.fault(SyntaxErrorKind::TooDeep, start, end));
                }
                self.has_alias = true;
                if self.is_key() {
                    self.suspicious = true;
                }
                let node = self.builder.alias(node, span);
                self.complete(node, end, height, weight.saturating_add(1), owner);
                Ok(())
            }
        }
    }

    fn open(&mut self, is_mapping: bool, start: u32) -> Result<(), Fault> {
        let properties = self.parser.properties.take();
        let owner = self.owner(properties.as_ref().map_or(start, |properties| properties.start));
        if self.frames.len() >= self.options.limits.depth {
            return Err(self.fault(SyntaxErrorKind::TooDeep, start, start + 1));
        }
        let number = self.next_number;
        self.next_number += 1;
        if let Some((from, to)) = properties.as_ref().and_then(|properties| properties.anchor) {
            self.anchors.insert(self.parser.scanner.slice(from, to), Anchored::Open(number));
        }
        let base = if is_mapping { self.entries.len() } else { self.items.len() };
        self.frames.push(Frame {
            is_mapping,
            start,
            end: start,
            base,
            key: None,
            merges: false,
            properties,
            owner,
            number,
            height: 0,
            weight: 1,
        });
        Ok(())
    }

    fn close(&mut self, end: Option<u32>) -> Result<(), Fault> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let end = end.unwrap_or(frame.end);
        let span = self.span(frame.start, end);
        let node = if frame.is_mapping {
            // Keys have to be compared although some of them are in the scanner's buffer until the document is
            // complete.
            self.builder.swap_decoded(&mut self.parser.scanner.decoded);
            let effective = if frame.merges { Some(self.merge(frame.base)) } else { None };
            let node = self.builder.mapping(&self.entries[frame.base..], effective.as_deref(), span);
            self.builder.swap_decoded(&mut self.parser.scanner.decoded);
            self.entries.truncate(frame.base);
            node
        } else {
            let node = self.builder.sequence(&self.items[frame.base..], span);
            self.items.truncate(frame.base);
            node
        };
        let height = frame.height + 1;
        if let Some(properties) = frame.properties {
            if let Some((from, to)) = properties.anchor {
                let name = self.parser.scanner.slice(from, to);
                if matches!(self.anchors.get(name), Some(Anchored::Open(number)) if *number == frame.number) {
                    self.anchors.insert(name, Anchored::Done { node, height, weight: frame.weight });
                }
            }
            self.keep_properties(node, *properties);
        }
        self.complete(node, end, height, frame.weight, frame.owner);
        Ok(())
    }

    /// Adds a finished node to the list or map that contains it.
    fn complete(&mut self, node: NodeId, end: u32, height: usize, weight: u64, owner: Option<usize>) {
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            self.weight = weight;
            self.content_end = end;
            return;
        };
        frame.end = frame.end.max(end);
        frame.height = frame.height.max(height);
        frame.weight = frame.weight.saturating_add(weight);
        let is_mapping = frame.is_mapping;
        match frame.key.take() {
            Some(key) => self.entries.push(Entry { key, value: node }),
            None if is_mapping => {
                frame.key = Some(node);
                if height > 0 {
                    self.problems.push(node, SyntaxErrorKind::KeyNotScalar(String::new()));
                }
            }
            None => self.items.push(node),
        }
        if let Some(owner) = owner.and_then(|index| self.owners.get_mut(index)) {
            owner.owner = if is_mapping { CommentOwner::Entry(node) } else { CommentOwner::Item(node) };
        }
    }

    /// Whether the next node is a key.
    #[inline]
    fn is_key(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.is_mapping && frame.key.is_none())
    }

    /// Records where an item or entry starts, for its comments.
    fn owner(&mut self, start: u32) -> Option<usize> {
        let start = self.parser.entry_start.take().unwrap_or(start);
        let frame = self.frames.last()?;
        if !self.tracks_owners || frame.key.is_some() {
            return None;
        }
        self.owners.push(Owner { start, owner: CommentOwner::Nothing });
        Some(self.owners.len() - 1)
    }

    fn keep_properties(&mut self, node: NodeId, properties: NodeProperties) {
        let anchor = properties.anchor.map(|(from, to)| self.parser.scanner.slice(from, to).to_owned());
        let span = self.span(properties.start, properties.end);
        self.builder.properties(node, properties.tag, anchor, span);
    }

    /// The entries that count in a map with merge keys.
    fn merge(&mut self, base: usize) -> Vec<Entry> {
        // The document is already invalid, so merging further would only cost time.
        if self.merged > self.options.limits.expanded_nodes {
            return Vec::new();
        }
        let written = &self.entries[base..];
        let is_merge = |entry: &&Entry| self.builder.node(entry.key).is_merge_key();
        let mut counting = decode::Counting::default();
        if self.options.dialect == Dialect::GoYamlV3 {
            // Written keys win over merged keys.
            for entry in written.iter().filter(is_merge) {
                self.merged += counting.merge(&self.builder, entry.value, &mut self.problems, self.options);
            }
            written
                .iter()
                .filter(|entry| !is_merge(entry))
                .for_each(|entry| counting.set(&self.builder, *entry));
        } else {
            for entry in written {
                if is_merge(&entry) {
                    self.merged +=
                        counting.merge(&self.builder, entry.value, &mut self.problems, self.options);
                } else {
                    counting.set(&self.builder, *entry);
                }
            }
        }
        counting.entries
    }

    /// Finishes a document and finds the faults that only show in the complete document.
    fn finish(&mut self, stream: &mut Stream) {
        self.expected = self.builder.count();
        self.nodes += self.builder.count() + self.parser.scanner.comments.len();
        let fresh = Builder::new(self.source, Arc::clone(self.text));
        let mut builder = std::mem::replace(&mut self.builder, fresh);
        builder.swap_decoded(&mut self.parser.scanner.decoded);
        let scanned = std::mem::take(&mut self.parser.scanner.comments);
        self.parser.scanner.comments =
            comments::assign(self.text, self.source, &scanned, &self.owners, self.content_end, &mut builder);
        let Some(root) = self.root.take() else { return };
        let document = builder.finish(root);
        let problems = std::mem::take(&mut self.problems).list;
        let errors = self.errors(&document, problems);
        let first = stream.first.is_none();
        if errors.is_empty() {
            if first {
                stream.first = Some(Ok(stream.documents.len()));
            }
            stream.documents.push(document);
        } else {
            if first {
                stream.first = Some(Err(stream.errors.len()));
            }
            stream.errors.extend(errors);
        }
        self.clear();
    }

    fn errors(&self, document: &Document, problems: Vec<NodeProblem>) -> Vec<SyntaxError> {
        let limit = self.options.limits.expanded_nodes;
        if self.merged > limit || (self.has_alias && self.weight > limit) {
            return vec![decode::error(document, document.root().id(), SyntaxErrorKind::TooManyAliases)];
        }
        if self.has_alias || !problems.is_empty() {
            let errors = decode::errors(document, problems);
            if !errors.is_empty() {
                return errors;
            }
        }
        let converts = self.options.dialect == Dialect::Sigs && self.refusal == Refusal::Inconvertible;
        if self.suspicious && converts {
            return decode::conversion_errors(document);
        }
        Vec::new()
    }

    /// Comments that no document owns.
    fn comments_left(&mut self) -> Vec<Comment> {
        let left = std::mem::take(&mut self.parser.scanner.comments);
        left.iter()
            .map(|comment| Comment {
                span: self.span(comment.start, comment.end),
                placement: comments::placement(self.text, comment),
                owner: CommentOwner::Nothing,
            })
            .collect()
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.items.clear();
        self.entries.clear();
        self.root = None;
        self.anchors.clear();
        self.problems = Problems::default();
        self.merged = 0;
        self.has_alias = false;
        self.suspicious = false;
        self.weight = 0;
        self.owners.clear();
    }

    fn restart(&mut self, position: usize, line: u32) {
        self.clear();
        self.builder = Builder::new(self.source, Arc::clone(self.text));
        self.parser.restart(position, line);
    }

    fn text_of(&self, text: Text) -> &str {
        self.parser.scanner.text_of(text)
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { source: self.source, start, end: end.max(start) }
    }

    fn fault(&self, kind: SyntaxErrorKind, start: u32, end: u32) -> Fault {
        Failure::boxed(kind, Stage::Decoder, start as usize, end as usize, 0)
    }
}
