//! Selectable fields. The server crashes where their schema cannot be made structural; here that is an error.

use std::collections::BTreeSet;

use super::super::{SelectableField, Spec, Version};
use super::options::Options;
use crate::field_error::{FieldError, Reason};
use crate::field_path::FieldPath;
use crate::props::Props;
use crate::structural::{Brackets, Structural};

/// How many different fields can be selected.
pub(super) const MOST_SELECTABLE: usize = 8;

const WRONG_TYPE: &str = "must point to a field of type string, boolean or integer. Enum string fields and strings \
                          with formats are allowed.";

/// Those that all versions share.
pub(super) fn validate_shared(spec: &Spec, options: &Options, errors: &mut Vec<FieldError>) {
    let Some(first) = spec.selectable_fields.first() else { return };
    let path = FieldPath::root("spec.selectableFields", first.written.0.as_ref());
    match &spec.validation {
        None => {
            errors.push(path.invalid("", "may only be set when validations.schema is included"));
        }
        Some(validation) => {
            let schema_path = FieldPath::root("spec.schema.openAPIV3Schema", validation.written.0.as_ref());
            let Some(schema) = structural(validation.schema.as_deref(), &schema_path, errors) else { return };
            let paths = |index: usize| format!("spec.selectableFields[{index}]");
            fields(&spec.selectable_fields, &schema, &path, &paths, options, "", errors);
        }
    }
}

/// Those of one version.
pub(super) fn validate_own(
    version: &Version,
    options: &Options,
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    if version.selectable_fields.is_empty() {
        return;
    }
    let list = path.child("selectableFields");
    let schema = version.validation.as_ref().and_then(|validation| validation.schema.as_deref());
    if schema.is_none() {
        errors
            .push(list.invalid("", "may only be set when `version.schema.openAPIV3Schema` is not included"));
        return;
    }
    let holder = path.child("schema");
    let Some(schema) = structural(schema, &holder.child("openAPIV3Schema"), errors) else { return };
    let text = list.text();
    let paths = |index: usize| format!("{text}[{index}]");
    fields(&version.selectable_fields, &schema, &list, &paths, options, &version.name, errors);
}

fn structural(
    schema: Option<&Props>,
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) -> Option<Structural> {
    match Structural::new(schema?) {
        Ok(structural) => Some(structural),
        Err(refused) => {
            let error = path.invalid("", refused.text);
            errors.push(FieldError { place: refused.place.or(error.place), ..error });
            None
        }
    }
}

fn fields(
    fields: &[SelectableField],
    schema: &Structural,
    list: &FieldPath<'_>,
    path_of: &dyn Fn(usize) -> String,
    options: &Options,
    version: &str,
    errors: &mut Vec<FieldError>,
) {
    let mut unique = BTreeSet::new();
    for (index, field) in fields.iter().enumerate() {
        let text = path_of(index);
        let item = FieldPath::root(&text, field.written.0.as_ref());
        let path = item.child("jsonPath");
        let json_path = &*field.json_path;
        if json_path.is_empty() {
            errors.push(path.required(""));
            continue;
        }
        let found = match schema.follow(json_path, Brackets::Forbidden) {
            Ok(found) => found,
            Err(problem) => {
                errors.push(path.invalid(json_path, format!("is an invalid path: {problem}")));
                continue;
            }
        };
        if found.first == "metadata" {
            errors.push(path.invalid(json_path, "must not point to fields in metadata"));
        }
        let type_name = found.schema.map(|schema| &*schema.generic.type_name);
        if !matches!(type_name, Some("string" | "boolean" | "integer")) {
            errors.push(path.invalid(json_path, WRONG_TYPE));
        }
        if !unique.insert(found.path) {
            errors.push(path.duplicate(json_path));
        }
    }
    if unique.len() > MOST_SELECTABLE && !options.too_many_selectable.contains(version) {
        let error = list.too_many(unique.len(), MOST_SELECTABLE);
        let last = fields.get(MOST_SELECTABLE).and_then(|field| field.written.place());
        errors.push(FieldError { place: last.or(list.place(Reason::TooMany)), ..error });
    }
}
