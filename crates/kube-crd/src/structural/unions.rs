//! Unions (`x-kubernetes-unions`): sets of fields of which an object has exactly one, as the document of structural
//! schemas describes them. Servers never learned them: the keyword is an unknown field there, so everything here is
//! stricter than a server. What objects make of them is in `object/unions.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trueline_kube_facts::decode::fields;
use trueline_kube_facts::{FieldError, Trail, rules};
use trueline_yaml::Value;

use super::{NestedValueValidation, Structural, ValueValidation};
use crate::props::{OrBool, Props};

rules! {
    /// A union without a discriminator lists its fields.
    UNION_FIELDS: Forbidden in crate::codes::BAD_UNION, "crd/union-fields",
        "must be undefined if discriminator is empty";
    /// A union has no discriminator.
    UNION_NO_DISCRIMINATOR: Required in crate::codes::BAD_UNION, "crd/union-no-discriminator",
        "names the field that says which of the fields is set";
    /// A union lists no fields.
    UNION_NO_FIELDS: Required in crate::codes::BAD_UNION, "crd/union-no-fields",
        "lists the fields of the union with their discriminator values";
    /// The discriminator of a union is not a string.
    UNION_DISCRIMINATOR_TYPE: Invalid in crate::codes::BAD_UNION, "crd/union-discriminator-type",
        "must be a property of type string";
    /// The discriminator of a union does not exist.
    UNION_DISCRIMINATOR: Invalid in crate::codes::BAD_UNION, "crd/union-discriminator",
        "must be the name of a property";
    /// A field of a union does not exist.
    UNION_UNKNOWN_FIELD: Invalid in crate::codes::BAD_UNION, "crd/union-unknown-field",
        "must be the name of a property";
    /// A field of a union is its discriminator.
    UNION_FIELD_IS_DISCRIMINATOR: Invalid in crate::codes::BAD_UNION, "crd/union-field-is-discriminator",
        "must not be the discriminator";
    /// A field of a union is required.
    UNION_REQUIRED_FIELD: Invalid in crate::codes::BAD_UNION, "crd/union-required-field",
        "must not be required, because only one field of the union is set";
    /// A field of a union has no value of the discriminator.
    UNION_NO_VALUE: Required in crate::codes::BAD_UNION, "crd/union-no-value",
        "the value of the discriminator that stands for the field";
    /// A field is in two unions.
    UNION_SHARED_FIELD: Invalid in crate::codes::BAD_UNION, "crd/union-shared-field",
        "must not be in two unions";
    /// A union is inside a branch.
    UNION_IN_BRANCH: Forbidden in crate::codes::BAD_UNION, "crd/union-in-branch",
        "must be empty to be structural";
}

const KEYWORD: &str = "x-kubernetes-unions";

/// An entry of `x-kubernetes-unions`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Union {
    /// `discriminator`: the field that says which one of the fields there is.
    pub discriminator: Option<Arc<str>>,
    /// `fields`: the fields, each with the value of the discriminator that stands for it.
    pub fields: BTreeMap<Arc<str>, Arc<str>>,
}

impl Union {
    /// The unions of a schema. What cannot be read is left out here and reported by
    /// [`Structural::validate_unions`].
    pub(super) fn of(props: &Props) -> Vec<Union> {
        let Some(written) = &props.written.0 else { return Vec::new() };
        let read = |union: &Value| Union {
            discriminator: fields::optional_text(union, "discriminator"),
            fields: fields::text_map(union, "fields"),
        };
        fields::items(written, KEYWORD).iter().map(read).collect()
    }

    /// Whether objects can be checked against it: it has a discriminator that is a string, and its fields exist.
    pub(crate) fn is_sound(&self, schema: &Structural) -> bool {
        let discriminator = self.discriminator.as_deref().unwrap_or_default();
        let is_string =
            |property: &Structural| !discriminator.is_empty() && &*property.generic.type_name == "string";
        !self.fields.is_empty()
            && schema.property(discriminator).is_some_and(is_string)
            && self
                .fields
                .keys()
                .all(|field| &**field != discriminator && schema.properties.contains_key(field))
    }
}

impl Structural {
    /// Whether there are unions anywhere in the schema.
    pub fn has_unions(&self) -> bool {
        self.any(&|schema| !schema.unions.is_empty())
    }

    /// All that is wrong with how unions are defined.
    pub fn validate_unions(&self, path: &Trail<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        definitions(self, path, &mut errors);
        errors
    }
}

fn definitions(schema: &Structural, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let unions = path.child(KEYWORD);
    let mut seen = BTreeSet::new();
    for (index, union) in schema.unions.iter().enumerate() {
        definition(schema, union, &unions.index(index), &mut seen, errors);
    }
    if let Some(validation) = &schema.value_validation {
        in_branches(validation, path, errors);
    }
    if let Some(items) = &schema.items {
        definitions(items, &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &schema.properties {
        definitions(property, &properties.key(name), errors);
    }
    if let Some(OrBool::Schema(additional)) = schema.additional_properties.as_deref() {
        definitions(additional, &path.child("additionalProperties"), errors);
    }
}

fn definition<'s>(
    schema: &'s Structural,
    union: &'s Union,
    path: &Trail<'_>,
    seen: &mut BTreeSet<&'s str>,
    errors: &mut Vec<FieldError>,
) {
    let discriminator = union.discriminator.as_deref().unwrap_or_default();
    let (discriminator_path, fields_path) = (path.child("discriminator"), path.child("fields"));
    if discriminator.is_empty() {
        if !union.fields.is_empty() {
            errors.push(fields_path.refuse(&UNION_FIELDS));
        }
        errors.push(discriminator_path.refuse(&UNION_NO_DISCRIMINATOR));
        return;
    }
    if union.fields.is_empty() {
        errors.push(fields_path.refuse(&UNION_NO_FIELDS));
    }
    match schema.properties.get(discriminator) {
        Some(property) if &*property.generic.type_name == "string" => {}
        Some(_) => errors.push(discriminator_path.refuse_text(discriminator, &UNION_DISCRIMINATOR_TYPE)),
        None => errors.push(discriminator_path.refuse_text(discriminator, &UNION_DISCRIMINATOR)),
    }
    let mut values = BTreeSet::new();
    let required = schema.value_validation.as_ref().map(|validation| &*validation.required);
    let required: BTreeSet<&str> = required.unwrap_or_default().iter().map(|name| &**name).collect();
    for (field, value) in &union.fields {
        let path = fields_path.key(field);
        if !schema.properties.contains_key(field) {
            errors.push(path.refuse_text(field, &UNION_UNKNOWN_FIELD));
        }
        if &**field == discriminator {
            errors.push(path.refuse_text(field, &UNION_FIELD_IS_DISCRIMINATOR));
        }
        if required.contains(&**field) {
            errors.push(path.refuse_text(field, &UNION_REQUIRED_FIELD));
        }
        if value.is_empty() {
            errors.push(path.refuse(&UNION_NO_VALUE));
        } else if !values.insert(&**value) {
            errors.push(path.duplicate(value));
        }
        if !seen.insert(field) {
            errors.push(path.refuse_text(field, &UNION_SHARED_FIELD));
        }
    }
}

fn in_branches(validation: &ValueValidation, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if let Some(not) = &validation.not {
        in_branch(not, &path.child("not"), errors);
    }
    let lists = [("allOf", &validation.all_of), ("anyOf", &validation.any_of), ("oneOf", &validation.one_of)];
    for (keyword, branches) in lists {
        let path = path.child(keyword);
        for (index, branch) in branches.iter().enumerate() {
            in_branch(branch, &path.index(index), errors);
        }
    }
}

fn in_branch(branch: &NestedValueValidation, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if !branch.unions.is_empty() {
        errors.push(path.child(KEYWORD).refuse(&UNION_IN_BRANCH));
    }
    in_branches(&branch.value_validation, path, errors);
    if let Some(items) = &branch.items {
        in_branch(items, &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &branch.properties {
        in_branch(property, &properties.key(name), errors);
    }
}
