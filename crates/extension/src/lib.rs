//! Extension manifests (`extension.yaml`), the registry and the profiles: three levels of checks.
//!
//! Level one parses the text, level two validates it against the embedded JSON Schemas, level three applies the
//! rules that a schema cannot express. [`check`] runs all three on one manifest.

mod check;
mod context;
mod field;
mod graph;
mod manifest;
mod mise;
mod registry;
mod requirement;
mod rules;
pub mod schemas;
mod shell;
mod strict;
pub mod types;

pub use check::{
    Inspection, check, check_profiles, check_registry, check_registry_form, inspect, inspect_profiles,
};
pub use context::{Context, SCHEMA_VERSION, Strictness};
pub use registry::{Registry, RegistryEntry, RegistryError};
pub use requirement::Requirement;
pub use rules::duplicate_extensions;
pub use schemas::{SchemaDirectory, SchemaKind, SchemaSet};

use trueline_diagnostic::Code;

/// The codes of this crate.
pub const CODES: &[&Code] = &[
    &rules::schema_version::CODE,
    &rules::version::CODE,
    &rules::dependency_unknown::CODE,
    &rules::dependency_cycle::CODE,
    &rules::dependency_version::CODE,
    &rules::dependency_conflict::CODE,
    &rules::dependency_deprecated::CODE,
    &rules::mise_config::CODE,
    &rules::mise_tool::CODE,
    &rules::mise_version::CODE,
    &rules::binary_url::CODE,
    &rules::npm_name::CODE,
    &rules::environment_name::CODE,
    &rules::command_path::CODE,
    &rules::mcp_server::CODE,
    &rules::script::CODE,
    &rules::package_path::CODE,
    &rules::install_method::CODE,
    &rules::category::CODE,
    &rules::duplicate_name::CODE,
    &rules::duplicate_name::DUPLICATE_EXTENSION,
    &rules::profiles::CODE,
    &rules::shell_characters::CODE,
    &strict::unknown_field::CODE,
    &strict::recommended::CODE,
    &strict::unpinned::CODE,
    &strict::checksum::CODE,
    &strict::insecure_url::CODE,
    &check::EMPTY,
    &check::SEVERAL,
    &schemas::SCHEMA_UNAVAILABLE,
];
