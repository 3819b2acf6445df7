//! Model Context Protocol servers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Optional;

/// Model Context Protocol servers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mcp {
    /// Whether they are registered.
    pub enabled: bool,
    /// The one server of the extension.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub server: Optional<McpCommand>,
    /// The servers of the extension, where there are several or where they need names.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub servers: Optional<Vec<McpServer>>,
    /// The tools that the servers offer.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub tools: Optional<Vec<McpTool>>,
}

/// How a server is started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct McpCommand {
    /// The program to start.
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub args: Optional<Vec<String>>,
    /// Environment variables for it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub env: Optional<BTreeMap<String, String>>,
}

/// A server with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct McpServer {
    /// The name that clients know it by: letters, digits, `-` and `_`.
    pub name: String,
    /// The program to start.
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub args: Optional<Vec<String>>,
    /// Environment variables for it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub env: Optional<BTreeMap<String, String>>,
}

/// One tool that a server offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct McpTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
}
