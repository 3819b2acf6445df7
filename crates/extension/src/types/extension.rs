//! The manifest as a whole.

use serde::{Deserialize, Serialize};

use super::{
    BillOfMaterials, Capabilities, Configure, Deprecation, Documentation, Hooks, Install, Metadata, Optional,
    Remove, Requirements, Service, Upgrade, Validation,
};

/// extension.yaml: what an extension is, how it is installed, checked, upgraded and removed, and what
/// it can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Extension {
    /// The version of this format that the manifest is written for.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub schema_version: Optional<String>,
    /// The oldest version of the command-line tool that can install the extension; it may appear in `metadata`
    /// instead.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub min_cli_version: Optional<String>,
    /// Who the extension is.
    pub metadata: Metadata,
    /// Extensions that must be installed before this one; they may appear in `metadata` instead, and count
    /// together.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub dependencies: Optional<Vec<String>>,
    /// What the extension needs of the machine and the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Requirements>,
    /// How the extension is installed.
    pub install: Install,
    /// Files and environment variables to set up after installing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configure: Option<Configure>,
    /// How to find out that the extension works.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub validate: Optional<Validation>,
    /// Another spelling of `validate`.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub validation: Optional<Validation>,
    /// How the extension is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<Remove>,
    /// How the extension is brought up to date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<Upgrade>,
    /// A program of the extension that keeps running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// What the extension can do beyond being installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// Another place for `capabilities.hooks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Hooks>,
    /// Material for the extension's page in the documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<Documentation>,
    /// Says that the extension has had its day, and what to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<Deprecation>,
    /// The software and the files that the extension brings along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bom: Option<BillOfMaterials>,
}
