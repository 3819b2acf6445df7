//! From a text template to its pieces of text and code.

use crate::error::{Error, ErrorKind};

/// Whether a piece is printed or run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Text,
    Code,
}

/// A piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    pub(super) kind: PieceKind,
    /// What it says, without `(@` and `@)`.
    pub(super) content: &'t [u8],
    /// Where the content starts in the text.
    pub(super) offset: usize,
    /// The line that it starts on, if the text starts on `first_line`.
    pub(super) line: u32,
}

/// The pieces of a template: text and code in turn, beginning and ending with text.
pub(super) fn parse(text: &[u8], first_line: u32) -> Result<Vec<Piece<'_>>, Error> {
    let mut pieces = Vec::new();
    let mut current = Piece { kind: PieceKind::Text, content: &[], offset: 0, line: first_line };
    let mut line = first_line;
    let mut line_start = 0;
    // Both delimiters end with a sign that is looked for; nothing else but line breaks matters.
    for at in memchr::memchr3_iter(b'@', b')', b'\n', text) {
        let before = at.checked_sub(1).and_then(|before| text.get(before)).copied();
        let fault = |what: &str| {
            let column = columns(text.get(line_start..at).unwrap_or_default()) + 1;
            Error::new(ErrorKind::Syntax, format!("{what} at line {line} col {column}"))
        };
        match (text.get(at), before, current.kind) {
            (Some(b'\n'), ..) => {
                line += 1;
                line_start = at + 1;
            }
            (Some(b'@'), Some(b'('), PieceKind::Code) => return Err(fault("Unexpected code opening '(@'")),
            (Some(b')'), Some(b'@'), PieceKind::Text) => return Err(fault("Unexpected code closing '@)'")),
            (Some(b'@'), Some(b'('), PieceKind::Text) | (Some(b')'), Some(b'@'), PieceKind::Code) => {
                let content = text.get(current.offset..at - 1).unwrap_or_default();
                pieces.push(Piece { content, ..current });
                let kind = if current.kind == PieceKind::Text { PieceKind::Code } else { PieceKind::Text };
                current = Piece { kind, content: &[], offset: at + 1, line };
            }
            _ => {}
        }
    }
    if current.kind == PieceKind::Code {
        let column = columns(text.get(line_start..).unwrap_or_default()) + 1;
        let message = format!("Missing code closing '@)' at line {line} col {column}");
        return Err(Error::new(ErrorKind::Syntax, message));
    }
    pieces.push(Piece { content: text.get(current.offset..).unwrap_or_default(), ..current });
    Ok(pieces)
}

/// How many characters Go sees: bytes that are not UTF-8 count one each.
fn columns(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

/// What the signs at the ends of a code piece say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs<'t> {
    pub(super) trims_before: bool,
    pub(super) trims_after: bool,
    pub(super) prints: bool,
    pub(super) code: &'t [u8],
}

impl<'t> Signs<'t> {
    pub(super) fn read(content: &'t [u8]) -> Signs<'t> {
        let mut code = content;
        for sign in [b"-=".as_slice(), b"=", b"-"] {
            code = code.strip_prefix(sign).unwrap_or(code);
        }
        Signs {
            trims_before: content.starts_with(b"-"),
            trims_after: content.ends_with(b"-"),
            prints: content.starts_with(b"=") || content.starts_with(b"-="),
            code: code.strip_suffix(b"-").unwrap_or(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_codes_take_turns() {
        let text = "a(@= x @)\nb(@ y @)(@)é";
        let pieces: Vec<(PieceKind, &str, u32)> = parse(text.as_bytes(), 3)
            .unwrap()
            .iter()
            .map(|piece| (piece.kind, std::str::from_utf8(piece.content).unwrap(), piece.line))
            .collect();
        assert_eq!(
            pieces,
            [
                (PieceKind::Text, "a", 3),
                (PieceKind::Code, "= x ", 3),
                (PieceKind::Text, "\nb", 3),
                (PieceKind::Code, " y ", 4),
                (PieceKind::Text, "", 4),
                (PieceKind::Code, "", 4),
                (PieceKind::Text, "é", 4),
            ]
        );
    }

    #[test]
    fn delimiters_have_to_match() {
        for (text, expected) in [
            ("ab (@ c (@ d @)", "Unexpected code opening '(@' at line 1 col 10"),
            ("é\né@) (@ c", "Unexpected code closing '@)' at line 2 col 3"),
            ("a\nb (@ c", "Missing code closing '@)' at line 2 col 7"),
        ] {
            assert_eq!(parse(text.as_bytes(), 1).unwrap_err().text(), expected, "{text}");
        }
    }

    #[test]
    fn signs_trim_and_print() {
        for (content, before, after, prints, code) in [
            (" x ", false, false, false, " x "),
            ("- x -", true, true, false, " x "),
            ("-= x", true, false, true, " x"),
            ("= x -", false, true, true, " x "),
            ("-", true, true, false, ""),
        ] {
            let signs = Signs::read(content.as_bytes());
            let expected = Signs { trims_before: before, trims_after: after, prints, code: code.as_bytes() };
            assert_eq!(signs, expected, "{content}");
        }
    }
}
