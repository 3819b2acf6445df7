//! What the server puts where a field is missing, as far as it matters for comparisons.

use trueline_kube_api::Field;

use crate::place::FieldPlace;
use Filling::{Filled, Follows, FollowsOnce, Is, Nothing, Only};

/// What the server puts where a field is missing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Filling {
    /// This.
    Is(&'static str),
    /// A list with this one item.
    Only(&'static str),
    /// What follows from the fields around it: empty if nothing is put there, nothing if the object does not tell.
    Follows(fn(&FieldPlace<'_, '_>) -> Option<String>),
    /// The same, but an update that leaves the field out keeps what is there.
    FollowsOnce(fn(&FieldPlace<'_, '_>) -> Option<String>),
    /// An object without fields.
    Nothing,
    /// Something that the object alone does not tell: what an admission plugin sets.
    Filled,
}

/// What the server puts where a field is missing, whatever else the object has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    /// This.
    Is(&'static str),
    /// A list with this one item.
    Only(&'static str),
    /// An object without fields.
    Nothing,
}

/// What the server puts where a field is missing, in objects other than pods; nothing, if that depends on the object.
pub fn fixed(definition: &str, field: &Field) -> Option<Fixed> {
    of(definition, field, false).and_then(Filling::fixed)
}

/// The same, in pods.
pub fn fixed_in_pod(definition: &str, field: &Field) -> Option<Fixed> {
    of(definition, field, true).and_then(Filling::fixed)
}

impl Filling {
    fn fixed(self) -> Option<Fixed> {
        match self {
            Is(text) => Some(Fixed::Is(text)),
            Only(text) => Some(Fixed::Only(text)),
            Nothing => Some(Fixed::Nothing),
            Follows(_) | FollowsOnce(_) | Filled => None,
        }
    }
}

/// Definitions, fields and what is put there. Published defaults need not be repeated.
static TABLE: &[(&str, &str, Filling)] = &[
    ("apps.StatefulSetSpec", "podManagementPolicy", Is("OrderedReady")),
    ("apps.StatefulSetSpec", "revisionHistoryLimit", Is("10")),
    ("batch.JobSpec", "completionMode", Is("NonIndexed")),
    ("batch.PodFailurePolicyOnPodConditionsPattern", "status", Is("True")),
    ("core.AzureDiskVolumeSource", "cachingMode", Is("ReadWrite")),
    ("core.AzureDiskVolumeSource", "fsType", Is("ext4")),
    ("core.AzureDiskVolumeSource", "kind", Is("Shared")),
    ("core.ConfigMapVolumeSource", "defaultMode", Is("420")),
    ("core.Container", "imagePullPolicy", Follows(pull_policy)),
    ("core.Container", "terminationMessagePath", Is("/dev/termination-log")),
    ("core.Container", "terminationMessagePolicy", Is("File")),
    ("core.ContainerPort", "protocol", Is("TCP")),
    ("core.DownwardAPIVolumeSource", "defaultMode", Is("420")),
    ("core.HTTPGetAction", "path", Is("/")),
    ("core.HTTPGetAction", "scheme", Is("HTTP")),
    ("core.ISCSIPersistentVolumeSource", "iscsiInterface", Is("default")),
    ("core.ISCSIVolumeSource", "iscsiInterface", Is("default")),
    ("core.ImageVolumeSource", "pullPolicy", Follows(pull_policy)),
    ("core.ObjectFieldSelector", "apiVersion", Is("v1")),
    ("core.PersistentVolumeClaimSpec", "volumeMode", Is("Filesystem")),
    ("core.PersistentVolumeSpec", "volumeMode", Is("Filesystem")),
    ("core.PodSpec", "dnsPolicy", Is("ClusterFirst")),
    ("core.PodSpec", "restartPolicy", Is("Always")),
    ("core.PodSpec", "schedulerName", Is("default-scheduler")),
    ("core.PodSpec", "securityContext", Nothing),
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
    ("core.ResourceFieldSelector", "divisor", Is("0")),
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
    ("storage.CSIDriverSpec", "volumeLifecycleModes", Only("Persistent")),
    ("storage.StorageClass", "reclaimPolicy", Is("Delete")),
    ("storage.StorageClass", "volumeBindingMode", Is("Immediate")),
];

/// The same for pods themselves, and not for the templates of others.
static PODS: &[(&str, &str, Filling)] = &[
    ("core.ContainerPort", "hostPort", Follows(host_port)),
    ("core.PodSpec", "enableServiceLinks", Is("true")),
    ("core.PodSpec", "overhead", FollowsOnce(overhead)),
    ("core.PodSpec", "preemptionPolicy", FollowsOnce(preemption)),
    ("core.PodSpec", "priority", FollowsOnce(priority)),
    ("core.PodSpec", "serviceAccount", Filled),
    ("core.PodSpec", "serviceAccountName", Is("default")),
];

/// What is around a field.
fn around<'a, 'p, 'd>(field: &'a FieldPlace<'p, 'd>) -> &'a FieldPlace<'p, 'd> {
    field.and_around().nth(1).unwrap_or(field)
}

/// Whether an image is pulled each time, which it is where its name says no version.
fn pull_policy(field: &FieldPlace<'_, '_>) -> Option<String> {
    let around = around(field);
    let [image, reference] = ["image", "reference"].map(|name| around.child(name).full_text());
    let (name, digest) = match image.or(reference)?.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (image.or(reference)?, None),
    };
    let tag = name.rsplit_once(':').map(|(_, tag)| tag).filter(|tag| !tag.contains('/'));
    let is_latest = tag == Some("latest") || (tag.is_none() && digest.is_none());
    Some(if is_latest { "Always" } else { "IfNotPresent" }.to_owned())
}

/// In the network of its node, a container has its ports there.
fn host_port(field: &FieldPlace<'_, '_>) -> Option<String> {
    let spec = field.top().child("spec");
    let port = around(field).child("containerPort").integer();
    Some(match spec.child("hostNetwork").is_true() {
        true => port?.to_string(),
        false => String::new(),
    })
}

/// What a class of pods adds for itself.
fn overhead(field: &FieldPlace<'_, '_>) -> Option<String> {
    around(field).child("runtimeClassName").is_empty().then(String::new)
}

/// The priority of a class that every cluster has, and of none.
fn priority(field: &FieldPlace<'_, '_>) -> Option<String> {
    let number = match around(field).child("priorityClassName").text()? {
        "" => "0",
        "system-cluster-critical" => "2000000000",
        "system-node-critical" => "2000001000",
        _ => return None,
    };
    Some(number.to_owned())
}

fn preemption(field: &FieldPlace<'_, '_>) -> Option<String> {
    priority(field).map(|_| "PreemptLowerPriority".to_owned())
}

/// Numbers and switches that say something else where they are zero or off than where they are missing.
static POINTERS: &[(&str, &str)] = &[
    ("batch.JobSpec", "backoffLimitPerIndex"),
    ("batch.SuccessPolicyRule", "succeededCount"),
    ("core.CSIVolumeSource", "readOnly"),
    ("core.ClusterTrustBundleProjection", "optional"),
    ("core.ConfigMapEnvSource", "optional"),
    ("core.ConfigMapKeySelector", "optional"),
    ("core.ConfigMapProjection", "optional"),
    ("core.ConfigMapVolumeSource", "defaultMode"),
    ("core.ConfigMapVolumeSource", "optional"),
    ("core.DownwardAPIVolumeFile", "mode"),
    ("core.DownwardAPIVolumeSource", "defaultMode"),
    ("core.FCVolumeSource", "lun"),
    ("core.FileKeySelector", "optional"),
    ("core.KeyToPath", "mode"),
    ("core.PodSecurityContext", "fsGroup"),
    ("core.PodSecurityContext", "runAsGroup"),
    ("core.PodSecurityContext", "runAsNonRoot"),
    ("core.PodSecurityContext", "runAsUser"),
    ("core.PodSpec", "automountServiceAccountToken"),
    ("core.PodSpec", "enableServiceLinks"),
    ("core.PodSpec", "hostUsers"),
    ("core.PodSpec", "priority"),
    ("core.PodSpec", "setHostnameAsFQDN"),
    ("core.PodSpec", "shareProcessNamespace"),
    ("core.PodSpec", "terminationGracePeriodSeconds"),
    ("core.Probe", "terminationGracePeriodSeconds"),
    ("core.ProjectedVolumeSource", "defaultMode"),
    ("core.SecretEnvSource", "optional"),
    ("core.SecretKeySelector", "optional"),
    ("core.SecretProjection", "optional"),
    ("core.SecretVolumeSource", "defaultMode"),
    ("core.SecretVolumeSource", "optional"),
    ("core.SecurityContext", "allowPrivilegeEscalation"),
    ("core.SecurityContext", "privileged"),
    ("core.SecurityContext", "readOnlyRootFilesystem"),
    ("core.SecurityContext", "runAsGroup"),
    ("core.SecurityContext", "runAsNonRoot"),
    ("core.SecurityContext", "runAsUser"),
    ("core.Toleration", "tolerationSeconds"),
    ("core.TopologySpreadConstraint", "minDomains"),
    ("core.WindowsSecurityContextOptions", "hostProcess"),
    ("resource.DeviceToleration", "tolerationSeconds"),
    ("resource.ExactDeviceRequest", "adminAccess"),
    ("storage.VolumeNodeResources", "count"),
];

/// Whether zero or false is a value of its own in a field.
pub(super) fn is_pointer(definition: &str, field: &Field) -> bool {
    POINTERS.contains(&(definition, field.name))
}

/// What the server puts where a field is missing; some is put into pods only.
pub(crate) fn of(definition: &str, field: &Field, is_pod: bool) -> Option<Filling> {
    let pods = if is_pod { PODS } else { &[] };
    let mut rows = pods.iter().chain(TABLE);
    let listed = rows.find(|(name, of, _)| *name == definition && *of == field.name);
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
    let rows = TABLE.iter().chain(PODS).map(|(definition, field, _)| (definition, field));
    let pointers = POINTERS.iter().map(|(definition, field)| (definition, field));
    rows.chain(pointers).map(|(definition, field)| format!("{definition}.{field}"))
}
