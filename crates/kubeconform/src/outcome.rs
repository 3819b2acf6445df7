//! What became of a resource.

use std::sync::Arc;

use trueline_helm::schema::Cause;

use super::flags::Flags;
use super::resource::{Body, Resource};
use super::schemas::{Schemas, Sought};
use super::signature::Signature;

/// How a resource fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// It could not be looked at, or is not allowed.
    Error,
    /// It is of a kind that is left alone.
    Skipped,
    Valid,
    Invalid,
    /// There is nothing in it.
    Empty,
}

/// What became of a resource.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) path: Arc<str>,
    pub(crate) signature: Signature,
    pub(crate) status: Status,
    /// What is wrong; empty if nothing is.
    pub(crate) message: String,
    /// The broken rules of the first level.
    pub(crate) causes: Vec<Cause>,
}

/// The signature of a resource whose schema is needed.
pub(crate) fn wants_schema<'r>(resource: &'r Resource, flags: &Flags) -> Option<&'r Signature> {
    let is_object = matches!(resource.body, Body::Object(_));
    let signature = &resource.signature;
    (is_object && !is_in(&flags.skipped, signature) && !is_in(&flags.rejected, signature))
        .then_some(signature)
}

/// Validates a resource against its schema, which has been looked for before.
pub(crate) fn of(resource: Resource, flags: &Flags, schemas: &Schemas) -> Outcome {
    let Resource { path, signature, body } = resource;
    let (status, message, causes) = match body {
        Body::Empty => (Status::Empty, String::new(), Vec::new()),
        Body::Broken(words) => (Status::Error, words, Vec::new()),
        Body::Object(_) if is_in(&flags.skipped, &signature) => (Status::Skipped, String::new(), Vec::new()),
        Body::Object(_) if is_in(&flags.rejected, &signature) => {
            (Status::Error, format!("prohibited resource kind {}", signature.kind), Vec::new())
        }
        Body::Object(value) => match schemas.of(&signature) {
            Sought::Failed(failure) => (Status::Error, failure.to_string(), Vec::new()),
            Sought::Missing if flags.ignore_missing_schemas => (Status::Skipped, String::new(), Vec::new()),
            Sought::Missing => {
                (Status::Error, format!("could not find schema for {}", signature.kind), Vec::new())
            }
            Sought::Found(schema) => match schema.objection(&value) {
                None => (Status::Valid, String::new(), Vec::new()),
                Some(objection) => {
                    let message = format!(
                        "problem validating schema. Check JSON formatting: jsonschema validation failed with '{}#' {}",
                        schema.address,
                        objection.lines.replace('\n', " ")
                    );
                    (Status::Invalid, message, objection.causes)
                }
            },
        },
    };
    Outcome { path, signature, status, message, causes }
}

/// What stands for a resource that comes after what took all that a run may cost.
pub(crate) fn too_costly(resource: &Resource) -> Outcome {
    let Resource { path, signature, .. } = resource.clone();
    let message = "not validated: the resources before it took all the time that a run may take".to_owned();
    Outcome { path, signature, status: Status::Error, message, causes: Vec::new() }
}

/// Whether a list of kinds names one, with or without its version.
fn is_in(kinds: &std::collections::BTreeSet<String>, signature: &Signature) -> bool {
    !kinds.is_empty() && (kinds.contains(&signature.kind) || kinds.contains(&signature.full_kind()))
}
