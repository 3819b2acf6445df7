//! Amounts such as `500m`, `2Gi` or `1e3`: Kubernetes' grammar, and their size.

/// An amount in billionths. What is larger than the server can hold is capped, as the server does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Quantity(i128);

/// Why a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuantityError {
    /// It is no number with a suffix.
    Form,
    /// There is no such suffix.
    Suffix,
}

impl QuantityError {
    /// The server's words.
    pub(crate) fn text(self) -> &'static str {
        match self {
            QuantityError::Form => {
                "quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            QuantityError::Suffix => "unable to parse quantity's suffix",
        }
    }
}

const ONE: i128 = 1_000_000_000;
const LARGEST: i128 = i64::MAX as i128 * ONE;

impl Quantity {
    /// A whole number.
    pub(crate) fn from_integer(number: i64) -> Self {
        Quantity(i128::from(number) * ONE)
    }

    /// Reads an amount; white space around it does not matter.
    pub(crate) fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
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
        if whole.is_empty() && fraction.is_empty() {
            return Err(QuantityError::Form);
        }
        let letters = suffix.bytes().take_while(|byte| b"eEinumkKMGTP".contains(byte)).count();
        let tail = suffix.get(letters..).unwrap_or_default();
        let number = tail.strip_prefix(['+', '-']).unwrap_or(tail);
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(QuantityError::Form);
        }
        let (base, exponent) = scale(suffix).ok_or(QuantityError::Suffix)?;
        let size = magnitude(whole, fraction, base, exponent).min(LARGEST);
        Ok(Quantity(if is_negative { -size } else { size }))
    }

    /// Whether it is below zero.
    pub(crate) fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether it is above zero.
    pub(crate) fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Whether it is a whole number.
    pub(crate) fn is_whole(self) -> bool {
        self.0 % ONE == 0
    }
}

/// What a suffix multiplies by: two or ten, to which power.
fn scale(suffix: &str) -> Option<(u32, i64)> {
    Some(match suffix {
        "" => (10, 0),
        "n" => (10, -9),
        "u" => (10, -6),
        "m" => (10, -3),
        "k" => (10, 3),
        "M" => (10, 6),
        "G" => (10, 9),
        "T" => (10, 12),
        "P" => (10, 15),
        "E" => (10, 18),
        "Ki" => (2, 10),
        "Mi" => (2, 20),
        "Gi" => (2, 30),
        "Ti" => (2, 40),
        "Pi" => (2, 50),
        "Ei" => (2, 60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            (10, exponent.parse::<i64>().ok()?)
        }
    })
}

/// The size in billionths, rounded up, and saturated far above what is allowed.
fn magnitude(whole: &str, fraction: &str, base: u32, exponent: i64) -> i128 {
    // Thirty digits are more than any amount that is not capped; the rest only counts for rounding.
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
    fn amounts_are_compared_by_size() {
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
            (" 1 ", "1"),
            ("-0", "0"),
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
    fn what_is_no_amount_is_refused() {
        for text in ["", " ", "+", ".", "Gi", "1 Gi", "1,5", "a", "1Gb", "--1", "${X}", "1.2.3", "1e+", "1x"]
        {
            assert!(Quantity::parse(text).is_err(), "{text}");
        }
        for text in ["1Kii", "1e", "1mi", "1K", "1ki", "1Ki5", "1em"] {
            assert_eq!(Quantity::parse(text), Err(QuantityError::Suffix), "{text}");
        }
    }
}
