//! Text in quotes, as `strconv` writes it.

use crate::unicode::is_print;

/// Which characters stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All that can be printed.
    Printable,
    /// Those of ASCII that can be printed.
    Ascii,
}

/// The text in double quotes with Go's escapes. Bytes that are no UTF-8 become `\x…`.
pub fn quote(text: impl AsRef<[u8]>) -> String {
    let mut quoted = String::new();
    write_quoted(&mut quoted, text.as_ref(), Keep::Printable);
    quoted
}

/// Writes the text in double quotes.
pub fn write_quoted(quoted: &mut String, text: &[u8], keep: Keep) {
    quoted.reserve(text.len() + 2);
    quoted.push('"');
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            escape(quoted, character, '"', keep);
        }
        for byte in chunk.invalid() {
            push_hex(quoted, "\\x", u32::from(*byte), 2);
        }
    }
    quoted.push('"');
}

/// The character in single quotes.
pub fn quote_character(character: char, keep: Keep) -> String {
    let mut quoted = String::from("'");
    escape(&mut quoted, character, '\'', keep);
    quoted.push('\'');
    quoted
}

/// Whether the text can stand between back quotes as it is.
pub fn can_be_raw(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| {
        text.chars().all(|character| match character {
            '\t' => true,
            '`' | '\u{7f}' | '\u{feff}' => false,
            _ => character >= ' ',
        })
    })
}

fn escape(quoted: &mut String, character: char, quote: char, keep: Keep) {
    let plain = match keep {
        Keep::Printable => is_print(character),
        Keep::Ascii => character.is_ascii() && is_print(character),
    };
    let code = u32::from(character);
    match character {
        '\\' => quoted.push_str("\\\\"),
        _ if character == quote => quoted.extend(['\\', quote]),
        _ if plain => quoted.push(character),
        '\u{7}' => quoted.push_str("\\a"),
        '\u{8}' => quoted.push_str("\\b"),
        '\u{c}' => quoted.push_str("\\f"),
        '\n' => quoted.push_str("\\n"),
        '\r' => quoted.push_str("\\r"),
        '\t' => quoted.push_str("\\t"),
        '\u{b}' => quoted.push_str("\\v"),
        '\0'..' ' | '\u{7f}' => push_hex(quoted, "\\x", code, 2),
        '\0'..'\u{10000}' => push_hex(quoted, "\\u", code, 4),
        _ => push_hex(quoted, "\\U", code, 8),
    }
}

fn push_hex(quoted: &mut String, prefix: &str, code: u32, digits: usize) {
    quoted.push_str(prefix);
    quoted.push_str(&format!("{code:0digits$x}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_printed_is_escaped() {
        for (text, quoted) in [
            (&b""[..], r#""""#),
            (b"a'b\"c\\", r#""a'b\"c\\""#),
            (b"\x07\x08\x0c\n\r\t\x0b\x00\x1b\x7f", r#""\a\b\f\n\r\t\v\x00\x1b\x7f""#),
            ("é漢😀".as_bytes(), "\"é漢😀\""),
            ("\u{a0}\u{ad}\u{200b}\u{feff}\u{fffd}".as_bytes(), "\"\\u00a0\\u00ad\\u200b\\ufeff\u{fffd}\""),
            ("\u{e000}\u{10ffff}".as_bytes(), r#""\ue000\U0010ffff""#),
            (b"a\xff\xc3(\xe2\x82", r#""a\xff\xc3(\xe2\x82""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }

    #[test]
    fn characters_have_single_quotes() {
        assert_eq!(quote_character('\'', Keep::Printable), r"'\''");
        assert_eq!(quote_character('"', Keep::Printable), "'\"'");
        assert_eq!(quote_character('é', Keep::Ascii), r"'\u00e9'");
        assert_eq!(quote_character('\n', Keep::Ascii), r"'\n'");
    }
}
