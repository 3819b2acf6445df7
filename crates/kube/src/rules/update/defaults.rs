//! What the server puts where a field is missing, as far as it matters for comparisons.

use crate::api::Field;

/// What the server puts where a field is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filling {
    /// This.
    Is(&'static str),
    /// Something that the object alone does not tell: an address, a node, what an admission plugin sets.
    Filled,
}

use Filling::{Filled, Is};

/// Definitions, fields and what is put there. Published defaults need not be repeated.
static TABLE: &[(&str, &str, Filling)] = &[
    ("apps.StatefulSetSpec", "podManagementPolicy", Is("OrderedReady")),
    ("apps.StatefulSetSpec", "revisionHistoryLimit", Is("10")),
    ("batch.JobSpec", "completionMode", Is("NonIndexed")),
    ("batch.JobSpec", "selector", Filled),
    ("batch.PodFailurePolicyOnPodConditionsPattern", "status", Is("True")),
    ("core.AzureDiskVolumeSource", "cachingMode", Is("ReadWrite")),
    ("core.AzureDiskVolumeSource", "fsType", Is("ext4")),
    ("core.AzureDiskVolumeSource", "kind", Is("Shared")),
    ("core.ConfigMapVolumeSource", "defaultMode", Is("420")),
    ("core.Container", "imagePullPolicy", Filled),
    ("core.Container", "terminationMessagePath", Is("/dev/termination-log")),
    ("core.Container", "terminationMessagePolicy", Is("File")),
    ("core.ContainerPort", "hostPort", Filled),
    ("core.ContainerPort", "protocol", Is("TCP")),
    ("core.DownwardAPIVolumeSource", "defaultMode", Is("420")),
    ("core.HTTPGetAction", "path", Is("/")),
    ("core.HTTPGetAction", "scheme", Is("HTTP")),
    ("core.ISCSIPersistentVolumeSource", "iscsiInterface", Is("default")),
    ("core.ISCSIVolumeSource", "iscsiInterface", Is("default")),
    ("core.ImageVolumeSource", "pullPolicy", Filled),
    ("core.ObjectFieldSelector", "apiVersion", Is("v1")),
    ("core.PersistentVolumeClaimSpec", "volumeMode", Is("Filesystem")),
    ("core.PersistentVolumeSpec", "volumeMode", Is("Filesystem")),
    ("core.PodSpec", "dnsPolicy", Is("ClusterFirst")),
    ("core.PodSpec", "enableServiceLinks", Is("true")),
    ("core.PodSpec", "hostname", Filled),
    ("core.PodSpec", "nodeName", Filled),
    ("core.PodSpec", "overhead", Filled),
    ("core.PodSpec", "preemptionPolicy", Filled),
    ("core.PodSpec", "priority", Filled),
    ("core.PodSpec", "priorityClassName", Filled),
    ("core.PodSpec", "resources", Filled),
    ("core.PodSpec", "restartPolicy", Is("Always")),
    ("core.PodSpec", "schedulerName", Is("default-scheduler")),
    ("core.PodSpec", "serviceAccount", Filled),
    ("core.PodSpec", "serviceAccountName", Is("default")),
    ("core.PodSpec", "terminationGracePeriodSeconds", Is("30")),
    ("core.Probe", "failureThreshold", Is("3")),
    ("core.Probe", "periodSeconds", Is("10")),
    ("core.Probe", "successThreshold", Is("1")),
    ("core.Probe", "timeoutSeconds", Is("1")),
    ("core.ProjectedVolumeSource", "defaultMode", Is("420")),
    ("core.RBDPersistentVolumeSource", "keyring", Is("/etc/ceph/keyring")),
    ("core.RBDPersistentVolumeSource", "pool", Is("rbd")),
    ("core.RBDPersistentVolumeSource", "user", Is("admin")),
    ("core.RBDVolumeSource", "keyring", Is("/etc/ceph/keyring")),
    ("core.RBDVolumeSource", "pool", Is("rbd")),
    ("core.RBDVolumeSource", "user", Is("admin")),
    ("core.ResourceRequirements", "requests", Filled),
    ("core.ScaleIOPersistentVolumeSource", "fsType", Is("xfs")),
    ("core.ScaleIOPersistentVolumeSource", "storageMode", Is("ThinProvisioned")),
    ("core.ScaleIOVolumeSource", "fsType", Is("xfs")),
    ("core.ScaleIOVolumeSource", "storageMode", Is("ThinProvisioned")),
    ("core.Secret", "type", Is("Opaque")),
    ("core.SecretVolumeSource", "defaultMode", Is("420")),
    ("core.ServiceAccountTokenProjection", "expirationSeconds", Is("3600")),
    // A volume without a source is an empty directory.
    ("core.Volume", "emptyDir", Filled),
    ("rbac.RoleRef", "apiGroup", Is("rbac.authorization.k8s.io")),
    ("resource.DeviceRequest", "allocationMode", Is("ExactCount")),
    ("resource.ExactDeviceRequest", "allocationMode", Is("ExactCount")),
    ("resource.DeviceRequest", "count", Is("1")),
    ("resource.ExactDeviceRequest", "count", Is("1")),
    ("resource.DeviceSubRequest", "allocationMode", Is("ExactCount")),
    ("resource.DeviceSubRequest", "count", Is("1")),
    ("resource.DeviceToleration", "operator", Is("Equal")),
    ("scheduling.PriorityClass", "preemptionPolicy", Is("PreemptLowerPriority")),
    ("storage.CSIDriverSpec", "attachRequired", Is("true")),
    // Persistent volumes only.
    ("storage.CSIDriverSpec", "volumeLifecycleModes", Filled),
    ("storage.StorageClass", "reclaimPolicy", Is("Delete")),
    ("storage.StorageClass", "volumeBindingMode", Is("Immediate")),
];

/// What the server puts where a field is missing.
pub(super) fn of(definition: &str, field: &Field) -> Option<Filling> {
    let listed = TABLE.iter().find(|(name, of, _)| *name == definition && *of == field.name);
    // Published defaults are JSON; those of texts and numbers are compared, others say that something is put there.
    let published = || {
        let json = field.default?;
        let text = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(json);
        Some(if text.starts_with(['{', '[']) { Filled } else { Is(text) })
    };
    listed.map(|(_, _, default)| *default).or_else(published)
}

/// The fields in the table.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    TABLE.iter().map(|(definition, field, _)| format!("{definition}.{field}"))
}
