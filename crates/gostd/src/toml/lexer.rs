//! Reads text character by character and counts lines like the Go library.

use super::Release;
use crate::quote::quote;

/// Marks the end; the character itself is not allowed in text.
pub(super) const END: char = '\0';

/// Text and a place in it.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// The first bytes after the text, if they are not UTF-8.
    broken: Option<u8>,
    /// Where the current item starts.
    start: usize,
    position: usize,
    pub(super) line: usize,
    at_end: bool,
    release: Release,
}

/// An error and its line.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) line: usize,
    pub(super) message: String,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], release: Release) -> Self {
        let chunk = bytes.utf8_chunks().next();
        let text = chunk.as_ref().map_or("", |chunk| chunk.valid());
        let broken = chunk.and_then(|chunk| chunk.invalid().first().copied());
        Self { text, broken, start: 0, position: 0, line: 1, at_end: false, release }
    }

    pub(super) fn release(&self) -> Release {
        self.release
    }

    fn following(&self) -> Option<char> {
        self.text.get(self.position..).and_then(|rest| rest.chars().next())
    }

    /// The next character; [`END`] at the end.
    pub(super) fn next(&mut self) -> Result<char, Problem> {
        let Some(character) = self.following() else {
            return match self.broken {
                Some(byte) => Err(self.problem(format!("invalid UTF-8 byte: 0x{byte:02x}"))),
                None => {
                    self.at_end = true;
                    Ok(END)
                }
            };
        };
        // The older release treats the replacement character as invalid text.
        if character == char::REPLACEMENT_CHARACTER && self.release == Release::V1_2 {
            return Err(self.problem("invalid UTF-8 byte: 0xef"));
        }
        let after = self.position + character.len_utf8();
        let lone_return =
            character == '\r' && !self.text.get(after..).is_some_and(|rest| rest.starts_with('\n'));
        if character == '\n' {
            self.line += 1;
        }
        if lone_return || (character.is_ascii_control() && !matches!(character, '\t' | '\r' | '\n')) {
            let message =
                format!("TOML files cannot contain control characters: '0x{:02x}'", u32::from(character));
            return Err(Problem { line: self.line, message });
        }
        self.position = after;
        Ok(character)
    }

    /// Goes back by one character.
    pub(super) fn back(&mut self) {
        if std::mem::take(&mut self.at_end) {
            return;
        }
        let before = self.text.get(..self.position).and_then(|text| text.chars().next_back());
        if let Some(character) = before {
            self.position -= character.len_utf8();
            if character == '\n' {
                self.line -= 1;
            }
        }
    }

    pub(super) fn peek(&mut self) -> Result<char, Problem> {
        let character = self.next()?;
        self.back();
        Ok(character)
    }

    /// Takes the next character if it is this one.
    pub(super) fn accept(&mut self, wanted: char) -> Result<bool, Problem> {
        let found = self.next()? == wanted;
        if !found {
            self.back();
        }
        Ok(found)
    }

    /// The next item starts here.
    pub(super) fn ignore(&mut self) {
        self.start = self.position;
    }

    pub(super) fn skip_blanks(&mut self) -> Result<(), Problem> {
        while matches!(self.next()?, ' ' | '\t') {}
        self.back();
        self.ignore();
        Ok(())
    }

    /// The current item as far as it was read.
    pub(super) fn current(&self) -> &'a str {
        self.text.get(self.start..self.position).unwrap_or_default()
    }

    /// The current item; the next one starts after it.
    pub(super) fn take(&mut self) -> &'a str {
        let taken = self.current();
        self.ignore();
        taken
    }

    /// Reads a comment up to the end of its line.
    pub(super) fn comment(&mut self) -> Result<(), Problem> {
        while !matches!(self.next()?, '\n' | '\r' | END) {}
        self.back();
        self.ignore();
        Ok(())
    }

    /// An error at the last character. At the end of the text, a final line break does not count.
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        let broken_off = self.at_end && (self.release == Release::V1_2 || self.text.ends_with('\n'));
        Problem { line: self.line.saturating_sub(usize::from(broken_off)), message: message.into() }
    }

    /// An error at the end of the line above.
    pub(super) fn problem_above(&self, message: impl Into<String>) -> Problem {
        Problem { line: self.line.saturating_sub(1), message: message.into() }
    }
}

/// A character in single quotes with Go's escapes.
pub(super) fn quoted_character(character: char) -> String {
    let quoted = quote(character.encode_utf8(&mut [0; 4]));
    let inside = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&quoted);
    match character {
        '"' => "'\"'".to_owned(),
        '\'' => "'\\''".to_owned(),
        END => "'\\x00'".to_owned(),
        _ => format!("'{inside}'"),
    }
}

/// A character in plain quotes, or "end of file".
pub(super) fn character_or_end(character: char) -> String {
    if character == END { "end of file".to_owned() } else { format!("'{character}'") }
}
