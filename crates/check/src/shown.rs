//! Which findings can be shown, where reports show only so many: the others need only be counted, and a run over many
//! files need not hold them and their texts.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::{Mutex, PoisonError};

use trueline_diagnostic::{Counts, Diagnostic, Severity};
use trueline_source::{SourceId, SourceMap};

/// The order in which findings are chosen to be shown: by severity, then by the name of their file.
type Rank = (Reverse<Severity>, String);

/// The findings of a run that would be shown if there were no further ones.
#[derive(Debug)]
pub(crate) struct Shown {
    most: Option<usize>,
    /// The first of those that were seen, at most so many; the last of them on top.
    first: Mutex<BinaryHeap<Rank>>,
}

impl Shown {
    /// Where at most so many findings are shown; all, if there is no number.
    pub(crate) fn new(most: Option<usize>) -> Self {
        Shown { most, first: Mutex::default() }
    }

    /// Whether one of the findings of a file may be shown, as far as others are known.
    pub(crate) fn may_show(&self, findings: &[Diagnostic], name: &str) -> bool {
        let Some(most) = self.most else { return !findings.is_empty() };
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((severity, last)) = first.peek().filter(|_| first.len() >= most) else {
            return !findings.is_empty();
        };
        findings.iter().any(|finding| (Reverse(finding.severity), name) <= (*severity, last.as_str()))
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
            let is_kept = finding.primary.span.source != file
                || admit(&mut first, most, finding.severity, source.name());
            if !is_kept {
                unshown.add(finding.severity);
            }
            is_kept
        });
        unshown
    }
}

/// Whether a finding may be among the first, which it is then counted to. What has the rank of the last of them may be
/// shown too: their places decide.
fn admit(first: &mut BinaryHeap<Rank>, most: usize, severity: Severity, name: &str) -> bool {
    if first.len() < most {
        first.push((Reverse(severity), name.to_owned()));
        return true;
    }
    let Some((last_severity, last_name)) = first.peek() else { return false };
    let order = (Reverse(severity), name).cmp(&(*last_severity, last_name.as_str()));
    if order.is_lt() {
        first.pop();
        first.push((Reverse(severity), name.to_owned()));
    }
    order.is_le()
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
        use Severity::{Error, Warning};
        let one: &[Severity] = &[Warning];
        assert_eq!(kept(2, &[("a", one), ("b", one), ("c", one)]), [(1, 0), (1, 0), (0, 1)]);
        assert_eq!(kept(2, &[("c", one), ("b", one), ("a", one)]), [(1, 0), (1, 0), (1, 0)]);
        assert_eq!(kept(1, &[("a", one), ("b", &[Warning, Error])]), [(1, 0), (1, 1)]);
        assert_eq!(kept(1, &[("b", &[Error]), ("a", one), ("c", &[Error])]), [(1, 0), (0, 1), (0, 1)]);
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
