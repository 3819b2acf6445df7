//! Clear-signed text: readable text with a signature below it.

const BEGIN: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";
const HASHES: &[&str] = &["SHA224", "SHA256", "SHA384", "SHA512", "SHA3-256", "SHA3-512"];

/// A clear-signed text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The bytes that were signed: lines that end with CR and LF, without what was put in to carry them.
    pub(super) signed: Vec<u8>,
    /// The same as text.
    pub(super) text: String,
    /// The signature, armoured.
    pub(super) armour: Vec<u8>,
}

impl Block {
    /// The first clear-signed text; what stands before it is not looked at.
    pub(super) fn find(bytes: &[u8]) -> Option<Self> {
        let mut lines = Lines { rest: bytes };
        lines.by_ref().find(|line| *line == BEGIN)?;
        loop {
            let header = std::str::from_utf8(lines.next()?).ok()?;
            if header.trim().is_empty() {
                break;
            }
            let (name, values) = header.split_once(':')?;
            let is_known = |value: &str| HASHES.contains(&value.trim().to_ascii_uppercase().as_str());
            if name.trim() != "Hash" || !values.split(',').all(is_known) {
                return None;
            }
        }
        let (mut signed, mut text) = (Vec::new(), String::new());
        let mut is_first = true;
        let armour = loop {
            let start = lines.rest;
            let line = lines.next()?;
            if line == SIGNATURE {
                break start;
            }
            let line = line.strip_prefix(b"- ").unwrap_or(line);
            let kept = line.len() - line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let line = line.get(..kept).unwrap_or_default();
            if !is_first {
                signed.extend_from_slice(b"\r\n");
                text.push('\n');
            }
            is_first = false;
            signed.extend_from_slice(line);
            text.push_str(&String::from_utf8_lossy(line));
        };
        let end = armour.windows(END.len()).position(|window| window == END)?;
        let armour = armour.get(..end.saturating_add(END.len()))?.to_vec();
        Some(Block { signed, text, armour })
    }
}

/// Text without the spaces at the ends of its lines, which are not part of what is signed.
pub(super) fn without_trailing_spaces(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches([' ', '\t', '\r'])).collect();
    lines.join("\n")
}

/// The lines of bytes, without their ends.
struct Lines<'b> {
    rest: &'b [u8],
}

impl<'b> Iterator for Lines<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let mut parts = self.rest.splitn(2, |byte| *byte == b'\n');
        let line = parts.next().unwrap_or_default();
        self.rest = parts.next().unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_found_and_taken_apart() {
        let text = "before\n-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA512\r\n\r\na  \r\n- -b\n\n-----BEGIN PGP SIGNATURE-----\n\nxx\n-----END PGP SIGNATURE-----\nbehind";
        let block = Block::find(text.as_bytes()).unwrap();
        assert_eq!(block.signed, b"a\r\n-b\r\n");
        assert_eq!(block.text, "a\n-b\n");
        assert_eq!(block.armour, b"-----BEGIN PGP SIGNATURE-----\n\nxx\n-----END PGP SIGNATURE-----");
        for broken in [
            "",
            "-----BEGIN PGP SIGNED MESSAGE-----",
            "-----BEGIN PGP SIGNED MESSAGE-----x\n\na\n",
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\na\n-----BEGIN PGP SIGNATURE-----\n-----END PGP SIGNATURE-----",
            "-----BEGIN PGP SIGNED MESSAGE-----\nComment: x\n\na\n-----BEGIN PGP SIGNATURE-----\n-----END PGP SIGNATURE-----",
            "-----BEGIN PGP SIGNED MESSAGE-----\n\na\n",
            "-----BEGIN PGP SIGNED MESSAGE-----\n\na\n-----BEGIN PGP SIGNATURE-----\n",
        ] {
            assert_eq!(Block::find(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn spaces_at_the_end_of_lines_are_not_signed() {
        assert_eq!(without_trailing_spaces("a \t\n b\r\n\n"), "a\n b\n\n");
    }
}
