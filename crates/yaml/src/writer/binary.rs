//! Bytes that are not UTF-8, as go-yaml writes them.

use trueline_gostd::base64::STANDARD;

use super::style::Analysis;
use crate::ScalarStyle;

/// How many characters of base64 go on a line.
const LINE: usize = 70;

/// The base64 text of bytes, in lines if it is long.
pub(super) fn text(bytes: &[u8]) -> String {
    let encoded = STANDARD.encode(bytes);
    // go-yaml breaks lines as soon as the last one is full, even if nothing follows.
    if encoded.len() < LINE {
        return encoded;
    }
    let mut text = String::with_capacity(encoded.len() + encoded.len() / LINE + 1);
    for line in encoded.as_bytes().chunks(LINE) {
        text.extend(line.iter().copied().map(char::from));
        text.push('\n');
    }
    text
}

/// How such a string is written.
pub(super) fn analysis(text: &str) -> Analysis<'_> {
    let style = if text.contains('\n') { ScalarStyle::Literal } else { ScalarStyle::Plain };
    Analysis { text, style }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    #[test]
    fn text_is_base64_in_lines() {
        for (bytes, expected) in
            [(&b""[..], ""), (b"\xff", "/w=="), (b"\xff\xfe", "//4="), (b"\xff\xfe\xfd", "//79")]
        {
            assert_eq!(text(bytes), expected);
        }
        for length in 0..400usize {
            let bytes: Vec<u8> = (0..length).map(|index| (index * 7 % 251) as u8).collect();
            let text = text(&bytes);
            assert_eq!(resolve::base64(&text), Some(bytes));
            assert!(text.lines().all(|line| line.len() <= LINE));
            assert_eq!(text.ends_with('\n'), length.div_ceil(3) * 4 >= LINE, "{length}");
        }
    }
}
