//! The binary form of keys and certificates (DER): written by nesting, parsed piece by piece.

use num_bigint::BigUint;

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const NULL: u8 = 0x05;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const UTF8_STRING: u8 = 0x0c;
pub(super) const PRINTABLE_STRING: u8 = 0x13;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const GENERALIZED_TIME: u8 = 0x18;
pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// A part with its tag and length.
pub(super) fn tagged(tag: u8, contents: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match contents.len() {
        length @ 0..0x80 => out.push(length as u8),
        length => {
            let bytes = length.to_be_bytes();
            let digits: Vec<u8> = bytes.iter().copied().skip_while(|byte| *byte == 0).collect();
            out.push(0x80 | digits.len() as u8);
            out.extend(digits);
        }
    }
    out.extend_from_slice(contents);
    out
}

/// Parts one after the other under one tag.
pub(super) fn nested(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    tagged(tag, &parts.concat())
}

pub(super) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    nested(SEQUENCE, parts)
}

/// A non-negative number.
pub(super) fn integer(number: &BigUint) -> Vec<u8> {
    let mut bytes = number.to_bytes_be();
    if bytes.first().is_some_and(|first| first & 0x80 != 0) {
        bytes.insert(0, 0);
    }
    tagged(INTEGER, &bytes)
}

pub(super) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    nested(BIT_STRING, &[&[0], bytes])
}

/// A parser of the parts of this form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

/// One part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) tag: u8,
    pub(super) contents: &'a [u8],
    /// With its tag and length.
    pub(super) whole: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next part, whatever it is.
    pub(super) fn any(&mut self) -> Option<Part<'a>> {
        let (&tag, rest) = self.rest.split_first()?;
        let (&first, rest) = rest.split_first()?;
        // Tags and lengths of several bytes beyond four do not occur.
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (length, rest) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let shortest = digits.first().is_some_and(|digit| *digit != 0) && digits.len() <= 4;
            let length = digits.iter().fold(0_usize, |length, digit| length << 8 | usize::from(*digit));
            if !shortest || length < 0x80 {
                return None;
            }
            (length, rest)
        };
        let (contents, rest) = rest.split_at_checked(length)?;
        let whole = self.rest.get(..self.rest.len() - rest.len())?;
        self.rest = rest;
        Some(Part { tag, contents, whole })
    }

    /// The next part, if it has this tag.
    pub(super) fn part(&mut self, tag: u8) -> Option<Part<'a>> {
        let before = self.rest;
        let part = self.any().filter(|part| part.tag == tag);
        if part.is_none() {
            self.rest = before;
        }
        part
    }

    pub(super) fn contents(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.part(tag).map(|part| part.contents)
    }

    /// The content of the next part, if it has this tag.
    pub(super) fn inside(&mut self, tag: u8) -> Option<Self> {
        self.contents(tag).map(Self::new)
    }

    /// The bytes of a number in the shortest form.
    pub(super) fn integer_bytes(&mut self) -> Option<&'a [u8]> {
        self.contents(INTEGER).filter(|bytes| match bytes {
            [] => false,
            [0, second, ..] => second & 0x80 != 0,
            [0xff, second, ..] => second & 0x80 == 0,
            _ => true,
        })
    }

    /// A non-negative number.
    pub(super) fn unsigned(&mut self) -> Option<BigUint> {
        let bytes =
            self.integer_bytes().filter(|bytes| bytes.first().is_some_and(|first| first & 0x80 == 0))?;
        Some(BigUint::from_bytes_be(bytes))
    }

    /// The bytes of a bit string without unused bits.
    pub(super) fn bit_string(&mut self) -> Option<&'a [u8]> {
        self.contents(BIT_STRING)?.strip_prefix(&[0])
    }
}

/// An object identifier with dots.
pub(super) fn dotted(identifier: &[u8]) -> String {
    let mut numbers: Vec<u128> = Vec::new();
    let mut value: u128 = 0;
    for byte in identifier {
        value = value.checked_mul(128).unwrap_or(0) | u128::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            if numbers.is_empty() {
                let first = (value / 40).min(2);
                numbers.push(first);
                value -= first * 40;
            }
            numbers.push(value);
            value = 0;
        }
    }
    numbers.iter().map(u128::to_string).collect::<Vec<_>>().join(".")
}

/// Go's error about bytes that are not the expected sequence with this name.
pub(super) fn complaint(bytes: &[u8], name: &str) -> String {
    let [tag, length, rest @ ..] = bytes else {
        return "asn1: syntax error: sequence truncated".to_owned();
    };
    let digits = usize::from(if *length < 0x80 { 0 } else { length & 0x7f });
    let size = match rest.get(..digits) {
        Some([]) => u64::from(*length),
        Some(digits) => digits.iter().fold(0_u64, |size, digit| size << 8 | u64::from(*digit)),
        None => return "asn1: syntax error: truncated base 128 integer".to_owned(),
    };
    if *tag != SEQUENCE {
        return format!(
            "asn1: structure error: tags don't match (16 vs {{class:{} tag:{} length:{size} isCompound:{}}}) \
             {{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> \
             stringType:0 timeType:0 set:false omitEmpty:false}} {name} @{}",
            tag >> 6,
            tag & 0x1f,
            tag & 0x20 != 0,
            digits + 2
        );
    }
    if size > (rest.len() - digits) as u64 {
        return "asn1: syntax error: data truncated".to_owned();
    }
    "asn1: syntax error: sequence truncated".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let long = vec![7; 300];
        let written =
            sequence(&[&integer(&BigUint::from(200_u32)), &tagged(OCTET_STRING, &long), &bit_string(b"x")]);
        let mut reader = Reader::new(&written).inside(SEQUENCE).unwrap();
        assert_eq!(reader.unsigned().unwrap(), BigUint::from(200_u32));
        assert!(reader.part(INTEGER).is_none());
        assert_eq!(reader.contents(OCTET_STRING).unwrap(), long);
        assert_eq!(reader.bit_string().unwrap(), b"x");
        assert!(reader.is_empty());
    }

    #[test]
    fn truncated_or_malformed_bytes_are_refused() {
        for bytes in [
            &b""[..],
            b"\x30",
            b"\x30\x02\x00",
            b"\x30\x81\x01\x00",
            b"\x30\x84\xff\xff\xff\xff",
            b"\x1f\x00",
        ] {
            assert!(Reader::new(bytes).any().is_none(), "{bytes:?}");
        }
        assert!(Reader::new(b"\x02\x02\x00\x01").unsigned().is_none());
        assert!(Reader::new(b"\x02\x01\x80").unsigned().is_none());
    }

    #[test]
    fn error_messages() {
        for (bytes, expected) in [
            (&b""[..], "asn1: syntax error: sequence truncated"),
            (b"\x30\x00", "asn1: syntax error: sequence truncated"),
            (b"\x30\x20\x01", "asn1: syntax error: data truncated"),
            (
                b"hello",
                "asn1: structure error: tags don't match (16 vs {class:1 tag:8 length:101 isCompound:true}) \
                 {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> \
                 stringType:0 timeType:0 set:false omitEmpty:false} pkcs8 @2",
            ),
        ] {
            assert_eq!(complaint(bytes, "pkcs8"), expected);
        }
    }

    #[test]
    fn identifiers() {
        assert_eq!(dotted(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]), "1.2.840.113549.1.1.11");
        assert_eq!(dotted(&[0x55, 0x1d, 0x0e]), "2.5.29.14");
    }
}
