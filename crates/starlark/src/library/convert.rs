//! Functions that convert scalars.

use num_bigint::BigInt;

use crate::builtin::{Args, Want};
use crate::error::Error;
use crate::ops::{self, as_float, as_int32, cost_of_digits, number_to_int, parse_float};
use crate::value::{Inner, Value};
use crate::{Thread, unicode};

pub(super) fn bool(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [value] = args.positional_only("bool", 0, [Want::Any])?;
    Ok(value.map_or_else(|| Value::bool(false), |value| Value::bool(value.truth()).with_mark(value.mark())))
}

/// The only argument, with the error message of functions that count this way.
fn one<'a>(args: &Args<'a>, function: &str, exactly: &str) -> Result<&'a Value, Error> {
    super::no_names(args, function)?;
    match args.positional {
        [value] => Ok(value),
        others => {
            let count = others.len();
            Err(Error::new(format!("{function}: got {count} arguments, want {exactly}1")))
        }
    }
}

pub(super) fn chr(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let value = one(args, "chr", "")?;
    let Ok(number) = as_int32(value) else {
        return Err(Error::new(format!("chr: got {}, want int", value.type_name())));
    };
    let Ok(number) = u32::try_from(number) else {
        return Err(Error::new(format!("chr: Unicode code point {number} out of range (<0)")));
    };
    if number > 0x0010_FFFF {
        return Err(Error::new(format!("chr: Unicode code point U+{number:X} out of range (>0x10FFFF)")));
    }
    let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
    Ok(Value::string(character.encode_utf8(&mut [0; 4])).with_mark(value.mark()))
}

pub(super) fn ord(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let value = one(args, "ord", "")?;
    let Some(text) = value.as_bytes() else {
        return Err(Error::new(format!("ord: got {}, want string", value.type_name())));
    };
    let (character, width) = unicode::decode(text);
    if width == 0 || width != text.len() {
        let count = unicode::characters(text).count();
        return Err(Error::new(format!("ord: string encodes {count} Unicode code points, want 1")));
    }
    Ok(Value::int(u32::from(character).into()).with_mark(value.mark()))
}

pub(super) fn str(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let value = one(args, "str", "exactly ")?;
    if value.as_bytes().is_some() {
        return Ok(value.clone());
    }
    Ok(Value::string_from(ops::to_repr(thread, value)?).with_mark(value.mark()))
}

pub(super) fn repr(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [value] = args.positional_only("repr", 1, [Want::Any])?;
    let value = value.unwrap_or(&Value::NONE);
    Ok(Value::string_from(ops::to_repr(thread, value)?).with_mark(value.mark()))
}

pub(super) fn float(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    super::no_names(args, "float")?;
    let value = match args.positional {
        [] => return Ok(Value::float(0.0)),
        [value] => value,
        others => return Err(Error::new(format!("float got {} arguments, wants 1", others.len()))),
    };
    let float = match &value.0 {
        Inner::Bool(_, value) => f64::from(u8::from(*value)),
        Inner::Text(_, text) => parse_float(text).map_err(|message| {
            let shown = unicode::quote(text);
            Error::new(format!("float: strconv.ParseFloat: parsing {shown}: {message}"))
        })?,
        _ => as_float(value)
            .ok_or_else(|| Error::new(format!("float got {}, want number or string", value.type_name())))?,
    };
    Ok(Value::float(float).with_mark(value.mark()))
}

pub(super) fn int(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [value, base] = args.unpack("int", [("x", Want::Any), ("base?", Want::Any)])?;
    let value = value.unwrap_or(&Value::NONE);
    let result = match (&value.0, base) {
        (Inner::Text(_, text), _) => {
            let base = match base {
                None => 10,
                Some(base) => as_int32(base)
                    .ok()
                    .and_then(|base| u32::try_from(base).ok())
                    .filter(|base| *base == 0 || (2..=36).contains(base))
                    .ok_or_else(|| Error::new("int: base must be an integer >= 2 && <= 36"))?,
            };
            // A digit has at most about five bits.
            thread.spend(cost_of_digits(text.len() as u64 * 5))?;
            thread.need_memory(text.len())?;
            parse_int(text, base).map_err(|base| {
                let shown = text.to_string_lossy();
                Error::new(format!("int: invalid literal with base {base}: {shown}"))
            })?
        }
        (_, Some(_)) => return Err(Error::new("int: can't convert non-string with explicit base")),
        (Inner::Bool(_, value), None) => Value::int(i64::from(*value)),
        _ => number_to_int(value).map_err(|message| Error::new(format!("int: {message}")))?.value(),
    };
    Ok(result.with_mark(value.mark()))
}

/// Reads an integer; if that fails, returns the base that was used.
fn parse_int(text: &[u8], base: u32) -> Result<Value, u32> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (prefix, rest) = match digits {
        [b'0', b'o' | b'O', rest @ ..] if !rest.is_empty() => (8, rest),
        [b'0', b'x' | b'X', rest @ ..] if !rest.is_empty() => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] if !rest.is_empty() => (2, rest),
        _ => (0, digits),
    };
    if digits.len() > 1 && digits.first() == Some(&b'0') {
        // If the base has to be detected, leading zeros are only allowed for zero.
        if prefix == 0 && base == 0 {
            return if digits.iter().all(|digit| *digit == b'0') { Ok(Value::int(0)) } else { Err(base) };
        }
        if base != 0 && prefix != 0 && prefix != base {
            return Err(base);
        }
    }
    let base = match (base, prefix) {
        (0, 0) => 10,
        (0, prefix) => prefix,
        _ => base,
    };
    if rest.is_empty() || !rest.iter().all(|digit| char::from(*digit).is_digit(base)) {
        return Err(base);
    }
    let small = std::str::from_utf8(rest).ok().and_then(|text| i64::from_str_radix(text, base).ok());
    let magnitude = match small {
        Some(small) => return Ok(Value::int(if negative { -small } else { small })),
        None => BigInt::parse_bytes(rest, base).ok_or(base)?,
    };
    Ok(Value::big(if negative { -magnitude } else { magnitude }))
}
