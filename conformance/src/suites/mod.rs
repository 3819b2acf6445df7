//! The suites, one file each.

mod extension;
mod helm;
mod helm_compare;
mod json_schema;
mod yaml;

use crate::Suite;

/// All suites.
pub const SUITES: &[Suite] = &[
    Suite { name: "yaml", folder: "yaml", load: yaml::load },
    Suite { name: "json-schema", folder: "json-schema", load: json_schema::load_required },
    Suite { name: "json-schema-formats", folder: "json-schema", load: json_schema::load_formats },
    Suite { name: "extension-real", folder: "extension", load: extension::load_real },
    Suite { name: "extension-altered", folder: "extension", load: extension::load_altered },
    Suite { name: "helm-v4", folder: "helm", load: helm::load_v4 },
    Suite { name: "helm-v3", folder: "helm", load: helm::load_v3 },
    Suite { name: "helm-stderr", folder: "helm", load: helm::load_stderr },
];
