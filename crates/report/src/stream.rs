//! Reports that are written during the run: the findings of a unit are printed as soon as the unit is done, so
//! a user who stops a long run has seen what was found so far.

use std::collections::HashSet;

use trueline_diagnostic::{Counts, Diagnostic, Outcome, Severity, Unit};
use trueline_source::SourceMap;

use crate::formats::{Format, UnitWriter, Writer};
use crate::options::{Execution, Options};
use crate::prepared::Finding;
use crate::summary::Figures;

/// A report in one of the formats that are written during the run.
#[derive(Debug)]
pub struct Stream<'s> {
    format: Format,
    sources: &'s SourceMap,
    options: Options,
    /// What was already shown or counted: a file may belong to several units.
    seen: HashSet<u128>,
    /// Findings that later units repeated.
    twins: Vec<(Severity, u32)>,
    /// How many findings were shown, of each severity.
    shown: Counts,
    /// Notes, which are shown after everything else.
    notes: Vec<Finding>,
    /// Has everything to do with formats that are written unit by unit.
    by_unit: Option<Box<dyn UnitWriter>>,
}

impl<'s> Stream<'s> {
    /// A report before anything is written; `None` for the formats that are documents.
    pub fn new(format: Format, sources: &'s SourceMap, options: Options) -> Option<Self> {
        let by_unit = match format.row().writer {
            Writer::Document { .. } => return None,
            Writer::Findings { .. } => None,
            Writer::Units(start) => Some(start()),
        };
        Some(Stream {
            format,
            sources,
            options,
            seen: HashSet::new(),
            twins: Vec::new(),
            shown: Counts::default(),
            notes: Vec::new(),
            by_unit,
        })
    }

    /// Writes the findings about the run itself.
    pub fn general(&mut self, findings: &[Diagnostic]) -> String {
        let findings = Finding::prepare_all(findings, self.sources);
        match &mut self.by_unit {
            Some(writer) => writer.general(findings),
            None => self.show(findings),
        }
    }

    /// Writes the findings of a unit.
    pub fn unit(&mut self, unit: &Unit) -> String {
        let findings = Finding::prepare_all(&unit.findings, self.sources);
        match &mut self.by_unit {
            Some(writer) => writer.unit(unit, findings),
            None => self.show(findings),
        }
    }

    /// Writes the end of a report whose units were all written before.
    pub fn finish(mut self, outcome: &Outcome, execution: Execution) -> String {
        if let Some(writer) = self.by_unit.take() {
            return writer.finish();
        }
        let notes = std::mem::take(&mut self.notes);
        let mut text = self.print(notes);
        self.options.execution = execution;
        if self.options.quiet && self.format.is_for_people() && self.shown == Counts::default() {
            return text;
        }
        let mut summary = outcome.summary();
        self.twins.iter().for_each(|&(severity, more)| summary.forget(severity, more));
        let hidden_notes = if self.shows_notes() { 0 } else { summary.notes };
        let listed = summary.findings().saturating_sub(summary.unlisted + hidden_notes);
        let figures = Figures { summary, hidden: listed.saturating_sub(self.shown.all()) };
        if let Writer::Findings { end, .. } = self.format.row().writer {
            text.push_str(&end(&figures, outcome, &self.options));
        }
        text
    }

    /// Shows what is not a note, and keeps notes for the end.
    fn show(&mut self, findings: Vec<Finding>) -> String {
        let mut now = Vec::new();
        for finding in findings {
            if !self.seen.insert(finding.identity()) {
                self.twins.push((finding.severity, finding.more));
                continue;
            }
            match finding.severity {
                Severity::Note if self.shows_notes() => self.notes.push(finding),
                Severity::Note => {}
                Severity::Error | Severity::Warning => now.push(finding),
            }
        }
        self.print(now)
    }

    fn shows_notes(&self) -> bool {
        !(self.options.quiet && self.format.is_for_people())
    }

    /// Prints findings up to the limit in the options; within a unit, errors come first.
    fn print(&mut self, findings: Vec<Finding>) -> String {
        let mut is_shown = vec![false; findings.len()];
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            for (finding, is_shown) in findings.iter().zip(&mut is_shown) {
                if finding.severity == severity && self.has_room(severity) {
                    *is_shown = true;
                    self.shown.add(severity);
                }
            }
        }
        let chosen = findings.iter().zip(is_shown);
        let chosen: Vec<&Finding> =
            chosen.filter_map(|(finding, is_shown)| is_shown.then_some(finding)).collect();
        match self.format.row().writer {
            Writer::Findings { show, .. } => show(&chosen, self.sources, &self.options),
            Writer::Units(_) | Writer::Document { .. } => String::new(),
        }
    }

    /// No error is left out because warnings came first: errors are shown up to the limit in any case.
    fn has_room(&self, severity: Severity) -> bool {
        let Some(most) = self.options.most.filter(|_| self.format.is_for_people()) else { return true };
        match severity {
            Severity::Error => (self.shown.errors as usize) < most,
            Severity::Warning | Severity::Note => self.shown.all() < most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finding, outcome, unit};
    use trueline_source::SourceKind;

    /// What the short format shows of units that have findings of these severities.
    fn shown(units: &[&str], options: &Options) -> String {
        let sources = SourceMap::new();
        let units = units.iter().enumerate().map(|(index, severities)| {
            let name = format!("{index}");
            let file = sources.add(name.as_str(), SourceKind::File, "abcdefgh");
            let found = severities.chars().enumerate().map(|(place, severity)| {
                let severity = match severity {
                    'e' => Severity::Error,
                    'w' => Severity::Warning,
                    _ => Severity::Note,
                };
                finding(file.span(place, place + 1), "x").severity(severity)
            });
            unit(&name, found.collect())
        });
        let run = outcome(units.collect());
        let text = crate::render(Format::Short, run, &sources, options);
        let line = |line: &str| match line.split_once(": ") {
            Some((place, rest)) if !line.starts_with('#') => format!("{place}{}", &rest[..1]),
            _ => line.trim_start_matches("# ").to_owned(),
        };
        text.lines().map(line).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn notes_come_last_and_are_counted() {
        let all = shown(&["nw", "ne"], &Options::default());
        let figures = "checked 2: 1 valid, 1 invalid; 0 skipped; 1 error, 1 warning, 2 notes";
        assert_eq!(all, format!("0:1:2w | 1:1:2e | 0:1:1n | 1:1:1n | {figures}"));
        let quiet = Options { quiet: true, ..Options::default() };
        assert_eq!(shown(&["nw", "ne"], &quiet), format!("0:1:2w | 1:1:2e | {figures}"));
        assert_eq!(shown(&["n", ""], &quiet), "");
    }

    #[test]
    fn errors_are_shown_whatever_came_first() {
        let most = |number| Options { most: Some(number), ..Options::default() };
        let first = |units: &[&str], number| shown(units, &most(number));
        assert!(first(&["we"], 1).starts_with("0:1:2e | not shown: 1 more finding;"));
        assert!(first(&["ww", "e"], 1).starts_with("0:1:1w | 1:1:1e | not shown: 1 more finding;"));
        assert!(first(&["eee", "w"], 2).starts_with("0:1:1e | 0:1:2e | not shown: 2 more findings;"));
        assert!(first(&["nw", "w"], 2).starts_with("0:1:2w | 1:1:1w | not shown: 1 more finding;"));
    }

    #[test]
    fn a_finding_shared_by_two_units_is_shown_once() {
        let sources = SourceMap::new();
        let file = sources.add("values.yaml", SourceKind::File, "a: 1\n");
        let shared = || finding(file.span(0, 1), "shared");
        let run = outcome(vec![unit("a", vec![shared()]), unit("b", vec![shared(), shared()])]);
        let text = crate::render(Format::Short, run, &sources, &Options::default());
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.ends_with("2 invalid; 0 skipped; 1 error, 0 warnings\n"), "{text}");
    }

    #[test]
    fn a_report_written_in_steps_equals_one_written_at_once() {
        for (sources, run) in crate::testing::every_outcome() {
            for format in Format::ALL.iter().copied().filter(|format| format.is_stream()) {
                let options = Options::default();
                let mut stream = Stream::new(format, &sources, options.clone()).unwrap();
                let mut text = stream.general(&run.general);
                run.units.iter().for_each(|unit| text.push_str(&stream.unit(unit)));
                text.push_str(&stream.finish(&run, Execution::Complete));
                assert_eq!(text, crate::render(format, run.clone(), &sources, &options), "{format}");
            }
        }
    }
}
