//! What each byte can mean, in one table, and the first look over a whole text.

/// A space or a tab.
pub(super) const BLANK: u8 = 1;
/// May end a plain scalar outside brackets.
pub(super) const PLAIN_BLOCK: u8 = 2;
/// May end a plain scalar inside brackets.
pub(super) const PLAIN_FLOW: u8 = 4;
/// Needs a closer look inside double quotes.
pub(super) const DOUBLE: u8 = 8;
/// Needs a closer look inside single quotes.
pub(super) const SINGLE: u8 = 16;
/// Part of a name: a letter, a digit, `_` or `-`.
pub(super) const NAME: u8 = 32;
/// May begin a line break.
pub(super) const LINE: u8 = 64;
/// Part of a URI in a tag, beyond names; `%` is there for its escapes.
pub(super) const URI: u8 = 128;

/// The classes of every byte.
pub(super) static CLASSES: [u8; 256] = classes();

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

/// The first character that YAML forbids, if there is one.
pub(super) fn first_forbidden(text: &str) -> Option<(usize, char)> {
    let mut start = 0;
    let bytes = text.as_bytes();
    while start < bytes.len() {
        let end = (start + 4096).min(bytes.len());
        // One cheap test over a whole stretch; compilers turn it into vector instructions.
        let suspicious = bytes[start..end].iter().fold(false, |found, &byte| {
            found
                | ((byte < 0x20) & (byte != b'\n') & (byte != b'\t') & (byte != b'\r'))
                | (byte == 0x7f)
                | (byte == 0xc2)
                | (byte == 0xef)
        });
        if suspicious && let Some(found) = forbidden_between(text, start, end) {
            return Some(found);
        }
        start = end;
    }
    None
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
