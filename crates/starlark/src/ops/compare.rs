//! Comparisons.

use std::cmp::Ordering;

use super::integer::{Number, float_to_integer};
use crate::Thread;
use crate::custom::CompareOp;
use crate::data::{Dict, Set};
use crate::error::Error;
use crate::fault::Fault;
use crate::value::{Inner, Value};

/// Nested values are compared up to this depth, so that values that contain themselves can be compared at all.
const DEEPEST: usize = 10;

pub(crate) fn equal(thread: &mut Thread, one: &Value, two: &Value) -> Result<bool, Error> {
    compare_depth(thread, CompareOp::Equal, one, two, DEEPEST)
}

pub(crate) fn compare(thread: &mut Thread, op: CompareOp, one: &Value, two: &Value) -> Result<bool, Error> {
    compare_depth(thread, op, one, two, DEEPEST)
}

/// Whether two values are equal, if that can be decided without looking into them.
#[inline]
pub(crate) fn simple_equal(one: &Value, two: &Value) -> Option<bool> {
    match (&one.0, &two.0) {
        (Inner::Text(_, one), Inner::Text(_, two)) => Some(one == two),
        (Inner::Text(..), Inner::Int(..)) | (Inner::Int(..), Inner::Text(..)) => Some(false),
        (Inner::Int(_, one), Inner::Int(_, two)) => Some(one == two),
        (Inner::Bool(_, one), Inner::Bool(_, two)) => Some(one == two),
        (Inner::None(_), Inner::None(_)) => Some(true),
        _ => None,
    }
}

pub(crate) fn compare_depth(
    thread: &mut Thread,
    op: CompareOp,
    one: &Value,
    two: &Value,
    depth: usize,
) -> Result<bool, Error> {
    if depth < 1 {
        return Err(Error::new("comparison exceeded maximum recursion depth"));
    }
    match (&one.0, &two.0) {
        (Inner::None(_), Inner::None(_)) => Ok(op.holds(Ordering::Equal)),
        (Inner::Bool(_, one), Inner::Bool(_, two)) => Ok(op.holds(one.cmp(two))),
        (Inner::Int(_, one), Inner::Int(_, two)) => Ok(op.holds(one.cmp(two))),
        (Inner::Int(..) | Inner::Big(..), Inner::Int(..) | Inner::Big(..)) => {
            let (Some(one), Some(two)) = (Number::of(one), Number::of(two)) else { return Ok(false) };
            Ok(op.holds(one.big().cmp(&two.big())))
        }
        (Inner::Float(_, one), Inner::Float(_, two)) => Ok(match op {
            CompareOp::Equal => one == two,
            CompareOp::NotEqual => one != two,
            CompareOp::Less => one < two,
            CompareOp::LessOrEqual => one <= two,
            CompareOp::Greater => one > two,
            CompareOp::GreaterOrEqual => one >= two,
        }),
        (Inner::Int(..) | Inner::Big(..), Inner::Float(_, float)) => {
            Ok(order_with_float(one, *float).is_some_and(|order| op.holds(order)))
        }
        (Inner::Float(_, float), Inner::Int(..) | Inner::Big(..)) => {
            // The original has infinities the wrong way around here.
            let order = order_with_float(two, *float);
            let order = order.map(|order| if float.is_infinite() { order } else { order.reverse() });
            Ok(order.is_some_and(|order| op.holds(order)))
        }
        (Inner::Text(_, one), Inner::Text(_, two)) => {
            if one.len() > 256 {
                thread.spend(one.len() / 256)?;
            }
            Ok(match op {
                CompareOp::Equal => one == two,
                CompareOp::NotEqual => one != two,
                _ => op.holds(one.as_bytes().cmp(two.as_bytes())),
            })
        }
        (Inner::List(_, one), Inner::List(_, two)) => {
            let lengths = (one.len(), two.len());
            sequences(thread, op, lengths, depth, |index| Some((one.get(index)?, two.get(index)?)))
        }
        (Inner::Tuple(_, one), Inner::Tuple(_, two)) => {
            let (one, two) = (one.items(), two.items());
            sequences(thread, op, (one.len(), two.len()), depth, |index| {
                Some((one.get(index)?.clone(), two.get(index)?.clone()))
            })
        }
        (Inner::Dict(_, one), Inner::Dict(_, two)) => {
            equality(op, "dict", |negate| Ok(dicts_equal(thread, one, two, depth)? != negate))
        }
        (Inner::Set(_, one), Inner::Set(_, two)) => {
            equality(op, "set", |negate| Ok(sets_equal(thread, one, two)? != negate))
        }
        (Inner::Range(_, one), Inner::Range(_, two)) => {
            equality(op, "range", |negate| Ok((one == two) != negate))
        }
        _ if one.type_name() == two.type_name() => {
            if let Inner::Custom(_, custom) = &one.0
                && let Some(result) = custom.value().compare(thread, op, two, depth)
            {
                return result;
            }
            equality(op, one.type_name(), |negate| Ok(one.is_same(two) != negate))
        }
        _ => match op {
            CompareOp::Equal => Ok(false),
            CompareOp::NotEqual => Ok(true),
            _ => Err(not_implemented(op, one.type_name(), two.type_name())),
        },
    }
}

fn not_implemented(op: CompareOp, one: &str, two: &str) -> Error {
    Fault::NotComparable { left: one.to_owned(), operator: op.sign(), right: two.to_owned() }.into()
}

/// For types that have no order. The closure receives whether the answer must be reversed.
fn equality(
    op: CompareOp,
    type_name: &str,
    equal: impl FnOnce(bool) -> Result<bool, Error>,
) -> Result<bool, Error> {
    match op {
        CompareOp::Equal => equal(false),
        CompareOp::NotEqual => equal(true),
        _ => Err(not_implemented(op, type_name, type_name)),
    }
}

/// The order of an integer and a float; `None` for NaN.
fn order_with_float(integer: &Value, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = float_to_integer(float);
    let order = match (Number::of(integer)?, whole) {
        (Number::Small(one), Number::Small(two)) => one.cmp(&two),
        (one, two) => one.big().cmp(&two.big()),
    };
    Some(order.then_with(|| 0.0.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)))
}

fn sequences(
    thread: &mut Thread,
    op: CompareOp,
    lengths: (usize, usize),
    depth: usize,
    pair: impl Fn(usize) -> Option<(Value, Value)>,
) -> Result<bool, Error> {
    if lengths.0 != lengths.1 && matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
        return Ok(op == CompareOp::NotEqual);
    }
    let mut index = 0;
    while let Some((one, two)) = pair(index) {
        thread.spend(1)?;
        let is_equal = match simple_equal(&one, &two) {
            Some(is_equal) if depth > 1 => is_equal,
            _ => compare_depth(thread, CompareOp::Equal, &one, &two, depth - 1)?,
        };
        if !is_equal {
            return match op {
                CompareOp::Equal => Ok(false),
                CompareOp::NotEqual => Ok(true),
                _ => compare_depth(thread, op, &one, &two, depth - 1),
            };
        }
        index += 1;
    }
    Ok(op.holds(lengths.0.cmp(&lengths.1)))
}

fn dicts_equal(thread: &mut Thread, one: &Dict, two: &Dict, depth: usize) -> Result<bool, Error> {
    if one.len() != two.len() {
        return Ok(false);
    }
    thread.spend(one.len())?;
    for (key, value) in one.items() {
        // Keys that cannot be compared count as missing.
        let Some(other) = keep_limits(two.get(thread, &key))?.flatten() else { return Ok(false) };
        if !compare_depth(thread, CompareOp::Equal, &value, &other, depth - 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn sets_equal(thread: &mut Thread, one: &Set, two: &Set) -> Result<bool, Error> {
    if one.len() != two.len() {
        return Ok(false);
    }
    thread.spend(one.len())?;
    for item in one.items() {
        if keep_limits(two.contains(thread, &item))? != Some(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Drops errors, except those of limits.
pub(super) fn keep_limits<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == crate::ErrorKind::Limit => Err(error),
        Err(_) => Ok(None),
    }
}
