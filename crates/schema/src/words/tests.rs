//! Properties of every keyword family, tested on hand-made violations.

use std::sync::Arc;

use serde_json::json;
use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{Data, MapEntry, Value};

use super::{WordingContext, diagnose};
use crate::{Instance, InstancePlace, SchemaLookup, Violation};

/// A value without origins.
pub(crate) fn value(json: &serde_json::Value) -> Value {
    Value::new(match json {
        serde_json::Value::Null => Data::Null,
        serde_json::Value::Bool(value) => Data::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Data::Int(number),
            None => Data::Float(number.as_f64().unwrap_or_default()),
        },
        serde_json::Value::String(text) => Data::String(text.as_str().into()),
        serde_json::Value::Array(items) => Data::List(Arc::new(items.iter().map(value).collect())),
        serde_json::Value::Object(map) => Data::Map(Arc::new(
            map.iter()
                .map(|(name, json)| {
                    (Arc::from(name.as_str()), MapEntry { key_origin: None, value: value(json) })
                })
                .collect(),
        )),
    })
}

/// A schema in memory whose references are pointers into it.
struct Memory(serde_json::Value);

impl SchemaLookup for Memory {
    fn root(&self) -> String {
        "memory#".to_owned()
    }

    fn at(&self, place: &str) -> Option<&serde_json::Value> {
        self.0.pointer(place.split_once('#')?.1)
    }

    fn follow(&self, _: &str, reference: &str) -> Option<String> {
        Some(format!("memory{reference}"))
    }

    fn span(&self, _: &str) -> Option<Span> {
        None
    }

    fn typed(&self, _: &str) -> Option<&str> {
        None
    }
}

fn worded(
    schema: serde_json::Value,
    document: serde_json::Value,
    violations: &[Violation],
) -> Vec<Diagnostic> {
    let sources = SourceMap::new();
    let source = sources.add("document", SourceKind::File, "");
    let value = value(&document);
    let memory = Memory(schema);
    let context = WordingContext {
        sources: &sources,
        schema: &memory,
        instance: Instance::Value(&value),
        fallback: Span::whole(source),
    };
    diagnose(violations, &context)
}

fn violation(keyword: &str, want: serde_json::Value, instance_path: &str, way: &str) -> Violation {
    Violation {
        keyword: keyword.to_owned(),
        got: None,
        want: want.into(),
        names: Vec::new(),
        instance_path: instance_path.to_owned(),
        instance: InstancePlace::default(),
        schema_path: format!("memory#{way}"),
        evaluation_path: way.to_owned(),
        schema_span: None,
        causes: Vec::new(),
    }
}

const KEYWORDS: &[&str] = &[
    "type",
    "enum",
    "const",
    "required",
    "dependentRequired",
    "dependencies",
    "additionalProperties",
    "unevaluatedProperties",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "pattern",
    "format",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "additionalItems",
    "unevaluatedItems",
    "propertyNames",
    "not",
    "false",
    "anyOf",
    "oneOf",
    "contentEncoding",
    "contentMediaType",
    "$ref",
    "x-own",
    "",
];

#[test]
fn every_violation_has_a_message() {
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(""),
        json!("^[a-"),
        json!([]),
        json!([[], {}, null]),
        json!({}),
        json!({"required": 3, "enum": 5, "type": [1], "properties": [], "errorMessage": []}),
        json!({"$ref": "#"}),
        json!({"$ref": "#/nowhere", "anyOf": [{"$ref": "#"}]}),
    ];
    let documents = [json!(null), json!({"a": [1, {"b": "x"}]}), json!([])];
    for keyword in KEYWORDS {
        for want in &odd {
            for document in &documents {
                for path in ["", "/a", "/a/1/b", "/nowhere/0", "//~1"] {
                    let mut plain = violation(keyword, want.clone(), path, &format!("/{keyword}"));
                    let found =
                        worded(json!({*keyword: want}), document.clone(), std::slice::from_ref(&plain));
                    assert!(
                        found
                            .iter()
                            .all(|found| !found.message.is_empty() && found.level == Some(Level::Schema))
                    );
                    plain.names = vec!["a".to_owned(), "é".repeat(500)];
                    plain.got = Some(want.clone());
                    plain.causes = vec![
                        vec![plain.clone()],
                        vec![violation("const", json!(1), "/a", ""), plain.clone()],
                    ];
                    plain.evaluation_path = "/$ref/items/0/then/properties".to_owned();
                    let found = worded(want.clone(), document.clone(), &[plain]);
                    assert!(found.iter().all(|found| !found.message.is_empty()), "{keyword}");
                }
            }
        }
    }
}

#[test]
fn every_message_is_one_sentence_without_a_full_stop() {
    for keyword in KEYWORDS {
        for finding in worded(json!({}), json!({}), &[violation(keyword, json!("x"), "", "")]) {
            assert!(
                !finding.message.ends_with('.') && !finding.message.contains('\n'),
                "{}",
                finding.message
            );
        }
    }
}

#[test]
fn the_same_finding_is_reported_once() {
    let twice = violation("minItems", json!(1), "/a", "/properties/a/minItems");
    let found = worded(json!({}), json!({"a": []}), &[twice.clone(), twice]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "`a` must not be empty");
}

#[test]
fn if_the_path_cannot_be_followed_the_schema_around_the_rule_is_used() {
    let schema = json!({"$defs": {"name": {"minLength": 3, "description": "A name"}}});
    let mut lost = violation("minLength", json!(3), "/a", "/$defs/name/minLength");
    lost.evaluation_path = "/$dynamicRef/minLength".to_owned();
    let found = worded(schema, json!({"a": "x"}), &[lost]);
    assert_eq!(found[0].help.as_deref(), Some("`a`: A name"));
}
