//! Twice the input takes at most about twice the work, for every keyword. Work is counted in steps, never in
//! time.

mod common;

use std::sync::Arc;

use common::{Server, document, package, store};
use serde_json::{Map, Value, json};
use trueline_schema::{Formats, Violation, WordingContext, counted, diagnose};
use trueline_source::{SourceKind, Span};

/// The steps needed to validate a document and to word the findings; and the findings.
fn cost(schema: &Value, instance: &Value) -> (u64, Vec<Violation>) {
    let store = store(package(&[]), Server::default());
    let source = store.sources().add("s.json", SourceKind::File, schema.to_string());
    let schema = store.text(source, None, Formats::Assert).unwrap();
    let document = document(&store, &instance.to_string());
    let (violations, steps) = counted(|| schema.validate(&document));
    let context = WordingContext {
        sources: store.sources(),
        schema: &schema,
        instance: (&document).into(),
        fallback: Span::whole(source),
    };
    let (_, worded) = counted(|| diagnose(&violations, &context));
    (steps + worded, violations)
}

fn map(count: usize, member: impl Fn(usize) -> (String, Value)) -> Value {
    Value::Object((0..count).map(member).collect::<Map<_, _>>())
}

fn list(count: usize, item: impl Fn(usize) -> Value) -> Value {
    (0..count).map(item).collect()
}

fn fields(count: usize, value: Value) -> Value {
    map(count, |number| (format!("k{number}"), value.clone()))
}

/// A keyword, with a schema and a document of the given size.
type Row = (&'static str, fn(usize) -> (Value, Value));

const ROWS: &[Row] = &[
    ("type", |n| (json!({"items": {"type": "string"}}), list(n, |_| json!(1)))),
    ("enum", |n| {
        (json!({"items": {"enum": list(n, |number| json!(format!("v{number}")))}}), list(n, |_| json!("x")))
    }),
    ("const", |n| (json!({"items": {"const": list(9, |_| json!(1))}}), list(n, |_| json!([1])))),
    ("required", |n| (json!({"required": list(n, |number| json!(format!("k{number}")))}), json!({}))),
    ("properties", |n| (json!({"properties": fields(n, json!({"type": "string"}))}), fields(n, json!(1)))),
    ("patternProperties", |n| {
        let patterns = map(9, |number| (format!("^k{number}"), json!({"type": "string"})));
        (json!({"patternProperties": patterns}), fields(n, json!(1)))
    }),
    ("additionalProperties", |n| (json!({"additionalProperties": false}), fields(n, json!(1)))),
    ("propertyNames", |n| (json!({"propertyNames": {"maxLength": 1}}), fields(n, json!(1)))),
    ("maxProperties", |n| (json!({"maxProperties": 1}), fields(n, json!(1)))),
    ("prefixItems", |n| {
        (json!({"prefixItems": list(n, |_| json!({"type": "null"}))}), list(n, |_| json!(1)))
    }),
    ("contains", |n| (json!({"contains": {"type": "null"}}), list(n, |_| json!(1)))),
    ("uniqueItems", |n| (json!({"uniqueItems": true}), list(n, |number| json!(number)))),
    ("maxItems", |n| (json!({"maxItems": 1}), list(n, |_| json!(1)))),
    ("pattern", |n| (json!({"items": {"pattern": "^a"}}), list(n, |_| json!("b")))),
    ("maxLength", |n| (json!({"items": {"maxLength": 1}}), list(n, |_| json!("bb")))),
    ("format", |n| (json!({"items": {"format": "date"}}), list(n, |_| json!("b")))),
    ("minimum", |n| (json!({"items": {"minimum": 5}}), list(n, |_| json!(1)))),
    ("multipleOf", |n| (json!({"items": {"multipleOf": 5}}), list(n, |_| json!(1)))),
    ("allOf", |n| (json!({"allOf": list(n, |_| json!({"type": "null"}))}), json!(1))),
    ("anyOf", |n| (json!({"anyOf": list(n, |_| json!({"type": "null"}))}), json!(1))),
    ("oneOf", |n| (json!({"oneOf": list(n, |number| json!({"const": number}))}), json!(-1))),
    ("not", |n| (json!({"items": {"not": {"type": "integer"}}}), list(n, |_| json!(1)))),
    ("if", |n| {
        let schema = json!({"items": {"if": {"type": "integer"}, "then": {"minimum": 5}, "else": false}});
        (schema, list(n, |_| json!(1)))
    }),
    ("dependentRequired", |n| {
        (json!({"dependentRequired": fields(n, json!(["gone"]))}), fields(n, json!(1)))
    }),
    ("dependentSchemas", |n| {
        (json!({"dependentSchemas": fields(n, json!({"required": ["k0"]}))}), fields(n, json!(1)))
    }),
    ("$ref", |n| {
        let definitions = map(n, |number| (format!("k{number}"), json!({"type": "string"})));
        let properties =
            map(n, |number| (format!("k{number}"), json!({"$ref": format!("#/$defs/k{number}")})));
        (json!({"$defs": definitions, "properties": properties}), fields(n, json!(1)))
    }),
    ("unevaluatedProperties", |n| {
        let schema = json!({"properties": fields(n / 2, json!(true)), "unevaluatedProperties": false});
        (schema, fields(n, json!(1)))
    }),
    ("unevaluatedItems", |n| {
        (
            json!({"prefixItems": list(n / 2, |_| json!(true)), "unevaluatedItems": false}),
            list(n, |_| json!(1)),
        )
    }),
];

#[test]
fn twice_the_input_is_twice_the_work() {
    let mut too_much = Vec::new();
    for (keyword, input) in ROWS {
        let [(small, _), (large, _)] = [200, 400].map(|size| {
            let (schema, instance) = input(size);
            cost(&schema, &instance)
        });
        assert!(small > 0, "{keyword} was not counted");
        if 2 * large > 5 * small {
            too_much.push(format!("{keyword}: {small} steps for 200, and {large} for 400"));
        }
    }
    assert!(too_much.is_empty(), "{too_much:#?}");
}

#[test]
fn violations_of_one_rule_share_its_choices() {
    let schema = json!({"items": {"enum": list(1_000, |number| json!(format!("v{number}")))}});
    let (_, violations) = cost(&schema, &list(1_000, |_| json!("x")));
    assert_eq!(violations.len(), 1_000);
    assert!(violations.windows(2).all(|pair| Arc::ptr_eq(&pair[0].want, &pair[1].want)));
}

/// Each violation repeats the path to its value, so a long path costs as much as many violations.
#[test]
fn long_paths_cost_more() {
    let deep = |length: usize| {
        let leaf = list(2_000, |_| json!("x"));
        (0..20).fold(leaf, |below, _| json!({"k".repeat(length): below}))
    };
    let schema = json!({"$defs": {"n": {"additionalProperties": {"$ref": "#/$defs/n"}, "items": {"type": "integer"}}},
        "$ref": "#/$defs/n"});
    let (_, violations) = cost(&schema, &deep(5));
    assert_eq!(violations.len(), 2_000);
    let (_, violations) = cost(&schema, &deep(5_000));
    assert_eq!(violations.iter().map(|one| one.keyword.as_str()).collect::<Vec<_>>(), ["limit"]);
}

#[test]
fn messages_by_the_author_are_cut() {
    let schema = json!({"items": {"type": "integer", "errorMessage": "long ".repeat(100_000)}});
    let store = store(package(&[]), Server::default());
    let source = store.sources().add("s.json", SourceKind::File, schema.to_string());
    let schema = store.text(source, None, Formats::Assert).unwrap();
    let document = document(&store, "[\"x\"]");
    let context = WordingContext {
        sources: store.sources(),
        schema: &schema,
        instance: (&document).into(),
        fallback: Span::whole(source),
    };
    let findings = diagnose(&schema.validate(&document), &context);
    assert!(findings[0].message.starts_with("long long") && findings[0].message.len() <= 4_000);
}

/// The cost of patterns times keys cannot be avoided, so each step is charged, and a limit ends it.
#[test]
fn patterns_times_keys_are_charged() {
    let patterns = map(50, |number| (format!("^never{number}$"), json!(true)));
    let (steps, _) = cost(&json!({"patternProperties": patterns}), &fields(300, json!(1)));
    assert!(steps >= 50 * 300, "{steps}");
}
