//! Base64 and base32.

use trueline_gostd::base64::STANDARD;
use trueline_gotemplate::{Context, Error, Function, Str, Type, Uses, Value};

use crate::argument::{any, text};
use crate::define::fixed;

const TEXT: &[Type] = &[Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("b64enc", TEXT, b64enc, "STRING", "The string in base64.").with(Uses::Printed),
    fixed("b64dec", TEXT, b64dec, "STRING", "The decoded base64 string, or the error message."),
    fixed("b32enc", TEXT, b32enc, "STRING", "The string in base32."),
    fixed("b32dec", TEXT, b32dec, "STRING", "The decoded base32 string, or the error message."),
];

/// An alphabet, and how its digits are grouped.
struct Base {
    digits: &'static [u8],
    /// The bits of a digit.
    bits: usize,
    /// The digits of a group.
    group: usize,
}

const BASE32: Base = Base { digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: 8 };

fn b64enc(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    made(arguments, STANDARD.encode(text(arguments, 0).as_bytes()).into_bytes())
}

fn b64dec(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let decoded = STANDARD.decode(text(arguments, 0).as_bytes());
    made(arguments, decoded.unwrap_or_else(|wrong| wrong.to_string().into_bytes()))
}

fn b32enc(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    made(arguments, BASE32.encode(text(arguments, 0).as_bytes()))
}

fn b32dec(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let decoded = decode_base32(text(arguments, 0).as_bytes());
    let complaint = |place| format!("illegal base32 data at input byte {place}").into_bytes();
    made(arguments, decoded.unwrap_or_else(complaint))
}

fn made(arguments: &[Value], bytes: Vec<u8>) -> Result<Value, Error> {
    Ok(Value::from(Str::from(bytes)).at(any(arguments, 0).origin))
}

impl Base {
    /// Encodes bytes.
    fn encode(&self, bytes: &[u8]) -> Vec<u8> {
        let group_bytes = self.group * self.bits / 8;
        let mut text = Vec::with_capacity(bytes.len().div_ceil(group_bytes) * self.group);
        for chunk in bytes.chunks(group_bytes) {
            let mut bits = chunk.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            bits <<= 8 * (group_bytes - chunk.len());
            let digits = (chunk.len() * 8).div_ceil(self.bits);
            for position in 0..self.group {
                let shift = self.bits * (self.group - 1 - position);
                let digit = (bits >> shift) as usize & (self.digits.len() - 1);
                text.push(if position < digits {
                    self.digits.get(digit).copied().unwrap_or(b'=')
                } else {
                    b'='
                });
            }
        }
        text
    }

    fn value(&self, digit: u8) -> Option<u64> {
        self.digits.iter().position(|other| *other == digit).map(|value| value as u64)
    }

    /// Adds the bytes of a group of digits, without the last ones if there was padding.
    fn push_group(&self, bytes: &mut Vec<u8>, digits: &[u64]) {
        let group_bytes = self.group * self.bits / 8;
        let bits = digits.iter().fold(0, |bits, digit| bits << self.bits | digit);
        let bits = bits << (self.bits * (self.group - digits.len()));
        let whole = digits.len() * self.bits / 8;
        bytes.extend((0..whole).map(|index| (bits >> (8 * (group_bytes - 1 - index))) as u8));
    }
}

/// The bytes, or the offset at which Go reports the error, not counting line breaks.
fn decode_base32(text: &[u8]) -> Result<Vec<u8>, usize> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    let mut bytes = Vec::with_capacity(text.len() / 8 * 5 + 5);
    let mut digits = Vec::with_capacity(BASE32.group);
    for (offset, &byte) in text.iter().enumerate() {
        let left = text.len() - offset - 1;
        if byte == b'=' && digits.len() >= 2 && left < 8 {
            if left + digits.len() < 7 {
                return Err(text.len());
            }
            for index in 0..7 - digits.len() {
                if text.get(offset + 1 + index).is_some_and(|byte| *byte != b'=') {
                    return Err(offset + index);
                }
            }
            if matches!(digits.len(), 3 | 6) {
                return Err(offset);
            }
            BASE32.push_group(&mut bytes, &digits);
            return Ok(bytes);
        }
        digits.push(BASE32.value(byte).ok_or(offset)?);
        if digits.len() == BASE32.group {
            BASE32.push_group(&mut bytes, &digits);
            digits.clear();
        }
    }
    if digits.is_empty() { Ok(bytes) } else { Err(text.len() - digits.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::check;

    #[test]
    fn text_survives_the_round_trip() {
        for text in ["", "f", "fo", "foo", "foob", "fooba", "foobar", "\u{fffd}\0 long enough for two groups"]
        {
            assert_eq!(decode_base32(&BASE32.encode(text.as_bytes())), Ok(text.as_bytes().to_vec()));
        }
        assert_eq!(BASE32.encode(b"fooba"), b"MZXW6YTB");
        assert_eq!(BASE32.encode(b"foob"), b"MZXW6YQ=");
    }

    #[test]
    fn errors_are_at_go_s_offset() {
        for (text, place) in
            [("M", 0), ("MZ=", 3), ("MZ=====a", 6), ("MZX=====", 3), ("mz======", 0), ("MZ1", 2)]
        {
            assert_eq!(decode_base32(text.as_bytes()), Err(place), "{text}");
        }
    }

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"b64enc "hello""#, r#"string "aGVsbG8=""#),
            (r#"b64dec "aGVsbG8=""#, r#"string "hello""#),
            (r#"b64dec "aGVsbG8""#, r#"string "illegal base64 data at input byte 4""#),
            (r#"b64dec "a!""#, r#"string "illegal base64 data at input byte 1""#),
            (r#"b32enc "hello""#, r#"string "NBSWY3DP""#),
            (r#"b32dec "NBSWY3DP""#, r#"string "hello""#),
            (r#"b32dec "nb""#, r#"string "illegal base32 data at input byte 0""#),
            ("b64enc 1", "! expected string; found 1"),
        ]);
    }
}
