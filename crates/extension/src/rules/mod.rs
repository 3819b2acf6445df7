//! Level three: what a schema cannot express. One rule per file, with its code, its documentation and its
//! tests.

pub(crate) mod binary_url;
pub(crate) mod category;
pub(crate) mod command_path;
pub(crate) mod dependency_conflict;
pub(crate) mod dependency_cycle;
pub(crate) mod dependency_deprecated;
pub(crate) mod dependency_unknown;
pub(crate) mod dependency_version;
pub(crate) mod duplicate_name;
pub(crate) mod environment_name;
pub(crate) mod install_method;
pub(crate) mod mcp_server;
pub(crate) mod mise_config;
pub(crate) mod mise_tool;
pub(crate) mod mise_version;
pub(crate) mod npm_name;
pub(crate) mod package_path;
pub(crate) mod schema_version;
pub(crate) mod script;
pub(crate) mod shell_characters;
pub(crate) mod unchecked;
pub(crate) mod version;

pub(crate) mod profiles;
pub(crate) mod registry;
#[cfg(test)]
pub(crate) mod testing;

use trueline_diagnostic::Diagnostic;

use crate::manifest::Subject;
pub use crate::rules::duplicate_name::duplicate_extensions;

/// A rule: checks a manifest and adds its findings.
pub(crate) type Rule = fn(&Subject<'_>, &mut Vec<Diagnostic>);

/// All rules for manifests.
pub(crate) static RULES: &[Rule] = &[
    schema_version::check,
    version::check,
    dependency_unknown::check,
    dependency_cycle::check,
    dependency_version::check,
    dependency_conflict::check,
    dependency_deprecated::check,
    mise_config::check,
    mise_tool::check,
    mise_version::check,
    binary_url::check,
    npm_name::check,
    environment_name::check,
    command_path::check,
    shell_characters::check,
    mcp_server::check,
    package_path::check,
    script::check,
    install_method::check,
    category::check,
    duplicate_name::check,
];
