//! The kinds of things that a path can be.

use std::fmt;
use std::str::FromStr;

/// What a path is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A Helm chart: a directory or archive with `Chart.yaml`.
    Chart,
    /// A directory or file of ytt: YAML with `#@` comments.
    Ytt,
    /// An extension manifest.
    Extension,
    /// A registry of extensions.
    Registry,
    /// Profiles: named sets of extensions.
    Profiles,
    /// Categories of extensions.
    Categories,
    /// A JSON Schema.
    JsonSchema,
    /// CRDs, perhaps with other objects beside them.
    Crd,
    /// A Kubernetes object, or several.
    Kubernetes,
    /// A `kustomization.yaml`.
    Kustomization,
    /// What a `kustomization.yaml` names as a part of objects, such as a patch.
    Patch,
    /// YAML or JSON of no kind that is known.
    Yaml,
}

impl Kind {
    /// The kinds that `--as` takes.
    pub const CHOICES: &'static [Kind] = &[
        Kind::Chart,
        Kind::Ytt,
        Kind::Extension,
        Kind::Registry,
        Kind::Profiles,
        Kind::Categories,
        Kind::JsonSchema,
        Kind::Crd,
        Kind::Kubernetes,
        Kind::Yaml,
    ];

    /// The word for it, as `--as` takes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Chart => "chart",
            Kind::Ytt => "ytt",
            Kind::Extension => "extension",
            Kind::Registry => "registry",
            Kind::Profiles => "profiles",
            Kind::Categories => "categories",
            Kind::JsonSchema => "json-schema",
            Kind::Crd => "crd",
            Kind::Kubernetes => "kubernetes",
            Kind::Kustomization => "kustomization",
            Kind::Patch => "patch",
            Kind::Yaml => "yaml",
        }
    }

    /// Why a unit of this kind is not checked beyond its syntax, if it is not.
    pub(crate) fn unsupported(self) -> Option<&'static str> {
        match self {
            Kind::Kustomization => Some(
                "kustomize reads it, no cluster does: checked for syntax only; `kustomize build` makes the objects",
            ),
            Kind::Patch => Some(
                "a kustomization.yaml names it as a part, not as a whole object: checked for syntax only",
            ),
            Kind::Yaml => Some("not of a kind that is known: checked for syntax only"),
            Kind::Chart
            | Kind::Ytt
            | Kind::Extension
            | Kind::Registry
            | Kind::Profiles
            | Kind::Categories
            | Kind::JsonSchema
            | Kind::Crd
            | Kind::Kubernetes => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Kind::CHOICES.iter().copied().find(|kind| kind.as_str() == name).ok_or_else(|| {
            let names: Vec<&str> = Kind::CHOICES.iter().map(|kind| kind.as_str()).collect();
            format!("`{name}` is not a kind; the kinds are {}", names.join(", "))
        })
    }
}
