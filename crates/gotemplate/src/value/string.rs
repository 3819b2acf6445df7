//! Text that knows where its parts came from.
//!
//! Most text has one origin, that of its [`super::Value`], and no runs. Text made of several parts (an included
//! template, a map written as YAML) has a run for each.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use trueline_source::Span;

/// A string of any bytes. Copies are cheap.
#[derive(Clone)]
pub struct Str {
    bytes: Arc<[u8]>,
    /// One pointer instead of two, because values are moved a lot.
    traces: Option<Rc<Traces>>,
}

/// Where the parts of the text came from.
#[derive(Debug, Default)]
struct Traces {
    runs: Vec<Run>,
    /// Parts without text, such as empty strings that were printed, in the order of their offsets.
    blanks: Vec<Run>,
}

/// One part of the text, from `start` to the start of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Offset of its first byte.
    pub start: u32,
    /// Where it came from.
    pub trace: Trace,
}

/// Where a part of the text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    /// Unknown: a constant of a function, or text whose origin is not recorded.
    Unknown,
    /// From a value typed here; the action that prints it is not yet known.
    Value(Span),
    /// Copied byte for byte from the start of this span of a template.
    Verbatim(Span),
    /// Printed by an action of a template.
    Printed {
        /// The action.
        action: Span,
        /// The value that it printed, if its place is known.
        value: Option<Span>,
    },
}

impl Trace {
    /// The trace of the byte `offset` bytes later.
    fn advanced(self, offset: u32) -> Self {
        match self {
            Trace::Verbatim(span) => {
                let start = span.start.saturating_add(offset).min(span.end);
                Trace::Verbatim(Span { source: span.source, start, end: span.end })
            }
            other => other,
        }
    }
}

impl Str {
    /// The empty text.
    pub fn empty() -> Self {
        Str { bytes: Arc::from(&[][..]), traces: None }
    }

    /// Text whose runs are already known, sorted by start.
    pub fn with_runs(bytes: Vec<u8>, runs: Vec<Run>) -> Self {
        let traces = (!runs.is_empty()).then(|| Rc::new(Traces { runs, blanks: Vec::new() }));
        Str { bytes: bytes.into(), traces }
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, shared.
    pub fn shared(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// Its text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Its text as a key of a map.
    pub fn key(&self) -> Arc<str> {
        Arc::from(&*self.text())
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Its runs; empty if it has one origin or none.
    pub fn runs(&self) -> &[Run] {
        self.traces.as_deref().map(|traces| traces.runs.as_slice()).unwrap_or_default()
    }

    /// Parts without text, such as empty strings that were printed, in the order of their offsets.
    pub fn blanks(&self) -> &[Run] {
        self.traces.as_deref().map(|traces| traces.blanks.as_slice()).unwrap_or_default()
    }

    /// Where the byte at `offset` came from, according to its own runs.
    pub fn trace_at(&self, offset: usize) -> Trace {
        let runs = self.runs();
        let after = runs.partition_point(|run| run.start as usize <= offset);
        match after.checked_sub(1).and_then(|index| runs.get(index)) {
            Some(run) => run.trace.advanced((offset - run.start as usize) as u32),
            None => Trace::Unknown,
        }
    }

    /// A part of it, with the runs of that part. Anything outside it is dropped.
    pub fn slice(&self, range: Range<usize>) -> Str {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        if start == 0 && end == self.len() {
            return self.clone();
        }
        let mut builder = StrBuilder::default();
        builder.push_part(self, start..end, Trace::Unknown);
        builder.finish()
    }
}

/// The most runs that one text keeps: they take more memory than the text. Beyond that the origin of parts is
/// unknown.
const MOST_RUNS: usize = 1 << 21;

/// How many parts without text are kept: a fixed number, plus one per this many bytes, because they only cost
/// memory.
const MOST_BLANKS: usize = 64;
const BYTES_FOR_BLANK: usize = 16;

/// Builds text part by part and keeps the traces.
#[derive(Debug, Default, Clone)]
pub struct StrBuilder {
    bytes: Vec<u8>,
    runs: Vec<Run>,
    blanks: Vec<Run>,
}

impl StrBuilder {
    /// A builder with room for this many bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        StrBuilder { bytes: Vec::with_capacity(capacity), ..StrBuilder::default() }
    }

    /// What was written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The runs of what was written so far.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Adds bytes that came from `trace`.
    pub fn push(&mut self, bytes: &[u8], trace: Trace) {
        if bytes.is_empty() {
            return self.mark_blank(self.bytes.len(), trace);
        }
        self.mark(trace);
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds text with its runs; parts with an unknown origin came from `otherwise`.
    pub fn push_str(&mut self, text: &Str, otherwise: Trace) {
        self.push_part(text, 0..text.len(), otherwise);
    }

    /// Adds a part of the text with its runs; parts with an unknown origin came from `otherwise`.
    pub fn push_part(&mut self, text: &Str, range: Range<usize>, otherwise: Trace) {
        let Some(bytes) = text.bytes.get(range.clone()) else { return };
        let base = self.bytes.len();
        let blanks = text.blanks();
        let first = blanks.partition_point(|blank| (blank.start as usize) < range.start);
        let inside = blanks.iter().skip(first).take_while(|blank| blank.start as usize <= range.end);
        for blank in inside {
            let trace = if blank.trace == Trace::Unknown { otherwise } else { blank.trace };
            self.mark_blank(base + blank.start as usize - range.start, trace);
        }
        let runs = text.runs();
        if runs.is_empty() {
            // An empty part of something else is not recorded as a blank, because only the whole text was
            // printed.
            if !bytes.is_empty() || text.is_empty() && text.blanks().is_empty() {
                self.push(bytes, otherwise);
            }
            return;
        }
        let first = runs.partition_point(|run| run.start as usize <= range.start).saturating_sub(1);
        let mut position = range.start;
        for (index, run) in runs.iter().enumerate().skip(first) {
            if run.start as usize >= range.end || position >= range.end {
                break;
            }
            if position < run.start as usize {
                self.mark_at(base + position - range.start, otherwise);
            }
            position = position.max(run.start as usize);
            let trace = match run.trace {
                Trace::Unknown => otherwise,
                trace => trace.advanced((position - run.start as usize) as u32),
            };
            self.mark_at(base + position - range.start, trace);
            position = runs.get(index + 1).map_or(range.end, |next| next.start as usize);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds text whose traces `convert` turns into others. It is also called for unknown origins.
    pub(crate) fn push_converted(&mut self, text: &Str, convert: impl Fn(Trace) -> Trace) {
        let runs = text.runs();
        let base = self.bytes.len();
        for blank in text.blanks() {
            self.mark_blank(base + blank.start as usize, convert(blank.trace));
        }
        if text.is_empty() && text.blanks().is_empty() {
            self.mark_blank(base, convert(Trace::Unknown));
        }
        if runs.first().is_none_or(|run| run.start > 0) && !text.is_empty() {
            self.mark(convert(Trace::Unknown));
        }
        for run in runs {
            self.mark_at(base + run.start as usize, convert(run.trace));
        }
        self.bytes.extend_from_slice(&text.bytes);
    }

    /// Adds bytes without recording where they came from.
    pub(crate) fn push_untraced(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The text.
    pub fn finish(mut self) -> Str {
        self.take()
    }

    /// The text; resets the builder and keeps its memory for another.
    pub(crate) fn take(&mut self) -> Str {
        let runs = std::mem::take(&mut self.runs);
        let blanks = std::mem::take(&mut self.blanks);
        let known = runs.iter().any(|run| run.trace != Trace::Unknown) || !blanks.is_empty();
        let traces = known.then(|| Rc::new(Traces { runs, blanks }));
        let text = Str { bytes: self.bytes.as_slice().into(), traces };
        self.bytes.clear();
        text
    }

    fn mark(&mut self, trace: Trace) {
        self.mark_at(self.bytes.len(), trace);
    }

    /// Records that a value without text, from `trace`, was printed at `start`. Empty template text is not
    /// recorded.
    fn mark_blank(&mut self, start: usize, trace: Trace) {
        let blank = match (u32::try_from(start), trace) {
            (Ok(start), Trace::Value(_) | Trace::Printed { .. }) => Run { start, trace },
            _ => return,
        };
        let most = MOST_BLANKS + self.bytes.len() / BYTES_FOR_BLANK;
        let is_next = self.blanks.last().is_none_or(|last| last.start <= blank.start && *last != blank);
        if is_next && self.blanks.len() < most {
            self.blanks.push(blank);
        }
    }

    /// The text from `start` on came from `trace`, unless the previous run continues.
    fn mark_at(&mut self, start: usize, trace: Trace) {
        let Ok(start) = u32::try_from(start) else { return };
        match self.runs.last() {
            None if trace == Trace::Unknown => return,
            Some(last) if last.trace.advanced(start - last.start) == trace && !ends(last, start) => return,
            Some(last) if last.start == start => {
                self.runs.pop();
                return self.mark_at(start as usize, trace);
            }
            _ => {}
        }
        match self.runs.len() {
            0..MOST_RUNS => self.runs.push(Run { start, trace }),
            MOST_RUNS => self.runs.push(Run { start, trace: Trace::Unknown }),
            _ => {}
        }
    }
}

/// Whether a run of copied text ends at `start`, so what follows is not part of it.
fn ends(run: &Run, start: u32) -> bool {
    matches!(run.trace, Trace::Verbatim(span) if run.start.saturating_add(span.end - span.start) <= start)
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Str { bytes: Arc::from(text.as_bytes()), traces: None }
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Str::from(text.into_bytes())
    }
}

impl From<Vec<u8>> for Str {
    fn from(bytes: Vec<u8>) -> Self {
        Str { bytes: bytes.into(), traces: None }
    }
}

impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Self {
        Str { bytes: bytes.into(), traces: None }
    }
}

impl From<Arc<str>> for Str {
    fn from(text: Arc<str>) -> Self {
        Str { bytes: text.into(), traces: None }
    }
}

impl From<Arc<[u8]>> for Str {
    fn from(bytes: Arc<[u8]>) -> Self {
        Str { bytes, traces: None }
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Str {}

impl fmt::Debug for Str {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceId;

    fn span(start: u32, end: u32) -> Span {
        Span { source: SourceId::from_index(0), start, end }
    }

    fn runs(text: &Str) -> Vec<(u32, Trace)> {
        text.runs().iter().map(|run| (run.start, run.trace)).collect()
    }

    #[test]
    fn parts_keep_their_traces() {
        let (copied, value) = (Trace::Verbatim(span(10, 14)), Trace::Value(span(0, 3)));
        let mut builder = StrBuilder::default();
        builder.push(b"abcd", copied);
        builder.push(b"xyz", value);
        builder.push(b"!", Trace::Unknown);
        let text = builder.finish();
        assert_eq!(runs(&text), [(0, copied), (4, value), (7, Trace::Unknown)]);
        let part = text.slice(2..6);
        assert_eq!(part.as_bytes(), b"cdxy");
        assert_eq!(runs(&part), [(0, Trace::Verbatim(span(12, 14))), (2, value)]);
        assert_eq!(text.trace_at(3), Trace::Verbatim(span(13, 14)));
        assert_eq!(runs(&text.slice(7..99)), []);
    }

    #[test]
    fn text_of_unknown_origin_takes_the_trace_of_the_printer() {
        let printed = Trace::Printed { action: span(5, 9), value: None };
        let value = Trace::Value(span(0, 3));
        let mut inner = StrBuilder::default();
        inner.push(b"\"", Trace::Unknown);
        inner.push(b"v", value);
        inner.push(b"\"", Trace::Unknown);
        let mut outer = StrBuilder::default();
        outer.push(b"a: ", Trace::Unknown);
        outer.push_str(&inner.finish(), printed);
        assert_eq!(runs(&outer.finish()), [(3, printed), (4, value), (5, printed)]);
    }

    #[test]
    fn a_value_without_text_keeps_its_trace() {
        let value = Trace::Value(span(0, 2));
        let mut builder = StrBuilder::default();
        builder.push(b"\"", Trace::Unknown);
        builder.push_str(&Str::empty(), value);
        builder.push(b"\"", Trace::Unknown);
        let quoted = builder.finish();
        let mut outer = StrBuilder::default();
        outer.push(b"a: ", Trace::Unknown);
        outer.push_converted(&quoted, |trace| trace);
        outer.push(b"", Trace::Verbatim(span(3, 3)));
        let text = outer.finish();
        assert_eq!(text.blanks(), [Run { start: 4, trace: value }]);
        assert_eq!(text.slice(2..5).blanks(), [Run { start: 2, trace: value }]);
        assert_eq!(text.slice(0..2).blanks(), []);
    }

    #[test]
    fn runs_that_continue_each_other_are_joined() {
        let mut builder = StrBuilder::default();
        builder.push(b"ab", Trace::Verbatim(span(0, 4)));
        builder.push(b"cd", Trace::Verbatim(span(2, 4)));
        builder.push(b"ab", Trace::Verbatim(span(0, 4)));
        assert_eq!(
            runs(&builder.finish()),
            [(0, Trace::Verbatim(span(0, 4))), (4, Trace::Verbatim(span(0, 4)))]
        );
    }
}
