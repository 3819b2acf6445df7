//! The inputs of a check besides the manifest itself.

use std::sync::Arc;

use trueline_source::{Loader, SourceMap};

use crate::{Registry, SchemaSet};

/// The version of the manifest format that this crate knows.
///
/// 1.0 is the format as first written down. 1.1 adds the nested install sections, `service`,
/// `docs`, `bom`, `deprecation` and the further capabilities.
pub const SCHEMA_VERSION: &str = "1.1.0";

/// The inputs of a check besides the manifest itself.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// The sources; files that a manifest names are added to them.
    pub sources: &'a SourceMap,
    /// The schemas to validate documents against.
    pub schemas: &'a SchemaSet,
    /// The known extensions; without a registry the names of other extensions are not checked.
    pub registry: Option<&'a Registry>,
    /// The files of the package; without it the files that a manifest names are not checked.
    pub package: Option<Arc<dyn Loader>>,
    /// How strict the check is.
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

/// How strict the check of a manifest is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Reports what is wrong or certainly unintended.
    #[default]
    Normal,
    /// Also reports deprecated, unknown and missing recommended fields, and improvements.
    Strict,
}
