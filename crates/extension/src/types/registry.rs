//! The files beside the manifests: registry, profiles and categories.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::{Category, Optional};

/// registry.yaml: the extensions that can be installed and depended on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// The version of the registry.
    pub version: VersionValue,
    /// About the registry itself.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub metadata: Optional<RegistryMetadata>,
    /// The extensions by name.
    pub extensions: BTreeMap<String, RegistryEntry>,
    /// The categories that the extensions are in, by identifier.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub categories: Optional<BTreeMap<String, CategoryTitle>>,
}

/// About the registry itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegistryMetadata {
    /// Its name.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub name: Optional<String>,
    /// What it holds.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub description: Optional<String>,
    /// The day on which it was last changed.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub last_updated: Optional<String>,
}

/// One extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegistryEntry {
    /// The category that it is in.
    pub category: Category,
    /// What it gives its user, in at least 10 characters.
    pub description: String,
    /// The version that is published; version constraints are checked against it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub version: Optional<String>,
    /// Whether it belongs to the base system and cannot be removed.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub protected: Optional<bool>,
    /// Extensions that it needs.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub dependencies: Optional<Vec<String>>,
    /// Extensions that it cannot be installed together with.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub conflicts: Optional<Vec<String>>,
    /// Whether it has had its day.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub deprecated: Optional<bool>,
    /// The extension to use instead, if it has had its day.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub successor: Optional<String>,
    /// The SHA-256 checksum of the published package, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub sha256: Optional<String>,
}

/// What a category is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CategoryTitle {
    /// What users see.
    pub name: String,
    /// What is in it.
    pub description: String,
    /// A symbol for it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub icon: Optional<String>,
    /// The order among categories; lower numbers come first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub priority: Optional<NonZeroU64>,
}

/// profiles.yaml: sets of extensions that are installed together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// The version of the profiles.
    pub version: VersionValue,
    /// The order in which profiles are shown.
    pub display_order: Vec<String>,
    /// The profiles by name.
    pub profiles: BTreeMap<String, Profile>,
}

/// One set of extensions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What it is for, in at least 10 characters.
    pub description: String,
    /// The extensions in it.
    pub extensions: Vec<String>,
}

/// categories.yaml: the shelves of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Categories {
    /// The version of the categories.
    pub version: VersionValue,
    /// The categories by identifier.
    pub categories: BTreeMap<String, CategoryDefinition>,
}

/// One category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CategoryDefinition {
    /// What users see.
    pub name: String,
    /// What is in it.
    pub description: String,
    /// A symbol for it, such as an emoji.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub icon: Optional<String>,
    /// The order among categories; lower numbers come first.
    pub priority: NonZeroU64,
}

/// A version in one of the files beside the manifests: text, or a number as YAML reads `3.0`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum VersionValue {
    /// Written as text.
    Text(String),
    /// Written as a number.
    Number(serde_json::Number),
}
