//! Unfolding: what an extension means, spelled out as value validation, for readers that do not know the extension.

use std::sync::Arc;

use trueline_yaml::Value;

use super::{NestedValueValidation, Structural, Union, ValueValidation};

/// What an `apiVersion` looks like: a group and a version, or a version alone.
const API_VERSION: &str =
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z]([-a-z0-9]*[a-z0-9])?$";

impl Structural {
    /// The same schema with `x-kubernetes-int-or-string` spelled out, as the server publishes it: as `anyOf`,
    /// or as a first branch of `allOf` where there is an `anyOf` already.
    pub fn unfold(mut self) -> Structural {
        self.for_each_mut(&mut |schema| {
            if schema.extensions.int_or_string {
                unfold_int_or_string(schema.value_validation.get_or_insert_default());
            }
        });
        self
    }

    /// The same schema with all that the extensions mean spelled out, as the document of structural schemas
    /// describes it: integers or strings, embedded resources and unions.
    pub fn unfold_all(self) -> Structural {
        let mut unfolded = self.unfold();
        unfolded.for_each_mut(&mut |schema| {
            if schema.extensions.embedded_resource {
                unfold_embedded_resource(schema);
            }
            for union in schema.unions.clone() {
                unfold_union(schema, &union);
            }
        });
        unfolded
    }
}

fn unfold_int_or_string(validation: &mut ValueValidation) {
    if validation.is_int_or_string() || validation.begins_int_or_string() {
        return;
    }
    let either = vec![NestedValueValidation::of_type("integer"), NestedValueValidation::of_type("string")];
    if validation.any_of.is_empty() {
        validation.any_of = either;
    } else {
        let first = ValueValidation { any_of: either, ..ValueValidation::default() };
        validation.all_of.insert(0, first.into());
    }
}

/// Its version and kind, which are text, and its metadata, which is an object.
fn unfold_embedded_resource(schema: &mut Structural) {
    for (name, type_name) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
        let property = schema.properties.entry(name.into()).or_default();
        if property.generic.type_name.is_empty() {
            property.generic.type_name = type_name.into();
        }
        if name == "apiVersion" {
            and(property, ValueValidation { pattern: API_VERSION.into(), ..ValueValidation::default() });
        }
    }
    let required = &mut schema.value_validation.get_or_insert_default().required;
    for name in ["kind", "apiVersion"] {
        if !required.iter().any(|known| &**known == name) {
            required.push(name.into());
        }
    }
}

/// Exactly one of its fields, and a discriminator that names one of them.
fn unfold_union(schema: &mut Structural, union: &Union) {
    let one_of: Vec<NestedValueValidation> = union
        .fields
        .keys()
        .map(|field| {
            ValueValidation { required: vec![Arc::clone(field)], ..ValueValidation::default() }.into()
        })
        .collect();
    if one_of.is_empty() {
        return;
    }
    let validation = schema.value_validation.get_or_insert_default();
    if validation.one_of.is_empty() {
        validation.one_of = one_of;
    } else {
        validation.all_of.insert(0, ValueValidation { one_of, ..ValueValidation::default() }.into());
    }
    if let Some(discriminator) = union.discriminator.as_ref().filter(|name| !name.is_empty()) {
        let property = schema.properties.entry(Arc::clone(discriminator)).or_default();
        if property.generic.type_name.is_empty() {
            property.generic.type_name = "string".into();
        }
        let choices: Vec<Value> = union.fields.values().map(|value| Value::from(&**value)).collect();
        let is_said = property.value_validation.as_ref().is_some_and(|said| said.choices == choices);
        if !is_said {
            and(property, ValueValidation { choices, ..ValueValidation::default() });
        }
    }
}

/// Demands one more thing of a property: as it is if nothing was demanded, or else both, in `allOf`.
fn and(property: &mut Structural, demanded: ValueValidation) {
    let before = property.value_validation.take().filter(|before| !before.is_empty());
    property.value_validation = Some(Box::new(match before {
        None => demanded,
        Some(before) => {
            ValueValidation { all_of: vec![demanded.into(), (*before).into()], ..ValueValidation::default() }
        }
    }));
}

impl From<ValueValidation> for NestedValueValidation {
    fn from(value_validation: ValueValidation) -> Self {
        NestedValueValidation { value_validation, ..NestedValueValidation::default() }
    }
}
