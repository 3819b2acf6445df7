//! Methods of strings: the table, and those that cut and join.

use memchr::memmem;
use rustc_hash::FxHashSet;

use super::{Method, first_mark, format, string_case, string_find, string_iterable, string_split};
use crate::builtin::{Args, Want};
use crate::error::Error;
use crate::iterate::Elements;
use crate::ops::{as_int32, indices};
use crate::value::{Inner, Mark, Value};
use crate::{Thread, unicode};

pub(super) const METHODS: &[Method] = &[
    Method { name: "capitalize", function: string_case::change },
    Method { name: "codepoint_ords", function: string_iterable::make },
    Method { name: "codepoints", function: string_iterable::make },
    Method { name: "count", function: string_find::count },
    Method { name: "elem_ords", function: string_iterable::make },
    Method { name: "elems", function: string_iterable::make },
    Method { name: "endswith", function: starts_or_ends },
    Method { name: "find", function: string_find::find },
    Method { name: "format", function: format::format },
    Method { name: "index", function: string_find::find },
    Method { name: "isalnum", function: string_case::is },
    Method { name: "isalpha", function: string_case::is },
    Method { name: "isdigit", function: string_case::is },
    Method { name: "islower", function: string_case::is },
    Method { name: "isspace", function: string_case::is },
    Method { name: "istitle", function: string_case::is },
    Method { name: "isupper", function: string_case::is },
    Method { name: "join", function: join },
    Method { name: "lower", function: string_case::change },
    Method { name: "lstrip", function: strip },
    Method { name: "partition", function: partition },
    Method { name: "replace", function: replace },
    Method { name: "rfind", function: string_find::find },
    Method { name: "rindex", function: string_find::find },
    Method { name: "rpartition", function: partition },
    Method { name: "rsplit", function: string_split::split },
    Method { name: "rstrip", function: strip },
    Method { name: "split", function: string_split::split },
    Method { name: "splitlines", function: string_split::splitlines },
    Method { name: "startswith", function: starts_or_ends },
    Method { name: "strip", function: strip },
    Method { name: "title", function: string_case::change },
    Method { name: "upper", function: string_case::change },
];

/// The bytes of the receiver.
pub(super) fn bytes(receiver: &Value) -> &[u8] {
    receiver.as_bytes().unwrap_or_default()
}

/// Charges for reading a string, and for a result of that length.
pub(super) fn pay(thread: &Thread, length: usize) -> Result<(), Error> {
    thread.spend(length / 64)?;
    thread.need_memory(length)
}

fn starts_or_ends(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [wanted, start, end] = args.positional_only(name, 1, [Want::Any; 3])?;
    let text = bytes(receiver);
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let (start, end) = indices(start, end, length).map_err(|error| error.prefixed(name))?;
    let part = usize::try_from(start).ok().zip(usize::try_from(end.max(start)).ok());
    let text = part.and_then(|(start, end)| text.get(start..end)).unwrap_or_default();
    let fits =
        |wanted: &[u8]| if name == "endswith" { text.ends_with(wanted) } else { text.starts_with(wanted) };
    let wanted = wanted.unwrap_or(&Value::NONE);
    match &wanted.0 {
        Inner::Tuple(_, tuple) => {
            for (index, item) in tuple.items().iter().enumerate() {
                let Some(item) = item.as_bytes() else {
                    let type_name = item.type_name();
                    return Err(Error::new(format!(
                        "{name}: want string, got {type_name}, for element {index}"
                    )));
                };
                thread.spend(1 + item.len().min(text.len()) / 64)?;
                if fits(item) {
                    return Ok(Value::bool(true));
                }
            }
            Ok(Value::bool(false))
        }
        Inner::Text(_, wanted) => Ok(Value::bool(fits(wanted))),
        _ => {
            let type_name = wanted.type_name();
            Err(Error::new(format!("{name}: got {type_name}, want string or tuple of string")))
        }
    }
}

fn join(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    let [iterable] = args.positional_only(name, 1, [Want::Iterable])?;
    let separator = bytes(receiver);
    let mut text = Vec::new();
    let mut mark = receiver.mark();
    let mut elements = iterable.and_then(Elements::of);
    let mut is_first = true;
    while let Some(element) = elements.as_mut().and_then(Elements::next) {
        let Some(part) = element.as_bytes() else {
            let type_name = element.type_name();
            return Err(Error::new(format!("join: in list, want string, got {type_name}")));
        };
        thread.spend(1 + (part.len() + separator.len()) / 64)?;
        if text.capacity() - text.len() < part.len() + separator.len() {
            thread.need_memory((text.len() + part.len() + separator.len()) * 2)?;
        }
        if !is_first {
            text.extend_from_slice(separator);
        }
        is_first = false;
        text.extend_from_slice(part);
        mark = mark.or(element.mark());
    }
    Ok(Value::string_from(text).with_mark(mark))
}

fn strip(thread: &mut Thread, receiver: &Value, args: &Args<'_>, name: &'static str) -> Result<Value, Error> {
    let [set] = args.positional_only(name, 0, [Want::String])?;
    let mut text = bytes(receiver);
    pay(thread, text.len())?;
    thread.spend((text.len() + set.map_or(0, |set| bytes(set).len())) / 4)?;
    let set: FxHashSet<char> = set
        .map(|set| unicode::characters(bytes(set)).map(|(_, character, _)| character).collect())
        .unwrap_or_default();
    let strips = |character: char| {
        if set.is_empty() { character.is_whitespace() } else { set.contains(&character) }
    };
    if name != "rstrip" {
        let kept = unicode::characters(text).find(|(_, character, _)| !strips(*character));
        text = text.get(kept.map_or(text.len(), |(at, ..)| at)..).unwrap_or_default();
    }
    if name != "lstrip" {
        while let Some((_, width)) = last_character(text).filter(|(character, _)| strips(*character)) {
            text = text.get(..text.len() - width).unwrap_or_default();
        }
    }
    Ok(Value::string(text).with_mark(receiver.mark()))
}

/// The last character and its width.
pub(super) fn last_character(text: &[u8]) -> Option<(char, usize)> {
    let last = text.len().checked_sub(1)?;
    // A character has at most four bytes; those after the first begin with the bits 10.
    let start = (last.saturating_sub(3)..=last)
        .rev()
        .find(|at| text.get(*at).is_some_and(|byte| byte & 0xc0 != 0x80));
    let decoded = start.and_then(|start| text.get(start..)).map(|tail| (unicode::decode(tail), tail.len()));
    match decoded {
        Some(((character, width), length)) if width == length => Some((character, width)),
        _ => Some((char::REPLACEMENT_CHARACTER, 1)),
    }
}

fn partition(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [separator] = args.positional_only(name, 1, [Want::String])?;
    let separator = separator.map(bytes).unwrap_or_default();
    if separator.is_empty() {
        return Err(Error::new(format!("{name}: empty separator")));
    }
    let text = bytes(receiver);
    pay(thread, text.len())?;
    let is_first = name == "partition";
    let found = if is_first { memmem::find(text, separator) } else { memmem::rfind(text, separator) };
    let parts: [&[u8]; 3] = match found {
        Some(at) => {
            let (before, rest) = text.split_at(at);
            [before, separator, rest.get(separator.len()..).unwrap_or_default()]
        }
        None if is_first => [text, b"", b""],
        None => [b"", b"", text],
    };
    let mark = receiver.mark();
    Ok(Value::tuple(parts.iter().map(|part| Value::string(part).with_mark(mark)).collect()))
}

fn replace(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let [old, new, count] = args.positional_only(name, 2, [Want::String, Want::String, Want::Int])?;
    let mark = first_mark([Some(receiver), new].into_iter().flatten());
    let (old, new) = (old.map(bytes).unwrap_or_default(), new.map(bytes).unwrap_or_default());
    let most = count.and_then(|count| as_int32(count).ok()).and_then(|count| usize::try_from(count).ok());
    let text = bytes(receiver);
    let most = most.unwrap_or(usize::MAX);
    let places: Vec<usize> = if old.is_empty() {
        // An empty text is found before each character and at the end.
        thread.spend(text.len() / 8)?;
        thread.need_memory(text.len().saturating_mul(8))?;
        let starts = unicode::characters(text).map(|(at, ..)| at);
        starts.chain([text.len()]).take(most).collect()
    } else {
        thread.spend(string_find::search_steps(text.len(), old.len()) + text.len() / old.len() / 4)?;
        thread.need_memory(text.len() / old.len() * 8)?;
        memmem::find_iter(text, old).take(most).collect()
    };
    let length = places.len().saturating_mul(new.len()).saturating_add(text.len());
    pay(thread, length)?;
    let mut result = Vec::new();
    let mut done = 0;
    for place in places {
        result.extend_from_slice(text.get(done..place).unwrap_or_default());
        result.extend_from_slice(new);
        done = place + old.len();
    }
    result.extend_from_slice(text.get(done..).unwrap_or_default());
    Ok(Value::string_from(result).with_mark(mark.or(Mark::NONE)))
}
