//! The Test Anything Protocol, version 14: one test point a unit, its findings in a YAML block.

use std::fmt::Write as _;

use serde_json::json;
use trueline_diagnostic::{Severity, Verdict};

use crate::prepared::{Finding, Report};
use crate::text;

pub(crate) fn render(report: &Report) -> String {
    let mut points: Vec<Point<'_>> = Vec::with_capacity(report.units.len() + 1);
    if !report.general.is_empty() {
        let findings: Vec<&Finding> = report.of(&report.general).collect();
        let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
        let verdict = if failed { Verdict::Invalid } else { Verdict::Valid };
        points.push(Point { name: "the run itself", verdict, skipped: None, findings });
    }
    points.extend(report.units.iter().map(|unit| Point {
        name: &unit.name,
        verdict: unit.verdict,
        skipped: unit.skipped.as_deref(),
        findings: report.of(&unit.findings).collect(),
    }));

    let mut result = String::from("TAP version 14\n");
    if points.is_empty() {
        result.push_str("1..0 # SKIP nothing was checked\n");
        return result;
    }
    let _ = writeln!(result, "1..{}", points.len());
    for (index, point) in points.iter().enumerate() {
        point.write(index + 1, &mut result);
    }
    result
}

struct Point<'a> {
    name: &'a str,
    verdict: Verdict,
    skipped: Option<&'a str>,
    findings: Vec<&'a Finding>,
}

impl Point<'_> {
    fn write(&self, number: usize, result: &mut String) {
        let word = if self.verdict == Verdict::Invalid { "not ok" } else { "ok" };
        let _ = write!(result, "{word} {number} - {}", description(self.name));
        let mut reason = self.skipped;
        if self.verdict == Verdict::Skipped {
            let _ = write!(result, " # SKIP {}", text::one_line(reason.take().unwrap_or_default()));
        }
        result.push('\n');
        if self.findings.is_empty() && reason.is_none() {
            return;
        }
        result.push_str("  ---\n");
        if let Some(reason) = reason {
            let _ = writeln!(result, "  skipped: {}", quoted(reason));
        }
        if !self.findings.is_empty() {
            result.push_str("  findings:\n");
        }
        for finding in &self.findings {
            let place = &finding.primary;
            let _ = writeln!(result, "    - at: {}", quoted(&place.address()));
            let _ = writeln!(result, "      code: {}", finding.code);
            let _ = writeln!(result, "      severity: {}", finding.severity);
            let _ = writeln!(result, "      message: {}", quoted(&finding.message));
            if !finding.related.is_empty() {
                result.push_str("      also:\n");
            }
            for related in &finding.related {
                let words = if related.text.is_empty() { "see also" } else { &related.text };
                let _ = writeln!(result, "        - {}", quoted(&format!("{}: {words}", related.address())));
            }
            if let Some(help) = &finding.help {
                let _ = writeln!(result, "      help: {}", quoted(help));
            }
        }
        result.push_str("  ...\n");
    }
}

/// A JSON string is a YAML string too, and it never ends the block that it stands in.
fn quoted(text: &str) -> String {
    text::ascii_controls(json!(text).to_string())
}

/// A description may not begin a directive.
fn description(name: &str) -> String {
    text::one_line(name).replace('\\', "\\\\").replace('#', "\\#")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::testing::{hostile, outcome, render, sample, unit};
    use trueline_source::SourceMap;

    #[test]
    fn one_point_a_unit() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Tap, &outcome, &sources));
    }

    #[test]
    fn an_empty_run_is_skipped_as_a_whole() {
        let text = render(Format::Tap, &outcome(vec![]), &SourceMap::new());
        assert_eq!(text, "TAP version 14\n1..0 # SKIP nothing was checked\n");
    }

    #[test]
    fn no_name_begins_a_directive_and_no_message_ends_a_block() {
        assert_eq!(description("a # TODO \\ b\n"), "a \\# TODO \\\\ b\\\\n");
        let (sources, outcome) = hostile();
        let text = render(Format::Tap, &outcome, &sources);
        insta::assert_snapshot!(text);
        let ends = text.lines().filter(|line| line.trim() == "...").count();
        assert_eq!(ends, outcome.units.len(), "{text}");
    }

    #[test]
    fn a_reason_stands_on_its_line() {
        let mut skipped = unit("a", vec![]);
        skipped.skipped = Some("because\nof this".into());
        let text = render(Format::Tap, &outcome(vec![skipped]), &SourceMap::new());
        assert_eq!(text, "TAP version 14\n1..1\nok 1 - a # SKIP because\\nof this\n");
    }
}
