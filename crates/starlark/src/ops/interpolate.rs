//! `format % values`.

use super::float::{exponent_text, fixed_text, shortest_text};
use super::integer::{Number, as_float, as_int32, cost_of_digits, number_to_int};
use super::shown;
use crate::error::Error;
use crate::value::{Inner, Mark, Value};
use crate::{Thread, Writer, unicode};

pub(super) fn interpolate(thread: &mut Thread, format: &Value, given: &Value) -> Result<Value, Error> {
    let mut rest = format.as_bytes().unwrap_or_default();
    let values = match &given.0 {
        Inner::Tuple(_, tuple) => tuple.items(),
        _ => std::slice::from_ref(given),
    };
    let mut used = 0;
    let mut mark = format.mark();
    let mut writer = Writer::new(thread);
    while let Some(percent) = memchr::memchr(b'%', rest) {
        let (before, after) = rest.split_at(percent);
        writer.push(before)?;
        rest = after.get(1..).unwrap_or_default();
        if let [b'%', more @ ..] = rest {
            writer.push("%")?;
            rest = more;
            continue;
        }
        let value = if let [b'(', more @ ..] = rest {
            let Some(end) = memchr::memchr(b')', more) else {
                return Err(Error::new("incomplete format key"));
            };
            let (key, after) = more.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            by_key(writer.thread(), given, key)?
        } else {
            let Some(value) = values.get(used) else {
                return Err(Error::new("not enough arguments for format string"));
            };
            value.clone()
        };
        let Some((conversion, more)) = rest.split_first() else {
            return Err(Error::new("incomplete format"));
        };
        rest = more;
        mark = mark.or(value.mark());
        convert(&mut writer, *conversion, &value)?;
        used += 1;
    }
    writer.push(rest)?;
    if used < values.len() {
        return Err(Error::new("too many arguments for format string"));
    }
    let text = writer.finish();
    Ok(Value::string_from(text).with_mark(mark.or(Mark::NONE)))
}

fn by_key(thread: &mut Thread, mapping: &Value, key: &[u8]) -> Result<Value, Error> {
    let name = Value::string(key);
    let found = match &mapping.0 {
        Inner::Dict(_, dict) => Some(dict.get(thread, &name)),
        Inner::Custom(_, custom) => custom.value().get_key(thread, &name),
        _ => None,
    };
    let Some(found) = found else { return Err(Error::new("format requires a mapping")) };
    match super::compare::keep_limits(found)?.flatten() {
        Some(value) => Ok(value),
        None => Err(Error::new(format!("key not found: {}", String::from_utf8_lossy(key)))),
    }
}

/// The cost of a float: a large one is written with all its digits.
const FLOAT_STEPS: usize = 100;

fn convert(writer: &mut Writer<'_>, conversion: u8, value: &Value) -> Result<(), Error> {
    let letter = char::from(conversion);
    match conversion {
        b's' => writer.str(value),
        b'r' => writer.repr(value),
        b'd' | b'i' | b'o' | b'x' | b'X' => {
            let number = number_to_int(value)
                .map_err(|message| Error::new(format!("%{letter} format requires integer: {message}")))?;
            if let (Number::Small(number), b'd' | b'i') = (&number, conversion) {
                return writer.push(number.to_string());
            }
            let number = number.big();
            writer.thread().spend(cost_of_digits(number.bits()))?;
            writer.push(match conversion {
                b'd' | b'i' => number.to_string(),
                b'o' => number.to_str_radix(8),
                b'x' => number.to_str_radix(16),
                _ => number.to_str_radix(16).to_uppercase(),
            })
        }
        b'e' | b'f' | b'g' | b'E' | b'F' | b'G' => {
            let Some(float) = as_float(value) else {
                let type_name = value.type_name();
                return Err(Error::new(format!("%{letter} format requires float, not {type_name}")));
            };
            writer.thread().spend(FLOAT_STEPS)?;
            let text = match conversion.to_ascii_lowercase() {
                b'e' => exponent_text(float),
                b'f' => fixed_text(float),
                _ => shortest_text(float),
            };
            let is_upper = matches!(conversion, b'E' | b'G') && float.is_finite();
            writer.push(if is_upper { text.to_uppercase() } else { text })
        }
        b'c' => character(writer, value),
        b'%' => writer.push("%"),
        _ => {
            // A byte that is not ASCII is shown as the character with that number.
            Err(Error::new(format!("unknown conversion %{letter}")))
        }
    }
}

fn character(writer: &mut Writer<'_>, value: &Value) -> Result<(), Error> {
    match &value.0 {
        Inner::Int(..) | Inner::Big(..) => {
            let number = as_int32(value).ok().and_then(|number| u32::try_from(number).ok());
            let Some(number) = number.filter(|number| *number <= 0x0010_FFFF) else {
                let shown = shown(writer.thread(), value)?;
                return Err(Error::new(format!(
                    "%c format requires a valid Unicode code point, got {shown}"
                )));
            };
            let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            writer.push(character.encode_utf8(&mut [0; 4]).as_bytes())
        }
        Inner::Text(_, text) => {
            let (character, width) = unicode::decode(text);
            if text.is_empty() || width != text.len() {
                return Err(Error::new("%c format requires a single-character string"));
            }
            writer.push(character.encode_utf8(&mut [0; 4]).as_bytes())
        }
        _ => {
            let type_name = value.type_name();
            let message = format!("%c format requires int or single-character string, not {type_name}");
            Err(Error::new(message))
        }
    }
}
