//! The order in which kinds are installed.

use super::Manifest;
use crate::chart::Compat;

const KINDS: [&str; 38] = [
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Sorts by kind. Documents of one kind keep their order; kinds that are not in the list come last, by name.
pub(super) fn sort(manifests: &mut [Manifest], compat: Compat) {
    let known: &[&str] = match compat {
        Compat::Helm4 => &KINDS,
        // Helm 3 does not know the webhooks at the end.
        Compat::Helm3 => KINDS.get(..36).unwrap_or(&KINDS),
    };
    manifests.sort_by_cached_key(|manifest| {
        let kind = manifest.head.kind.as_str();
        match known.iter().position(|name| *name == kind) {
            Some(place) => (place, String::new()),
            None => (known.len(), kind.to_owned()),
        }
    });
}
