//! One verb's flags, and the padding, numbers and strings that depend on them alone.

use super::float::float_text;
use trueline_gostd::quote::{Keep, can_be_raw, quote_character, write_quoted};

/// Everything between `%` and the verb.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`
    pub(super) plus_v: bool,
    /// `%#v`
    pub(super) sharp_v: bool,
}

/// Whether a number has a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Minus,
    None,
}

/// The padding before and after a string, for the verb's width.
pub(super) struct Padding {
    pub(super) byte: u8,
    pub(super) before: usize,
    pub(super) behind: usize,
}

impl Flags {
    /// The padding around a string of this many characters.
    pub(super) fn padding(&self, characters: usize) -> Padding {
        let fill = self.width.unwrap_or(0).saturating_sub(characters);
        let byte = if self.zero && !self.minus { b'0' } else { b' ' };
        if self.minus {
            Padding { byte, before: 0, behind: fill }
        } else {
            Padding { byte, before: fill, behind: 0 }
        }
    }

    /// The same flags without zero padding.
    pub(super) fn without_zero(mut self) -> Self {
        self.zero = false;
        self
    }

    /// How many bytes of the string the precision keeps.
    pub(super) fn truncated(&self, text: &[u8]) -> usize {
        let Some(precision) = self.precision else { return text.len() };
        characters(text).take(precision).sum()
    }

    /// Digits of an integer with sign, prefix and zeros.
    pub(super) fn integer(&self, magnitude: u64, sign: Sign, base: Base) -> String {
        let mut minimum = 0;
        if let Some(precision) = self.precision {
            if precision == 0 && magnitude == 0 {
                return String::new();
            }
            minimum = precision;
        } else if self.zero
            && !self.minus
            && let Some(width) = self.width
        {
            let signed = sign == Sign::Minus || self.plus || self.space;
            minimum = width.saturating_sub(usize::from(signed));
        }
        let digits = match base {
            Base::Binary => format!("{magnitude:b}"),
            Base::Octal | Base::OctalPrefixed => format!("{magnitude:o}"),
            Base::Decimal => magnitude.to_string(),
            Base::Hex => format!("{magnitude:x}"),
            Base::UpperHex => format!("{magnitude:X}"),
        };
        let zeros = minimum.saturating_sub(digits.len());
        let mut text = String::with_capacity(digits.len() + zeros + 3);
        text.push_str(match sign {
            Sign::Minus => "-",
            Sign::None if self.plus => "+",
            Sign::None if self.space => " ",
            Sign::None => "",
        });
        if base == Base::OctalPrefixed {
            text.push_str("0o");
        }
        if self.sharp {
            text.push_str(match base {
                Base::Binary => "0b",
                Base::Octal | Base::OctalPrefixed if zeros == 0 && !digits.starts_with('0') => "0",
                Base::Hex => "0x",
                Base::UpperHex => "0X",
                _ => "",
            });
        }
        text.extend(std::iter::repeat_n('0', zeros));
        text.push_str(&digits);
        text
    }

    /// `U+0041`, with `#` also the character.
    pub(super) fn unicode(&self, code: u64) -> String {
        let digits = self.precision.unwrap_or(0).max(4);
        let mut text = format!("U+{code:0digits$X}");
        if self.sharp
            && let Some(character) = u32::try_from(code).ok().and_then(char::from_u32)
            && trueline_gostd::unicode::is_print(character)
        {
            text.push_str(&format!(" '{character}'"));
        }
        text
    }

    /// A number as a character in quotes.
    pub(super) fn quoted_character(&self, code: u64) -> String {
        quote_character(character(code), self.keep())
    }

    /// The string in quotes.
    pub(super) fn quoted(&self, text: &[u8]) -> String {
        let text = text.get(..self.truncated(text)).unwrap_or(text);
        if self.sharp && can_be_raw(text) {
            return format!("`{}`", String::from_utf8_lossy(text));
        }
        let mut quoted = String::new();
        write_quoted(&mut quoted, text, self.keep());
        quoted
    }

    fn keep(&self) -> Keep {
        if self.plus { Keep::Ascii } else { Keep::Printable }
    }

    /// Bytes as hexadecimal digits.
    pub(super) fn hex(&self, text: &[u8], base: Base) -> String {
        let length = self.precision.map_or(text.len(), |precision| precision.min(text.len()));
        let prefix = match (self.sharp, base) {
            (false, _) => "",
            (true, Base::UpperHex) => "0X",
            (true, _) => "0x",
        };
        let mut digits = String::with_capacity(2 * length);
        for (index, byte) in text.iter().take(length).enumerate() {
            if index > 0 && self.space {
                digits.push(' ');
            }
            if index == 0 || self.space {
                digits.push_str(prefix);
            }
            digits.push_str(&if base == Base::UpperHex {
                format!("{byte:02X}")
            } else {
                format!("{byte:02x}")
            });
        }
        digits
    }

    /// A floating-point number, always with a sign, and where its padding goes.
    pub(super) fn float(&self, value: f64, verb: u8, precision: Option<usize>) -> String {
        let precision = self.precision.or(precision);
        let mut text = float_text(value, verb, precision);
        if !text.starts_with(['-', '+']) {
            text.insert(0, '+');
        }
        if self.space && text.starts_with('+') && !self.plus {
            text.replace_range(..1, " ");
        }
        if value.is_finite() && self.sharp && verb != b'b' {
            text = with_point(&text, verb, precision);
        }
        text
    }
}

/// The digits of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Binary,
    Octal,
    /// `0o17`
    OctalPrefixed,
    Decimal,
    Hex,
    UpperHex,
}

/// The character of a code; U+FFFD for an invalid code.
pub(super) fn character(code: u64) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The lengths of the characters; an invalid byte counts as one.
pub(super) fn characters(text: &[u8]) -> impl Iterator<Item = usize> {
    text.utf8_chunks()
        .flat_map(|chunk| chunk.valid().chars().map(char::len_utf8).chain(chunk.invalid().iter().map(|_| 1)))
}

/// The `#` flag: always a point, and for `%g` and `%x` all digits of the precision.
fn with_point(text: &str, verb: u8, precision: Option<usize>) -> String {
    let mut digits = match verb {
        b'g' | b'G' | b'x' => precision.unwrap_or(6) as i64,
        _ => 0,
    };
    let hexadecimal = matches!(verb, b'x' | b'X');
    let (sign, unsigned) = text.split_at_checked(1).unwrap_or((text, ""));
    let tail = unsigned.find(|letter| match letter {
        'p' | 'P' => true,
        'e' | 'E' => !hexadecimal,
        _ => false,
    });
    let (number, tail) = unsigned.split_at_checked(tail.unwrap_or(unsigned.len())).unwrap_or((unsigned, ""));
    let mut nonzero = false;
    for letter in number.chars().filter(|letter| *letter != '.') {
        nonzero |= letter != '0';
        digits -= i64::from(nonzero);
    }
    let mut result = format!("{sign}{number}");
    if !number.contains('.') {
        if number == "0" {
            digits -= 1;
        }
        result.push('.');
    }
    result.extend(std::iter::repeat_n('0', usize::try_from(digits).unwrap_or(0)));
    result.push_str(tail);
    result
}
