//! The validator sees our nodes and values exactly like the same JSON.

mod common;

use common::{Server, document, package, store};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use trueline_schema::{Formats, Instance};
use trueline_source::SourceKind;
use trueline_yaml::Value;

fn instances() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        (-3_i64..4).prop_map(|number| json!(number)),
        any::<u64>().prop_map(|number| json!(number)),
        (-30_i32..30).prop_map(|number| json!(f64::from(number) / 10.0)),
        "[ab\u{e9}]{0,3}".prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 40, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Json::Array),
            prop::collection::btree_map("[abc~/]{1,2}", inner, 0..6)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn schemas() -> Vec<Json> {
    vec![
        json!({"uniqueItems": true, "items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}),
        json!({"enum": [null, 0, 1.0, "a", [], {}, [1], {"a": 1}, {"a": 1, "b": [true]}]}),
        json!({"anyOf": [{"type": "integer"}, {"minLength": 2}, {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}]}),
        json!({"required": ["a", "b"], "properties": {"a": {"const": 1}, "b": {"multipleOf": 0.5}}, "additionalProperties": false}),
        json!({"propertyNames": {"pattern": "^a"}, "minProperties": 2, "contains": {"type": "number"}, "maximum": 2}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": ["integer", "object", "array"], "items": {"$ref": "#"}}),
        json!({"oneOf": [{"unevaluatedProperties": false, "properties": {"a": true}}, {"maxItems": 3, "unevaluatedItems": {"type": "null"}}]}),
        json!({"if": {"type": "array"}, "then": {"prefixItems": [{"type": "string"}], "items": {"type": "boolean"}}, "else": {"not": {"type": "null"}}}),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_rules_are_broken_at_the_same_places(instance in instances()) {
        let store = store(package(&[]), Server::default());
        let document = document(&store, &instance.to_string());
        let value = Value::from_node(document.root());
        prop_assert_eq!(&Instance::from(&document).to_json(), &instance);
        prop_assert_eq!(&Instance::from(&value).to_json(), &instance);
        for schema in schemas() {
            let expected: Vec<String> = jsonschema::validator_for(&schema)
                .unwrap()
                .iter_errors(&instance)
                .map(|error| error.instance_path().to_string())
                .collect();
            let source = store.sources().add("s.json", SourceKind::File, schema.to_string());
            let ours = store.text(source, None, Formats::Ignore).unwrap();
            for seen in [Instance::from(&document), Instance::from(&value)] {
                let found: Vec<String> = ours.validate(seen).into_iter().map(|violation| violation.instance_path).collect();
                prop_assert_eq!(&found, &expected, "{} {}", &schema, &instance);
            }
        }
    }
}
