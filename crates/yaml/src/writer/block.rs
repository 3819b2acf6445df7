//! Text after `|`.

use super::style::is_break;
use super::{Counts, Emitter, Gap, INDENTATION};

impl Emitter {
    pub(super) fn write_literal(&mut self, text: &str) {
        self.write_indicator("|", Gap::Before, Counts::AsText);
        if text.starts_with(' ') || text.starts_with(is_break) {
            // The indentation could not be told from the first line.
            self.write_indicator(&INDENTATION.to_string(), Gap::None, Counts::AsText);
        }
        let mut from_end = text.chars().rev();
        let ends_line = from_end.next().is_some_and(is_break);
        if !ends_line {
            self.write_indicator("-", Gap::None, Counts::AsText);
        } else if from_end.next().is_none_or(is_break) {
            self.write_indicator("+", Gap::None, Counts::AsText);
        }
        self.put_break();
        self.indention = true;
        self.whitespace = true;
        let mut at_line_start = true;
        for character in text.chars() {
            if is_break(character) {
                self.put(character);
                self.column = 0;
                self.indention = true;
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
}
