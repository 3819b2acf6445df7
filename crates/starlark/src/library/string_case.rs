//! Methods of strings that change or test the kinds of characters.

use super::string::{bytes, pay};
use crate::Thread;
use crate::builtin::Args;
use crate::error::Error;
use crate::unicode::{self, characters, is_cased, is_digit, is_letter, is_lower, is_title, is_upper};
use crate::value::Value;

pub(super) fn change(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let text = bytes(receiver);
    pay(thread, text.len().saturating_mul(3))?;
    thread.spend(text.len() / 16)?;
    let changed = match name {
        "lower" => unicode::map(text, unicode::to_lower),
        "upper" => unicode::map(text, unicode::to_upper),
        "capitalize" => {
            let mut is_first = true;
            unicode::map(text, |character| {
                if std::mem::take(&mut is_first) {
                    unicode::to_title(character)
                } else {
                    unicode::to_lower(character)
                }
            })
        }
        _ => {
            let mut in_word = false;
            unicode::map(text, |character| {
                let changed =
                    if in_word { unicode::to_lower(character) } else { unicode::to_title(character) };
                in_word = is_cased(changed);
                changed
            })
        }
    };
    Ok(Value::string_from(changed).with_mark(receiver.mark()))
}

pub(super) fn is(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    args.positional_only(name, 0, [])?;
    let text = bytes(receiver);
    thread.spend(text.len() / 16)?;
    let all = |fits: fn(char) -> bool| {
        !text.is_empty() && characters(text).all(|(_, character, _)| fits(character))
    };
    let has_case = || characters(text).any(|(_, character, _)| is_cased(character));
    Ok(Value::bool(match name {
        "isalnum" => all(|character| is_letter(character) || is_digit(character)),
        "isalpha" => all(is_letter),
        "isdigit" => all(is_digit),
        "isspace" => all(char::is_whitespace),
        "islower" => has_case() && is_unchanged(text, unicode::to_lower),
        "isupper" => has_case() && is_unchanged(text, unicode::to_upper),
        _ => is_titled(text),
    }))
}

/// Bytes that are not UTF-8 would be changed.
fn is_unchanged(text: &[u8], change: fn(char) -> char) -> bool {
    characters(text).all(|(at, character, width)| {
        change(character) == character && (width > 1 || text.get(at).is_some_and(u8::is_ascii))
    })
}

/// Upper case letters follow letters without case only, and lower case ones only those with case.
fn is_titled(text: &[u8]) -> bool {
    let mut any = false;
    let mut in_word = false;
    for (_, character, _) in characters(text) {
        if character.is_ascii_uppercase() || is_title(character) {
            if in_word {
                return false;
            }
            in_word = true;
            any = true;
        } else if is_lower(character) {
            if !in_word {
                return false;
            }
            any = true;
        } else if is_upper(character) {
            return false;
        } else {
            in_word = false;
        }
    }
    any
}
