//! Schemas that are imported: what becomes a type, what a rule, and what is listed because ytt cannot say it.

use super::{inspected, ran};
use trueline_ytt::run::Options;

/// A schema that was imported, and the keywords that are listed.
fn imported(schema: &str) -> (String, Vec<String>) {
    let sources = trueline_source::SourceMap::new();
    let text: std::sync::Arc<str> = schema.into();
    let source = sources.add("s.json", trueline_source::SourceKind::File, std::sync::Arc::clone(&text));
    let stream = trueline_yaml::read(source, &text, &trueline_yaml::ReadOptions::default());
    let imported = trueline_ytt::schema::import(stream.documents[0].root()).unwrap();
    let lost = imported.unexpressed.iter().map(|lost| format!("{}: {}", lost.path, lost.keyword));
    (imported.text, lost.collect())
}

#[test]
fn schemas_are_imported() {
    let schema = r##"{
      "type": "object", "additionalProperties": false, "required": ["name", "on"],
      "properties": {
        "name": {"type": "string", "minLength": 1, "description": "The \"name\"\nof it"},
        "port": {"type": "integer", "minimum": 1, "maximum": 65535},
        "ratio": {"type": "number", "exclusiveMinimum": 0},
        "kind": {"enum": ["a", "b"], "default": "b"},
        "on": {"type": "boolean"},
        "tag": {"type": ["string", "null"], "pattern": "^v"},
        "hosts": {"type": "array", "items": {"$ref": "#/$defs/host"}, "minItems": 1},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "self": {"$ref": "#"},
        "mixed": {"enum": ["a", 1, null]}
      },
      "$defs": {"host": {"type": "object", "properties": {"a": {"type": "string", "format": "hostname"}}, "anyOf": [true]}}
    }"##;
    let (text, lost) = imported(schema);
    let expected = "\
#@ load(\"@ytt:assert\", \"assert\")

#@data/values-schema
---
#@schema/desc \"The \\\"name\\\"\\nof it\"
#@schema/validation min_len=1
name: \"\"
#@schema/validation min=1, max=65535
port: 1
#@schema/validation (\"a value > 0\", assert.json_schema({\"exclusiveMinimum\": 0}))
ratio: 1.0
#@schema/validation one_of=[\"a\", \"b\"]
kind: \"b\"
#@schema/nullable
#@schema/validation not_null=True
\"on\": false
#@schema/nullable
#@schema/validation matches=\"^v\"
tag: \"v1\"
#@schema/nullable
#@schema/validation min_len=1
hosts:
-
  #@schema/validation format=\"hostname\"
  a: \"example.com\"
#@schema/type any=True
#@schema/validation (\"a map of strings\", assert.json_schema({\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}})), not_null=True
labels: {}
#@schema/type any=True
#@schema/nullable
self: null
#@schema/type any=True
#@schema/nullable
#@schema/validation one_of=[\"a\", 1]
mixed: \"a\"
";
    assert_eq!(text, expected);
    let listed = ["hosts[]: additionalProperties", "hosts[]: anyOf", "hosts: type", "self: $ref"];
    assert_eq!(lost, listed);
    // The result is a schema.
    assert!(inspected(&[("s.yml", &text)]).contains("  name\n"), "{}", inspected(&[("s.yml", &text)]));
}

#[test]
fn open_maps_that_may_be_null_are_imported_as_such() {
    let (text, lost) = imported(
        r#"{"type": "object", "additionalProperties": false, "properties": {
          "strategy": {"type": ["null", "object"]},
          "labels": {"type": "object"},
          "policy": {"anyOf": [{"type": "object"}, {"type": "null"}]}
        }}"#,
    );
    let expected = "\
#@ load(\"@ytt:assert\", \"assert\")

#@data/values-schema
---
#@schema/type any=True
#@schema/nullable
#@schema/validation (\"a map or null\", assert.json_schema({\"type\": [\"null\", \"object\"]}))
strategy: {}
#@schema/type any=True
#@schema/validation (\"a map\", assert.json_schema({\"type\": \"object\"})), not_null=True
labels: {}
#@schema/type any=True
#@schema/nullable
#@schema/validation (\"a map\", assert.json_schema({\"type\": \"object\"}))
policy: {}
";
    assert_eq!(text, expected);
    assert_eq!(lost, [""; 0]);
    let values = |text: &str| {
        inspected(&[
            ("s.yml", expected),
            ("v.yml", &format!("#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\n{text}")),
        ])
    };
    assert_eq!(values("strategy:\n  a: 1\n"), "strategy:\n  a: 1\nlabels: {}\npolicy: null\n");
    assert!(
        values("policy: 1\n")
            .contains("- must be: a map (by: s.yml:14)\n      found: expected a map, found an integer")
    );
}

/// What is checked by a JSON Schema: each with a value that it accepts, and one that it refuses.
#[test]
fn what_types_do_not_say_is_imported_as_a_json_schema() {
    for (schema, good, bad, found) in [
        (
            r#"{"type": ["string", "integer"]}"#,
            "5",
            "true",
            "expected a string or an integer, found a boolean",
        ),
        (
            r#"{"type": ["string", "null"], "anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}"#,
            "null",
            "c",
            "`anyOf` is not met",
        ),
        (
            r#"{"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}"#,
            "{x-a: b}",
            "{z: b}",
            "z: not allowed",
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}"#,
            "{a: b, c: 1}",
            "{c: d}",
            "c: expected an integer, found a string",
        ),
        (r#"{"type": ["object", "null"], "minProperties": 1}"#, "{a: b}", "{}", "length = 0"),
        (
            r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#,
            "[a, b]",
            "[a, a]",
            "two items are the same",
        ),
        (
            r#"{"type": "array", "items": [{"type": "string"}], "additionalItems": false}"#,
            "[a]",
            "[a, b]",
            "[1]: not allowed",
        ),
        (
            r#"{"type": ["array", "null"], "contains": {"type": "integer"}}"#,
            "[a, 1]",
            "[a]",
            "`contains` is not met",
        ),
        (r#"{"type": "number", "multipleOf": 0.25}"#, "0.75", "0.7", "`multipleOf` is not met"),
        (r#"{"type": "string", "not": {"const": "latest"}}"#, "v1", "latest", "`not` is not met"),
        (
            r#"{"type": "string", "if": {"pattern": "^a"}, "then": {"maxLength": 2}}"#,
            "bcde",
            "abc",
            "length = 3",
        ),
        (r##"{"oneOf": [{"$ref": "#/$defs/name"}, {"type": "integer"}]}"##, "a", "''", "`oneOf` is not met"),
    ] {
        let whole = format!(
            r#"{{"type": "object", "additionalProperties": false, "properties": {{"v": {schema}}}, "$defs": {{"name": {{"type": "string", "minLength": 1, "title": "A name"}}}}}}"#
        );
        let (text, lost) = imported(&whole);
        assert_eq!(lost, [""; 0], "{text}");
        let with = |value: &str| {
            inspected(&[
                ("s.yml", &text),
                (
                    "v.yml",
                    &format!(
                        "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\nv: {value}\n"
                    ),
                ),
            ])
        };
        assert!(with(good).starts_with("v:"), "{}\n{text}", with(good));
        assert!(with(bad).contains(&format!("found: {found}\n")), "{}\n{text}", with(bad));
        // The default is a value that the rules accept.
        assert!(inspected(&[("s.yml", &text)]).starts_with("v:"), "{text}");
    }
}

#[test]
fn a_schema_without_a_type_is_a_map_at_the_top() {
    let (text, lost) =
        imported(r#"{"properties": {"a": {"type": "string"}}, "additionalProperties": false}"#);
    assert_eq!((text.as_str(), lost), ("#@data/values-schema\n---\na: \"\"\n", Vec::new()));
    for schema in [r#"{"minProperties": 1}"#, r#"{"default": "x"}"#, r#"{"anyOf": [{"required": ["a"]}]}"#] {
        let (text, _) = imported(schema);
        let values = "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\na: 1\n";
        assert_eq!(inspected(&[("s.yml", &text), ("v.yml", values)]), "a: 1\n", "{text}");
    }
}

#[test]
fn what_a_json_schema_cannot_say_is_listed() {
    for (schema, listed) in [
        (r##"{"anyOf": [{"$ref": "#"}, {"type": "string"}]}"##, "v: $ref"),
        (r##"{"not": {"$ref": "#"}}"##, "v: $ref, v: not"),
        (r#"{"type": "array", "unevaluatedItems": false}"#, "v: unevaluatedItems"),
        (r#"{"type": "string", "pattern": "(?=a)"}"#, "v: pattern"),
        (r#"{"type": "object", "additionalProperties": {"pattern": "(?=a)"}}"#, "v: pattern"),
        (
            r#"{"oneOf": [{"type": "string", "pattern": "(?=a)"}, {"type": "integer"}]}"#,
            "v: pattern, v: oneOf",
        ),
    ] {
        let whole = format!(
            r#"{{"type": "object", "additionalProperties": false, "properties": {{"v": {schema}}}}}"#
        );
        let (text, lost) = imported(&whole);
        assert_eq!(lost.join(", "), listed, "{text}");
    }
}

#[test]
fn the_selector_of_the_proposal_is_imported() {
    let (text, lost) = imported(
        "openAPIV3Schema:\n  type: object\n  properties:\n    labelSelector:\n      type: object\n      properties:\n        matchLabels:\n          type: object\n          x-kubernetes-preserve-unknown-fields: true\n          additionalProperties:\n            type: string\n",
    );
    assert_eq!(
        text,
        "#@ load(\"@ytt:assert\", \"assert\")\n\n#@data/values-schema\n---\nlabelSelector:\n  #@schema/type any=True\n  #@schema/validation (\"a map of strings\", assert.json_schema({\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}})), not_null=True\n  matchLabels: {}\n"
    );
    assert_eq!(lost, [""; 0]);
}

#[test]
fn characters_that_yaml_takes_for_something_else_are_kept() {
    for code in [0x0a, 0x7f, 0x85, 0x9b, 0xe9, 0x2028, 0xfeff, 0xffff] {
        let schema = format!(
            r#"{{"type": "object", "properties": {{"a\u{code:04x}": {{"type": "string", "default": "x\u{code:04x}y"}}}}}}"#
        );
        let (text, _) = imported(&schema);
        let codes = "#@ load(\"@ytt:data\", \"data\")\nr: #@ [list((key + data.values[key]).codepoint_ords()) for key in data.values][0]\n";
        let printed = ran(&[("s.yml", &text), ("t.yml", codes)], &Options::default());
        assert_eq!(printed, format!("r:\n- 97\n- {code}\n- 120\n- {code}\n- 121\n"), "{text}");
    }
}
