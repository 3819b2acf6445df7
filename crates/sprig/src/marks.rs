//! Where the scalars of a text came from, and where the bytes of a text lead to.

use std::ops::Range;

use trueline_gotemplate::{Run, Str, Trace, Value};
use trueline_source::Span;

/// Notes while a text is written which of its ranges came from which place.
#[derive(Debug)]
pub(crate) struct Marks {
    runs: Option<Vec<Run>>,
}

impl Marks {
    /// Notes are taken only if somebody will ask.
    pub(crate) fn new(wanted: bool) -> Self {
        Marks { runs: wanted.then(Vec::new) }
    }

    /// The range that was written last came from this value.
    pub(crate) fn value(&mut self, range: impl FnOnce() -> Range<usize>, value: &Value) {
        if self.runs.is_some() {
            self.add(range, origin_of(value));
        }
    }

    /// The range that was written last came from this place.
    pub(crate) fn add(&mut self, range: impl FnOnce() -> Range<usize>, origin: Option<Span>) {
        let (Some(runs), Some(origin)) = (&mut self.runs, origin) else { return };
        let range = range();
        let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) else { return };
        // What lies between two marks is nobody's.
        if runs.last().is_some_and(|last| last.start == start) {
            runs.pop();
        }
        runs.push(Run { start, trace: Trace::Value(origin) });
        runs.push(Run { start: end, trace: Trace::Unknown });
    }

    /// The text with what was noted.
    pub(crate) fn finish(self, text: String) -> Str {
        let mut runs = self.runs.unwrap_or_default();
        while runs.last().is_some_and(|last| last.start as usize >= text.len()) {
            runs.pop();
        }
        Str::with_runs(text.into_bytes(), runs)
    }
}

/// Where a value was typed; for text of several parts, where the first that was typed.
fn origin_of(value: &Value) -> Option<Span> {
    value.origin.or_else(|| value.as_str()?.runs().iter().find_map(|run| typed_at(run.trace)))
}

fn typed_at(trace: Trace) -> Option<Span> {
    match trace {
        Trace::Value(span) | Trace::Verbatim(span) => Some(span),
        Trace::Printed { value, .. } => value,
        Trace::Unknown => None,
    }
}

/// Where the bytes of a range of a text were typed: as a value, or else as text of a template.
pub(crate) fn origin_in(text: &Str, whole: Option<Span>, range: Range<usize>) -> Option<Span> {
    let runs = text.runs();
    let first = runs.partition_point(|run| run.start as usize <= range.start).saturating_sub(1);
    let inside = || runs.iter().skip(first).take_while(|run| (run.start as usize) < range.end.max(1));
    let value = inside().find_map(|run| match run.trace {
        Trace::Value(span) | Trace::Printed { value: Some(span), .. } => Some(span),
        _ => None,
    });
    let copied = || match text.trace_at(range.start) {
        Trace::Verbatim(span) => {
            let length = u32::try_from(range.len()).unwrap_or(u32::MAX);
            Some(Span { end: span.end.min(span.start.saturating_add(length)), ..span })
        }
        _ => None,
    };
    value.or_else(copied).or(whole)
}
