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

use serde::de::DeserializeOwned;
use trueline_yaml::{NodeRef, Value};

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

/// A value of one of these types from a document, such as `from_node::<Extension>(document.root())`.
///
/// The error names a field, but no place: validate the document against its schema to learn where.
pub fn from_node<T: DeserializeOwned>(node: NodeRef<'_>) -> Result<T, serde_json::Error> {
    serde_json::from_value(Value::from_node(node).to_serde())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trueline_source::SourceId;
    use trueline_yaml::ReadOptions;

    use super::*;

    fn read(text: &str) -> Result<Extension, serde_json::Error> {
        let stream = trueline_yaml::read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        from_node(stream.documents[0].root())
    }

    const METADATA: &str =
        "metadata: {name: nodejs, version: 1.2.0, description: The Node.js runtime, category: languages}\n";

    #[test]
    fn both_spellings_are_read() {
        let flat = read(&format!(
            "{METADATA}install: {{method: mise, tool: node, version: lts}}\nvalidation: {{}}\n"
        ));
        let flat = flat.unwrap();
        assert_eq!(flat.metadata.category, Category::Languages);
        assert_eq!(flat.install.tool.as_deref(), Some("node"));
        assert!(flat.validate.is_absent() && flat.validation.is_some());
        let nested = read(&format!(
            "{METADATA}install: {{method: mise, mise: {{configFile: mise.toml}}}}\nvalidate:\n  commands: [{{name: node}}]\n"
        ));
        let nested = nested.unwrap();
        assert_eq!(nested.install.method, InstallMethod::Mise);
        let mise = nested.install.mise.unwrap();
        assert_eq!(mise.config_file.as_deref(), Some("mise.toml"));
    }

    #[test]
    fn what_is_not_of_the_type_is_refused() {
        let error = read(&format!("{METADATA}install: {{method: mise, version: 123}}\nvalidate: {{}}\n"))
            .unwrap_err();
        assert!(error.to_string().contains("expected a string"), "{error}");
    }
}
