//! Who an extension is.

use serde::{Deserialize, Serialize};

use super::Optional;

/// Who an extension is: its name, its version, what it is for, and what must be there before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Metadata {
    /// The name that other extensions, profiles and the registry use for this one; it is also the name
    /// of its directory.
    pub name: String,
    /// The version of the extension itself, not of the software it installs: three numbers with dots
    /// between them.
    pub version: String,
    /// What the extension gives its user, in one line of 10 to 200 characters; lists and search results
    /// show it.
    pub description: String,
    /// The shelf of the catalogue that the extension is on.
    pub category: Category,
    /// The person or organisation that maintains the extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// A page about the software, as a full URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Extensions that must be installed before this one. Each must be in the registry.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub dependencies: Optional<Vec<String>>,
    /// The Linux distributions that the extension supports; without it, all of them.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub distros: Optional<Vec<Distribution>>,
    /// The oldest version of the command-line tool that can install the extension.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub min_cli_version: Optional<String>,
    /// The licence of the installed software, as an SPDX expression. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub license: Optional<serde_json::Value>,
    /// Words to find the extension by. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub tags: Optional<serde_json::Value>,
    /// Profiles that are meant to include the extension; profiles.yaml is what decides. Any value is
    /// accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub profiles: Optional<serde_json::Value>,
    /// Whether the extension belongs to the base system and must not be removed. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub protected: Optional<serde_json::Value>,
}

/// One of the catalogue's categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// `ai-agents`.
    AiAgents,
    /// `ai-dev`.
    AiDev,
    /// `claude`.
    Claude,
    /// `cloud`.
    Cloud,
    /// `desktop`.
    Desktop,
    /// `devops`.
    Devops,
    /// `documentation`.
    Documentation,
    /// `languages`.
    Languages,
    /// `mcp`.
    Mcp,
    /// `package-manager`.
    PackageManager,
    /// `productivity`.
    Productivity,
    /// `research`.
    Research,
    /// `testing`.
    Testing,
}

/// A Linux distribution that images are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// `ubuntu`.
    Ubuntu,
    /// `fedora`.
    Fedora,
    /// `opensuse`.
    Opensuse,
}
