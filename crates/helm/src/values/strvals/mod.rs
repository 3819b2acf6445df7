//! The little language of `--set` and its relatives: `a.b[0]=value,c={x,y}`.
//!
//! The text is read and applied at the same time, because an error about the values that are there can
//! come before an error about what follows.

mod apply;
mod fault;
mod json;
mod scan;
#[cfg(test)]
mod tests;

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceId, SourceMap};
use trueline_yaml::Map;

use crate::chart::Compat;

use self::fault::Stop;
use self::scan::Scanner;

pub(super) use self::fault::Fault;
pub(super) use self::json::object;

/// What follows an `=`.
pub(super) enum Form<'a> {
    /// Text, unless it looks like a truth value, an integer or null.
    Typed,
    /// Text.
    Text,
    /// Text up to the end of the argument; nothing in the argument is escaped.
    Literal,
    /// One JSON value.
    Json,
    /// The path of a file whose content is the value.
    File { read: &'a mut super::ReadFile<'a>, sources: &'a SourceMap },
}

/// Bounds on what one command line may demand.
pub(super) struct Budget {
    /// How many elements lists may gain when an element past their end is set.
    gaps: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { gaps: 1 << 20 }
    }
}

/// Sets what an argument says in a map of values. Returns what Helm silently drops of it.
pub(super) fn apply(
    data: &mut Map,
    text: &str,
    source: SourceId,
    form: Form<'_>,
    compat: Compat,
    budget: &mut Budget,
) -> Result<Vec<Diagnostic>, Fault> {
    let dropped = Vec::new();
    let mut parser = Parser { scanner: Scanner::new(text, source, &form), form, compat, budget, dropped };
    loop {
        match parser.key(data, Levels::default()) {
            Ok(()) => {}
            Err(Stop::End) => return Ok(parser.dropped),
            Err(Stop::Fault(fault)) => return Err(*fault),
        }
    }
}

struct Parser<'t, 'f, 'b> {
    scanner: Scanner<'t>,
    form: Form<'f>,
    compat: Compat,
    budget: &'b mut Budget,
    /// What sets nothing, although it was meant to.
    dropped: Vec<Diagnostic>,
}

/// How deep a path has come.
#[derive(Clone, Copy, Default)]
struct Levels {
    /// Names after dots, which Helm counts.
    names: usize,
    /// Steps of any kind, which bound our stack.
    steps: usize,
}
