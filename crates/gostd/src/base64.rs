//! Base64 as Go's `encoding/base64` writes and reads it.

/// Which characters represent 62 and 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alphabet {
    /// `+` and `/`.
    #[default]
    Standard,
    /// `-` and `_`, which are safe in a URL.
    Url,
}

/// Whether the last group is padded with `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Padding {
    /// It is padded.
    #[default]
    Padded,
    /// It is not padded.
    Raw,
}

/// Whether the unused bits of the last digit must be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trailing {
    /// They may be anything.
    #[default]
    Any,
    /// They must be zero.
    Zero,
}

/// A form of base64; the default is the standard one with padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Encoding {
    /// The two last digits.
    pub alphabet: Alphabet,
    /// The end of the last group.
    pub padding: Padding,
    /// The bits after the last byte.
    pub trailing: Trailing,
}

/// Standard base64 with padding.
pub const STANDARD: Encoding =
    Encoding { alphabet: Alphabet::Standard, padding: Padding::Padded, trailing: Trailing::Any };

/// The digits of a group.
const GROUP: usize = 4;

/// The offset at which Go reports an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Illegal(pub usize);

impl std::fmt::Display for Illegal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "illegal base64 data at input byte {}", self.0)
    }
}

impl std::error::Error for Illegal {}

impl Encoding {
    fn digits(self) -> &'static [u8; 64] {
        match self.alphabet {
            Alphabet::Standard => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            Alphabet::Url => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        }
    }

    fn value(self, digit: u8) -> Option<u32> {
        Some(match (digit, self.alphabet) {
            (b'A'..=b'Z', _) => u32::from(digit - b'A'),
            (b'a'..=b'z', _) => u32::from(digit - b'a') + 26,
            (b'0'..=b'9', _) => u32::from(digit - b'0') + 52,
            (b'+', Alphabet::Standard) | (b'-', Alphabet::Url) => 62,
            (b'/', Alphabet::Standard) | (b'_', Alphabet::Url) => 63,
            _ => return None,
        })
    }

    /// Encodes bytes.
    pub fn encode(self, bytes: &[u8]) -> String {
        let digits = self.digits();
        let mut text = String::with_capacity(bytes.len().div_ceil(3) * GROUP);
        for chunk in bytes.chunks(3) {
            let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte));
            let group = group << (8 * (3 - chunk.len()));
            for position in 0..GROUP {
                if position <= chunk.len() {
                    text.push(char::from(digits[(group >> (18 - 6 * position) & 63) as usize]));
                } else if self.padding == Padding::Padded {
                    text.push('=');
                }
            }
        }
        text
    }

    /// Decodes a string, or returns where Go reports the error. Line breaks are allowed anywhere.
    pub fn decode(self, text: &[u8]) -> Result<Vec<u8>, Illegal> {
        let mut bytes = Vec::with_capacity(text.len() / GROUP * 3 + 3);
        let (mut group, mut digits, mut offset) = (0u32, 0, 0);
        while let Some(&byte) = text.get(offset) {
            offset += 1;
            if let Some(value) = self.value(byte) {
                group = group << 6 | value;
                digits += 1;
                if digits == GROUP {
                    bytes.extend_from_slice(&group.to_be_bytes()[1..]);
                    (group, digits) = (0, 0);
                }
                continue;
            }
            match byte {
                b'\n' | b'\r' => continue,
                b'=' if digits >= 2 && self.padding == Padding::Padded => {}
                _ => return Err(Illegal(offset - 1)),
            }
            let end = after_padding(text, offset, digits)?;
            self.finish(&mut bytes, group, digits, end)?;
            // Only now does Go report that something follows.
            return if end < text.len() { Err(Illegal(end)) } else { Ok(bytes) };
        }
        if digits == 0 {
            return Ok(bytes);
        }
        if digits == 1 || self.padding == Padding::Padded {
            return Err(Illegal(offset - digits));
        }
        self.finish(&mut bytes, group, digits, offset)?;
        Ok(bytes)
    }

    /// Adds the bytes of the last group, which has two or three digits.
    fn finish(self, bytes: &mut Vec<u8>, group: u32, digits: usize, end: usize) -> Result<(), Illegal> {
        let group = group << (6 * (GROUP - digits));
        let whole = digits - 1;
        let [_, all @ ..] = group.to_be_bytes();
        let (kept, rest) = all.split_at(whole.min(all.len()));
        if self.trailing == Trailing::Zero && rest.iter().any(|byte| *byte != 0) {
            // Go's offset is one or two bytes before the last byte that it read.
            return Err(Illegal(end.saturating_sub(if whole == 1 { 2 } else { 1 })));
        }
        bytes.extend_from_slice(kept);
        Ok(())
    }
}

/// The end of the padding of a group, and of the line breaks after it, when the first `=` was read. A group of
/// two digits needs two of them.
fn after_padding(text: &[u8], offset: usize, digits: usize) -> Result<usize, Illegal> {
    let skip_breaks = |mut offset: usize| {
        while matches!(text.get(offset), Some(b'\n' | b'\r')) {
            offset += 1;
        }
        offset
    };
    let mut offset = skip_breaks(offset);
    if digits == 2 {
        match text.get(offset) {
            None => return Err(Illegal(text.len())),
            Some(b'=') => offset = skip_breaks(offset + 1),
            Some(_) => return Err(Illegal(offset - 1)),
        }
    }
    Ok(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: Encoding = Encoding { alphabet: Alphabet::Url, ..STANDARD };
    const RAW: Encoding = Encoding { padding: Padding::Raw, ..STANDARD };
    const STRICT: Encoding = Encoding { trailing: Trailing::Zero, ..STANDARD };

    #[test]
    fn text_survives_the_round_trip() {
        let raw_url = Encoding { padding: Padding::Raw, ..URL };
        for text in ["", "f", "fo", "foo", "foob", "fooba", "foobar", "\u{fffd}\0 long enough for two groups"]
        {
            for encoding in [STANDARD, URL, RAW, STRICT, raw_url] {
                let encoded = encoding.encode(text.as_bytes());
                assert_eq!(encoding.decode(encoded.as_bytes()), Ok(text.as_bytes().to_vec()), "{encoded}");
            }
        }
        let texts: Vec<_> =
            [&b""[..], b"a", b"ab", b"abc", b"abcd"].map(|bytes| STANDARD.encode(bytes)).into();
        assert_eq!(texts, ["", "YQ==", "YWI=", "YWJj", "YWJjZA=="]);
        assert_eq!(STANDARD.decode(b"Zm\n9v\r\n"), Ok(b"foo".to_vec()));
        assert_eq!(URL.encode(b"\xfb\xff"), "-_8=");
        assert_eq!(raw_url.encode(b"\xfb\xff"), "-_8");
    }

    /// The offsets were recorded from Go.
    #[test]
    fn errors_are_at_go_s_offset() {
        for (encoding, text, place) in [
            (STANDARD, "a", 0),
            (STANDARD, "ab", 0),
            (STANDARD, "ab=", 3),
            (STANDARD, "ab=c", 2),
            (STANDARD, "ab==c", 4),
            (STANDARD, "a===", 1),
            (STANDARD, "ab c", 2),
            (STANDARD, "abcde", 4),
            (STANDARD, "passwd", 4),
            (STANDARD, "YQ=x", 2),
            (STANDARD, "-_8=", 0),
            (URL, "+/8=", 0),
            (RAW, "YQ==", 2),
            (RAW, "YWJjZ", 4),
            (STRICT, "YR==", 2),
            (STRICT, "YWJ=", 3),
            (STRICT, "YR==x", 2),
            (Encoding { padding: Padding::Raw, ..STRICT }, "YR", 0),
        ] {
            assert_eq!(encoding.decode(text.as_bytes()), Err(Illegal(place)), "{text} {encoding:?}");
        }
        assert_eq!(Illegal(4).to_string(), "illegal base64 data at input byte 4");
    }
}
