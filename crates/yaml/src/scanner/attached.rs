//! Attaches comments to nodes as go-yaml version 3 does: above a node, next to it or below it.
//!
//! Where a comment ends up depends on its column, on the empty lines around it and on how far the scanner has
//! looked ahead, so all of that is imitated exactly.

use rustc_hash::FxHashMap;

use super::{Scanner, TokenKind};
use crate::classes::{BLANK, CLASSES, break_length};

/// How many bytes of white space are searched for the next comment.
const REACH: usize = 512;

/// The comments around a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NodeComments {
    pub(crate) head: String,
    pub(crate) line: String,
    pub(crate) foot: String,
}

/// Where a comment is in relation to its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Head,
    Line,
    Foot,
}

/// A place in the text.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    position: usize,
    line: u32,
    column: isize,
}

/// A comment of one or more lines.
#[derive(Debug)]
struct FoundComment {
    /// Where the search for it started.
    scan: usize,
    /// It belongs to the first token at or after this offset.
    token: usize,
    start: Mark,
    end: usize,
    role: Role,
    text: String,
}

/// The comments of the text, from the scanner to the events.
#[derive(Debug, Default)]
pub(crate) struct Attachment {
    found: Vec<FoundComment>,
    /// How many of those were passed on.
    unfolded: usize,
    /// The comments read before the next token that are not yet part of an event.
    coming: NodeComments,
    /// The comment above the dash of an item.
    stem: String,
    event: NodeComments,
}

impl Attachment {
    /// The comments of the last event.
    pub(crate) fn take_event(&mut self) -> NodeComments {
        std::mem::take(&mut self.event)
    }

    /// All comments read so far belong to this event.
    pub(crate) fn settle(&mut self) {
        self.event = std::mem::take(&mut self.coming);
        self.stem.clear();
    }

    /// Comments above the last empty line before a document belong to the document.
    pub(crate) fn settle_document_head(&mut self) {
        let head = &mut self.coming.head;
        if let Some(before) = head.strip_suffix('\n') {
            self.event.head = before.to_owned();
            head.clear();
        } else if let Some(place) = head.rfind("\n\n") {
            self.event.head = head.get(..place).unwrap_or_default().to_owned();
            head.replace_range(..place + 2, "");
        }
    }

    /// Comments left at the end of a document are below it.
    pub(crate) fn settle_document_foot(&mut self) {
        self.settle();
        if self.event.foot.is_empty() {
            self.event.foot = std::mem::take(&mut self.event.head);
        }
    }

    /// The length of the comment above the next token.
    pub(crate) fn head_length(&self) -> usize {
        self.coming.head.len()
    }

    /// The length of the part of that comment that was above a dash.
    pub(crate) fn split_stem(&mut self, length: usize) {
        let head = &mut self.coming.head;
        let behind = head.get(length + 1..).unwrap_or_default().to_owned();
        head.truncate(length);
        self.stem = std::mem::replace(head, behind);
    }

    /// The comment above the dash belongs to this event.
    pub(crate) fn settle_stem(&mut self) {
        self.event.head = std::mem::take(&mut self.stem);
    }

    /// Where the blocks that end here really end: before the first comment in their column.
    pub(super) fn ends_of_blocks(&self, mark: usize) -> FxHashMap<isize, usize> {
        let mut ends = FxHashMap::default();
        let mut stop = mark;
        for comment in self.found.iter().rev().take_while(|comment| {
            // If one search continued from the last, there is nothing in between.
            let goes_on = comment.end >= stop;
            stop = comment.scan;
            goes_on
        }) {
            ends.insert(comment.start.column, comment.start.position);
        }
        ends
    }
}

impl Scanner<'_> {
    /// Attaches comments to nodes from here on.
    pub(crate) fn attach(&mut self) {
        self.attachment = Some(Box::default());
        self.lookahead = 2;
    }

    /// Passes on the comments that belong to the next token.
    pub(super) fn unfold_comments(&mut self) {
        let Some(token) = self.tokens.front() else { return };
        let Some(attachment) = &mut self.attachment else { return };
        while let Some(comment) = attachment.found.get_mut(attachment.unfolded) {
            // An end has no comments above it; they belong to what follows.
            let waits = comment.role == Role::Head && token.kind == TokenKind::BlockEnd;
            if (token.start as usize) < comment.token || waits {
                return;
            }
            let place = match comment.role {
                Role::Head => &mut attachment.coming.head,
                Role::Line => &mut attachment.coming.line,
                Role::Foot => &mut attachment.coming.foot,
            };
            if !place.is_empty() {
                place.push('\n');
            }
            place.push_str(&comment.text);
            comment.text.clear();
            comment.end = 0;
            attachment.unfolded += 1;
        }
    }

    /// The kind and the start of the token found last, or of the one before it; the stream starts with a kind
    /// that no other token has.
    fn found_before(&self, back: usize) -> (Option<TokenKind>, usize) {
        let tokens = self.tokens.as_slice();
        let token = tokens.len().checked_sub(back).and_then(|index| tokens.get(index));
        token.map_or((None, 0), |token| (Some(token.kind), token.start as usize))
    }

    /// The token that a comment at the end of this line belongs to: after a colon or a comma, the token before
    /// it.
    pub(super) fn owner_of_line_comment(&self, byte: u8) -> usize {
        match (byte, self.flow_level) {
            (b':', 0) | (b',', 1..) => self.found_before(1).1,
            _ => self.position,
        }
    }

    /// Takes the comment after the token that was just found. After a dash it belongs to what follows.
    pub(super) fn line_comment_behind(&mut self, owner: usize) {
        if self.found_before(1).0 != Some(TokenKind::BlockEntry) {
            self.line_comment(owner);
        }
    }

    /// Takes the comment later on this line, if nothing else takes it.
    pub(super) fn line_comment(&mut self, owner: usize) {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let blanks = rest.iter().take_while(|&&byte| CLASSES[byte as usize] & BLANK != 0).count();
        if blanks >= REACH || self.at(blanks) != b'#' || self.line_breaks_before() > 0 {
            return;
        }
        let position = self.position + blanks;
        self.position = self.line_end(position);
        let start = Mark { position, line: self.line, column: (position - self.line_start) as isize };
        self.push_comment(0, owner, start, 0, Role::Line, self.slice(position as u32, self.position as u32));
    }

    /// Takes the comments that start here, after checking again the last comment that was next to a token.
    pub(super) fn own_line_comments(&mut self, scan: (usize, u32)) {
        let behind_first_dash = self.found_before(1).0 == Some(TokenKind::BlockEntry)
            && self.found_before(2).0 == Some(TokenKind::BlockSequenceStart);
        if behind_first_dash && break_length(self.bytes, self.position) == 0 {
            // That comment looks more like a heading of the list.
            let (position, line) = (self.position, self.line);
            let last = self.attachment.as_mut().and_then(|attachment| attachment.found.last_mut());
            if let Some(comment) = last.filter(|last| last.role == Role::Line && !last.text.is_empty()) {
                comment.role = Role::Head;
                if comment.start.line + 1 == line {
                    comment.token = position;
                }
            }
        }
        if self.at(0) == b'#' {
            self.comment_block(scan);
        }
    }

    /// Takes consecutive comments, and separates those that end a block from those that belong to what follows.
    fn comment_block(&mut self, (mut scan, scan_line): (usize, u32)) {
        let (mut kind, mut owner) = self.found_before(1);
        if kind == Some(TokenKind::FlowEntry) {
            (kind, owner) = self.found_before(2);
        }
        let breaks = self.line_breaks_before();
        let mut start = Mark::default();
        let indent = self.indent.max(0);
        let mut empty_above = false;
        let mut first_empty = breaks <= 1;
        let mut line = self.line;
        let mut column = self.column();
        let mut text = String::new();
        // A comment that begins on this line may still belong to what is above.
        let foot_line = (scan_line > 0).then(|| {
            let beside = u32::from(breaks == 0 && column > 1);
            (self.line + 1 + beside).saturating_sub(breaks)
        });
        let mut ahead = 0;
        while ahead < REACH {
            column += 1;
            let byte = self.at(ahead);
            let here = self.position + ahead;
            if CLASSES[byte as usize] & BLANK != 0 {
                ahead += 1;
                continue;
            }
            let closes = self.flow_level > 0 && matches!(byte, b']' | b'}');
            let is_break = break_length(self.bytes, here) > 0;
            let is_end = here >= self.bytes.len();
            if closes || is_break || is_end {
                let below = Some(start.line) == foot_line && kind != Some(TokenKind::Value);
                let dedented = start.column - 1 < indent;
                if closes || !empty_above && first_empty && (below || dedented) {
                    if !text.is_empty() {
                        if dedented {
                            owner = start.position;
                        }
                        self.push_comment(scan, owner, start, here, Role::Foot, &text);
                        text.clear();
                        scan = here;
                        owner = here;
                    }
                } else if !empty_above && !text.is_empty() && !is_end {
                    text.push('\n');
                }
                if !is_break {
                    break;
                }
                first_empty = false;
                empty_above = true;
                column = 0;
                line += 1;
                ahead += 1;
                continue;
            }
            if !text.is_empty() && column - 1 < indent && column != start.column {
                self.push_comment(scan, owner, start, here, Role::Foot, &text);
                text.clear();
                scan = here;
                owner = here;
            }
            if byte != b'#' {
                break;
            }
            if text.is_empty() {
                start = Mark { position: here, line, column };
            } else {
                text.push('\n');
            }
            empty_above = false;
            self.advance_to(here);
            let end = self.line_end(here);
            text.push_str(self.slice(here as u32, end as u32));
            self.position = end;
            // The line break after the comment is left.
            ahead = 1;
            column = 0;
            line = self.line;
        }
        if !text.is_empty() {
            let end = (self.position + ahead).saturating_sub(1);
            self.push_comment(scan, start.position, start, end, Role::Head, &text);
        }
    }

    /// Moves over white space and line breaks.
    fn advance_to(&mut self, position: usize) {
        while self.position < position {
            match break_length(self.bytes, self.position) {
                0 => self.position += 1,
                length => self.new_line(length),
            }
        }
    }

    /// How many line breaks there are between here and the last character before it that is not white space.
    fn line_breaks_before(&self) -> u32 {
        let mut before = self.bytes.get(..self.position).unwrap_or_default();
        let mut count = 0;
        loop {
            let breaks: [&[u8]; 6] = [b"\r\n", b"\n", b"\r", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9"];
            if let Some(rest) = before.strip_suffix(b" ").or_else(|| before.strip_suffix(b"\t")) {
                before = rest;
            } else if let Some(rest) = breaks.into_iter().find_map(|text| before.strip_suffix(text)) {
                before = rest;
                count += 1;
            } else {
                return count;
            }
        }
    }

    fn push_comment(&mut self, scan: usize, token: usize, start: Mark, end: usize, role: Role, text: &str) {
        if let Some(attachment) = &mut self.attachment {
            attachment.found.push(FoundComment { scan, token, start, end, role, text: text.to_owned() });
        }
    }
}
