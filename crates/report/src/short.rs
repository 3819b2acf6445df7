//! `file:line:col: severity[code] message`, one line a finding.
//!
//! The lines that are not findings begin with `# `, which no editor takes for a place.

use std::fmt::Write as _;

use crate::options::Options;
use crate::prepared::Report;
use crate::{summary, text};

pub(crate) fn render(report: &Report, options: &Options) -> String {
    let mut result = String::new();
    for finding in report.shown(options.most) {
        let _ = writeln!(
            result,
            "{}: {}[{}] {}",
            finding.primary.address(),
            finding.severity,
            finding.code,
            text::one_line(&finding.message)
        );
    }
    for line in summary::lines(report, options) {
        let _ = writeln!(result, "# {line}");
    }
    result
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::testing::{hostile, render, sample};

    #[test]
    fn one_line_a_finding() {
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
