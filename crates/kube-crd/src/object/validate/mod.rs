//! Validating a value against a schema, with the verdicts, the texts and the quirks of the server's validator.

mod choices;
mod compile;
mod faults;
mod numbers;
mod run;
mod scalars;

use trueline_kube_facts::{FieldError, FieldPath, schema_rules};
use trueline_yaml::Value;

use crate::structural::Structural;
use compile::Node;
use run::Run;
/// A schema that is ready to validate values against: its patterns are compiled.
#[derive(Debug)]
pub struct Validator {
    node: Node,
}

/// What a schema is used for. The server converts schemas in two ways, and they differ in details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Objects: `x-kubernetes-int-or-string` demands an integer or a string, unknown formats do not count.
    Objects,
    /// Defaults inside of schemas: an int-or-string may be anything, a format counts whether it is known or
    /// not, and `additionalProperties` below `allOf`, `anyOf`, `oneOf` and `not` does not.
    Defaults,
}

impl Validator {
    /// Makes a schema ready.
    pub fn new(schema: &Structural, purpose: Purpose) -> Self {
        Validator { node: compile::structural(schema, purpose) }
    }

    /// A schema that allows everything, for versions without one.
    pub fn allowing_everything() -> Self {
        Validator { node: Node::default() }
    }

    /// All that is wrong with a value. `path` is what the server puts before the path of each field.
    pub fn validate(&self, value: &Value, path: &FieldPath) -> Vec<FieldError> {
        self.errors(value, None, path)
    }

    /// All that is wrong with a value that takes the place of another: what was wrong before and has not
    /// changed is left alone.
    pub fn validate_update(&self, value: &Value, old: &Value, path: &FieldPath) -> Vec<FieldError> {
        self.errors(value, Some(old), path)
    }

    fn errors(&self, value: &Value, old: Option<&Value>, path: &FieldPath) -> Vec<FieldError> {
        let mut run = Run::default();
        let faults = run.check(&self.node, value, old, value.origin);
        let mut errors: Vec<FieldError> = faults.into_iter().map(|fault| fault.into_error(path)).collect();
        if run.gave_up() {
            errors.push(FieldError::new(&schema_rules::TOO_LARGE, path.clone(), value.origin));
        }
        errors
    }
}

/// All that is wrong with a value; for one value only. Whoever has several keeps a [`Validator`].
pub fn validate(value: &Value, schema: &Structural, purpose: Purpose, path: &FieldPath) -> Vec<FieldError> {
    Validator::new(schema, purpose).validate(value, path)
}

#[cfg(test)]
mod tests;
