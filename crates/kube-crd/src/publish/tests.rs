//! CRDs and what is published about them.

use trueline_yaml::{Value, yaml_to_value};

use super::*;
use crate::definition;

fn custom_resource(spec: &str) -> Crd {
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\n\
         spec:\n  group: example.com\n  names: {{plural: foos, kind: Foo}}\n{spec}"
    );
    definition::decode(&yaml_to_value(&text).unwrap()).unwrap().crd
}

fn with_field(schema: &str) -> Crd {
    custom_resource(&format!(
        "  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      \
         openAPIV3Schema: {{type: object, properties: {{f: {schema}}}}}\n"
    ))
}

fn object(crd: &Crd, open_api: OpenApi, unfolding: Unfolding) -> Value {
    publish(crd, &crd.spec.versions[0], open_api, unfolding).object
}

fn field(crd: &Crd, open_api: OpenApi, unfolding: Unfolding) -> String {
    let object = object(crd, open_api, unfolding);
    object
        .get("properties")
        .and_then(|all| all.get("f"))
        .map_or("none".to_owned(), |f| f.to_json_text().unwrap())
}

#[test]
fn fields_are_published_in_both_versions() {
    let rows = [
        (
            "{type: string, default: x, minLength: 1, oneOf: [{pattern: a}]}",
            r#"{"minLength":1,"type":"string"}"#,
            r#"{"default":"x","minLength":1,"oneOf":[{"pattern":"a"}],"type":"string"}"#,
        ),
        (
            "{x-kubernetes-int-or-string: true, anyOf: [{minimum: 3}]}",
            r#"{"x-kubernetes-int-or-string":true}"#,
            r#"{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}],"anyOf":[{"minimum":3}],"x-kubernetes-int-or-string":true}"#,
        ),
        (
            "{type: object, nullable: true, properties: {a: {type: string}}}",
            "{}",
            r#"{"nullable":true,"properties":{"a":{"type":"string"}},"type":"object"}"#,
        ),
        (
            "{type: object, required: [a, b], properties: {a: {type: string, nullable: true}, b: {type: array, items: {type: string}}}}",
            r#"{"properties":{"a":{},"b":{"items":{"type":"string"},"type":"array"}},"required":["b"],"type":"object"}"#,
            r#"{"properties":{"a":{"nullable":true,"type":"string"},"b":{"items":{"type":"string"},"type":"array"}},"required":["a","b"],"type":"object"}"#,
        ),
        (
            "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}",
            r#"{"x-kubernetes-preserve-unknown-fields":true}"#,
            r#"{"properties":{"a":{"type":"string"}},"type":"object","x-kubernetes-preserve-unknown-fields":true}"#,
        ),
        (
            "{type: object, additionalProperties: {type: integer}, x-kubernetes-validations: [{rule: 'true', reason: FieldValueInvalid}]}",
            r#"{"additionalProperties":{"type":"integer"},"type":"object","x-kubernetes-validations":[{"reason":"FieldValueInvalid","rule":"true"}]}"#,
            r#"{"additionalProperties":{"type":"integer"},"type":"object","x-kubernetes-validations":[{"reason":"FieldValueInvalid","rule":"true"}]}"#,
        ),
    ];
    for (schema, v2, v3) in rows {
        let crd = with_field(schema);
        assert_eq!(field(&crd, OpenApi::V2, Unfolding::Server), v2, "{schema}");
        assert_eq!(field(&crd, OpenApi::V3, Unfolding::Server), v3, "{schema}");
    }
}

#[test]
fn embedded_resources_have_the_fields_of_resources() {
    let crd =
        with_field("{type: object, x-kubernetes-embedded-resource: true, properties: {a: {type: string}}}");
    let v3 = field(&crd, OpenApi::V3, Unfolding::Server);
    assert!(v3.contains(r#""required":["kind","apiVersion"]"#), "{v3}");
    assert!(v3.contains(
        r##""allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]"##
    ));
    let v2 = field(&crd, OpenApi::V2, Unfolding::Server);
    assert!(
        v2.contains(r##""$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta""##),
        "{v2}"
    );
}

#[test]
fn what_is_not_structural_is_not_published() {
    for schema in ["{}", "{type: object, anyOf: [{type: object}]}", "{type: text}"] {
        let crd = with_field(schema);
        for open_api in [OpenApi::V2, OpenApi::V3] {
            let object = object(&crd, open_api, Unfolding::Server).to_json_text().unwrap();
            let identity = r#"[{"group":"example.com","kind":"Foo","version":"v1"}]"#;
            assert_eq!(
                object,
                format!(r#"{{"type":"object","x-kubernetes-group-version-kind":{identity}}}"#)
            );
        }
    }
}

#[test]
fn unions_are_unfolded_only_on_request() {
    let crd = with_field(
        "{type: object, x-kubernetes-unions: [{discriminator: kind, fields: {a: A, b: B}}],
          properties: {kind: {type: string}, a: {type: object}, b: {type: object}}}",
    );
    assert!(!field(&crd, OpenApi::V3, Unfolding::Server).contains("oneOf"));
    let unfolded = field(&crd, OpenApi::V3, Unfolding::Document);
    assert!(unfolded.contains(r#""oneOf":[{"required":["a"]},{"required":["b"]}]"#), "{unfolded}");
    assert!(unfolded.contains(r#""enum":["A","B"]"#), "{unfolded}");
    assert!(!field(&crd, OpenApi::V2, Unfolding::Document).contains("oneOf"));
}

#[test]
fn paths_and_lists() {
    let version = "  - {name: v1, served: true, storage: true, subresources: {status: {}, scale: {specReplicasPath: .spec.r, \
                   statusReplicasPath: .status.r}}, selectableFields: [{jsonPath: .spec.a}], schema: {openAPIV3Schema: {type: \
                   object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}}\n";
    let namespaced = custom_resource(&format!("  scope: Namespaced\n  versions:\n{version}"));
    let published = publish(&namespaced, &namespaced.spec.versions[0], OpenApi::V2, Unfolding::Server);
    let collection = "/apis/example.com/v1/namespaces/{namespace}/foos";
    let mut expected = vec!["/apis/example.com/v1/foos".to_owned(), collection.to_owned()];
    expected.extend(["", "/scale", "/status"].map(|end| format!("{collection}/{{name}}{end}")));
    assert_eq!(published.paths, expected);
    assert_eq!(
        (published.name.as_str(), published.list_name.as_str()),
        ("com.example.v1.Foo", "com.example.v1.FooList")
    );
    let list = published.list.to_json_text().unwrap();
    assert!(list.contains(r#""x-kubernetes-selectable-fields":[{"fieldPath":"spec.a"}]"#), "{list}");
    assert!(list.contains(r#""description":"FooList is a list of Foo""#), "{list}");
    let cluster = custom_resource(&format!("  scope: Cluster\n  versions:\n{version}"));
    let paths = publish(&cluster, &cluster.spec.versions[0], OpenApi::V3, Unfolding::Server).paths;
    assert_eq!(paths.first().map(String::as_str), Some("/apis/example.com/v1/foos"));
    assert_eq!(paths.len(), 4);
    let document = document(&[published], OpenApi::V2);
    assert!(document.get("definitions").is_some_and(|all| all.get("com.example.v1.FooList").is_some()));
}

#[test]
fn json_schemas_accept_what_the_server_accepts() {
    let rows = [
        ("{type: string}", r#"{"type":["string","null"]}"#),
        ("{type: string, enum: [a]}", r#"{"enum":["a",null],"type":["string","null"]}"#),
        ("{type: string, nullable: true, enum: [a]}", r#"{"enum":["a"],"type":"string"}"#),
        (
            "{type: string, format: duration, pattern: '(?i)a', maxLength: 3}",
            r#"{"maxLength":3,"type":["string","null"]}"#,
        ),
        (
            "{type: number, minimum: 2.5, maximum: 4, exclusiveMaximum: true}",
            r#"{"exclusiveMaximum":4,"minimum":2,"type":["number","null"]}"#,
        ),
        ("{x-kubernetes-int-or-string: true}", r#"{"type":["integer","string","null"]}"#),
        (
            "{type: object, required: [a, b], properties: {a: {type: string, default: x}, b: {type: string}}}",
            r#"{"properties":{"a":{"default":"x","type":["string","null"]},"b":{"type":"string"}},"required":["b"],"type":["object","null"]}"#,
        ),
        (
            "{type: object, properties: {a: {type: string}}, not: {required: [a]}}",
            r#"{"anyOf":[{"type":"null"},{"not":{"properties":{"a":{"not":{"type":"null"}}},"required":["a"]}}],"properties":{"a":{"type":["string","null"]}},"type":["object","null"]}"#,
        ),
        (
            "{type: string, oneOf: [{format: ipv4}, {minLength: 3}]}",
            r#"{"anyOf":[{"type":"null"},{"allOf":[{"anyOf":[{},{"minLength":3}]}]}],"type":["string","null"]}"#,
        ),
    ];
    for (schema, expected) in rows {
        let crd = with_field(schema);
        let converted = json_schema(&crd, &crd.spec.versions[0], UnknownFields::Accepted).unwrap();
        let field = converted.get("properties").and_then(|all| all.get("f")).unwrap();
        assert_eq!(field.to_json_text().unwrap(), expected, "{schema}");
    }
    let crd = with_field("{type: object, properties: {a: {type: string}}}");
    let strict = json_schema(&crd, &crd.spec.versions[0], UnknownFields::Refused).unwrap();
    let text = strict.to_json_text().unwrap();
    assert_eq!(text.matches(r#""additionalProperties":false"#).count(), 2, "{text}");
    assert!(text.contains(r#""apiVersion":{"enum":["example.com/v1"],"type":"string"}"#));
}

#[test]
fn examples_of_the_document_are_published_as_it_says() {
    let rows = [
        (
            "{type: string, anyOf: [{pattern: '^1'}, {pattern: ':'}]}",
            r#"{"anyOf":[{"pattern":"^1"},{"pattern":":"}],"type":"string"}"#,
            r#"{"type":"string"}"#,
        ),
        (
            "{type: object, nullable: true, x-kubernetes-preserve-unknown-fields: true}",
            r#"{"nullable":true,"type":"object","x-kubernetes-preserve-unknown-fields":true}"#,
            r#"{"x-kubernetes-preserve-unknown-fields":true}"#,
        ),
        (
            "{type: object, additionalProperties: {type: integer, minimum: 42}}",
            r#"{"additionalProperties":{"minimum":42,"type":"integer"},"type":"object"}"#,
            r#"{"additionalProperties":{"minimum":42,"type":"integer"},"type":"object"}"#,
        ),
        (
            "{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, {pattern: abc, \
             anyOf: [{minimum: 42, maximum: 50}, {minimum: 52, maximum: 60}]}]}",
            r#"{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"anyOf":[{"maximum":50,"minimum":42},{"maximum":60,"minimum":52}],"pattern":"abc"}],"x-kubernetes-int-or-string":true}"#,
            r#"{"x-kubernetes-int-or-string":true}"#,
        ),
    ];
    for (schema, v3, v2) in rows {
        let crd = with_field(schema);
        assert_eq!(field(&crd, OpenApi::V3, Unfolding::Document), v3, "{schema}");
        assert_eq!(field(&crd, OpenApi::V2, Unfolding::Document), v2, "{schema}");
    }
}

/// The server puts its own words in the place of what is said about `apiVersion`, `kind` and `metadata`; the document
/// keeps both.
#[test]
fn patterns_of_resource_fields_are_kept_on_request() {
    let crd = with_field(
        "{type: object, nullable: true, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true,
          properties: {apiVersion: {type: string, pattern: v1}, kind: {type: string, enum: [Pod]}, metadata: {type: object,
          properties: {name: {type: string, maxLength: 9}}}}}",
    );
    let server = field(&crd, OpenApi::V3, Unfolding::Server);
    assert!(
        !server.contains("pattern") && !server.contains("enum") && !server.contains("maxLength"),
        "{server}"
    );
    let document = object(&crd, OpenApi::V3, Unfolding::Document);
    let f = document.get("properties").and_then(|all| all.get("f")).unwrap();
    let text = |name: &str| f.get("properties").unwrap().get(name).unwrap().to_json_text().unwrap();
    let version = text("apiVersion");
    assert!(
        version.contains(r#""allOf":[{"pattern":"^([a-z0-9]"#),
        "the expression of an apiVersion: {version}"
    );
    assert!(version.contains(r#"},{"pattern":"v1"}],"description":"#), "{version}");
    assert!(text("kind").contains(r#""enum":["Pod"],"type":"string""#), "{}", text("kind"));
    let metadata = text("metadata");
    let own = r#"{"properties":{"name":{"maxLength":9,"type":"string"}},"type":"object"}"#;
    assert!(metadata.contains(&format!(r#"ObjectMeta"}},{own}]"#)), "{metadata}");
    // What is demanded of values is dropped after all has been spelled out, as the document shows it.
    let published =
        publish_with(&crd, &crd.spec.versions[0], OpenApi::V3, Unfolding::Document, ValueValidation::Dropped);
    let f = published.object.get("properties").and_then(|all| all.get("f")).unwrap().to_json_text().unwrap();
    for keyword in ["pattern", "enum", "maxLength", "required"] {
        assert!(!f.contains(&format!("\"{keyword}\"")), "{keyword} in {f}");
    }
    for kept in
        [r#""nullable":true"#, r#""x-kubernetes-embedded-resource":true"#, "\"apiVersion\"", "\"kind\""]
    {
        assert!(f.contains(kept), "{kept} in {f}");
    }
}
