//! What an extension can do beyond being installed.

use serde::{Deserialize, Serialize};

use super::{
    Auth, AuthenticationMethod, CollisionHandling, Mcp, Optional, OrchestratorFeatures, ProjectContext,
    ProjectInit,
};

/// What an extension can do beyond being installed: prepare a project, sign in, run hooks, serve MCP,
/// and more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Capabilities {
    /// How the extension prepares a new project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_init: Option<ProjectInit>,
    /// The account that the extension needs: one provider, with its methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// The ways to sign in, one entry each. `auth` says the same for one provider; both may be used.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub authentication: Optional<Vec<AuthenticationMethod>>,
    /// Commands to run around installing and project preparation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Hooks>,
    /// The Model Context Protocol servers that the extension offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<Mcp>,
    /// Text that the extension adds to a project's context file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_context: Option<ProjectContext>,
    /// Switches of agent orchestrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<OrchestratorFeatures>,
    /// What to do where a project already has what the extension would write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision_handling: Option<CollisionHandling>,
}

/// Commands to run at certain moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Hooks {
    /// Before installing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_install: Option<Hook>,
    /// After installing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_install: Option<Hook>,
    /// Before a project is prepared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_project_init: Option<Hook>,
    /// After a project was prepared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_project_init: Option<Hook>,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hook {
    /// The command line; a script of the extension is named by its path from the extension's directory.
    pub command: String,
    /// What it does, for the user.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub description: Optional<String>,
}
