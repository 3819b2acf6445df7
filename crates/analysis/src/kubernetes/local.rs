//! Files that look like objects and that no cluster reads: settings of programs, which many repositories keep beside
//! the objects.

use trueline_kube::manifest::Object as Manifest;

/// Groups, and who reads the files of such a group.
static READERS: &[(&str, &str)] = &[
    ("admission.k8s.io", "an admission webhook"),
    ("apiserver.config.k8s.io", "the API server"),
    ("apiserver.k8s.io", "the API server"),
    ("audit.k8s.io", "the API server"),
    ("client.authentication.k8s.io", "kubectl"),
    ("config.kubernetes.io", "kustomize or kpt"),
    ("credentialprovider.kubelet.k8s.io", "the kubelet"),
    ("ctlptl.dev", "ctlptl"),
    ("eksctl.io", "eksctl"),
    ("eventratelimit.admission.k8s.io", "the API server"),
    ("imagepolicy.k8s.io", "the API server"),
    ("k0sctl.k0sproject.io", "k0sctl"),
    ("k3d.io", "k3d"),
    ("kind.sigs.k8s.io", "kind"),
    ("kind.x-k8s.io", "kind"),
    ("krew.googlecontainertools.github.com", "krew"),
    ("kubeadm.k8s.io", "kubeadm"),
    ("kubectl.config.k8s.io", "kubectl"),
    ("kubelet.config.k8s.io", "the kubelet"),
    ("kubeproxy.config.k8s.io", "kube-proxy"),
    ("kubescheduler.config.k8s.io", "the scheduler"),
    ("kustomize.config.k8s.io", "kustomize"),
    ("pod-security.admission.config.k8s.io", "the API server"),
    ("podtolerationrestriction.admission.k8s.io", "the API server"),
    ("resourcequota.admission.k8s.io", "the API server"),
    ("skaffold", "skaffold"),
    ("webhookadmission.admission.config.k8s.io", "the API server"),
];

/// Fields that make a `Config` the settings of kubectl.
const OF_KUBECTL: [&str; 5] = ["clusters", "contexts", "current-context", "preferences", "users"];

/// The program that reads what looks like an object, where no cluster does.
pub(super) fn reader(object: &Manifest<'_>) -> Option<&'static str> {
    let (group, version) = object.group_and_version();
    match (group, version, object.kind) {
        ("", "v1", "Config") => {
            OF_KUBECTL.iter().any(|field| object.node.get(field).is_some()).then_some("kubectl")
        }
        _ => {
            let known = READERS.iter().find(|(known, _)| *known == group).map(|(_, reader)| *reader);
            known.or_else(|| group.ends_with(".config.k8s.io").then_some("a part of Kubernetes"))
        }
    }
}

/// Why such a file is not checked.
pub(super) fn why(reader: &str) -> String {
    format!("{reader} reads it, no cluster does: checked for syntax only")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::SourceId;

    #[test]
    fn readers_by_group_and_kind() {
        assert!(READERS.is_sorted_by_key(|(group, _)| *group));
        for (text, expected) in [
            ("apiVersion: v1\nkind: Config\nclusters: []\n", Some("kubectl")),
            ("apiVersion: v1\nkind: Config\ncurrent-context: a\n", Some("kubectl")),
            // A slip for a ConfigMap.
            ("apiVersion: v1\nkind: Config\nmetadata: {name: a}\ndata: {}\n", None),
            ("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n", Some("the kubelet")),
            ("apiVersion: x.config.k8s.io/v1\nkind: Any\n", Some("a part of Kubernetes")),
            ("apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n", Some("kind")),
            ("apiVersion: skaffold/v4beta11\nkind: Config\n", Some("skaffold")),
            ("apiVersion: audit.k8s.io/v1\nkind: Policy\n", Some("the API server")),
            ("apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\n", None),
            ("apiVersion: v1\nkind: Pod\n", None),
        ] {
            let stream = trueline_yaml::read(
                SourceId::from_index(0),
                &text.into(),
                &trueline_yaml::ReadOptions::default(),
            );
            let document = stream.documents.first().unwrap();
            assert_eq!(reader(&Manifest::new(document.root())), expected, "{text}");
        }
    }
}
