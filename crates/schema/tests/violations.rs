//! The facts about broken rules: which, where in the document, and where in the schema.

mod common;

use common::{Server, document, package, store};
use serde_json::json;
use trueline_schema::{Formats, Instance, Store, Violation};
use trueline_source::{SourceKind, Span};
use trueline_yaml::Value;

fn validate(store: &Store, schema: &str, instance: &str) -> Vec<Violation> {
    let source = store.sources().add("s.json", SourceKind::File, schema);
    let schema = store.text(source, None, Formats::Assert).unwrap();
    let document = document(store, instance);
    let of_nodes = schema.validate(&document);
    let value = Value::from_node(document.root());
    let of_values = schema.validate(Instance::from(&value));
    let facts = |violations: &[Violation]| {
        violations.iter().map(|violation| format!("{violation:?}")).collect::<Vec<_>>()
    };
    assert_eq!(facts(&of_nodes), facts(&of_values), "nodes and values are seen alike");
    of_nodes
}

fn text(store: &Store, span: Option<Span>) -> String {
    span.map(|span| store.sources().get(span.source).slice(span).to_owned()).unwrap_or_default()
}

/// `path keyword [names] got want @value/key <- schema place: text of the rule`, causes indented.
fn describe(store: &Store, violation: &Violation, indent: usize, lines: &mut Vec<String>) {
    let got = violation.got.as_ref().map_or("-".to_owned(), |got| got.to_string());
    lines.push(format!(
        "{}{} {} [{}] {got} @{} /{} <- {}: {}",
        "  ".repeat(indent),
        violation.instance_path,
        violation.keyword,
        violation.names.join(", "),
        text(store, violation.instance.value),
        text(store, violation.instance.key),
        violation.schema_path,
        text(store, violation.schema_span),
    ));
    for (index, branch) in violation.causes.iter().enumerate() {
        lines.push(format!("{}{index}:", "  ".repeat(indent)));
        branch.iter().for_each(|cause| describe(store, cause, indent + 1, lines));
    }
}

#[track_caller]
fn check(schema: serde_json::Value, instance: &str, expected: &[&str]) {
    let store = store(package(&[]), Server::default());
    let mut lines = Vec::new();
    for violation in validate(&store, &schema.to_string(), instance) {
        describe(&store, &violation, 0, &mut lines);
    }
    assert_eq!(lines, expected, "{schema} {instance}");
}

#[test]
fn rules_about_one_value() {
    check(
        json!({"properties": {"a": {"type": "string"}, "b": {"enum": [1, 2]}}}),
        r#"{"a": 5, "b": 3}"#,
        &[
            r#"/a type [] 5 @5 /"a" <- s.json#/properties/a/type: "type":"string""#,
            r#"/b enum [] 3 @3 /"b" <- s.json#/properties/b/enum: "enum":[1,2]"#,
        ],
    );
    check(
        json!({"items": {"minimum": 2, "multipleOf": 2, "const": 4}}),
        "[1]",
        &[
            "/0 const [] 1 @1 / <- s.json#/items/const: \"const\":4",
            "/0 minimum [] 1 @1 / <- s.json#/items/minimum: \"minimum\":2",
            "/0 multipleOf [] 1 @1 / <- s.json#/items/multipleOf: \"multipleOf\":2",
        ],
    );
    check(
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 3, "exclusiveMinimum": true}),
        "3",
        &[r#" minimum [] 3 @3 / <- s.json#/minimum: "minimum":3"#],
    );
    check(
        json!({"not": {"type": "string"}, "format": "ipv4"}),
        "\"x\"",
        &[
            r#" format [] "x" @"x" / <- s.json#/format: "format":"ipv4""#,
            r#" not [] "x" @"x" / <- s.json#/not: "not":{"type":"string"}"#,
        ],
    );
}

#[test]
fn rules_about_properties() {
    check(
        json!({"properties": {"a": {"required": ["x", "y"]}}}),
        r#"{"a": {}}"#,
        &[
            r#"/a required [x] - @{} /"a" <- s.json#/properties/a/required: "required":["x","y"]"#,
            r#"/a required [y] - @{} /"a" <- s.json#/properties/a/required: "required":["x","y"]"#,
        ],
    );
    for schema in [
        json!({"properties": {"a": true}, "additionalProperties": false}),
        json!({"patternProperties": {"^a": true}, "additionalProperties": false}),
    ] {
        check(
            schema,
            r#"{"a": 1, "b": 2, "c": 3}"#,
            &[
                r#" additionalProperties [b, c] {"a":1,"b":2,"c":3} @{"a": 1, "b": 2, "c": 3} / <- s.json#/additionalProperties: "additionalProperties":false"#,
            ],
        );
    }
    check(
        json!({"additionalProperties": false}),
        r#"{"b": 2}"#,
        &[
            r#" additionalProperties [b] {"b":2} @{"b": 2} / <- s.json#/additionalProperties: "additionalProperties":false"#,
        ],
    );
    // A property with the name of a keyword.
    check(
        json!({"properties": {"additionalProperties": false}}),
        r#"{"additionalProperties": 2}"#,
        &[
            r#"/additionalProperties false [] 2 @2 /"additionalProperties" <- s.json#/properties/additionalProperties: "additionalProperties":false"#,
        ],
    );
    check(
        json!({"unevaluatedProperties": false}),
        r#"{"b": 2}"#,
        &[
            r#" unevaluatedProperties [b] {"b":2} @{"b": 2} / <- s.json#/unevaluatedProperties: "unevaluatedProperties":false"#,
        ],
    );
    check(
        json!({"dependentRequired": {"z": ["b"], "a": ["b"]}}),
        r#"{"a": 1}"#,
        &[
            r#" dependentRequired [b, a] - @{"a": 1} / <- s.json#/dependentRequired: "dependentRequired":{"z":["b"],"a":["b"]}"#,
        ],
    );
    check(
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}}),
        r#"{"a": 1}"#,
        &[r#" dependencies [b, a] - @{"a": 1} / <- s.json#/dependencies: "dependencies":{"a":["b"]}"#],
    );
    check(
        json!({"propertyNames": {"maxLength": 1, "pattern": "^a"}}),
        r#"{"a": 1, "bb": 2}"#,
        &[
            r#" propertyNames [bb] "bb" @"bb" /"bb" <- s.json#/propertyNames: "propertyNames":{"maxLength":1,"pattern":"^a"}"#,
            "0:",
            r#"   maxLength [] "bb" @"bb" /"bb" <- s.json#/propertyNames/maxLength: "maxLength":1"#,
            r#" propertyNames [bb] "bb" @"bb" /"bb" <- s.json#/propertyNames: "propertyNames":{"maxLength":1,"pattern":"^a"}"#,
            "0:",
            r#"   pattern [] "bb" @"bb" /"bb" <- s.json#/propertyNames/pattern: "pattern":"^a""#,
        ],
    );
}

#[test]
fn rules_about_lists() {
    check(
        json!({"contains": {"type": "string"}, "maxContains": 1, "uniqueItems": true, "maxItems": 1}),
        r#"["a", "a"]"#,
        &[
            r#" maxItems [] ["a","a"] @["a", "a"] / <- s.json#/maxItems: "maxItems":1"#,
            r#" uniqueItems [] ["a","a"] @["a", "a"] / <- s.json#/uniqueItems: "uniqueItems":true"#,
            r#" maxContains [] ["a","a"] @["a", "a"] / <- s.json#/maxContains: "maxContains":1"#,
        ],
    );
    check(
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [true], "additionalItems": false}),
        "[1, 2]",
        &[r#" additionalItems [] [1,2] @[1, 2] / <- s.json#/additionalItems: "additionalItems":false"#],
    );
    check(
        json!({"prefixItems": [true], "items": false}),
        "[1, 2]",
        &["/1 false [] 2 @2 / <- s.json#/items: \"items\":false"],
    );
}

#[test]
fn rules_that_delegate_keep_the_delegated_rules_as_causes() {
    check(
        json!({"anyOf": [{"$ref": "#/$defs/a"}, {"properties": {"k": {"const": 1}}}], "$defs": {"a": {"type": "string"}}}),
        r#"{"k": 2}"#,
        &[
            r##" anyOf [] {"k":2} @{"k": 2} / <- s.json#/anyOf: "anyOf":[{"$ref":"#/$defs/a"},{"properties":{"k":{"const":1}}}]"##,
            "0:",
            r#"   type [] {"k":2} @{"k": 2} / <- s.json#/$defs/a/type: "type":"string""#,
            "1:",
            r#"  /k const [] 2 @2 /"k" <- s.json#/anyOf/1/properties/k/const: "const":1"#,
        ],
    );
    check(
        json!({"oneOf": [{"type": "string"}, {"minLength": 1}]}),
        "\"a\"",
        &[
            r#" oneOf [] "a" @"a" / <- s.json#/oneOf: "oneOf":[{"type":"string"},{"minLength":1}]"#,
            "0:",
            "1:",
        ],
    );
    check(
        json!({"allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}}]}),
        r#"{"a": 1}"#,
        &[r#" required [b] - @{"a": 1} / <- s.json#/allOf/0/then/required: "required":["b"]"#],
    );
}

#[test]
fn the_path_to_a_rule_passes_through_references() {
    let store = store(package(&[]), Server::default());
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"$id": "https://example.com/t", "type": "string"}}});
    let violations = validate(&store, &schema.to_string(), r#"{"a": 1}"#);
    assert_eq!(violations[0].evaluation_path, "/properties/a/$ref/type");
    assert_eq!(violations[0].schema_path, "s.json#/$defs/t/type");
}

#[test]
fn formats_are_rules_or_annotations_as_the_caller_chooses() {
    let store = store(package(&[]), Server::default());
    for (draft, formats, rule) in [
        ("http://json-schema.org/draft-07/schema#", Formats::ByDraft, true),
        ("https://json-schema.org/draft/2019-09/schema", Formats::ByDraft, false),
        ("https://json-schema.org/draft/2020-12/schema", Formats::ByDraft, false),
        ("https://json-schema.org/draft/2020-12/schema", Formats::Assert, true),
        ("http://json-schema.org/draft-04/schema#", Formats::Ignore, false),
    ] {
        let text = json!({"$schema": draft, "format": "ipv4"}).to_string();
        let source = store.sources().add("s.json", SourceKind::File, text);
        let schema = store.text(source, None, formats).unwrap();
        assert_eq!(schema.is_valid(&document(&store, "\"x\"")), !rule, "{draft} {formats:?}");
    }
}
