//! Volumes of the cluster: where their data is stays as it is.

use super::{IMMUTABLE, Update};
use crate::Reason;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::rules::claim::VOLUME_SETTINGS;

/// Checks the update of a PersistentVolume.
pub(super) fn check(new: &Place<'_, '_>, old: &Place<'_, '_>, update: &Update<'_>, report: &mut Report) {
    // The server leaves `spec` out of the path of the mode.
    if let Some(change) = update.change(new, old, &["spec", "volumeMode"], update.removed(), &[]) {
        report.changed(Reason::Invalid, "volumeMode", IMMUTABLE, change);
    }
    let Some(specification) = update.type_of(&["spec"]) else { return };
    let crate::api::Type::Object(id) = specification else { return };
    let Some(definition) = update.api.definition(*id) else { return };
    let (spec, old_spec) = (new.child("spec"), old.child("spec"));
    let old_driver = old_spec.child("csi");
    let has_secret = !old_driver.child("controllerExpandSecretRef").is_absent();
    let sources = definition.fields.iter().filter(|field| !VOLUME_SETTINGS.contains(&field.name));
    for source in sources {
        if spec.child(source.name).is_absent() && old_spec.child(source.name).is_absent() {
            continue;
        }
        // A secret for growing can be added later.
        let ignored: super::Ignored =
            if has_secret { &[] } else { &[("core.CSIPersistentVolumeSource", "controllerExpandSecretRef")] };
        if let Some(change) = update.change(new, old, &["spec", source.name], update.removed(), ignored) {
            let words = "spec.persistentvolumesource is immutable after creation";
            return report.changed(Reason::Forbidden, "spec.persistentvolumesource", words, change);
        }
    }
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
            &[&format!("«spec» spec.csi.driver (was «a.b») {WORDS}")],
        );
        bench.updates(
            VOLUME,
            &VOLUME.replace("  csi", "  volumeMode: Block\n  csi"),
            &["«Block» spec.volumeMode (was «spec») volumeMode: Invalid value: \"Block\": field is immutable"],
        );
    }
}
