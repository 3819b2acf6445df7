//! Which findings can be shown, where reports show only so many: the others need only be counted, and a run over many
//! files need not hold them and their texts.

use std::collections::{BTreeSet, BinaryHeap};
use std::sync::{Mutex, PoisonError};

use trueline_diagnostic::{Counts, Diagnostic, Severity};
use trueline_source::{SourceId, SourceMap};

/// The order in which findings are chosen to be shown: by the name of their file, as units are reported in that order;
/// notes when all others have been.
type Rank = (bool, String);

/// The findings of a run that would be shown if there were no further ones.
#[derive(Debug)]
pub(crate) struct Shown {
    most: Option<usize>,
    first: Mutex<First>,
}

/// The first of the findings that were seen, at most so many; the last of them on top.
#[derive(Debug, Default)]
struct First {
    /// Errors alone: so many are shown, whatever warnings came before them.
    errors: BinaryHeap<Rank>,
    /// Errors and warnings.
    warnings: BinaryHeap<Rank>,
    /// All findings.
    notes: BinaryHeap<Rank>,
}

impl First {
    /// Those that findings of a severity are shown with.
    fn of(&mut self, severity: Severity) -> &mut BinaryHeap<Rank> {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        }
    }

    /// Counts a finding, and says whether it may be among the first.
    fn admit(&mut self, most: usize, severity: Severity, name: &str) -> bool {
        let mut is_admitted = false;
        for other in [Severity::Error, Severity::Warning, Severity::Note] {
            if other <= severity {
                let is_first = admit(self.of(other), most, severity, name);
                is_admitted |= is_first && other == severity;
            }
        }
        is_admitted
    }
}

impl Shown {
    /// Where at most so many findings are shown; all, if there is no number.
    pub(crate) fn new(most: Option<usize>) -> Self {
        Shown { most, first: Mutex::default() }
    }

    /// Whether one of the findings of a file may be shown, as far as others are known.
    pub(crate) fn may_show(&self, findings: &[Diagnostic], name: &str) -> bool {
        let Some(most) = self.most else { return !findings.is_empty() };
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        findings.iter().any(|finding| {
            let heap = first.of(finding.severity);
            heap.len() < most || heap.peek().is_some_and(|last| is_before(finding.severity, name, last))
        })
    }

    /// Takes out findings of a file that no report will show, and counts them.
    pub(crate) fn thin(
        &self,
        findings: &mut Vec<Diagnostic>,
        files: &[SourceId],
        sources: &SourceMap,
    ) -> Counts {
        let mut unshown = Counts::default();
        let (Some(most), &[file]) = (self.most, files) else { return unshown };
        // A report shows the same finding once, and counts it once.
        if has_twins(findings) {
            return unshown;
        }
        let source = sources.get(file);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        findings.retain(|finding| {
            let is_kept =
                finding.primary.span.source != file || first.admit(most, finding.severity, source.name());
            if !is_kept {
                unshown.add_finding(finding);
            }
            is_kept
        });
        unshown
    }
}

/// Whether a finding comes before another, or has its rank: then their places decide.
fn is_before(severity: Severity, name: &str, (is_note, last): &Rank) -> bool {
    (severity == Severity::Note, name) <= (*is_note, last.as_str())
}

/// Whether a finding may be among the first, which it is then counted to.
fn admit(first: &mut BinaryHeap<Rank>, most: usize, severity: Severity, name: &str) -> bool {
    let is_note = severity == Severity::Note;
    if first.len() < most {
        first.push((is_note, name.to_owned()));
        return true;
    }
    let Some(last) = first.peek() else { return false };
    if (is_note, name) < (last.0, last.1.as_str()) {
        first.pop();
        first.push((is_note, name.to_owned()));
        return true;
    }
    is_before(severity, name, last)
}

fn has_twins(findings: &[Diagnostic]) -> bool {
    let mut seen = BTreeSet::new();
    findings.len() > 1
        && !findings
            .iter()
            .all(|finding| seen.insert((finding.primary.span, finding.code.id, finding.message.as_str())))
}

#[cfg(test)]
mod tests {
    use trueline_source::SourceKind;

    use super::*;
    use crate::input::NOTHING_CHECKED;

    /// Files in the order in which they are checked, each with the severities of its findings: what is kept of each,
    /// and how many are only counted.
    fn kept(most: usize, files: &[(&str, &[Severity])]) -> Vec<(usize, usize)> {
        let sources = SourceMap::new();
        let shown = Shown::new(Some(most));
        let thinned = files.iter().map(|(name, severities)| {
            let file = sources.add(*name, SourceKind::File, "abcdef");
            let found = |(place, severity): (usize, &Severity)| {
                Diagnostic::new(&NOTHING_CHECKED, file.span(place, place + 1), "said").severity(*severity)
            };
            let mut findings: Vec<Diagnostic> = severities.iter().enumerate().map(found).collect();
            let unshown = shown.thin(&mut findings, &[file], &sources);
            (findings.len(), unshown.all())
        });
        thinned.collect()
    }

    #[test]
    fn what_comes_behind_enough_others_is_counted() {
        use Severity::{Error, Note, Warning};
        let one: &[Severity] = &[Warning];
        assert_eq!(kept(2, &[("a", one), ("b", one), ("c", one)]), [(1, 0), (1, 0), (0, 1)]);
        assert_eq!(kept(2, &[("c", one), ("b", one), ("a", one)]), [(1, 0), (1, 0), (1, 0)]);
        assert_eq!(kept(1, &[("a", one), ("b", &[Warning, Error])]), [(1, 0), (1, 1)]);
        // A warning that comes first is shown beside an error, whichever of them was seen first.
        assert_eq!(kept(1, &[("b", &[Error]), ("a", one), ("c", &[Error])]), [(1, 0), (1, 0), (0, 1)]);
        assert_eq!(kept(1, &[("b", &[Note]), ("c", one), ("d", &[Note])]), [(1, 0), (1, 0), (0, 1)]);
        // Which of one file are shown is decided by their places.
        assert_eq!(kept(1, &[("a", &[Warning; 5]), ("b", one)]), [(5, 0), (0, 1)]);
    }

    #[test]
    fn findings_of_other_files_and_twins_stay() {
        let sources = SourceMap::new();
        let [file, other] = ["b", "c"].map(|name| sources.add(name, SourceKind::File, "abc"));
        let found = |source: SourceId, place| {
            Diagnostic::new(&NOTHING_CHECKED, source.span(place, place + 1), "said")
        };
        let shown = Shown::new(Some(1));
        assert_eq!(shown.thin(&mut vec![found(file, 0)], &[file], &sources), Counts::default());
        let mut elsewhere = vec![found(file, 0), found(other, 0)];
        assert_eq!(shown.thin(&mut elsewhere, &[other], &sources).all(), 1);
        assert_eq!(elsewhere.len(), 1);
        let mut twins = vec![found(other, 1), found(other, 1)];
        assert_eq!(shown.thin(&mut twins, &[other], &sources).all(), 0);
        assert_eq!(Shown::new(None).thin(&mut twins, &[other], &sources).all(), 0);
    }
}
