//! Quoted strings, as `strconv` writes them.

use crate::unicode::is_print;

/// Which characters are not escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All printable ones.
    Printable,
    /// Printable ASCII.
    Ascii,
}

/// The string in double quotes with Go's escapes. Bytes that are not UTF-8 become `\x…`.
pub fn quote(text: impl AsRef<[u8]>) -> String {
    let mut quoted = String::new();
    write_quoted(&mut quoted, text.as_ref(), Keep::Printable);
    quoted
}

/// Writes the string in double quotes.
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

/// Whether the string can be written between backquotes unchanged.
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

/// The value of a Go literal, given with its quotes: a string in double quotes or backquotes, or a character in
/// single quotes.
pub fn unquote_literal(literal: &[u8]) -> Option<Vec<u8>> {
    let (&quote, rest) = literal.split_first()?;
    let (&last, inside) = rest.split_last()?;
    if quote != last {
        return None;
    }
    match quote {
        b'`' if inside.contains(&b'`') => None,
        b'`' => Some(inside.iter().copied().filter(|byte| *byte != b'\r').collect()),
        b'"' | b'\'' if inside.contains(&b'\n') => None,
        b'"' => unquote(inside, quote),
        // Go accepts this although it is not a valid character literal.
        b'\'' if inside.is_empty() => Some(Vec::new()),
        b'\'' => {
            let (character, rest) = unquote_character(inside, quote)?;
            rest.is_empty().then(|| character.bytes())
        }
        _ => None,
    }
}

/// The text between quotes with Go's escapes decoded; `None` if it is malformed.
pub fn unquote(inside: &[u8], quote: u8) -> Option<Vec<u8>> {
    let mut value = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while !rest.is_empty() {
        let (unquoted, behind) = unquote_character(rest, quote)?;
        value.extend(unquoted.bytes());
        rest = behind;
    }
    Some(value)
}

/// The value of a character or an escape between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unquoted {
    /// A byte, which need not be text.
    Byte(u8),
    /// A character.
    Character(char),
}

impl Unquoted {
    /// Its bytes.
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Byte(byte) => vec![byte],
            Self::Character(character) => character.to_string().into_bytes(),
        }
    }
}

/// The first character or escape of the text between quotes, and what follows.
pub fn unquote_character(text: &[u8], quote: u8) -> Option<(Unquoted, &[u8])> {
    let (first, rest) = text.split_first()?;
    if *first == quote {
        return None;
    }
    if *first >= 0x80 {
        let chunk = text.get(..4).unwrap_or(text).utf8_chunks().next()?;
        let character = chunk.valid().chars().next();
        let length = character.map_or(1, char::len_utf8);
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        return Some((Unquoted::Character(character), text.get(length..)?));
    }
    if *first != b'\\' {
        return Some((Unquoted::Byte(*first), rest));
    }
    let (escape, rest) = rest.split_first()?;
    let byte = match escape {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' => b'\\',
        escape if *escape == quote => quote,
        b'0'..=b'7' => {
            let (digits, behind) = text.get(1..)?.split_at_checked(3)?;
            return Some((Unquoted::Byte(digits_value(digits, 8)?.try_into().ok()?), behind));
        }
        b'x' => {
            let (digits, behind) = rest.split_at_checked(2)?;
            return Some((Unquoted::Byte(digits_value(digits, 16)?.try_into().ok()?), behind));
        }
        b'u' | b'U' => {
            let (digits, behind) = rest.split_at_checked(if *escape == b'u' { 4 } else { 8 })?;
            return Some((Unquoted::Character(char::from_u32(digits_value(digits, 16)?)?), behind));
        }
        _ => return None,
    };
    Some((Unquoted::Byte(byte), rest))
}

/// At most eight digits of a base up to sixteen.
fn digits_value(digits: &[u8], base: u32) -> Option<u32> {
    digits.iter().try_fold(0u32, |value, digit| {
        Some(value.wrapping_mul(base).wrapping_add(char::from(*digit).to_digit(base)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprintable_characters_are_escaped() {
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
