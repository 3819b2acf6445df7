//! The Test Anything Protocol, version 14: one test point per unit, with its findings in a YAML block.

use std::fmt::Write as _;

use serde_json::json;
use trueline_diagnostic::{Severity, Unit, Verdict};

use super::{Reader, Row, UnitWriter, Writer};
use crate::prepared::Finding;
use crate::text;

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "tap",
    summary: "Test Anything Protocol, version 14",
    reader: Reader::Program,
    writer: Writer::Units(|| Box::new(Points::default())),
};

/// The test points written so far. Their number is written at the end, which the protocol allows.
#[derive(Debug, Default)]
struct Points {
    written: usize,
    /// Findings about the run itself become a test point at the end.
    general: Vec<Finding>,
}

impl UnitWriter for Points {
    fn general(&mut self, findings: Vec<Finding>) -> String {
        self.general.extend(findings);
        String::new()
    }

    fn unit(&mut self, unit: &Unit, findings: Vec<Finding>) -> String {
        let skipped = unit.skipped.clone().map(text::cut);
        let name = text::without_credentials(unit.name.clone());
        self.point(&name, unit.verdict(), skipped.as_deref(), findings)
    }

    fn finish(mut self: Box<Self>) -> String {
        let mut result = String::new();
        let general = std::mem::take(&mut self.general);
        if !general.is_empty() {
            let failed = general.iter().any(|finding| finding.severity == Severity::Error);
            let verdict = if failed { Verdict::Invalid } else { Verdict::Valid };
            result.push_str(&self.point("the run itself", verdict, None, general));
        }
        match self.written {
            0 => result.push_str("TAP version 14\n1..0 # SKIP nothing was checked\n"),
            points => result.push_str(&format!("1..{points}\n")),
        }
        result
    }
}

impl Points {
    fn point(
        &mut self,
        name: &str,
        verdict: Verdict,
        skipped: Option<&str>,
        mut findings: Vec<Finding>,
    ) -> String {
        findings.dedup();
        let mut result = String::new();
        if self.written == 0 {
            result.push_str("TAP version 14\n");
        }
        self.written += 1;
        write_point(self.written, name, verdict, skipped, &findings, &mut result);
        result
    }
}

fn write_point(
    number: usize,
    name: &str,
    verdict: Verdict,
    mut reason: Option<&str>,
    findings: &[Finding],
    result: &mut String,
) {
    let word = if verdict == Verdict::Invalid { "not ok" } else { "ok" };
    let _ = write!(result, "{word} {number} - {}", description(name));
    if verdict == Verdict::Skipped {
        let _ = write!(result, " # SKIP {}", text::one_line(reason.take().unwrap_or_default()));
    }
    result.push('\n');
    if findings.is_empty() && reason.is_none() {
        return;
    }
    result.push_str("  ---\n");
    if let Some(reason) = reason {
        let _ = writeln!(result, "  skipped: {}", quoted(reason));
    }
    if !findings.is_empty() {
        result.push_str("  findings:\n");
    }
    for finding in findings {
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
        if finding.more > 0 {
            let _ = writeln!(result, "      more: {}", finding.more);
        }
    }
    result.push_str("  ...\n");
}

/// A JSON string is a YAML string too, and it never ends the block that it is in.
fn quoted(text: &str) -> String {
    text::harmless_json(json!(text).to_string())
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
    fn one_point_per_unit() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Tap, &outcome, &sources));
    }

    #[test]
    fn an_empty_run_is_skipped_as_a_whole() {
        let text = render(Format::Tap, &outcome(vec![]), &SourceMap::new());
        assert_eq!(text, "TAP version 14\n1..0 # SKIP nothing was checked\n");
    }

    #[test]
    fn no_name_starts_a_directive_and_no_message_ends_a_block() {
        assert_eq!(description("a # TODO \\ b\n"), "a \\# TODO \\\\ b\\\\n");
        let (sources, outcome) = hostile();
        let text = render(Format::Tap, &outcome, &sources);
        insta::assert_snapshot!(text);
        let ends = text.lines().filter(|line| line.trim() == "...").count();
        assert_eq!(ends, outcome.units.len(), "{text}");
    }

    #[test]
    fn a_reason_stays_on_its_line() {
        let mut skipped = unit("a", vec![]);
        skipped.skipped = Some("because\nof this".into());
        let text = render(Format::Tap, &outcome(vec![skipped]), &SourceMap::new());
        assert_eq!(text, "TAP version 14\nok 1 - a # SKIP because\\nof this\n1..1\n");
    }
}
