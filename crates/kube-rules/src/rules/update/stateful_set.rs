//! StatefulSets: all but a few fields of their spec stay as they are.

use trueline_kube_facts::{FieldPath, common, rules};

use super::Update;
use super::compare::Ignored;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Most of a StatefulSet cannot be changed.
    IMMUTABLE_SPEC: Forbidden, "stateful-set/immutable-spec",
        "updates to statefulset spec for fields other than {} and 'minReadySeconds' are forbidden";
}

/// What may change, and what the server writes into the templates of claims by itself.
const MUTABLE: Ignored = &[
    ("apps.StatefulSetSpec", "revisionHistoryLimit"),
    ("apps.StatefulSetSpec", "minReadySeconds"),
    ("apps.StatefulSetSpec", "ordinals"),
    ("apps.StatefulSetSpec", "persistentVolumeClaimRetentionPolicy"),
    ("apps.StatefulSetSpec", "replicas"),
    ("apps.StatefulSetSpec", "template"),
    ("apps.StatefulSetSpec", "updateStrategy"),
    ("core.PersistentVolumeClaim", "apiVersion"),
    ("core.PersistentVolumeClaim", "kind"),
    ("core.PersistentVolumeClaim", "status"),
    ("meta.ObjectMeta", "creationTimestamp"),
];

/// The same before the number of kept revisions could change.
const MUTABLE_BEFORE_33: Ignored = match MUTABLE {
    [_, others @ ..] => others,
    [] => MUTABLE,
};

/// What stays, as newer servers name it one by one.
const FIXED: [&str; 4] = ["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"];

/// Checks the update of a StatefulSet.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let minor = update.version().minor;
    if minor >= 37 {
        for field in FIXED {
            let change = update.change(new, old, &["spec", field], update.removed(), MUTABLE);
            if let Some(mut change) = change {
                // The server shows the whole field.
                let named = FieldPath::of("spec").field(field);
                change.value = change.value.filter(|_| change.field == named);
                report.changed(named, &common::IMMUTABLE, change);
            }
        }
        return;
    }
    let ignored = if minor >= 33 { MUTABLE } else { MUTABLE_BEFORE_33 };
    let Some(change) = update.change(new, old, &["spec"], update.removed(), ignored) else { return };
    let mutable = match minor {
        ..=26 => "'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy'",
        27..=32 => {
            "'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy'"
        }
        _ => {
            "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', \
             'persistentVolumeClaimRetentionPolicy'"
        }
    };
    report.changed(FieldPath::of("spec"), IMMUTABLE_SPEC.with(mutable), change);
}

/// The fields in the table.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    let fixed = FIXED.iter().map(|field| format!("apps.StatefulSetSpec.{field}"));
    let tables = MUTABLE.iter().chain(MUTABLE_BEFORE_33);
    tables.map(|(definition, field)| format!("{definition}.{field}")).chain(fixed)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const SET: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  serviceName: web\n  replicas: 1\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: a, image: i}]}\n  volumeClaimTemplates:\n    - metadata: {name: data}\n      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
    const WORDS: &str = "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

    #[test]
    fn what_may_change() {
        let bench = Bench::new();
        for (from, to) in [
            ("replicas: 1", "replicas: 2"),
            ("image: i", "image: j"),
            ("replicas: 1", "minReadySeconds: 3"),
            ("replicas: 1", "podManagementPolicy: OrderedReady"),
            ("replicas: 1", "updateStrategy: {type: OnDelete}"),
            ("storage: 1Gi", "storage: 1024Mi"),
            ("[ReadWriteOnce],", "[ReadWriteOnce], volumeMode: Filesystem,"),
        ] {
            bench.updates(SET, &SET.replace(from, to), &[]);
            bench.updates(&SET.replace(from, to), SET, &[]);
        }
        // What a cluster gives back holds what the server filled in.
        let stored = SET
            .replace("{name: s}", "{name: s, uid: u}")
            .replace("    - metadata: {name: data}", "    - apiVersion: v1\n      kind: PersistentVolumeClaim\n      metadata: {name: data, creationTimestamp: null}\n      status: {phase: Pending}")
            .replace("[ReadWriteOnce],", "[ReadWriteOnce], volumeMode: Filesystem,")
            .replace("  replicas: 1\n", "  replicas: 1\n  podManagementPolicy: OrderedReady\n  revisionHistoryLimit: 10\n");
        bench.updates(&stored, SET, &[]);
    }

    #[test]
    fn what_may_not_change() {
        let bench = Bench::new();
        for (from, to, place) in [
            ("serviceName: web", "serviceName: other", "«other» spec.serviceName (was «web»)"),
            (
                "storage: 1Gi",
                "storage: 2Gi",
                "«2Gi» spec.volumeClaimTemplates[0].spec.resources.requests[storage] (was «1Gi»)",
            ),
            (
                "replicas: 1",
                "podManagementPolicy: Parallel",
                "«Parallel» spec.podManagementPolicy (was «spec»)",
            ),
            (
                "matchLabels: {a: b}",
                "matchExpressions: [{key: a, operator: Exists}]",
                "«matchExpressions» spec.selector.matchExpressions (was «selector»)",
            ),
        ] {
            bench.updates(SET, &SET.replace(from, to), &[&format!("{place} {WORDS}")]);
        }
        let history = SET.replace("replicas: 1", "revisionHistoryLimit: 5");
        for minor in [33, 37] {
            Bench::of(minor).updates(SET, &history, &[]);
        }
        Bench::of(32).updates_field(SET, &history, "spec.revisionHistoryLimit");
        Bench::of(32).updates(SET, &history.replace('5', "10"), &[]);
        Bench::of(37).updates(
            SET,
            &SET.replace("serviceName: web", "serviceName: other").replace("storage: 1Gi", "storage: 2Gi"),
            &[
                "«other» spec.serviceName (was «web») spec.serviceName: Invalid value: \"other\": field is immutable",
                "«2Gi» spec.volumeClaimTemplates[0].spec.resources.requests[storage] (was «1Gi») spec.volumeClaimTemplates: Invalid value: field is immutable",
            ],
        );
        Bench::of(26).updates(
            SET,
            &SET.replace("serviceName: web\n", "serviceName: x\n"),
            &["«x» spec.serviceName (was «web») spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"],
        );
    }
}
