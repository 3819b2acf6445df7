//! Binary data in text: base64 between two lines that say what it is.

use trueline_gostd::base64::STANDARD;

/// A block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) label: String,
    pub(super) bytes: Vec<u8>,
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// Writes a block.
pub(crate) fn encode(label: &str, bytes: &[u8]) -> String {
    let mut out = format!("-----BEGIN {label}-----\n");
    for line in STANDARD.encode(bytes).as_bytes().chunks(64) {
        out.push_str(&String::from_utf8_lossy(line));
        out.push('\n');
    }
    out.push_str(&format!("-----END {label}-----\n"));
    out
}

/// The first block of the text; what is around it does not matter.
pub(super) fn decode(text: &[u8]) -> Option<Block> {
    let mut rest = text;
    loop {
        let end = find(rest, END)?;
        let after_end = rest.get(end + END.len()..)?;
        // Of several beginnings the last one before the end counts.
        let begin = rfind(rest.get(..end)?, BEGIN);
        let starts_line = |begin: usize| begin == 0 || rest.get(begin - 1) == Some(&b'\n');
        let block = begin.filter(|begin| starts_line(*begin)).and_then(|begin| {
            let inside = rest.get(begin + BEGIN.len()..end)?;
            read(inside, after_end)
        });
        if block.is_some() {
            return block;
        }
        rest = after_end;
    }
}

/// Reads what is between the beginning and the end: a label, headers, base64.
fn read(inside: &[u8], after_end: &[u8]) -> Option<Block> {
    let (line, mut rest) = take_line(inside);
    let label = line.strip_suffix(DASHES)?;
    let trailer = after_end.strip_prefix(label)?.strip_prefix(DASHES)?;
    if !take_line(trailer).0.is_empty() {
        return None;
    }
    loop {
        let (line, next) = take_line(rest);
        if !line.contains(&b':') {
            break;
        }
        rest = next;
    }
    let digits: Vec<u8> = rest.iter().copied().filter(|byte| !matches!(byte, b' ' | b'\t')).collect();
    let bytes = STANDARD.decode(&digits).ok()?;
    Some(Block { label: String::from_utf8_lossy(label).into_owned(), bytes })
}

fn take_line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    let line = text.get(..end).unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (line.trim_ascii_end(), text.get(end + 1..).unwrap_or_default())
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn rfind(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).rposition(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let bytes: Vec<u8> = (0..100).collect();
        let text = encode("SOME KEY", &bytes);
        assert!(text.lines().all(|line| line.len() <= 64));
        let block = Block { label: "SOME KEY".to_owned(), bytes };
        assert_eq!(decode(text.as_bytes()).unwrap(), block);
        let surrounded = format!("junk\n-----BEGIN X-----\n{}more", text.replace('\n', " \r\n"));
        assert_eq!(decode(surrounded.as_bytes()).unwrap(), block);
    }

    #[test]
    fn headers_are_passed_over() {
        let text = b"-----BEGIN A-----\nProc-Type: 4\n\nAQID\n-----END A-----";
        assert_eq!(decode(text).unwrap().bytes, [1, 2, 3]);
    }

    #[test]
    fn what_is_no_block() {
        for text in [
            "",
            "-----BEGIN A-----\nAQID\n",
            "-----BEGIN A-----\nAQID\n-----END B-----\n",
            "-----BEGIN A-----\n!\n-----END A-----\n",
            "x-----BEGIN A-----\nAQID\n-----END A-----\n",
            "-----BEGIN A-----\nAQID\n-----END A-----x\n",
        ] {
            assert!(decode(text.as_bytes()).is_none(), "{text}");
        }
    }
}
