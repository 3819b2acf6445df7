//! Unfolding: what an extension means, spelled out as value validation, for readers that do not know the extension.

use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_yaml::Value;

use super::{NestedValueValidation, Structural, Union, ValueValidation};

/// What an `apiVersion` looks like: a group and a version, or a version alone.
const API_VERSION: &str =
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z]([-a-z0-9]*[a-z0-9])?$";

impl Structural {
    /// The same schema with `x-kubernetes-int-or-string` spelled out, as the server publishes it: as `anyOf`,
    /// or as a first branch of `allOf` where there is an `anyOf` already. Unions, which the server drops, are gone.
    pub fn unfold(mut self) -> Structural {
        self.for_each_mut(&mut |schema| {
            unfold_int_or_string(schema);
            schema.unions.clear();
        });
        self
    }

    /// The same schema with all that the extensions mean spelled out, as the document of structural schemas
    /// describes it: integers or strings, embedded resources and unions.
    pub fn unfold_all(mut self) -> Structural {
        self.for_each_mut(&mut |schema| {
            unfold_int_or_string(schema);
            if schema.extensions.embedded_resource {
                unfold_embedded_resource(schema);
            }
            for union in schema.unions.clone() {
                unfold_union(schema, &union);
            }
        });
        self
    }
}

fn unfold_int_or_string(schema: &mut Structural) {
    if !schema.extensions.int_or_string {
        return;
    }
    let validation = schema.value_validation.get_or_insert_default();
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
            and_pattern(property.value_validation.get_or_insert_default(), API_VERSION);
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
        and_choices(property.value_validation.get_or_insert_default(), choices);
    }
}

/// Demands a pattern: in place where there is none, or else both patterns in `allOf`.
fn and_pattern(said: &mut ValueValidation, pattern: &str) {
    let pattern = ValueValidation { pattern: pattern.into(), ..ValueValidation::default() };
    if said.pattern.is_empty() {
        said.pattern = pattern.pattern;
        return;
    }
    if said.pattern != pattern.pattern {
        let before =
            ValueValidation { pattern: std::mem::take(&mut said.pattern), ..ValueValidation::default() };
        said.all_of.splice(0..0, [pattern.into(), before.into()]);
    }
}

/// Demands one of some choices: in place where it can be said there, or else beside the other choices in `allOf`.
fn and_choices(said: &mut ValueValidation, choices: Vec<Value>) {
    let known: BTreeSet<&str> = said.choices.iter().filter_map(Value::as_str).collect();
    let all_known = choices.iter().all(|choice| choice.as_str().is_some_and(|text| known.contains(text)));
    if said.choices.is_empty() || all_known {
        // In the order that was typed, where that says the same.
        if said.choices.len() != choices.len() {
            said.choices = choices;
        }
    } else {
        said.all_of.insert(0, ValueValidation { choices, ..ValueValidation::default() }.into());
    }
}

impl From<ValueValidation> for NestedValueValidation {
    fn from(value_validation: ValueValidation) -> Self {
        NestedValueValidation { value_validation, ..NestedValueValidation::default() }
    }
}
