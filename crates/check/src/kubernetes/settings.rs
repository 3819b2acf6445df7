//! What the command line says about Kubernetes objects.

use std::sync::Arc;

use trueline_kube::{FieldValidation, KubeVersion};
use trueline_source::Span;

use super::location::Locations;
use super::old::OldObjects;
use crate::input::Input;

/// What Kubernetes objects are held against.
#[derive(Debug, Clone, Default)]
pub struct KubernetesSettings {
    /// The version of Kubernetes; without one that of the configuration, or else the newest.
    pub version: Option<KubeVersion>,
    /// What becomes of unknown fields; without it what the configuration says, or else they are errors.
    pub field_validation: Option<FieldValidation>,
    /// Files and directories with definitions of kinds.
    pub definitions: Vec<DefinitionInput>,
    /// Where JSON Schemas of kinds are looked for that nothing else defines.
    pub locations: Option<Arc<Locations>>,
    /// What is said of kinds that there is no schema for.
    pub missing: MissingSchemas,
    /// Kinds that are left out: `Kind`, or `group/version/Kind`.
    pub skip: Vec<String>,
    /// What the objects are updates of.
    pub old: Option<Arc<OldObjects>>,
}

/// A file or directory that is read for its definitions.
#[derive(Debug, Clone)]
pub struct DefinitionInput {
    /// Where it is.
    pub input: Input,
    /// Where a configuration names it; nothing if a flag does.
    pub named: Option<Span>,
}

/// What is said of kinds that there is no schema for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingSchemas {
    /// The summary names them, and a strict run fails.
    #[default]
    Told,
    /// The summary names them.
    Ignored,
}
