//! How to find out that an extension works.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::Optional;

/// How to find out, after installing, that the extension works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Validation {
    /// Programs that must be there and answer.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub commands: Optional<Vec<CommandCheck>>,
    /// What mise must know of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mise: Option<MiseCheck>,
    /// A script of the extension that checks more than commands can: an object with `path` and
    /// `timeout`. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub script: Optional<serde_json::Value>,
}

/// One program that must be there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandCheck {
    /// The program, found through the search path.
    pub name: String,
    /// The argument that makes it print its version.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub version_flag: Optional<String>,
    /// A regular expression that what it prints must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_pattern: Option<String>,
    /// Arguments to call it with in place of the version flag. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub args: Optional<serde_json::Value>,
    /// What the check proves. Any value is accepted.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub description: Optional<serde_json::Value>,
}

/// Tools that mise must list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MiseCheck {
    /// The tools.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub tools: Optional<Vec<String>>,
    /// How many tools must be there at least.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub min_tool_count: Optional<NonZeroU64>,
}
