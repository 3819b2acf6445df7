//! Where the scalars of a text came from, and where the bytes of a text lead to.

use std::ops::Range;

use trueline_gotemplate::{Run, Str, Trace, Value};
use trueline_source::Span;

/// Notes while a text is written which of its ranges came from which place.
#[derive(Debug)]
pub(crate) struct Marks {
    runs: Option<Vec<Run>>,
    /// Texts of several parts, with the places where they were written.
    mixed: Vec<(Range<usize>, Str)>,
}

impl Marks {
    /// Notes are taken only if somebody will ask.
    pub(crate) fn new(wanted: bool) -> Self {
        Marks { runs: wanted.then(Vec::new), mixed: Vec::new() }
    }

    /// The range that was written last came from this value.
    pub(crate) fn value(&mut self, range: impl FnOnce() -> Range<usize>, value: &Value) {
        if self.runs.is_none() {
            return;
        }
        let range = range();
        match value.as_str().filter(|text| value.origin.is_none() && is_mixed(text)) {
            Some(text) => {
                self.add(|| range.clone(), typed_first(text));
                self.mixed.push((range.clone(), text.clone()));
            }
            None => {
                let origin = value.origin.or_else(|| typed_first(value.as_str()?));
                self.add(|| range, origin);
            }
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
        let mut mixed = self.mixed.into_iter().peekable();
        let mut runs = Vec::new();
        for run in self.runs.unwrap_or_default() {
            runs.push(run);
            let here = mixed.next_if(|(range, _)| {
                range.start == run.start as usize && matches!(run.trace, Trace::Value(_))
            });
            if let Some((range, part)) = here {
                runs.extend(parts(&text, range, &part));
            }
        }
        while runs.last().is_some_and(|last| last.start as usize >= text.len()) {
            runs.pop();
        }
        Str::with_runs(text.into_bytes(), runs)
    }
}

/// Where the first part of a text that was typed anywhere was typed.
fn typed_first(text: &Str) -> Option<Span> {
    text.runs().iter().find_map(|run| typed_at(run.trace))
}

/// Whether the parts of a text were typed in several places.
fn is_mixed(text: &Str) -> bool {
    let first = typed_first(text);
    text.runs().iter().any(|run| typed_at(run.trace).is_some_and(|place| Some(place) != first))
}

/// Where a text stands letter for letter in what was written for it, in quotes or without.
fn place_of(text: &[u8], written: &[u8]) -> Option<usize> {
    if text == written {
        return Some(0);
    }
    match written {
        [b'"' | b'\'', inside @ .., _] if inside == text => Some(1),
        _ => None,
    }
}

/// The runs of a text that stands in a range of another, if it does letter for letter.
fn parts(whole: &str, range: Range<usize>, text: &Str) -> Vec<Run> {
    let written = whole.as_bytes().get(range.clone()).unwrap_or_default();
    let Some(offset) = place_of(text.as_bytes(), written) else { return Vec::new() };
    let Ok(base) = u32::try_from(range.start + offset) else { return Vec::new() };
    // The first run tells the same as the mark of the whole unless something stands before it.
    let runs = text.runs().iter().skip_while(|run| offset == 0 && run.start == 0);
    let run = |run: &Run| Run {
        start: base.saturating_add(run.start),
        trace: typed_at(run.trace).map_or(Trace::Unknown, Trace::Value),
    };
    runs.map(run).collect()
}

/// What a text that was read stands for in the text that it was read from, with its parts: nothing if it does not
/// stand there letter for letter, or if all of it was typed in one place.
pub(crate) fn copied_from(text: &Str, range: Range<usize>, read: &str) -> Option<Str> {
    if text.runs().is_empty() {
        return None;
    }
    let written = text.as_bytes().get(range.clone())?;
    let start = range.start + place_of(read.as_bytes(), written)?;
    Some(text.slice(start..start + read.len())).filter(is_mixed)
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
