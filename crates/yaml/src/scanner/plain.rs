//! Scalars without quotes.

use super::{Scanner, Token, TokenKind, blank_or_end};
use crate::classes::{BLANK, CLASSES, PLAIN_BLOCK, PLAIN_FLOW, break_length};
use crate::fault::Fault;
use crate::{ScalarStyle, SyntaxErrorKind, Text};

impl Scanner<'_> {
    pub(super) fn plain(&mut self) -> Result<Token, Fault> {
        let bytes = self.bytes;
        let start = self.position;
        let line = self.line;
        let mask = if self.flow_level > 0 { PLAIN_FLOW } else { PLAIN_BLOCK };
        let indent = self.indent + 1;
        // As long as no line break is folded, the scalar is the text from `start` to `end` itself.
        let mut end = start;
        let mut decoded = None;
        let mut copied = start;
        let mut folding = false;
        loop {
            if self.position == self.line_start && self.document_marker() {
                break;
            }
            if self.at(0) == b'#' {
                break;
            }
            let run = self.position;
            let mut position = run;
            loop {
                let ordinary = |byte: u8| CLASSES[byte as usize] & mask == 0;
                let Some(length) = bytes[position..].iter().position(|&byte| !ordinary(byte)) else {
                    position = bytes.len();
                    break;
                };
                position += length;
                match bytes[position] {
                    b':' if !blank_or_end(bytes, position + 1) => {}
                    0xc2 | 0xe2 if break_length(bytes, position) == 0 => {}
                    // One space between words is the most common case; a comment needs one before it.
                    b' ' if bytes.get(position + 1).is_some_and(|&next| ordinary(next) && next != b'#') => {}
                    _ => break,
                }
                position += 1;
            }
            if position > run {
                if folding {
                    decoded.get_or_insert(self.decoded.len());
                    self.decoded.push_str(&self.text[copied..end]);
                    self.push_folded(end, run);
                    copied = run;
                    folding = false;
                }
                end = position;
            }
            let run_end = position;
            loop {
                match bytes.get(position) {
                    Some(b' ') => position += 1,
                    Some(b'\t') => {
                        if folding && ((position - self.line_start) as isize) < indent {
                            self.position = position;
                            return Err(self.fault(SyntaxErrorKind::TabInPlain, Some(start)));
                        }
                        position += 1;
                    }
                    _ => {
                        let length = break_length(bytes, position);
                        if length == 0 {
                            break;
                        }
                        position += length;
                        self.line += 1;
                        self.line_start = position;
                        folding = true;
                    }
                }
            }
            self.position = position;
            // If no space follows, an indicator or the end of the text ends the scalar.
            if position == run_end {
                break;
            }
            if self.flow_level == 0 && self.column() < indent {
                break;
            }
        }
        if folding {
            self.simple_key_allowed = true;
        }
        let text = match decoded {
            None => Text::source(start as u32, end as u32),
            Some(from) => {
                self.decoded.push_str(&self.text[copied..end]);
                Text::decoded(from as u32, self.decoded.len() as u32)
            }
        };
        let kind = TokenKind::Scalar(text, ScalarStyle::Plain);
        Ok(Token { kind, start: start as u32, end: end as u32, line })
    }

    /// Appends what the blanks and line breaks between two lines of a scalar turn into: one break becomes a
    /// space, several breaks lose the first.
    pub(super) fn push_folded(&mut self, start: usize, end: usize) {
        let mut breaks = 0;
        let mut position = start;
        let mut first_kept = false;
        while position < end {
            let length = break_length(self.bytes, position);
            if length == 0 {
                position += 1;
                continue;
            }
            breaks += 1;
            // Only U+2028 and U+2029 are kept as they are.
            if breaks > 1 || length == 3 {
                first_kept |= breaks == 1;
                self.push_break(position, length);
            }
            position += length;
        }
        if breaks == 1 && !first_kept {
            self.decoded.push(' ');
        }
    }

    /// Appends one line break: a line feed, or U+2028 and U+2029 as they are.
    pub(super) fn push_break(&mut self, position: usize, length: usize) {
        if length == 3 {
            self.decoded.push_str(&self.text[position..position + length]);
        } else {
            self.decoded.push('\n');
        }
    }

    /// Appends all line breaks of a stretch of blanks and breaks; returns whether there were any.
    pub(super) fn push_breaks(&mut self, start: usize, end: usize) -> bool {
        let mut position = start;
        let mut any = false;
        while position < end {
            let length = break_length(self.bytes, position);
            if length > 0 {
                self.push_break(position, length);
                any = true;
            }
            position += length.max(1);
        }
        any
    }

    /// Moves after blanks.
    pub(super) fn skip_blanks(&mut self) {
        while CLASSES[self.at(0) as usize] & BLANK != 0 {
            self.position += 1;
        }
    }
}
