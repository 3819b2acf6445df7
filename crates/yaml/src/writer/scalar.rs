//! Plain and quoted strings, folded where the dialect folds.

use crate::ScalarStyle;

use super::style::{Analysis, Context, is_break, is_printable};
use super::{Counts, Emitter, Gap, INDENTATION};

impl Emitter {
    pub(super) fn scalar(&mut self, analysis: &Analysis<'_>, context: Context) {
        let outer = self.indent;
        let start = self.out.len() + usize::from(!self.whitespace);
        self.indent = if outer < 0 { INDENTATION } else { outer + INDENTATION };
        // A key that is folded would no longer be a key.
        let width = if context == Context::SimpleKey { isize::MAX } else { self.width() };
        match analysis.style {
            ScalarStyle::Plain => self.write_plain(analysis.text, width),
            ScalarStyle::SingleQuoted => self.write_single_quoted(analysis.text, width),
            ScalarStyle::DoubleQuoted => self.write_double_quoted(analysis.text, width),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                self.write_block_header("|", analysis.text);
                self.put_break();
                self.write_literal(analysis.text);
            }
        }
        self.indent = outer;
        self.last = start..self.out.len();
    }

    fn write_plain(&mut self, text: &str, width: isize) {
        if text.is_empty() {
            // An empty scalar means null.
            self.indention = false;
            return;
        }
        if !self.whitespace {
            self.put(' ');
        }
        if width == isize::MAX {
            self.out.push_str(text);
            self.column += text.chars().count() as isize;
            self.whitespace = false;
            self.indention = false;
            return;
        }
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let single_space = character == ' '
                && previous != Some(' ')
                && characters.peek().is_some_and(|&next| next != ' ');
            if single_space && self.column > width {
                self.write_indent();
            } else {
                self.put(character);
            }
            self.indention = false;
            previous = Some(character);
        }
        self.whitespace = false;
        self.indention = false;
    }

    fn write_single_quoted(&mut self, text: &str, width: isize) {
        self.write_indicator("'", Gap::Before, Counts::AsText);
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            if character == ' ' {
                let inside = previous.is_some_and(|previous| previous != ' ')
                    && characters.peek().is_some_and(|&next| next != ' ');
                if inside && self.column > width {
                    self.write_indent();
                } else {
                    self.put(' ');
                }
            } else if is_break(character) {
                if character == '\n' && !previous.is_some_and(is_break) {
                    // A single line break would be read as a space.
                    self.put_break();
                }
                self.write_break(character);
            } else {
                if previous.is_some_and(is_break) {
                    self.write_indent();
                }
                if character == '\'' {
                    self.put('\'');
                }
                self.put(character);
                self.indention = false;
            }
            previous = Some(character);
        }
        self.write_indicator("'", Gap::None, Counts::AsText);
    }

    fn write_double_quoted(&mut self, text: &str, width: isize) {
        self.write_indicator("\"", Gap::Before, Counts::AsText);
        // A bug of libyaml that go-yaml kept: after a byte order mark everything is escaped.
        let escape_all = text.starts_with('\u{feff}');
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            if escape_all
                || !is_printable(character)
                || is_break(character)
                || matches!(character, '"' | '\\')
            {
                self.put_escaped(character);
            } else if character == ' ' {
                let inside = previous.is_some_and(|previous| previous != ' ');
                match characters.peek() {
                    Some(next) if inside && self.column > width => {
                        let space_follows = *next == ' ';
                        self.write_indent();
                        if space_follows {
                            self.put('\\');
                        }
                    }
                    _ => self.put(' '),
                }
            } else {
                self.put(character);
            }
            previous = Some(character);
        }
        self.write_indicator("\"", Gap::None, Counts::AsText);
    }

    fn put_escaped(&mut self, character: char) {
        self.put('\\');
        let short = match character {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let code = u32::from(character);
                let text = match code {
                    0..=0xff => format!("x{code:02X}"),
                    0x100..=0xffff => format!("u{code:04X}"),
                    _ => format!("U{code:08X}"),
                };
                text.chars().for_each(|character| self.put(character));
                return;
            }
        };
        self.put(short);
    }
}
