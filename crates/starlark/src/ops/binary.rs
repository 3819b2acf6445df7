//! Operators.

use memchr::memmem;
use num_bigint::BigInt;

use super::compare::{equal, keep_limits};
use super::integer::{Number, as_float, as_int32, charge, number_to_int};
use super::interpolate::interpolate;
use super::is_iterable;
use crate::Thread;
use crate::custom::{BinaryOp, Side, UnaryOp};
use crate::data::Set;
use crate::error::Error;
use crate::fault::Fault;
use crate::iterate::Elements;
use crate::value::{Inner, Value};

/// Repetitions of at least this many elements or bytes are refused, as the original does.
const MOST_REPEATED: usize = 1 << 30;

/// `left op right`.
pub(crate) fn binary(thread: &mut Thread, op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Error> {
    let result = match op {
        BinaryOp::Plus => plus(thread, left, right)?,
        BinaryOp::Star => star(thread, left, right)?,
        BinaryOp::Percent if matches!(left.0, Inner::Text(..)) => Some(interpolate(thread, left, right)?),
        BinaryOp::Minus | BinaryOp::Slash | BinaryOp::SlashSlash | BinaryOp::Percent => {
            arithmetic(thread, op, left, right)?
        }
        BinaryOp::In => contains(thread, left, right)?.map(Value::bool),
        BinaryOp::Pipe | BinaryOp::Ampersand | BinaryOp::Circumflex => bitwise(thread, op, left, right)?,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => shift(thread, op, left, right)?,
    };
    if let Some(result) = result {
        let mark = result.mark().or(left.mark()).or(right.mark());
        return Ok(if result.is_scalar() { result.with_mark(mark) } else { result });
    }
    if let Inner::Custom(_, custom) = &left.0
        && let Some(result) = custom.value().binary(thread, op, right, Side::Left)
    {
        return result;
    }
    if let Inner::Custom(_, custom) = &right.0
        && let Some(result) = custom.value().binary(thread, op, left, Side::Right)
    {
        return result;
    }
    let (left, right) = (left.type_name().to_owned(), right.type_name().to_owned());
    Err(Fault::Binary { left, operator: op.sign(), right }.into())
}

fn plus(thread: &mut Thread, left: &Value, right: &Value) -> Result<Option<Value>, Error> {
    Ok(match (&left.0, &right.0) {
        (Inner::Text(_, left), Inner::Text(_, right)) => {
            let length = left.len() + right.len();
            thread.spend(length / 64)?;
            thread.need_memory(length)?;
            Some(Value::string_from([left.as_bytes(), right.as_bytes()].concat()))
        }
        (Inner::List(_, left), Inner::List(_, right)) => {
            let length = left.len() + right.len();
            thread.spend(length)?;
            thread.need_memory(length * size_of::<Value>())?;
            let mut items = left.to_vec();
            right.with(|more| items.extend_from_slice(more));
            Some(Value::list(items))
        }
        (Inner::Tuple(_, left), Inner::Tuple(_, right)) => {
            let length = left.items().len() + right.items().len();
            thread.spend(length)?;
            thread.need_memory(length * size_of::<Value>())?;
            Some(Value::tuple([left.items(), right.items()].concat()))
        }
        _ => arithmetic(thread, BinaryOp::Plus, left, right)?,
    })
}

fn star(thread: &mut Thread, left: &Value, right: &Value) -> Result<Option<Value>, Error> {
    let (sequence, count) = match (&left.0, &right.0) {
        (Inner::Text(..) | Inner::List(..) | Inner::Tuple(..), Inner::Int(..) | Inner::Big(..)) => {
            (left, right)
        }
        (Inner::Int(..) | Inner::Big(..), Inner::Text(..) | Inner::List(..) | Inner::Tuple(..)) => {
            (right, left)
        }
        _ => return arithmetic(thread, BinaryOp::Star, left, right),
    };
    let length = super::length(sequence).unwrap_or(0);
    let mut times = 0;
    if length > 0 {
        let Ok(count) = as_int32(count) else {
            let count = super::shown(thread, count)?;
            return Err(Error::new(format!("repeat count {count} too large")));
        };
        times = usize::try_from(count).unwrap_or(0);
    }
    let total = length.saturating_mul(times);
    if total >= MOST_REPEATED {
        return Err(Error::new(format!("excessive repeat ({total} elements)")));
    }
    Ok(Some(match &sequence.0 {
        Inner::Text(_, text) => {
            thread.spend(total / 64)?;
            thread.need_memory(total)?;
            Value::string_from(text.repeat(times))
        }
        Inner::List(_, list) => {
            thread.spend(total)?;
            thread.need_memory(total * size_of::<Value>())?;
            Value::list(list.with(|items| repeat(items, times)))
        }
        _ => {
            thread.spend(total)?;
            thread.need_memory(total * size_of::<Value>())?;
            let Inner::Tuple(_, tuple) = &sequence.0 else { return Ok(None) };
            Value::tuple(repeat(tuple.items(), times))
        }
    }))
}

fn repeat(items: &[Value], times: usize) -> Vec<Value> {
    let mut all = Vec::with_capacity(items.len() * times);
    for _ in 0..times {
        all.extend_from_slice(items);
    }
    all
}

/// `+ - * / // %` of numbers.
fn arithmetic(
    thread: &mut Thread,
    op: BinaryOp,
    left: &Value,
    right: &Value,
) -> Result<Option<Value>, Error> {
    let (Some(left_float), Some(right_float)) = (as_float(left), as_float(right)) else { return Ok(None) };
    let are_integers = !matches!(left.0, Inner::Float(..)) && !matches!(right.0, Inner::Float(..));
    if right_float == 0.0 {
        let message = match op {
            BinaryOp::Slash => "real division by zero",
            BinaryOp::SlashSlash => "floored division by zero",
            BinaryOp::Percent if are_integers => "integer modulo by zero",
            BinaryOp::Percent => "float modulo by zero",
            _ => "",
        };
        if !message.is_empty() {
            return Err(Error::new(message));
        }
    }
    if are_integers && op != BinaryOp::Slash {
        let (Some(left), Some(right)) = (Number::of(left), Number::of(right)) else { return Ok(None) };
        return integers(thread, op, left, right).map(Some);
    }
    Ok(Some(Value::float(match op {
        BinaryOp::Plus => left_float + right_float,
        BinaryOp::Minus => left_float - right_float,
        BinaryOp::Star => left_float * right_float,
        BinaryOp::Slash => left_float / right_float,
        BinaryOp::SlashSlash => (left_float / right_float).floor(),
        _ => left_float % right_float,
    })))
}

/// `+ - * // %` of integers; the divisor is not zero.
fn integers(thread: &mut Thread, op: BinaryOp, left: Number, right: Number) -> Result<Value, Error> {
    if let (Number::Small(left), Number::Small(right)) = (&left, &right) {
        let result = match op {
            BinaryOp::Plus => left.checked_add(*right),
            BinaryOp::Minus => left.checked_sub(*right),
            BinaryOp::Star => left.checked_mul(*right),
            BinaryOp::SlashSlash => left.checked_div(*right).map(|quotient| {
                let rounded_up = left % right != 0 && (*left < 0) != (*right < 0);
                quotient - i64::from(rounded_up)
            }),
            _ => left
                .checked_rem(*right)
                .map(|rest| if rest != 0 && (*left < 0) != (*right < 0) { rest + right } else { rest }),
        };
        if let Some(result) = result {
            return Ok(Value::int(result));
        }
    }
    let (left, right) = (left.big(), right.big());
    let zero = BigInt::ZERO;
    if !matches!(op, BinaryOp::Plus | BinaryOp::Minus) {
        charge(thread, &left, &right)?;
    }
    thread.need_memory(usize::try_from(left.bits().max(right.bits()) / 4).unwrap_or(usize::MAX))?;
    thread.spend(usize::try_from(left.bits().max(right.bits()) / 1024).unwrap_or(usize::MAX))?;
    Ok(Value::big(match op {
        BinaryOp::Plus => left + right,
        BinaryOp::Minus => left - right,
        BinaryOp::Star => left * right,
        _ => {
            let mut quotient = &left / &right;
            let mut rest = &left % &right;
            if rest != zero && (left < zero) != (right < zero) {
                quotient -= 1;
                rest += &right;
            }
            if op == BinaryOp::SlashSlash { quotient } else { rest }
        }
    }))
}

/// `left in right`, for types that support it.
fn contains(thread: &mut Thread, left: &Value, right: &Value) -> Result<Option<bool>, Error> {
    Ok(Some(match &right.0 {
        Inner::List(_, list) => {
            let mut index = 0;
            while let Some(item) = list.get(index) {
                thread.spend(1)?;
                if equal(thread, &item, left)? {
                    return Ok(Some(true));
                }
                index += 1;
            }
            false
        }
        Inner::Tuple(_, tuple) => {
            for item in tuple.items() {
                thread.spend(1)?;
                if equal(thread, item, left)? {
                    return Ok(Some(true));
                }
            }
            false
        }
        // Keys that cannot be hashed or compared count as missing.
        Inner::Dict(_, dict) => keep_limits(dict.get(thread, left))?.flatten().is_some(),
        Inner::Set(_, set) => set.contains(thread, left)?,
        Inner::Text(_, text) => {
            let Some(needle) = left.as_bytes() else {
                let type_name = left.type_name();
                return Err(Error::new(format!(
                    "'in <string>' requires string as left operand, not {type_name}"
                )));
            };
            thread.spend(text.len() / 8 + needle.len() / 8)?;
            memmem::find(text, needle).is_some()
        }
        Inner::Range(_, range) => {
            let Ok(number) = number_to_int(left) else {
                let type_name = left.type_name();
                return Err(Error::new(format!(
                    "'in <range>' requires integer as left operand, not {type_name}"
                )));
            };
            matches!(number, Number::Small(number) if i32::try_from(number).is_ok() && range.contains(number))
        }
        Inner::Custom(_, custom) => match custom.value().get_key(thread, left) {
            Some(found) => keep_limits(found)?.flatten().is_some(),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn bitwise(thread: &mut Thread, op: BinaryOp, left: &Value, right: &Value) -> Result<Option<Value>, Error> {
    if let (Inner::Set(_, left), Inner::Set(_, right)) = (&left.0, &right.0) {
        return sets(thread, op, left, right).map(|set| Some(Value::set(set)));
    }
    Ok(match (Number::of(left), Number::of(right)) {
        (Some(Number::Small(left)), Some(Number::Small(right))) => Some(Value::int(match op {
            BinaryOp::Pipe => left | right,
            BinaryOp::Ampersand => left & right,
            _ => left ^ right,
        })),
        (Some(left), Some(right)) => {
            let (left, right) = (left.big(), right.big());
            thread.need_memory(usize::try_from(left.bits().max(right.bits()) / 4).unwrap_or(usize::MAX))?;
            thread.spend(usize::try_from(left.bits().max(right.bits()) / 1024).unwrap_or(usize::MAX))?;
            Some(Value::big(match op {
                BinaryOp::Pipe => left | right,
                BinaryOp::Ampersand => left & right,
                _ => left ^ right,
            }))
        }
        _ => None,
    })
}

fn sets(thread: &mut Thread, op: BinaryOp, left: &Set, right: &Set) -> Result<Set, Error> {
    thread.spend(left.len() + right.len())?;
    let result = Set::new();
    match op {
        BinaryOp::Pipe => {
            for item in left.items().into_iter().chain(right.items()) {
                result.insert(thread, item)?;
            }
        }
        BinaryOp::Ampersand => {
            let (small, large) = if left.len() > right.len() { (right, left) } else { (left, right) };
            for item in small.items() {
                if large.contains(thread, &item)? {
                    result.insert(thread, item)?;
                }
            }
        }
        _ => {
            for (items, others) in [(left, right), (right, left)] {
                for item in items.items() {
                    if !others.contains(thread, &item)? {
                        result.insert(thread, item)?;
                    }
                }
            }
        }
    }
    Ok(result)
}

fn shift(thread: &mut Thread, op: BinaryOp, left: &Value, right: &Value) -> Result<Option<Value>, Error> {
    let Some(number) = Number::of(left) else { return Ok(None) };
    let count = as_int32(right).map_err(Error::new)?;
    let Ok(count) = u32::try_from(count) else {
        return Err(Error::new(format!("negative shift count: {count}")));
    };
    if let Number::Big(number) = &number {
        thread.spend(usize::try_from(number.bits() / 1024).unwrap_or(usize::MAX))?;
    }
    if op == BinaryOp::ShiftRight {
        return Ok(Some(match number {
            Number::Small(number) => Value::int(number >> count.min(63)),
            Number::Big(number) => Value::big(number >> count),
        }));
    }
    if count >= 512 {
        return Err(Error::new(format!("shift count too large: {count}")));
    }
    let number = number.big();
    thread.need_memory(usize::try_from(number.bits() / 4).unwrap_or(usize::MAX))?;
    Ok(Some(Value::big(number << count)))
}

/// `left += right`: a list is changed in place.
pub(crate) fn inplace_add(thread: &mut Thread, left: Value, right: &Value) -> Result<Value, Error> {
    if left.list_object().is_some() && is_iterable(right) {
        if let Some(list) = left.list_object() {
            list.check_mutable("apply += to")?;
        }
        list_extend(thread, &left, right)?;
        return Ok(left);
    }
    binary(thread, BinaryOp::Plus, &left, right)
}

/// Adds all elements of a value to a list that may be changed.
pub(crate) fn list_extend(thread: &mut Thread, list: &Value, elements: &Value) -> Result<(), Error> {
    let Some(list) = list.list_object() else { return Ok(()) };
    if let Some(length) = super::length(elements) {
        thread.spend(length)?;
        thread.need_memory(length.saturating_mul(size_of::<Value>()))?;
    }
    if let Some(more) = elements.list_object() {
        let more = more.to_vec();
        if let Some(holder) = more.iter().find(|item| !item.is_scalar()) {
            thread.note_list(list, holder);
        }
        list.change(|items| items.extend(more));
        return Ok(());
    }
    let Some(mut elements) = Elements::of(elements) else { return Ok(()) };
    while let Some(element) = elements.next() {
        thread.spend(1)?;
        thread.note_list(list, &element);
        list.change(|items| items.push(element));
    }
    Ok(())
}

/// `op operand`.
pub(crate) fn unary(thread: &mut Thread, op: UnaryOp, operand: &Value) -> Result<Value, Error> {
    let result = match (op, &operand.0) {
        (UnaryOp::Plus, Inner::Int(..) | Inner::Big(..) | Inner::Float(..)) => Some(operand.clone()),
        (UnaryOp::Minus, Inner::Float(_, value)) => Some(Value::float(-value)),
        (UnaryOp::Minus, Inner::Int(_, value)) => {
            Some(value.checked_neg().map_or_else(|| Value::big(-BigInt::from(*value)), Value::int))
        }
        (UnaryOp::Minus, Inner::Big(_, value)) => Some(Value::big(-BigInt::clone(value))),
        (UnaryOp::Tilde, Inner::Int(_, value)) => Some(Value::int(!value)),
        (UnaryOp::Tilde, Inner::Big(_, value)) => Some(Value::big(-BigInt::clone(value) - 1)),
        _ => None,
    };
    if let Some(result) = result {
        return Ok(result.with_mark(operand.mark()));
    }
    if let Inner::Custom(_, custom) = &operand.0
        && let Some(result) = custom.value().unary(thread, op)
    {
        return result;
    }
    Err(Fault::Unary { operator: op.sign(), operand: operand.type_name().to_owned() }.into())
}
