//! Go's treatment of characters and of bytes that are not characters.

mod tables;

use trueline_gostd::quote::Keep;

fn within(table: &[(u32, u32)], character: char) -> bool {
    let number = u32::from(character);
    let after = table.partition_point(|(first, _)| *first <= number);
    after.checked_sub(1).and_then(|index| table.get(index)).is_some_and(|(_, last)| number <= *last)
}

pub(crate) fn is_letter(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphabetic() } else { within(tables::LETTERS, character) }
}

pub(crate) fn is_digit(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { within(tables::DIGITS, character) }
}

/// The first character and its width. A byte that is not part of one is U+FFFD with the width 1.
pub(crate) fn decode(bytes: &[u8]) -> (char, usize) {
    let Some(&first) = bytes.first() else { return (char::REPLACEMENT_CHARACTER, 0) };
    let width = match first {
        0..=0x7f => return (char::from(first), 1),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return (char::REPLACEMENT_CHARACTER, 1),
    };
    let text = bytes.get(..width).and_then(|bytes| std::str::from_utf8(bytes).ok());
    match text.and_then(|text| text.chars().next()) {
        Some(character) => (character, width),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

/// The characters of a string with their offsets and widths.
pub(crate) fn characters(bytes: &[u8]) -> impl Iterator<Item = (usize, char, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let (character, width) = decode(rest);
        at += width;
        Some((at - width, character, width))
    })
}

/// Maps each character. Invalid UTF-8 becomes U+FFFD.
pub(crate) fn map(bytes: &[u8], mut change: impl FnMut(char) -> char) -> Vec<u8> {
    let mut text = String::with_capacity(bytes.len());
    text.extend(characters(bytes).map(|(_, character, _)| change(character)));
    text.into_bytes()
}

/// A mapping of one character to one; `None` if Unicode maps it to several.
fn single(mut mapped: impl Iterator<Item = char>) -> Option<char> {
    let first = mapped.next();
    first.filter(|_| mapped.next().is_none())
}

pub(crate) fn to_lower(character: char) -> char {
    match character {
        '\u{130}' => 'i',
        _ => single(character.to_lowercase()).unwrap_or(character),
    }
}

pub(crate) fn to_upper(character: char) -> char {
    single(character.to_uppercase()).unwrap_or_else(|| greek_with_iota(character))
}

/// Greek letters with iota below: alone, they map to one character.
fn greek_with_iota(character: char) -> char {
    let number = u32::from(character);
    let mapped = match number {
        0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7 => number + 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => number + 9,
        _ => number,
    };
    char::from_u32(mapped).unwrap_or(character)
}

pub(crate) fn to_title(character: char) -> char {
    match character {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' => character,
        _ => to_upper(character),
    }
}

pub(crate) fn is_upper(character: char) -> bool {
    // Letters only: circled ones and Roman numerals have cases too.
    character.is_uppercase() && is_letter(character)
}

pub(crate) fn is_lower(character: char) -> bool {
    character.is_lowercase() && is_letter(character) && !is_modifier(character)
}

/// Letters that look lower-case but are modifiers, which have no case for Go.
fn is_modifier(character: char) -> bool {
    matches!(u32::from(character),
        0xaa | 0xba | 0x2b0..=0x2b8 | 0x2c0..=0x2c1 | 0x2e0..=0x2e4 | 0x37a | 0x10fc | 0x1d2c..=0x1d6a | 0x1d78
        | 0x1d9b..=0x1dbf | 0x2071 | 0x207f | 0x2090..=0x209c | 0x2c7c..=0x2c7d | 0xa69c..=0xa69d | 0xa770
        | 0xa7f2..=0xa7f4 | 0xa7f8..=0xa7f9 | 0xab5c..=0xab5f | 0xab69 | 0x10780..=0x107ba | 0x1e030..=0x1e06d)
}

pub(crate) fn is_title(character: char) -> bool {
    matches!(u32::from(character),
        0x1c5 | 0x1c8 | 0x1cb | 0x1f2 | 0x1f88..=0x1f8f | 0x1f98..=0x1f9f | 0x1fa8..=0x1faf | 0x1fbc | 0x1fcc
        | 0x1ffc)
}

/// Whether the character has other cases.
pub(crate) fn is_cased(character: char) -> bool {
    character.is_ascii_alphabetic()
        || !character.is_ascii()
            && (character == 'ß' || to_lower(character) != character || to_upper(character) != character)
}

/// A string in double quotes with escapes, as Go writes it.
pub fn quote(bytes: &[u8]) -> String {
    trueline_gostd::quote::quote(bytes)
}

/// A character in single quotes.
pub(crate) fn quote_character(character: char) -> String {
    trueline_gostd::quote::quote_character(character, Keep::Printable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        for (text, expected) in [
            (&b"a\"b\\c'"[..], r#""a\"b\\c'""#),
            (b"\n\t\x07\x00\x7f", r#""\n\t\a\x00\x7f""#),
            (b"\xff\xc3\xa9", r#""\xffé""#),
            ("\u{200b}\u{e000}\u{10ffff}\u{1F600}".as_bytes(), "\"\\u200b\\ue000\\U0010ffff\u{1F600}\""),
        ] {
            assert_eq!(quote(text), expected);
        }
    }

    #[test]
    fn cases_are_those_of_single_characters() {
        assert_eq!(to_upper('ß'), 'ß');
        assert_eq!(to_upper('ᾳ'), 'ᾼ');
        assert_eq!(to_lower('İ'), 'i');
        assert_eq!(to_title('ǆ'), 'ǅ');
        assert!(is_title('ǅ') && is_cased('ß') && !is_cased('1'));
    }
}
