//! Completeness: what value validations speak of has to be in the structure too.

use trueline_kube_facts::{FieldError, Trail, rules};

use super::{NestedValueValidation, Structural, ValueValidation};

rules! {
    /// A field is only defined inside of a branch.
    MISSING_OUTSIDE: Required in crate::codes::NOT_STRUCTURAL, "crd/missing-outside",
        "because it is defined in {}";
}

/// What the server reports: it begins at the root and follows the branches from there.
pub(super) fn completeness(schema: &Structural, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if let Some(validation) = &schema.value_validation {
        branches(validation, schema, path, path, errors);
    }
}

impl Structural {
    /// What is missing from the structure below the root: the same rule, which the server forgets to apply
    /// to branches of anything but the root.
    pub fn incomplete_below_root(&self, path: &Trail<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        below(self, path, &mut errors);
        errors.sort_by_cached_key(FieldError::message);
        errors
    }
}

fn below(schema: &Structural, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let mut visit = |schema: &Structural, path: &Trail<'_>| {
        completeness(schema, path, errors);
        below(schema, path, errors);
    };
    if let Some(items) = &schema.items {
        visit(items, &path.child("items"));
    }
    let properties = path.child("properties");
    for (name, property) in &schema.properties {
        visit(property, &properties.key(name));
    }
    if let Some(crate::props::OrBool::Schema(additional)) = schema.additional_properties.as_deref() {
        visit(additional, &path.child("additionalProperties"));
    }
}

/// `at` is the path of the structure, `path` that of the validation.
fn branches(
    validation: &ValueValidation,
    schema: &Structural,
    at: &Trail<'_>,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(not) = &validation.not {
        nested(not, schema, at, &path.child("not"), errors);
    }
    let lists = [("allOf", &validation.all_of), ("anyOf", &validation.any_of), ("oneOf", &validation.one_of)];
    for (keyword, list) in lists {
        let path = path.child(keyword);
        for (index, branch) in list.iter().enumerate() {
            nested(branch, schema, at, &path.index(index), errors);
        }
    }
}

fn nested(
    branch: &NestedValueValidation,
    schema: &Structural,
    at: &Trail<'_>,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    branches(&branch.value_validation, schema, at, path, errors);
    if let Some(items) = &branch.items {
        let (at, path) = (at.child("items"), path.child("items"));
        match &schema.items {
            Some(schema) => nested(items, schema, &at, &path, errors),
            None => errors.push(missing(&at, &path)),
        }
    }
    let (at, path) = (at.child("properties"), path.child("properties"));
    for (name, property) in &branch.properties {
        let (at, path) = (at.key(name), path.key(name));
        match schema.properties.get(name) {
            Some(schema) => nested(property, schema, &at, &path, errors),
            None => errors.push(missing(&at, &path)),
        }
    }
}

/// The server names the place where something is missing; where it is typed helps more.
fn missing(at: &Trail<'_>, path: &Trail<'_>) -> FieldError {
    let mut error = at.refuse(MISSING_OUTSIDE.with(path.path().to_string()));
    error.place = path.place(trueline_kube_facts::Reason::Forbidden).or(error.place);
    error
}
