//! Methods of strings that search for others.

use memchr::memmem;

use super::string::bytes;
use crate::builtin::{Args, Want};
use crate::error::Error;
use crate::ops::indices;
use crate::value::Value;
use crate::{Thread, unicode};

/// What a search costs: strings that nearly match, and matches of a byte, take about a nanosecond for each byte.
pub(crate) fn search_steps(text: usize, wanted: usize) -> usize {
    text / 8 + wanted / 8
}

/// The part of a string that is searched, its start, and the string to find.
fn search<'a>(
    thread: &Thread,
    receiver: &'a Value,
    args: &Args<'a>,
    name: &str,
) -> Result<(&'a [u8], usize, &'a [u8]), Error> {
    let [wanted, start, end] = args.positional_only(name, 1, [Want::String, Want::Any, Want::Any])?;
    let text = bytes(receiver);
    thread.spend(search_steps(text.len(), wanted.map_or(0, |wanted| bytes(wanted).len())))?;
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let (start, end) = indices(start, end, length).map_err(|error| error.prefixed(name))?;
    let start = usize::try_from(start).unwrap_or(0);
    let end = usize::try_from(end).unwrap_or(0);
    Ok((text.get(start..end).unwrap_or_default(), start, wanted.map(bytes).unwrap_or_default()))
}

pub(super) fn count(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let (text, _, wanted) = search(thread, receiver, args, name)?;
    // A match is possible at each byte.
    thread.spend(text.len() / wanted.len().max(1) / 4)?;
    Ok(Value::size(if wanted.is_empty() {
        unicode::characters(text).count() + 1
    } else {
        memmem::find_iter(text, wanted).count()
    }))
}

/// `find`, `index`, `rfind` and `rindex`.
pub(super) fn find(
    thread: &mut Thread,
    receiver: &Value,
    args: &Args<'_>,
    name: &'static str,
) -> Result<Value, Error> {
    let (text, start, wanted) = search(thread, receiver, args, name)?;
    let found = if name.starts_with('r') { memmem::rfind(text, wanted) } else { memmem::find(text, wanted) };
    match found {
        Some(at) => Ok(Value::size(at + start)),
        None if name.ends_with("find") => Ok(Value::int(-1)),
        None => Err(Error::new(format!("{name}: substring not found"))),
    }
}
