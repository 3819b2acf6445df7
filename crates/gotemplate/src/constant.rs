//! The constants of templates: numbers, characters and strings, with the rules and messages of `strconv`.

use crate::fmt::quote;
use crate::node::{Number, TemplatePlace};
pub use trueline_gostd::quote::unquote;
use trueline_gostd::quote::{Unquoted, unquote_character};

/// Why a constant is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConstantError {
    /// An escape that does not exist, or nothing between the quotes of a character.
    Syntax,
    /// More than one character between single quotes.
    SeveralCharacters,
    /// An integer beyond 64 bits.
    Overflow,
    /// Digits that are not a number.
    Number,
    /// A complex number that Go's scanner cannot read, with Go's message.
    Complex(String),
}

impl ConstantError {
    /// Go's message about the constant `text`.
    pub(crate) fn message(&self, text: &[u8]) -> String {
        match self {
            ConstantError::Syntax => "invalid syntax".to_owned(),
            ConstantError::SeveralCharacters => {
                format!("malformed character constant: {}", String::from_utf8_lossy(text))
            }
            ConstantError::Overflow => format!("integer overflow: {}", quote(text)),
            ConstantError::Number => format!("illegal number syntax: {}", quote(text)),
            ConstantError::Complex(words) => words.clone(),
        }
    }
}

/// The value of a character constant, quotes included in the text.
pub(crate) fn character(text: &[u8], place: TemplatePlace) -> Result<Number, ConstantError> {
    let inside = text.get(1..).unwrap_or_default();
    let (value, rest) = unquote_character(inside, b'\'').ok_or(ConstantError::Syntax)?;
    if rest != b"'" {
        return Err(ConstantError::SeveralCharacters);
    }
    let code = match value {
        Unquoted::Character(character) => u32::from(character),
        Unquoted::Byte(byte) => u32::from(byte),
    };
    Ok(Number {
        place,
        int: Some(i64::from(code)),
        uint: Some(u64::from(code)),
        float: Some(f64::from(code)),
        complex: None,
    })
}

/// The value of a number with a real and an imaginary part.
pub(crate) fn complex(text: &[u8], place: TemplatePlace) -> Result<Number, ConstantError> {
    let unreadable = || ConstantError::Complex("syntax error scanning complex number".to_owned());
    let (real, rest) = float_token(text);
    let Some((b'+' | b'-', behind)) = rest.split_first() else { return Err(unreadable()) };
    let (digits, tail) = float_token(behind);
    if tail.first() != Some(&b'i') {
        return Err(unreadable());
    }
    let imaginary = rest.get(..1 + digits.len()).unwrap_or_default();
    let value = |part: &[u8]| {
        parse_float(part).map_err(|error| {
            let reason = match error {
                FloatError::Syntax => "invalid syntax",
                FloatError::Range => "value out of range",
            };
            ConstantError::Complex(format!("strconv.ParseFloat: parsing {}: {reason}", quote(part)))
        })
    };
    Ok(simplified(place, value(real)?, value(imaginary)?))
}

/// The value of any other number.
pub(crate) fn number(text: &[u8], place: TemplatePlace) -> Result<Number, ConstantError> {
    if let Some(digits) = text.strip_suffix(b"i")
        && let Ok(imaginary) = parse_float(digits)
    {
        return Ok(simplified(place, 0.0, imaginary));
    }
    let mut number = Number { place, uint: parse_uint(text), int: parse_int(text), ..Number::default() };
    if let Some(int) = number.int {
        number.float = Some(int as f64);
        // Because of its sign, minus zero is not an unsigned integer.
        if int == 0 {
            number.uint = number.uint.or(Some(0));
        }
    } else if let Some(uint) = number.uint {
        number.float = Some(uint as f64);
    } else {
        let float = parse_float(text).map_err(|_| ConstantError::Number)?;
        if !text.iter().any(|byte| b".eEpP".contains(byte)) {
            return Err(ConstantError::Overflow);
        }
        number.float = Some(float);
        number.int = whole_int(float);
        number.uint = whole_uint(float);
    }
    Ok(number)
}

/// A complex number in all types it can have.
fn simplified(place: TemplatePlace, real: f64, imaginary: f64) -> Number {
    let float = (imaginary == 0.0).then_some(real);
    Number {
        place,
        int: float.and_then(whole_int),
        uint: float.and_then(whole_uint),
        float,
        complex: Some((real, imaginary)),
    }
}

/// Two to the power of 63.
const INT_LIMIT: f64 = 9_223_372_036_854_775_808.0;

fn whole_int(float: f64) -> Option<i64> {
    ((-INT_LIMIT..INT_LIMIT).contains(&float) && float.fract() == 0.0).then_some(float as i64)
}

fn whole_uint(float: f64) -> Option<u64> {
    ((0.0..2.0 * INT_LIMIT).contains(&float) && float.fract() == 0.0).then_some(float as u64)
}

fn parse_int(text: &[u8]) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => 0i64.checked_sub_unsigned(parse_uint(digits)?),
        [b'+', digits @ ..] => parse_uint(digits)?.try_into().ok(),
        digits => parse_uint(digits)?.try_into().ok(),
    }
}

fn parse_uint(text: &[u8]) -> Option<u64> {
    let (base, digits) = match text {
        [] => return None,
        [b'0', b'b' | b'B', digits @ ..] if !digits.is_empty() => (2, digits),
        [b'0', b'o' | b'O', digits @ ..] if !digits.is_empty() => (8, digits),
        [b'0', b'x' | b'X', digits @ ..] if !digits.is_empty() => (16, digits),
        [b'0', digits @ ..] => (8, digits),
        digits => (10, digits),
    };
    let mut value: u64 = 0;
    for byte in digits.iter().filter(|byte| **byte != b'_') {
        let digit = char::from(*byte).to_digit(base)?;
        value = value.checked_mul(u64::from(base))?.checked_add(u64::from(digit))?;
    }
    underscores_separate_digits(text).then_some(value)
}

/// Whether each underscore is between digits, or between the prefix of a base and a digit.
fn underscores_separate_digits(text: &[u8]) -> bool {
    if !text.contains(&b'_') {
        return true;
    }
    let unsigned = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    let (mut digit_before, hexadecimal, rest) = match unsigned {
        [b'0', b'x' | b'X', rest @ ..] => (true, true, rest),
        [b'0', b'b' | b'B' | b'o' | b'O', rest @ ..] => (true, false, rest),
        rest => (false, false, rest),
    };
    let mut underscore_before = false;
    for byte in rest {
        let digit = byte.is_ascii_digit() || hexadecimal && byte.is_ascii_hexdigit();
        let underscore = *byte == b'_';
        if underscore && !digit_before || underscore_before && !digit {
            return false;
        }
        (digit_before, underscore_before) = (digit, underscore);
    }
    !underscore_before
}

/// The part of the text that Go's scanner reads as a floating-point number, and the rest.
fn float_token(text: &[u8]) -> (&[u8], &[u8]) {
    let mut length = 0;
    let mut accept = |set: &[u8]| {
        let found = text.get(length).is_some_and(|byte| set.contains(byte));
        length += usize::from(found);
        found
    };
    accept(b"+-");
    // It could be the start of an infinity, and Go's scanner does not put it back if it is not.
    accept(b"iI");
    let hexadecimal = accept(b"0") && accept(b"xX");
    let digits: &[u8] = if hexadecimal { b"0123456789aAbBcCdDeEfF_" } else { b"0123456789_" };
    while accept(digits) {}
    if accept(b".") {
        while accept(digits) {}
    }
    if accept(if hexadecimal { b"pP" } else { b"eE" }) {
        accept(b"+-");
        while accept(b"0123456789_") {}
    }
    text.split_at_checked(length).unwrap_or((text, b""))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FloatError {
    Syntax,
    Range,
}

/// `strconv.ParseFloat` without infinity and NaN, which cannot be tokens.
fn parse_float(text: &[u8]) -> Result<f64, FloatError> {
    if !underscores_separate_digits(text) {
        return Err(FloatError::Syntax);
    }
    let digits: String = text.iter().filter(|byte| **byte != b'_').map(|byte| char::from(*byte)).collect();
    let (negative, unsigned) = match digits.as_bytes() {
        [b'-', ..] => (true, digits.get(1..)),
        [b'+', ..] => (false, digits.get(1..)),
        _ => (false, Some(digits.as_str())),
    };
    let unsigned = unsigned.unwrap_or_default();
    let value = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', hexadecimal @ ..] => parse_hexadecimal(hexadecimal).ok_or(FloatError::Syntax)?,
        [b'0'..=b'9' | b'.', ..] => unsigned.parse::<f64>().map_err(|_| FloatError::Syntax)?,
        _ => return Err(FloatError::Syntax),
    };
    if value.is_infinite() {
        return Err(FloatError::Range);
    }
    Ok(if negative { -value } else { value })
}

/// A hexadecimal floating-point number after its `0x`; the exponent is required.
fn parse_hexadecimal(text: &[u8]) -> Option<f64> {
    let split = text.iter().position(|byte| matches!(byte, b'p' | b'P'))?;
    let (mantissa, exponent) = text.split_at_checked(split)?;
    let exponent = std::str::from_utf8(exponent.get(1..)?).ok()?;
    if !exponent.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    // A larger exponent than any number has is treated as the largest.
    let exponent = match exponent.parse::<i64>() {
        Ok(exponent) => exponent.clamp(-100_000, 100_000),
        Err(_) if exponent.starts_with('-') => -100_000,
        Err(_) => 100_000,
    };
    let mut value: u64 = 0;
    let mut shift: i64 = 0;
    let (mut point, mut digits) = (false, false);
    for byte in mantissa {
        if *byte == b'.' {
            if std::mem::replace(&mut point, true) {
                return None;
            }
            continue;
        }
        let digit = u64::from(char::from(*byte).to_digit(16)?);
        digits = true;
        if value >> 60 == 0 {
            value = value << 4 | digit;
            shift -= if point { 4 } else { 0 };
        } else {
            // Of the bits that are shifted out, only their presence matters.
            value |= u64::from(digit != 0);
            shift += if point { 0 } else { 4 };
        }
    }
    digits.then(|| scaled(value, shift + exponent))
}

/// A number times a power of two, rounded to nearest, ties to even.
fn scaled(value: u64, exponent: i64) -> f64 {
    if value == 0 {
        return 0.0;
    }
    let leading = i64::from(value.leading_zeros());
    let value = value << leading;
    // The value of the highest bit; the highest of a double is that of 2^1023, its lowest that of 2^-1074.
    let highest = exponent - leading + 63;
    if highest > 1023 {
        return f64::INFINITY;
    }
    let kept = (highest + 1075).clamp(0, 53) as u32;
    let (mut bits, rest) = match kept {
        0 => (0, u128::from(value)),
        kept => (value >> (64 - kept), u128::from(value) & ((1u128 << (64 - kept)) - 1)),
    };
    // Below the lowest bit, only values of at least half of it round up.
    let half = if highest < -1075 { u128::MAX } else { 1u128 << (63 - kept) };
    if rest > half || rest == half && bits & 1 == 1 {
        bits += 1;
    }
    let lowest = (highest + 1 - i64::from(kept)) as i32;
    // Both factors and the product are exact: the bits are no more than a double can hold.
    let halves = lowest / 2;
    bits as f64 * 2f64.powi(halves) * 2f64.powi(lowest - halves)
}

/// The value of a string constant, quotes included in the text.
pub(crate) fn string(text: &[u8]) -> Result<Vec<u8>, ConstantError> {
    let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let has = |byte| memchr::memchr(byte, inside).is_some();
    if text.first() == Some(&b'`') {
        if !has(b'\r') {
            return Ok(inside.to_vec());
        }
        return Ok(inside.iter().copied().filter(|byte| *byte != b'\r').collect());
    }
    if !has(b'\\') && std::str::from_utf8(inside).is_ok() {
        return Ok(inside.to_vec());
    }
    unquote(inside, b'"').ok_or(ConstantError::Syntax)
}
