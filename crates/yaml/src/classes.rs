//! What each byte can mean, in one table, and the first scan of a whole text.

/// A space or a tab.
pub(crate) const BLANK: u8 = 1;
/// May end a plain scalar outside brackets.
pub(crate) const PLAIN_BLOCK: u8 = 2;
/// May end a plain scalar inside brackets.
pub(crate) const PLAIN_FLOW: u8 = 4;
/// Needs a closer look inside double quotes.
pub(crate) const DOUBLE: u8 = 8;
/// Needs a closer look inside single quotes.
pub(crate) const SINGLE: u8 = 16;
/// Part of a name: a letter, a digit, `_` or `-`.
pub(crate) const NAME: u8 = 32;
/// May begin a line break.
pub(crate) const LINE: u8 = 64;
/// Part of a URI in a tag, beyond names; `%` is there for its escapes.
pub(crate) const URI: u8 = 128;

/// The classes of every byte.
pub(crate) static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut byte = 0usize;
    while byte < 256 {
        let mut class = 0;
        match byte as u8 {
            b' ' | b'\t' => class |= BLANK | PLAIN_BLOCK | PLAIN_FLOW,
            // The last two begin U+0085, U+2028 and U+2029, which YAML 1.1 counts as line breaks.
            b'\n' | b'\r' | 0xc2 | 0xe2 => class |= LINE | PLAIN_BLOCK | PLAIN_FLOW | DOUBLE | SINGLE,
            b':' => class |= PLAIN_BLOCK | PLAIN_FLOW | URI,
            b'?' | b',' | b'[' | b']' => class |= PLAIN_FLOW | URI,
            b'{' | b'}' => class |= PLAIN_FLOW,
            b'"' | b'\\' => class |= DOUBLE,
            b'\'' => class |= SINGLE | URI,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-' => class |= NAME | URI,
            b';' | b'/' | b'@' | b'&' | b'=' | b'+' | b'$' | b'.' | b'!' | b'~' | b'*' | b'(' | b')'
            | b'%' => {
                class |= URI;
            }
            _ => {}
        }
        table[byte] = class;
        byte += 1;
    }
    table
}

/// The length of the line break at `position`; zero if there is none.
#[inline]
pub(crate) fn break_length(bytes: &[u8], position: usize) -> usize {
    match bytes.get(position) {
        Some(b'\n') => 1,
        Some(b'\r') => 1 + usize::from(bytes.get(position + 1) == Some(&b'\n')),
        Some(0xc2) if bytes.get(position + 1) == Some(&0x85) => 2,
        Some(0xe2)
            if bytes.get(position + 1) == Some(&0x80)
                && matches!(bytes.get(position + 2), Some(0xa8 | 0xa9)) =>
        {
            3
        }
        _ => 0,
    }
}

/// The first line break from a position on.
pub(crate) fn next_break(bytes: &[u8], position: usize) -> Option<usize> {
    let rest = bytes.get(position..)?;
    let may_break = |(_, byte): &(usize, &u8)| CLASSES[**byte as usize] & LINE != 0;
    let mut found = rest.iter().enumerate().filter(may_break).map(|(offset, _)| position + offset);
    found.find(|&offset| break_length(bytes, offset) > 0)
}

/// The first character that YAML forbids, if there is one.
pub(crate) fn first_forbidden(text: &str) -> Option<(usize, char)> {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        if is_suspicious(u64::from_le_bytes(*word))
            && let Some(found) = forbidden_between(text, number * 8, number * 8 + 8)
        {
            return Some(found);
        }
    }
    forbidden_between(text, text.len() - rest.len(), text.len())
}

/// Whether any of eight bytes is something other than visible ASCII, a space or a line feed. The highest bit of
/// each byte is its answer, and no sum overflows its byte.
fn is_suspicious(bytes: u64) -> bool {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = EACH * 0x80;
    let low = bytes & !HIGHEST;
    let from_space_on = low + EACH * (0x80 - 0x20);
    let other_than_line_feed = (low ^ (EACH * 0x0a)) + EACH * 0x7f;
    let from_delete_on = (low + EACH) | bytes;
    ((!from_space_on & other_than_line_feed) | from_delete_on) & HIGHEST != 0
}

fn forbidden_between(text: &str, start: usize, end: usize) -> Option<(usize, char)> {
    let bytes = text.as_bytes();
    (start..end).find_map(|position| {
        let next = |ahead: usize| bytes.get(position + ahead).copied().unwrap_or(0);
        let forbidden = match bytes[position] {
            b'\n' | b'\t' | b'\r' => false,
            0..=0x1f | 0x7f => true,
            0xc2 => next(1) < 0xa0 && next(1) != 0x85,
            0xef => next(1) == 0xbf && next(2) >= 0xbe,
            _ => false,
        };
        if !forbidden {
            return None;
        }
        text.get(position..)?.chars().next().map(|character| (position, character))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_give_the_same_answer_as_each_alone() {
        for byte in 0..=u8::MAX {
            let is_plain = byte == b'\n' || (0x20..0x7f).contains(&byte);
            for place in 0..8 {
                for around in [b' ', b'\n', b'~'] {
                    let mut word = [around; 8];
                    word[place] = byte;
                    assert_eq!(is_suspicious(u64::from_le_bytes(word)), !is_plain, "{word:?}");
                }
            }
        }
    }

    #[test]
    fn a_forbidden_character_is_found_at_any_position() {
        for length in 0..20 {
            for place in 0..=length {
                for character in ['\0', '\u{1b}', '\u{7f}', '\u{80}', '\u{fffe}'] {
                    let text = format!("{}{character}{}", "é".repeat(place), "x\r\n".repeat(length - place));
                    assert_eq!(first_forbidden(&text), Some((place * 2, character)), "{text:?}");
                }
            }
            assert_eq!(first_forbidden(&"a\té\u{85}\u{a0}\u{ffff0}\u{fffd}\r\n".repeat(length)), None);
        }
    }

    #[test]
    fn every_kind_of_line_break_is_known() {
        for (text, length) in [
            ("\n", 1),
            ("\r\n", 2),
            ("\rx", 1),
            ("\u{85}", 2),
            ("\u{2028}", 3),
            ("\u{2029}", 3),
            ("\u{2027}", 0),
        ] {
            assert_eq!(break_length(text.as_bytes(), 0), length, "{text:?}");
        }
    }

    #[test]
    fn forbidden_characters_are_found_and_others_are_not() {
        for character in ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{80}', '\u{9f}', '\u{fffe}', '\u{ffff}'] {
            let text = format!("{}{character}", "é".repeat(3000));
            assert_eq!(first_forbidden(&text), Some((6000, character)));
        }
        assert_eq!(first_forbidden("a\tb\r\n\u{85}\u{a0}\u{feff}\u{fffd}😀"), None);
    }
}
