//! Patterns for paths as Go's `filepath.Match` reads them: `*`, `?`, `[a-z]`, `[^a]` and `\`.

/// A pattern that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadPattern;

/// One thing that a pattern asks for.
#[derive(Debug, PartialEq)]
enum Part {
    Byte(u8),
    /// Any character but `/`.
    Any,
    /// A character in, or not in, one of the ranges; `/` is one like any other.
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// Parts that follow each other, with or without a `*` before them.
#[derive(Debug, Default)]
struct Chunk {
    star: bool,
    parts: Vec<Part>,
}

/// Whether a pattern matches a whole path.
pub(crate) fn path_match(pattern: &str, path: &str) -> Result<bool, BadPattern> {
    let chunks = parse(pattern)?;
    let mut rest = path.as_bytes();
    for (index, chunk) in chunks.iter().enumerate() {
        let is_last = index + 1 == chunks.len();
        if chunk.star && chunk.parts.is_empty() {
            return Ok(!rest.contains(&b'/'));
        }
        // The first place where a chunk fits is taken for good, as Go does.
        let mut start = 0;
        let found = loop {
            let Some(name) = rest.get(start..) else { break None };
            if let Some(left) = matched(&chunk.parts, name)
                && (!is_last || left.is_empty())
            {
                break Some(left);
            }
            if !chunk.star || name.first().is_none_or(|&byte| byte == b'/') {
                break None;
            }
            start += 1;
        };
        match found {
            Some(left) => rest = left,
            None => return Ok(false),
        }
    }
    Ok(rest.is_empty())
}

fn parse(pattern: &str) -> Result<Vec<Chunk>, BadPattern> {
    let mut chunks = Vec::new();
    let mut chunk = Chunk::default();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' => {
                if chunk.parts.is_empty() {
                    chunk.star = true;
                } else {
                    chunks.push(std::mem::replace(&mut chunk, Chunk { star: true, parts: Vec::new() }));
                }
            }
            '?' => chunk.parts.push(Part::Any),
            '[' => chunk.parts.push(class(&mut characters)?),
            '\\' => literal(characters.next().ok_or(BadPattern)?, &mut chunk.parts),
            other => literal(other, &mut chunk.parts),
        }
    }
    if chunk.star || !chunk.parts.is_empty() {
        chunks.push(chunk);
    }
    Ok(chunks)
}

fn literal(character: char, parts: &mut Vec<Part>) {
    parts.extend(character.encode_utf8(&mut [0; 4]).bytes().map(Part::Byte));
}

fn class(characters: &mut std::str::Chars<'_>) -> Result<Part, BadPattern> {
    let mut ahead = characters.clone();
    let is_negated = ahead.next() == Some('^');
    if is_negated {
        *characters = ahead;
    }
    let mut ranges = Vec::new();
    loop {
        let mut ahead = characters.clone();
        if !ranges.is_empty() && ahead.next() == Some(']') {
            *characters = ahead;
            return Ok(Part::Class { is_negated, ranges });
        }
        let low = bound(characters)?;
        let mut ahead = characters.clone();
        let high = if ahead.next() == Some('-') {
            *characters = ahead;
            bound(characters)?
        } else {
            low
        };
        ranges.push((low, high));
    }
}

/// An end of a range. Something must follow it: at least the `]`.
fn bound(characters: &mut std::str::Chars<'_>) -> Result<char, BadPattern> {
    let character = match characters.next() {
        None | Some('-' | ']') => return Err(BadPattern),
        Some('\\') => characters.next().ok_or(BadPattern)?,
        Some(character) => character,
    };
    if characters.as_str().is_empty() { Err(BadPattern) } else { Ok(character) }
}

/// What is left of a name behind the parts, if they fit.
fn matched<'n>(parts: &[Part], mut name: &'n [u8]) -> Option<&'n [u8]> {
    for part in parts {
        match part {
            Part::Byte(byte) => name = name.strip_prefix(std::slice::from_ref(byte))?,
            Part::Any => {
                if name.first() == Some(&b'/') {
                    return None;
                }
                name = first(name)?.1;
            }
            Part::Class { is_negated, ranges } => {
                let (character, left) = first(name)?;
                let is_in = ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
                if is_in == *is_negated {
                    return None;
                }
                name = left;
            }
        }
    }
    Some(name)
}

/// The first character, and what is behind it; a byte that begins none stands for itself.
fn first(name: &[u8]) -> Option<(char, &[u8])> {
    let chunk = name.get(..name.len().min(4))?.utf8_chunks().next()?;
    let (character, length) = match chunk.valid().chars().next() {
        Some(character) => (character, character.len_utf8()),
        None => (char::REPLACEMENT_CHARACTER, 1),
    };
    Some((character, name.get(length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, path, expected) in [
            ("abc", "abc", Ok(true)),
            ("*", "abc", Ok(true)),
            ("*c", "abc", Ok(true)),
            ("a*", "ab/c", Ok(false)),
            ("a*/b", "abc/b", Ok(true)),
            ("a*/b", "a/c/b", Ok(false)),
            ("a*b*c*d*e*/f", "axbxcxdxe/f", Ok(true)),
            ("a*b*c*d*e*/f", "axbxcxdxexxx/fff", Ok(false)),
            ("a*b?c*x", "abxbbxdbxebxczzx", Ok(true)),
            ("a*b?c*x", "abxbbxdbxebxczzy", Ok(false)),
            ("ab[c]", "abc", Ok(true)),
            ("ab[b-d]", "abc", Ok(true)),
            ("ab[^e-g]", "abc", Ok(true)),
            ("a\\*b", "a*b", Ok(true)),
            ("a\\*b", "ab", Ok(false)),
            ("a?b", "a☺b", Ok(true)),
            ("a[^a]b", "a☺b", Ok(true)),
            ("a???b", "a☺b", Ok(false)),
            ("[a-ζ]*", "α", Ok(true)),
            ("*[a-ζ]", "A", Ok(false)),
            ("a?b", "a/b", Ok(false)),
            ("a*b", "a/b", Ok(false)),
            ("[\\]a]", "]", Ok(true)),
            ("[\\-x]", "x", Ok(true)),
            ("[]a]", "]", Err(BadPattern)),
            ("[-]", "-", Err(BadPattern)),
            ("[x-]", "x", Err(BadPattern)),
            ("[a-b-c]", "a", Err(BadPattern)),
            ("[", "a", Err(BadPattern)),
            ("[^bc", "a", Err(BadPattern)),
            ("a[", "ab", Err(BadPattern)),
            ("*x", "xxx", Ok(true)),
            ("", "", Ok(true)),
            ("", "a", Ok(false)),
            ("a", "", Ok(false)),
            ("\\", "a", Err(BadPattern)),
        ] {
            assert_eq!(path_match(pattern, path), expected, "{pattern} on {path}");
        }
    }
}
