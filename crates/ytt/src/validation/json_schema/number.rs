//! Numbers of JSON: integers and floats are one kind of value.

use std::cmp::Ordering;

use crate::tree::Value;

/// A number that is an integer, also written as a float.
fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some((*number).into()),
        Value::UInt(number) => Some((*number).into()),
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e30 => Some(*number as i128),
        _ => None,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// How two numbers compare; none if one of them is something else.
pub(super) fn compare(one: &Value, two: &Value) -> Option<Ordering> {
    match (integer(one), integer(two)) {
        (Some(one), Some(two)) => Some(one.cmp(&two)),
        _ => float(one)?.partial_cmp(&float(two)?),
    }
}

/// The digits of a number without its point, and how many of them are after it.
fn decimal(value: &Value) -> Option<(i128, u32)> {
    if let Some(number) = integer(value) {
        return Some((number, 0));
    }
    let text = float(value).filter(|number| number.is_finite())?.to_string();
    let (whole, fraction) = text.split_once('.')?;
    Some((format!("{whole}{fraction}").parse().ok()?, fraction.len().try_into().ok()?))
}

/// Whether a number is a multiple of another, which is above zero. Both count as they are written: 0.3 is three times 0.1.
pub(super) fn is_multiple(value: &Value, factor: &Value) -> bool {
    let scaled = || {
        let ((value, digits), (factor, of_factor)) = (decimal(value)?, decimal(factor)?);
        let places = digits.max(of_factor);
        let scale = |number: i128, has: u32| number.checked_mul(10_i128.checked_pow(places - has)?);
        Some((scale(value, digits)?, scale(factor, of_factor)?))
    };
    match scaled() {
        Some((value, factor)) => factor != 0 && value % factor == 0,
        None => match (float(value), float(factor)) {
            (Some(value), Some(factor)) => value % factor == 0.0,
            _ => false,
        },
    }
}
