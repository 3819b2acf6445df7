//! Values that nothing sets are often read in many places: they are reported once, at the first.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use trueline_diagnostic::Diagnostic;
use trueline_helm::usage::{UNDEFINED_OWNER, UNDEFINED_VALUE};

/// So many further places are shown.
const SHOWN: usize = 5;

/// Joins the findings about reads of one value.
pub(super) fn together(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    findings.sort_by_key(|finding| finding.primary.span);
    let mut kept: Vec<(Diagnostic, usize)> = Vec::with_capacity(findings.len());
    let mut first: FxHashMap<(&'static str, String), usize> = FxHashMap::default();
    for finding in findings {
        let is_read = finding.code == &UNDEFINED_OWNER || finding.code == &UNDEFINED_VALUE;
        let Some(path) = finding.path.clone().filter(|_| is_read) else {
            kept.push((finding, 0));
            continue;
        };
        match first.entry((finding.code.id, path)) {
            Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push((finding, 0));
            }
            Entry::Occupied(entry) => {
                if let Some((first, others)) = kept.get_mut(*entry.get()) {
                    *others += 1;
                    if *others <= SHOWN {
                        *first = first.clone().related(finding.primary.span, "it is read here too");
                    }
                }
            }
        }
    }
    let told = |(finding, others): (Diagnostic, usize)| match others.saturating_sub(SHOWN) {
        0 => finding,
        1 => finding.help("it is read in 1 more place"),
        more => finding.help(format!("it is read in {more} more places")),
    };
    kept.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::{SourceKind, SourceMap};

    #[test]
    fn reads_of_one_value_are_one_finding() {
        let sources = SourceMap::new();
        let file = sources.add("t.yaml", SourceKind::File, "x".repeat(50));
        let read = |code, place: usize, path: &str| {
            Diagnostic::new(code, file.span(place, place + 1), "x").path(path)
        };
        let mut findings: Vec<Diagnostic> = (0..8).map(|place| read(&UNDEFINED_OWNER, place, "/a")).collect();
        findings.push(read(&UNDEFINED_OWNER, 20, "/b"));
        findings.push(read(&UNDEFINED_VALUE, 21, "/a"));
        let found = together(findings);
        let shown: Vec<(u32, usize)> =
            found.iter().map(|finding| (finding.primary.span.start, finding.related.len())).collect();
        assert_eq!(shown, [(0, SHOWN), (20, 0), (21, 0)]);
        assert_eq!(found[0].help.as_deref(), Some("it is read in 2 more places"));
    }
}
