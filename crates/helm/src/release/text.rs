//! White space at the ends of bytes that need not be text, as Go's `strings` trims it.

/// Whether there is nothing but white space.
pub(crate) fn is_blank(bytes: &[u8]) -> bool {
    trim_start(bytes) == bytes.len()
}

/// Where white space at the start ends.
pub(crate) fn trim_start(bytes: &[u8]) -> usize {
    let mut start = 0;
    while let Some(rest) = bytes.get(start..)
        && let Some(length) = leading_space(rest)
    {
        start += length;
    }
    start
}

/// Where white space at the end begins, not before `from`.
pub(crate) fn trim_end(bytes: &[u8], from: usize) -> usize {
    let mut end = bytes.len().max(from);
    while end > from {
        let character = (1..=4.min(end - from)).find_map(|length| {
            let tail = bytes.get(end - length..end)?;
            // Bytes that only continue a character are no start of one.
            (leading_space(tail) == Some(length)).then_some(length)
        });
        match character {
            Some(length) => end -= length,
            None => break,
        }
    }
    end
}

/// The length of the white space character that the bytes begin with.
fn leading_space(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    if first.is_ascii() {
        return char::from(first).is_whitespace().then_some(1);
    }
    let chunk = bytes.get(..bytes.len().min(4))?;
    let character = chunk.utf8_chunks().next()?.valid().chars().next()?;
    character.is_whitespace().then_some(character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_of_every_kind_is_trimmed() {
        for (text, start, end) in [
            ("", 0, 0),
            (" \n\t", 3, 3),
            (" a b ", 1, 4),
            ("\u{2003}a\u{a0}\u{85}", 3, 4),
            ("\u{200b}", 0, 3),
        ] {
            assert_eq!(trim_start(text.as_bytes()), start, "{text:?}");
            assert_eq!(trim_end(text.as_bytes(), start), end, "{text:?}");
        }
        assert_eq!(trim_end(b"a\xa0", 0), 2, "half a character is none");
        assert!(is_blank("\u{3000}\r\n".as_bytes()) && !is_blank(b"\xff"));
    }
}
