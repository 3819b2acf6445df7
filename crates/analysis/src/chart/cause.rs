//! Which value is the cause of a finding about text that is put together of several parts, such as
//! `{{ .Release.Name }}-{{ .Values.suffix }}`. It is found by trying: a value is the cause if the finding goes away
//! when that value alone is another.

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Diagnostic, Frame, RENDERED, Severity, typed_place};
use trueline_source::{Origin, OriginMap, OriginRun, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Data, ReadOptions, Value};

use super::{head, indentation};
use crate::kubernetes::{Objects, Stage};
use crate::rendering::RenderedDocument;

/// What a value is replaced with: a name and a number, which nearly everything takes one of.
const HARMLESS: [&str; 2] = ["a", "1"];

/// A quantity that no other is above.
const LARGE: &str = "9Ei";

/// How many findings of a chart are looked into, and how long a document may be.
const MOST: usize = 50;
const LONGEST: usize = 256 << 10;

/// How many empty places of a line are tried.
const MOST_BLANKS: usize = 4;

/// How many given values are tried for a finding about another place.
const MOST_GIVEN: usize = 6;

/// Findings that two fields may be the cause of: each is right by itself.
const OF_TWO_FIELDS: [&str; 3] = ["invalid-value", "forbidden-field", "duplicate-object-item"];

/// Where plain values were typed that somebody gives in place of the chart's own.
pub(super) fn given_places(values: &Value) -> FxHashSet<Span> {
    let mut found = FxHashSet::default();
    let mut open = vec![values];
    while let Some(value) = open.pop() {
        match &value.data {
            Data::Map(map) => open.extend(map.values().map(|entry| &entry.value)),
            Data::List(items) => open.extend(items.iter()),
            _ => found.extend(value.origin),
        }
    }
    found
}

/// Points findings about objects at their cause. `given` are the places of values that somebody gives in place of the
/// chart's own.
pub(super) fn find(
    findings: Vec<Diagnostic>,
    documents: &[RenderedDocument],
    given: &FxHashSet<Span>,
    (stage, sources): (&Stage<'_>, &SourceMap),
) -> Vec<Diagnostic> {
    let by_source: FxHashMap<SourceId, &RenderedDocument> =
        documents.iter().map(|document| (document.source, document)).collect();
    let mut left = MOST;
    let mut indented: Vec<(SourceId, String)> = Vec::new();
    let mut found: Vec<Diagnostic> = Vec::with_capacity(findings.len());
    for finding in findings {
        if left == 0 || !by_source.contains_key(&finding.primary.span.source) {
            found.push(finding);
            continue;
        }
        let source = sources.get(finding.primary.span.source);
        let (SourceKind::Rendered(origins), text) = (source.kind(), source.text()) else {
            found.push(finding);
            continue;
        };
        let look = Look { stage, id: finding.primary.span.source, text, origins, sources, finding: &finding };
        match look.cause(&mut left) {
            Cause::Unknown => match look.given(given, &mut left) {
                Some(cause) => {
                    let mut finding = finding;
                    let other = std::mem::replace(&mut finding.primary.span, cause);
                    found.push(finding.related(other, "it does not fit this"));
                }
                None => found.push(finding),
            },
            Cause::Part(span) => {
                let mut finding = finding;
                finding.primary.span = span;
                found.push(finding);
            }
            // What else is wrong because nothing is printed here follows from it.
            Cause::Blank(span) => {
                if !found.iter().any(|known| known.primary.span == span) {
                    let mut finding = finding;
                    finding.primary.span = span;
                    found.push(finding);
                }
            }
            Cause::Unquoted { action, value } => {
                let mut finding = finding;
                finding.trace.push(Frame { span: finding.primary.span, text: RENDERED.to_owned() });
                finding.primary.span = action;
                finding.help = Some("add `| quote` where it is printed".to_owned());
                finding.fix = None;
                found.push(finding.related(value, "this is printed without quotes"));
            }
            Cause::Quoted { action, value } => {
                let mut finding = finding;
                finding.trace.push(Frame { span: finding.primary.span, text: RENDERED.to_owned() });
                finding.primary.span = action;
                finding.help = Some("remove `| quote` where it is printed".to_owned());
                finding.fix = None;
                found.push(finding.related(value, "this is printed in quotes"));
            }
            // A block that is indented wrongly makes several fields unknown.
            Cause::Indentation(cause, again) => {
                indented.push((finding.primary.span.source, again));
                if !found.iter().any(|known| known.code == cause.code && known.primary == cause.primary) {
                    found.push(*cause);
                }
            }
        }
    }
    // What else follows from the indentation is not worth a finding of its own.
    found.retain(|finding| {
        let id = finding.primary.span.source;
        let source = sources.get(id);
        let SourceKind::Rendered(origins) = source.kind() else { return true };
        let look = Look { stage, id, text: source.text(), origins, sources, finding };
        !indented.iter().any(|(of, again)| *of == id && look.is_gone(again))
    });
    found
}

enum Cause {
    Unknown,
    /// A part of the text.
    Part(Span),
    /// A place where something is printed that is empty.
    Blank(Span),
    /// A number or a boolean where a string is wanted: quotes around the value would not be printed.
    Unquoted {
        action: Span,
        value: Span,
    },
    /// A string where a number or a boolean is wanted: the action writes the quotes, whatever the value is.
    Quoted {
        action: Span,
        value: Span,
    },
    /// Another finding, which says it better, and the text with the right indentation.
    Indentation(Box<Diagnostic>, String),
}

struct Look<'a> {
    stage: &'a Stage<'a>,
    id: SourceId,
    text: &'a str,
    origins: &'a OriginMap,
    sources: &'a SourceMap,
    finding: &'a Diagnostic,
}

impl Look<'_> {
    fn cause(&self, left: &mut usize) -> Cause {
        if self.text.len() > LONGEST {
            return Cause::Unknown;
        }
        let resolved = self.sources.resolve(self.finding.primary.span);
        if resolved.value.is_some() || resolved.caller.is_some() {
            let is_gone = |text: &str| self.is_gone(text);
            let cause = indentation::of_field(self.finding, self.text, self.origins, self.sources, is_gone);
            if let Some((cause, again)) = cause {
                *left = left.saturating_sub(1);
                return Cause::Indentation(Box::new(cause), again);
            }
        }
        if let Some(value) = resolved.value {
            let action = resolved.caller.unwrap_or(resolved.span);
            let written = self.sources.get(resolved.span.source);
            let code = written.slice(resolved.span);
            let is_yaml = code.contains("toYaml");
            if !is_yaml && self.is_right_in_quotes() {
                *left = left.saturating_sub(1);
                return Cause::Unquoted { action, value };
            }
            let ends_in_quote = code.trim_end_matches(['}', '-', ' ']).ends_with("| quote");
            if ends_in_quote && self.is_right_without_quotes() {
                *left = left.saturating_sub(1);
                return Cause::Quoted { action: resolved.span, value };
            }
        }
        let blanks = self.blanks();
        if resolved.value.is_some() || resolved.parts.is_empty() && blanks.is_empty() {
            return Cause::Unknown;
        }
        *left = left.saturating_sub(1);
        let parts = resolved.parts.iter().filter_map(|&value| self.if_changed(value)).map(Cause::Part);
        let blanks = blanks.into_iter().filter(|&blank| self.if_filled(blank));
        let mut causes =
            parts.chain(blanks.map(|blank| Cause::Blank(self.id.span(blank as usize, blank as usize))));
        match (causes.next(), causes.next()) {
            (Some(cause), None) => cause,
            // Either would do: it is not certain which of them was intended.
            _ => Cause::Unknown,
        }
    }

    /// The given value that is the cause of a finding about a value of the chart's own, or about its text: each is right by
    /// itself, and they do not fit each other.
    fn given(&self, given: &FxHashSet<Span>, left: &mut usize) -> Option<Span> {
        let place = self.finding.primary.span;
        if given.is_empty()
            || self.text.len() > LONGEST
            || self.finding.severity != Severity::Error
            || !OF_TWO_FIELDS.contains(&self.finding.code.name)
            || given.contains(&typed_place(place, self.sources))
        {
            return None;
        }
        let runs = self.origins.runs();
        let ends = runs.iter().skip(1).map(|run| run.start as usize).chain([self.text.len()]);
        let mut values: Vec<(Span, Span)> = Vec::new();
        for (run, end) in runs.iter().zip(ends) {
            let Origin::Computed { value: Some(value), .. } = run.origin else { continue };
            if given.contains(&value) && !values.iter().any(|(known, _)| *known == value) {
                values.push((value, self.id.span(run.start as usize, end)));
            }
        }
        values.sort_by_key(|(_, printed)| printed.start.abs_diff(place.start));
        values.truncate(MOST_GIVEN);
        *left = left.saturating_sub(values.len());
        let mut causes = values.into_iter().filter(|(_, printed)| self.is_gone_without(*printed));
        match (causes.next(), causes.next()) {
            (Some((_, printed)), None) => Some(printed),
            _ => None,
        }
    }

    /// Whether the finding goes away when another word is printed in a place, and the object stays what it is.
    fn is_gone_without(&self, printed: Span) -> bool {
        let Some(before) = self.text.get(..printed.start as usize) else { return false };
        let Some(after) = self.text.get(printed.end as usize..) else { return false };
        let head = |text: &str| {
            let stream = trueline_yaml::read(self.id, &text.into(), &ReadOptions::default());
            let document = stream.documents.iter().find(|document| !document.root().is_null())?;
            let field =
                |name: &str| document.root().get(name).and_then(|node| node.text().map(str::to_owned));
            Some((field("apiVersion"), field("kind")))
        };
        HARMLESS.into_iter().chain([LARGE]).any(|other| {
            let again = format!("{before}{other}{after}");
            head(&again) == head(self.text) && self.is_gone(&again)
        })
    }

    /// Where something is printed that is empty, on the line that the finding begins on.
    fn blanks(&self) -> Vec<u32> {
        let start = self.finding.primary.span.start as usize;
        let before = self.text.get(..start).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = self.text.get(start..).unwrap_or_default();
        let end = start + rest.find('\n').unwrap_or(rest.len());
        let on_line = |blank: &&OriginRun| (line..=end).contains(&(blank.start as usize));
        let all: Vec<u32> = self.origins.blanks().iter().filter(on_line).map(|blank| blank.start).collect();
        // Of several in one place it is not certain which was intended.
        let is_single = |blank: &u32| all.iter().filter(|other| *other == blank).count() == 1;
        let mut blanks: Vec<u32> = all.iter().copied().filter(is_single).collect();
        blanks.truncate(MOST_BLANKS);
        blanks
    }

    /// Whether the finding goes away when something is printed at a place where nothing is.
    fn if_filled(&self, blank: u32) -> bool {
        let Some((before, after)) = self.text.split_at_checked(blank as usize) else { return false };
        HARMLESS.into_iter().any(|other| self.is_gone(&format!("{before}{other}{after}")))
    }

    /// Whether the text is a number or a boolean, and nothing is wrong with it in quotes.
    fn is_right_in_quotes(&self) -> bool {
        let Some((before, text, after)) = self.around() else { return false };
        // A document of a single value is not an object in quotes either.
        let is_part = !before.trim().is_empty() || !after.trim().is_empty();
        is_part && is_word(text) && self.is_right(&format!("{before}\"{text}\"{after}"))
    }

    /// Whether the text is in quotes, and nothing is wrong with it without them.
    fn is_right_without_quotes(&self) -> bool {
        let Some((before, text, after)) = self.around() else { return false };
        let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        bare.is_some_and(|bare| is_word(bare) && self.is_right(&format!("{before}{bare}{after}")))
    }

    /// The text that the finding is about, with what is before and after it.
    fn around(&self) -> Option<(&str, &str, &str)> {
        let Span { start, end, .. } = self.finding.primary.span;
        let (before, rest) = self.text.split_at_checked(start as usize)?;
        let (text, after) = rest.split_at_checked(end.saturating_sub(start) as usize)?;
        Some((before, text, after))
    }

    /// Whether nothing is said of the place of the finding in another text of the document.
    fn is_right(&self, text: &str) -> bool {
        let start = self.finding.primary.span.start;
        let is_here = |other: &Diagnostic| other.primary.span.start == start;
        self.findings_of(text)
            .is_some_and(|findings| !findings.iter().any(|other| is_here(other) || self.is_same(other)))
    }

    /// The first part of the text that was printed from a value, if the finding goes away when the value is another.
    fn if_changed(&self, value: Span) -> Option<Span> {
        let whole = self.finding.primary.span;
        let runs = self.origins.runs();
        let ends = runs.iter().skip(1).map(|run| run.start).chain([u32::MAX]);
        let parts: Vec<(usize, usize)> = runs
            .iter()
            .zip(ends)
            .filter(|(run, _)| matches!(run.origin, Origin::Computed { value: Some(typed), .. } if typed == value))
            .map(|(run, end)| (run.start.max(whole.start) as usize, end.min(whole.end) as usize))
            .filter(|(start, end)| start < end)
            .collect();
        let is_cause = HARMLESS.into_iter().any(|other| {
            let (mut again, mut from) = (String::with_capacity(self.text.len()), 0);
            for &(start, end) in &parts {
                again.push_str(self.text.get(from..start).unwrap_or_default());
                again.push_str(other);
                from = end;
            }
            again.push_str(self.text.get(from..).unwrap_or_default());
            self.is_gone(&again)
        });
        let (start, end) = parts.first().copied().filter(|_| is_cause)?;
        Some(self.id.span(start, end))
    }

    /// Whether the finding is not made of another text of the document.
    fn is_gone(&self, text: &str) -> bool {
        self.findings_of(text).is_some_and(|findings| !findings.iter().any(|other| self.is_same(other)))
    }

    /// Whether a finding is about the same: another complaint about the same field is no better.
    fn is_same(&self, other: &Diagnostic) -> bool {
        match &self.finding.path {
            Some(path) => other.path.as_ref() == Some(path),
            None => other.code == self.finding.code && other.message == self.finding.message,
        }
    }

    /// What is found in another text of the document, if it can be read.
    fn findings_of(&self, text: &str) -> Option<Vec<Diagnostic>> {
        let stream = trueline_yaml::read(self.id, &text.into(), &ReadOptions::default());
        let document = stream.documents.iter().find(|document| !document.root().is_null());
        let document = document.filter(|_| stream.errors.is_empty())?;
        let mut findings = self.stage.look(document, &mut Objects::default());
        findings.extend(head::wrong_fields(document.root()));
        Some(findings)
    }
}

/// Whether a string can be a number or a boolean.
fn is_word(text: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '+');
    !text.is_empty() && text.chars().all(is_part)
}
