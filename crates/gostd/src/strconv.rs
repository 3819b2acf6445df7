//! Numbers parsed like Go's `strconv`.

use std::fmt;

use crate::quote::quote;

/// Why a string is not an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoInt {
    /// Its syntax is invalid.
    Syntax,
    /// It is out of range; holds the nearest possible value.
    Range(i64),
}

impl NoInt {
    /// The error of the `strconv` function that parsed the string.
    pub fn of(self, function: &'static str, text: &[u8]) -> NotANumber {
        NotANumber { function, text: text.to_vec(), why: self }
    }
}

impl fmt::Display for NoInt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            NoInt::Syntax => "invalid syntax",
            NoInt::Range(_) => "value out of range",
        })
    }
}

/// The error of a `strconv` function for a string that is not a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotANumber {
    /// The name of the function, such as `Atoi`.
    pub function: &'static str,
    /// The string.
    pub text: Vec<u8>,
    /// The reason.
    pub why: NoInt,
}

impl fmt::Display for NotANumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "strconv.{}: parsing {}: {}", self.function, quote(&self.text), self.why)
    }
}

impl std::error::Error for NotANumber {}

/// Go's `strconv.ParseInt` for 64 bits. Base 0 means that the prefix determines it.
pub fn parse_int(text: &[u8], base: u32) -> Result<i64, NoInt> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let nearest = NoInt::Range(if negative { i64::MIN } else { i64::MAX });
    let magnitude = i128::from(parse_unsigned(unsigned, base, nearest)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).map_err(|_| nearest)
}

/// Go reports an overflow before it reads the rest.
fn parse_unsigned(text: &[u8], base: u32, too_large: NoInt) -> Result<u64, NoInt> {
    let (base, digits, underscores) = match (base, text) {
        (_, []) => return Err(NoInt::Syntax),
        (0, [b'0', b'b' | b'B', digits @ ..]) if !digits.is_empty() => (2, digits, true),
        (0, [b'0', b'o' | b'O', digits @ ..]) if !digits.is_empty() => (8, digits, true),
        (0, [b'0', b'x' | b'X', digits @ ..]) if !digits.is_empty() => (16, digits, true),
        (0, [b'0', digits @ ..]) => (8, digits, true),
        (0, digits) => (10, digits, true),
        (base, digits) => (base, digits, false),
    };
    let mut value: u64 = 0;
    for &byte in digits {
        if byte == b'_' && underscores {
            continue;
        }
        let digit = char::from(byte).to_digit(base).ok_or(NoInt::Syntax)?;
        let next = value.checked_mul(u64::from(base)).and_then(|value| value.checked_add(u64::from(digit)));
        value = next.ok_or(too_large)?;
    }
    if underscores_fit(text) { Ok(value) } else { Err(NoInt::Syntax) }
}

/// Whether underscores are only between digits; a prefix counts as one.
fn underscores_fit(text: &[u8]) -> bool {
    if !text.contains(&b'_') {
        return true;
    }
    let unsigned = match text {
        [b'-' | b'+', rest @ ..] => rest,
        _ => text,
    };
    let (mut last, hexadecimal, rest) = match unsigned {
        [b'0', b'x' | b'X', rest @ ..] => (b'0', true, rest),
        [b'0', b'b' | b'B' | b'o' | b'O', rest @ ..] => (b'0', false, rest),
        rest => (b'^', false, rest),
    };
    for &byte in rest {
        if byte.is_ascii_digit() || (hexadecimal && byte.is_ascii_hexdigit()) {
            last = b'0';
        } else if byte == b'_' {
            if last != b'0' {
                return false;
            }
            last = b'_';
        } else {
            if last == b'_' {
                return false;
            }
            last = b'!';
        }
    }
    last != b'_'
}

/// Go's `strconv.ParseFloat`; `None` also for numbers that are too large.
pub fn parse_float(text: &[u8]) -> Option<f64> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let lower = unsigned.to_ascii_lowercase();
    let magnitude = match &*lower {
        b"inf" | b"infinity" => f64::INFINITY,
        // Go's message has no sign.
        b"nan" if unsigned.len() == text.len() => f64::NAN,
        [b'0', b'x', digits @ ..] => hexadecimal(digits, &lower)?,
        _ => decimal(&lower)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn decimal(lower: &[u8]) -> Option<f64> {
    let starts_well = matches!(lower, [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..]);
    let known = lower.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-' | b'_'));
    if !starts_well || !known || !underscores_fit(lower) {
        return None;
    }
    let digits: Vec<u8> = lower.iter().copied().filter(|byte| *byte != b'_').collect();
    let value: f64 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// `1.8p3`: the digits are hexadecimal; the exponent is required and is a decimal power of two.
fn hexadecimal(digits: &[u8], whole: &[u8]) -> Option<f64> {
    if !underscores_fit(whole) {
        return None;
    }
    let position = digits.iter().position(|byte| *byte == b'p')?;
    let (mantissa, exponent) = digits.split_at_checked(position)?;
    let exponent: Vec<u8> = exponent.iter().copied().skip(1).filter(|byte| *byte != b'_').collect();
    let exponent: i64 = std::str::from_utf8(&exponent).ok()?.parse().ok()?;
    let exponent = exponent.clamp(-100_000, 100_000);
    // Digits that do not fit are merged into the lowest bit, which is all that rounding needs.
    let (mut value, mut scale, mut fraction, mut any) = (0u128, 0i64, false, false);
    for &byte in mantissa {
        match byte {
            b'_' => {}
            b'.' if fraction => return None,
            b'.' => fraction = true,
            _ => {
                any = true;
                let digit = u128::from(char::from(byte).to_digit(16)?);
                if value >> 120 == 0 {
                    value = value << 4 | digit;
                    scale -= if fraction { 4 } else { 0 };
                } else {
                    value |= u128::from(digit != 0);
                    scale += if fraction { 0 } else { 4 };
                }
            }
        }
    }
    let result = scaled(value, scale.saturating_add(exponent));
    (any && result.is_finite()).then_some(result)
}

/// The nearest number to `value` times a power of two, rounded once.
fn scaled(value: u128, exponent: i64) -> f64 {
    const SMALLEST: i64 = -1074;
    if value == 0 {
        return 0.0;
    }
    let bits = i64::from(128 - value.leading_zeros());
    // How many low bits do not fit: those beyond 53, or below the smallest number.
    let excess = (bits - 53).max(SMALLEST - exponent);
    if excess <= 0 {
        return scaled_by_power_of_two(value as f64, exponent);
    }
    if excess > bits + 1 {
        return 0.0;
    }
    let kept = if excess >= 128 { 0 } else { value >> excess };
    let half = 1u128.checked_shl(u32::try_from(excess - 1).unwrap_or(128)).unwrap_or(0);
    let low = if excess >= 128 { value } else { value & ((1u128 << excess) - 1) };
    let up = half != 0 && (low > half || (low == half && kept & 1 == 1));
    let exponent = exponent.saturating_add(excess);
    scaled_by_power_of_two((kept + u128::from(up)) as f64, exponent)
}

/// In steps, because a power of two can be out of range even if the result is not.
pub fn scaled_by_power_of_two(mut value: f64, mut exponent: i64) -> f64 {
    exponent = exponent.clamp(-5000, 5000);
    while exponent > 1000 {
        value *= 2f64.powi(1000);
        exponent -= 1000;
    }
    while exponent < -1000 {
        value *= 2f64.powi(-1000);
        exponent += 1000;
    }
    value * 2f64.powi(exponent as i32)
}
