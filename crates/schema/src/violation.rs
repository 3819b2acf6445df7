//! A violated rule: facts only. The wording is elsewhere.

use std::sync::Arc;

use trueline_source::Span;

/// One broken rule, with the broken rules below it that explain it (`anyOf`, `oneOf`, `$ref`, …).
#[derive(Debug, Clone)]
pub struct Violation {
    /// The keyword that was violated, such as `required`; for a `false` schema, `false`.
    pub keyword: String,
    /// What the document has, as JSON; absent if the keyword is about something missing.
    pub got: Option<serde_json::Value>,
    /// The keyword's value in the schema, as JSON; shared, because thousands of values may break one rule with thousands
    /// of choices.
    pub want: Arc<serde_json::Value>,
    /// The names in question: the missing property, the properties that are not allowed.
    pub names: Vec<String>,
    /// The path inside the document, as a JSON pointer.
    pub instance_path: String,
    /// The place of the instance in its document.
    pub instance: InstancePlace,
    /// Where the rule is: the schema's URI with a JSON pointer after `#`.
    pub schema_path: String,
    /// The path from the root schema to the rule as a JSON pointer that passes through `$ref` and its like.
    pub evaluation_path: String,
    /// The place of the rule in the schema's document, if it has one.
    pub schema_span: Option<Span>,
    /// The broken rules below, a list for each branch of `anyOf` and `oneOf`; one list otherwise.
    pub causes: Vec<Vec<Violation>>,
}

/// Where an instance is in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InstancePlace {
    /// The value.
    pub value: Option<Span>,
    /// Its key, if it is the value of one.
    pub key: Option<Span>,
}

/// What the wording needs to know about the schema besides the broken rule itself: names, descriptions,
/// examples.
///
/// A place is a URI with a JSON pointer after `#`, as in [`Violation::schema_path`].
pub trait SchemaLookup {
    /// The place of the schema that the document as a whole is validated against.
    fn root(&self) -> String;

    /// What is at a place, as JSON.
    fn at(&self, place: &str) -> Option<&serde_json::Value>;

    /// The place that `reference` leads to, written in the schema at `place` as `$ref` or `$dynamicRef`.
    fn follow(&self, place: &str, reference: &str) -> Option<String>;

    /// The span of a place, if it has one.
    fn span(&self, place: &str) -> Option<Span>;

    /// What was typed at a place, if it is neither a list nor a map: `1e3` and `1000` are the same number in
    /// JSON.
    fn typed(&self, place: &str) -> Option<&str>;
}
