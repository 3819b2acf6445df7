//! Kinds that the server knows and never keeps: parts of other objects, options and answers of requests. None of them is
//! an object that can be made by itself.

/// What a kind is for, and what is used in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transient {
    /// What it is, as the second half of a sentence.
    pub what: &'static str,
    /// What helps, if something does.
    pub help: Option<&'static str>,
}

const OPTIONS: &str = "it says how a request is meant, and goes along with one";
const ANSWER: &str = "it is what the server answers";
const MESSAGE: &str = "the server and a webhook send it to each other";

/// Groups and kinds, whatever their version.
static KNOWN: &[(&str, &str, &str, Option<&str>)] = &[
    ("", "APIGroup", ANSWER, None),
    ("", "APIGroupList", ANSWER, None),
    ("", "APIResourceList", ANSWER, None),
    ("", "APIVersions", ANSWER, None),
    (
        "",
        "ComponentStatus",
        "the server makes it itself, and it can only be read",
        Some("`kubectl get componentstatuses` shows it"),
    ),
    ("", "CreateOptions", OPTIONS, None),
    ("", "DeleteOptions", OPTIONS, None),
    ("", "GetOptions", OPTIONS, None),
    ("", "ListOptions", OPTIONS, None),
    ("", "NodeProxyOptions", OPTIONS, None),
    ("", "PatchOptions", OPTIONS, None),
    ("", "PodAttachOptions", OPTIONS, Some("`kubectl attach` asks for it")),
    ("", "PodExecOptions", OPTIONS, Some("`kubectl exec` asks for it")),
    ("", "PodLogOptions", OPTIONS, Some("`kubectl logs` asks for it")),
    ("", "PodPortForwardOptions", OPTIONS, Some("`kubectl port-forward` asks for it")),
    ("", "PodProxyOptions", OPTIONS, None),
    ("", "PodStatusResult", ANSWER, None),
    ("", "RangeAllocation", "the server keeps it for itself, and serves it to nobody", None),
    ("", "SerializedReference", "it is written inside annotations", None),
    ("", "ServiceProxyOptions", OPTIONS, None),
    ("", "Status", ANSWER, None),
    ("", "UpdateOptions", OPTIONS, None),
    ("", "WatchEvent", ANSWER, None),
    ("admission.k8s.io", "AdmissionReview", MESSAGE, None),
    ("apidiscovery.k8s.io", "APIGroupDiscovery", ANSWER, None),
    ("apidiscovery.k8s.io", "APIGroupDiscoveryList", ANSWER, None),
    ("apiextensions.k8s.io", "ConversionReview", MESSAGE, None),
    (
        "authentication.k8s.io",
        "TokenRequest",
        "it asks for a token of a ServiceAccount, and is sent to `serviceaccounts/NAME/token`",
        Some("`kubectl create token NAME` asks for one"),
    ),
    (
        "autoscaling",
        "Scale",
        "it is the size of another object, and is sent to its `scale`",
        Some("write `spec.replicas` of the object that is meant, or use `kubectl scale`"),
    ),
    ("imagepolicy.k8s.io", "ImageReview", MESSAGE, None),
    ("meta.k8s.io", "PartialObjectMetadata", ANSWER, None),
    ("meta.k8s.io", "PartialObjectMetadataList", ANSWER, None),
    ("meta.k8s.io", "Table", ANSWER, None),
    (
        "policy",
        "Eviction",
        "it asks to end a pod, and is sent to `pods/NAME/eviction`",
        Some("`kubectl drain` asks for it; a PodDisruptionBudget says how many pods may go at once"),
    ),
];

/// What a kind is that the server knows and never keeps.
pub fn transient(group: &str, kind: &str) -> Option<Transient> {
    let found = KNOWN.iter().find(|(known_group, known, ..)| *known_group == group && *known == kind);
    found.map(|&(_, _, what, help)| Transient { what, help })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Api, Lookup};

    #[test]
    fn what_is_served_is_not_transient() {
        for (group, kind, ..) in KNOWN {
            for version in Api::versions() {
                let api = Api::for_version(version).unwrap();
                assert!(
                    !api.kinds().any(|known| known.group == *group && known.kind == *kind),
                    "{group} {kind}"
                );
            }
        }
        assert!(KNOWN.is_sorted_by_key(|(group, kind, ..)| (*group, *kind)));
        let eviction = transient("policy", "Eviction").unwrap();
        assert!(eviction.what.contains("pods/NAME/eviction"));
        assert_eq!(transient("", "Pod"), None);
    }

    #[test]
    fn questions_can_be_asked() {
        let api = Api::newest().unwrap();
        for (group, kind) in [
            ("authentication.k8s.io", "TokenReview"),
            ("authentication.k8s.io", "SelfSubjectReview"),
            ("authorization.k8s.io", "SubjectAccessReview"),
            ("authorization.k8s.io", "LocalSubjectAccessReview"),
            ("authorization.k8s.io", "SelfSubjectAccessReview"),
            ("authorization.k8s.io", "SelfSubjectRulesReview"),
            ("", "Binding"),
        ] {
            assert!(matches!(api.lookup(group, "v1", kind), Lookup::Served(_)), "{kind}");
            assert_eq!(transient(group, kind), None);
        }
    }
}
