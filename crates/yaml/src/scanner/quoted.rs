//! Scalars in single and double quotes.

use super::{Revision, Scanner, Token, TokenKind};
use crate::classes::{BLANK, CLASSES, DOUBLE, SINGLE, break_length};
use crate::fault::Fault;
use crate::{ScalarStyle, SyntaxErrorKind, Text};

impl Scanner<'_> {
    pub(super) fn quoted(&mut self) -> Result<Token, Fault> {
        let bytes = self.bytes;
        let start = self.position;
        let line = self.line;
        let quote = self.at(0);
        let (mask, style) = if quote == b'"' {
            (DOUBLE, ScalarStyle::DoubleQuoted)
        } else {
            (SINGLE, ScalarStyle::SingleQuoted)
        };
        self.position += 1;
        let mut copied = self.position;
        let mut decoded = None;
        loop {
            if self.position == self.line_start && self.document_marker() {
                return Err(self.fault(SyntaxErrorKind::DocumentMarkerInQuotes, Some(start)));
            }
            while bytes.get(self.position).is_some_and(|&byte| CLASSES[byte as usize] & mask == 0) {
                self.position += 1;
            }
            let Some(&byte) = bytes.get(self.position) else {
                return Err(self.fault(SyntaxErrorKind::UnclosedQuote, Some(start)));
            };
            let here = self.position;
            match byte {
                b'\'' if quote == b'\'' && self.at(1) == b'\'' => {
                    decoded.get_or_insert(self.decoded.len());
                    // The first of the two is kept.
                    self.decoded.push_str(&self.text[copied..here + 1]);
                    self.position += 2;
                    copied = self.position;
                }
                b'"' | b'\'' => {
                    self.position += 1;
                    let text = match decoded {
                        None => Text::source(copied as u32, here as u32),
                        Some(from) => {
                            self.decoded.push_str(&self.text[copied..here]);
                            Text::decoded(from as u32, self.decoded.len() as u32)
                        }
                    };
                    let kind = TokenKind::Scalar(text, style);
                    return Ok(Token { kind, start: start as u32, end: self.position as u32, line });
                }
                b'\\' => {
                    decoded.get_or_insert(self.decoded.len());
                    self.decoded.push_str(&self.text[copied..here]);
                    let length = break_length(bytes, here + 1);
                    if length > 0 {
                        self.position += 1;
                        self.new_line(length);
                        let after = self.position;
                        self.skip_space_and_breaks();
                        self.push_breaks(after, self.position);
                    } else {
                        self.escape(start)?;
                    }
                    copied = self.position;
                }
                _ => {
                    if break_length(bytes, here) == 0 {
                        self.position += 1;
                        continue;
                    }
                    decoded.get_or_insert(self.decoded.len());
                    let mut kept = here;
                    while kept > copied && CLASSES[bytes[kept - 1] as usize] & BLANK != 0 {
                        kept -= 1;
                    }
                    self.decoded.push_str(&self.text[copied..kept]);
                    self.skip_space_and_breaks();
                    self.push_folded(here, self.position);
                    copied = self.position;
                }
            }
        }
    }

    fn skip_space_and_breaks(&mut self) {
        loop {
            self.skip_blanks();
            let length = break_length(self.bytes, self.position);
            if length == 0 {
                return;
            }
            self.new_line(length);
        }
    }

    /// Appends the character of the escape at the current place.
    fn escape(&mut self, start: usize) -> Result<(), Fault> {
        let (character, digits) = match self.at(1) {
            b'0' => ('\0', 0),
            b'a' => ('\u{7}', 0),
            b'b' => ('\u{8}', 0),
            b't' | b'\t' => ('\t', 0),
            b'n' => ('\n', 0),
            b'v' => ('\u{b}', 0),
            b'f' => ('\u{c}', 0),
            b'r' => ('\r', 0),
            b'e' => ('\u{1b}', 0),
            b' ' => (' ', 0),
            b'"' => ('"', 0),
            b'\'' => ('\'', 0),
            b'\\' => ('\\', 0),
            b'/' if self.revision == Revision::Three => ('/', 0),
            b'N' => ('\u{85}', 0),
            b'_' => ('\u{a0}', 0),
            b'L' => ('\u{2028}', 0),
            b'P' => ('\u{2029}', 0),
            b'x' => ('\0', 2),
            b'u' => ('\0', 4),
            b'U' => ('\0', 8),
            _ => return Err(self.fault(SyntaxErrorKind::UnknownEscape, Some(start))),
        };
        self.position += 2;
        if digits == 0 {
            self.decoded.push(character);
            return Ok(());
        }
        let mut value = 0u32;
        for ahead in 0..digits {
            let Some(digit) = (self.at(ahead) as char).to_digit(16) else {
                return Err(self.fault(SyntaxErrorKind::BadHexEscape, Some(start)));
            };
            value = (value << 4) | digit;
        }
        let Some(character) = char::from_u32(value) else {
            return Err(self.fault(SyntaxErrorKind::NoSuchCharacter, Some(start)));
        };
        self.decoded.push(character);
        self.position += digits;
        Ok(())
    }
}
