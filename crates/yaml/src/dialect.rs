//! Which Go library to imitate: they differ in what they accept and how they write.

/// The rules for reading and writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// `sigs.k8s.io/yaml`: used by Kubernetes tools and for Helm's values, manifests and `toYaml`.
    #[default]
    Sigs,
    /// `gopkg.in/yaml.v3` with two spaces of indentation: Helm's `toYamlPretty`.
    GoYamlV3,
    /// ytt's fork of go-yaml v2: the order of keys is kept and no line is folded.
    Ytt,
}

/// What the full names of YAML's own tags begin with.
pub(crate) const TAG_PREFIX: &str = "tag:yaml.org,2002:";
