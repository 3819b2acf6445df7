//! The last lines of the formats for people: what was skipped and why, and the totals.

use std::collections::BTreeMap;

use trueline_diagnostic::{Outcome, Summary};

use crate::options::{Execution, Options};
use crate::prepared::unchecked;
use crate::text;

/// How many names are listed after a reason for skipping; the JSON report has all of them.
const NAMES_SHOWN: usize = 3;

/// The totals of a report.
#[derive(Debug)]
pub(crate) struct Figures {
    /// Those of the run, with duplicates counted once.
    pub(crate) summary: Summary,
    /// How many findings this report leaves out because of the limit.
    pub(crate) hidden: usize,
}

/// The summary as lines: what is not shown, then one line per reason for skipping, then the totals.
pub(crate) fn lines(figures: &Figures, outcome: &Outcome, options: &Options) -> Vec<String> {
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut skipped = 0;
    for (what, why) in outcome.units.iter().flat_map(unchecked) {
        reasons.entry(why).or_default().push(what);
        skipped += 1;
    }
    let hidden = (figures.hidden > 0).then(|| {
        format!("not shown: {}; `--max-findings 0` shows all", count(figures.hidden, "more finding"))
    });
    let mut lines: Vec<String> = hidden.into_iter().collect();
    lines.extend(reasons.iter().map(|(why, names)| why_skipped(why, names)));
    let summary = &figures.summary;
    let failed = match options.execution {
        Execution::Complete => "",
        Execution::FailedByWarnings => "; failed, because warnings count as errors",
        Execution::Failed => "; failed, because not everything could be read",
        Execution::FoundNothing => "; failed, because nothing was checked",
    };
    let notes = match summary.notes {
        0 => String::new(),
        notes => format!(", {}", count(notes, "note")),
    };
    lines.push(format!(
        "checked {}: {} valid, {} invalid; {skipped} skipped; {}, {}{notes}{failed}",
        summary.checked,
        summary.valid,
        summary.invalid,
        count(summary.errors, "error"),
        count(summary.warnings, "warning"),
    ));
    lines
}

fn why_skipped(why: &str, names: &[String]) -> String {
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

    fn said(run: &Outcome, hidden: usize, execution: Execution) -> String {
        let options = Options { execution, ..Options::default() };
        lines(&Figures { summary: run.summary(), hidden }, run, &options).join("\n")
    }

    #[test]
    fn reasons_are_grouped_and_counted() {
        let mut units: Vec<_> = ["a", "b", "c", "d"].into_iter().map(|name| unit(name, vec![])).collect();
        for unit in &mut units {
            unit.skipped = Some("not a kind that is checked".into());
        }
        units.push(unit("e\n", vec![]));
        units[4].skipped = Some("too large".into());
        units.push(unit("f", vec![]));
        insta::assert_snapshot!(said(&outcome(units), 0, Execution::Complete), @r"
        skipped 4 (a, b, c, 1 more): not a kind that is checked
        skipped 1 (e\n): too large
        checked 1: 1 valid, 0 invalid; 5 skipped; 0 errors, 0 warnings
        ");
    }

    #[test]
    fn hidden_findings_and_the_reason_for_failure_are_reported() {
        let mut counted = unit("a", vec![]);
        for severity in ["error", "error", "warning", "note"] {
            counted.unshown.add(match severity {
                "error" => trueline_diagnostic::Severity::Error,
                "warning" => trueline_diagnostic::Severity::Warning,
                _ => trueline_diagnostic::Severity::Note,
            });
        }
        let run = outcome(vec![counted]);
        let words = said(&run, 2, Execution::Complete);
        assert!(words.starts_with("not shown: 2 more findings; `--max-findings 0` shows all\n"), "{words}");
        assert!(words.ends_with("1 invalid; 0 skipped; 2 errors, 1 warning, 1 note"), "{words}");
        let failed = |execution| said(&run, 0, execution);
        assert!(failed(Execution::FailedByWarnings).ends_with("warnings count as errors"));
        assert!(failed(Execution::Failed).ends_with("not everything could be read"));
        assert!(failed(Execution::FoundNothing).ends_with("nothing was checked"));
    }
}
