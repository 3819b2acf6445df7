//! How an extension is installed.

use serde::{Deserialize, Serialize};

use super::Optional;

/// How an extension is installed: a method, and beside it the settings of that method, either nested
/// under the method's name or, for the simple cases, flat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Install {
    /// The way of installing. The settings that belong to it are beside it.
    pub method: InstallMethod,
    /// Flat spelling for `mise`: the tool to install.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub tool: Optional<String>,
    /// Flat spelling for `mise`, `npm` and `binary`: the version to install. Text, so numbers are in quotes.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub version: Optional<String>,
    /// Flat spelling for `binary`: where to download it, over https.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub url: Optional<String>,
    /// Flat spelling for `npm` and `npm-global`: the package to install.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub package: Optional<String>,
    /// Settings of the `mise` method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mise: Option<MiseInstall>,
    /// Settings of the `apt` method (Ubuntu).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apt: Option<AptInstall>,
    /// Settings of the `dnf` method (Fedora).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dnf: Option<DnfInstall>,
    /// Settings of the `zypper` method (openSUSE).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zypper: Option<ZypperInstall>,
    /// Settings of the `binary` method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<BinaryInstall>,
    /// Settings of the `npm` and `npm-global` methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub npm: Option<NpmInstall>,
    /// Settings of the `script` method: one script for every distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptInstall>,
    /// Settings of the `script` method where distributions need scripts of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<DistroScripts>,
    /// Settings of the `hybrid` method: a list `steps`, each with its own method. The blocks beside
    /// `method` may be used instead. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub hybrid: Optional<serde_json::Value>,
}

/// A way of installing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum InstallMethod {
    /// `mise`.
    Mise,
    /// `apt`.
    Apt,
    /// `dnf`.
    Dnf,
    /// `zypper`.
    Zypper,
    /// `binary`.
    Binary,
    /// `npm`.
    Npm,
    /// `npm-global`.
    NpmGlobal,
    /// `script`.
    Script,
    /// `hybrid`.
    Hybrid,
}

/// Tools come from a mise configuration file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MiseInstall {
    /// The mise configuration, relative to the extension's directory.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub config_file: Optional<String>,
    /// Whether mise makes its shims anew after installing.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub reshim_after_install: Optional<bool>,
}

/// Packages of Debian's package manager.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptInstall {
    /// Package sources to add before installing.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub repositories: Optional<Vec<AptRepository>>,
    /// The packages to install.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub packages: Optional<Vec<String>>,
    /// Whether the package lists are refreshed first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub update_first: Optional<bool>,
}

/// A package source for apt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptRepository {
    /// A name for the files that are written for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its signing key is, as a full URL.
    pub gpg_key: String,
    /// The line for apt's list of sources.
    pub sources: String,
}

/// Packages of Fedora's package manager.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DnfInstall {
    /// The packages to install.
    pub packages: Vec<String>,
    /// Package sources to add before installing.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub repositories: Optional<Vec<RpmRepository>>,
    /// Package groups to install.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub groups: Optional<Vec<String>>,
    /// Whether package information is refreshed first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub update_first: Optional<bool>,
}

/// A package source for dnf or zypper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RpmRepository {
    /// The id or alias that the package manager knows it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its signing key is, as a full URL.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub gpg_key: Optional<String>,
    /// Where the repository is.
    pub base_url: String,
}

/// Packages of openSUSE's package manager.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ZypperInstall {
    /// The packages to install.
    pub packages: Vec<String>,
    /// Package sources to add before installing.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub repositories: Optional<Vec<RpmRepository>>,
    /// Package patterns to install.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub patterns: Optional<Vec<String>>,
    /// Whether package information is refreshed first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub update_first: Optional<bool>,
}

/// Programs that are downloaded as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BinaryInstall {
    /// What to download.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub downloads: Optional<Vec<Download>>,
}

/// One file to download.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Download {
    /// The name of the program.
    pub name: String,
    /// Where it comes from.
    pub source: DownloadSource,
    /// Where to put it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub destination: Optional<String>,
    /// Whether the download is an archive to unpack.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub extract: Optional<bool>,
}

/// Where a file comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DownloadSource {
    /// What the URL is: a GitHub repository whose release holds the file, or the file itself.
    #[serde(rename = "type")]
    pub kind: DownloadKind,
    /// The repository or the file, over https.
    pub url: String,
    /// The name of the file in the release.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub asset: Optional<String>,
    /// Which release to take.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub version: Optional<String>,
}

/// What the URL is: a GitHub repository whose release holds the file, or the file itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DownloadKind {
    /// `github-release`.
    GithubRelease,
    /// `direct-url`.
    DirectUrl,
}

/// One package from the npm registry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NpmInstall {
    /// The package, optionally followed by `@` and a version or tag.
    pub package: String,
}

/// A script of the extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScriptInstall {
    /// The script, relative to the extension's directory.
    pub path: String,
    /// Arguments to call it with.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub args: Optional<Vec<String>>,
    /// Seconds after which it is stopped.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub timeout: Optional<i64>,
}

/// A script for each distribution that needs its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DistroScripts {
    /// The script for Ubuntu.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub ubuntu: Optional<ScriptInstall>,
    /// The script for Fedora.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub fedora: Optional<ScriptInstall>,
    /// The script for openSUSE.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub opensuse: Optional<ScriptInstall>,
}
