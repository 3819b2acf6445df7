//! Schemas, values and what the server says to them.

use trueline_kube_facts::FieldPath;

use super::*;
use crate::object::tests::{schema, value};

fn messages(errors: &[FieldError]) -> Vec<String> {
    errors.iter().map(FieldError::message).collect()
}

/// Each row: a schema of the field `f`, a value of it, and the errors, with a bar between them.
fn check(rows: &[(&str, &str, &str)]) {
    for (field, given, expected) in rows {
        let schema = schema(&format!(r#"{{"type": "object", "properties": {{"f": {field}}}}}"#));
        let value = value(&format!(r#"{{"f": {given}}}"#));
        let found = messages(&validate(&value, &schema, Purpose::Objects, &FieldPath::default()));
        assert_eq!(found.join("|"), *expected, "{field} {given}");
    }
}

#[test]
fn types() {
    check(&[
        (r#"{"type": "string"}"#, r#""a""#, ""),
        (
            r#"{"type": "string"}"#,
            "1",
            r#"f: Invalid value: "integer": f in body must be of type string: "integer""#,
        ),
        (
            r#"{"type": "integer"}"#,
            "1.5",
            r#"f: Invalid value: "number": f in body must be of type integer: "number""#,
        ),
        (r#"{"type": "number"}"#, "1", ""),
        (r#"{"type": "integer", "nullable": true}"#, "null", ""),
        (
            r#"{"type": "array"}"#,
            "null",
            r#"f: Invalid value: "null": f in body must be of type array: "null""#,
        ),
        (
            r#"{"x-kubernetes-int-or-string": true}"#,
            "true",
            r#"f: Invalid value: "boolean": f in body must be of type integer,string: "boolean""#,
        ),
        (r#"{"type": "string", "format": "ipv4"}"#, "[1]", ""),
        (
            r#"{"type": "string", "format": "ipv4"}"#,
            "{}",
            r#"f: Invalid value: "": f in body must be of type ipv4: """#,
        ),
        (
            r#"{"type": "string", "format": "ipv4"}"#,
            "1",
            r#"f: Invalid value: "int64": f in body must be of type ipv4: "int64""#,
        ),
        (
            r#"{"type": "string", "format": "ipv4"}"#,
            r#""x""#,
            r#"f: Invalid value: "x": f in body must be of type ipv4: "x""#,
        ),
        (r#"{"type": "integer", "format": "int32"}"#, "5000000000", ""),
    ]);
}

#[test]
fn texts_choices_lists_and_objects() {
    check(&[
        (
            r#"{"type": "string", "maxLength": 1, "pattern": "a"}"#,
            r#""éé""#,
            "f: Too long: may not be more than 1 byte",
        ),
        (r#"{"type": "string", "maxLength": 2}"#, r#""éé""#, ""),
        (
            r#"{"type": "string", "minLength": 3}"#,
            r#""ab""#,
            r#"f: Invalid value: "ab": f in body should be at least 3 chars long"#,
        ),
        (
            r#"{"type": "string", "pattern": "^a+$"}"#,
            r#""b""#,
            r#"f: Invalid value: "b": f in body should match '^a+$'"#,
        ),
        (r#"{"type": "string", "pattern": "b"}"#, r#""abc""#, ""),
        (
            r#"{"type": "string", "enum": ["a", 1]}"#,
            r#""b""#,
            r#"f: Unsupported value: "b": supported values: "a", "1""#,
        ),
        (
            r#"{"type": "string", "nullable": true, "enum": ["a", null]}"#,
            "null",
            r#"f: Unsupported value: null: supported values: "a", "null""#,
        ),
        (r#"{"x-kubernetes-int-or-string": true, "enum": ["A"]}"#, "65", ""),
        (
            r#"{"type": "array", "minItems": 2, "items": {"type": "string"}}"#,
            "[1]",
            r#"f[0]: Invalid value: "integer": f[0] in body must be of type string: "integer"|f: Invalid value: 1: f in body should have at least 2 items"#,
        ),
        (r#"{"type": "array", "maxItems": 1}"#, "[1, 2]", "f: Too many: 2: must have at most 1 item"),
        (
            r#"{"type": "object", "maxProperties": 2}"#,
            r#"{"a": 1, "b": 2, "c": 3}"#,
            "f: Too many: 3: must have at most 2 items",
        ),
        (
            r#"{"type": "object", "minProperties": 1, "required": ["a"]}"#,
            "{}",
            "f: Invalid value: 0: f in body should have at least 1 properties|f.a: Required value",
        ),
        (
            r#"{"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}}}"#,
            r#"{"k.1": {"x": 1}}"#,
            r#"f.k.1.x: Invalid value: "integer": f.k.1.x in body must be of type string: "integer""#,
        ),
        (
            r#"{"type": "object", "additionalProperties": false}"#,
            r#"{"k": 1}"#,
            r#"f: Invalid value: "k": f.k in body is a forbidden property"#,
        ),
    ]);
}

#[test]
fn junctors_show_the_branch_that_came_nearest() {
    check(&[
        (
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "anyOf": [{"required": ["x"]}, {"properties": {"a": {"minimum": 5}, "b": {"maxLength": 1}}}]}"#,
            r#"{"a": 1, "b": "c"}"#,
            r#"<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)|f.a: Invalid value: 1: f.a in body should be greater than or equal to 5"#,
        ),
        (
            r#"{"type": "integer", "oneOf": [{"minimum": 1}, {"minimum": 2}, {"minimum": 9}]}"#,
            "3",
            r#"<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives"#,
        ),
        (
            r#"{"type": "integer", "oneOf": [{"minimum": 5}, {"minimum": 7}]}"#,
            "3",
            r#"<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found none valid|f: Invalid value: 3: f in body should be greater than or equal to 5"#,
        ),
        (
            r#"{"type": "integer", "minimum": 5, "allOf": [{"minimum": 5}]}"#,
            "3",
            r#"f: Invalid value: 3: f in body should be greater than or equal to 5|<nil>: Invalid value: "": "f" must validate all the schemas (allOf). None validated"#,
        ),
        (
            r#"{"type": "integer", "not": {"minimum": 5}}"#,
            "6",
            r#"<nil>: Invalid value: "": "f" must not validate the schema (not)"#,
        ),
    ]);
}

#[test]
fn defaults_are_checked_in_another_way() {
    let rows = [
        (r#"{"x-kubernetes-int-or-string": true}"#, "true", ""),
        (
            r#"{"type": "array", "items": {"type": "string"}}"#,
            "[1]",
            r#"p.default.[0]: Invalid value: "integer": [0] in body must be of type string: "integer""#,
        ),
        (
            r#"{"type": "string"}"#,
            "1",
            r#"p.default: Invalid value: "integer":  in body must be of type string: "integer""#,
        ),
        (r#"{"type": "string", "format": "foo"}"#, "[]", ""),
        (
            r#"{"type": "object", "additionalProperties": {"type": "string"}}"#,
            r#"{"k": 1}"#,
            r#"p.default.k: Invalid value: "integer": .k in body must be of type string: "integer""#,
        ),
    ];
    for (text, given, expected) in rows {
        let found =
            messages(&validate(&value(given), &schema(text), Purpose::Defaults, &FieldPath::of("p.default")));
        assert_eq!(found.join("|"), expected);
    }
}

#[test]
fn what_has_not_changed_is_left_alone() {
    let schema = schema(
        r#"{"type": "object", "properties": {
            "kind": {"type": "string", "maxLength": 1},
            "a": {"type": "string", "maxLength": 1},
            "o": {"type": "object", "properties": {"p": {"type": "string", "maxLength": 1}}, "required": ["r"]},
            "l": {"type": "array", "items": {"type": "string", "maxLength": 1}},
            "m": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                  "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer", "maximum": 5}}}},
            "j": {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
                  "allOf": [{"properties": {"x": {"maxLength": 1}}}]}}}"#,
    );
    let rows = [
        (r#"{"a": "long"}"#, r#"{"a": "long"}"#, ""),
        (r#"{"a": "long"}"#, r#"{"a": "longer"}"#, "a"),
        (r#"{"kind": "long"}"#, r#"{"kind": "long", "z": 1}"#, "kind"),
        (r#"{"o": {"p": "long"}}"#, r#"{"o": {"p": "long"}}"#, ""),
        (r#"{"o": {"p": "long"}}"#, r#"{"o": {"p": "long", "q": 1}}"#, "o.r"),
        (r#"{"l": ["long"]}"#, r#"{"l": ["long", "b"]}"#, "l[0]"),
        (r#"{"m": [{"k": "a", "v": 9}]}"#, r#"{"m": [{"k": "b", "v": 1}, {"v": 9, "k": "a"}]}"#, ""),
        (r#"{"m": [{"k": "a", "v": 9}]}"#, r#"{"m": [{"k": "a", "v": 8}]}"#, "m[0].v"),
        (r#"{"j": {"x": "long"}}"#, r#"{"j": {"x": "long", "y": "b"}}"#, "j.x "),
    ];
    let validator = Validator::new(&schema, Purpose::Objects);
    for (before, after, fields) in rows {
        let errors = validator.validate_update(&value(after), &value(before), &FieldPath::default());
        let found: Vec<String> = errors.iter().map(|error| error.field.to_string()).collect();
        assert_eq!(found.join(" "), fields, "{before} {after}");
    }
}

#[test]
fn errors_are_where_something_was_typed() {
    let text = "spec:\n  a: 12\n  list:\n  - x: long\n";
    let schema = schema(
        r#"{"type": "object", "properties": {"spec": {"type": "object", "required": ["b"], "properties": {
            "a": {"type": "string"},
            "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string", "maxLength": 1}}}}}}}}"#,
    );
    let value = trueline_yaml::yaml_to_value(text).unwrap();
    let places: Vec<(String, &str)> = validate(&value, &schema, Purpose::Objects, &FieldPath::default())
        .into_iter()
        .map(|error| {
            let place = error.place.unwrap();
            (error.field.to_string(), &text[place.start as usize..place.end as usize])
        })
        .collect();
    let spec = "a: 12\n  list:\n  - x: long";
    let found: Vec<(&str, &str)> =
        places.iter().map(|(field, text)| (field.as_str(), text.trim_end())).collect();
    assert_eq!(found, [("spec.a", "12"), ("spec.list[0].x", "long"), ("spec.b", spec)]);
}

#[test]
fn schemas_that_are_too_deep_are_given_up_on() {
    let mut nested = Structural::default();
    for _ in 0..2_000 {
        nested = Structural { items: Some(Box::new(nested)), ..Structural::default() };
    }
    let mut deep = value("1");
    for _ in 0..2_000 {
        deep = [deep].into_iter().collect();
    }
    let errors = validate(&deep, &nested, Purpose::Objects, &FieldPath::default());
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].reason(), trueline_kube_facts::Reason::Internal);
}
