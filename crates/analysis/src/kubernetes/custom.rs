//! Objects of kinds that a CRD defines: what a review of one means for a report.

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, LeftOut, Severity};
use trueline_kube::cluster::{Review, is_about_default};
use trueline_source::Span;

use super::head::Head;

/// The rules that could not be evaluated, for the summary: what is wrong with them is reported where the CRD is checked.
pub(super) fn not_evaluated(review: &Review<'_>, head: &Head) -> Vec<LeftOut> {
    let left_out = |rule: &str| {
        let rule = rule.split_whitespace().collect::<Vec<_>>().join(" ");
        let what = format!("a rule of {}", head.of);
        LeftOut { what, why: format!("`{rule}` does not compile") }
    };
    review.uncompiled_rules().map(left_out).collect()
}

/// What the summary says of policies.
const NOT_APPLIED: &str = "its expressions compile, but it changes no objects here";

/// What the summary says of an object, if it is a policy.
pub(super) fn not_applied(kind: &str, what: impl FnOnce() -> String) -> Option<LeftOut> {
    (kind == "MutatingAdmissionPolicy").then(|| LeftOut { what: what(), why: NOT_APPLIED.to_owned() })
}

/// Whether a part was left out only because policies are not applied.
pub(crate) fn is_about_policies(part: &LeftOut) -> bool {
    part.why == NOT_APPLIED
}

/// Leaves out what is wrong with a default in objects, where the definition is reported for it already.
pub(crate) fn drop_known_defaults(mut findings: Vec<&mut Vec<Diagnostic>>) {
    let all = || findings.iter().flat_map(|list| list.iter());
    if !all().any(is_about_default) {
        return;
    }
    let errors = all().filter(|finding| finding.severity == Severity::Error && !is_about_default(finding));
    let known: FxHashSet<Span> = errors.map(|finding| finding.primary.span).collect();
    for list in &mut findings {
        list.retain(|finding| !(is_about_default(finding) && known.contains(&finding.primary.span)));
    }
}
