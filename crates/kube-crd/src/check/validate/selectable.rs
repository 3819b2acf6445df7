//! Selectable fields. The server crashes where their schema cannot be made structural; here that is an error.

use std::collections::BTreeSet;

use trueline_kube_facts::{FieldError, FieldPath, Reason, Trail, rules};

use super::options::Options;
use crate::definition::{SelectableField, Spec, Version};
use crate::props::Props;
use crate::structural::{Brackets, Structural};

rules! {
    /// Selectable fields need a schema.
    SELECTABLE_WITHOUT_SCHEMA: Invalid in crate::codes::FEATURE, "crd/selectable-without-schema",
        "may only be set when validations.schema is included";
    /// Selectable fields of a version need a schema of that version.
    SELECTABLE_WITHOUT_OWN_SCHEMA: Invalid in crate::codes::FEATURE, "crd/selectable-without-own-schema",
        "may only be set when `version.schema.openAPIV3Schema` is not included";
    /// The schema of selectable fields cannot be used.
    SELECTABLE_SCHEMA: Invalid in crate::codes::NOT_STRUCTURAL, "crd/selectable-schema", "{}";
    /// The path of a selectable field cannot be read.
    SELECTABLE_PATH: Invalid in crate::codes::FEATURE, "crd/selectable-path", "is an invalid path: {}";
    /// A selectable field is one of the metadata.
    SELECTABLE_METADATA: Invalid in crate::codes::FEATURE, "crd/selectable-metadata",
        "must not point to fields in metadata";
    /// A selectable field is not a string, a boolean or an integer.
    SELECTABLE_TYPE: Invalid in crate::codes::FEATURE, "crd/selectable-type", WRONG_TYPE;
}

/// How many different fields can be selected.
pub(super) const MOST_SELECTABLE: usize = 8;

const WRONG_TYPE: &str = "must point to a field of type string, boolean or integer. Enum string fields and strings \
                          with formats are allowed.";

/// Those that all versions share.
pub(super) fn validate_shared(spec: &Spec, options: &Options, errors: &mut Vec<FieldError>) {
    let Some(first) = spec.selectable_fields.first() else { return };
    let path = Trail::root("spec.selectableFields", first.written.0.as_ref());
    match &spec.validation {
        None => {
            errors.push(path.refuse_text("", &SELECTABLE_WITHOUT_SCHEMA));
        }
        Some(validation) => {
            let schema_path = Trail::root("spec.schema.openAPIV3Schema", validation.written.0.as_ref());
            let Some(schema) = structural(validation.schema.as_deref(), &schema_path, errors) else { return };
            let paths = |index: usize| FieldPath::of("spec.selectableFields").index(index);
            fields(&spec.selectable_fields, &schema, &path, &paths, options, "", errors);
        }
    }
}

/// Those of one version.
pub(super) fn validate_own(
    version: &Version,
    options: &Options,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    if version.selectable_fields.is_empty() {
        return;
    }
    let list = path.child("selectableFields");
    let schema = version.validation.as_ref().and_then(|validation| validation.schema.as_deref());
    if schema.is_none() {
        errors.push(list.refuse_text("", &SELECTABLE_WITHOUT_OWN_SCHEMA));
        return;
    }
    let holder = path.child("schema");
    let Some(schema) = structural(schema, &holder.child("openAPIV3Schema"), errors) else { return };
    let named = list.path();
    let paths = |index: usize| named.index(index);
    fields(&version.selectable_fields, &schema, &list, &paths, options, &version.name, errors);
}

fn structural(schema: Option<&Props>, path: &Trail<'_>, errors: &mut Vec<FieldError>) -> Option<Structural> {
    match Structural::new(schema?) {
        Ok(structural) => Some(structural),
        Err(refused) => {
            let error = path.refuse_text("", SELECTABLE_SCHEMA.with(refused.text));
            errors.push(FieldError { place: refused.place.or(error.place), ..error });
            None
        }
    }
}

fn fields(
    fields: &[SelectableField],
    schema: &Structural,
    list: &Trail<'_>,
    path_of: &dyn Fn(usize) -> FieldPath,
    options: &Options,
    version: &str,
    errors: &mut Vec<FieldError>,
) {
    let mut unique = BTreeSet::new();
    for (index, field) in fields.iter().enumerate() {
        let named = path_of(index);
        let item = Trail::at(&named, field.written.0.as_ref());
        let path = item.child("jsonPath");
        let json_path = &*field.json_path;
        if json_path.is_empty() {
            errors.push(path.missing());
            continue;
        }
        let found = match schema.follow(json_path, Brackets::Forbidden) {
            Ok(found) => found,
            Err(problem) => {
                errors.push(path.refuse_text(json_path, SELECTABLE_PATH.with(problem.to_string())));
                continue;
            }
        };
        if found.first == "metadata" {
            errors.push(path.refuse_text(json_path, &SELECTABLE_METADATA));
        }
        let type_name = found.schema.map(|schema| &*schema.generic.type_name);
        if !matches!(type_name, Some("string" | "boolean" | "integer")) {
            errors.push(path.refuse_text(json_path, &SELECTABLE_TYPE));
        }
        if !unique.insert(found.path.to_string()) {
            errors.push(path.duplicate(json_path));
        }
    }
    if unique.len() > MOST_SELECTABLE && !options.too_many_selectable.contains(version) {
        let error = list.too_many(unique.len(), MOST_SELECTABLE);
        let last = fields.get(MOST_SELECTABLE).and_then(|field| field.written.place());
        errors.push(FieldError { place: last.or(list.place(Reason::TooMany)), ..error });
    }
}
