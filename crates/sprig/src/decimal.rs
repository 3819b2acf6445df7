//! Decimal numbers of any length, as needed by the float functions, for which 0.1 + 0.2 is 0.3.

use num_bigint::{BigInt, Sign};

/// The number of decimals of a division.
const DIVISION_DIGITS: i64 = 16;

/// `value` times ten to the power of `exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    value: BigInt,
    exponent: i64,
}

impl Decimal {
    /// The shortest decimal number that reads back as the float. `None` for infinity and NaN.
    pub(crate) fn from_float(float: f64) -> Option<Self> {
        if !float.is_finite() {
            return None;
        }
        let text = format!("{float:e}");
        let (mantissa, exponent) = text.split_once('e')?;
        let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let value = mantissa.replace('.', "").parse().ok()?;
        Some(Self { value, exponent: exponent.parse::<i64>().ok()? - i64::try_from(fraction).ok()? })
    }

    /// The nearest float.
    pub(crate) fn to_float(&self) -> f64 {
        format!("{}e{}", self.value, self.exponent).parse().unwrap_or(0.0)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let (one, two, exponent) = self.aligned(other);
        Self { value: one + two, exponent }
    }

    pub(crate) fn subtract(&self, other: &Self) -> Self {
        let (one, two, exponent) = self.aligned(other);
        Self { value: one - two, exponent }
    }

    pub(crate) fn multiply(&self, other: &Self) -> Self {
        Self { value: &self.value * &other.value, exponent: self.exponent.saturating_add(other.exponent) }
    }

    /// The quotient to 16 digits after the point, halves away from zero. `None` if the divisor is zero.
    pub(crate) fn divide(&self, other: &Self) -> Option<Self> {
        if other.value.sign() == Sign::NoSign {
            return None;
        }
        let shift = self.exponent.saturating_sub(other.exponent).saturating_add(DIVISION_DIGITS);
        let (mut above, mut below) = (self.value.clone(), other.value.clone());
        if shift >= 0 {
            above *= ten_to(shift);
        } else {
            below *= ten_to(shift.saturating_neg());
        }
        let (quotient, rest) = (&above / &below, &above % &below);
        let away = rest.magnitude() * 2_u8 >= *below.magnitude();
        let step = if above.sign() == below.sign() { 1 } else { -1 };
        let value = if away { quotient + step } else { quotient };
        Some(Self { value, exponent: -DIVISION_DIGITS })
    }

    /// Both values with the smaller of the exponents.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i64) {
        let exponent = self.exponent.min(other.exponent);
        let scaled = |number: &Self| &number.value * ten_to(number.exponent.saturating_sub(exponent));
        (scaled(self), scaled(other), exponent)
    }
}

fn ten_to(exponent: i64) -> BigInt {
    BigInt::from(10_u8).pow(u32::try_from(exponent).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        let decimal = |float: f64| Decimal::from_float(float).unwrap();
        type Operation = fn(&Decimal, &Decimal) -> Decimal;
        let divide: Operation = |one, two| one.divide(two).unwrap();
        let table: &[(f64, Operation, f64, f64)] = &[
            (0.1, Decimal::add, 0.2, 0.3),
            (1e20, Decimal::add, 1.0, 1e20),
            (1.0, Decimal::subtract, 0.9, 0.1),
            (1e300, Decimal::subtract, 1e-300, 1e300),
            (0.1, Decimal::multiply, 3.0, 0.3),
            (1e10, Decimal::multiply, 1e10, 1e20),
            (1e200, Decimal::multiply, 1e200, f64::INFINITY),
            (10.0, divide, 4.0, 2.5),
            (2.0, divide, 3.0, 0.666_666_666_666_666_7),
            (-2.0, divide, 3.0, -0.666_666_666_666_666_7),
            (1.0, divide, 3.0, 0.333_333_333_333_333_3),
            (1e-20, divide, 1.0, 0.0),
            (5e-17, divide, 1.0, 1e-16),
            (1e300, divide, 1e-300, f64::INFINITY),
            (0.0, divide, 5.0, 0.0),
        ];
        for (one, operation, two, expected) in table {
            assert_eq!(operation(&decimal(*one), &decimal(*two)).to_float(), *expected, "{one} {two}");
        }
        assert!(decimal(1.0).divide(&decimal(0.0)).is_none());
        assert!(Decimal::from_float(f64::NAN).is_none() && Decimal::from_float(f64::INFINITY).is_none());
    }
}
