//! The step that all formats share: findings at their origins, sorted, without duplicates.

use std::borrow::Cow;
use std::sync::Arc;

use trueline_diagnostic::{
    Code, Diagnostic, KubeCause, LeftOut, Level, Outcome, RuleInfo, SchemaPlace, Severity, Summary, Units,
    without_credentials,
};
use trueline_source::{Position, SourceKind, SourceMap, Span};

use crate::fingerprint::Identity;
use crate::text;

/// Everything that a format writes.
#[derive(Debug)]
pub(crate) struct Report {
    /// All findings once, in order of file, line, column and code.
    pub(crate) findings: Vec<Finding>,
    /// Which of them are about the run itself.
    pub(crate) general: Vec<usize>,
    /// The units that the format lists.
    pub(crate) units: Vec<Unit>,
    /// The totals; duplicates are not counted.
    pub(crate) summary: Summary,
}

/// Whether a unit is listed.
fn is_listed(unit: &trueline_diagnostic::Unit, units: Units) -> bool {
    units == Units::All || !unit.findings.is_empty() || unit.skipped.is_some() || !unit.left_out.is_empty()
}

/// One unit.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) skipped: Option<String>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Indexes into the report's findings, in their order.
    pub(crate) findings: Vec<usize>,
}

/// One finding with its places resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) code: &'static Code,
    /// The rule that it is about, if it has a name.
    pub(crate) rule: Option<&'static RuleInfo>,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) primary: LabelledPlace,
    pub(crate) related: Vec<LabelledPlace>,
    pub(crate) trace: Vec<LabelledPlace>,
    pub(crate) path: Option<String>,
    pub(crate) level: Option<Level>,
    pub(crate) schema: Option<SchemaPlace>,
    pub(crate) kube: Option<KubeCause>,
    pub(crate) help: Option<String>,
    pub(crate) fix: Option<Fix>,
    /// How many further findings with this code in this file are counted but not listed.
    pub(crate) more: u32,
}

/// A place in a source, with its message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LabelledPlace {
    pub(crate) file: Arc<str>,
    pub(crate) kind: PlaceKind,
    pub(crate) start: Position,
    /// After the last character.
    pub(crate) end: Position,
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// What kind of name a place has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    File,
    Url,
    Flag,
    Embedded,
    Rendered,
}

/// A change that fixes a finding.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fix {
    pub(crate) description: String,
    /// What to replace, with the new text as the place's message.
    pub(crate) edits: Vec<LabelledPlace>,
}

impl Report {
    /// Moves findings to their origins, sorts them and removes duplicates.
    ///
    /// This consumes the outcome: there may be very many findings, and none should be held in memory twice.
    pub(crate) fn prepare(outcome: Outcome, units: Units, sources: &SourceMap) -> Report {
        let summary = outcome.summary();
        let mut owned = Vec::with_capacity(outcome.findings().count());
        let mut take = |findings: Vec<Diagnostic>, unit: Option<usize>| {
            for finding in findings {
                owned.push((Finding::prepare(finding, sources), unit, owned.len()));
            }
        };
        take(outcome.general, None);
        let mut prepared = Vec::new();
        for unit in outcome.units.into_iter().filter(|unit| is_listed(unit, units)) {
            prepared.push(Unit {
                kind: unit.kind,
                skipped: unit.skipped.map(text::cut),
                left_out: unit.left_out.iter().map(|part| left_out(&unit.name, part)).collect(),
                name: text::without_credentials(unit.name),
                findings: Vec::new(),
            });
            take(unit.findings, Some(prepared.len() - 1));
        }
        owned.sort_unstable_by(|(left, _, first), (right, _, second)| {
            left.order().cmp(&right.order()).then(first.cmp(second))
        });

        let mut report = Report {
            findings: Vec::with_capacity(owned.len()),
            general: Vec::new(),
            units: prepared,
            summary,
        };
        for (finding, unit, _) in owned {
            let index = report.keep(finding);
            let list = match unit.and_then(|unit| report.units.get_mut(unit)) {
                Some(unit) => &mut unit.findings,
                None => &mut report.general,
            };
            list.push(index);
        }
        for list in report.units.iter_mut().map(|unit| &mut unit.findings).chain([&mut report.general]) {
            list.sort_unstable();
            list.dedup();
        }
        report.units.sort_by(|left, right| (&left.name, left.kind).cmp(&(&right.name, right.kind)));
        report
    }

    /// Adds a finding unless it is already listed; duplicates have the same sort key, so only the last few can
    /// be equal.
    fn keep(&mut self, finding: Finding) -> usize {
        for (index, kept) in self.findings.iter().enumerate().rev() {
            if kept.order() != finding.order() {
                break;
            }
            if *kept == finding {
                self.summary.forget(finding.severity, finding.more);
                return index;
            }
        }
        self.findings.push(finding);
        self.findings.len() - 1
    }

    /// The findings of a unit or about the run.
    pub(crate) fn of<'a>(&'a self, indexes: &'a [usize]) -> impl Iterator<Item = &'a Finding> {
        indexes.iter().filter_map(|&index| self.findings.get(index))
    }

    /// What was not checked, or not completely, and why.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.units.iter().flat_map(|unit| {
            let whole = unit.skipped.as_deref().map(|why| (unit.name.as_str(), why));
            let parts = unit.left_out.iter().map(|part| (part.what.as_str(), part.why.as_str()));
            whole.into_iter().chain(parts)
        })
    }
}

/// The part of a unit that was not checked, or the whole unit, and why.
pub(crate) fn unchecked(unit: &trueline_diagnostic::Unit) -> impl Iterator<Item = (String, String)> {
    let name = text::without_credentials(unit.name.clone());
    let whole = unit.skipped.clone().map(|why| (name, text::cut(why)));
    let parts = unit.left_out.iter().map(|part| left_out(&unit.name, part));
    whole.into_iter().chain(parts.map(|part| (part.what, part.why)))
}

/// A part of a unit, named with the unit that it is in.
fn left_out(unit: &str, part: &LeftOut) -> LeftOut {
    LeftOut { what: text::cut(format!("{unit}: {}", part.what)), why: text::cut(part.why.clone()) }
}

impl Finding {
    /// All findings of one unit, or those about the run: at their origins, sorted and deduplicated.
    pub(crate) fn prepare_all(diagnostics: &[Diagnostic], sources: &SourceMap) -> Vec<Finding> {
        let mut findings: Vec<Finding> =
            diagnostics.iter().map(|diagnostic| Finding::prepare(diagnostic.clone(), sources)).collect();
        findings.sort_by(|left, right| left.order().cmp(&right.order()));
        findings
    }

    /// Its identity: 128 bits, so a long run need not keep the findings themselves.
    pub(crate) fn identity(&self) -> u128 {
        let mut identity = Identity::default();
        let words = [self.code.id, self.severity.as_str(), &self.message];
        words.into_iter().for_each(|word| identity.add(word.as_bytes()));
        let optional = [self.path.as_deref(), self.help.as_deref()];
        optional.into_iter().for_each(|word| identity.add(word.unwrap_or_default().as_bytes()));
        for place in [&self.primary].into_iter().chain(&self.related) {
            identity.add(place.file.as_bytes());
            identity.add(place.text.as_bytes());
            for Position { line, column } in [place.start, place.end] {
                identity.add(&line.to_le_bytes());
                identity.add(&column.to_le_bytes());
            }
        }
        identity.finish()
    }

    /// The message, with the name of the rule after it, by which it can be silenced and explained.
    pub(crate) fn headline(&self) -> Cow<'_, str> {
        match self.rule {
            Some(rule) => Cow::Owned(format!("{} ({})", self.message, rule.name)),
            None => Cow::Borrowed(&self.message),
        }
    }

    /// The note about further findings like it that are not listed.
    pub(crate) fn and_more(&self) -> Option<String> {
        (self.more > 0).then(|| format!("and {} more like this in this file (not listed)", self.more))
    }

    fn prepare(diagnostic: Diagnostic, sources: &SourceMap) -> Finding {
        let diagnostic = diagnostic.at_origin(sources);
        let place = |span: Span, words: String| LabelledPlace::new(span, text::cut(words), sources);
        Finding {
            code: diagnostic.code,
            rule: diagnostic.rule,
            severity: diagnostic.severity,
            message: text::cut(diagnostic.message),
            primary: place(diagnostic.primary.span, diagnostic.primary.text),
            related: diagnostic.related.into_iter().map(|label| place(label.span, label.text)).collect(),
            trace: diagnostic.trace.into_iter().map(|frame| place(frame.span, frame.text)).collect(),
            path: diagnostic.path,
            level: diagnostic.level,
            schema: diagnostic.schema,
            kube: diagnostic.kube,
            help: diagnostic.help.map(text::cut),
            fix: diagnostic.fix.map(|fix| Fix {
                description: text::cut(fix.description),
                edits: fix
                    .edits
                    .into_iter()
                    .map(|edit| LabelledPlace::new(edit.span, edit.replacement, sources))
                    .collect(),
            }),
            more: diagnostic.more,
        }
    }

    /// In one file the levels come in their order, as one must be fixed before the next can be trusted;
    /// findings about suppressions, which have no level, come last.
    fn order(&self) -> (&str, (bool, Option<Level>), Position, &str, &str, Position) {
        let level = (self.level.is_none(), self.level);
        (&self.primary.file, level, self.primary.start, self.code.id, &self.message, self.primary.end)
    }
}

impl LabelledPlace {
    fn new(span: Span, text: String, sources: &SourceMap) -> LabelledPlace {
        let source = sources.get(span.source);
        let start = source.position(span.start);
        LabelledPlace {
            file: Arc::from(without_credentials(source.name())),
            kind: match source.kind() {
                SourceKind::File => PlaceKind::File,
                SourceKind::Url => PlaceKind::Url,
                SourceKind::Flag => PlaceKind::Flag,
                SourceKind::Rendered(_) => PlaceKind::Rendered,
                _ => PlaceKind::Embedded,
            },
            start,
            end: if span.end > span.start { source.position(span.end) } else { start },
            span,
            text,
        }
    }

    /// `file:line:column` on one line, fit for a terminal.
    pub(crate) fn address(&self) -> String {
        format!("{}:{}:{}", text::one_line(&self.file), self.start.line, self.start.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finding, outcome, unit};

    #[test]
    fn findings_are_sorted_by_place_and_deduplicated() {
        let sources = SourceMap::new();
        let second = sources.add("b.yaml", SourceKind::File, "x: 1\ny: 2\n");
        let first = sources.add("a.yaml", SourceKind::File, "x: 1\n");
        let shared = finding(second.span(5, 6), "shared");
        let mut units = vec![
            unit("z", vec![shared.clone(), finding(second.span(0, 1), "one"), shared.clone()]),
            unit("a", vec![finding(first.span(3, 4), "two"), shared.clone()]),
        ];
        units[0].findings.push(finding(second.span(5, 6), "shared").help("another help"));
        let run = outcome(units);
        let report = Report::prepare(run, Units::All, &sources);
        let order: Vec<String> = report
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.primary.address(), finding.message))
            .collect();
        assert_eq!(order, ["a.yaml:1:4 two", "b.yaml:1:1 one", "b.yaml:2:1 shared", "b.yaml:2:1 shared"]);
        let units: Vec<(&str, &[usize])> =
            report.units.iter().map(|unit| (unit.name.as_str(), unit.findings.as_slice())).collect();
        assert_eq!(units, [("a", [0, 2].as_slice()), ("z", [1, 2, 3].as_slice())]);
        assert_eq!(report.summary.errors, 4);
    }

    #[test]
    fn a_skipped_unit_with_errors_is_listed_as_both() {
        let sources = SourceMap::new();
        let file = sources.add("a", SourceKind::File, "x");
        let mut both = unit("a", vec![finding(file.span(0, 1), "wrong")]);
        both.skipped = Some("its schema is not there".into());
        let run = outcome(vec![both]);
        let report = Report::prepare(run, Units::All, &sources);
        assert_eq!(report.summary.invalid, 1);
        assert_eq!(report.skipped().collect::<Vec<_>>(), [("a", "its schema is not there")]);
        let mut partly = unit("b", vec![]);
        partly.left_out = vec![LeftOut { what: "Backup.example.com".into(), why: "no schema".into() }];
        let run = outcome(vec![partly]);
        let report = Report::prepare(run, Units::All, &sources);
        assert_eq!(report.skipped().collect::<Vec<_>>(), [("b: Backup.example.com", "no schema")]);
    }
}
