//! The last lines of the formats for people: what was skipped and why, and the figures.

use std::collections::BTreeMap;

use crate::options::{Execution, Options};
use crate::prepared::Report;
use crate::text;

/// So many names stand behind a reason for skipping; the JSON report has all of them.
const NAMES_SHOWN: usize = 3;

/// The summary as lines: what is not shown, one for each reason for skipping, then the figures.
pub(crate) fn lines(report: &Report, options: &Options) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (what, why) in report.skipped() {
        reasons.entry(why).or_default().push(what);
    }
    let hidden = report.findings.len().saturating_sub(options.most.unwrap_or(usize::MAX)) + report.unshown;
    let hidden = (hidden > 0)
        .then(|| format!("not shown: {}; `--max-findings 0` shows all", count(hidden, "more finding")));
    let mut lines: Vec<String> = hidden.into_iter().collect();
    lines.extend(reasons.iter().map(|(why, names)| skipped(why, names)));
    let summary = &report.summary;
    let failed = match options.execution {
        Execution::Complete => "",
        Execution::FailedByWarnings => "; failed, because warnings count as errors",
        Execution::Failed => "; failed, because not everything could be read",
        Execution::FoundNothing => "; failed, because nothing was checked",
    };
    lines.push(format!(
        "checked {}: {} valid, {} invalid; {} skipped; {}, {}{failed}",
        summary.checked,
        summary.valid,
        summary.invalid,
        report.skipped().count(),
        count(summary.errors, "error"),
        count(summary.warnings, "warning"),
    ));
    lines
}

fn skipped(why: &str, names: &[&str]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(NAMES_SHOWN).map(|name| text::one_line(name).into_owned()).collect();
    if let more @ 1.. = names.len() - shown.len() {
        shown.push(format!("{more} more"));
    }
    format!("skipped {} ({}): {}", names.len(), shown.join(", "), text::one_line(why))
}

/// `1 error`, `2 errors`.
fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{outcome, unit};
    use trueline_diagnostic::Units;
    use trueline_source::SourceMap;

    #[test]
    fn reasons_are_grouped_and_counted() {
        let mut units: Vec<_> = ["a", "b", "c", "d"].into_iter().map(|name| unit(name, vec![])).collect();
        for unit in &mut units {
            unit.skipped = Some("not a kind that is checked".into());
        }
        units.push(unit("e\n", vec![]));
        units[4].skipped = Some("too large".into());
        units.push(unit("f", vec![]));
        let run = outcome(units);
        let report = Report::prepare(run, Units::All, &SourceMap::new());
        insta::assert_snapshot!(lines(&report, &Options::default()).join("
"), @r"
        skipped 4 (a, b, c, 1 more): not a kind that is checked
        skipped 1 (e\n): too large
        checked 1: 1 valid, 0 invalid; 5 skipped; 0 errors, 0 warnings
        ");
    }

    #[test]
    fn what_is_not_shown_and_why_the_run_failed_is_said() {
        let sources = SourceMap::new();
        let file = sources.add("a", trueline_source::SourceKind::File, "xyz");
        let found = |place| crate::testing::finding(file.span(place, place + 1), "wrong");
        let run = outcome(vec![unit("a", vec![found(0), found(1), found(2)])]);
        let report = Report::prepare(run, Units::All, &sources);
        let last = |options: Options| lines(&report, &options).join(" | ");
        let options = Options { most: Some(1), ..Options::default() };
        assert!(
            last(options).starts_with("not shown: 2 more findings; `--max-findings 0` shows all | checked 1")
        );
        let mut counted = unit("a", vec![found(0), found(1)]);
        counted.unshown.add(trueline_diagnostic::Severity::Warning);
        let report = Report::prepare(outcome(vec![counted]), Units::All, &sources);
        let options = Options { most: Some(1), ..Options::default() };
        let words = lines(&report, &options).join(" | ");
        assert!(words.starts_with("not shown: 2 more findings;"), "{words}");
        assert!(words.ends_with("1 invalid; 0 skipped; 2 errors, 1 warning"), "{words}");
        let failed = |execution| last(Options { execution, ..Options::default() });
        assert!(failed(Execution::FailedByWarnings).ends_with("warnings count as errors"));
        assert!(failed(Execution::Failed).ends_with("not everything could be read"));
        assert!(failed(Execution::FoundNothing).ends_with("nothing was checked"));
        assert!(failed(Execution::Complete).ends_with("0 warnings"));
    }
}
