//! Text from untrusted input, made harmless for terminals, editors and logs.
//!
//! A file name, a message or a source line may hold anything. Printed as it is, an escape code could
//! rewrite what stands above it, and a bidirectional control could show a line in another order.

use std::borrow::Cow;

/// Messages are cut to this many characters: a finding may quote a scalar of any size.
const LONGEST_MESSAGE: usize = 4_000;

/// Whether printing `character` could move the cursor, hide text or reorder it, or whether it is no
/// character at all to XML and YAML.
pub(crate) fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                | '\u{fffe}' | '\u{ffff}')
}

/// What is printed in place of a control character: one column wide, so that marks stay in place.
pub(crate) fn picture(character: char) -> char {
    match character {
        '\0'..='\x1f' => char::from_u32(0x2400 + character as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '␡',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Text of several lines for a terminal: line breaks stay, other control characters become visible.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    if !text.contains(|character| is_control(character) && character != '\n') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    for character in text.replace("\r\n", "\n").chars() {
        match character {
            '\n' => result.push('\n'),
            '\t' => result.push_str("    "),
            _ if is_control(character) => result.push(picture(character)),
            _ => result.push(character),
        }
    }
    Cow::Owned(result)
}

/// Text on one line: line breaks and tabs are written as escapes, other control characters become visible.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            _ if is_control(character) => result.push(picture(character)),
            _ => result.push(character),
        }
    }
    Cow::Owned(result)
}

/// A message, cut where it is longer than anybody reads.
pub(crate) fn cut(message: String) -> String {
    let mut message = without_credentials(message);
    if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// Text without the credentials of URLs in it; the same text where there are none.
pub(crate) fn without_credentials(text: String) -> String {
    match trueline_diagnostic::without_credentials(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

/// Escapes the control characters that JSON allows inside strings but a terminal should not see.
///
/// They cannot stand outside of strings, so the whole text can be treated at once.
pub(crate) fn ascii_controls(json: String) -> String {
    let hidden = |character: char| is_control(character) && character != '\n';
    if !json.contains(hidden) {
        return json;
    }
    let mut result = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if hidden(character) {
            result.push_str(&format!("\\u{:04x}", character as u32));
        } else {
            result.push(character);
        }
    }
    result
}

/// A JSON document on several lines, with a final line break.
pub(crate) fn json(value: &serde_json::Value) -> String {
    let mut text = ascii_controls(format!("{value:#}"));
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let hostile = "a\x1b[31m\u{9b}2J\0\x7f\u{202e}\u{2066}\u{2028}\t\r\nb";
        assert_eq!(one_line(hostile), "a␛[31m\u{fffd}2J␀␡\u{fffd}\u{fffd}\u{fffd}\\t\\r\\nb");
        assert_eq!(lines(hostile), "a␛[31m\u{fffd}2J␀␡\u{fffd}\u{fffd}\u{fffd}    \nb");
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        assert!(matches!(one_line("漢字 é 🎉"), Cow::Borrowed(_)));
        assert!(matches!(lines("two\nlines"), Cow::Borrowed(_)));
    }

    #[test]
    fn messages_are_cut_between_characters() {
        assert_eq!(cut("short".to_owned()), "short");
        let long = "漢".repeat(LONGEST_MESSAGE + 1);
        assert_eq!(cut(long.clone()).chars().count(), LONGEST_MESSAGE + 1);
        assert!(cut(long).ends_with("漢…"));
    }

    #[test]
    fn json_reads_back_as_it_was() {
        let value = serde_json::json!({"a\u{7f}": ["\u{9b}\u{202e}\u{1b}\n", "é"]});
        let text = json(&value);
        assert!(!text.trim_end().contains(|character| is_control(character) && character != '\n'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
