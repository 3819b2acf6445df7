//! Scalars after `|` and `>`.

use super::{Scanner, Token, TokenKind};
use crate::classes::{BLANK, CLASSES, break_length};
use crate::comments::Site;
use crate::fault::Fault;
use crate::{ScalarStyle, SyntaxErrorKind, Text};

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl Scanner<'_> {
    pub(super) fn block_scalar(&mut self) -> Result<Token, Fault> {
        let start = self.position;
        let line = self.line;
        let folded = self.at(0) == b'>';
        self.position += 1;
        let (chomping, increment) = self.block_header(start)?;
        let header_end = self.position;
        let length = break_length(self.bytes, self.position);
        if length > 0 {
            self.new_line(length);
        }
        let mut indent = match increment {
            0 => 0,
            _ if self.indent >= 0 => self.indent + increment,
            _ => increment,
        };

        let from = self.decoded.len();
        // What follows the last line: its own break, and the empty lines that follow.
        let mut leading = (self.position, self.position);
        let mut trailing = self.block_breaks(&mut indent, start)?;
        let mut leading_blank = false;
        let mut content_end = header_end;
        while self.column() == indent && self.position < self.bytes.len() {
            let blank = CLASSES[self.at(0) as usize] & BLANK != 0;
            let folds = folded && !leading_blank && !blank && matches!(leading.1 - leading.0, 1 | 2);
            if !folds {
                self.push_breaks(leading.0, leading.1);
            }
            let any = self.push_breaks(trailing.0, trailing.1);
            if folds && !any {
                self.decoded.push(' ');
            }
            leading_blank = blank;
            let end = self.line_end(self.position);
            self.decoded.push_str(&self.text[self.position..end]);
            self.position = end;
            content_end = end;
            let length = break_length(self.bytes, end);
            leading = (end, end + length);
            if length > 0 {
                self.new_line(length);
            }
            trailing = self.block_breaks(&mut indent, start)?;
        }
        let mut end = content_end;
        if chomping != Chomping::Strip {
            self.push_breaks(leading.0, leading.1);
            end = end.max(leading.1);
        }
        if chomping == Chomping::Keep && self.push_breaks(trailing.0, trailing.1) {
            end = end.max(trailing.1);
        }
        let text = Text::decoded(from as u32, self.decoded.len() as u32);
        let style = if folded { ScalarStyle::Folded } else { ScalarStyle::Literal };
        Ok(Token { kind: TokenKind::Scalar(text, style), start: start as u32, end: end as u32, line })
    }

    /// Reads what follows the indicator on its line.
    fn block_header(&mut self, start: usize) -> Result<(Chomping, isize), Fault> {
        let mut chomping = Chomping::Clip;
        let mut increment = 0;
        let mut seen_chomping = false;
        for _ in 0..2 {
            match self.at(0) {
                sign @ (b'+' | b'-') if !seen_chomping => {
                    chomping = if sign == b'+' { Chomping::Keep } else { Chomping::Strip };
                    seen_chomping = true;
                }
                b'0' if increment == 0 => {
                    return Err(self.fault(SyntaxErrorKind::ZeroIndentation, Some(start)));
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = isize::from(digit - b'0'),
                _ => break,
            }
            self.position += 1;
        }
        self.skip_blanks();
        if self.at(0) == b'#' {
            match self.attachment {
                None => self.comment(Site::Header),
                Some(_) => self.line_comment(start),
            }
        }
        if self.position < self.bytes.len() && break_length(self.bytes, self.position) == 0 {
            return Err(self.fault(SyntaxErrorKind::TextAfterBlockIndicator, Some(start)));
        }
        Ok((chomping, increment))
    }

    /// Consumes indentation and empty lines, and detects the indentation if it is not known yet. Returns the
    /// range of the consumed line breaks.
    fn block_breaks(&mut self, indent: &mut isize, start: usize) -> Result<(usize, usize), Fault> {
        let from = self.position;
        let mut end = from;
        let mut deepest = 0;
        loop {
            while (*indent == 0 || self.column() < *indent) && self.at(0) == b' ' {
                self.position += 1;
            }
            deepest = deepest.max(self.column());
            if (*indent == 0 || self.column() < *indent) && self.at(0) == b'\t' {
                return Err(self.fault(SyntaxErrorKind::TabInBlockScalar, Some(start)));
            }
            let length = break_length(self.bytes, self.position);
            if length == 0 {
                break;
            }
            self.new_line(length);
            end = self.position;
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok((from, end))
    }
}
