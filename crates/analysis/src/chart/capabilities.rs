//! What templates see of the cluster: what every cluster of the chosen version serves, so that a chart that
//! chooses by capability renders as it would when it is installed. `helm template` has a fixed list instead.

use trueline_helm::engine::{API_VERSIONS, Capabilities, KubeVersion};
use trueline_kube::api::{Api, Kind};

/// The capabilities of a cluster of a version; `added` is what it serves besides its own API.
pub(super) fn of_cluster(version: &KubeVersion, added: Vec<String>) -> Capabilities {
    let wanted = version.normalized.parse().ok();
    let mut api_versions: Vec<String> =
        Api::nearest(wanted).into_iter().flat_map(Api::kinds_enabled_by_default).flat_map(names).collect();
    // What clusters before the oldest that is known served is known only as far as Helm's list has it.
    let is_older = Api::versions().next().zip(wanted).is_some_and(|(oldest, wanted)| wanted < oldest);
    if is_older {
        api_versions.extend(API_VERSIONS.iter().map(|version| (*version).to_owned()));
    }
    api_versions.sort_unstable();
    api_versions.dedup();
    api_versions.extend(added);
    Capabilities { kube_version: version.clone(), api_versions }
}

/// A kind as templates ask for it: by the version of its group, and with its name.
fn names(kind: &'static Kind) -> [String; 2] {
    let Kind { group, version, kind, .. } = kind;
    let api_version = if group.is_empty() { (*version).to_owned() } else { format!("{group}/{version}") };
    let with_kind = format!("{api_version}/{kind}");
    [api_version, with_kind]
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_helm::chart::Compat;

    #[test]
    fn a_cluster_serves_the_api_of_its_version() {
        for (version, served, missing) in [
            (
                "1.35.0",
                &[
                    "v1",
                    "v1/Pod",
                    "apps/v1/Deployment",
                    "apiregistration.k8s.io/v1",
                    "apiregistration.k8s.io/v1/APIService",
                    "apiextensions.k8s.io/v1/CustomResourceDefinition",
                    "policy/v1/PodDisruptionBudget",
                    "autoscaling/v2",
                    "example.com/v1",
                ][..],
                &[
                    "policy/v1beta1",
                    "extensions/v1beta1",
                    "metrics.k8s.io/v1beta1",
                    "resource.k8s.io/v1beta1",
                    "storagemigration.k8s.io/v1beta1",
                    "internal.apiserver.k8s.io/v1alpha1",
                ][..],
            ),
            (
                "1.25.0",
                &["autoscaling/v2beta2/HorizontalPodAutoscaler", "flowcontrol.apiserver.k8s.io/v1beta2"],
                &["policy/v1beta1", "resource.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1beta3"],
            ),
            ("1.28.0", &["flowcontrol.apiserver.k8s.io/v1beta3"], &["admissionregistration.k8s.io/v1beta1"]),
            // Older than the oldest that is known: what Helm knows is taken as served.
            ("1.20.0", &["policy/v1beta1", "apps/v1/Deployment"], &[]),
            ("1.99.0", &["apps/v1"], &["policy/v1beta1"]),
        ] {
            let version = KubeVersion::parse(version, Compat::Helm4).unwrap();
            let capabilities = of_cluster(&version, vec!["example.com/v1".to_owned()]);
            let serves = |name: &&&str| capabilities.api_versions.iter().any(|served| served == **name);
            assert_eq!(served.iter().filter(serves).count(), served.len(), "{version}: {served:?}");
            assert_eq!(missing.iter().find(serves), None, "{version}");
        }
    }
}
