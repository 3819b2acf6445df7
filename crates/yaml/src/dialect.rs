//! Whose YAML is meant: the Go libraries differ in what they read and how they write.

/// The rules that a text is read and written by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// `sigs.k8s.io/yaml`: what Kubernetes tools and Helm's values, manifests and `toYaml` go by.
    #[default]
    Sigs,
    /// `gopkg.in/yaml.v3` with two spaces of indentation: Helm's `toYamlPretty`.
    GoYamlV3,
    /// ytt's fork of go-yaml v2: the order of keys is kept and no line is folded.
    Ytt,
}
