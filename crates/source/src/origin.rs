//! The way back from rendered text to the files that it was made from.
//!
//! A template engine writes a run for each stretch of output. The table is read only when a finding
//! has to be printed, so it is kept small rather than fast: one entry a run, sorted by offset.

use crate::Span;

/// Where one stretch of rendered text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Copied byte for byte: the text begins at the start of this span.
    Verbatim(Span),
    /// Written by the action at `action`; `value` is where the value that it printed was typed.
    Computed {
        /// The template action that wrote the text.
        action: Span,
        /// The place of the value that was printed, if one was.
        value: Option<Span>,
    },
}

/// One stretch of rendered text, from `start` up to the start of the next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginRun {
    /// Offset of the first byte in the rendered text.
    pub start: u32,
    /// Where it came from.
    pub origin: Origin,
}

/// The origins of a whole rendered text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OriginMap {
    runs: Vec<OriginRun>,
    /// How many lines of the whole text stand before this part of it.
    lines_before: u32,
}

/// A place in a file, found from a place in rendered text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The place in the text that somebody wrote.
    pub span: Span,
    /// Where the value that was printed there was typed.
    pub value: Option<Span>,
    /// The rendered places that were passed through, outermost first; empty for a plain source.
    pub through: Vec<Span>,
}

/// What the map says about one span.
pub(crate) struct Found {
    pub(crate) span: Span,
    pub(crate) value: Option<Span>,
}

impl OriginMap {
    /// An empty map, to be filled in order of output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records that the text from `start` on came from `origin`.
    ///
    /// Runs are pushed in order of output. A run that continues the one before it is joined to it,
    /// and one that begins where the one before it began replaces it (that one was empty).
    pub fn push(&mut self, start: u32, origin: Origin) {
        while self.runs.last().is_some_and(|last| last.start >= start) {
            self.runs.pop();
        }
        if let Some(last) = self.runs.last()
            && continues(last, start, origin)
        {
            return;
        }
        self.runs.push(OriginRun { start, origin });
    }

    /// The same origins for a text that is a part of a longer one, from behind so many lines on: its lines are
    /// counted as they are there.
    pub fn behind_lines(mut self, lines: u32) -> Self {
        self.lines_before = lines;
        self
    }

    /// How many lines of the whole text stand before this part of it.
    pub(crate) fn lines_before(&self) -> u32 {
        self.lines_before
    }

    /// The runs in order.
    pub fn runs(&self) -> &[OriginRun] {
        &self.runs
    }

    /// The origins of a part of the text, as a text of its own.
    pub fn part(&self, range: std::ops::Range<u32>) -> OriginMap {
        let first = self.runs.partition_point(|run| run.start <= range.start).saturating_sub(1);
        let mut part = OriginMap::new();
        for run in self.runs.iter().skip(first).take_while(|run| run.start < range.end) {
            let skipped = range.start.saturating_sub(run.start);
            let origin = match run.origin {
                Origin::Verbatim(span) => {
                    let start = span.start.saturating_add(skipped).min(span.end);
                    Origin::Verbatim(Span { start, ..span })
                }
                computed => computed,
            };
            part.push(run.start.saturating_sub(range.start), origin);
        }
        part
    }

    /// The origin of a span of the rendered text: that of its first byte, stretched over as many
    /// bytes as were copied together with it.
    pub(crate) fn lookup(&self, span: Span) -> Option<Found> {
        let index = self.runs.partition_point(|run| run.start <= span.start).checked_sub(1)?;
        let run = self.runs[index];
        match run.origin {
            Origin::Verbatim(origin) => {
                let start = origin.start + (span.start - run.start);
                let run_end = self.runs.get(index + 1).map_or(u32::MAX, |next| next.start);
                let length = span.end.min(run_end).saturating_sub(span.start);
                let start = start.min(origin.end);
                let end = (start + length).min(origin.end);
                Some(Found {
                    span: Span { source: origin.source, start, end },
                    value: self.first_value(index, span),
                })
            }
            Origin::Computed { action, value } => {
                Some(Found { span: action, value: value.or_else(|| self.first_value(index, span)) })
            }
        }
    }

    /// The first value printed inside a span that begins in the run at `index`: a finding about
    /// `replicas: {{ .Values.n }}` begins at the key, but the value is what its author must change.
    fn first_value(&self, index: usize, span: Span) -> Option<Span> {
        self.runs[index..].iter().take_while(|run| run.start < span.end.max(span.start + 1)).find_map(|run| {
            match run.origin {
                Origin::Computed { value, .. } => value,
                Origin::Verbatim(_) => None,
            }
        })
    }
}

fn continues(last: &OriginRun, start: u32, origin: Origin) -> bool {
    match (last.origin, origin) {
        (Origin::Verbatim(before), Origin::Verbatim(after)) => {
            before.source == after.source
                && before.start + (start - last.start) == after.start
                && before.end == after.end
        }
        (before, after) => before == after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceKind, SourceMap};

    /// `kind: {{ .Values.kind }}\nname: x\n` with `Pod` typed in a values file.
    fn rendered() -> (SourceMap, Span, Span, crate::SourceId) {
        let map = SourceMap::new();
        let template = map.add("templates/pod.yaml", SourceKind::File, "kind: {{ .Values.kind }}\nname: x\n");
        let values = map.add("values.yaml", SourceKind::File, "kind: Pod\n");
        let action = template.span(6, 24);
        let value = values.span(6, 9);
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(template.span(0, 6)));
        origins.push(6, Origin::Computed { action, value: Some(value) });
        origins.push(9, Origin::Verbatim(template.span(24, 33)));
        let text = map.add("pod.yaml", SourceKind::Rendered(origins), "kind: Pod\nname: x\n");
        (map, action, value, text)
    }

    #[test]
    fn copied_text_maps_byte_for_byte() {
        let (map, _, _, text) = rendered();
        let resolved = map.resolve(text.span(16, 17));
        assert_eq!(map.get(resolved.span.source).name(), "templates/pod.yaml");
        assert_eq!(map.position(resolved.span), crate::Position { line: 2, column: 7 });
        assert_eq!(resolved.span.end - resolved.span.start, 1);
        assert_eq!(resolved.value, None);
    }

    #[test]
    fn printed_text_maps_to_the_action_and_its_value() {
        let (map, action, value, text) = rendered();
        let resolved = map.resolve(text.span(6, 9));
        assert_eq!((resolved.span, resolved.value), (action, Some(value)));
        assert_eq!(resolved.through, [text.span(6, 9)]);
    }

    #[test]
    fn a_span_that_begins_before_a_value_still_finds_it() {
        let (map, _, value, text) = rendered();
        let resolved = map.resolve(text.span(0, 9));
        assert_eq!(resolved.value, Some(value));
        assert_eq!(map.position(resolved.span), crate::Position { line: 1, column: 1 });
    }

    #[test]
    fn origins_lead_through_several_renderings() {
        let (map, action, value, inner) = rendered();
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(inner.span(0, 18)));
        let outer = map.add("outer", SourceKind::Rendered(origins), "kind: Pod\nname: x\n");
        let resolved = map.resolve(outer.span(6, 9));
        assert_eq!((resolved.span, resolved.value), (action, Some(value)));
        assert_eq!(resolved.through.len(), 2);
    }

    #[test]
    fn runs_that_continue_each_other_are_joined() {
        let id = crate::SourceId::from_index(0);
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(id.span(10, 30)));
        origins.push(5, Origin::Verbatim(id.span(15, 30)));
        origins.push(9, Origin::Computed { action: id.span(1, 2), value: None });
        origins.push(9, Origin::Verbatim(id.span(40, 50)));
        let starts: Vec<u32> = origins.runs().iter().map(|run| run.start).collect();
        assert_eq!(starts, [0, 9]);
    }

    #[test]
    fn a_part_leads_where_the_whole_does() {
        let (map, action, value, text) = rendered();
        let source = map.get(text);
        let crate::SourceKind::Rendered(origins) = source.kind() else { panic!("it is rendered") };
        let part = map.add("part", SourceKind::Rendered(origins.part(2..18)), &source.text()[2..18]);
        for offset in 2..18 {
            let whole = map.resolve(text.span(offset, offset + 1));
            let inside = map.resolve(part.span(offset - 2, offset - 1));
            assert_eq!((inside.span, inside.value), (whole.span, whole.value), "{offset}");
        }
        assert_eq!(map.resolve(part.span(4, 7)).value, Some(value));
        assert_eq!(map.resolve(part.span(4, 7)).span, action);
        assert!(OriginMap::new().part(0..4).runs().is_empty());
    }

    #[test]
    fn text_without_an_origin_stays_where_it_is() {
        let map = SourceMap::new();
        let text = map.add("r", SourceKind::Rendered(OriginMap::new()), "a");
        assert_eq!(map.resolve(text.span(0, 1)).span, text.span(0, 1));
    }
}
