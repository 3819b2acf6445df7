//! The scale subresource: where its numbers are.

use trueline_kube_facts::{FieldError, Trail, rules};

use super::columns::NOT_SIMPLE;
use crate::definition::Subresources;

rules! {
    /// A path of the scale subresource is not a simple path.
    SCALE_PATH: Invalid in crate::codes::FEATURE, "crd/scale-path", NOT_SIMPLE;
    /// A path of the scale subresource leads elsewhere.
    SCALE_PATH_START: Invalid in crate::codes::FEATURE, "crd/scale-path-start", "should be a json path under {}";
    /// The path of the selector is not a simple path.
    SELECTOR_PATH: Invalid in crate::codes::FEATURE, "crd/selector-path", NOT_SIMPLE;
    /// The path of the selector leads elsewhere.
    SELECTOR_PATH_START: Invalid in crate::codes::FEATURE, "crd/selector-path-start",
        "should be a json path under either .spec or .status";
}

pub(super) fn validate(subresources: &Subresources, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let Some(scale) = &subresources.scale else { return };
    let path = path.child("scale");
    let required = [
        ("specReplicasPath", &scale.spec_replicas_path, ".spec."),
        ("statusReplicasPath", &scale.status_replicas_path, ".status."),
    ];
    for (field, json_path, prefix) in required {
        let path = path.child(field);
        if json_path.is_empty() {
            errors.push(path.missing());
        } else if !json_path.starts_with('.') {
            errors.push(path.refuse_text(json_path, &SCALE_PATH));
        } else if !json_path.starts_with(prefix) {
            let under = prefix.trim_end_matches('.');
            errors.push(path.refuse_text(json_path, SCALE_PATH_START.with(under)));
        }
    }
    if let Some(json_path) = scale.label_selector_path.as_ref().filter(|path| !path.is_empty()) {
        let path = path.child("labelSelectorPath");
        if !json_path.starts_with('.') {
            errors.push(path.refuse_text(json_path, &SELECTOR_PATH));
        } else if !json_path.starts_with(".spec.") && !json_path.starts_with(".status.") {
            errors.push(path.refuse_text(json_path, &SELECTOR_PATH_START));
        }
    }
}
