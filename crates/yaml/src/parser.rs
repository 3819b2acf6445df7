//! Turns tokens into events with libyaml's grammar as go-yaml implements it. It is a state machine with its own
//! stack, so nesting never uses the process's stack.

use rustc_hash::FxHashMap;

use crate::dialect::TAG_PREFIX;
use crate::fault::{Failure, Fault, Stage};
use crate::scanner::{NodeComments, Revision, Scanner, Token, TokenKind};
use crate::{ScalarStyle, SyntaxErrorKind, Text};

/// An event of the parser.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    StreamEnd,
    /// The start of a document, with the place of its `---`, if it has one.
    DocumentStart(Option<u32>),
    DocumentEnd,
    Alias {
        start: u32,
        end: u32,
    },
    Scalar {
        text: Text,
        style: ScalarStyle,
        start: u32,
        end: u32,
    },
    SequenceStart {
        start: u32,
        form: Form,
    },
    /// The end of a list; the place is after its bracket, if it has one.
    SequenceEnd(Option<u32>),
    MappingStart {
        start: u32,
        form: Form,
    },
    /// The end of a map; the place is after its bracket, if it has one.
    MappingEnd(Option<u32>),
}

/// How a list or map is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// By its indentation.
    Block,
    /// In brackets.
    Flow,
}

/// Tag and anchor before a node.
#[derive(Debug, Clone)]
pub(crate) struct NodeProperties {
    pub(crate) anchor: Option<(u32, u32)>,
    pub(crate) tag: Option<String>,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// How many bytes the tags of the text may have, including the prefixes of their directives.
const LONGEST_TAGS: usize = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequencePairKey,
    FlowSequencePairValue,
    FlowSequencePairEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Where a node may appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    /// A block node, or a list at the indentation of its map.
    BlockOrIndentless,
    Flow,
}

pub(crate) struct Parser<'t> {
    pub(crate) scanner: Scanner<'t>,
    revision: Revision,
    state: State,
    states: Vec<State>,
    /// Where the open collections began.
    marks: Vec<u32>,
    /// The prefixes of the handles that directives define.
    tag_directives: FxHashMap<String, String>,
    /// The total length of the tags of the text, prefixes included.
    tag_length: usize,
    /// Tag and anchor of the node that the last event began.
    pub(crate) properties: Option<Box<NodeProperties>>,
    /// Where the item or entry began that the next event belongs to: its `-`, `?` or key.
    pub(crate) entry_start: Option<u32>,
    /// Where the item of a list began that the next event belongs to: its `-`, or the `[` or `,` before it.
    pub(crate) item_start: u32,
    /// Where the last document began: its `---`, its first directive or its first token.
    pub(crate) document_start: u32,
    /// The line, from zero, where go-yaml places the node that was omitted last.
    pub(crate) empty_line: u32,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, revision: Revision) -> Self {
        Parser {
            scanner: Scanner::new(text, revision),
            revision,
            state: State::ImplicitDocumentStart,
            states: Vec::with_capacity(32),
            marks: Vec::with_capacity(16),
            tag_directives: FxHashMap::default(),
            tag_length: 0,
            properties: None,
            entry_start: None,
            item_start: 0,
            document_start: 0,
            empty_line: 0,
        }
    }

    /// A parser like go-yaml version 3, which attaches comments to nodes.
    pub(crate) fn with_comments(text: &'t str) -> Self {
        let mut parser = Parser::new(text, Revision::Three);
        parser.scanner.attach();
        parser
    }

    /// The comments of the last event, if they are requested.
    pub(crate) fn comments(&mut self) -> NodeComments {
        self.scanner.attachment.as_mut().map(|attachment| attachment.take_event()).unwrap_or_default()
    }

    /// The comments read so far belong to this event.
    #[inline]
    fn settle_comments(&mut self) {
        if let Some(attachment) = &mut self.scanner.attachment {
            attachment.settle();
        }
    }

    /// Restarts at the beginning of a line.
    pub(crate) fn restart(&mut self, position: usize, line: u32) {
        self.scanner.restart(position, line);
        self.state = State::ImplicitDocumentStart;
        self.states.clear();
        self.marks.clear();
        self.tag_directives.clear();
        self.properties = None;
        self.entry_start = None;
    }

    /// The next event.
    pub(crate) fn next(&mut self) -> Result<Event, Fault> {
        match self.state {
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockNode => {
                let token = self.scanner.peek()?;
                self.node(token, Context::Block)
            }
            State::BlockSequenceFirstEntry => {
                self.open()?;
                self.block_sequence_entry()
            }
            State::BlockMappingFirstKey => {
                self.open()?;
                self.block_mapping_key()
            }
            State::FlowSequenceFirstEntry => {
                self.item_start = self.scanner.peek()?.start;
                self.open()?;
                let token = self.scanner.peek()?;
                self.flow_sequence_item(token)
            }
            State::FlowSequenceEntry => self.flow_sequence_entry(),
            State::FlowSequencePairKey => self.flow_sequence_pair_key(),
            State::FlowSequencePairValue => self.flow_sequence_pair_value(),
            State::FlowSequencePairEnd => {
                self.scanner.peek()?;
                self.state = State::FlowSequenceEntry;
                Ok(Event::MappingEnd(None))
            }
            State::FlowMappingFirstKey => {
                self.open()?;
                let token = self.scanner.peek()?;
                self.flow_mapping_item(token)
            }
            State::FlowMappingKey => self.flow_mapping_key(),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => {
                let token = self.scanner.peek()?;
                self.state = State::FlowMappingKey;
                Ok(self.empty(token, token.start))
            }
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::End => Ok(Event::StreamEnd),
        }
    }

    fn document_start(&mut self, implicit: bool) -> Result<Event, Fault> {
        let mut token = self.scanner.peek()?;
        if !implicit {
            while token.kind == TokenKind::DocumentEnd {
                self.scanner.skip();
                token = self.scanner.peek()?;
            }
        }
        if token.kind == TokenKind::StreamEnd {
            self.state = State::End;
            self.scanner.skip();
            return Ok(Event::StreamEnd);
        }
        self.document_start = token.start;
        let explicit = matches!(
            token.kind,
            TokenKind::VersionDirective(..) | TokenKind::TagDirective(_) | TokenKind::DocumentStart
        );
        if implicit && !explicit {
            self.states.push(State::DocumentEnd);
            self.state = State::BlockNode;
            if let Some(attachment) = &mut self.scanner.attachment {
                attachment.settle_document_head();
            }
            return Ok(Event::DocumentStart(None));
        }
        self.directives()?;
        let token = self.scanner.peek()?;
        if token.kind != TokenKind::DocumentStart {
            return Err(self.fault(SyntaxErrorKind::ExpectedDocumentStart, token, None));
        }
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        self.scanner.skip();
        Ok(Event::DocumentStart(Some(token.start)))
    }

    fn directives(&mut self) -> Result<(), Fault> {
        let mut versioned = false;
        loop {
            let token = self.scanner.peek()?;
            match token.kind {
                TokenKind::VersionDirective(major, minor) => {
                    if versioned {
                        return Err(self.fault(SyntaxErrorKind::DuplicateVersion, token, None));
                    }
                    let known = match self.revision {
                        Revision::Two | Revision::Ytt => (major, minor) == (1, 1),
                        Revision::Three => major == 1 && (minor == 1 || minor == 2),
                    };
                    if !known {
                        return Err(self.fault(SyntaxErrorKind::IncompatibleVersion, token, None));
                    }
                    versioned = true;
                }
                TokenKind::TagDirective(index) => {
                    let (handle, prefix) = self.take_pair(index);
                    if self.tag_directives.insert(handle, prefix).is_some() {
                        return Err(self.fault(SyntaxErrorKind::DuplicateTagDirective, token, None));
                    }
                }
                _ => break,
            }
            self.scanner.skip();
        }
        Ok(())
    }

    /// The handle and suffix of a tag, or the handle and prefix of a directive. They are needed once.
    fn take_pair(&mut self, index: u32) -> (String, String) {
        self.scanner.pairs.get_mut(index as usize).map(std::mem::take).unwrap_or_default()
    }

    fn document_content(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        if matches!(
            token.kind,
            TokenKind::VersionDirective(..)
                | TokenKind::TagDirective(_)
                | TokenKind::DocumentStart
                | TokenKind::DocumentEnd
                | TokenKind::StreamEnd
        ) {
            self.pop_state();
            return Ok(self.empty(token, token.start));
        }
        self.node(token, Context::Block)
    }

    fn document_end(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        if token.kind == TokenKind::DocumentEnd {
            self.scanner.skip();
        }
        self.tag_directives.clear();
        self.state = State::DocumentStart;
        if let Some(attachment) = &mut self.scanner.attachment {
            attachment.settle_document_foot();
        }
        Ok(Event::DocumentEnd)
    }

    fn node(&mut self, token: Token, context: Context) -> Result<Event, Fault> {
        if let TokenKind::Scalar(text, style) = token.kind {
            self.pop_state();
            self.settle_comments();
            self.scanner.skip();
            return Ok(Event::Scalar { text, style, start: token.start, end: token.end });
        }
        if token.kind == TokenKind::Alias {
            self.pop_state();
            self.settle_comments();
            self.scanner.skip();
            return Ok(Event::Alias { start: token.start, end: token.end });
        }
        self.collect_properties(token)?;
        self.content(context)
    }

    /// Reads tag and anchor, in any order.
    fn collect_properties(&mut self, first: Token) -> Result<(), Fault> {
        let mut anchor = None;
        let mut tag = None;
        let mut token = first;
        let mut end = first.start;
        loop {
            match token.kind {
                TokenKind::Anchor if anchor.is_none() => anchor = Some((token.start + 1, token.end)),
                TokenKind::Tag(index) if tag.is_none() => tag = Some((index, token)),
                _ => break,
            }
            end = token.end;
            self.scanner.skip();
            token = self.scanner.peek()?;
        }
        if anchor.is_none() && tag.is_none() {
            return Ok(());
        }
        let tag = match tag {
            Some((index, token)) => self.resolve_tag(index, token, first)?,
            None => None,
        };
        self.properties = Some(Box::new(NodeProperties { anchor, tag, start: first.start, end }));
        Ok(())
    }

    fn resolve_tag(&mut self, index: u32, token: Token, node: Token) -> Result<Option<String>, Fault> {
        let (handle, suffix) = self.take_pair(index);
        if handle.is_empty() {
            return Ok(Some(suffix));
        }
        let prefix = match (self.tag_directives.get(&handle), handle.as_str()) {
            (Some(prefix), _) => Some(prefix.as_str()),
            (None, "!") => Some("!"),
            (None, "!!") => Some(TAG_PREFIX),
            (None, _) => None,
        };
        match prefix {
            Some(prefix) if !(prefix.is_empty() && suffix.is_empty()) => {
                // A prefix is written once but counts for every tag that uses it.
                self.tag_length = self.tag_length.saturating_add(prefix.len() + suffix.len());
                if self.tag_length > LONGEST_TAGS {
                    return Err(self.fault(SyntaxErrorKind::LongTags, token, None));
                }
                Ok(Some(format!("{prefix}{suffix}")))
            }
            _ => Err(self.fault(SyntaxErrorKind::UndefinedTagHandle(handle), token, Some(node.start))),
        }
    }

    /// The content of a node, after its tag and anchor.
    fn content(&mut self, context: Context) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        let start = token.start;
        match token.kind {
            TokenKind::Scalar(text, style) => {
                self.pop_state();
                self.settle_comments();
                self.scanner.skip();
                Ok(Event::Scalar { text, style, start, end: token.end })
            }
            TokenKind::BlockEntry if context == Context::BlockOrIndentless => {
                self.state = State::IndentlessSequenceEntry;
                Ok(Event::SequenceStart { start, form: Form::Block })
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirstEntry;
                self.settle_comments();
                Ok(Event::SequenceStart { start, form: Form::Flow })
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingFirstKey;
                self.settle_comments();
                Ok(Event::MappingStart { start, form: Form::Flow })
            }
            TokenKind::BlockSequenceStart if context != Context::Flow => {
                self.state = State::BlockSequenceFirstEntry;
                self.settle_stem();
                Ok(Event::SequenceStart { start, form: Form::Block })
            }
            TokenKind::BlockMappingStart if context != Context::Flow => {
                self.state = State::BlockMappingFirstKey;
                self.settle_stem();
                Ok(Event::MappingStart { start, form: Form::Block })
            }
            _ => {
                if let Some(properties) = &self.properties {
                    let end = properties.end;
                    self.pop_state();
                    return Ok(self.empty(token, end));
                }
                if context == Context::Flow && is_end(token) {
                    let bracket = match self.states.last() {
                        Some(
                            State::FlowSequenceEntry
                            | State::FlowSequencePairValue
                            | State::FlowSequencePairEnd,
                        ) => '[',
                        _ => '{',
                    };
                    let kind = SyntaxErrorKind::UnfilledBracket(bracket);
                    return Err(self.fault(kind, token, self.marks.last().copied()));
                }
                Err(self.fault(SyntaxErrorKind::ExpectedNode, token, None))
            }
        }
    }

    fn block_sequence_entry(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::BlockEntry => {
                self.entry_start = Some(token.start);
                self.item_start = token.start;
                let next = self.behind_dash()?;
                if matches!(next.kind, TokenKind::BlockEntry | TokenKind::BlockEnd) {
                    self.state = State::BlockSequenceEntry;
                    return Ok(self.empty(token, token.end));
                }
                self.states.push(State::BlockSequenceEntry);
                self.node(next, Context::Block)
            }
            TokenKind::BlockEnd => {
                self.close();
                Ok(Event::SequenceEnd(None))
            }
            _ => {
                let context = self.marks.last().copied();
                Err(self.fault(SyntaxErrorKind::ExpectedItem, token, context))
            }
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        if token.kind != TokenKind::BlockEntry {
            self.pop_state();
            return Ok(Event::SequenceEnd(None));
        }
        self.entry_start = Some(token.start);
        self.item_start = token.start;
        let next = self.behind_dash()?;
        if matches!(
            next.kind,
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
        ) {
            self.state = State::IndentlessSequenceEntry;
            return Ok(self.empty(token, token.end));
        }
        self.states.push(State::IndentlessSequenceEntry);
        self.node(next, Context::Block)
    }

    /// Drops the dash of an item. A comment above it belongs to the item as a whole, if that is a list or a
    /// map.
    fn behind_dash(&mut self) -> Result<Token, Fault> {
        let above = self.scanner.attachment.as_ref().map_or(0, |attachment| attachment.head_length());
        self.scanner.skip();
        let next = match self.scanner.peek() {
            // go-yaml does not check here whether there is a token, and reports the error further on.
            Err(first) if above > 0 => return Err(self.scanner.peek().err().unwrap_or(first)),
            next => next?,
        };
        if above > 0
            && matches!(next.kind, TokenKind::BlockSequenceStart | TokenKind::BlockMappingStart)
            && let Some(attachment) = &mut self.scanner.attachment
        {
            attachment.split_stem(above);
        }
        Ok(next)
    }

    /// A comment above the dash of this item belongs to this event.
    fn settle_stem(&mut self) {
        if let Some(attachment) = &mut self.scanner.attachment {
            attachment.settle_stem();
        }
    }

    fn block_mapping_key(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::Key => {
                self.entry_start = Some(token.start);
                self.scanner.skip();
                self.block_mapping_part(State::BlockMappingValue, token)
            }
            TokenKind::BlockEnd => {
                self.settle_comments();
                self.close();
                Ok(Event::MappingEnd(None))
            }
            _ => {
                let context = self.marks.last().copied();
                Err(self.fault(SyntaxErrorKind::ExpectedKey, token, context))
            }
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        if token.kind == TokenKind::Value {
            self.scanner.skip();
            return self.block_mapping_part(State::BlockMappingKey, token);
        }
        self.state = State::BlockMappingKey;
        Ok(self.empty(token, token.start))
    }

    /// The key or the value of a block map, which may be omitted.
    fn block_mapping_part(&mut self, next: State, indicator: Token) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        if matches!(token.kind, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd) {
            self.state = next;
            return Ok(self.empty(indicator, indicator.end));
        }
        self.states.push(next);
        self.node(token, Context::BlockOrIndentless)
    }

    fn flow_sequence_entry(&mut self) -> Result<Event, Fault> {
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowSequenceEnd {
            if token.kind != TokenKind::FlowEntry {
                return Err(self.unclosed(SyntaxErrorKind::ExpectedCommaOrBracket, '[', token));
            }
            self.item_start = token.start;
            self.scanner.skip();
            token = self.scanner.peek()?;
        }
        self.flow_sequence_item(token)
    }

    fn flow_sequence_item(&mut self, token: Token) -> Result<Event, Fault> {
        match token.kind {
            TokenKind::Key => {
                self.state = State::FlowSequencePairKey;
                self.scanner.skip();
                Ok(Event::MappingStart { start: token.start, form: Form::Flow })
            }
            TokenKind::FlowSequenceEnd => {
                self.settle_comments();
                self.close();
                Ok(Event::SequenceEnd(Some(token.end)))
            }
            _ => {
                self.states.push(State::FlowSequenceEntry);
                self.node(token, Context::Flow)
            }
        }
    }

    fn flow_sequence_pair_key(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        if matches!(token.kind, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
            // The token is dropped whatever it is, so `[? , a]` loses its comma.
            self.scanner.skip();
            self.state = State::FlowSequencePairValue;
            return Ok(self.empty(token, token.end));
        }
        self.states.push(State::FlowSequencePairValue);
        self.node(token, Context::Flow)
    }

    fn flow_sequence_pair_value(&mut self) -> Result<Event, Fault> {
        let token = self.scanner.peek()?;
        if token.kind == TokenKind::Value {
            self.scanner.skip();
            let next = self.scanner.peek()?;
            if !matches!(next.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                self.states.push(State::FlowSequencePairEnd);
                return self.node(next, Context::Flow);
            }
        }
        self.state = State::FlowSequencePairEnd;
        Ok(self.empty(token, token.start))
    }

    fn flow_mapping_key(&mut self) -> Result<Event, Fault> {
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowMappingEnd {
            if token.kind != TokenKind::FlowEntry {
                return Err(self.unclosed(SyntaxErrorKind::ExpectedCommaOrBrace, '{', token));
            }
            self.scanner.skip();
            token = self.scanner.peek()?;
        }
        self.flow_mapping_item(token)
    }

    fn flow_mapping_item(&mut self, token: Token) -> Result<Event, Fault> {
        match token.kind {
            TokenKind::Key => {
                self.entry_start = Some(token.start);
                self.scanner.skip();
                let next = self.scanner.peek()?;
                if matches!(next.kind, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                    self.state = State::FlowMappingValue;
                    return Ok(self.empty(next, next.start));
                }
                self.states.push(State::FlowMappingValue);
                self.node(next, Context::Flow)
            }
            TokenKind::FlowMappingEnd => {
                self.settle_comments();
                self.close();
                Ok(Event::MappingEnd(Some(token.end)))
            }
            _ => {
                self.states.push(State::FlowMappingEmptyValue);
                self.node(token, Context::Flow)
            }
        }
    }

    fn flow_mapping_value(&mut self) -> Result<Event, Fault> {
        let mut token = self.scanner.peek()?;
        if token.kind == TokenKind::Value {
            self.scanner.skip();
            token = self.scanner.peek()?;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                self.states.push(State::FlowMappingKey);
                return self.node(token, Context::Flow);
            }
        }
        self.state = State::FlowMappingKey;
        Ok(self.empty(token, token.start))
    }

    /// Records where a collection started and drops its first token.
    fn open(&mut self) -> Result<(), Fault> {
        let token = self.scanner.peek()?;
        self.marks.push(token.start);
        self.scanner.skip();
        Ok(())
    }

    /// Leaves a collection and drops its last token.
    fn close(&mut self) {
        self.pop_state();
        self.marks.pop();
        self.scanner.skip();
    }

    /// An omitted node, at a mark on the line of a token.
    fn empty(&mut self, token: Token, mark: u32) -> Event {
        self.empty_line = token.line;
        Event::Scalar { text: Text::source(mark, mark), style: ScalarStyle::Plain, start: mark, end: mark }
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// The fault if a collection in brackets neither continues nor ends.
    fn unclosed(&self, kind: SyntaxErrorKind, bracket: char, token: Token) -> Fault {
        let kind = if is_end(token) || token.kind == TokenKind::Value {
            SyntaxErrorKind::UnclosedBracket(bracket)
        } else {
            kind
        };
        self.fault(kind, token, self.marks.last().copied())
    }

    fn fault(&self, kind: SyntaxErrorKind, token: Token, context: Option<u32>) -> Fault {
        let end = (token.end as usize).max(token.start as usize);
        let mut fault = Failure::boxed(kind, Stage::Parser, token.start as usize, end, token.line);
        fault.context = context.map(|start| start as usize);
        self.scanner.overtaken(fault)
    }
}

/// Whether a document ends with a token.
fn is_end(token: Token) -> bool {
    matches!(token.kind, TokenKind::StreamEnd | TokenKind::DocumentStart | TokenKind::DocumentEnd)
}
