//! `file:line:col: severity[code] message`, one line per finding.
//!
//! The lines that are not findings begin with `# `, which no editor takes for a place.

use std::fmt::Write as _;

use trueline_diagnostic::Outcome;
use trueline_source::SourceMap;

use super::{Reader, Row, Writer};
use crate::options::Options;
use crate::prepared::Finding;
use crate::summary::{self, Figures};
use crate::text;

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "short",
    summary: "file:line:col: severity[code] message, one line per finding",
    reader: Reader::Person,
    writer: Writer::Findings { show, end },
};

fn show(findings: &[&Finding], _: &SourceMap, _: &Options) -> String {
    let mut result = String::new();
    for finding in findings {
        let more = finding.and_more().map(|more| format!(" ({more})"));
        let _ = writeln!(
            result,
            "{}: {}[{}] {}{}",
            finding.primary.address(),
            finding.severity,
            finding.code,
            text::one_line(&finding.headline()),
            more.unwrap_or_default()
        );
    }
    result
}

fn end(figures: &Figures, outcome: &Outcome, options: &Options) -> String {
    summary::lines(figures, outcome, options).iter().map(|line| format!("# {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::testing::{hostile, render, sample};

    #[test]
    fn one_line_per_finding() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Short, &outcome, &sources));
    }

    #[test]
    fn a_hostile_message_stays_on_its_line() {
        let (sources, outcome) = hostile();
        let text = render(Format::Short, &outcome, &sources);
        assert_eq!(text.lines().count(), outcome.findings().count() + 1, "{text}");
        assert!(!text.contains(['\x1b', '\0', '\u{202e}']), "{text:?}");
    }
}
