//! The schema of a version as a CRD has it written: every keyword that a CRD may hold or that is forbidden in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_yaml::Value;

/// A schema as written (`JSONSchemaProps`). A keyword with its zero value is one that is not there.
#[derive(Debug, Clone, Default)]
pub struct Props {
    /// What it was read from, with the places of its keywords; nothing for a schema that was made.
    pub written: Option<Value>,
    /// `id`
    pub id: Arc<str>,
    /// `$schema`
    pub schema: Arc<str>,
    /// `$ref`
    pub reference: Option<Arc<str>>,
    /// `description`
    pub description: Arc<str>,
    /// `type`
    pub type_name: Arc<str>,
    /// `format`
    pub format: Arc<str>,
    /// `title`
    pub title: Arc<str>,
    /// `default`
    pub default: Option<Value>,
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
    /// `items`
    pub items: Option<Box<Items>>,
    /// `allOf`
    pub all_of: Vec<Props>,
    /// `oneOf`
    pub one_of: Vec<Props>,
    /// `anyOf`
    pub any_of: Vec<Props>,
    /// `not`
    pub not: Option<Box<Props>>,
    /// `properties`
    pub properties: BTreeMap<Arc<str>, Props>,
    /// `additionalProperties`
    pub additional_properties: Option<Box<OrBool<Props>>>,
    /// `patternProperties`
    pub pattern_properties: BTreeMap<Arc<str>, Props>,
    /// `dependencies`; an empty map that was written is not the same as none
    pub dependencies: Option<BTreeMap<Arc<str>, StringsOrSchema>>,
    /// `additionalItems`
    pub additional_items: Option<Box<OrBool<Props>>>,
    /// `definitions`
    pub definitions: BTreeMap<Arc<str>, Props>,
    /// `externalDocs`
    pub external_docs: Option<Value>,
    /// `example`
    pub example: Option<Value>,
    /// `nullable`
    pub nullable: bool,
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown_fields: Option<bool>,
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
    /// `x-kubernetes-validations`
    pub validations: Vec<Rule>,
}

/// `items`: one schema, or a list of them.
#[derive(Debug, Clone)]
pub enum Items {
    /// One for every item.
    Schema(Props),
    /// One for each position, which CRDs may not have.
    List(Vec<Props>),
}

/// A schema, or whether anything is allowed.
#[derive(Debug, Clone)]
pub enum OrBool<T> {
    /// Anything, or nothing.
    Bool(bool),
    /// What the schema allows.
    Schema(T),
}

/// An entry of `dependencies`.
#[derive(Debug, Clone)]
pub enum StringsOrSchema {
    /// Names that must be there too.
    Strings(Vec<Arc<str>>),
    /// A schema that must hold too; what the server cannot read is kept as an empty one.
    Schema(Box<Props>),
}

/// An entry of `x-kubernetes-validations`.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// What it was read from.
    pub written: Option<Value>,
    /// `rule`
    pub rule: Arc<str>,
    /// `message`
    pub message: Arc<str>,
    /// `messageExpression`
    pub message_expression: Arc<str>,
    /// `reason`
    pub reason: Option<Arc<str>>,
    /// `fieldPath`
    pub field_path: Arc<str>,
    /// `optionalOldSelf`
    pub optional_old_self: Option<bool>,
}
