//! What an extension brings along.

use serde::{Deserialize, Serialize};

use super::Optional;

/// The software and the files that an extension brings along, for inventories and for vulnerability
/// scanners.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BillOfMaterials {
    /// The software that is installed.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub tools: Optional<Vec<BomTool>>,
    /// The files worth knowing of that are written.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub files: Optional<Vec<BomFile>>,
    /// Container images that are used: a list of objects with `image`, `version`, `purpose` and
    /// `license`. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub docker: Optional<serde_json::Value>,
}

/// One piece of software.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BomTool {
    /// Its name.
    pub name: String,
    /// Its version, or `dynamic` where it is settled only when installing.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub version: Optional<String>,
    /// What brings it.
    pub source: BomSource,
    /// What kind of software it is.
    #[serde(rename = "type", default, skip_serializing_if = "Optional::is_absent")]
    pub kind: Optional<BomToolKind>,
    /// Its licence, as an SPDX expression.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub license: Optional<String>,
    /// A page about it, as a full URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Where it is downloaded from, as a full URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub download_url: Option<String>,
    /// The checksum of the download.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Checksum>,
    /// Its package URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purl: Option<String>,
    /// Its name in the Common Platform Enumeration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpe: Option<String>,
}

/// What brings it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BomSource {
    /// `mise`.
    Mise,
    /// `apt`.
    Apt,
    /// `npm`.
    Npm,
    /// `pip`.
    Pip,
    /// `binary`.
    Binary,
    /// `script`.
    Script,
    /// `github-release`.
    GithubRelease,
}

/// What kind of software it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BomToolKind {
    /// `runtime`.
    Runtime,
    /// `compiler`.
    Compiler,
    /// `package-manager`.
    PackageManager,
    /// `cli-tool`.
    CliTool,
    /// `library`.
    Library,
    /// `framework`.
    Framework,
    /// `database`.
    Database,
    /// `server`.
    Server,
    /// `utility`.
    Utility,
    /// `application`.
    Application,
}

/// A checksum with its algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Checksum {
    /// How it is computed; prefer sha256.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub algorithm: Optional<ChecksumAlgorithm>,
    /// The checksum in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub value: Optional<String>,
}

/// How it is computed; prefer sha256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChecksumAlgorithm {
    /// `sha256`.
    Sha256,
    /// `sha512`.
    Sha512,
    /// `md5`.
    Md5,
}

/// One file that is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BomFile {
    /// Where it is, relative to the workspace.
    pub path: String,
    /// What kind of file it is.
    #[serde(rename = "type")]
    pub kind: BomFileKind,
    /// Its checksum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Checksum>,
}

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BomFileKind {
    /// `config`.
    Config,
    /// `binary`.
    Binary,
    /// `library`.
    Library,
    /// `script`.
    Script,
    /// `data`.
    Data,
}
