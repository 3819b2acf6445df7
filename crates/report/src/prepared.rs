//! The one step that all formats share: findings at their origins, sorted, without duplicates.

use std::cmp::Reverse;
use std::sync::Arc;

use trueline_diagnostic::{
    Code, Diagnostic, KubeCause, LeftOut, Level, Outcome, SchemaPlace, Severity, Summary, Units, Verdict,
    without_credentials,
};
use trueline_source::{Position, SourceKind, SourceMap, Span};

use crate::text;

/// Everything that a format writes.
#[derive(Debug)]
pub(crate) struct Report {
    /// All findings once, in order of file, line, column and code.
    pub(crate) findings: Vec<Finding>,
    /// Which of them are about the run itself.
    pub(crate) general: Vec<usize>,
    /// What was looked at, as far as the format needs it.
    pub(crate) units: Vec<Unit>,
    /// The figures; duplicates are not counted.
    pub(crate) summary: Summary,
    /// How many findings there are besides.
    pub(crate) unshown: usize,
}

/// Whether a thing that was looked at is listed.
fn is_listed(unit: &trueline_diagnostic::Unit, units: Units) -> bool {
    units == Units::All || !unit.findings.is_empty() || unit.skipped.is_some() || !unit.left_out.is_empty()
}

/// One thing that was looked at.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) skipped: Option<String>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Indexes into the report's findings, in their order.
    pub(crate) findings: Vec<usize>,
}

/// One finding with its places worked out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) code: &'static Code,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) primary: Place,
    pub(crate) related: Vec<Place>,
    pub(crate) trace: Vec<Place>,
    pub(crate) path: Option<String>,
    pub(crate) level: Option<Level>,
    pub(crate) schema: Option<SchemaPlace>,
    pub(crate) kube: Option<KubeCause>,
    pub(crate) help: Option<String>,
    pub(crate) fix: Option<Fix>,
}

/// A place in a source, with the words that belong to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) file: Arc<str>,
    pub(crate) kind: PlaceKind,
    pub(crate) start: Position,
    /// Behind the last character.
    pub(crate) end: Position,
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// What a place's file name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    File,
    Url,
    Flag,
    Embedded,
    Rendered,
}

/// A change that mends a finding.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fix {
    pub(crate) description: String,
    /// What to replace, with the replacement as the place's text.
    pub(crate) edits: Vec<Place>,
}

impl Report {
    /// Moves findings to their origins, sorts them and takes duplicates out.
    ///
    /// The outcome is taken apart on the way: there may be very many findings, and each should be there once.
    pub(crate) fn prepare(outcome: Outcome, units: Units, sources: &SourceMap) -> Report {
        let summary = outcome.summary();
        let unshown = outcome.unshown().all();
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
                verdict: unit.verdict(),
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
            unshown,
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

    /// Adds a finding unless it is there; duplicates have one order key, so only the last few can be equal.
    fn keep(&mut self, finding: Finding) -> usize {
        for (index, kept) in self.findings.iter().enumerate().rev() {
            if kept.order() != finding.order() {
                break;
            }
            if *kept == finding {
                match finding.severity {
                    Severity::Error => self.summary.errors -= 1,
                    Severity::Warning => self.summary.warnings -= 1,
                    Severity::Note => {}
                }
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

    /// The findings that are shown where only so many are, in their order: errors before warnings, and these before
    /// notes; of one severity, those about the run first.
    pub(crate) fn shown(&self, most: Option<usize>) -> Vec<&Finding> {
        let most = match most {
            Some(most) if most < self.findings.len() => most,
            _ => return self.findings.iter().collect(),
        };
        let mut chosen: Vec<usize> = (0..self.findings.len()).collect();
        let severity = |index: &usize| self.findings.get(*index).map(|finding| Reverse(finding.severity));
        // What is wrong with the run itself makes all others doubtful.
        let is_general = |index: &usize| self.general.binary_search(index).is_ok();
        chosen.sort_by_key(|index| (severity(index), !is_general(index)));
        chosen.truncate(most);
        chosen.sort_unstable();
        chosen.into_iter().filter_map(|index| self.findings.get(index)).collect()
    }

    /// What was not checked, or not wholly, and why.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.units.iter().flat_map(|unit| {
            let whole = unit.skipped.as_deref().map(|why| (unit.name.as_str(), why));
            let parts = unit.left_out.iter().map(|part| (part.what.as_str(), part.why.as_str()));
            whole.into_iter().chain(parts)
        })
    }
}

/// A part of a unit, named with the unit that it is in.
fn left_out(unit: &str, part: &LeftOut) -> LeftOut {
    LeftOut { what: text::cut(format!("{unit}: {}", part.what)), why: text::cut(part.why.clone()) }
}

impl Finding {
    fn prepare(diagnostic: Diagnostic, sources: &SourceMap) -> Finding {
        let diagnostic = diagnostic.at_origin(sources);
        let place = |span: Span, words: String| Place::new(span, text::cut(words), sources);
        Finding {
            code: diagnostic.code,
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
                    .map(|edit| Place::new(edit.span, edit.replacement, sources))
                    .collect(),
            }),
        }
    }

    /// In one file the levels come in their order, as one must be mended before the next can be trusted;
    /// remarks on suppressions, which belong to no level, come last.
    fn order(&self) -> (&str, (bool, Option<Level>), Position, &str, &str, Position) {
        let level = (self.level.is_none(), self.level);
        (&self.primary.file, level, self.primary.start, self.code.id, &self.message, self.primary.end)
    }
}

impl Place {
    fn new(span: Span, text: String, sources: &SourceMap) -> Place {
        let source = sources.get(span.source);
        let start = source.position(span.start);
        Place {
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
    fn findings_are_sorted_by_place_and_stand_once() {
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
    fn a_unit_that_was_skipped_and_failed_is_listed_as_both() {
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
        assert_eq!(report.units[0].verdict, Verdict::Valid);
    }

    #[test]
    fn errors_are_shown_before_warnings() {
        let sources = SourceMap::new();
        let file = sources.add("a", SourceKind::File, "abcd");
        let found = |place: usize, severity| {
            finding(file.span(place, place + 1), &place.to_string()).severity(severity)
        };
        use Severity::{Error, Note, Warning};
        let findings = vec![found(0, Note), found(1, Warning), found(2, Error), found(3, Error)];
        let run = outcome(vec![unit("a", findings)]);
        let report = Report::prepare(run, Units::All, &sources);
        for (most, expected) in
            [(Some(1), "2"), (Some(3), "1 2 3"), (Some(9), "0 1 2 3"), (None, "0 1 2 3"), (Some(0), "")]
        {
            let shown: Vec<&str> =
                report.shown(most).into_iter().map(|finding| finding.message.as_str()).collect();
            assert_eq!(shown.join(" "), expected, "{most:?}");
        }
    }

    #[test]
    fn findings_about_the_run_are_shown_first() {
        let sources = SourceMap::new();
        let [manifest, settings] =
            ["a.yaml", "trueline.toml"].map(|name| sources.add(name, SourceKind::File, "abc"));
        let mut run = outcome(vec![unit("a.yaml", vec![finding(manifest.span(0, 1), "object")])]);
        run.general.push(finding(settings.span(0, 1), "setting"));
        let report = Report::prepare(run, Units::All, &sources);
        let shown: Vec<&str> =
            report.shown(Some(1)).into_iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(shown, ["setting"]);
    }
}
