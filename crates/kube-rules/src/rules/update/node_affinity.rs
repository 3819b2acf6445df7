//! A pod that waits at a gate can be narrowed down to fewer nodes: what it demands of them can only grow.

use trueline_kube_facts::rules;

use super::{Change, Update};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Terms cannot be added or removed while a pod waits at a gate.
    TERMS: Invalid, "pod/affinity-terms-changed",
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    /// What a gated pod demands of its node can only grow.
    ADDITIONS: Invalid, "pod/affinity-narrowed-only", "only additions are allowed (no mutations or deletions)";
}

/// The way to the terms below the specification of a pod.
const PATH: [&str; 5] = [
    "spec",
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
];

/// Checks what a gated pod demands of its node.
pub(super) fn check(
    spec: &FieldPlace<'_, '_>,
    old_spec: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let (affinity, old_affinity) = (spec.child("affinity"), old_spec.child("affinity"));
    let (of_node, old_of_node) = (affinity.child("nodeAffinity"), old_affinity.child("nodeAffinity"));
    let [.., required, _] = PATH;
    let (demanded, old_demanded) = (of_node.child(required), old_of_node.child(required));
    let (terms, old_terms) = (demanded.child("nodeSelectorTerms"), old_demanded.child("nodeSelectorTerms"));
    if old_terms.count() == 0 || (terms.is_absent() && update.keeps(&PATH)) {
        return;
    }
    if terms.count() != old_terms.count() {
        let change = Change { value: None, ..Change::of(&terms, &old_terms) };
        return report.changed(terms.path(), &TERMS, change);
    }
    for (term, old_term) in terms.items().zip(old_terms.items()) {
        if !only_adds(&term, &old_term) {
            let change = Change { value: None, ..Change::of(&term, &old_term) };
            report.changed(term.path(), &ADDITIONS, change);
        }
    }
}

/// Whether a term demands all that it demanded before, in the same order. An empty one matches nothing, and stays so.
fn only_adds(term: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> bool {
    let lists = ["matchExpressions", "matchFields"];
    let was_empty = lists.iter().all(|list| old.child(list).count() == 0);
    lists.iter().all(|list| {
        let (new, old) = (term.child(list), old.child(list));
        let is_kept = new.items().zip(old.items()).all(|(new, old)| is_same(&new, &old));
        if was_empty { new.count() == 0 } else { new.count() >= old.count() && is_kept }
    })
}

fn is_same(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> bool {
    let (values, old_values) = (new.child("values"), old.child("values"));
    ["key", "operator"].iter().all(|field| new.child(field).text() == old.child(field).text())
        && values.count() == old_values.count()
        && values.items().zip(old_values.items()).all(|(new, old)| new.text() == old.text())
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  schedulingGates: [{name: g}]\n  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}]}]\n  containers: [{name: a, image: i}]\n";

    #[test]
    fn demands_can_only_grow() {
        let bench = Bench::new();
        for (from, to) in [
            ("values: [b]}]", "values: [b]}, {key: c, operator: Exists}]"),
            (
                "values: [b]}]",
                "values: [b]}], matchFields: [{key: metadata.name, operator: In, values: [m]}]",
            ),
        ] {
            bench.updates(POD, &POD.replace(from, to), &[]);
        }
        let path =
            "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
        for (from, to, error) in [
            ("[b]", "[c]", "[0]: Invalid value: only additions are allowed (no mutations or deletions)"),
            (
                "{key: a,",
                "{key: z, operator: Exists}, {key: a,",
                "[0]: Invalid value: only additions are allowed (no mutations or deletions)",
            ),
            (
                "[b]}]}",
                "[b]}]}, {matchExpressions: [{key: c, operator: Exists}]}",
                ": Invalid value: no additions/deletions to non-empty NodeSelectorTerms list are allowed",
            ),
        ] {
            bench.updates_with(POD, &POD.replace(from, to), &format!("{path}{error}"));
        }
        let ungated = POD.replace("  schedulingGates: [{name: g}]\n", "");
        bench.updates_with(
            &ungated,
            &ungated.replace("[b]", "[c]"),
            "spec: Forbidden: pod updates may not change",
        );
    }
}
