//! The model of a structural schema: one part that says which fields there are, and value validations on top
//! of it that may say more about values but never about structure.

pub(crate) mod complete;
mod drop;
mod json_path;
mod new;
pub(crate) mod ratchet;
mod unfold;
pub(crate) mod unions;
pub(crate) mod validate;

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_source::Span;
use trueline_yaml::Value;

use crate::props::{OrBool, Rule};

pub use json_path::{Brackets, FoundField};
pub use new::NotStructural;
pub use unions::Union;

/// A structural schema.
#[derive(Debug, Clone, Default)]
pub struct Structural {
    /// Where it was typed.
    pub place: Option<Span>,
    /// The schema of the items of a list.
    pub items: Option<Box<Structural>>,
    /// The schemas of the fields of an object. Each is in a box: a map of a few fields makes room for eleven.
    pub properties: BTreeMap<Arc<str>, Box<Structural>>,
    /// The schema of all fields of a map; `true` and `false` are both a schema that says nothing.
    pub additional_properties: Option<Box<OrBool<Structural>>>,
    /// What any schema may say.
    pub generic: Generic,
    /// What Kubernetes adds.
    pub extensions: Extensions,
    /// Rules in CEL.
    pub rules: Vec<Rule>,
    /// `x-kubernetes-unions`, which the server does not know.
    pub unions: Vec<Union>,
    /// What is demanded of the value.
    pub value_validation: Option<Box<ValueValidation>>,
}

impl Structural {
    /// The schema of a field, if it has one of its own.
    pub fn property(&self, name: &str) -> Option<&Structural> {
        self.properties.get(name).map(|property| &**property)
    }

    /// Whether the schema, or one of those that say which fields and items there are, is as asked.
    pub(crate) fn any(&self, asked: &impl Fn(&Structural) -> bool) -> bool {
        asked(self)
            || self.items.as_ref().is_some_and(|items| items.any(asked))
            || self.properties.values().any(|property| property.any(asked))
            || matches!(self.additional_properties.as_deref(), Some(OrBool::Schema(schema)) if schema.any(asked))
    }

    /// Gives up what only people read.
    pub(crate) fn forget_descriptions(&mut self) {
        self.generic.description = Arc::default();
        self.generic.title = Arc::default();
        self.items.iter_mut().for_each(|items| items.forget_descriptions());
        self.properties.values_mut().for_each(|property| property.forget_descriptions());
        if let Some(OrBool::Schema(values)) = self.additional_properties.as_deref_mut() {
            values.forget_descriptions();
        }
    }
}

/// Whether a value is a whole object, with `apiVersion`, `kind` and `metadata` that no schema has to name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// It is.
    Resource,
    /// It is a part of one; its schema may still say that it is one.
    Value,
}

/// Keywords that belong to the structure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Generic {
    /// `description`
    pub description: Arc<str>,
    /// `type`
    pub type_name: Arc<str>,
    /// `title`
    pub title: Arc<str>,
    /// `default`
    pub default: Option<Value>,
    /// `nullable`
    pub nullable: bool,
}

/// Keywords that Kubernetes adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extensions {
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown_fields: bool,
    /// `x-kubernetes-embedded-resource`
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Vec<Arc<str>>,
    /// `x-kubernetes-list-type`
    pub list_type: Option<Arc<str>>,
    /// `x-kubernetes-map-type`
    pub map_type: Option<Arc<str>>,
}

/// What is demanded of a value, beside its structure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ValueValidation {
    /// `format`
    pub format: Arc<str>,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `maxLength`
    pub max_length: Option<i64>,
    /// `minLength`
    pub min_length: Option<i64>,
    /// `pattern`
    pub pattern: Arc<str>,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
    /// `enum`
    pub choices: Vec<Value>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `required`
    pub required: Vec<Arc<str>>,
    /// `allOf`
    pub all_of: Vec<NestedValueValidation>,
    /// `anyOf`
    pub any_of: Vec<NestedValueValidation>,
    /// `oneOf`
    pub one_of: Vec<NestedValueValidation>,
    /// `not`
    pub not: Option<Box<NestedValueValidation>>,
}

/// A value validation below `allOf`, `anyOf`, `oneOf` or `not`: it may speak of fields and items, but what
/// belongs to the structure is forbidden in it.
#[derive(Debug, Clone, Default)]
pub struct NestedValueValidation {
    /// Where it was typed.
    pub place: Option<Span>,
    /// What is demanded of the value.
    pub value_validation: ValueValidation,
    /// What is demanded of items.
    pub items: Option<Box<NestedValueValidation>>,
    /// What is demanded of fields. Each is in a box: a map of a few fields makes room for eleven.
    pub properties: BTreeMap<Arc<str>, Box<NestedValueValidation>>,
    /// `additionalProperties`, which is forbidden here unless it is `false`.
    pub additional_properties: Option<Box<OrBool<NestedValueValidation>>>,
    /// Keywords of the structure, forbidden here.
    pub forbidden_generic: Generic,
    /// Keywords that Kubernetes adds, forbidden here.
    pub forbidden_extensions: Extensions,
    /// Rules in CEL, forbidden here.
    pub rules: Vec<Rule>,
    /// `x-kubernetes-unions`, forbidden here.
    pub unions: Vec<Union>,
}

/// Where it was typed does not count.
impl PartialEq for NestedValueValidation {
    fn eq(&self, other: &Self) -> bool {
        self.value_validation == other.value_validation
            && self.items == other.items
            && self.properties == other.properties
            && self.additional_properties == other.additional_properties
            && self.forbidden_generic == other.forbidden_generic
            && self.forbidden_extensions == other.forbidden_extensions
            && self.rules == other.rules
            && self.unions == other.unions
    }
}
