//! Strings after `|` and `>`.

use super::style::is_break;
use super::{Counts, Emitter, Gap, INDENTATION};

impl Emitter {
    /// The indicator, and what a reader must know about the lines below.
    pub(super) fn write_block_header(&mut self, indicator: &str, text: &str) {
        self.write_indicator(indicator, Gap::Before, Counts::AsText);
        if text.starts_with(' ') || text.starts_with(is_break) {
            // The indentation cannot be detected from the first line.
            self.write_indicator(&INDENTATION.to_string(), Gap::None, Counts::AsText);
        }
        let mut from_end = text.chars().rev();
        let ends_line = from_end.next().is_some_and(is_break);
        if !ends_line {
            self.write_indicator("-", Gap::None, Counts::AsText);
        } else if from_end.next().is_none_or(is_break) {
            self.write_indicator("+", Gap::None, Counts::AsText);
        }
    }

    /// The lines below a `|`.
    pub(super) fn write_literal(&mut self, text: &str) {
        self.whitespace = true;
        let mut at_line_start = true;
        for character in text.chars() {
            if is_break(character) {
                self.write_break(character);
                at_line_start = true;
            } else {
                if at_line_start {
                    self.write_indent();
                }
                self.put(character);
                self.indention = false;
                at_line_start = false;
            }
        }
    }

    /// The lines below a `>`; none is folded that was not folded before.
    pub(super) fn write_folded(&mut self, text: &str) {
        self.whitespace = true;
        // go-yaml looks at the very first line to decide whether a line can be read as a continuation.
        let first_is_blank = text.trim_start_matches(is_break).starts_with([' ', '\t']);
        let mut at_line_start = true;
        let mut leading_blank = true;
        for character in text.chars() {
            if is_break(character) {
                if !at_line_start && !leading_blank && character == '\n' && !first_is_blank {
                    self.put_break();
                }
                self.write_break(character);
                at_line_start = true;
            } else {
                if at_line_start {
                    self.write_indent();
                    leading_blank = matches!(character, ' ' | '\t');
                }
                self.put(character);
                self.indention = false;
                at_line_start = false;
            }
        }
    }

    /// A line break of the text itself.
    pub(super) fn write_break(&mut self, character: char) {
        self.put(character);
        self.column = 0;
        self.indention = true;
    }
}
