//! Volumes of the cluster: where their data is stays as it is.

use trueline_kube_facts::{FieldPath, common, rules};

use super::{Change, Update, at};
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::claim::VOLUME_SETTINGS;

rules! {
    /// The attributes class of a volume cannot be removed.
    CLASS_REMOVED: Forbidden, "volume/attributes-class-removed", "update from non-nil value to nil is forbidden";
    /// The node affinity of a volume cannot be changed, except for labels that were renamed.
    AFFINITY: Invalid, "volume/affinity-changed", "field is immutable, except for updating from beta label to GA";
    /// The source of a volume cannot be changed.
    SOURCE_CHANGED: Forbidden, "volume/source-changed", "spec.persistentvolumesource is immutable after creation";
}

/// Checks the update of a PersistentVolume.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    // The server leaves `spec` out of the path of the mode.
    if let Some(change) = update.change(new, old, &["spec", "volumeMode"], update.removed(), &[]) {
        report.changed(FieldPath::of("volumeMode"), &common::IMMUTABLE, change);
    }
    affinity(new, old, update, report);
    if update.version().minor >= 34 {
        at(new, old, &["spec", "volumeAttributesClassName"], &mut |class, old_class| {
            let is_kept = update.keeps(&["spec", "volumeAttributesClassName"]);
            if class.is_absent() && !old_class.is_absent() && !is_kept {
                let field = FieldPath::of("spec.volumeAttributesClassName");
                report.changed(field, &CLASS_REMOVED, Change::of(class, old_class));
            }
        });
    }
    let Some(specification) = update.type_of(&["spec"]) else { return };
    let trueline_kube_api::Type::Object(id) = specification else { return };
    let Some(definition) = update.api.definition(*id) else { return };
    let (spec, old_spec) = (new.child("spec"), old.child("spec"));
    let old_driver = old_spec.child("csi");
    let has_secret = !old_driver.child("controllerExpandSecretRef").is_absent();
    let sources = definition.fields.iter().filter(|field| !VOLUME_SETTINGS.contains(&field.name));
    // A secret for growing can be added later.
    let ignored: super::Ignored =
        if has_secret { &[] } else { &[("core.CSIPersistentVolumeSource", "controllerExpandSecretRef")] };
    let is_there = |name| !spec.child(name).is_absent() || !old_spec.child(name).is_absent();
    let sources = sources.filter(|source| is_there(source.name));
    let changes = sources
        .flat_map(|source| update.changes(new, old, &["spec", source.name], update.removed(), ignored));
    // The server compares all of them at once, and shows what differs.
    if let Some(mut change) = Change::joined(changes) {
        change.value = None;
        report.changed(FieldPath::of("spec.persistentvolumesource"), &SOURCE_CHANGED, change);
    }
}

/// Labels that have another name by now, and may be exchanged for it.
const RENAMED: &[&str] = &[
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
];

/// Which nodes can reach the volume stays as it is, once it was said.
fn affinity(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, update: &Update<'_>, report: &mut Report) {
    let old_spec = old.child("spec");
    let before = old_spec.child("nodeAffinity");
    if before.is_absent() {
        return;
    }
    let path = &["spec", "nodeAffinity"];
    let Some(mut change) = update.change(new, old, path, update.removed(), &[]) else { return };
    let required = before.child("required");
    let is_renamed = required.child("nodeSelectorTerms").items().any(|term| {
        let expressions = term.child("matchExpressions");
        expressions.items().any(|item| item.child("key").text().is_some_and(|key| RENAMED.contains(&key)))
    });
    if is_renamed && update.version().minor >= 27 {
        return;
    }
    // The server shows all of it, and leaves `spec` out of the path.
    change.value = None;
    let rule = if update.version().minor <= 26 { &common::IMMUTABLE } else { &AFFINITY };
    report.changed(FieldPath::of("nodeAffinity"), rule, change);
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const VOLUME: &str = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec:\n  accessModes: [ReadWriteOnce]\n  capacity: {storage: 1Gi}\n  csi: {driver: a.b, volumeHandle: h}\n";
    const WORDS: &str =
        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation";

    #[test]
    fn volumes() {
        let bench = Bench::new();
        for (from, to) in [
            ("1Gi", "2Gi"),
            ("ReadWriteOnce", "ReadWriteMany"),
            ("  csi", "  persistentVolumeReclaimPolicy: Delete\n  volumeMode: Filesystem\n  csi"),
            ("volumeHandle: h", "volumeHandle: h, controllerExpandSecretRef: {name: s, namespace: ns}"),
        ] {
            bench.updates(VOLUME, &VOLUME.replace(from, to), &[]);
        }
        bench.updates(
            VOLUME,
            &VOLUME.replace("volumeHandle: h", "volumeHandle: i"),
            &[&format!("«i» spec.csi.volumeHandle (was «h») {WORDS}")],
        );
        bench.updates(
            VOLUME,
            &VOLUME.replace("csi: {driver: a.b, volumeHandle: h}", "hostPath: {path: /a}"),
            &[&format!("«spec» spec.csi.driver (was «a.b») {WORDS} + «» `spec.csi.volumeHandle` changed, too: this is what the cluster has + «/a» `spec.hostPath.path` changed, too")],
        );
        let pinned = VOLUME.replace("  csi", "  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}\n  csi");
        bench.updates(VOLUME, &pinned, &[]);
        bench.updates(
            &pinned,
            &pinned.replace("key: a", "key: b"),
            &["«b» spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key (was «a») nodeAffinity: Invalid value: field is immutable, except for updating from beta label to GA"],
        );
        let old_label = pinned.replace("key: a", "key: failure-domain.beta.kubernetes.io/zone");
        bench.updates(&old_label, &pinned.replace("key: a", "key: topology.kubernetes.io/zone"), &[]);
        let class = VOLUME.replace("  csi", "  volumeAttributesClassName: fast\n  csi");
        bench.updates(
            &class,
            VOLUME,
            &["«spec» spec.volumeAttributesClassName (was «fast») spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
        );
        bench.updates(
            VOLUME,
            &VOLUME.replace("  csi", "  volumeMode: Block\n  csi"),
            &["«Block» spec.volumeMode (was «spec») volumeMode: Invalid value: \"Block\": field is immutable"],
        );
    }
}
