//! Quantities such as `500m`, `2Gi` or `1e3`: Kubernetes' grammar, and their value.

/// A quantity in billionths. A value larger than the server can hold is capped, as the server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity(i128);

/// Why a string is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityError {
    /// It is not a number with a suffix.
    Form,
    /// It has a suffix but no number, and the suffix is one that the server does not read as zero.
    Number,
    /// The suffix is unknown.
    Suffix,
}

impl QuantityError {
    /// The server's message.
    pub fn text(self) -> &'static str {
        match self {
            QuantityError::Form => {
                "quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            QuantityError::Number => "unable to parse numeric part of quantity",
            QuantityError::Suffix => "unable to parse quantity's suffix",
        }
    }
}

/// The notation of a quantity, which the server keeps when it writes it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// In powers of 1024: `2Gi`.
    Binary,
    /// In powers of 1000: `500m`.
    Decimal,
    /// With an exponent: `1e3`.
    Exponent,
}

impl Notation {
    /// The notation of a valid quantity.
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        let exponent = text.find(['e', 'E']).and_then(|place| text.get(place + 1..));
        match text.ends_with('i') {
            true => Notation::Binary,
            false if exponent.is_some_and(|rest| !rest.is_empty()) => Notation::Exponent,
            false => Notation::Decimal,
        }
    }
}

/// A quantity split into its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// Whether it begins with a minus sign.
    pub is_negative: bool,
    /// The digits before the point.
    pub whole: &'a str,
    /// The digits after the point.
    pub fraction: &'a str,
    /// The base of the suffix: two or ten.
    pub base: u32,
    /// The exponent. The server keeps 32 bits of it.
    pub exponent: i32,
    /// The notation that the suffix stands for.
    pub notation: Notation,
}

impl<'a> Parts<'a> {
    /// Splits a quantity into its parts.
    pub fn read(text: &'a str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Form);
        }
        let (is_negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or_default()),
            Some(b'+') => (false, text.get(1..).unwrap_or_default()),
            _ => (false, text),
        };
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, rest) = rest.split_at(digits(rest));
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(digits(rest)),
            None => ("", rest),
        };
        let letters = suffix.bytes().take_while(|byte| b"eEinumkKMGTP".contains(byte)).count();
        let tail = suffix.get(letters..).unwrap_or_default();
        let number = tail.strip_prefix(['+', '-']).unwrap_or(tail);
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(QuantityError::Form);
        }
        let (base, exponent, notation) = scale(suffix).ok_or(QuantityError::Suffix)?;
        let is_far = if base == 2 { exponent > 40 } else { exponent < -9 };
        if whole.is_empty() && fraction.is_empty() && is_far {
            return Err(QuantityError::Number);
        }
        Ok(Parts { is_negative, whole, fraction, base, exponent, notation })
    }
}

const ONE: i128 = 1_000_000_000;
const LARGEST: i128 = i64::MAX as i128 * ONE;

impl Quantity {
    /// An integer.
    pub fn from_integer(number: i64) -> Self {
        Quantity(i128::from(number) * ONE)
    }

    /// Reads the text of a field. White space around it does not matter, except for what JSON writes as an
    /// escape, because the server reads the string without decoding escapes.
    pub fn read(text: &str) -> Result<Self, QuantityError> {
        let is_escaped = |sign: char| sign < ' ' || matches!(sign, '\u{2028}' | '\u{2029}');
        Self::parse(text.trim_matches(|sign: char| sign.is_whitespace() && !is_escaped(sign)))
    }

    /// Reads a quantity. One without digits is zero, as it is for the server.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let parts = Parts::read(text)?;
        let size = magnitude(parts.whole, parts.fraction, parts.base, parts.exponent.into()).min(LARGEST);
        Ok(Quantity(if parts.is_negative { -size } else { size }))
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether it is above zero.
    pub fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Whether it is an integer.
    pub fn is_whole(self) -> bool {
        self.0 % ONE == 0
    }

    /// Whether it is a multiple of another, which is an integer above zero.
    pub fn is_multiple_of(self, other: Quantity) -> bool {
        other.is_positive() && other.is_whole() && self.0.checked_rem(other.0) == Some(0)
    }

    /// The sum.
    pub fn plus(self, other: Quantity) -> Quantity {
        Quantity(self.0.saturating_add(other.0))
    }

    /// The difference.
    pub fn minus(self, other: Quantity) -> Quantity {
        Quantity(self.0.saturating_sub(other.0))
    }

    /// In thousandths, rounded up.
    pub fn thousandths(self) -> i128 {
        let part = ONE / 1000;
        self.0.div_euclid(part) + i128::from(self.0.rem_euclid(part) != 0)
    }

    /// The shortest notation, as the server writes it.
    pub fn written(self, notation: Notation) -> String {
        let is_binary = notation == Notation::Binary && self.is_whole() && self.0.abs() >= 1024 * ONE;
        let (mut number, step, suffixes): (i128, i128, &[&str]) = match is_binary {
            true => (self.0 / ONE, 1024, &["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]),
            false => (self.0, 1000, &["n", "u", "m", "", "k", "M", "G", "T", "P", "E"]),
        };
        if number == 0 {
            return "0".to_owned();
        }
        let mut power = 0;
        while number % step == 0 && power + 1 < suffixes.len() {
            number /= step;
            power += 1;
        }
        let suffix = suffixes.get(power).copied().unwrap_or_default();
        match notation {
            Notation::Exponent if !suffix.is_empty() => {
                format!("{number}e{}", 3 * i64::try_from(power).unwrap_or_default() - 9)
            }
            _ => format!("{number}{suffix}"),
        }
    }
}

/// What a suffix multiplies by: two or ten, and the exponent.
fn scale(suffix: &str) -> Option<(u32, i32, Notation)> {
    let decimal = |exponent| (10, exponent, Notation::Decimal);
    let binary = |exponent| (2, exponent, Notation::Binary);
    Some(match suffix {
        "" => decimal(0),
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            (10, exponent.parse::<i64>().ok()? as i32, Notation::Exponent)
        }
    })
}

/// The value in billionths, rounded up and saturated far above what is allowed.
fn magnitude(whole: &str, fraction: &str, base: u32, exponent: i64) -> i128 {
    // No quantity below the cap has more than thirty digits; the rest only matters for rounding.
    let mut size: i128 = 0;
    for byte in whole.bytes() {
        size = size.saturating_mul(10).saturating_add(i128::from(byte.wrapping_sub(b'0')));
        if size > LARGEST {
            size = LARGEST;
        }
    }
    let (mut decimals, mut rounds_up) = (0, false);
    for byte in fraction.bytes() {
        let digit = i128::from(byte.wrapping_sub(b'0'));
        if decimals < 18 && size < LARGEST / 10 {
            size = size * 10 + digit;
            decimals += 1;
        } else {
            rounds_up |= digit > 0;
        }
    }
    let mut exponent = exponent.clamp(-1000, 1000);
    if base == 2 {
        size = size.saturating_mul(1 << exponent.clamp(0, 60));
        exponent = 0;
    }
    let mut power = exponent + 9 - decimals;
    while power > 0 && size <= LARGEST && size > 0 {
        size = size.saturating_mul(10);
        power -= 1;
    }
    while power < 0 && size > 0 {
        rounds_up |= size % 10 != 0;
        size /= 10;
        power += 1;
    }
    size.saturating_add(i128::from(rounds_up))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_compared_by_value() {
        for (left, right) in [
            ("1", "1000m"),
            ("1Ki", "1024"),
            ("1k", "1e3"),
            ("1.5Gi", "1536Mi"),
            ("0.5", "500m"),
            (".5", "5e-1"),
            ("5.", "5"),
            ("+1", "1"),
            ("1E", "1e18"),
            ("9Ei", "9Ei"),
            ("100Ei", "9223372036854775807"),
            ("1n", "0.1n"),
            ("-0", "0"),
            ("+", "0"),
            (".", "0"),
            ("Gi", "0"),
            (".Gi", "0"),
            ("m", "0"),
            ("e3", "0"),
            ("1E3", "1k"),
            ("00001", "1"),
        ] {
            assert_eq!(Quantity::parse(left), Quantity::parse(right), "{left} {right}");
            assert!(Quantity::parse(left).is_ok(), "{left}");
        }
        assert!(Quantity::parse("1Gi").unwrap() > Quantity::parse("1G").unwrap());
        assert!(Quantity::parse("-1m").unwrap().is_negative());
        assert!(Quantity::parse("2e3").unwrap().is_whole() && !Quantity::parse("1.5").unwrap().is_whole());
        assert!(Quantity::parse("1m").unwrap().is_positive() && !Quantity::parse("0").unwrap().is_positive());
        assert_eq!(
            Quantity::parse(&format!("0.{}1", "0".repeat(400))).unwrap(),
            Quantity::parse("1n").unwrap()
        );
        assert_eq!(Quantity::parse(&"9".repeat(400)).unwrap(), Quantity::from_integer(i64::MAX));
        assert_eq!(Quantity::parse("1e99999999999"), Ok(Quantity::from_integer(i64::MAX)));
    }

    #[test]
    fn quantities_are_written_as_short_as_the_server_writes_them() {
        for (typed, written) in [
            ("0.5", "500m"),
            ("1000m", "1"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("512Ki", "512Ki"),
            ("0.5Ki", "512"),
            ("1000Ki", "1000Ki"),
            ("2048", "2048"),
            ("1000000", "1M"),
            ("1e3", "1e3"),
            ("5E2", "500"),
            ("1E", "1E"),
            ("0", "0"),
            ("-1500m", "-1500m"),
        ] {
            let amount = Quantity::parse(typed).unwrap();
            assert_eq!(amount.written(Notation::of(typed)), written, "{typed}");
        }
    }

    #[test]
    fn invalid_quantities_are_refused() {
        for text in ["", " ", "1 Gi", " 1", "1\n", "1,5", "a", "1Gb", "--1", "${X}", "1.2.3", "1e+", "1x"] {
            assert!(Quantity::parse(text).is_err(), "{text}");
        }
        for text in ["1Kii", "1e", "1mi", "1K", "1ki", "1Ki5", "1em"] {
            assert_eq!(Quantity::parse(text), Err(QuantityError::Suffix), "{text}");
        }
        for text in ["Ei", ".Pi", "+e-10"] {
            assert_eq!(Quantity::parse(text), Err(QuantityError::Number), "{text}");
        }
    }

    #[test]
    fn space_around_a_quantity_is_ignored_unless_json_escapes_it() {
        for text in [" 1Gi", "1Gi ", "\u{a0}1Gi\u{85}"] {
            assert_eq!(Quantity::read(text), Quantity::parse("1Gi"), "{text:?}");
        }
        for text in ["1Gi\n", "\t1Gi", "1Gi \r", "1Gi\u{2028}", "\n", " "] {
            assert_eq!(Quantity::read(text), Err(QuantityError::Form), "{text:?}");
        }
    }

    #[test]
    fn quantities_are_split_into_their_parts() {
        let parts = Parts::read("-1.50Mi").unwrap();
        assert_eq!((parts.is_negative, parts.whole, parts.fraction), (true, "1", "50"));
        assert_eq!((parts.base, parts.exponent, parts.notation), (2, 20, Notation::Binary));
        assert_eq!(Parts::read("1e4294967299").map(|parts| parts.exponent), Ok(3));
        assert_eq!(Parts::read("1E-2").map(|parts| parts.notation), Ok(Notation::Exponent));
        assert_eq!(Parts::read("1e").unwrap_err(), QuantityError::Suffix);
    }
}
