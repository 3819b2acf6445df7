//! The APIs of Kubernetes that were deprecated, by the lifecycle that its types state.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::engine::KubeVersion;

/// A change of some kinds of an API version.
struct Change {
    api_version: &'static str,
    /// The minor version of Kubernetes 1 that deprecated them.
    deprecated: u32,
    /// The minor version that no longer has them; 0 where none is known.
    removed: u32,
    /// What to use: an API version that has a kind of the same name, or both; empty where there is nothing.
    replacement: &'static str,
    /// With a `*` where the kind's list is meant too.
    kinds: &'static str,
}

const fn change(
    api_version: &'static str,
    deprecated: u32,
    removed: u32,
    replacement: &'static str,
    kinds: &'static str,
) -> Change {
    Change { api_version, deprecated, removed, replacement, kinds }
}

const CHANGES: &[Change] = &[
    change(
        "admissionregistration.k8s.io/v1alpha1",
        35,
        38,
        "",
        "MutatingAdmissionPolicy* MutatingAdmissionPolicyBinding*",
    ),
    change(
        "admissionregistration.k8s.io/v1alpha1",
        29,
        32,
        "",
        "ValidatingAdmissionPolicy* ValidatingAdmissionPolicyBinding*",
    ),
    change(
        "admissionregistration.k8s.io/v1beta1",
        37,
        40,
        "admissionregistration.k8s.io/v1",
        "MutatingAdmissionPolicy* MutatingAdmissionPolicyBinding*",
    ),
    change(
        "admissionregistration.k8s.io/v1beta1",
        16,
        22,
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration* ValidatingWebhookConfiguration*",
    ),
    change(
        "admissionregistration.k8s.io/v1beta1",
        31,
        34,
        "",
        "ValidatingAdmissionPolicy* ValidatingAdmissionPolicyBinding*",
    ),
    change(
        "apps/v1beta1",
        8,
        16,
        "apps/v1",
        "ControllerRevision* Deployment* DeploymentRollback StatefulSet*",
    ),
    change("apps/v1beta1", 8, 16, "autoscaling/v1", "Scale"),
    change(
        "apps/v1beta2",
        9,
        16,
        "apps/v1",
        "ControllerRevision* DaemonSet* Deployment* ReplicaSet* StatefulSet*",
    ),
    change("apps/v1beta2", 9, 16, "autoscaling/v1", "Scale"),
    change("authentication.k8s.io/v1alpha1", 29, 32, "", "SelfSubjectReview"),
    change("authentication.k8s.io/v1beta1", 30, 33, "", "SelfSubjectReview"),
    change("authentication.k8s.io/v1beta1", 19, 22, "authentication.k8s.io/v1", "TokenReview"),
    change(
        "authorization.k8s.io/v1beta1",
        19,
        22,
        "authorization.k8s.io/v1",
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
    ),
    change("batch/v1beta1", 21, 25, "batch/v1", "CronJob*"),
    change("certificates.k8s.io/v1alpha1", 34, 37, "", "ClusterTrustBundle*"),
    change("certificates.k8s.io/v1beta1", 19, 22, "certificates.k8s.io/v1", "CertificateSigningRequest*"),
    change(
        "certificates.k8s.io/v1beta1",
        37,
        40,
        "certificates.k8s.io/v1",
        "ClusterTrustBundle* PodCertificateRequest*",
    ),
    change("coordination.k8s.io/v1alpha2", 35, 38, "", "LeaseCandidate*"),
    change("coordination.k8s.io/v1beta1", 19, 22, "coordination.k8s.io/v1", "Lease*"),
    change("coordination.k8s.io/v1beta1", 36, 39, "", "LeaseCandidate*"),
    change("discovery.k8s.io/v1beta1", 21, 25, "discovery.k8s.io/v1", "EndpointSlice"),
    change("discovery.k8s.io/v1beta1", 21, 25, "discovery.k8s.io/v1 EndpointSlice", "EndpointSliceList"),
    change("events.k8s.io/v1beta1", 22, 25, "", "Event*"),
    change("extensions/v1beta1", 8, 16, "apps/v1", "DaemonSet* Deployment* ReplicaSet*"),
    change("extensions/v1beta1", 8, 16, "", "DeploymentRollback"),
    change("extensions/v1beta1", 14, 22, "networking.k8s.io/v1", "Ingress*"),
    change("extensions/v1beta1", 9, 16, "networking.k8s.io/v1", "NetworkPolicy*"),
    change("extensions/v1beta1", 2, 16, "", "Scale"),
    change(
        "flowcontrol.apiserver.k8s.io/v1beta1",
        23,
        26,
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "FlowSchema* PriorityLevelConfiguration*",
    ),
    change(
        "flowcontrol.apiserver.k8s.io/v1beta2",
        26,
        29,
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "FlowSchema* PriorityLevelConfiguration*",
    ),
    change(
        "flowcontrol.apiserver.k8s.io/v1beta3",
        29,
        32,
        "flowcontrol.apiserver.k8s.io/v1",
        "FlowSchema* PriorityLevelConfiguration*",
    ),
    change("lifecycle.k8s.io/v1alpha1", 40, 43, "", "Eviction* EvictionRequest*"),
    change("networking.k8s.io/v1beta1", 34, 37, "", "IPAddress* ServiceCIDR*"),
    change("networking.k8s.io/v1beta1", 19, 22, "networking.k8s.io/v1", "Ingress* IngressClassList"),
    change("networking.k8s.io/v1beta1", 19, 22, "networking.k8s.io/v1 IngressClassList", "IngressClass"),
    change("node.k8s.io/v1beta1", 22, 25, "", "RuntimeClass*"),
    change("policy/v1beta1", 22, 25, "", "Eviction"),
    change("policy/v1beta1", 21, 25, "policy/v1", "PodDisruptionBudget*"),
    change(
        "rbac.authorization.k8s.io/v1beta1",
        17,
        22,
        "rbac.authorization.k8s.io/v1",
        "ClusterRole* ClusterRoleBinding* Role* RoleBinding*",
    ),
    change("resource.k8s.io/v1alpha3", 36, 39, "", "DeviceTaintRule*"),
    change("resource.k8s.io/v1alpha3", 39, 42, "", "ResourcePoolStatusRequest*"),
    change(
        "resource.k8s.io/v1beta1",
        35,
        38,
        "",
        "DeviceClass* ResourceClaim* ResourceClaimTemplate* ResourceSlice*",
    ),
    change(
        "resource.k8s.io/v1beta2",
        36,
        39,
        "",
        "DeviceClass* ResourceClaim* ResourceClaimTemplate* ResourceSlice*",
    ),
    change("resource.k8s.io/v1beta2", 39, 42, "", "DeviceTaintRule*"),
    change("scheduling.k8s.io/v1beta1", 40, 43, "", "PodGroup* Workload*"),
    change("scheduling.k8s.io/v1beta1", 14, 22, "scheduling.k8s.io/v1", "PriorityClass*"),
    change("storage.k8s.io/v1alpha1", 21, 24, "storage.k8s.io/v1beta1", "CSIStorageCapacity*"),
    change("storage.k8s.io/v1alpha1", 21, 24, "storage.k8s.io/v1", "VolumeAttachment*"),
    change("storage.k8s.io/v1alpha1", 32, 35, "storage.k8s.io/v1", "VolumeAttributesClass*"),
    change(
        "storage.k8s.io/v1beta1",
        19,
        22,
        "storage.k8s.io/v1",
        "CSIDriver* StorageClass* VolumeAttachment*",
    ),
    change("storage.k8s.io/v1beta1", 17, 22, "storage.k8s.io/v1", "CSINode"),
    change("storage.k8s.io/v1beta1", 17, 22, "storage.k8s.io/v1 CSINode", "CSINodeList"),
    change("storage.k8s.io/v1beta1", 24, 27, "storage.k8s.io/v1", "CSIStorageCapacity*"),
    change("storage.k8s.io/v1beta1", 34, 37, "storage.k8s.io/v1", "VolumeAttributesClass*"),
    change(
        "storagemigration.k8s.io/v1beta1",
        37,
        40,
        "storagemigration.k8s.io/v1",
        "StorageVersionMigration*",
    ),
    change("v1", 19, 0, "", "ComponentStatus*"),
    change("v1", 33, 0, "discovery.k8s.io/v1 EndpointSlice", "Endpoints"),
    change("v1", 33, 0, "discovery.k8s.io/v1 EndpointSliceList", "EndpointsList"),
];

/// What the table says, by API version and kind.
static BY_KIND: LazyLock<HashMap<(&'static str, String), &'static Change>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    for change in CHANGES {
        for word in change.kinds.split(' ') {
            let kind = word.trim_end_matches('*');
            found.insert((change.api_version, kind.to_owned()), change);
            if kind != word {
                found.insert((change.api_version, format!("{kind}List")), change);
            }
        }
    }
    found
});

/// The warning about a kind that is deprecated in a version of Kubernetes.
pub(super) fn warning(api_version: &str, kind: &str, version: &KubeVersion) -> Option<String> {
    let change = BY_KIND.get(&(api_version, kind.to_owned()))?;
    let (Ok(major), Ok(minor)) = (version.major.parse::<u32>(), version.minor.parse::<u32>()) else {
        return None;
    };
    if (major, minor) < (1, change.deprecated) {
        return None;
    }
    let mut text = format!("{api_version} {kind} is deprecated in v1.{}+", change.deprecated);
    if change.removed > 0 {
        text.push_str(&format!(", unavailable in v1.{}+", change.removed));
    }
    match change.replacement {
        "" => {}
        whole if whole.contains(' ') => text.push_str(&format!("; use {whole}")),
        other => text.push_str(&format!("; use {other} {kind}")),
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Compat;

    #[test]
    fn kinds_are_deprecated_from_their_version_on() {
        let cases = [
            ("batch/v1beta1", "CronJob", "1.20", None),
            (
                "batch/v1beta1",
                "CronJob",
                "1.21",
                Some(
                    "batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob",
                ),
            ),
            (
                "policy/v1beta1",
                "Eviction",
                "1.30",
                Some("policy/v1beta1 Eviction is deprecated in v1.22+, unavailable in v1.25+"),
            ),
            (
                "discovery.k8s.io/v1beta1",
                "EndpointSliceList",
                "1.30",
                Some(
                    "discovery.k8s.io/v1beta1 EndpointSliceList is deprecated in v1.21+, unavailable in v1.25+; use \
                     discovery.k8s.io/v1 EndpointSlice",
                ),
            ),
            ("v1", "ComponentStatus", "1.37", Some("v1 ComponentStatus is deprecated in v1.19+")),
            ("v1", "ConfigMap", "1.37", None),
            ("example.com/v1", "CronJob", "1.37", None),
        ];
        for (api_version, kind, version, text) in cases {
            let version = KubeVersion::parse(version, Compat::Helm4).unwrap();
            assert_eq!(warning(api_version, kind, &version).as_deref(), text, "{api_version} {kind}");
        }
    }
}
