//! The condition that the server sets on a CRD that it has stored though its schemas are not structural.

use indexmap::IndexSet;
use trueline_kube_facts::{FieldError, FieldPath, Trail, rules};

use super::{Condition, Crd, Version};
use crate::structural::{NotStructural, Structural};

rules! {
    /// `spec.preserveUnknownFields` is true.
    PRESERVE_UNKNOWN_FIELDS: Invalid in crate::codes::CONVERSION, "crd/preserve-unknown-fields", "must be false";
}

impl Crd {
    /// The condition `NonStructuralSchema`, if the server sets it. It never says that it is false.
    pub fn non_structural_condition(&self) -> Option<Condition> {
        let condition = |status: &str, reason: &str, message: String| Condition {
            type_name: "NonStructuralSchema".into(),
            status: status.into(),
            reason: reason.into(),
            message: message.into(),
        };
        let mut errors = Vec::new();
        if self.preserves_unknown_fields() {
            let path = Trail::root("spec.preserveUnknownFields", None);
            errors.push(path.refuse_value("true", &PRESERVE_UNKNOWN_FIELDS));
        }
        for (index, version) in self.spec.versions.iter().enumerate() {
            match self.structural_violations(index, version) {
                Err(refused) => {
                    let name = &version.name;
                    let message =
                        format!("failed to check validation schema for version {name}: {}", refused.text);
                    return Some(condition("Unknown", "StructuralError", message));
                }
                Ok(found) => errors.extend(found),
            }
        }
        (!errors.is_empty()).then(|| condition("True", "Violations", aggregate(&errors)))
    }

    /// All that keeps the schema of a version from being structural, with paths that name the version.
    pub fn structural_violations(
        &self,
        index: usize,
        version: &Version,
    ) -> Result<Vec<FieldError>, NotStructural> {
        let validation = self.spec.validation.as_ref().or(version.validation.as_ref());
        let Some(schema) = validation.and_then(|validation| validation.schema.as_ref()) else {
            return Ok(Vec::new());
        };
        let path = FieldPath::of("spec.versions").index(index).field("schema").field("openAPIV3Schema");
        Ok(Structural::new(schema)?.validate(&Trail::at(&path, schema.written.0.as_ref())))
    }
}

/// Several errors in one text, as the server puts them together: each only once.
pub fn aggregate(errors: &[FieldError]) -> String {
    let messages: IndexSet<String> = errors.iter().map(FieldError::message).collect();
    let messages: Vec<String> = messages.into_iter().collect();
    match messages.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}
