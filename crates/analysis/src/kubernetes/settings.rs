//! What the command line says about Kubernetes objects.

use std::path::PathBuf;
use std::sync::Arc;

use trueline_kube::{FieldValidation, KubeVersion};
use trueline_source::{Loader, Span};

use super::location::{Location, LocationError};
use crate::input::Input;

/// What Kubernetes objects are validated against.
#[derive(Debug, Clone, Default)]
pub struct KubernetesSettings {
    /// The version of Kubernetes; without one that of the configuration, or else the newest.
    pub version: Option<KubeVersion>,
    /// What becomes of unknown fields; without it what the configuration says, or else they are errors.
    pub field_validation: Option<FieldValidation>,
    /// Files and directories with CRDs.
    pub definitions: Vec<PathBuf>,
    /// Where JSON Schemas of kinds are looked for that nothing else defines.
    pub locations: Vec<String>,
    /// What is reported about kinds that there is no schema for.
    pub missing: MissingSchemas,
    /// Kinds that are left out: `Kind`, or `group/version/Kind`.
    pub skip: Vec<String>,
    /// Files and directories with admission policies, their bindings and their parameters.
    pub policies: Vec<PathBuf>,
    /// Files and directories with what the objects are updates of.
    pub old: Vec<PathBuf>,
}

/// A file or directory that is read besides what is checked.
#[derive(Debug, Clone)]
pub(crate) struct NamedInput {
    /// Where it is.
    pub(crate) input: Input,
    /// Where a configuration names it; nothing if a flag does.
    pub(crate) named: Option<Span>,
}

/// A place where JSON Schemas of kinds are looked for.
#[derive(Debug, Clone)]
pub(crate) struct LocationInput {
    /// What was typed.
    pub(crate) typed: String,
    /// What it means.
    pub(crate) location: Location,
    /// Reads the directory that all its paths begin with; nothing if it is not there, or if they are addresses.
    pub(crate) loader: Option<Arc<dyn Loader>>,
    /// Where a configuration names it; nothing if a flag does.
    pub(crate) named: Option<Span>,
}

impl LocationInput {
    /// What was typed, with the directory that `open` finds.
    pub(crate) fn new(
        typed: &str,
        named: Option<Span>,
        open: &dyn Fn(&str) -> Option<Arc<dyn Loader>>,
    ) -> Result<Self, LocationError> {
        let location = Location::new(typed)?;
        let loader = if location.is_remote() { None } else { open(location.directory()) };
        Ok(LocationInput { typed: typed.to_owned(), location, loader, named })
    }
}

/// What is reported about kinds that there is no schema for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingSchemas {
    /// The summary names them, and a strict run fails.
    #[default]
    Told,
    /// The summary names them.
    Ignored,
}
