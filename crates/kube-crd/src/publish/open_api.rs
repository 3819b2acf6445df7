//! A structural schema as a schema of OpenAPI, keyword by keyword.

use std::sync::Arc;

use trueline_yaml::{Data, Map, MapEntry, Value};

use crate::props::{OrBool, Rule};
use crate::structural::{Extensions, Generic, NestedValueValidation, Structural, Union, ValueValidation};

/// A schema under construction.
#[derive(Debug, Default)]
pub(super) struct Keywords {
    map: Map,
}

impl Keywords {
    /// A schema that says nothing but a type.
    pub(super) fn of_type(name: &str) -> Self {
        let mut keywords = Keywords::default();
        keywords.set("type", name);
        keywords
    }

    /// Takes up the keywords of another schema, in the place of what they were.
    pub(super) fn extend(&mut self, schema: Option<Value>) {
        if let Some(Value { data: Data::Map(map), .. }) = schema {
            self.map.extend(map.iter().map(|(keyword, entry)| (Arc::clone(keyword), entry.clone())));
        }
    }

    /// Adds an item to a list.
    pub(super) fn push(&mut self, keyword: &str, item: Value) {
        if let Some(MapEntry { value: Value { data: Data::List(items), .. }, .. }) = self.map.get_mut(keyword)
        {
            Arc::make_mut(items).push(item);
        }
    }

    /// Sets a keyword, in the place of what it was.
    pub(super) fn set(&mut self, keyword: &str, value: impl Into<Value>) {
        self.map.insert(keyword.into(), MapEntry { key_origin: None, value: value.into() });
    }

    fn set_text(&mut self, keyword: &str, text: &Arc<str>) {
        if !text.is_empty() {
            self.set(keyword, &**text);
        }
    }

    fn set_flag(&mut self, keyword: &str, flag: bool) {
        if flag {
            self.set(keyword, true);
        }
    }

    fn set_option<T: Into<Value>>(&mut self, keyword: &str, value: Option<T>) {
        if let Some(value) = value {
            self.set(keyword, value);
        }
    }

    /// Sets a list, unless it is empty.
    pub(super) fn set_list(&mut self, keyword: &str, items: impl IntoIterator<Item = Value>) {
        let items: Vec<Value> = items.into_iter().collect();
        if !items.is_empty() {
            self.set(keyword, Value::new(Data::List(Arc::new(items))));
        }
    }

    /// Sets a map, unless it is empty.
    fn set_map(&mut self, keyword: &str, entries: impl IntoIterator<Item = (Arc<str>, Value)>) {
        let entries: Value = entries.into_iter().collect();
        if !matches!(&entries.data, Data::Map(map) if map.is_empty()) {
            self.set(keyword, entries);
        }
    }

    /// The schema of a property.
    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.map.get("properties")?.value.get(name)
    }

    /// Sets the schema of a property, in the place of what it was.
    pub(super) fn set_property(&mut self, name: &str, schema: impl Into<Value>) {
        let entry = self
            .map
            .entry("properties".into())
            .or_insert_with(|| MapEntry { key_origin: None, value: Value::new(Data::Map(Arc::default())) });
        if let Data::Map(properties) = &mut entry.value.data {
            let entry = MapEntry { key_origin: None, value: schema.into() };
            Arc::make_mut(properties).insert(name.into(), entry);
        }
    }

    /// The schema.
    pub(super) fn finish(self) -> Value {
        Value::new(Data::Map(Arc::new(self.map)))
    }
}

impl From<Keywords> for Value {
    fn from(keywords: Keywords) -> Self {
        keywords.finish()
    }
}

/// A list of texts.
pub(super) fn texts<'a>(texts: impl IntoIterator<Item = &'a Arc<str>>) -> impl Iterator<Item = Value> {
    texts.into_iter().map(|text| Value::from(&**text))
}

/// What is put into a schema that is a resource of its own.
pub(super) type AddResource<'a> = &'a dyn Fn(&Structural, &mut Keywords);

/// The schema of a structural schema. `add_resource` completes schemas of embedded resources.
pub(super) fn structural(schema: &Structural, add_resource: AddResource<'_>) -> Keywords {
    let mut keywords = Keywords::default();
    if let Some(items) = schema.items.as_deref() {
        keywords.set("items", structural(items, add_resource));
    }
    keywords.set_map(
        "properties",
        schema
            .properties
            .iter()
            .map(|(name, property)| (Arc::clone(name), structural(property, add_resource).finish())),
    );
    match schema.additional_properties.as_deref() {
        None => {}
        Some(OrBool::Bool(allowed)) => keywords.set("additionalProperties", *allowed),
        Some(OrBool::Schema(schema)) => {
            keywords.set("additionalProperties", structural(schema, add_resource));
        }
    }
    generic(&schema.generic, &mut keywords);
    extensions(&schema.extensions, &mut keywords);
    keywords.set_list("x-kubernetes-unions", schema.unions.iter().map(union));
    if let Some(validation) = &schema.value_validation {
        value_validation(validation, &mut keywords);
    }
    keywords.set_list("x-kubernetes-validations", schema.rules.iter().map(rule));
    if schema.extensions.embedded_resource {
        add_resource(schema, &mut keywords);
    }
    keywords
}

fn nested(schema: &NestedValueValidation) -> Value {
    let mut keywords = Keywords::default();
    value_validation(&schema.value_validation, &mut keywords);
    keywords.set_list("x-kubernetes-validations", schema.rules.iter().map(rule));
    if let Some(items) = schema.items.as_deref() {
        keywords.set("items", nested(items));
    }
    let properties = schema.properties.iter();
    keywords.set_map("properties", properties.map(|(name, property)| (Arc::clone(name), nested(property))));
    generic(&schema.forbidden_generic, &mut keywords);
    extensions(&schema.forbidden_extensions, &mut keywords);
    keywords.finish()
}

fn generic(generic: &Generic, keywords: &mut Keywords) {
    keywords.set_text("type", &generic.type_name);
    keywords.set_flag("nullable", generic.nullable);
    keywords.set_text("description", &generic.description);
    keywords.set_text("title", &generic.title);
    keywords.set_option("default", generic.default.clone());
}

fn extensions(extensions: &Extensions, keywords: &mut Keywords) {
    keywords.set_flag("x-kubernetes-preserve-unknown-fields", extensions.preserve_unknown_fields);
    keywords.set_flag("x-kubernetes-embedded-resource", extensions.embedded_resource);
    keywords.set_flag("x-kubernetes-int-or-string", extensions.int_or_string);
    keywords.set_list("x-kubernetes-list-map-keys", texts(&extensions.list_map_keys));
    keywords.set_option("x-kubernetes-list-type", extensions.list_type.as_deref());
    keywords.set_option("x-kubernetes-map-type", extensions.map_type.as_deref());
}

fn value_validation(validation: &ValueValidation, keywords: &mut Keywords) {
    keywords.set_text("format", &validation.format);
    keywords.set_option("maximum", validation.maximum);
    keywords.set_flag("exclusiveMaximum", validation.exclusive_maximum);
    keywords.set_option("minimum", validation.minimum);
    keywords.set_flag("exclusiveMinimum", validation.exclusive_minimum);
    keywords.set_option("maxLength", validation.max_length);
    keywords.set_option("minLength", validation.min_length);
    keywords.set_text("pattern", &validation.pattern);
    keywords.set_option("maxItems", validation.max_items);
    keywords.set_option("minItems", validation.min_items);
    keywords.set_flag("uniqueItems", validation.unique_items);
    keywords.set_option("multipleOf", validation.multiple_of);
    keywords.set_list("enum", validation.choices.iter().cloned());
    keywords.set_option("maxProperties", validation.max_properties);
    keywords.set_option("minProperties", validation.min_properties);
    keywords.set_list("required", texts(&validation.required));
    keywords.set_list("allOf", validation.all_of.iter().map(nested));
    keywords.set_list("anyOf", validation.any_of.iter().map(nested));
    keywords.set_list("oneOf", validation.one_of.iter().map(nested));
    keywords.set_option("not", validation.not.as_deref().map(nested));
}

fn union(union: &Union) -> Value {
    let mut keywords = Keywords::default();
    keywords.set_option("discriminator", union.discriminator.as_deref());
    let fields = union.fields.iter().map(|(field, value)| (Arc::clone(field), Value::from(&**value)));
    keywords.set_map("fields", fields);
    keywords.finish()
}

fn rule(rule: &Rule) -> Value {
    let mut keywords = Keywords::default();
    keywords.set("rule", &*rule.rule);
    keywords.set_text("message", &rule.message);
    keywords.set_text("messageExpression", &rule.message_expression);
    keywords.set_option("reason", rule.reason.as_deref());
    keywords.set_text("fieldPath", &rule.field_path);
    keywords.set_option("optionalOldSelf", rule.optional_old_self);
    keywords.finish()
}
