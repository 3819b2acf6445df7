//! How Go sees characters: what can be printed, what is space, and how text is quoted.

use std::fmt::Write;

/// Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space.
pub(crate) fn is_print(character: char) -> bool {
    match character {
        ' '..='~' => true,
        // The standard library knows the same classes, but tells only in how it would escape a text; the
        // first character stands there because marks are escaped at the beginning.
        _ => {
            let mut buffer = [b'a', 0, 0, 0, 0];
            let length = character.encode_utf8(&mut buffer[1..]).len();
            std::str::from_utf8(&buffer[..=length])
                .is_ok_and(|text| text.escape_debug().nth(1) == Some(character))
        }
    }
}

/// Go's `unicode.IsSpace`.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace()
}

/// Go's `strconv.Quote`.
pub(crate) fn quote(content: &str) -> String {
    let mut text = String::with_capacity(content.len() + 2);
    text.push('"');
    for character in content.chars() {
        // Writing to a string cannot fail.
        let _ = match character {
            '"' => write!(text, "\\\""),
            '\\' => write!(text, "\\\\"),
            '\u{7}' => write!(text, "\\a"),
            '\u{8}' => write!(text, "\\b"),
            '\u{c}' => write!(text, "\\f"),
            '\n' => write!(text, "\\n"),
            '\r' => write!(text, "\\r"),
            '\t' => write!(text, "\\t"),
            '\u{b}' => write!(text, "\\v"),
            '\0'..='\u{1f}' | '\u{7f}' => write!(text, "\\x{:02x}", character as u32),
            _ if is_print(character) => write!(text, "{character}"),
            '\u{10000}'.. => write!(text, "\\U{:08x}", character as u32),
            _ => write!(text, "\\u{:04x}", character as u32),
        };
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_printed_stays_in_quotes() {
        for (text, quoted) in [
            ("a b", r#""a b""#),
            ("\"\\\n\u{1}", r#""\"\\\n\x01""#),
            ("é漢🎉", "\"é漢🎉\""),
            ("e\u{301}", "\"e\u{301}\""),
            ("\u{a0}\u{200b}\u{feff}\u{e000}", r#""\u00a0\u200b\ufeff\ue000""#),
            ("\u{10ffff}", r#""\U0010ffff""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }

    #[test]
    fn marks_are_printable_and_other_spaces_are_not() {
        for (character, printable) in
            [(' ', true), ('\u{301}', true), ('\'', true), ('"', true), ('\\', true), ('\u{a0}', false)]
        {
            assert_eq!(is_print(character), printable, "{character:?}");
        }
        assert!(is_space('\u{a0}') && is_space('\u{85}') && is_space('\u{2028}') && !is_space('\u{200b}'));
    }
}
