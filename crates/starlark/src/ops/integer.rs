//! Integers of any size.

use num_bigint::{BigInt, Sign};

use crate::error::Error;
use crate::value::{Inner, Value};

/// An integer.
#[derive(Clone)]
pub(crate) enum Number {
    Small(i64),
    Big(BigInt),
}

impl Number {
    pub(crate) fn of(value: &Value) -> Option<Number> {
        match &value.0 {
            Inner::Int(_, value) => Some(Number::Small(*value)),
            Inner::Big(_, value) => Some(Number::Big(BigInt::clone(value))),
            _ => None,
        }
    }

    pub(crate) fn big(self) -> BigInt {
        match self {
            Number::Small(value) => value.into(),
            Number::Big(value) => value,
        }
    }

    pub(crate) fn value(self) -> Value {
        match self {
            Number::Small(value) => Value::int(value),
            Number::Big(value) => Value::big(value),
        }
    }
}

/// A value as a 32-bit integer, or why it is not one.
pub(crate) fn as_int32(value: &Value) -> Result<i32, String> {
    match &value.0 {
        Inner::Int(_, value) => i32::try_from(*value).map_err(|_| format!("{value} out of range")),
        Inner::Big(_, value) if value.bits() <= 4096 => Err(format!("{} out of range", ***value)),
        Inner::Big(..) => Err("number out of range".into()),
        _ => Err(format!("got {}, want int", value.type_name())),
    }
}

/// The float that is nearest to a number.
pub(crate) fn as_float(value: &Value) -> Option<f64> {
    match &value.0 {
        Inner::Float(_, value) => Some(*value),
        Inner::Int(_, value) => Some(*value as f64),
        Inner::Big(_, value) => Some(big_to_float(value)),
        _ => None,
    }
}

fn big_to_float(value: &BigInt) -> f64 {
    let shift = value.bits().saturating_sub(64);
    let magnitude = value.magnitude();
    let mut top = (magnitude >> shift).iter_u64_digits().next().unwrap_or(0);
    if magnitude.trailing_zeros().is_some_and(|zeros| zeros < shift) {
        // The bits that are cut off decide between two floats that are equally near.
        top |= 1;
    }
    let float = top as f64 * 2f64.powi(i32::try_from(shift).unwrap_or(i32::MAX).min(2000));
    if value.sign() == Sign::Minus { -float } else { float }
}

/// A number without its fraction.
pub(crate) fn number_to_int(value: &Value) -> Result<Number, String> {
    if let Some(number) = Number::of(value) {
        return Ok(number);
    }
    match &value.0 {
        Inner::Float(_, float) if float.is_infinite() => {
            Err("cannot convert float infinity to integer".into())
        }
        Inner::Float(_, float) if float.is_nan() => Err("cannot convert float NaN to integer".into()),
        Inner::Float(_, float) => Ok(float_to_integer(*float)),
        _ => Err(format!("cannot convert {} to int", value.type_name())),
    }
}

/// A finite float without its fraction.
pub(crate) fn float_to_integer(float: f64) -> Number {
    const END: f64 = 9_223_372_036_854_775_808.0;
    if (-END..END).contains(&float) {
        return Number::Small(float as i64);
    }
    let bits = float.to_bits();
    let exponent = i64::try_from((bits >> 52) & 0x7ff).unwrap_or(0) - 1075;
    let mantissa = BigInt::from((bits & ((1 << 52) - 1)) | (1 << 52));
    let magnitude = mantissa << usize::try_from(exponent).unwrap_or(0);
    Number::Big(if float < 0.0 { -magnitude } else { magnitude })
}

/// The cost of writing or parsing a number of this many bits in decimal, which is more than linear.
pub(crate) fn cost_of_digits(bits: u64) -> usize {
    let words = usize::try_from(bits / 64).unwrap_or(usize::MAX);
    words.saturating_mul(words) / 8 + 1
}

/// Charges for multiplying or dividing, and for the memory of the result.
pub(super) fn charge(thread: &crate::Thread, one: &BigInt, two: &BigInt) -> Result<(), Error> {
    let words = |number: &BigInt| usize::try_from(number.bits() / 64 + 1).unwrap_or(usize::MAX);
    thread.spend(words(one).saturating_mul(words(two)) / 16)?;
    thread.need_memory((words(one) + words(two)).saturating_mul(16))
}
