//! Patterns for paths as Go's `filepath.Match` reads them: `*`, `?`, `[a-z]`, `[^a]` and `\`.

/// A pattern that Go calls malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPattern;

/// Go's words for a malformed pattern.
pub(crate) const BAD_PATTERN: &str = "syntax error in pattern";

/// Whether a pattern matches all of a name. As in Go, a pattern is checked only as far as it is needed.
pub fn path_match(pattern: &str, name: &str) -> Result<bool, BadPattern> {
    let (mut pattern, mut name) = (pattern.as_bytes(), name.as_bytes());
    'pieces: while !pattern.is_empty() {
        let (star, piece, rest) = next_piece(pattern);
        pattern = rest;
        if star && piece.is_empty() {
            return Ok(!name.contains(&b'/'));
        }
        if let Some(left) = begins(piece, name)?
            && (left.is_empty() || !pattern.is_empty())
        {
            name = left;
            continue;
        }
        if star {
            for (index, byte) in name.iter().enumerate() {
                if *byte == b'/' {
                    break;
                }
                let behind = name.get(index + 1..).unwrap_or_default();
                if let Some(left) = begins(piece, behind)?
                    && (left.is_empty() || !pattern.is_empty())
                {
                    name = left;
                    continue 'pieces;
                }
            }
        }
        return Ok(false);
    }
    Ok(name.is_empty())
}

/// Whether there is a star in front, what stands up to the next one, and the rest.
fn next_piece(pattern: &[u8]) -> (bool, &[u8], &[u8]) {
    let stars = pattern.iter().take_while(|byte| **byte == b'*').count();
    let pattern = pattern.get(stars..).unwrap_or_default();
    let mut in_class = false;
    let mut bytes = pattern.iter().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' if !in_class => {
                let (piece, rest) = pattern.split_at(index);
                return (stars > 0, piece, rest);
            }
            _ => {}
        }
    }
    (stars > 0, pattern, &[])
}

/// What is left of a name after a piece without stars; `None` if the name does not begin with it.
fn begins<'a>(mut piece: &[u8], name: &'a [u8]) -> Result<Option<&'a [u8]>, BadPattern> {
    if !piece.iter().any(|byte| matches!(byte, b'[' | b'?' | b'\\')) {
        return Ok(name.strip_prefix(piece));
    }
    // After a mismatch the piece is still read to its end, for it may be malformed.
    let mut left = Some(name);
    while let Some((&first, rest)) = piece.split_first() {
        left = left.filter(|left| !left.is_empty());
        piece = rest;
        match first {
            b'[' => {
                let character = left.map(decode);
                let fits = class(&mut piece, character.map(|(character, _)| character))?;
                left = match (left, character) {
                    (Some(left), Some((_, width))) if fits => left.get(width..),
                    _ => None,
                };
            }
            b'?' => {
                left = left
                    .filter(|left| left.first() != Some(&b'/'))
                    .and_then(|left| left.get(decode(left).1..));
            }
            _ => {
                let mut literal = first;
                if first == b'\\' {
                    let (&escaped, rest) = piece.split_first().ok_or(BadPattern)?;
                    (literal, piece) = (escaped, rest);
                }
                left = left.and_then(|left| left.strip_prefix(&[literal]));
            }
        }
    }
    Ok(left)
}

/// Whether a class, whose `[` was read, holds a character.
fn class(piece: &mut &[u8], character: Option<u32>) -> Result<bool, BadPattern> {
    let negated = piece.first() == Some(&b'^');
    if negated {
        *piece = piece.get(1..).unwrap_or_default();
    }
    let (mut found, mut ranges) = (false, 0);
    loop {
        if piece.first() == Some(&b']') && ranges > 0 {
            *piece = piece.get(1..).unwrap_or_default();
            return Ok(found != negated);
        }
        let low = class_character(piece)?;
        let mut high = low;
        if piece.first() == Some(&b'-') {
            *piece = piece.get(1..).unwrap_or_default();
            high = class_character(piece)?;
        }
        found = found || character.is_some_and(|character| (low..=high).contains(&character));
        ranges += 1;
    }
}

fn class_character(piece: &mut &[u8]) -> Result<u32, BadPattern> {
    if matches!(piece.first(), None | Some(b'-' | b']')) {
        return Err(BadPattern);
    }
    if piece.first() == Some(&b'\\') {
        *piece = piece.get(1..).unwrap_or_default();
        if piece.is_empty() {
            return Err(BadPattern);
        }
    }
    let (character, width) = decode(piece);
    *piece = piece.get(width..).unwrap_or_default();
    // A class must be closed.
    if piece.is_empty() { Err(BadPattern) } else { Ok(character) }
}

/// The first character and its width; pieces are cut at bytes, so a lone byte stands for a broken one.
fn decode(bytes: &[u8]) -> (u32, usize) {
    let head = bytes.get(..bytes.len().min(4)).unwrap_or_default();
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
    };
    match valid.chars().next() {
        Some(character) => (character as u32, character.len_utf8()),
        None => (char::REPLACEMENT_CHARACTER as u32, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, name, matched) in [
            ("abc", "abc", true),
            ("*", "abc", true),
            ("*c", "abc", true),
            ("a*", "a", true),
            ("a*", "ab/c", false),
            ("a*/b", "abc/b", true),
            ("a*/b", "a/c/b", false),
            ("a*b*c*d*e*/f", "axbxcxdxe/f", true),
            ("a*b*c*d*e*/f", "axbxcxdxexxx/fff", false),
            ("a*b?c*x", "abxbbxdbxebxczzx", true),
            ("ab[c]", "abc", true),
            ("ab[b-d]", "abc", true),
            ("ab[e-g]", "abc", false),
            ("ab[^c]", "abc", false),
            ("ab[^e-g]", "abc", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "ab", false),
            ("a?b", "a☺b", true),
            ("a[^a]b", "a☺b", true),
            ("a???b", "a☺b", false),
            ("[a-ζ]*", "α", true),
            ("*[a-ζ]", "A", false),
            ("a?b", "a/b", false),
            ("a*b", "a/b", false),
            ("[\\]a]", "]", true),
            ("[\\-x]", "-", true),
            ("[x\\-]", "z", false),
            ("*x", "xxx", true),
            ("", "", true),
            ("templates/.?*", "templates/.hidden", true),
            ("templates/.?*", "templates/.", false),
        ] {
            assert_eq!(path_match(pattern, name), Ok(matched), "{pattern} {name}");
        }
    }

    #[test]
    fn malformed_patterns_are_noticed_where_they_are_read() {
        for pattern in ["[]a]", "[-]", "[x-]", "[-x]", "[", "[^", "[^bc", "a[", "ab\\", "[a-b-c]", "[\\"] {
            assert_eq!(path_match(pattern, "abc"), Err(BadPattern), "{pattern}");
        }
        assert_eq!(path_match("x*[", "abc"), Ok(false), "what follows a mismatch is not read");
        assert_eq!(path_match("a*[", "abc"), Err(BadPattern));
    }
}
