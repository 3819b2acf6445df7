//! Turns text into tokens with libyaml's algorithm as go-yaml implements it: one token at a time, with a queue
//! for tokens that wait until it is known whether they are keys.
//!
//! It is faithful even where go-yaml is odd, because charts depend on it: what is accepted, and which line an
//! error names, depends on when the scanner looks ahead.

mod attached;
mod block;
mod directive;
mod plain;
mod queue;
mod quoted;
mod token;

use crate::classes::{self, BLANK, CLASSES, NAME, break_length};
use crate::comments::{ScannedComment, Site};
use crate::fault::{Failure, Fault, Stage};
use crate::{SyntaxErrorKind, Text};
pub(crate) use attached::{Attachment, NodeComments};
use queue::Queue;
pub(crate) use token::{Token, TokenKind};

/// go-yaml's own bound on nesting.
const DEEPEST: usize = 10_000;

/// How many characters may appear between the start of a key and its colon.
const LONGEST_KEY: usize = 1024;

/// go-yaml reads its input in pieces of this many bytes.
const PIECE: usize = 512;

/// A place where a key may have started.
#[derive(Debug, Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    token_number: u64,
    position: usize,
    line: u32,
    column: isize,
}

/// The differences between go-yaml's versions in the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revision {
    Two,
    Three,
    /// Version 2 as ytt uses it, with an older way to recognize keys.
    Ytt,
}

pub(crate) struct Scanner<'t> {
    whole: &'t str,
    /// The readable part: what precedes a forbidden character.
    text: &'t str,
    bytes: &'t [u8],
    revision: Revision,
    position: usize,
    line: u32,
    line_start: usize,
    /// A forbidden character after the scanned text.
    forbidden: Option<(usize, char)>,
    started: bool,
    indent: isize,
    indents: Vec<isize>,
    flow_level: usize,
    simple_key_allowed: bool,
    simple_keys: Vec<SimpleKey>,
    /// The numbers of tokens that may turn out to be keys, with the level of their entry in `simple_keys`.
    waiting_keys: Queue<(u64, usize)>,
    tokens: Queue<Token>,
    tokens_parsed: u64,
    token_available: bool,
    finished: bool,
    /// The offset after the last token that the parser took.
    pub(crate) taken_end: u32,
    /// Scalars that are not in the text verbatim.
    pub(crate) decoded: String,
    pub(crate) comments: Vec<ScannedComment>,
    /// Handles and suffixes of tags, handles and prefixes of directives.
    pub(crate) pairs: Vec<(String, String)>,
    /// How many tokens must be known after the next one.
    lookahead: usize,
    /// Receives comments that are attached to nodes; without it they go to `comments`.
    pub(crate) attachment: Option<Box<Attachment>>,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, revision: Revision) -> Self {
        let mut scanner = Scanner {
            whole: text,
            text,
            bytes: text.as_bytes(),
            revision,
            position: 0,
            line: 0,
            line_start: 0,
            forbidden: None,
            started: false,
            indent: -1,
            indents: Vec::with_capacity(16),
            flow_level: 0,
            simple_key_allowed: true,
            simple_keys: Vec::new(),
            waiting_keys: Queue::new(),
            tokens: Queue::new(),
            tokens_parsed: 0,
            token_available: false,
            finished: false,
            taken_end: 0,
            decoded: String::new(),
            comments: Vec::new(),
            pairs: Vec::new(),
            lookahead: 0,
            attachment: None,
        };
        scanner.look_ahead(0);
        scanner.restart(0, 0);
        // A second byte order mark is skipped too, but counts as a column.
        if scanner.position > 0 && scanner.text[scanner.position..].starts_with('\u{feff}') {
            scanner.position += '\u{feff}'.len_utf8();
            scanner.line_start = scanner.position - 1;
        }
        scanner
    }

    /// Restarts at the beginning of a line, as if the stream started there.
    pub(crate) fn restart(&mut self, position: usize, line: u32) {
        if self.forbidden.is_some_and(|(offset, _)| offset < position) {
            self.look_ahead(position);
        }
        // After the first document the size of go-yaml's read blocks no longer matters.
        if let Some((offset, _)) = self.forbidden
            && self.started
        {
            self.text = &self.whole[..offset];
            self.bytes = self.text.as_bytes();
        }
        self.started = true;
        let has_mark = position == 0 && self.text.starts_with('\u{feff}');
        let position = if has_mark { '\u{feff}'.len_utf8() } else { position };
        self.position = position;
        self.line = line;
        self.line_start = position;
        self.indent = -1;
        self.indents.clear();
        self.flow_level = 0;
        self.simple_key_allowed = true;
        self.simple_keys.clear();
        self.simple_keys.push(SimpleKey::default());
        self.waiting_keys.clear();
        self.tokens.clear();
        self.tokens_parsed = 0;
        self.token_available = false;
        self.finished = false;
        self.decoded.clear();
        self.pairs.clear();
    }

    /// Finds the first forbidden character from a place on, and the readable part before it.
    fn look_ahead(&mut self, position: usize) {
        let found = classes::first_forbidden(&self.whole[position..]);
        self.forbidden = found.map(|(offset, character)| (position + offset, character));
        self.text = match self.forbidden {
            Some((offset, _)) => &self.whole[..piece_start(self.whole, offset)],
            None => self.whole,
        };
        self.bytes = self.text.as_bytes();
    }

    /// The next token, without consuming it.
    #[inline(always)]
    pub(crate) fn peek(&mut self) -> Result<Token, Fault> {
        if !self.token_available {
            self.fetch_more_tokens()?;
        }
        match self.tokens.front() {
            Some(token) => Ok(token),
            // After the end of the stream, the end is returned again.
            None => Ok(self.token(TokenKind::StreamEnd, self.position)),
        }
    }

    /// Drops the token that `peek` returned.
    #[inline]
    pub(crate) fn skip(&mut self) {
        self.token_available = false;
        self.tokens_parsed += 1;
        if let Some(token) = self.tokens.pop_front()
            && token.end > token.start
        {
            self.taken_end = token.end;
        }
    }

    /// The fault to report when another part found one: go-yaml reads ahead in blocks and notices a forbidden
    /// character in the next block first.
    pub(crate) fn overtaken(&self, fault: Fault) -> Fault {
        if self.position + 4 > self.bytes.len() { self.reader_fault().unwrap_or(fault) } else { fault }
    }

    /// The fault for the forbidden character after the scanned text.
    fn reader_fault(&self) -> Option<Fault> {
        let (offset, character) = self.forbidden?;
        let kind = SyntaxErrorKind::ControlCharacter(character);
        Some(Failure::boxed(kind, Stage::Reader, offset, offset + character.len_utf8(), 0))
    }

    /// The text of a range.
    pub(crate) fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The text of a scalar.
    #[inline]
    pub(crate) fn text_of(&self, text: Text) -> &str {
        let (start, end) = text.range();
        match text.is_decoded() {
            false => self.slice(start, end),
            true => self.decoded.get(start as usize..end as usize).unwrap_or_default(),
        }
    }

    // Kept out of `peek`, which has nothing to do in most calls.
    #[inline(never)]
    fn fetch_more_tokens(&mut self) -> Result<(), Fault> {
        loop {
            if self.tokens.len() > self.lookahead || (self.finished && !self.tokens.is_empty()) {
                while self.waiting_keys.front().is_some_and(|(number, _)| number < self.tokens_parsed) {
                    self.waiting_keys.pop_front();
                }
                if self.revision == Revision::Ytt {
                    self.drop_stale_keys()?;
                }
                let waits = match self.waiting_keys.front() {
                    Some((number, level)) if number == self.tokens_parsed => self.key_is_valid(level)?,
                    _ => false,
                };
                if !waits {
                    break;
                }
            }
            if self.finished {
                break;
            }
            self.fetch_next_token()?;
        }
        self.token_available = true;
        if self.attachment.is_some() {
            self.unfold_comments();
        }
        Ok(())
    }

    fn fetch_next_token(&mut self) -> Result<(), Fault> {
        let scan = self.position;
        self.skip_to_next_token();
        if self.revision == Revision::Ytt {
            self.drop_stale_keys()?;
        }
        self.unroll_indent(self.column(), scan);
        let byte = self.at(0);
        if self.position >= self.bytes.len() {
            return self.fetch_stream_end();
        }
        if self.position == self.line_start {
            match byte {
                b'%' => return self.fetch_directive(),
                b'-' if self.document_marker() => {
                    return self.fetch_document_marker(TokenKind::DocumentStart);
                }
                b'.' if self.document_marker() => return self.fetch_document_marker(TokenKind::DocumentEnd),
                _ => {}
            }
        }
        if self.attachment.is_some() {
            let owner = self.owner_of_line_comment(byte);
            self.fetch_content(byte)?;
            self.line_comment_behind(owner);
            return Ok(());
        }
        self.fetch_content(byte)
    }

    /// The token that starts with this byte, for tokens inside a document.
    #[inline]
    fn fetch_content(&mut self, byte: u8) -> Result<(), Fault> {
        match byte {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                self.push_indicator(TokenKind::FlowEntry);
                Ok(())
            }
            b'-' if self.blank_or_end(1) => self.fetch_block_entry(),
            b'?' if self.flow_level > 0 || self.blank_or_end(1) => self.fetch_key(),
            b':' if self.flow_level > 0 || self.blank_or_end(1) => self.fetch_value(),
            b'*' => self.fetch_named(TokenKind::Alias),
            b'&' => self.fetch_named(TokenKind::Anchor),
            b'!' => {
                self.save_simple_key()?;
                self.simple_key_allowed = false;
                let token = self.tag()?;
                self.tokens.push_back(token);
                Ok(())
            }
            b'|' | b'>' if self.flow_level == 0 => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                let token = self.block_scalar()?;
                self.tokens.push_back(token);
                Ok(())
            }
            b'\'' | b'"' => {
                self.save_simple_key()?;
                self.simple_key_allowed = false;
                let token = self.quoted()?;
                self.tokens.push_back(token);
                Ok(())
            }
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => {
                Err(self.fault(SyntaxErrorKind::CannotStart(byte as char), None))
            }
            _ => self.fetch_plain(),
        }
    }

    /// A scalar without quotes. Where its colon is right after it, it need not wait to become a key.
    fn fetch_plain(&mut self) -> Result<(), Fault> {
        let may_be_key = self.simple_key_allowed;
        let (position, line, column) = (self.position, self.line, self.column());
        if may_be_key {
            self.remove_simple_key()?;
        }
        self.simple_key_allowed = false;
        let token = self.plain()?;
        // Which node a comment is attached to depends on when a token becomes known.
        let is_key = may_be_key
            && self.flow_level == 0
            && self.attachment.is_none()
            && self.at(0) == b':'
            && self.line == line
            && self.blank_or_end(1)
            && !self.is_too_far(position);
        if is_key {
            self.roll_indent(column, None, TokenKind::BlockMappingStart, position, line)?;
            let place = position as u32;
            self.tokens.push_back(Token { kind: TokenKind::Key, start: place, end: place, line });
            self.tokens.push_back(token);
            self.push_indicator(TokenKind::Value);
            return Ok(());
        }
        if may_be_key {
            self.await_colon(position, line, column);
        }
        self.tokens.push_back(token);
        Ok(())
    }

    /// Consumes white space, comments and line breaks.
    fn skip_to_next_token(&mut self) {
        let scan = (self.position, self.line);
        loop {
            let tabs = self.flow_level > 0 || !self.simple_key_allowed;
            // Indentation is a large part of real texts.
            while self.bytes[self.position..].first_chunk() == Some(b"    ") {
                self.position += 4;
            }
            while self.at(0) == b' ' || (tabs && self.at(0) == b'\t') {
                self.position += 1;
            }
            if self.attachment.is_some() {
                self.own_line_comments(scan);
            } else if self.at(0) == b'#' {
                self.comment(Site::Between);
            }
            let length = break_length(self.bytes, self.position);
            if length == 0 {
                return;
            }
            self.new_line(length);
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    /// Consumes a comment up to the end of its line.
    fn comment(&mut self, site: Site) {
        let start = self.position;
        self.position = self.line_end(start);
        self.comments.push(ScannedComment {
            start: start as u32,
            end: self.position as u32,
            line_start: self.line_start as u32,
            site,
        });
    }

    /// The end of the line that `position` is in.
    fn line_end(&self, mut position: usize) -> usize {
        while let Some(&byte) = self.bytes.get(position) {
            if CLASSES[byte as usize] & classes::LINE != 0 && break_length(self.bytes, position) > 0 {
                break;
            }
            position += 1;
        }
        position
    }

    fn fetch_stream_end(&mut self) -> Result<(), Fault> {
        if self.position > self.line_start {
            self.line_start = self.position;
            self.line += 1;
        }
        if let Some(fault) = self.reader_fault() {
            return Err(fault);
        }
        self.unroll_indent(-1, self.position);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.tokens.push_back(self.token(TokenKind::StreamEnd, self.position));
        self.finished = true;
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), Fault> {
        self.unroll_indent(-1, self.position);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_document_marker(&mut self, kind: TokenKind) -> Result<(), Fault> {
        self.unroll_indent(-1, self.position);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.position;
        self.position += 3;
        self.tokens.push_back(self.token(kind, start));
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Result<(), Fault> {
        self.save_simple_key()?;
        self.simple_keys.push(SimpleKey { token_number: self.next_number(), ..SimpleKey::default() });
        self.flow_level += 1;
        if self.flow_level > DEEPEST {
            return Err(self.fault(SyntaxErrorKind::TooDeep, None));
        }
        self.simple_key_allowed = true;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), Fault> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            if let Some(key) = self.simple_keys.pop()
                && self.revision != Revision::Ytt
            {
                // The number may be the bracket's own, which then is no longer a key: `[]: x`.
                self.forget(key.token_number);
            }
        }
        self.simple_key_allowed = false;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.fault(SyntaxErrorKind::ItemNotAllowed, None));
            }
            self.roll_indent(self.column(), None, TokenKind::BlockSequenceStart, self.position, self.line)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.fault(SyntaxErrorKind::KeyNotAllowed, None));
            }
            self.roll_indent(self.column(), None, TokenKind::BlockMappingStart, self.position, self.line)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_indicator(TokenKind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Fault> {
        let level = self.simple_keys.len() - 1;
        if self.key_is_valid(level)? {
            let key = self.simple_keys[level];
            let place = Token {
                kind: TokenKind::Key,
                start: key.position as u32,
                end: key.position as u32,
                line: key.line,
            };
            self.insert(key.token_number, place);
            self.roll_indent(
                key.column,
                Some(key.token_number),
                TokenKind::BlockMappingStart,
                key.position,
                key.line,
            )?;
            self.simple_keys[level].possible = false;
            self.forget(key.token_number);
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return Err(self.fault(SyntaxErrorKind::ValueNotAllowed, None));
                }
                self.roll_indent(
                    self.column(),
                    None,
                    TokenKind::BlockMappingStart,
                    self.position,
                    self.line,
                )?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push_indicator(TokenKind::Value);
        Ok(())
    }

    /// `&name` and `*name`.
    fn fetch_named(&mut self, kind: TokenKind) -> Result<(), Fault> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.position;
        self.position += 1;
        while CLASSES[self.at(0) as usize] & NAME != 0 {
            self.position += 1;
        }
        let ends = self.blank_or_end(0)
            || matches!(self.at(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if self.position == start + 1 || !ends {
            return Err(self.fault(SyntaxErrorKind::BadName, Some(start)));
        }
        self.tokens.push_back(self.token(kind, start));
        Ok(())
    }

    /// Whether the key that may have started at a level can still get its colon.
    fn key_is_valid(&mut self, level: usize) -> Result<bool, Fault> {
        let Some(&key) = self.simple_keys.get(level) else { return Ok(false) };
        if !key.possible {
            return Ok(false);
        }
        if key.line < self.line || self.is_too_far(key.position) {
            if key.required {
                return Err(self.fault(SyntaxErrorKind::MissingColon, Some(key.position)));
            }
            self.simple_keys[level].possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    /// Drops keys that can no longer get their colon, whatever comes next, oldest first.
    fn drop_stale_keys(&mut self) -> Result<(), Fault> {
        while let Some((_, level)) = self.waiting_keys.front()
            && !self.key_is_valid(level)?
        {
            self.waiting_keys.pop_front();
        }
        Ok(())
    }

    fn is_too_far(&self, start: usize) -> bool {
        self.position > start + LONGEST_KEY
            && self.text[start..self.position].chars().take(LONGEST_KEY + 1).count() > LONGEST_KEY
    }

    fn save_simple_key(&mut self) -> Result<(), Fault> {
        if !self.simple_key_allowed {
            return Ok(());
        }
        self.remove_simple_key()?;
        self.await_colon(self.position, self.line, self.column());
        Ok(())
    }

    /// The next token may turn out to be a key.
    fn await_colon(&mut self, position: usize, line: u32, column: isize) {
        let token_number = self.next_number();
        let required = self.flow_level == 0 && self.indent == column;
        let level = self.simple_keys.len() - 1;
        self.simple_keys[level] =
            SimpleKey { possible: true, required, token_number, position, line, column };
        self.waiting_keys.push_back((token_number, level));
    }

    fn remove_simple_key(&mut self) -> Result<(), Fault> {
        let level = self.simple_keys.len() - 1;
        let key = self.simple_keys[level];
        if key.possible {
            if key.required {
                return Err(self.fault(SyntaxErrorKind::MissingColon, Some(key.position)));
            }
            self.simple_keys[level].possible = false;
            self.forget(key.token_number);
        }
        Ok(())
    }

    /// Takes a number out of those that may turn out to be keys; it is nearly always the last.
    fn forget(&mut self, number: u64) {
        if self.waiting_keys.back().is_some_and(|(last, _)| last == number) {
            self.waiting_keys.pop_back();
        } else if let Ok(index) = self.waiting_keys.as_slice().binary_search_by_key(&number, |key| key.0) {
            self.waiting_keys.remove(index);
        }
    }

    fn roll_indent(
        &mut self,
        column: isize,
        number: Option<u64>,
        kind: TokenKind,
        position: usize,
        line: u32,
    ) -> Result<(), Fault> {
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > DEEPEST {
            return Err(self.fault(SyntaxErrorKind::TooDeep, None));
        }
        let token = Token { kind, start: position as u32, end: position as u32, line };
        match number {
            Some(number) => self.insert(number, token),
            None => self.tokens.push_back(token),
        }
        Ok(())
    }

    fn unroll_indent(&mut self, column: isize, scan: usize) {
        if self.flow_level > 0 || self.indent <= column {
            return;
        }
        let mut start = self.position;
        let mut ends = None;
        if let Some(attachment) = &self.attachment {
            start = scan.saturating_sub(1);
            ends = Some(attachment.ends_of_blocks(start));
        }
        while self.indent > column {
            if let Some(end) = ends.as_ref().and_then(|ends| ends.get(&(self.indent + 1))) {
                start = *end;
            }
            let token =
                Token { kind: TokenKind::BlockEnd, start: start as u32, end: start as u32, line: self.line };
            self.tokens.push_back(token);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Inserts a token before the one with this number, or at the end if that one is gone.
    fn insert(&mut self, number: u64, token: Token) {
        match number.checked_sub(self.tokens_parsed) {
            Some(index) if (index as usize) < self.tokens.len() => self.tokens.insert(index as usize, token),
            _ => self.tokens.push_back(token),
        }
    }

    fn next_number(&self) -> u64 {
        self.tokens_parsed + self.tokens.len() as u64
    }

    fn push_indicator(&mut self, kind: TokenKind) {
        let start = self.position;
        self.position += 1;
        self.tokens.push_back(self.token(kind, start));
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token { kind, start: start as u32, end: self.position as u32, line: self.line }
    }

    #[inline]
    fn at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn column(&self) -> isize {
        (self.position - self.line_start) as isize
    }

    fn new_line(&mut self, length: usize) {
        self.position += length;
        self.line += 1;
        self.line_start = self.position;
    }

    /// Whether a blank, a line break or the end of the text follows.
    #[inline]
    fn blank_or_end(&self, ahead: usize) -> bool {
        blank_or_end(self.bytes, self.position + ahead)
    }

    /// Whether `---` or `...` is here as a separate word.
    fn document_marker(&self) -> bool {
        (self.bytes[self.position..].starts_with(b"---") || self.bytes[self.position..].starts_with(b"..."))
            && self.blank_or_end(3)
    }

    /// A fault at the current place.
    fn fault(&self, kind: SyntaxErrorKind, context: Option<usize>) -> Fault {
        let end = self.position + self.text[self.position..].chars().next().map_or(0, char::len_utf8);
        let mut fault = Failure::boxed(kind, Stage::Scanner, self.position, end, self.line);
        fault.context = context;
        self.overtaken(fault)
    }
}

#[inline]
fn blank_or_end(bytes: &[u8], position: usize) -> bool {
    match bytes.get(position) {
        None => true,
        Some(&byte) => CLASSES[byte as usize] & BLANK != 0 || break_length(bytes, position) > 0,
    }
}

/// The start of the block that go-yaml reads together with the character at `offset`.
fn piece_start(text: &str, offset: usize) -> usize {
    let mut start = 0;
    loop {
        let mut end = (start + PIECE).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if offset < end || end <= start {
            return start;
        }
        start = end;
    }
}
