//! The map from rendered text back to the files that it was made from.
//!
//! A template engine writes a run for each stretch of output. The table is read only when a finding must be
//! printed, so it is kept small rather than fast: one entry per run, sorted by offset.

use crate::Span;

/// Where one stretch of rendered text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Copied byte for byte: the text begins at the start of this span.
    Verbatim(Span),
    /// Written by the action at `action`; `value` is where the printed value was typed.
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

/// A stretch of rendered text that an action of the rendered template wrote but whose text comes from
/// elsewhere: from a helper that it includes, or from a template inside a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Offset of the first byte in the rendered text.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// The action in the rendered template.
    pub action: Span,
}

/// The origins of a whole rendered text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OriginMap {
    runs: Vec<OriginRun>,
    /// Which actions included the text of helpers; sorted and disjoint.
    calls: Vec<Call>,
    /// Where a value without text was printed; sorted.
    blanks: Vec<OriginRun>,
    /// How many lines of the whole text precede this part of it.
    lines_before: u32,
}

/// A place in a file that a place in rendered text comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The place in the text that somebody wrote: text of a template, or the action that printed it.
    pub span: Span,
    /// Whether the text at `span` was copied from there, and not printed by an action.
    pub is_copied: bool,
    /// Where the value was typed that the whole text was printed from, ignoring quotes.
    pub value: Option<Span>,
    /// Where the values were typed that parts of the text were printed from, if the text is one line and they
    /// are few.
    pub parts: Vec<Span>,
    /// The action of the rendered template that included the helper which holds `span`.
    pub caller: Option<Span>,
    /// The rendered places that were passed through, outermost first; empty for a plain source.
    pub through: Vec<Span>,
}

/// What the map says about one span.
pub(crate) struct SpanOrigin {
    pub(crate) span: Span,
    pub(crate) is_copied: bool,
    pub(crate) value: Option<Span>,
    pub(crate) parts: Vec<Span>,
    pub(crate) caller: Option<Span>,
}

/// Text printed from more values than this names none of them.
const MOST_PARTS: usize = 3;

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

    /// Records which action called for a stretch of text, which may be empty. Calls are pushed in order of output.
    pub fn push_call(&mut self, call: Call) {
        self.calls.push(call);
    }

    /// Records that a value without text, such as an empty string, was printed at `start`. Blanks are pushed in
    /// order of output.
    pub fn push_blank(&mut self, start: u32, origin: Origin) {
        self.blanks.push(OriginRun { start, origin });
    }

    /// Where values without text were printed, sorted.
    pub fn blanks(&self) -> &[OriginRun] {
        &self.blanks
    }

    /// The action of the rendered template that called for the text at `offset`, if that is text of a helper.
    pub fn caller(&self, offset: u32) -> Option<Span> {
        let index = self.calls.partition_point(|call| call.start <= offset).checked_sub(1)?;
        self.calls.get(index).filter(|call| offset < call.end).map(|call| call.action)
    }

    /// The calls, sorted.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The same origins for text that is a part of a longer one, which starts after this many lines: line
    /// numbers are those of the longer text.
    pub fn behind_lines(mut self, lines: u32) -> Self {
        self.lines_before = lines;
        self
    }

    /// How many lines of the whole text precede this part.
    pub(crate) fn lines_before(&self) -> u32 {
        self.lines_before
    }

    /// The runs, sorted.
    pub fn runs(&self) -> &[OriginRun] {
        &self.runs
    }

    /// The origins of a part of the text, as a separate text.
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
        for blank in self.blanks_in(range.start, range.end) {
            part.push_blank(blank.start.saturating_sub(range.start), blank.origin);
        }
        let first = self.calls.partition_point(|call| call.end < range.start);
        // Calls next to the part are only included if they have no text.
        let is_in = |call: &&Call| call.start == call.end || call.end > range.start && call.start < range.end;
        let calls = self.calls.iter().skip(first).take_while(|call| call.start <= range.end);
        for call in calls.filter(is_in) {
            part.push_call(Call {
                start: call.start.saturating_sub(range.start),
                end: call.end.min(range.end).saturating_sub(range.start),
                action: call.action,
            });
        }
        part
    }

    /// The origin of a span of the rendered text: the value that all of it was printed from, or the text and the
    /// actions that wrote it.
    pub(crate) fn lookup(&self, span: Span, text: &str) -> Option<SpanOrigin> {
        if let Some(found) = self.lookup_blank(span, text) {
            return Some(found);
        }
        let first = self.index(span.start)?;
        if span.end <= self.end_of(first)
            && let OriginRun { origin: Origin::Verbatim(_), .. } = *self.runs.get(first)?
        {
            let span = self.written(first, span)?;
            let caller = self.caller_beyond(span, first);
            return Some(SpanOrigin { span, is_copied: true, value: None, parts: Vec::new(), caller });
        }
        let bare = without_quotes(span, text);
        let first = self.index(bare.start)?;
        let values = self.values_in(first, bare, text);
        if let Some((run, value)) = values.only {
            let span = self.written(run, bare)?;
            let caller = self.caller_beyond(span, run);
            return Some(SpanOrigin {
                span,
                is_copied: false,
                value: Some(value),
                parts: Vec::new(),
                caller,
            });
        }
        let written = self.written(first, bare)?;
        let caller = self.caller_beyond(written, first);
        let is_one_line = !slice(text, bare).contains('\n');
        // An expression such as `{{ .a }}-{{ .b }}` is shown as a whole.
        let last = self.index(bare.end.saturating_sub(1)).filter(|&last| last > first && is_one_line);
        let end =
            last.and_then(|last| self.written(last, bare).filter(|_| self.caller(bare.end - 1).is_none()));
        let span = match end {
            Some(end) if caller.is_none() && end.source == written.source && end.end > written.end => {
                Span { end: end.end, ..written }
            }
            _ => written,
        };
        let is_copied = matches!(self.runs.get(first)?.origin, Origin::Verbatim(_));
        let parts = if is_one_line { values.all } else { Vec::new() };
        Some(SpanOrigin { span, is_copied, value: None, parts, caller })
    }

    /// The blanks between two offsets, both inclusive.
    fn blanks_in(&self, start: u32, end: u32) -> impl Iterator<Item = &OriginRun> {
        let first = self.blanks.partition_point(|blank| blank.start < start);
        self.blanks.iter().skip(first).take_while(move |blank| blank.start <= end)
    }

    /// The origin of a span without text, quotes aside: what was printed there, if it is one thing.
    fn lookup_blank(&self, span: Span, text: &str) -> Option<SpanOrigin> {
        let is_empty = slice(text, span).chars().all(|character| matches!(character, '"' | '\''));
        if !is_empty {
            return None;
        }
        let found = |action: Span, value: Option<Span>, caller: Option<Span>| {
            Some(SpanOrigin { span: action, is_copied: false, value, parts: Vec::new(), caller })
        };
        let mut blanks = self.blanks_in(span.start, span.end);
        let Some(OriginRun { start, origin: Origin::Computed { action, value } }) = blanks.next().copied()
        else {
            // The quotes are printed with what is between them.
            let index = self
                .index(span.start)
                .filter(|&index| span.start < span.end && span.end <= self.end_of(index))?;
            let Origin::Computed { action, value: value @ Some(_) } = self.runs.get(index)?.origin else {
                return None;
            };
            return found(action, value, self.caller_beyond(action, index));
        };
        if blanks.next().is_some() || value.is_none() && span.start < span.end {
            return None;
        }
        let first = self.calls.partition_point(|call| call.start < start);
        let is_empty = |call: &&Call| call.start == start && call.end == start;
        let own = self.calls.iter().skip(first).take_while(|call| call.start == start).find(is_empty);
        let caller = own.map(|call| call.action).or_else(|| self.caller(start));
        found(action, value, caller.filter(|caller| *caller != action))
    }

    /// Where the text of a span was typed verbatim: in a template, or as a value that was printed as it is.
    /// `typed` gives the text of a place.
    pub(crate) fn typed(&self, span: Span, text: &str, typed: impl Fn(Span) -> String) -> Option<Span> {
        let index = self.index(span.start)?;
        let run = self.runs.get(index)?;
        let end = self.end_of(index);
        if span.end > end || (span.start == span.end && (span.start == run.start || span.start == end)) {
            return None;
        }
        match run.origin {
            Origin::Verbatim(_) => {
                self.written(index, span).filter(|&written| typed(written) == slice(text, span))
            }
            Origin::Computed { value, .. } => {
                let value = value?;
                let printed = slice(text, Span { start: run.start, end, ..span });
                let typed = typed(value);
                // Quotes may be typed, or printed around what was typed.
                let (bare, typed_quote) = in_quotes(&typed);
                let (shown, printed_quote) = in_quotes(printed);
                let (begin, first) = match typed == printed {
                    true => (value.start, run.start),
                    false if bare == shown => {
                        (value.start.saturating_add(typed_quote), run.start.saturating_add(printed_quote))
                    }
                    false => return None,
                };
                let start = begin.saturating_add(span.start.checked_sub(first)?);
                let end = start.saturating_add(span.end - span.start);
                (end <= value.end).then_some(Span { source: value.source, start, end })
            }
        }
    }

    fn index(&self, offset: u32) -> Option<usize> {
        self.runs.partition_point(|run| run.start <= offset).checked_sub(1)
    }

    /// Where a run ends.
    fn end_of(&self, index: usize) -> u32 {
        self.runs.get(index.saturating_add(1)).map_or(u32::MAX, |next| next.start)
    }

    /// The text of a template that a run copied, as far as it is in a span, or the action that printed it.
    fn written(&self, index: usize, span: Span) -> Option<Span> {
        let run = self.runs.get(index)?;
        Some(match run.origin {
            Origin::Computed { action, .. } => action,
            Origin::Verbatim(origin) => {
                let from = span.start.max(run.start);
                let length = span.end.min(self.end_of(index)).saturating_sub(from);
                let start = origin.start.saturating_add(from - run.start).min(origin.end);
                Span { source: origin.source, start, end: start.saturating_add(length).min(origin.end) }
            }
        })
    }

    /// The action that included the text of a run, if another action wrote it.
    fn caller_beyond(&self, written: Span, index: usize) -> Option<Span> {
        self.caller(self.runs.get(index)?.start).filter(|&caller| caller != written)
    }

    /// The values that a span was printed from; the span begins in the run at `first`.
    fn values_in(&self, first: usize, span: Span, text: &str) -> Values {
        let mut values = Values { only: None, all: Vec::new() };
        let mut others: Vec<Span> = Vec::new();
        let mut is_mixed = false;
        let last = span.end.max(span.start.saturating_add(1));
        for (index, run) in self.runs.iter().enumerate().skip(first).take_while(|(_, run)| run.start < last) {
            let (start, end) = (run.start.max(span.start), self.end_of(index).min(span.end));
            let part = slice(text, Span { start, end, ..span });
            if !part.is_empty() && part.chars().all(is_neutral) {
                continue;
            }
            match run.origin {
                Origin::Computed { value: Some(value), .. } => {
                    if values.only.is_none() {
                        values.only = Some((index, value));
                    }
                    values.add(value);
                }
                // An action inside of a value counts as a part of that value.
                Origin::Computed { action, value: None } if others.len() < MOST_PARTS => others.push(action),
                _ => is_mixed = true,
            }
            if values.all.len() > MOST_PARTS {
                return Values { only: None, all: Vec::new() };
            }
        }
        values.only = match (values.only, values.all.as_slice()) {
            (Some((run, _)), [value]) if !is_mixed && others.iter().all(|action| action == value) => {
                Some((run, *value))
            }
            _ => None,
        };
        values
    }
}

/// The values that text was printed from.
struct Values {
    /// The one that the whole text was printed from, with the first run that has it.
    only: Option<(usize, Span)>,
    /// All of them; none if they are many.
    all: Vec<Span>,
}

impl Values {
    /// Adds a value; one inside another counts as a part of that one.
    fn add(&mut self, value: Span) {
        let is_inside = |inner: Span, outer: Span| {
            inner.source == outer.source && outer.start <= inner.start && inner.end <= outer.end
        };
        if !self.all.iter().any(|&known| is_inside(value, known)) {
            self.all.retain(|&known| !is_inside(known, value));
            self.all.push(value);
        }
    }
}

/// Whether a character does not show who wrote text: templates write quotes and indentation around values.
fn is_neutral(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '\'')
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..(span.end as usize).min(text.len())).unwrap_or_default()
}

/// Text without the quotes around it, and how many bytes were removed before it.
fn in_quotes(text: &str) -> (&str, u32) {
    let inner = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.map_or((text, 0), |inner| (inner, 1))
}

/// A span without the quotes and the spaces at its ends.
fn without_quotes(span: Span, text: &str) -> Span {
    let whole = slice(text, span);
    let behind = whole.trim_start_matches(is_neutral);
    let bare = behind.trim_end_matches(is_neutral);
    if bare.is_empty() {
        return span;
    }
    let start = span.start.saturating_add(u32::try_from(whole.len() - behind.len()).unwrap_or(0));
    Span { start, end: start.saturating_add(u32::try_from(bare.len()).unwrap_or(0)), ..span }
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
    fn a_span_that_begins_before_a_value_names_it_as_a_part() {
        let (map, _, value, text) = rendered();
        let resolved = map.resolve(text.span(0, 9));
        assert_eq!((resolved.value, resolved.parts), (None, vec![value]));
        assert_eq!(map.position(resolved.span), crate::Position { line: 1, column: 1 });
    }

    #[test]
    fn quotes_and_indentation_around_a_value_are_ignored() {
        let map = SourceMap::new();
        let template = map.add("t.yaml", SourceKind::File, "a: \"{{ .Values.a }}\"");
        let values = map.add("values.yaml", SourceKind::File, "a: one\n  two\n");
        let (action, value) = (template.span(4, 19), values.span(3, 13));
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(template.span(0, 4)));
        origins.push(4, Origin::Computed { action, value: Some(value) });
        origins.push(7, Origin::Computed { action, value: None });
        origins.push(10, Origin::Computed { action, value: Some(value) });
        origins.push(13, Origin::Verbatim(template.span(19, 20)));
        let text = map.add("r", SourceKind::Rendered(origins), "a: \"one\n  two\"");
        let resolved = map.resolve(text.span(3, 14));
        assert_eq!((resolved.span, resolved.value, resolved.parts), (action, Some(value), vec![]));
    }

    #[test]
    fn typed_text_is_found_where_it_was_copied_or_printed_unchanged() {
        let (map, _, value, text) = rendered();
        let template = map.resolve(text.span(0, 4)).span;
        assert_eq!(map.typed(text.span(0, 4)), Some(template));
        assert_eq!(map.typed(text.span(7, 9)), Some(Span { start: 7, ..value }));
        assert_eq!(map.typed(text.span(4, 9)), None, "from two places");
        assert_eq!(map.typed(text.span(9, 9)), None, "between two places");
        assert_eq!(map.typed(value), Some(value));
    }

    #[test]
    fn a_part_has_the_calls_in_it() {
        let id = crate::SourceId::from_index(0);
        let mut origins = OriginMap::new();
        for (start, end) in [(0, 4), (6, 9), (12, 14)] {
            origins.push_call(Call { start, end, action: id.span(start as usize, end as usize) });
        }
        let part = origins.part(2..10);
        let ranges: Vec<(u32, u32)> = part.calls().iter().map(|call| (call.start, call.end)).collect();
        assert_eq!(ranges, [(0, 2), (4, 7)]);
        assert_eq!((part.caller(1), part.caller(2)), (Some(id.span(0, 4)), None));
    }

    /// `image: "{{ .Values.image }}"`, `port: {{ .Values.port }}` and `name: {{ .Chart.Nmae }}`, which print nothing.
    #[test]
    fn a_value_without_text_keeps_its_origin() {
        let map = SourceMap::new();
        let template = map.add("templates/pod.yaml", SourceKind::File, "x".repeat(100));
        let values = map.add("values.yaml", SourceKind::File, "image: \"\"\nport:\n");
        let helper = map.add("templates/_helpers.tpl", SourceKind::File, "x".repeat(100));
        let (image, port) = (values.span(7, 9), values.span(10, 14));
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(template.span(0, 8)));
        origins.push_blank(8, Origin::Computed { action: template.span(8, 20), value: Some(image) });
        origins.push(8, Origin::Verbatim(template.span(20, 30)));
        origins.push_blank(16, Origin::Computed { action: helper.span(0, 10), value: Some(port) });
        origins.push_call(Call { start: 16, end: 16, action: template.span(30, 40) });
        origins.push(16, Origin::Verbatim(template.span(40, 50)));
        origins.push_blank(23, Origin::Computed { action: template.span(50, 60), value: None });
        let text = map.add("p", SourceKind::Rendered(origins.clone()), "image: \"\"\nport: \nname: \n");
        let resolved = map.resolve(text.span(7, 9));
        assert_eq!(
            (resolved.value, resolved.span, resolved.caller),
            (Some(image), template.span(8, 20), None)
        );
        let resolved = map.resolve(text.span(16, 16));
        assert_eq!((resolved.value, resolved.caller), (Some(port), Some(template.span(30, 40))));
        let resolved = map.resolve(text.span(23, 23));
        assert_eq!((resolved.value, resolved.span), (None, template.span(50, 60)));
        assert_eq!(map.resolve(text.span(0, 5)).span, template.span(0, 5));
        let mut quoted = OriginMap::new();
        quoted.push(0, Origin::Computed { action: template.span(0, 9), value: Some(image) });
        let text = map.add("q", SourceKind::Rendered(quoted), "\"\"");
        assert_eq!(map.resolve(text.span(0, 2)).value, Some(image));
        let starts = |part: &OriginMap| part.blanks().iter().map(|blank| blank.start).collect::<Vec<_>>();
        assert_eq!(starts(&origins.part(10..17)), [6]);
        assert_eq!(origins.part(10..17).calls().len(), 1);
    }

    #[test]
    fn origins_are_followed_through_several_renderings() {
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
    fn a_part_has_the_origins_of_the_whole() {
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
