//! Records where the scalars of the text came from, and looks up the origins of its bytes.

use std::ops::Range;

use trueline_gotemplate::{Run, Str, StrBuilder, Trace, Value};
use trueline_source::Span;

/// Records, while text is written, which ranges came from which place.
#[derive(Debug)]
pub(crate) struct Marks {
    runs: Option<Vec<Run>>,
    /// Strings with several parts, with the places where they were written.
    mixed: Vec<(Range<usize>, Str)>,
}

impl Marks {
    /// Ranges are recorded only if origins are requested.
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
        // Text between two marks has no origin.
        if runs.last().is_some_and(|last| last.start == start) {
            runs.pop();
        }
        runs.push(Run { start, trace: Trace::Value(origin) });
        runs.push(Run { start: end, trace: Trace::Unknown });
    }

    /// The text with the recorded origins.
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

/// Where the first part of the text that has an origin was typed.
fn typed_first(text: &Str) -> Option<Span> {
    text.runs().iter().find_map(|run| typed_at(run.trace))
}

/// Whether parts of the text were typed in several places.
fn is_mixed(text: &Str) -> bool {
    let first = typed_first(text);
    text.runs().iter().any(|run| typed_at(run.trace).is_some_and(|place| Some(place) != first))
}

/// A part of a string that appears verbatim in its written form.
struct VerbatimPart {
    /// Its start in the string.
    own: usize,
    /// Its start in the written form.
    written: usize,
    length: usize,
}

/// The parts of a string that appear verbatim in its written form: as it is, in quotes, between escapes, or
/// line by line in a YAML block. Empty if none do.
fn pieces(text: &[u8], written: &[u8]) -> Vec<VerbatimPart> {
    match written {
        _ if text == written => vec![VerbatimPart { own: 0, written: 0, length: text.len() }],
        [b'\'', inside @ .., _] if inside == text => {
            vec![VerbatimPart { own: 0, written: 1, length: text.len() }]
        }
        [b'"', inside @ .., b'"'] => escaped(text, inside).unwrap_or_default(),
        [b'|', ..] => lines(text, written).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The parts between the escapes of a double-quoted string.
fn escaped(text: &[u8], inside: &[u8]) -> Option<Vec<VerbatimPart>> {
    let mut found: Vec<VerbatimPart> = Vec::new();
    let (mut own, mut place) = (0, 0);
    while let Some(byte) = text.get(own) {
        let letter = inside.get(place)?;
        if *letter != b'\\' {
            if letter != byte {
                return None;
            }
            match found.last_mut() {
                Some(last) if last.own + last.length == own => last.length += 1,
                _ => found.push(VerbatimPart { own, written: place + 1, length: 1 }),
            }
            (own, place) = (own + 1, place + 1);
            continue;
        }
        place += match inside.get(place + 1)? {
            // Two of them form one character above U+FFFF.
            b'u' if *byte >= 0xf0 => 12,
            b'u' => 6,
            b'U' => 10,
            b'x' => 4,
            _ => 2,
        };
        own += match byte {
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
    }
    (place == inside.len()).then_some(found)
}

/// The lines of a string written as a block: below its header, each after its indentation.
fn lines(text: &[u8], written: &[u8]) -> Option<Vec<VerbatimPart>> {
    let mut found = Vec::new();
    let mut block = written.split_inclusive(|byte| *byte == b'\n');
    let (mut own, mut place) = (0, block.next()?.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let below = block.next()?;
        // The last line of a block may be followed by other text.
        let length = if below.ends_with(b"\n") { line.len() } else { line.trim_ascii_end().len() };
        let blanks = below.len().checked_sub(length)?;
        let is_same = below.get(blanks..) == line.get(..length);
        if !is_same || below.get(..blanks)?.iter().any(|byte| *byte != b' ') {
            return None;
        }
        found.push(VerbatimPart { own, written: place + blanks, length });
        own += line.len();
        place += below.len();
    }
    Some(found)
}

/// The runs of a string that is written in a range of another text, as far as it appears there verbatim.
fn parts(whole: &str, range: Range<usize>, text: &Str) -> Vec<Run> {
    let written = whole.as_bytes().get(range.clone()).unwrap_or_default();
    let mut found = Vec::new();
    for piece in pieces(text.as_bytes(), written) {
        for run in text.slice(piece.own..piece.own + piece.length).runs() {
            let start = range.start + piece.written + run.start as usize;
            let trace = typed_at(run.trace).map_or(Trace::Unknown, Trace::Value);
            // The mark of the whole string says where its first byte was typed.
            if start > range.start
                && let Ok(start) = u32::try_from(start)
            {
                found.push(Run { start, trace });
            }
        }
    }
    found
}

fn typed_at(trace: Trace) -> Option<Span> {
    match trace {
        Trace::Value(span) | Trace::Verbatim(span) => Some(span),
        Trace::Printed { value, .. } => value,
        Trace::Unknown => None,
    }
}

/// Text that is parsed, and where it was typed as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'t> {
    pub(crate) text: &'t Str,
    pub(crate) whole: Option<Span>,
}

impl Places<'_> {
    /// Where the bytes of a range were typed: as a value, otherwise as template text.
    pub(crate) fn origin(&self, range: Range<usize>) -> Option<Span> {
        let runs = self.text.runs();
        let first = runs.partition_point(|run| run.start as usize <= range.start).saturating_sub(1);
        let inside = || runs.iter().skip(first).take_while(|run| (run.start as usize) < range.end.max(1));
        let value = inside().find_map(|run| match run.trace {
            Trace::Value(span) | Trace::Printed { value: Some(span), .. } => Some(span),
            _ => None,
        });
        let copied = || match self.text.trace_at(range.start) {
            Trace::Verbatim(span) => {
                let length = u32::try_from(range.len()).unwrap_or(u32::MAX);
                Some(Span { end: span.end.min(span.start.saturating_add(length)), ..span })
            }
            _ => None,
        };
        value.or_else(copied).or(self.whole)
    }

    /// A string that was parsed from a range, with its parts, if several of them were typed in different places
    /// and appear there verbatim.
    pub(crate) fn copied(&self, range: Range<usize>, read: &str) -> Option<Str> {
        if self.text.runs().is_empty() {
            return None;
        }
        let written = self.text.as_bytes().get(range.clone())?;
        let mut builder = StrBuilder::with_capacity(read.len());
        let fill = |builder: &mut StrBuilder, end: usize| {
            let missing = read.as_bytes().get(builder.bytes().len()..end).unwrap_or_default();
            builder.push(missing, Trace::Unknown);
        };
        for piece in pieces(read.as_bytes(), written) {
            fill(&mut builder, piece.own);
            let start = range.start + piece.written;
            builder.push_part(self.text, start..start + piece.length, Trace::Unknown);
        }
        fill(&mut builder, read.len());
        Some(builder.finish()).filter(|copied| copied.as_bytes() == read.as_bytes() && is_mixed(copied))
    }
}
