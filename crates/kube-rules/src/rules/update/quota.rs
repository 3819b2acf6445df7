//! Quotas: what they are about stays as it is.

use std::collections::BTreeSet;
use trueline_kube_facts::{FieldPath, common};

use super::{Change, Update, at};
use crate::place::FieldPlace;
use crate::problem::Report;

/// Checks the update of a ResourceQuota: its scopes are compared as a set.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    at(new, old, &["spec", "scopes"], &mut |scopes, old_scopes| {
        let set = |place: &FieldPlace<'_, '_>| -> BTreeSet<String> {
            place.items().filter_map(|item| item.text().map(str::to_owned)).collect()
        };
        let is_kept = update.leaves(scopes, &["spec", "scopes"]);
        if is_kept || set(scopes) == set(old_scopes) {
            return;
        }
        report.changed(FieldPath::of("spec.scopes"), &common::IMMUTABLE, Change::of(scopes, old_scopes));
    });
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn scopes() {
        let bench = Bench::new();
        let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: 1}, scopes: [BestEffort, NotTerminating]}\n";
        bench.updates(quota, &quota.replace("pods: 1", "pods: 2"), &[]);
        bench.updates(
            quota,
            &quota.replace("[BestEffort, NotTerminating]", "[NotTerminating, BestEffort]"),
            &[],
        );
        bench.updates(
            quota,
            &quota.replace("[BestEffort, NotTerminating]", "[BestEffort]"),
            &["«scopes» spec.scopes (was «scopes») spec.scopes: Invalid value: field is immutable"],
        );
    }
}
