//! Directives and tags.

use super::{Scanner, Token, TokenKind};
use crate::SyntaxErrorKind;
use crate::classes::{CLASSES, NAME, URI, break_length};
use crate::comments::Site;
use crate::fault::Fault;

impl Scanner<'_> {
    /// `%YAML 1.1` or `%TAG !handle! prefix`.
    pub(super) fn directive(&mut self) -> Result<Token, Fault> {
        let start = self.position;
        let line = self.line;
        self.position += 1;
        let name = self.position;
        self.skip_name();
        if self.position == name {
            return Err(self.fault(SyntaxErrorKind::DirectiveWithoutName, Some(start)));
        }
        if !self.blank_or_end(0) {
            return Err(self.fault(SyntaxErrorKind::BadDirectiveName, Some(start)));
        }
        let kind = match &self.text[name..self.position] {
            "YAML" => {
                self.skip_blanks();
                let major = self.version_number(start)?;
                if self.at(0) != b'.' {
                    return Err(self.fault(SyntaxErrorKind::VersionWithoutDot, Some(start)));
                }
                self.position += 1;
                TokenKind::VersionDirective(major, self.version_number(start)?)
            }
            "TAG" => self.tag_directive(start)?,
            _ => return Err(self.fault(SyntaxErrorKind::UnknownDirective, Some(start))),
        };
        let end = self.position;
        self.skip_blanks();
        if self.at(0) == b'#' {
            self.comment(Site::Header);
        }
        let length = break_length(self.bytes, self.position);
        if length == 0 && self.position < self.bytes.len() {
            return Err(self.fault(SyntaxErrorKind::TextAfterDirective, Some(start)));
        }
        if length > 0 {
            self.new_line(length);
        }
        Ok(Token { kind, start: start as u32, end: end as u32, line })
    }

    fn version_number(&mut self, start: usize) -> Result<u8, Fault> {
        let first = self.position;
        let mut value = 0;
        while self.at(0).is_ascii_digit() {
            if self.position - first == 2 {
                return Err(self.fault(SyntaxErrorKind::LongVersion, Some(start)));
            }
            value = value * 10 + (self.at(0) - b'0');
            self.position += 1;
        }
        if self.position == first {
            return Err(self.fault(SyntaxErrorKind::VersionMissing, Some(start)));
        }
        Ok(value)
    }

    fn tag_directive(&mut self, start: usize) -> Result<TokenKind, Fault> {
        self.skip_blanks();
        let handle = self.position;
        let is_handle = self.tag_handle(start)?;
        let handle = self.text[handle..self.position].to_owned();
        if !is_handle && handle != "!" {
            return Err(self.fault(SyntaxErrorKind::TagHandleNotClosed, Some(start)));
        }
        if !matches!(self.at(0), b' ' | b'\t') {
            return Err(self.fault(SyntaxErrorKind::TagDirectiveWithoutPrefix, Some(start)));
        }
        self.skip_blanks();
        let mut prefix = String::new();
        self.tag_uri(start, &mut prefix, false)?;
        if !self.blank_or_end(0) {
            return Err(self.fault(SyntaxErrorKind::TextAfterTag, Some(start)));
        }
        self.pairs.push((handle, prefix));
        Ok(TokenKind::TagDirective(self.pairs.len() as u32 - 1))
    }

    /// `!`, `!name`, `!!name`, `!handle!name` or `!<uri>`.
    pub(super) fn tag(&mut self) -> Result<Token, Fault> {
        let start = self.position;
        let mut suffix = String::new();
        let mut handle = String::new();
        if self.at(1) == b'<' {
            self.position += 2;
            self.tag_uri(start, &mut suffix, false)?;
            if self.at(0) != b'>' {
                return Err(self.fault(SyntaxErrorKind::TagNotClosed, Some(start)));
            }
            self.position += 1;
        } else {
            let is_handle = self.tag_handle(start)?;
            let head = &self.text[start..self.position];
            if is_handle {
                handle.push_str(head);
                self.tag_uri(start, &mut suffix, false)?;
            } else {
                suffix.push_str(&head[1..]);
                self.tag_uri(start, &mut suffix, true)?;
                // A lone `!` is a tag by itself, without a handle.
                if suffix.is_empty() { suffix.push('!') } else { handle.push('!') }
            }
        }
        if !self.blank_or_end(0) {
            return Err(self.fault(SyntaxErrorKind::TextAfterTag, Some(start)));
        }
        self.pairs.push((handle, suffix));
        Ok(self.token(TokenKind::Tag(self.pairs.len() as u32 - 1), start))
    }

    /// Consumes `!` and a name, and a second `!` if there is one: then it is a handle.
    fn tag_handle(&mut self, start: usize) -> Result<bool, Fault> {
        if self.at(0) != b'!' {
            return Err(self.fault(SyntaxErrorKind::TagHandleNotClosed, Some(start)));
        }
        self.position += 1;
        self.skip_name();
        let closed = self.at(0) == b'!';
        self.position += usize::from(closed);
        Ok(closed)
    }

    /// Consumes a URI and appends it unescaped. After a head it may be empty.
    fn tag_uri(&mut self, start: usize, uri: &mut String, has_head: bool) -> Result<(), Fault> {
        let first = self.position;
        let mut undone: Vec<u8> = Vec::new();
        while CLASSES[self.at(0) as usize] & URI != 0 {
            if self.at(0) == b'%' {
                self.uri_escape(start, &mut undone)?;
            } else {
                undone.push(self.at(0));
                self.position += 1;
            }
        }
        if !has_head && self.position == first {
            return Err(self.fault(SyntaxErrorKind::TagWithoutUri, Some(start)));
        }
        uri.push_str(&String::from_utf8_lossy(&undone));
        Ok(())
    }

    /// One character, of one to four octets.
    fn uri_escape(&mut self, start: usize, undone: &mut Vec<u8>) -> Result<(), Fault> {
        let mut left = None;
        while left != Some(0) {
            let digits = (self.at(0) == b'%')
                .then(|| Some(((self.at(1) as char).to_digit(16)?, (self.at(2) as char).to_digit(16)?)))
                .flatten();
            let Some((high, low)) = digits else {
                return Err(self.fault(SyntaxErrorKind::BadUriEscape, Some(start)));
            };
            let octet = (high * 16 + low) as u8;
            left = match left {
                None => match octet {
                    0..=0x7f => Some(0),
                    0xc0..=0xdf => Some(1),
                    0xe0..=0xef => Some(2),
                    0xf0..=0xf7 => Some(3),
                    _ => return Err(self.fault(SyntaxErrorKind::BadUriLead, Some(start))),
                },
                Some(count) if octet & 0xc0 == 0x80 => Some(count - 1),
                Some(_) => return Err(self.fault(SyntaxErrorKind::BadUriTrail, Some(start))),
            };
            undone.push(octet);
            self.position += 3;
        }
        Ok(())
    }

    fn skip_name(&mut self) {
        while CLASSES[self.at(0) as usize] & NAME != 0 {
            self.position += 1;
        }
    }
}
