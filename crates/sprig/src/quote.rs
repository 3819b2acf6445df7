//! Text between double quotes as Go writes it.

use std::fmt::Write;

/// The text quoted, with everything escaped that does not print.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(character),
            '\0'..='\u{7f}' => _ = write!(out, "\\x{:02x}", character as u32),
            _ if character.escape_debug().len() == 1 => out.push(character),
            '\u{80}'..='\u{ffff}' => _ = write!(out, "\\u{:04x}", character as u32),
            _ => _ = write!(out, "\\U{:08x}", character as u32),
        }
    }
    out.push('"');
    out
}
