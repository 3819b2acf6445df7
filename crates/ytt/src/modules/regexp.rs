//! `regexp`: matching and replacing with regular expressions.

use std::ops::Range;
use std::rc::Rc;

use trueline_regexp::{Count, Piece, Regexp};
use trueline_starlark::{Args, Error, Thread, Value};

use super::{bytes, function, module_of};
use crate::value::Context;

/// The module.
pub(super) fn module(_: &Context) -> Value {
    let is_match = function("regexp.match", |thread, args| {
        let [pattern, text] = args.positional else {
            return Err(Error::new("expected exactly two arguments"));
        };
        let (pattern, text) = (bytes(pattern)?, bytes(text)?);
        let pattern = compiled(thread, pattern)?;
        thread.spend(text.len().saturating_mul(pattern.cost_per_byte()))?;
        Ok(Value::bool(pattern.is_match(text)))
    });
    let replace = function("regexp.replace", |thread, args| {
        let [pattern, source, replacement] = args.positional else {
            return Err(Error::new("expected exactly 3 arguments"));
        };
        let pattern = compiled(thread, bytes(pattern)?)?;
        let text = bytes(source)?;
        thread.spend(text.len().saturating_mul(pattern.cost_per_byte()))?;
        let replaced = if replacement.is_callable() {
            replace_by_calls(thread, &pattern, text, replacement)?
        } else {
            replace_by_template(thread, &pattern, text, bytes(replacement)?)?
        };
        Ok(Value::string_from(replaced).with_mark(source.mark()))
    });
    module_of("regexp", [("match", is_match), ("replace", replace)])
}

/// A pattern. Its memory is paid for before it is taken.
fn compiled(thread: &Thread, pattern: &[u8]) -> Result<Rc<Regexp>, Error> {
    Regexp::compile_for(pattern, &mut |bytes| {
        thread.spend(bytes / 2)?;
        thread.need_memory(bytes)
    })?
    .map_err(Error::new)
}

/// What one match costs: itself, and the bytes after it that may be looked at again for the next.
fn match_steps(again: usize, pattern: &Regexp) -> usize {
    (again / 32).saturating_mul(pattern.groups_cost_per_byte()).saturating_add(16)
}

/// Each match is replaced by the template, in which `$1` and `${name}` stand for groups.
fn replace_by_template(
    thread: &Thread,
    pattern: &Regexp,
    text: &[u8],
    template: &[u8],
) -> Result<Vec<u8>, Error> {
    let groups = memchr::memchr_iter(b'$', template).count();
    let searches = groups.saturating_mul(pattern.group_count());
    thread.spend(text.len().saturating_mul(pattern.groups_cost_per_byte()))?;
    let (mut out, mut end) = (Vec::with_capacity(text.len()), 0);
    pattern.captures_for(text, &mut |captures, again| {
        let Some(whole) = captures.first().cloned().flatten() else { return Ok(()) };
        let written = groups.saturating_mul(whole.len()).saturating_add(template.len());
        thread.spend(match_steps(again, pattern).saturating_add(written).saturating_add(searches))?;
        thread.need_memory(written.saturating_add(out.len()))?;
        out.extend_from_slice(part(text, &(end..whole.start)));
        pattern.expand(template, captures, &mut |piece| match piece {
            Piece::Template(piece) => out.extend_from_slice(piece),
            Piece::Match(range) => out.extend_from_slice(part(text, &range)),
        });
        end = whole.end;
        Ok::<(), Error>(())
    })?;
    out.extend_from_slice(part(text, &(end..text.len())));
    Ok(out)
}

/// Each match is replaced by what a function makes of it.
fn replace_by_calls(
    thread: &mut Thread,
    pattern: &Regexp,
    text: &[u8],
    replace: &Value,
) -> Result<Vec<u8>, Error> {
    let found = pattern.find_all_for(text, Count::All, &mut |again| {
        thread.spend(match_steps(again, pattern))?;
        thread.need_memory(size_of::<Range<usize>>())
    })?;
    let (mut out, mut end) = (Vec::with_capacity(text.len()), 0);
    for found in found {
        out.extend_from_slice(part(text, &(end..found.start)));
        let replaced = thread.call(replace, Args::of(&[Value::string(part(text, &found))]))?;
        let replaced = bytes(&replaced)?;
        thread.need_memory(out.len().saturating_add(replaced.len()))?;
        out.extend_from_slice(replaced);
        end = found.end;
    }
    out.extend_from_slice(part(text, &(end..text.len())));
    Ok(out)
}

fn part<'t>(text: &'t [u8], range: &Range<usize>) -> &'t [u8] {
    text.get(range.clone()).unwrap_or_default()
}
