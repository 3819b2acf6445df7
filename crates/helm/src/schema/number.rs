//! Numbers as the validator has them: exact, with as many digits as were written, and as its English printer
//! shows them.

use std::cmp::Ordering;
use std::fmt::Write;

use serde_json::Value as Json;
use trueline_yaml::{Data, Value};

/// A number in decimal digits: `digits` × 10^`exponent`. No zeros at the end, so equal numbers look equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
}

impl Decimal {
    fn new(negative: bool, mut digits: u64, mut exponent: i32) -> Self {
        if digits == 0 {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Decimal { negative, digits, exponent }
    }

    fn from_float(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        // The shortest digits that lead back to the same float: what Go prints and works with.
        let text = format!("{:e}", value.abs());
        let (mantissa, exponent) = text.split_once('e')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: u64 = format!("{whole}{fraction}").parse().ok()?;
        let exponent: i32 = exponent.parse().ok()?;
        Some(Decimal::new(value.is_sign_negative(), digits, exponent - i32::try_from(fraction.len()).ok()?))
    }

    /// The number of a value, if it is one.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        match value.data {
            Data::Int(value) => Some(Decimal::new(value < 0, value.unsigned_abs(), 0)),
            Data::UInt(value) => Some(Decimal::new(false, value, 0)),
            Data::Float(value) => Decimal::from_float(value),
            _ => None,
        }
    }

    /// The number of a schema's keyword, if it is one.
    pub(super) fn of_json(json: &Json) -> Option<Self> {
        let number = json.as_number()?;
        if let Some(value) = number.as_u64() {
            return Some(Decimal::new(false, value, 0));
        }
        if let Some(value) = number.as_i64() {
            return Some(Decimal::new(value < 0, value.unsigned_abs(), 0));
        }
        Decimal::from_float(number.as_f64()?)
    }

    pub(super) fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    /// The number as a size; one beyond all sizes is the largest.
    pub(super) fn as_size(self) -> Option<i64> {
        if !self.is_integer() {
            return None;
        }
        let size = u32::try_from(self.exponent)
            .ok()
            .and_then(|exponent| 10_i64.checked_pow(exponent))
            .and_then(|power| i64::try_from(self.digits).ok()?.checked_mul(power))
            .unwrap_or(i64::MAX);
        Some(if self.negative { -size } else { size })
    }

    /// Whether it is an integer multiple of the other.
    pub(super) fn is_multiple_of(self, other: Decimal) -> bool {
        if other.digits == 0 {
            return false;
        }
        let (divisor, shift) =
            (u128::from(other.digits), i64::from(self.exponent) - i64::from(other.exponent));
        if shift >= 0 {
            let tens = (0..shift).fold(1 % divisor, |power, _| power * 10 % divisor);
            return u128::from(self.digits) % divisor * tens % divisor == 0;
        }
        // More digits than a number has left over mean that only zero is a multiple.
        let divisor = u32::try_from(-shift)
            .ok()
            .and_then(|shift| 10_u128.checked_pow(shift))
            .and_then(|power| divisor.checked_mul(power));
        divisor.map_or(self.digits == 0, |divisor| u128::from(self.digits) % divisor == 0)
    }

    /// How many digits stand before the point.
    fn magnitude(self) -> i64 {
        i64::from(self.digits.checked_ilog10().unwrap_or(0)) + 1 + i64::from(self.exponent)
    }

    fn compare_size(self, other: Decimal) -> Ordering {
        if self.digits == 0 || other.digits == 0 {
            return self.digits.cmp(&other.digits);
        }
        let aligned = |number: Decimal| {
            let digits = number.digits.to_string();
            format!("{digits:0<20}")
        };
        self.magnitude().cmp(&other.magnitude()).then_with(|| aligned(self).cmp(&aligned(other)))
    }

    /// As the English printer shows it: groups of three digits, and powers of ten from a million on and below
    /// a ten-thousandth.
    pub(super) fn shown(self) -> String {
        let rounded = self.as_float();
        let mut shown = String::new();
        if rounded.negative {
            shown.push('-');
        }
        let digits = rounded.digits.to_string();
        let magnitude = rounded.magnitude();
        let exponent = magnitude - 1;
        if rounded.digits == 0 {
            shown.push('0');
        } else if !(-4..6).contains(&exponent) {
            let (first, rest) = digits.split_at(1);
            shown.push_str(first);
            if !rest.is_empty() {
                shown.push('.');
                shown.push_str(rest);
            }
            shown.push_str("×10");
            shown.push_str(&superscript(exponent));
        } else if let Ok(whole) = usize::try_from(magnitude)
            && whole > 0
        {
            let padded = format!("{digits:0<whole$}");
            let (whole, fraction) = padded.split_at(whole);
            shown.push_str(&grouped(whole));
            if !fraction.is_empty() {
                shown.push('.');
                shown.push_str(fraction);
            }
        } else {
            shown.push_str("0.");
            (0..-magnitude).for_each(|_| shown.push('0'));
            shown.push_str(&digits);
        }
        shown
    }

    /// The nearest float: numbers are shown as floats however exact they are.
    fn as_float(self) -> Decimal {
        let sign = if self.negative { "-" } else { "" };
        let float = format!("{sign}{}e{}", self.digits, self.exponent).parse::<f64>();
        float.ok().and_then(Decimal::from_float).unwrap_or(self)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_size(*other),
            (true, true) => other.compare_size(*self),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

/// A count as the English printer shows it.
pub(super) fn count(count: i64) -> String {
    let sign = if count < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(&count.unsigned_abs().to_string()))
}

fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn superscript(exponent: i64) -> String {
    let mut text = String::new();
    if exponent < 0 {
        text.push('⁻');
    }
    let mut digits = String::new();
    // Writing to a string cannot fail.
    let _ = write!(digits, "{:02}", exponent.unsigned_abs());
    text.extend(digits.chars().map(|digit| match digit {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        _ => '⁹',
    }));
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decimal(json: &Json) -> Decimal {
        Decimal::of_json(json).unwrap()
    }

    #[test]
    fn numbers_are_shown_in_english() {
        for (number, shown) in [
            (json!(0), "0"),
            (json!(-1), "-1"),
            (json!(0.1), "0.1"),
            (json!(0.0001), "0.0001"),
            (json!(0.00012345), "0.00012345"),
            (json!(0.00001), "1×10⁻⁰⁵"),
            (json!(-0.00001), "-1×10⁻⁰⁵"),
            (json!(123456), "123,456"),
            (json!(999999.5), "999,999.5"),
            (json!(1000000), "1×10⁰⁶"),
            (json!(-1234567.25), "-1.23456725×10⁰⁶"),
            (json!(12345.678), "12,345.678"),
            (json!(1234.5), "1,234.5"),
            (json!(9007199254740993_u64), "9.007199254740992×10¹⁵"),
            (json!(1e100), "1×10¹⁰⁰"),
            (json!(5e-324), "5×10⁻³²⁴"),
        ] {
            assert_eq!(decimal(&number).shown(), shown, "{number}");
        }
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(-1_000), "-1,000");
    }

    #[test]
    fn comparing_and_dividing_is_exact() {
        for (left, right, order) in [
            (json!(1), json!(1.0), Ordering::Equal),
            (json!(9007199254740993_u64), json!(9007199254740992_u64), Ordering::Greater),
            (json!(-2), json!(-1), Ordering::Less),
            (json!(-1), json!(0), Ordering::Less),
            (json!(0.2), json!(0.19), Ordering::Greater),
            (json!(1e300), json!(u64::MAX), Ordering::Greater),
            (json!(0), json!(0.5), Ordering::Less),
        ] {
            assert_eq!(decimal(&left).cmp(&decimal(&right)), order, "{left} {right}");
        }
        for (number, of, is) in [
            (json!(0.3), json!(0.1), true),
            (json!(0.25), json!(0.1), false),
            (json!(7001.5), json!(7000), false),
            (json!(1e300), json!(7), false),
            (json!(1e300), json!(8), true),
            (json!(0), json!(3), true),
            (json!(1e-300), json!(1e300), false),
        ] {
            assert_eq!(decimal(&number).is_multiple_of(decimal(&of)), is, "{number} {of}");
        }
        assert_eq!(decimal(&json!(2.0)).as_size(), Some(2));
        assert_eq!(decimal(&json!(2.5)).as_size(), None);
        assert_eq!(decimal(&json!(1e30)).as_size(), Some(i64::MAX));
    }
}
