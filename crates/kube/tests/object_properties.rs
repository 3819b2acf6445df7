//! What holds for any schema and any object: pruning and defaulting twice is the same as once, and a schema without
//! value validation accepts no less. The exception are nulls inside of defaults: they are set as they stand, and dropped
//! with other nulls the next time.

use proptest::prelude::*;
use trueline_kube::FieldPath;
use trueline_kube::crd;
use trueline_kube::object::{Purpose, Root, Validator, default, drop_nulls, prune, with_pruned_defaults};
use trueline_kube::structural::Structural;
use trueline_yaml::Value;

const NAMES: &str = "[abc]";

fn values() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        (-2_i64..9).prop_map(|number| number.to_string()),
        (-9_i32..9).prop_map(|number| (f64::from(number) / 2.0).to_string()),
        "[xyz]{0,3}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(NAMES, inner, 0..4).prop_map(object),
        ]
    })
}

fn object(members: std::collections::BTreeMap<String, String>) -> String {
    let members: Vec<String> =
        members.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// Value validation that may stand in any schema.
fn validations() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        1 => Just(r#","maxLength":2,"minimum":1"#.to_owned()),
        1 => Just(r#","enum":["x",1,true]"#.to_owned()),
        1 => Just(r#","pattern":"^x","maxItems":2"#.to_owned()),
        1 => Just(r#","required":["a"],"maxProperties":2"#.to_owned()),
        1 => Just(r#","anyOf":[{"required":["a"]},{"minLength":1}]"#.to_owned()),
        1 => Just(r#","not":{"properties":{"a":{"minimum":3}}}"#.to_owned()),
    ]
}

fn extras() -> impl Strategy<Value = String> {
    let default = values().prop_map(|value| format!(r#","default":{value}"#));
    prop_oneof![
        4 => Just(String::new()),
        2 => default,
        1 => Just(r#","nullable":true"#.to_owned()),
        1 => Just(r#","x-kubernetes-preserve-unknown-fields":true"#.to_owned()),
    ]
}

fn schemas() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![Just("string"), Just("integer"), Just("number"), Just("boolean")];
    let leaf = (scalar, validations(), extras())
        .prop_map(|(name, validation, extra)| format!(r#"{{"type":"{name}"{validation}{extra}}}"#));
    leaf.prop_recursive(4, 30, 4, |inner| {
        let list = (inner.clone(), validations(), extras()).prop_map(|(items, validation, extra)| {
            format!(r#"{{"type":"array","items":{items}{validation}{extra}}}"#)
        });
        let map = (inner.clone(), validations(), extras()).prop_map(|(values, validation, extra)| {
            format!(r#"{{"type":"object","additionalProperties":{values}{validation}{extra}}}"#)
        });
        let fields = (prop::collection::btree_map(NAMES, inner, 0..4), validations(), extras());
        let fields = fields.prop_map(|(properties, validation, extra)| {
            format!(r#"{{"type":"object","properties":{}{validation}{extra}}}"#, object(properties))
        });
        prop_oneof![list, map, fields]
    })
}

fn structural(schema: &str) -> Structural {
    let text = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{"versions":[{{"name":"v1",
        "schema":{{"openAPIV3Schema":{schema}}}}}]}}}}"#
    );
    let crd = crd::decode(&Value::from_json_text(&text).unwrap()).unwrap().crd;
    Structural::new(crd.schema(&crd.spec.versions[0]).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn twice_is_once_and_less_validation_accepts_no_less(schema in schemas(), value in values()) {
        let schema = structural(&schema);
        let value = Value::from_json_text(&value).unwrap();
        let pruned = prune(&value, Some(&schema), Root::Value);
        let again = prune(&pruned.value, Some(&schema), Root::Value);
        prop_assert!(again.unknown.is_empty());
        prop_assert_eq!(&again.value, &pruned.value);
        let served = with_pruned_defaults(schema.clone());
        let dropped = drop_nulls(&pruned.value, &served);
        prop_assert_eq!(&drop_nulls(&dropped, &served), &dropped);
        let complete = default(&dropped, &served);
        prop_assert_eq!(&default(&complete, &served), &complete);
        for value in [&value, &complete] {
            for purpose in [Purpose::Objects, Purpose::Defaults] {
                let accepted = Validator::new(&schema, purpose).validate(value, &FieldPath::default()).is_empty();
                let weaker = Validator::new(&schema.without_value_validation(), purpose);
                prop_assert!(!accepted || weaker.validate(value, &FieldPath::default()).is_empty());
            }
        }
    }
}
