//! Helpers of the tests of this module, and tests of the whole way of an object.

use trueline_kube_facts::FieldError;
use trueline_yaml::{Value, yaml_to_value};

use super::*;
use crate::definition;
use crate::props::Props;
use crate::structural::Structural;

pub(crate) fn value(text: &str) -> Value {
    Value::from_json_text(text).unwrap()
}

pub(crate) fn schema(text: &str) -> Structural {
    Structural::new(&Props::read(&value(text))).unwrap()
}

fn resource(versions: &str) -> Resource {
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\n\
         spec:\n  group: example.com\n  scope: Namespaced\n  names: {{plural: foos, kind: Foo}}\n  versions:\n{versions}"
    );
    Resource::new(
        &definition::decode(&yaml_to_value(&text).unwrap()).unwrap().crd,
        trueline_kube_facts::KubeVersion::CRD_RULES,
    )
    .unwrap()
}

fn one_version() -> Resource {
    resource(
        "  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [m]
            properties:
              m: {type: integer, maximum: 5}
              d: {type: string, default: x}
              e: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations: [{rule: self.m > 0}]
          status:
            type: object
            default: {phase: Pending}
            properties: {phase: {type: string, maxLength: 7}}
",
    )
}

fn object(rest: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Foo\nmetadata: {{name: x}}\n{rest}")
}

fn decoded<'r>(resource: &'r Resource, text: &str) -> Decoded<'r> {
    resource.decode(&yaml_to_value(text).unwrap(), text).unwrap()
}

fn messages(errors: &[FieldError]) -> String {
    let messages: Vec<String> = errors.iter().map(FieldError::message).collect();
    messages.join("|")
}

fn expect(value: &Value, json: &str) {
    assert_eq!(value, &self::value(json), "{}", value.to_json_text().unwrap());
}

#[test]
fn an_object_is_created() {
    let resource = one_version();
    let text = object("spec: {m: 1.0, z: null}\nstatus: {phase: Ready}\nother: 1\n");
    let decoded = decoded(&resource, &text);
    expect(
        &decoded.value,
        r#"{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": {"m": 1, "d": "x"},
            "status": {"phase": "Ready"}}"#,
    );
    let unknown: Vec<String> = decoded.unknown.iter().map(|field| field.path.to_string()).collect();
    assert_eq!(unknown, ["other", "spec.z"]);
    let verdict = resource.create(&decoded);
    let created = r#"{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", "namespace": "default",
        "generation": 1}, "spec": {"m": 1, "d": "x"}}"#;
    expect(&verdict.object, created);
    assert_eq!((messages(&verdict.errors).as_str(), verdict.rule_cost.is_some()), ("", true));
    let returned = resource.returned(&verdict.object, decoded.version).unwrap();
    expect(
        &returned,
        r#"{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", "namespace": "default",
            "generation": 1}, "spec": {"m": 1, "d": "x"}, "status": {"phase": "Pending"}}"#,
    );
}

#[test]
fn errors_that_keep_rules_from_being_evaluated_say_so() {
    let resource = one_version();
    let not_checked = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; \
                       correct the existing errors to complete validation";
    let rows = [
        (
            "spec: {m: 9}\n",
            "spec.m: Invalid value: 9: spec.m in body should be less than or equal to 5".to_owned(),
            true,
        ),
        ("spec: {}\n", format!("spec.m: Required value|{not_checked}"), false),
    ];
    for (rest, expected, were_evaluated) in rows {
        let verdict = resource.create(&decoded(&resource, &object(rest)));
        assert_eq!((messages(&verdict.errors), verdict.rule_cost.is_some()), (expected, were_evaluated));
        assert!(verdict.errors.iter().all(|error| error.place.is_some()));
    }
}

#[test]
fn updates_keep_the_status_and_status_updates_keep_the_rest() {
    let resource = one_version();
    let old = resource.stored(&decoded(&resource, &object("spec: {m: 9}\nstatus: {phase: Ready}\n")));
    let new = object("spec: {m: 9, d: b}\nstatus: {phase: much too long}\n");
    let verdict = resource.update(&decoded(&resource, &new), &old);
    assert_eq!(messages(&verdict.errors), "");
    expect(
        &verdict.object,
        r#"{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", "namespace": "default",
            "generation": 2}, "spec": {"m": 9, "d": "b"}, "status": {"phase": "Ready"}}"#,
    );
    let verdict = resource.update_status(&decoded(&resource, &new), &old);
    assert!(messages(&verdict.errors).starts_with("status.phase: Too long: may not be more than 7 bytes|"));
    assert_eq!(verdict.object.get("spec"), old.get("spec"));
    let renamed = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: other}\nspec: {m: 1}\n";
    let verdict = resource.update(&decoded(&resource, renamed), &old);
    assert_eq!(messages(&verdict.errors), "metadata.name: Invalid value: \"other\": field is immutable");
}

#[test]
fn what_cannot_be_decoded_is_said_in_the_server_s_words() {
    let resource = one_version();
    let head = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
                \"json:\\\"kind,omitempty\\\"\" }";
    let rows = [
        ("[a]", format!("couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type {head}")),
        ("", "Object 'Kind' is missing in ''".to_owned()),
        ("kind: Foo", "Object 'apiVersion' is missing in 'kind: Foo'".to_owned()),
        (
            "kind: 1",
            "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"
                .to_owned(),
        ),
        ("apiVersion: a/b/c\nkind: Foo", "unexpected GroupVersion string: a/b/c".to_owned()),
        ("apiVersion: example.com/v2\nkind: Foo", "no such version or kind: example.com/v2, Kind=Foo".to_owned()),
        (
            "apiVersion: example.com/v1\nkind: Foo\nmetadata: x",
            "json: cannot unmarshal string into Go value of type v1.ObjectMeta".to_owned(),
        ),
        (
            "apiVersion: example.com/v1\nkind: Foo\nspec: {e: {kind: 1}}",
            "spec.e.kind: Invalid value: 1: must be a string".to_owned(),
        ),
        (
            "apiVersion: example.com/v1\nkind: Foo\nspec: {e: {metadata: {labels: x}}}",
            "spec.e.metadata: Invalid value: {\"labels\":\"x\"}: json: cannot unmarshal string into Go struct field \
             ObjectMeta.labels of type map[string]string"
                .to_owned(),
        ),
    ];
    for (text, expected) in rows {
        let error = resource.decode(&yaml_to_value(text).unwrap(), text).unwrap_err();
        assert_eq!(error.text, expected);
    }
    let infinite: Value = [("a", Value::from(f64::INFINITY))].into_iter().collect();
    assert_eq!(resource.decode(&infinite, "").unwrap_err().text, "json: unsupported value: +Inf");
}

#[test]
fn an_object_of_another_kind_is_refused_and_its_rules_are_evaluated() {
    let resource = one_version();
    let text = "apiVersion: example.com/v1\nkind: Bar\nmetadata: {name: B}\nspec: {z: 1}\n";
    let decoded = decoded(&resource, text);
    assert_eq!(decoded.value.get("spec"), Some(&value(r#"{"z": 1}"#)));
    let verdict = resource.create(&decoded);
    assert_eq!(
        messages(&verdict.errors),
        "kind: Invalid value: \"Bar\": must be Foo|spec: Invalid value: \"object\": no such key: m evaluating rule: self.m > 0"
    );
}

#[test]
fn an_object_of_another_version_goes_through_the_stored_one() {
    let schema = |name: &str, storage: bool, field: &str| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {storage}\n    schema:\n      openAPIV3Schema:\n        \
             type: object\n        properties: {{spec: {{type: object, properties: {{{field}, c: {{type: string}}}}}}}}\n"
        )
    };
    let versions = schema("v1", true, "a: {type: string, default: x}")
        + &schema("v2", false, "b: {type: string, default: w}");
    let resource = resource(&versions);
    let text = "apiVersion: example.com/v2\nkind: Foo\nmetadata: {name: x}\nspec: {c: z}\n";
    let decoded = decoded(&resource, text);
    assert_eq!(decoded.value.get("spec"), Some(&value(r#"{"b": "w", "c": "z"}"#)));
    let verdict = resource.create(&decoded);
    let returned = resource.returned(&verdict.object, decoded.version).unwrap();
    assert_eq!(returned.get("spec"), Some(&value(r#"{"c": "z"}"#)));
    assert_eq!(returned.get("apiVersion"), Some(&Value::from("example.com/v2")));
}
