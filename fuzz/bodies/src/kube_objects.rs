//! Schemas of custom resources and objects: no panic, every error at its place, and the promises of the algorithms:
//! pruning and defaulting twice is the same as once, and a schema without value validation accepts no less.

use trueline_kube::crd::{self, Crd};
use trueline_kube::object::{
    Purpose, Resource, Root, Validator, default, drop_nulls, is_known_format, prune, with_pruned_defaults,
    with_server_numbers,
};
use trueline_kube::publish::{OpenApi, Unfolding, UnknownFields, json_schema, publish};
use trueline_kube::structural::Structural;
use trueline_kube::{FieldPath, KubeVersion};
use trueline_yaml::{Value, yaml_to_value};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "kube_objects",
    run,
    seeds: &[
        "type: object
properties:
  spec:
    type: object
    required: [a]
    properties:
      a: {type: integer, minimum: 2.5, maximum: 9, multipleOf: 0.5, default: 4}
      s: {type: string, pattern: '^[a-z]+$', maxLength: 3, nullable: true, enum: [x, null]}
      m: {type: object, additionalProperties: {type: string, default: q}}
      e: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
  status: {type: object, default: {b: 1}, properties: {b: {type: integer}}}
---
spec: {a: 3.0, s: null, z: {y: 1}, m: {k: null}, e: {kind: K, metadata: {labels: {a: b}, foo: 1}}}
status: {b: x}
",
        "type: object
x-kubernetes-preserve-unknown-fields: true
properties:
  spec:
    type: object
    properties:
      i: {x-kubernetes-int-or-string: true, anyOf: [{minimum: 3}, {pattern: '%$'}]}
      l:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [k]
        items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer, default: 1}}}
      t: {type: array, x-kubernetes-list-type: set, items: {type: string}}
    oneOf: [{required: [i]}, {required: [l], properties: {l: {minItems: 2}}}]
    not: {required: [q]}
---
spec: {i: 5%, l: [{k: a}, {k: a, v: 9223372036854775808}, null], t: [a, a], q: {}}
",
        "type: object
properties:
  spec:
    type: object
    additionalProperties: true
    properties: {d: {type: string, format: duration}, n: {type: array, items: {type: array, items: {type: object}}}}
    x-kubernetes-validations: [{rule: self.d == ''}]
---
{spec: {d: 3 weeks, n: [[{a: 1}], x]}, metadata: {creationTimestamp: 2024-01-02T03:04:05+01:00}}
",
    ],
};

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (schema, object) = text.split_once("\n---\n").unwrap_or((&text, "{}"));
    let (Ok(schema_value), Ok(object_value)) = (yaml_to_value(schema), yaml_to_value(object)) else { return };
    let definition = definition(schema_value);
    let Ok(decoded) = crd::decode(&definition) else { return };
    published(&decoded.crd);
    let Some(model) = structural(&decoded.crd) else { return };
    algorithms(&model, &with_server_numbers(&object_value));
    let Ok(resource) = Resource::new(&decoded.crd, KubeVersion::CRD_RULES) else { return };
    let Ok(sent) = resource.decode(&with_head(object_value), object) else { return };
    let created = resource.create(&sent);
    let stored = resource.stored(&sent);
    let updated = resource.update(&sent, &stored);
    let status = resource.update_status(&sent, &stored);
    let _ = resource.returned(&created.object, sent.version);
    for error in created.errors.iter().chain(&updated.errors).chain(&status.errors) {
        assert!(error.message().len() >= error.sentence().len(), "an error without words: {error:?}");
        // A wrong default is reported at its place in the schema.
        let is_in = |text: &str| error.place.is_none_or(|place| text.get(place.range()).is_some());
        assert!(is_in(object) || is_in(schema), "a place outside of both texts: {error:?}");
    }
}

fn algorithms(schema: &Structural, object: &Value) {
    let pruned = prune(object, Some(schema), Root::Resource);
    let again = prune(&pruned.value, Some(schema), Root::Resource);
    assert!(again.unknown.is_empty() && again.value == pruned.value, "pruning twice is another thing");
    let served = with_pruned_defaults(schema.clone());
    let complete = default(&drop_nulls(&pruned.value, &served), &served);
    assert_eq!(default(&complete, &served), complete, "defaulting twice is another thing");
    if Validator::new(schema, Purpose::Objects).validate(&complete, &FieldPath::default()).is_empty()
        && !has_known_format(schema)
    {
        let weaker = schema.without_value_validation();
        let errors = Validator::new(&weaker, Purpose::Objects).validate(&complete, &FieldPath::default());
        assert!(errors.is_empty(), "less validation refuses more: {errors:?}");
    }
}

/// A string or a list passes for anything with a format, by a fault of the server that we repeat.
fn has_known_format(schema: &Structural) -> bool {
    let mut found = false;
    schema.clone().for_each_mut(&mut |schema| {
        found |=
            schema.value_validation.as_ref().is_some_and(|validation| is_known_format(&validation.format));
    });
    found
}

fn published(crd: &Crd) {
    for version in &crd.spec.versions {
        for open_api in [OpenApi::V2, OpenApi::V3] {
            publish(crd, version, open_api, Unfolding::Server);
            publish(crd, version, open_api, Unfolding::Document);
        }
        let _ = json_schema(crd, version, UnknownFields::Refused);
    }
}

fn structural(crd: &Crd) -> Option<Structural> {
    Structural::new(crd.schema(crd.spec.versions.first()?)?).ok()
}

fn definition(schema: Value) -> Value {
    let text = |text: &str| Value::from(text);
    let map = |entries: Vec<(&str, Value)>| -> Value { entries.into_iter().collect() };
    let version = map(vec![
        ("name", text("v1")),
        ("served", Value::from(true)),
        ("storage", Value::from(true)),
        ("subresources", map(vec![("status", map(Vec::new()))])),
        ("schema", map(vec![("openAPIV3Schema", schema)])),
    ]);
    map(vec![
        ("apiVersion", text("apiextensions.k8s.io/v1")),
        ("kind", text("CustomResourceDefinition")),
        ("metadata", map(vec![("name", text("foos.example.com"))])),
        (
            "spec",
            map(vec![
                ("group", text("example.com")),
                ("scope", text("Namespaced")),
                ("names", map(vec![("plural", text("foos")), ("kind", text("Foo"))])),
                ("versions", [version].into_iter().collect()),
            ]),
        ),
    ])
}

fn with_head(mut object: Value) -> Value {
    if let trueline_yaml::Data::Map(map) = &mut object.data {
        let map = std::sync::Arc::make_mut(map);
        for (key, text) in [("apiVersion", "example.com/v1"), ("kind", "Foo")] {
            let value = Value::from(text);
            map.insert(key.into(), trueline_yaml::MapEntry { key_origin: None, value });
        }
    }
    object
}
