//! Hashes of keys.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::integer::{Number, float_to_integer};
use crate::Thread;
use crate::error::Error;
use crate::value::{Inner, Value};

/// Nested tuples are hashed up to this depth.
const DEEPEST: usize = 500;

/// The hash of a value that can be a key. Equal values have equal hashes, whatever their types.
pub(crate) fn hash(thread: &mut Thread, value: &Value) -> Result<u32, Error> {
    hash_depth(thread, value, 0)
}

fn hash_depth(thread: &mut Thread, value: &Value, depth: usize) -> Result<u32, Error> {
    Ok(match &value.0 {
        Inner::Unset | Inner::None(_) => 0,
        Inner::Bool(_, value) => u32::from(*value),
        Inner::Int(_, value) => hash_number(*value),
        Inner::Big(_, value) => hash_digits(value.iter_u64_digits()),
        Inner::Float(_, value) if value.is_finite() => match float_to_integer(*value) {
            Number::Small(value) => hash_number(value),
            Number::Big(value) => hash_digits(value.iter_u64_digits()),
        },
        Inner::Float(..) => 1_618_033,
        Inner::Text(_, text) => {
            if text.len() > 256 {
                thread.spend(text.len() / 256)?;
            }
            hash_bytes(text)
        }
        Inner::Tuple(_, tuple) => {
            if depth >= DEEPEST {
                return Err(Error::limit(format!("tuples are nested more than {DEEPEST} levels deep")));
            }
            thread.spend(tuple.items().len())?;
            let mut hasher = FxHasher::default();
            for item in tuple.items() {
                hasher.write_u32(hash_depth(thread, item, depth + 1)?);
            }
            fold(hasher.finish())
        }
        Inner::Function(_, function) => hash_bytes(function.name().as_bytes()),
        Inner::Builtin(_, builtin) => hash_bytes(builtin.name().as_bytes()),
        Inner::Custom(_, custom) => custom.value().hash(thread)?,
        Inner::Range(..) => return Err(Error::new("unhashable: range")),
        Inner::List(..) | Inner::Dict(..) | Inner::Set(..) | Inner::Cell(_) | Inner::Method(_) => {
            return Err(Error::new(format!("unhashable type: {}", value.type_name())));
        }
    })
}

fn hash_number(number: i64) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_i64(number);
    fold(hasher.finish())
}

fn hash_digits(digits: impl Iterator<Item = u64>) -> u32 {
    let mut hasher = FxHasher::default();
    digits.for_each(|digit| hasher.write_u64(digit));
    fold(hasher.finish())
}

fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    fold(hasher.finish())
}

fn fold(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}
