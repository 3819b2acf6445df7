//! Schemas and documents that try to make the check hang, crash or eat memory.

mod common;

use common::{Server, document, package, store};
use serde_json::json;
use trueline_schema::{Formats, SchemaError, Violation, with_at_most};
use trueline_source::SourceKind;

fn validate(schema: &str, instance: &str) -> Result<Vec<Violation>, SchemaError> {
    let store = store(package(&[]), Server::default());
    let source = store.sources().add("s.json", SourceKind::File, schema);
    let schema = store.text(source, None, Formats::Assert)?;
    Ok(schema.validate(&document(&store, instance)))
}

#[track_caller]
fn refused(schema: &str, words: &str) {
    let error = validate(schema, "1").unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_schemas_are_refused() {
    refused(&nested("{\"not\":", "{}", "}", 100_000), "levels deep");
    refused(&nested("{\"items\":[", "{}", "]}", 100_000), "levels deep");
    assert!(validate(&nested("{\"not\":", "{}", "}", 200), "1").is_ok());
}

#[test]
fn deep_documents_are_validated_on_a_small_stack() {
    let tree = r##"{"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}]}"##;
    let violations = validate(tree, &nested("{\"a\":", "1", "}", 400)).unwrap();
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].keyword, "anyOf");
    assert!(validate(tree, &nested("{\"a\":", "\"end\"", "}", 400)).unwrap().is_empty());
}

#[test]
fn long_chains_of_references_are_refused() {
    let row = |length: usize| {
        let mut definitions: serde_json::Map<String, serde_json::Value> = (0..length)
            .map(|index| (format!("d{index}"), json!({"$ref": format!("#/$defs/d{}", index + 1)})))
            .collect();
        definitions.insert(format!("d{length}"), json!({"type": "string"}));
        json!({"$ref": "#/$defs/d0", "$defs": definitions}).to_string()
    };
    assert_eq!(validate(&row(300), "1").unwrap().len(), 1);
    refused(&row(3_000), "are chained for one value");
}

#[test]
fn recursive_forms_do_not_take_forever() {
    let schema = r##"{
        "anyOf": [
            {"properties": {"a": {"$ref": "#"}}, "required": ["a"]},
            {"properties": {"a": {"$ref": "#"}}, "required": ["a"]}
        ],
        "type": "object"
    }"##;
    let violations = validate(schema, &nested("{\"a\":", "1", "}", 60)).unwrap();
    assert_eq!(violations.len(), 1);
    assert_eq!((violations[0].keyword.as_str(), violations[0].want.as_str()), ("limit", Some("errors")));
    // The limits apply per document; the next one has its own.
    assert_eq!(validate(schema, "{\"a\": {\"a\": 1}}").unwrap()[0].keyword, "anyOf");
}

#[test]
fn many_mistakes_in_one_list_are_found_quickly() {
    let items: Vec<serde_json::Value> = (0..20_000).map(|_| json!("x")).collect();
    let violations = validate(r#"{"items": {"type": "integer"}}"#, &json!(items).to_string()).unwrap();
    assert_eq!(violations.len(), 20_000);
    let members: serde_json::Map<String, serde_json::Value> =
        (0..20_000).map(|index| (format!("k{index}"), json!("x"))).collect();
    let schema = r#"{"additionalProperties": {"type": "integer"}}"#;
    let violations = validate(schema, &serde_json::Value::Object(members).to_string()).unwrap();
    assert_eq!(violations.len(), 20_000);
    assert!(violations.iter().all(|violation| violation.instance.key.is_some()));
}

#[test]
fn large_lists_of_values_are_accepted() {
    let values: Vec<serde_json::Value> = (0..50_000).map(|index| json!(format!("v{index}"))).collect();
    let schema = json!({"enum": values}).to_string();
    assert!(validate(&schema, "\"v49999\"").unwrap().is_empty());
    assert_eq!(validate(&schema, "\"other\"").unwrap()[0].keyword, "enum");
}

#[test]
fn patterns_do_not_backtrack() {
    let text = serde_json::Value::String(format!("{}!", "a".repeat(100_000))).to_string();
    for pattern in ["^(a+)+$", "^(a|aa)+$", "^(.*a){20}$", "(x+x+)+y"] {
        let schema = json!({"pattern": pattern}).to_string();
        assert!(validate(&schema, &text).unwrap().len() <= 1, "{pattern}");
    }
    refused(r#"{"pattern": "(((((a{100}){100}){100}){100}){100})"}"#, "too large");
}

#[test]
fn parts_that_double_at_each_level_do_not_take_forever() {
    for end in ["object", "string"] {
        let mut definitions: serde_json::Map<String, serde_json::Value> = (0..40)
            .map(|level| {
                let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
                (format!("d{level}"), json!({"allOf": [next, next]}))
            })
            .collect();
        definitions.insert("d40".to_owned(), json!({"type": end}));
        let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions}).to_string();
        let violations = validate(&schema, "{}").unwrap();
        assert_eq!(violations.len(), 1, "{end}");
        assert_eq!(violations[0].keyword, "limit", "{end}");
    }
}

#[test]
fn a_caller_can_limit_the_steps_of_each_document() {
    let store = store(package(&[]), Server::default());
    let schema = r#"{"patternProperties": {"^a": {}, "^b": {}, "^c": {}}}"#;
    let source = store.sources().add("s.json", SourceKind::File, schema);
    let schema = store.text(source, None, Formats::Assert).unwrap();
    let wide = |count: usize| {
        let members: serde_json::Map<_, _> =
            (0..count).map(|index| (format!("k{index}"), json!(1))).collect();
        document(&store, &serde_json::Value::Object(members).to_string())
    };
    let (small, large) = (wide(200), wide(400));
    let (violations, steps) = with_at_most(u64::MAX, || schema.validate(&small));
    assert!(violations.is_empty() && steps > 200 * 3, "{steps}");
    let (violations, twice) = with_at_most(u64::MAX, || schema.validate(&large));
    assert!(violations.is_empty() && twice <= steps * 5 / 2, "{steps}, then {twice}");
    let (violations, spent) = with_at_most(steps, || schema.validate(&large));
    assert_eq!((violations[0].keyword.as_str(), violations[0].want.as_str()), ("limit", Some("steps")));
    assert!(spent <= steps, "{spent}");
    // The bound ends with the call.
    assert!(schema.validate(&large).is_empty());
}
