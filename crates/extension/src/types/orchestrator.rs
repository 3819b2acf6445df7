//! Switches of agent orchestrators.

use serde::{Deserialize, Serialize};

use super::Optional;

/// Switches of agent orchestrators, by area.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OrchestratorFeatures {
    /// The orchestrator itself.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub core: Optional<OrchestratorCore>,
    /// Several agents together.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub swarm: Optional<Swarm>,
    /// Language models.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub llm: Optional<Llm>,
    /// Switches for few.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub advanced: Optional<OrchestratorAdvanced>,
    /// The orchestrator's own MCP server.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub mcp: Optional<OrchestratorMcp>,
}

/// The orchestrator itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OrchestratorCore {
    /// Whether its daemon starts by itself.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub daemon_autostart: Optional<bool>,
    /// Whether flash attention is used.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub flash_attention: Optional<bool>,
    /// Whether one configuration file serves all parts.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub unified_config: Optional<bool>,
}

/// Several agents together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Swarm {
    /// How agents are connected.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub default_topology: Optional<SwarmTopology>,
    /// How agents agree.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub consensus_algorithm: Optional<ConsensusAlgorithm>,
}

/// How agents are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SwarmTopology {
    /// `hierarchical-mesh`.
    HierarchicalMesh,
    /// `hierarchical`.
    Hierarchical,
    /// `mesh`.
    Mesh,
    /// `ring`.
    Ring,
}

/// How agents agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConsensusAlgorithm {
    /// `raft`.
    Raft,
    /// `paxos`.
    Paxos,
    /// `gossip`.
    Gossip,
    /// `crdt`.
    Crdt,
    /// `byzantine`.
    Byzantine,
}

/// Language models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Llm {
    /// Whose models are used.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub default_provider: Optional<LlmProvider>,
    /// Whether requests are spread over providers.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub load_balancing: Optional<bool>,
}

/// Whose models are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LlmProvider {
    /// `anthropic`.
    Anthropic,
    /// `openai`.
    Openai,
    /// `google`.
    Google,
    /// `cohere`.
    Cohere,
    /// `local`.
    Local,
    /// `custom`.
    Custom,
}

/// Switches for few.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OrchestratorAdvanced {
    /// Whether SONA learning is on.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub sona_learning: Optional<bool>,
    /// Whether security scanning is on.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub security_scanning: Optional<bool>,
    /// Whether the claims system is on.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub claims_system: Optional<bool>,
    /// Whether plugins are loaded.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub plugin_system: Optional<bool>,
}

/// The orchestrator's own MCP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OrchestratorMcp {
    /// How clients reach it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub transport: Optional<McpTransport>,
}

/// How clients reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum McpTransport {
    /// `stdio`.
    Stdio,
    /// `http`.
    Http,
    /// `websocket`.
    Websocket,
}
