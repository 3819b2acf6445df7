//! The manifest and its neighbours as Rust types, for programs that work with extensions.
//!
//! Checks look at documents, not at these types: a value of them has lost the place where it was
//! typed. A test derives a schema from them and compares it with the written ones, field by field.

mod authentication;
mod bom;
mod capabilities;
mod collision;
mod docs;
mod extension;
mod install;
mod lifecycle;
mod mcp;
mod metadata;
mod optional;
mod orchestrator;
mod project;
mod registry;
mod service;
mod validation;

#[cfg(test)]
mod in_sync;

pub use authentication::{Auth, AuthFeature, AuthMethod, AuthProvider, AuthValidator, AuthenticationMethod};
pub use bom::{
    BillOfMaterials, BomFile, BomFileKind, BomSource, BomTool, BomToolKind, Checksum, ChecksumAlgorithm,
};
pub use capabilities::{Capabilities, Hook, Hooks};
pub use collision::{
    CollisionHandling, ConflictAction, ConflictPathKind, ConflictRule, Detection, DetectionMethod,
    OnConflict, PromptOption, Scenario, ScenarioAction, ScenarioChoice, ScenarioOption, VersionMarker,
    VersionMarkerKind,
};
pub use docs::{Deprecation, Documentation, RelatedExtension, UsageExample, UsageSection};
pub use extension::Extension;
pub use install::{
    AptInstall, AptRepository, BinaryInstall, DistroScripts, DnfInstall, Download, DownloadKind,
    DownloadSource, Install, InstallMethod, MiseInstall, NpmInstall, RpmRepository, ScriptInstall,
    ZypperInstall,
};
pub use lifecycle::{
    Configure, EnvironmentScope, EnvironmentVariable, Gpu, GpuVendor, Remove, RemoveApt, RemoveMise,
    RemovePackages, RemoveScript, Requirements, Template, TemplateMode, Upgrade, UpgradeMise,
    UpgradePackages, UpgradeScript, UpgradeStrategy,
};
pub use mcp::{Mcp, McpCommand, McpServer, McpTool};
pub use metadata::{Category, Distribution, Metadata};
pub use optional::Optional;
pub use orchestrator::{
    ConsensusAlgorithm, Llm, LlmProvider, McpTransport, OrchestratorAdvanced, OrchestratorCore,
    OrchestratorFeatures, OrchestratorMcp, Swarm, SwarmTopology,
};
pub use project::{
    InitCommand, InitValidation, MarkerKind, MergeFile, MergeStrategy, ProjectContext, ProjectInit,
    RequiredAccount, StateMarker,
};
pub use registry::{
    Categories, CategoryDefinition, CategoryTitle, Profile, Profiles, Registry, RegistryEntry,
    RegistryMetadata, VersionValue,
};
pub use service::{Port, PortProtocol, Readiness, Service, ServiceStart, ServiceStop};
pub use validation::{CommandCheck, MiseCheck, Validation};
