//! The schema of a version as a CRD has it written: every keyword that a CRD may hold or that is forbidden in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_kube_facts::decode::fields;
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use crate::value::with_server_numbers;

/// What something was read from, with the places of its keywords; nothing for what was made. It has no part in
/// what things are equal.
#[derive(Debug, Clone, Default)]
pub struct Written(pub Option<Value>);

impl PartialEq for Written {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Written {
    /// Where it was typed.
    pub fn place(&self) -> Option<Span> {
        self.0.as_ref().and_then(|value| value.origin)
    }

    /// Whether a keyword was typed and is not null.
    pub fn has(&self, keyword: &str) -> bool {
        self.0.as_ref().is_some_and(|value| fields::get(value, keyword).is_some())
    }
}

/// A schema as written (`JSONSchemaProps`). A keyword with its zero value is one that is not there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Props {
    /// What it was read from.
    pub written: Written,
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
    /// `properties`. Each is in a box: a map of a few fields makes room for eleven.
    pub properties: BTreeMap<Arc<str>, Box<Props>>,
    /// `additionalProperties`
    pub additional_properties: Option<Box<OrBool<Props>>>,
    /// `patternProperties`
    pub pattern_properties: BTreeMap<Arc<str>, Box<Props>>,
    /// `dependencies`; an empty map that was written is not the same as none
    pub dependencies: Option<BTreeMap<Arc<str>, StringsOrSchema>>,
    /// `additionalItems`
    pub additional_items: Option<Box<OrBool<Props>>>,
    /// `definitions`
    pub definitions: BTreeMap<Arc<str>, Box<Props>>,
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

/// `items`: one schema, or a list of them. It is always in a box.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)]
pub enum Items {
    /// One for every item.
    Schema(Props),
    /// One for each position, which CRDs may not have; none for what the server cannot read.
    List(Vec<Props>),
}

/// A schema, or whether anything is allowed.
#[derive(Debug, Clone, PartialEq)]
pub enum OrBool<T> {
    /// Anything, or nothing.
    Bool(bool),
    /// What the schema allows.
    Schema(T),
}

/// An entry of `dependencies`.
#[derive(Debug, Clone, PartialEq)]
pub enum StringsOrSchema {
    /// Names that must be there too.
    Strings(Vec<Arc<str>>),
    /// A schema that must hold too; what the server cannot read is kept as an empty one.
    Schema(Box<Props>),
}

/// An entry of `x-kubernetes-validations`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rule {
    /// Where it and its parts were typed.
    pub places: RulePlaces,
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

/// Where a rule was typed. What it was read from need not be kept for them. They have no part in what rules are equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct RulePlaces {
    /// The whole entry.
    pub whole: Option<Span>,
    /// `rule`
    pub rule: Option<Span>,
    /// `messageExpression`
    pub message_expression: Option<Span>,
}

impl PartialEq for RulePlaces {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn boxed(value: &Value) -> Box<Props> {
    Box::new(Props::read(value))
}

impl Props {
    /// The schema that a value is, which has been checked to be one. How deep it is has been bounded there.
    pub(crate) fn read(value: &Value) -> Self {
        let schemas = |name| fields::items(value, name).iter().map(Props::read).collect();
        Props {
            written: Written(Some(value.clone())),
            id: fields::text(value, "id"),
            schema: fields::text(value, "$schema"),
            reference: fields::optional_text(value, "$ref"),
            description: fields::text(value, "description"),
            type_name: fields::text(value, "type"),
            format: fields::text(value, "format"),
            title: fields::text(value, "title"),
            default: fields::get(value, "default").map(with_server_numbers),
            maximum: fields::number(value, "maximum"),
            exclusive_maximum: fields::flag(value, "exclusiveMaximum"),
            minimum: fields::number(value, "minimum"),
            exclusive_minimum: fields::flag(value, "exclusiveMinimum"),
            max_length: fields::integer(value, "maxLength"),
            min_length: fields::integer(value, "minLength"),
            pattern: fields::text(value, "pattern"),
            max_items: fields::integer(value, "maxItems"),
            min_items: fields::integer(value, "minItems"),
            unique_items: fields::flag(value, "uniqueItems"),
            multiple_of: fields::number(value, "multipleOf"),
            choices: fields::items(value, "enum").iter().map(with_server_numbers).collect(),
            max_properties: fields::integer(value, "maxProperties"),
            min_properties: fields::integer(value, "minProperties"),
            required: fields::texts(value, "required"),
            items: fields::get(value, "items").map(|items| Box::new(Items::read(items))),
            all_of: schemas("allOf"),
            one_of: schemas("oneOf"),
            any_of: schemas("anyOf"),
            not: fields::get(value, "not").map(|not| Box::new(Props::read(not))),
            properties: fields::map(value, "properties", boxed),
            additional_properties: OrBool::read(value, "additionalProperties"),
            pattern_properties: fields::map(value, "patternProperties", boxed),
            dependencies: fields::get(value, "dependencies")
                .map(|_| fields::map(value, "dependencies", StringsOrSchema::read)),
            additional_items: OrBool::read(value, "additionalItems"),
            definitions: fields::map(value, "definitions", boxed),
            external_docs: fields::get(value, "externalDocs").cloned(),
            example: fields::get(value, "example").cloned(),
            nullable: fields::flag(value, "nullable"),
            preserve_unknown_fields: fields::optional_flag(value, "x-kubernetes-preserve-unknown-fields"),
            embedded_resource: fields::flag(value, "x-kubernetes-embedded-resource"),
            int_or_string: fields::flag(value, "x-kubernetes-int-or-string"),
            list_map_keys: fields::texts(value, "x-kubernetes-list-map-keys"),
            list_type: fields::optional_text(value, "x-kubernetes-list-type"),
            map_type: fields::optional_text(value, "x-kubernetes-map-type"),
            validations: fields::items(value, "x-kubernetes-validations").iter().map(Rule::read).collect(),
        }
    }

    /// The schema of the items, if there is exactly one.
    pub fn item(&self) -> Option<&Props> {
        match self.items.as_deref()? {
            Items::Schema(schema) => Some(schema),
            Items::List(_) => None,
        }
    }

    /// Whether the schema, or any schema inside it, is as asked. Every schema is visited until one is.
    pub fn any(&self, mut asked: impl FnMut(&Props) -> bool) -> bool {
        self.any_inside(&mut asked)
    }

    fn any_inside(&self, asked: &mut impl FnMut(&Props) -> bool) -> bool {
        asked(self) || self.children().into_iter().any(|child| child.any_inside(asked))
    }

    /// The schemas directly inside.
    fn children(&self) -> Vec<&Props> {
        let mut children: Vec<&Props> = Vec::new();
        match self.items.as_deref() {
            Some(Items::Schema(schema)) => children.push(schema),
            Some(Items::List(schemas)) => children.extend(schemas),
            None => {}
        }
        children.extend(self.all_of.iter().chain(&self.any_of).chain(&self.one_of));
        children.extend(self.not.as_deref());
        children.extend(self.properties.values().map(|schema| &**schema));
        for schema in [&self.additional_properties, &self.additional_items] {
            if let Some(OrBool::Schema(schema)) = schema.as_deref() {
                children.push(schema);
            }
        }
        let others = self.pattern_properties.values().chain(self.definitions.values());
        children.extend(others.map(|schema| &**schema));
        for dependency in self.dependencies.iter().flatten() {
            if let (_, StringsOrSchema::Schema(schema)) = dependency {
                children.push(schema);
            }
        }
        children
    }
}

impl Items {
    fn read(value: &Value) -> Self {
        match &value.data {
            Data::Map(_) => Items::Schema(Props::read(value)),
            Data::List(items) => Items::List(items.iter().map(Props::read).collect()),
            _ => Items::List(Vec::new()),
        }
    }
}

impl OrBool<Props> {
    fn read(value: &Value, name: &str) -> Option<Box<Self>> {
        let value = fields::get(value, name)?;
        Some(Box::new(match value.data {
            Data::Bool(allowed) => OrBool::Bool(allowed),
            _ => OrBool::Schema(Props::read(value)),
        }))
    }
}

impl StringsOrSchema {
    fn read(value: &Value) -> Self {
        match &value.data {
            Data::List(items) => StringsOrSchema::Strings(items.iter().map(fields::text_of).collect()),
            _ => StringsOrSchema::Schema(Box::new(Props::read(value))),
        }
    }
}

impl Rule {
    fn read(value: &Value) -> Self {
        let place = |keyword: &str| value.get(keyword).and_then(|value| value.origin);
        Rule {
            places: RulePlaces {
                whole: value.origin,
                rule: place("rule"),
                message_expression: place("messageExpression"),
            },
            rule: fields::text(value, "rule"),
            message: fields::text(value, "message"),
            message_expression: fields::text(value, "messageExpression"),
            reason: fields::optional_text(value, "reason"),
            field_path: fields::text(value, "fieldPath"),
            optional_old_self: fields::optional_flag(value, "optionalOldSelf"),
        }
    }

    /// Where its expression was typed, or else the whole rule.
    pub fn place(&self) -> Option<Span> {
        self.places.rule.or(self.places.whole)
    }
}
