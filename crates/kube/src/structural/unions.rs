//! Unions (`x-kubernetes-unions`): sets of fields of which an object has exactly one, as the document of structural
//! schemas describes them. Servers never learned them: the keyword is an unknown field there, so everything here is
//! stricter than a server. What objects make of them is in `object/unions.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trueline_yaml::Value;

use super::{NestedValueValidation, Structural, ValueValidation};
use crate::decode::fields;
use crate::field_error::FieldError;
use crate::field_path::FieldPath;
use crate::props::{OrBool, Props};

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
        !self.unions.is_empty()
            || self.items.as_ref().is_some_and(|items| items.has_unions())
            || self.properties.values().any(|property| property.has_unions())
            || matches!(self.additional_properties.as_deref(), Some(OrBool::Schema(schema)) if schema.has_unions())
    }

    /// All that is wrong with how unions are defined.
    pub fn validate_unions(&self, path: &FieldPath<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        definitions(self, path, &mut errors);
        errors
    }
}

fn definitions(schema: &Structural, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
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
    path: &FieldPath<'_>,
    seen: &mut BTreeSet<&'s str>,
    errors: &mut Vec<FieldError>,
) {
    let discriminator = union.discriminator.as_deref().unwrap_or_default();
    let (discriminator_path, fields_path) = (path.child("discriminator"), path.child("fields"));
    if discriminator.is_empty() {
        if !union.fields.is_empty() {
            errors.push(fields_path.forbidden("must be undefined if discriminator is empty"));
        }
        errors.push(discriminator_path.required("names the field that says which of the fields is set"));
        return;
    }
    if union.fields.is_empty() {
        errors.push(fields_path.required("lists the fields of the union with their discriminator values"));
    }
    match schema.properties.get(discriminator) {
        Some(property) if &*property.generic.type_name == "string" => {}
        Some(_) => {
            errors.push(discriminator_path.invalid(discriminator, "must be a property of type string"))
        }
        None => errors.push(discriminator_path.invalid(discriminator, "must be the name of a property")),
    }
    let mut values = BTreeSet::new();
    let required = schema.value_validation.as_ref().map(|validation| &*validation.required);
    let required: BTreeSet<&str> = required.unwrap_or_default().iter().map(|name| &**name).collect();
    for (field, value) in &union.fields {
        let path = fields_path.key(field);
        if !schema.properties.contains_key(field) {
            errors.push(path.invalid(field, "must be the name of a property"));
        }
        if &**field == discriminator {
            errors.push(path.invalid(field, "must not be the discriminator"));
        }
        if required.contains(&**field) {
            errors.push(
                path.invalid(field, "must not be required, because only one field of the union is set"),
            );
        }
        if value.is_empty() {
            errors.push(path.required("the value of the discriminator that stands for the field"));
        } else if !values.insert(&**value) {
            errors.push(path.duplicate(value));
        }
        if !seen.insert(field) {
            errors.push(path.invalid(field, "must not be in two unions"));
        }
    }
}

fn in_branches(validation: &ValueValidation, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
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

fn in_branch(branch: &NestedValueValidation, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if !branch.unions.is_empty() {
        errors.push(path.child(KEYWORD).forbidden("must be empty to be structural"));
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
