//! Volumes whose drivers are gone, and annotations of volumes and claims that became fields.

use trueline_kube_facts::rules;

use super::annotations;
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::Context;

rules! {
    /// Volumes of the type `gitRepo` are deprecated.
    GIT_REPO: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "volume/git-repo", "{}";
    /// The policy `Recycle` is deprecated.
    RECYCLE: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "volume/recycle",
        "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
    /// The driver of a volume is gone, or is going.
    DRIVER_REMOVED: Invalid in trueline_kube_facts::codes::DEPRECATED_FIELD, "volume/driver-removed", "{}";
}

/// Sources, the version that deprecated them, and the server's words; in pods and in volumes of the cluster.
const BOTH: &[(&str, u16, &str)] = &[
    ("cephfs", 28, "deprecated in v1.28, non-functional in v1.31+"),
    ("glusterfs", 25, "deprecated in v1.25, non-functional in v1.26+"),
    ("photonPersistentDisk", 11, "deprecated in v1.11, non-functional in v1.16+"),
    ("rbd", 28, "deprecated in v1.28, non-functional in v1.31+"),
    ("scaleIO", 16, "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", 22, "deprecated in v1.22, non-functional in v1.25+"),
];

/// Those that are reported for pods only.
const IN_PODS: &[(&str, u16, &str)] = &[
    ("flocker", 22, "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", 22, "deprecated in v1.22, non-functional in v1.25+"),
];

const STORAGE_CLASS: super::Annotation = (
    "volume.beta.kubernetes.io/storage-class",
    8,
    "deprecated since v1.8; use \"storageClassName\" attribute instead",
);
const MOUNT_OPTIONS: super::Annotation = (
    "volume.beta.kubernetes.io/mount-options",
    31,
    "deprecated since v1.31; use \"mountOptions\" attribute instead",
);

/// Warns in `core.Volume`.
pub(crate) fn check(volume: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    sources(volume, BOTH, context, report);
    sources(volume, IN_PODS, context, report);
    let repository = volume.child("gitRepo");
    if !repository.is_absent() {
        let words = match context.version.minor {
            ..=32 => "deprecated in v1.11",
            _ => "deprecated in v1.11, and disabled by default in v1.33+",
        };
        report.deprecated(&repository, GIT_REPO.with(words), None);
    }
}

/// Warns in `core.PersistentVolume`.
pub(crate) fn check_persistent(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    annotations(&object.child("metadata"), &[STORAGE_CLASS, MOUNT_OPTIONS], context, report);
    let spec = object.child("spec");
    sources(&spec, BOTH, context, report);
    let policy = spec.child("persistentVolumeReclaimPolicy");
    if policy.text() == Some("Recycle") {
        report.deprecated(&policy, &RECYCLE, None);
    }
}

/// Warns in `core.PersistentVolumeClaim`.
pub(crate) fn check_claim(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    annotations(&object.child("metadata"), &[STORAGE_CLASS], context, report);
}

fn sources(
    volume: &FieldPlace<'_, '_>,
    table: &[(&'static str, u16, &'static str)],
    context: &Context<'_>,
    report: &mut Report,
) {
    for (name, since, words) in table {
        let source = volume.child(name);
        if context.version.minor >= *since && !source.is_absent() {
            report.deprecated(&source, DRIVER_REMOVED.with(words), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn volumes() {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], volumes: [{name: v, {}}]}\n";
        let bench = Bench::new();
        bench.warns(&pod.replace("{}", "emptyDir: {}"), &[]);
        let ceph = pod.replace("{}", "cephfs: {monitors: [a]}");
        bench.warns(
            &ceph,
            &["«cephfs» spec.volumes[0].cephfs: deprecated in v1.28, non-functional in v1.31+"],
        );
        Bench::of(27).warns(&ceph, &[]);
        let repository = pod.replace("{}", "gitRepo: {repository: r}");
        bench.warns(&repository, &["«gitRepo» spec.volumes[0].gitRepo: deprecated in v1.11, and disabled"]);
        let volume = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v, annotations: {volume.beta.kubernetes.io/storage-class: s}}\nspec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, persistentVolumeReclaimPolicy: Recycle, nfs: {server: s, path: /}}\n";
        bench.warns(volume, &[
            "«volume.beta.kubernetes.io/storage-class» metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8",
            "«Recycle» spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated.",
        ]);
        let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: v, annotations: {volume.beta.kubernetes.io/storage-class: s}}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1500m}}}\n";
        bench.warns(claim, &[
            "«volume.beta.kubernetes.io/storage-class» metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8",
            "«1500m» spec.resources.requests[storage]: fractional byte value \"1500m\"",
        ]);
    }
}
