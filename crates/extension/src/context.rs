//! What a check is told besides the manifest itself.

use std::sync::Arc;

use trueline_source::{Loader, SourceMap};

use crate::{Registry, SchemaSet};

/// The version of the manifest format that this crate knows.
///
/// 1.0 is the format as first written down. 1.1 adds the nested install sections, `service`,
/// `docs`, `bom`, `deprecation` and the further capabilities.
pub const SCHEMA_VERSION: &str = "1.1.0";

/// What a check is told besides the manifest itself.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// Where texts are kept; files that a manifest names are added to it.
    pub sources: &'a SourceMap,
    /// The schemas to validate documents against.
    pub schemas: &'a SchemaSet,
    /// The extensions that are known; without it the names of other extensions are left out of the check.
    pub registry: Option<&'a Registry>,
    /// The files of the package; without it nothing is said about files that a manifest names.
    pub package: Option<Arc<dyn Loader>>,
    /// How much is asked.
    pub strictness: Strictness,
}

impl<'a> Context<'a> {
    /// A context without registry and package, with the usual strictness.
    pub fn new(sources: &'a SourceMap, schemas: &'a SchemaSet) -> Self {
        Context { sources, schemas, registry: None, package: None, strictness: Strictness::Normal }
    }

    /// The same context with a registry.
    pub fn with_registry(mut self, registry: Option<&'a Registry>) -> Self {
        self.registry = registry;
        self
    }

    /// The same context with the files of the package.
    pub fn with_package(mut self, package: Arc<dyn Loader>) -> Self {
        self.package = Some(package);
        self
    }

    /// The same context with another strictness.
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }
}

/// How much is asked of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// What is wrong, and what is surely not meant.
    #[default]
    Normal,
    /// Also deprecated fields, unknown fields, recommended fields that are missing, and improvements.
    Strict,
}
