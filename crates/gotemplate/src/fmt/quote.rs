//! Text in double quotes, as `strconv.Quote` writes it.

use std::fmt::Write;

use crate::unicode::is_print;

/// The text in double quotes with Go's escapes. Bytes that are no UTF-8 become `\x` escapes.
pub fn quote(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    let mut quoted = String::with_capacity(bytes.len() + 2);
    quoted.push('"');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|character| push(&mut quoted, character));
        for byte in chunk.invalid() {
            let _ = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted.push('"');
    quoted
}

fn push(quoted: &mut String, character: char) {
    match character {
        '"' => quoted.push_str("\\\""),
        '\\' => quoted.push_str("\\\\"),
        '\u{7}' => quoted.push_str("\\a"),
        '\u{8}' => quoted.push_str("\\b"),
        '\u{c}' => quoted.push_str("\\f"),
        '\n' => quoted.push_str("\\n"),
        '\r' => quoted.push_str("\\r"),
        '\t' => quoted.push_str("\\t"),
        '\u{b}' => quoted.push_str("\\v"),
        character if is_print(character) => quoted.push(character),
        // Writing to a string cannot fail.
        character => {
            let number = u32::from(character);
            let _ = match number {
                0..0x80 => write!(quoted, "\\x{number:02x}"),
                0x80..0x1_0000 => write!(quoted, "\\u{number:04x}"),
                _ => write!(quoted, "\\U{number:08x}"),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn text_is_escaped_as_go_does() {
        for (text, quoted) in [
            (b"".as_slice(), r#""""#),
            (b"a\"b\\c", r#""a\"b\\c""#),
            (b"\x07\x08\x0c\n\r\t\x0b\x00\x7f", r#""\a\b\f\n\r\t\v\x00\x7f""#),
            ("é😀\u{a0}\u{200b}\u{e0001}\u{fffd}".as_bytes(), "\"é😀\\u00a0\\u200b\\U000e0001\u{fffd}\""),
            (b"\xff\xe2\x82x", r#""\xff\xe2\x82x""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }
}
