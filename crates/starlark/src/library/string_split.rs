//! Methods of strings that split them.

use memchr::memmem;

use super::string::{bytes, last_character, pay};
use crate::builtin::{Args, Want};
use crate::error::Error;
use crate::ops::as_int32;
use crate::value::Value;
use crate::{Mark, Thread, unicode};

/// A list of parts, each with the mark of the whole.
fn list(thread: &Thread, parts: &[&[u8]], mark: Mark) -> Result<Value, Error> {
    thread.spend(parts.len())?;
    thread
        .need_memory(parts.len().saturating_mul(96) + parts.iter().map(|part| part.len()).sum::<usize>())?;
    Ok(Value::list(parts.iter().map(|part| Value::string(part).with_mark(mark)).collect()))
}

/// `split` and `rsplit`.
pub(super) fn split(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [separator, most] = args.positional_only(name, 0, [Want::Any, Want::Int])?;
    let most = most.and_then(|most| as_int32(most).ok()).and_then(|most| usize::try_from(most).ok());
    let text = bytes(receiver);
    pay(thread, text.len())?;
    let is_reverse = name == "rsplit";
    let parts = match separator.filter(|separator| !separator.is_none()) {
        None => {
            thread.spend(text.len() / 16)?;
            if is_reverse && most.is_some() { words_from_end(text, most) } else { words(text, most) }
        }
        Some(separator) => match separator.as_bytes() {
            Some([]) => return Err(Error::new("split: empty separator")),
            Some(separator) if is_reverse => split_from_end(text, separator, most),
            Some(separator) => split_by(text, separator, most),
            None => {
                let type_name = separator.type_name();
                return Err(Error::new(format!("split: got {type_name} for separator, want string")));
            }
        },
    };
    list(thread, &parts, receiver.mark())
}

fn split_by<'a>(text: &'a [u8], separator: &[u8], most: Option<usize>) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut done = 0;
    for at in memmem::find_iter(text, separator).take(most.unwrap_or(usize::MAX)) {
        parts.push(text.get(done..at).unwrap_or_default());
        done = at + separator.len();
    }
    parts.push(text.get(done..).unwrap_or_default());
    parts
}

/// Like the original, this finds separators from the front: only which of them count is decided from the end.
fn split_from_end<'a>(text: &'a [u8], separator: &[u8], most: Option<usize>) -> Vec<&'a [u8]> {
    let mut parts = split_by(text, separator, None);
    let excess = most.map_or(0, |most| parts.len().saturating_sub(most));
    if excess > 1 {
        let length = parts.iter().take(excess).map(|part| part.len() + separator.len()).sum::<usize>();
        parts.drain(..excess - 1);
        if let Some(first) = parts.first_mut() {
            *first = text.get(..length - separator.len()).unwrap_or_default();
        }
    }
    parts
}

fn words(text: &[u8], most: Option<usize>) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut start = None;
    for (at, character, _) in unicode::characters(text) {
        match (character.is_whitespace(), start) {
            (true, Some(begun)) => {
                if most == Some(parts.len()) {
                    break;
                }
                parts.push(text.get(begun..at).unwrap_or_default());
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    if let Some(begun) = start {
        parts.push(text.get(begun..).unwrap_or_default());
    }
    parts
}

fn words_from_end(text: &[u8], most: Option<usize>) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut end = None;
    let mut rest = text;
    while let Some((character, width)) = last_character(rest) {
        match (character.is_whitespace(), end) {
            (true, Some(ended)) => {
                if most == Some(parts.len()) {
                    break;
                }
                parts.push(text.get(rest.len()..ended).unwrap_or_default());
                end = None;
            }
            (false, None) => end = Some(rest.len()),
            _ => {}
        }
        rest = rest.get(..rest.len() - width).unwrap_or_default();
    }
    if let Some(ended) = end {
        parts.push(text.get(..ended).unwrap_or_default());
    }
    parts.reverse();
    parts
}

pub(super) fn splitlines(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [keep] = args.positional_only(name, 0, [Want::Bool])?;
    let keep = keep.is_some_and(Value::truth);
    let text = bytes(receiver);
    pay(thread, text.len())?;
    let mut lines = Vec::new();
    let mut done = 0;
    for at in memchr::memchr_iter(b'\n', text) {
        lines.push(text.get(done..at + usize::from(keep)).unwrap_or_default());
        done = at + 1;
    }
    if done < text.len() {
        lines.push(text.get(done..).unwrap_or_default());
    }
    list(thread, &lines, receiver.mark())
}
