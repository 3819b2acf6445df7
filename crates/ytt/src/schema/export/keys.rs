//! The keywords of one schema, in the order in which they are printed.

use super::map;
use crate::schema::types::Documentation;
use crate::tree::{Text, Value};

/// All keywords that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Title,
    Type,
    AdditionalProperties,
    Format,
    Nullable,
    Deprecated,
    Description,
    ExampleDescription,
    Example,
    Examples,
    Items,
    Properties,
    Required,
    Default,
    Minimum,
    Maximum,
    MinLength,
    MaxLength,
    MinItems,
    MaxItems,
    MinProperties,
    MaxProperties,
    Enum,
    MultipleOf,
    Pattern,
    Contains,
    OneOf,
    AllOf,
    Not,
    PreserveUnknown,
    CelRules,
    Validation,
}

impl Key {
    fn name(self) -> &'static str {
        match self {
            Key::Title => "title",
            Key::Type => "type",
            Key::AdditionalProperties => "additionalProperties",
            Key::Format => "format",
            Key::Nullable => "nullable",
            Key::Deprecated => "deprecated",
            Key::Description => "description",
            Key::ExampleDescription => "x-example-description",
            Key::Example => "example",
            Key::Examples => "examples",
            Key::Items => "items",
            Key::Properties => "properties",
            Key::Required => "required",
            Key::Default => "default",
            Key::Minimum => "minimum",
            Key::Maximum => "maximum",
            Key::MinLength => "minLength",
            Key::MaxLength => "maxLength",
            Key::MinItems => "minItems",
            Key::MaxItems => "maxItems",
            Key::MinProperties => "minProperties",
            Key::MaxProperties => "maxProperties",
            Key::Enum => "enum",
            Key::MultipleOf => "multipleOf",
            Key::Pattern => "pattern",
            Key::Contains => "contains",
            Key::OneOf => "oneOf",
            Key::AllOf => "allOf",
            Key::Not => "not",
            Key::PreserveUnknown => "x-kubernetes-preserve-unknown-fields",
            Key::CelRules => "x-kubernetes-validations",
            Key::Validation => "x-validation",
        }
    }
}

/// The keywords of one schema.
#[derive(Default)]
pub(super) struct Keywords(pub(super) Vec<(Key, Value)>);

impl Keywords {
    pub(super) fn add(&mut self, key: Key, value: Value) {
        self.0.push((key, value));
    }

    pub(super) fn string(&mut self, key: Key, text: &str) {
        self.add(key, Value::string(text));
    }

    pub(super) fn into_map(mut self) -> Value {
        self.0.sort_by_key(|(key, _)| *key);
        map(self.0.into_iter().map(|(key, value)| (key.name(), value)))
    }

    /// Title and description, with what rules say appended.
    pub(super) fn add_words(&mut self, documentation: &Documentation, rules: &[String]) {
        if let Some(title) = documentation.title.as_ref().filter(|text| !text.is_empty()) {
            self.add(Key::Title, Value::String(title.clone()));
        }
        let written = documentation.description.as_ref().filter(|text| !text.is_empty());
        let rules: Vec<&str> = rules.iter().map(String::as_str).filter(|rule| !rule.is_empty()).collect();
        let description = match (written, rules.is_empty()) {
            (None, true) => return,
            (Some(written), true) => written.clone(),
            (None, false) => Text::from(format!("Must be: {}", rules.join("; ")).as_str()),
            (Some(written), false) => {
                let text = format!("{}\n\nMust be: {}", written.to_str_lossy(), rules.join("; "));
                Text::from(text.as_str())
            }
        };
        self.add(Key::Description, Value::String(description));
    }
}
