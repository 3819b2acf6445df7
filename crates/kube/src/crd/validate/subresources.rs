//! The scale subresource: where its numbers are.

use super::super::Subresources;
use super::columns::NOT_SIMPLE;
use crate::field_error::FieldError;
use crate::field_path::FieldPath;

pub(super) fn validate(subresources: &Subresources, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let Some(scale) = &subresources.scale else { return };
    let path = path.child("scale");
    let required = [
        ("specReplicasPath", &scale.spec_replicas_path, ".spec."),
        ("statusReplicasPath", &scale.status_replicas_path, ".status."),
    ];
    for (field, json_path, prefix) in required {
        let path = path.child(field);
        if json_path.is_empty() {
            errors.push(path.required(""));
        } else if !json_path.starts_with('.') {
            errors.push(path.invalid(json_path, NOT_SIMPLE));
        } else if !json_path.starts_with(prefix) {
            let under = prefix.trim_end_matches('.');
            errors.push(path.invalid(json_path, format!("should be a json path under {under}")));
        }
    }
    if let Some(json_path) = scale.label_selector_path.as_ref().filter(|path| !path.is_empty()) {
        let path = path.child("labelSelectorPath");
        if !json_path.starts_with('.') {
            errors.push(path.invalid(json_path, NOT_SIMPLE));
        } else if !json_path.starts_with(".spec.") && !json_path.starts_with(".status.") {
            errors.push(path.invalid(json_path, "should be a json path under either .spec or .status"));
        }
    }
}
