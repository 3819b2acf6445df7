//! Bytes that are not UTF-8, as go-yaml writes them.

use super::style::Analysis;
use crate::ScalarStyle;

/// So many characters of base64 stand on a line.
const LINE: usize = 70;

/// The base64 text of bytes, in lines if it is long.
pub(super) fn text(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let length = bytes.len().div_ceil(3) * 4;
    // go-yaml breaks lines as soon as the last one is full, even if nothing follows.
    let in_lines = length / LINE + 1 > 1;
    let mut text = String::with_capacity(length + length / LINE + 1);
    let mut column = 0;
    let mut put = |character: char| {
        text.push(character);
        column += 1;
        if in_lines && column == LINE {
            text.push('\n');
            column = 0;
        }
    };
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0u32, |word, byte| (word << 8) | u32::from(*byte)) << (8 * (3 - group.len()));
        for index in 0..4 {
            let digit = (word >> (18 - 6 * index)) & 63;
            put(if index <= group.len() { char::from(DIGITS[digit as usize]) } else { '=' });
        }
    }
    if in_lines && column > 0 {
        text.push('\n');
    }
    text
}

/// How such a text is written.
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
