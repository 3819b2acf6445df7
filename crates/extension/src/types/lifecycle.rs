//! What an extension needs, and how it is configured, removed and upgraded.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::Optional;

/// What the extension needs of the machine and the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Requirements {
    /// Hosts that must be reachable while installing.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub domains: Optional<Vec<String>>,
    /// Disk space in MB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_space: Option<u64>,
    /// Memory in MB that it needs while running, on top of the base system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Seconds that installing usually takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install_time: Option<u64>,
    /// Seconds after which installing is given up.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub install_timeout: Optional<u64>,
    /// Seconds after which validating is given up.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub validation_timeout: Optional<u64>,
    /// Names of the secrets that it reads.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub secrets: Optional<Vec<String>>,
    /// The graphics processor that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpu>,
}

/// The graphics processor that the extension needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Gpu {
    /// Whether it is of no use without one.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub required: Optional<bool>,
    /// Whether it is better with one.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub recommended: Optional<bool>,
    /// Whose it must be.
    #[serde(rename = "type", default, skip_serializing_if = "Optional::is_absent")]
    pub kind: Optional<GpuVendor>,
    /// How many at least.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub min_count: Optional<NonZeroU64>,
    /// Memory of each in MB.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub min_memory: Optional<u64>,
    /// The oldest CUDA version that will do.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub cuda_version: Optional<String>,
}

/// Whose it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GpuVendor {
    /// `nvidia`.
    Nvidia,
    /// `amd`.
    Amd,
    /// `any`.
    Any,
}

/// Files and environment variables to set up after installing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Configure {
    /// Files of the extension to put in place.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub templates: Optional<Vec<Template>>,
    /// Environment variables to set.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub environment: Optional<Vec<EnvironmentVariable>>,
    /// Files to put in place; list them under `templates`. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub files: Optional<serde_json::Value>,
    /// Commands to run after installing; use `capabilities.hooks.post-install`. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub post_install: Optional<serde_json::Value>,
}

/// One file to put in place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Template {
    /// The file, relative to the extension's directory.
    pub source: String,
    /// Where it goes.
    pub destination: String,
    /// What to do if something is already there.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub mode: Optional<TemplateMode>,
    /// When to put it in place, by environment variables. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub condition: Optional<serde_json::Value>,
    /// The file's permissions in octal digits. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub permissions: Optional<serde_json::Value>,
    /// What the file is for. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub description: Optional<serde_json::Value>,
}

/// What to do if something is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TemplateMode {
    /// `overwrite`.
    Overwrite,
    /// `append`.
    Append,
    /// `merge`.
    Merge,
    /// `skip-if-exists`.
    SkipIfExists,
}

/// One environment variable to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnvironmentVariable {
    /// Its name.
    pub key: String,
    /// Its value; other variables may be used in it.
    pub value: String,
    /// Where it is set.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub scope: Optional<EnvironmentScope>,
    /// When to set it, as an expression. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub condition: Optional<serde_json::Value>,
    /// What it is for. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub description: Optional<serde_json::Value>,
}

/// Where it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentScope {
    /// `bashrc`.
    Bashrc,
    /// `profile`.
    Profile,
    /// `session`.
    Session,
}

/// How the extension is removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Remove {
    /// Whether the user is asked first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub confirmation: Optional<bool>,
    /// What mise removes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mise: Option<RemoveMise>,
    /// What apt removes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apt: Option<RemoveApt>,
    /// What dnf removes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dnf: Option<RemovePackages>,
    /// What zypper removes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zypper: Option<RemovePackages>,
    /// A script that removes what else is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<RemoveScript>,
    /// Files and directories to delete.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub paths: Optional<Vec<String>>,
    /// What to tell the user before removing. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub warning: Optional<serde_json::Value>,
    /// The blocks beside it say what is done, so it can be left out. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub method: Optional<serde_json::Value>,
}

/// What mise removes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RemoveMise {
    /// Whether its configuration goes too.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub remove_config: Optional<bool>,
    /// The tools to remove.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub tools: Optional<Vec<String>>,
}

/// What apt removes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RemoveApt {
    /// The packages to remove.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub packages: Optional<Vec<String>>,
    /// Whether their configuration goes too.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub purge: Optional<bool>,
}

/// What a package manager removes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RemovePackages {
    /// The packages to remove.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub packages: Optional<Vec<String>>,
}

/// A script of the extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RemoveScript {
    /// The script, relative to the extension's directory.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub path: Optional<String>,
    /// Seconds after which it is stopped.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub timeout: Optional<i64>,
}

/// How the extension is brought up to date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Upgrade {
    /// The way it is done.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub strategy: Optional<UpgradeStrategy>,
    /// What mise upgrades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mise: Option<UpgradeMise>,
    /// What apt upgrades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apt: Option<UpgradePackages>,
    /// What dnf upgrades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dnf: Option<UpgradePackages>,
    /// What zypper upgrades.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zypper: Option<UpgradePackages>,
    /// A script that upgrades what else is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<UpgradeScript>,
}

/// The way it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UpgradeStrategy {
    /// `automatic`.
    Automatic,
    /// `manual`.
    Manual,
    /// `none`.
    None,
    /// `reinstall`.
    Reinstall,
    /// `in-place`.
    InPlace,
}

/// What mise upgrades.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeMise {
    /// Whether all tools of its configuration are upgraded.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub upgrade_all: Optional<bool>,
    /// The tools to upgrade.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub tools: Optional<Vec<String>>,
}

/// What a package manager upgrades.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradePackages {
    /// The packages to upgrade.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub packages: Optional<Vec<String>>,
    /// Whether package information is refreshed first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub update_first: Optional<bool>,
}

/// A script of the extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UpgradeScript {
    /// The script, relative to the extension's directory.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub path: Optional<String>,
    /// Seconds after which it is stopped.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub timeout: Optional<i64>,
}
