//! Go's view of text that may not be UTF-8: every invalid byte is a separate character and reads as U+FFFD.

/// The characters with their offsets and widths.
pub(crate) fn characters(bytes: &[u8]) -> impl Iterator<Item = (usize, char, usize)> + '_ {
    let mut offset = 0;
    bytes
        .utf8_chunks()
        .flat_map(|chunk| {
            let valid = chunk.valid().chars().map(|character| (character, character.len_utf8()));
            let invalid = chunk.invalid().iter().map(|_| (char::REPLACEMENT_CHARACTER, 1));
            valid.chain(invalid)
        })
        .map(move |(character, width)| {
            let start = offset;
            offset += width;
            (start, character, width)
        })
}

/// The last character and its width.
pub(crate) fn last(bytes: &[u8]) -> Option<(char, usize)> {
    let byte = *bytes.last()?;
    if byte.is_ascii() {
        return Some((char::from(byte), 1));
    }
    for width in 2..=4 {
        let start = bytes.len().checked_sub(width)?;
        if let Some(text) = bytes.get(start..).and_then(|tail| std::str::from_utf8(tail).ok()) {
            return text.chars().next_back().map(|character| (character, width));
        }
        if start == 0 {
            break;
        }
    }
    Some((char::REPLACEMENT_CHARACTER, 1))
}

/// The range that remains after the characters for which `cut` holds are removed from both ends.
pub(crate) fn trimmed(bytes: &[u8], cut: impl Fn(char) -> bool) -> std::ops::Range<usize> {
    let start =
        characters(bytes).find(|(_, character, _)| !cut(*character)).map_or(bytes.len(), |found| found.0);
    let mut end = bytes.len();
    while let Some((character, width)) = bytes.get(start..end).and_then(last) {
        if !cut(character) {
            break;
        }
        end -= width;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_characters() {
        let found: Vec<_> = characters(b"a\xe2\x82\xc3\xa9").collect();
        assert_eq!(found, [(0, 'a', 1), (1, '\u{fffd}', 1), (2, '\u{fffd}', 1), (3, 'é', 2)]);
        assert_eq!(last(b"a\xe2\x82"), Some(('\u{fffd}', 1)));
        assert_eq!(last("é".as_bytes()), Some(('é', 2)));
        assert_eq!(last(b""), None);
        assert_eq!(trimmed(b" \xff ", char::is_whitespace), 1..2);
        assert_eq!(trimmed(b"  ", char::is_whitespace), 2..2);
    }
}
