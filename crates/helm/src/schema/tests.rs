//! Schemas and values with what Helm says of them.
//!
//! This file is long because it is one table: a case for every kind of rule, as recorded from Helm.

use std::sync::Arc;

use trueline_schema::Network;
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{Data, Limits, Value, json};

use super::{SchemaAccess, SchemaFailure, validate};
use crate::chart::{Chart, File, Metadata};

fn file(name: &str, text: &str) -> File {
    File { name: name.into(), data: text.as_bytes().into(), source: None, modified: None }
}

fn chart(name: &str, schema: Option<&str>) -> Chart {
    Chart {
        metadata: Metadata { name: name.to_owned(), ..Metadata::default() },
        chart_file: None,
        lock: None,
        templates: Arc::from([]),
        values: Value::from_json_text("{}").unwrap(),
        values_file: None,
        schema: schema.map(|schema| file("values.schema.json", schema)),
        files: Arc::from([]),
        dependencies: Vec::new(),
        path: None,
        is_packed: false,
    }
}

fn access() -> SchemaAccess {
    SchemaAccess { sources: Arc::new(SourceMap::default()), fetch: None, network: Network::Offline }
}

fn failure(chart: &Chart, values: &str) -> Option<SchemaFailure> {
    let access = access();
    let source = access.sources.add("values.yaml", SourceKind::File, values);
    let document = json::read(source, &Arc::from(values), Limits::default()).unwrap();
    validate(chart, &Value::from_node(document.root()).with_json_numbers(), &access).err()
}

fn told(schema: &str, values: &str) -> String {
    let failure = failure(&chart("t", Some(schema)), values);
    let text = failure.map(|failure| failure.to_string()).unwrap_or_default();
    let head = "values don't meet the specifications of the schema(s) in the following chart(s):\nt:\n";
    text.strip_prefix(head).unwrap_or(&text).to_owned()
}

/// Siblings come in the order of Go's maps, which is none; ours is that of the values.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Thousands of values that are none of thousands of choices: twice the values are no more than twice the text and work.
#[test]
fn choices_times_values_stay_within_bounds() {
    let choices: Vec<String> = (0..1_000).map(|number| format!("\"choice-{number}\"")).collect();
    let schema = format!(r#"{{"properties": {{"a": {{"items": {{"enum": [{}]}}}}}}}}"#, choices.join(","));
    let told = |count: usize| {
        let values = format!(r#"{{"a": [{}]}}"#, vec!["1"; count].join(","));
        trueline_schema::counted(|| told(&schema, &values).len())
    };
    let [(small, small_steps), (large, large_steps)] = [400, 800].map(told);
    assert!(large <= 2 * small, "{small} and {large} bytes");
    assert!(large_steps <= 2 * small_steps + 1_000, "{small_steps} and {large_steps} steps");
    assert!(large < 5 << 20, "{large} bytes");
}

/// Thousands of values that break one rule would each repeat the long text that it asks for.
#[test]
fn long_texts_times_values_stay_within_bounds() {
    let schema = format!(r#"{{"properties": {{"a": {{"items": {{"const": "{}"}}}}}}}}"#, "c".repeat(1 << 20));
    let values = format!(r#"{{"a": [{}]}}"#, vec!["1"; 2_000].join(","));
    let text = told(&schema, &values);
    assert!(text.len() < 10 << 20, "{}", text.len());
}

/// A pattern is made ready once, however many names are matched against it, and each look is paid for.
#[test]
fn patterns_times_names_are_paid_for() {
    let map = |count: usize, name: &str, value: &str| {
        let members: Vec<String> = (0..count).map(|number| format!("\"{name}{number}\": {value}")).collect();
        format!("{{{}}}", members.join(","))
    };
    let schema = format!(r#"{{"patternProperties": {}}}"#, map(300, "^never-", "{}"));
    let steps = |count: usize| trueline_schema::counted(|| told(&schema, &map(count, "k", "1"))).1;
    let (small, large) = (steps(100), steps(200));
    assert!(small >= 300 * 100, "{small}");
    assert!(2 * large <= 5 * small, "{small} and {large}");
}

/// What a schema leads back to is found without looking at all that led there.
#[test]
fn a_row_of_references_is_followed_in_one_pass() {
    let row = |length: usize| {
        let rest: Vec<String> = (0..length)
            .map(|number| format!(r##""r{number}": {{"$ref": "#/$defs/r{}"}}"##, number + 1))
            .collect();
        let last = format!(r#""r{length}": {{"type": "string"}}"#);
        format!(
            r##"{{"$defs": {{{},{last}}}, "properties": {{"a": {{"$ref": "#/$defs/r0"}}}}}}"##,
            rest.join(",")
        )
    };
    let steps = |length: usize| trueline_schema::counted(|| told(&row(length), r#"{"a": 1}"#)).1;
    // Few enough for the stack of this thread.
    let (small, large) = (steps(20), steps(40));
    assert!(small > 0 && 2 * large <= 5 * small, "{small} and {large}");
    assert!(told(&row(200), r#"{"a": 1}"#).contains("got number, want string"));
    let circle =
        r##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}"##;
    assert!(!told(circle, "{}").is_empty());
}

#[test]
fn values_are_refused_in_helms_words() {
    for (name, schema, values, expected) in CASES {
        let text = told(schema, values);
        assert_eq!(sorted(&text), sorted(expected), "{name}");
        assert_eq!(text.ends_with('\n'), expected.ends_with('\n'), "{name}");
    }
}

#[test]
fn subcharts_are_held_against_their_own_schemas_with_their_own_values() {
    let mut parent = chart("t", None);
    parent.dependencies.push(chart("ok", Some("{}")));
    parent
        .dependencies
        .push(chart("s", Some(r#"{"required": ["q"], "properties": {"n": {"type": "string"}}}"#)));
    parent.dependencies.push(chart("absent", Some(r#"{"required": ["q"]}"#)));
    parent.dependencies.push(chart("list", Some("{}")));
    if let Some(subchart) = parent.dependencies.get_mut(1) {
        subchart.dependencies.push(chart("ss", Some("false")));
    }
    let failure = failure(&parent, r#"{"ok": {}, "s": {"n": 1, "ss": {}}, "list": []}"#).unwrap();
    assert_eq!(
        failure.to_string(),
        "values don't meet the specifications of the schema(s) in the following chart(s):\n\
         s:\n- at '': missing property 'q'\n- at '/n': got number, want string\n\
         ss:\n- at '': false schema\n\
         list:\ninvalid type for values: expected object (map), got []interface {}\n"
    );
}

#[test]
fn findings_stand_where_the_values_were_typed() {
    let schema =
        r#"{"properties": {"a": {"properties": {"port": {"maximum": 65535}}, "required": ["name"]}}}"#;
    let values = r#"{"a": {"port": 70000}}"#;
    let failure = failure(&chart("t", Some(schema)), values).unwrap();
    let places: Vec<&str> =
        failure.diagnostics.iter().map(|finding| &values[finding.primary.span.range()]).collect();
    assert_eq!(places, ["\"a\"", "70000"], "{:?}", failure.diagnostics);
}

/// Values are floats once they have been through JSON, and draft 4 knows integers by how they are written.
#[test]
fn integers_are_integers_in_every_draft() {
    for draft in ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"] {
        let schema = format!(
            r#"{{"$schema": "{draft}", "properties": {{
                "a": {{"type": "integer"}}, "b": {{"items": {{"type": "integer"}}}}, "c": {{"type": "string"}},
                "d": {{"type": "integer"}}, "e": {{"type": "integer"}}, "f": {{"oneOf": [{{"type": "integer"}}]}}
            }}}}"#
        );
        let values = r#"{"a": 3, "b": [80, 3.0, -1], "c": 5, "d": 1.5, "e": 1234567890123456789, "f": 7}"#;
        let failure = failure(&chart("t", Some(&schema)), values).unwrap();
        let places: Vec<&str> =
            failure.diagnostics.iter().map(|finding| &values[finding.primary.span.range()]).collect();
        assert_eq!(places, ["5", "1.5"], "{draft}: {:?}", failure.diagnostics);
    }
}

#[test]
fn a_name_that_only_the_defaults_have_may_be_the_one_that_was_meant() {
    let access = access();
    let read = |name: &str, text: &str| {
        let source = access.sources.add(name, SourceKind::File, text);
        Value::from_node(json::read(source, &Arc::from(text), Limits::default()).unwrap().root())
    };
    let schema = r#"{"properties": {"replicas": {}}, "additionalProperties": false}"#;
    let help = |values: &Value| {
        let failure = validate(&chart("t", Some(schema)), values, &access).unwrap_err();
        failure.diagnostics.first().unwrap().help.clone().unwrap()
    };
    let mut merged = read("values.yaml", r#"{"replicas": 1}"#);
    let typed = read("prod.yaml", r#"{"replica": 2}"#);
    let (Data::Map(into), Data::Map(from)) = (&mut merged.data, typed.data) else { panic!("maps") };
    Arc::make_mut(into).extend(from.iter().map(|(name, entry)| (Arc::clone(name), entry.clone())));
    assert!(help(&merged).starts_with("did you mean `replicas`?"), "{}", help(&merged));
    let beside = read("values.yaml", r#"{"replicas": 1, "replica": 2}"#);
    assert!(!help(&beside).contains("did you mean"), "{}", help(&beside));
}

#[test]
fn a_schema_refers_to_files_of_its_chart_and_to_nothing_else() {
    let with = |reference: &str| {
        let mut chart = chart("t", Some(&format!(r#"{{"properties": {{"p": {{"$ref": "{reference}"}}}}}}"#)));
        chart.files = Arc::from([file("schemas/port.json", r#"{"type": "integer"}"#)]);
        let text = failure(&chart, r#"{"p": "x"}"#).unwrap().to_string();
        text.lines().nth(2).unwrap().to_owned()
    };
    assert_eq!(with("schemas/port.json"), "- at '/p': got string, want integer");
    assert_eq!(with("./schemas/port.json#"), "- at '/p': got string, want integer");
    assert_eq!(
        with("schemas/none.json"),
        "failing loading \"file:///schemas/none.json\": open /schemas/none.json: no such file or directory"
    );
    assert_eq!(
        with("file:///etc/passwd"),
        "failing loading \"file:///etc/passwd\": `file:///etc/passwd` is outside the package"
    );
    assert_eq!(
        with("../port.json"),
        "failing loading \"file:///port.json\": `../port.json` is outside the package"
    );
    assert!(with("https://example.com/s.json").starts_with(
        "failing loading \"https://example.com/s.json\": HTTP request failed for https://example.com/s.json: "
    ));
    assert_eq!(
        with("urn:example:thing"),
        "failing loading \"urn:example:thing\": no URLLoader registered for \"urn:example:thing\""
    );
}

#[test]
fn the_real_cause_is_told_of_references_that_lead_nowhere() {
    let with = |reference: &str| {
        let mut chart = chart("t", Some(&format!(r#"{{"properties": {{"p": {{"$ref": "{reference}"}}}}}}"#)));
        chart.files = Arc::from([
            file("schemas/port.json", r#"{"$defs": {"port": {}}}"#),
            file("schemas/next.json", r##"{"$ref": "none.json"}"##),
            file(
                "schema-dependencies.json",
                r#"{"company": "schemas/", "api": "https://example.com/a.json"}"#,
            ),
        ]);
        let text = failure(&chart, r#"{"p": "x"}"#).unwrap().to_string();
        text.lines().nth(2).unwrap().to_owned()
    };
    for (reference, wanted) in [
        (
            "schemas/port.json#/$defs/prt",
            "json-pointer in \"file:///schemas/port.json#/$defs/prt\" not found",
        ),
        (
            "schemas/port.json#prt",
            "anchor in \"file:///schemas/port.json#prt\" not found in schema \"file:///schemas/port.json\"",
        ),
        (
            "company/port.json#/$defs/prt",
            "failing loading \"company/port.json\": `company/port.json#/$defs/prt` cannot be resolved: \
             `schemas/port.json` has nothing at `/$defs/prt`",
        ),
        (
            "company/none.json",
            "failing loading \"company/none.json\": `company/none.json` cannot be resolved: `schemas/none.json` does not exist",
        ),
        (
            "api#/a",
            "failing loading \"api\": `api#/a` points to `https://example.com/a.json`, but network access is \
             disabled (`--offline`)",
        ),
        (
            "schemas/next.json",
            "next.json: `none.json` cannot be resolved: `schemas/none.json` does not exist",
        ),
    ] {
        assert_eq!(with(reference), wanted, "{reference}");
    }
}

#[test]
fn a_chart_without_a_schema_keeps_everything() {
    assert!(failure(&chart("t", None), r#"{"a": [1, {"b": null}]}"#).is_none());
}

/// Name, schema, values, and what is printed below the name of the chart.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "anchor-twice",
        r#"{"$defs": {"x": {"$anchor": "q"}, "y": {"$anchor": "q"}}}"#,
        "{}",
        "duplicate anchor \"q\" in \"file:///values.schema.json\" at \"/$defs/y\" and \"/$defs/x\"",
    ),
    (
        "anchor-twice-draft7",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": {"$id": "#q"}, "y": {"$id": "#q"}}}"##,
        "{}",
        "duplicate anchor \"q\" in \"file:///values.schema.json\" at \"/definitions/y\" and \"/definitions/x\"",
    ),
    (
        "id-twice",
        r#"{"$id": "http://e.com/q", "$defs": {"y": {"$id": "http://e.com/q"}}}"#,
        "{}",
        "duplicate id \"http://e.com/q\" in \"file:///values.schema.json\" at \"/$defs/y\" and \"\"",
    ),
    (
        "numbers-as-typed",
        r#"{"properties": {"a": {"enum": [1e3, 2.50, 1E+2, 10.0, 12345678901234567890123, -0.0, 7]}, "b": {"const": 1e3}}}"#,
        r#"{"a": 5, "b": 5}"#,
        "- at '/a': value must be one of 1e3, 2.50, 1E+2, 10.0, 12345678901234567890123, -0.0, 7\n- at '/b': value must be 1e3\n",
    ),
    (
        "enum-twice-the-same",
        r#"{"$schema": "http://json-schema.org/draft-06/schema#", "enum": [1, 1.0]}"#,
        "{}",
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'http://json-schema.org/draft-06/schema#'\n- at '/enum': items at 0 and 1 are equal",
    ),
    (
        "pattern-properties-draft4",
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"a": {"patternProperties": {"[": {}}}}}"#,
        "{}",
        "invalid regex \"[\" at \"file:///values.schema.json#/properties/a/patternProperties\": error parsing regexp: missing closing ]: `[`",
    ),
    (
        "contains-with-reasons",
        r#"{"properties": {"a": {"contains": {"type": "string", "minLength": 2}, "minContains": 2}}}"#,
        r#"{"a": ["xy", 1, "z"]}"#,
        "- at '/a': min 2 items required to match contains schema, but matched 1 items at 0\n  - at '/a/1': got number, want string\n  - at '/a/2': minLength: got 1, want 2\n",
    ),
    (
        "circle",
        r##"{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}"##,
        "{}",
        "- at '': 'allOf' failed\n  - at '': 'anyOf' failed\n    - at '': both /allOf/0/$ref/anyOf/0/$ref and /allOf/0/$ref resolve to \"file:///values.schema.json#/$defs/a\" causing reference cycle\n",
    ),
    (
        "pointer-with-blank",
        r##"{"$ref": "#/a b"}"##,
        "{}",
        "json-pointer in \"file:///values.schema.json#/a%20b\" not found",
    ),
    (
        "pointer",
        r##"{"$ref": "#/nope"}"##,
        "{}",
        "json-pointer in \"file:///values.schema.json#/nope\" not found",
    ),
    (
        "anchor",
        r##"{"$ref": "#nope"}"##,
        "{}",
        "anchor in \"file:///values.schema.json#nope\" not found in schema \"file:///values.schema.json\"",
    ),
    (
        "const-beside-reference",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/x", "const": 2, "maximum": 0}}, "definitions": {"x": {}}}"##,
        r#"{"a": 1}"#,
        "- at '/a': value must be 2\n",
    ),
    (
        "latest-draft",
        r#"{"$schema": "http://json-schema.org/schema#", "properties": {"a": {"prefixItems": [{"type": "string"}]}}}"#,
        r#"{"a": [1]}"#,
        "- at '/a/0': got number, want string\n",
    ),
    (
        "additional-false",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {}}, "additionalProperties": false}"#,
        r#"{"a": 1, "zed": 1, "bee": 2}"#,
        "- at '': additional properties 'bee', 'zed' not allowed\n",
    ),
    (
        "allof",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 5}, {"pattern": "^x"}]}}}"#,
        r#"{"a": "abc"}"#,
        "- at '/a': 'allOf' failed\n  - at '/a': minLength: got 3, want 5\n  - at '/a': 'abc' does not match pattern '^x'\n",
    ),
    (
        "anyof",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 10}]}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': 'anyOf' failed\n  - at '/a': got number, want string\n  - at '/a': minimum: got 5, want 10\n",
    ),
    (
        "array-tuple-d7",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"l": {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false}}}"#,
        r#"{"l": [1, "x", "y"]}"#,
        "- at '/l/0': got number, want string\n- at '/l/1': got string, want integer\n- at '/l': last 1 additionalItem(s) not allowed\n",
    ),
    (
        "bad-min-type",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"minimum": "5"}}}"#,
        r#"{"a": 1}"#,
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'http://json-schema.org/draft-07/schema#'\n- at '/properties/a/minimum': got string, want number",
    ),
    (
        "bad-multiple",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": 5, "minimum": "x", "enum": []}}}"#,
        r#"{"a": 1}"#,
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'http://json-schema.org/draft-07/schema#'\n- at '/properties/a': validation failed\n  - at '/properties/a/type': 'anyOf' failed\n    - at '/properties/a/type': value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'\n    - at '/properties/a/type': got number, want array\n  - at '/properties/a/minimum': got string, want number\n  - at '/properties/a/enum': minItems: got 0, want 1",
    ),
    (
        "bad-pattern",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"pattern": "["}}}"#,
        r#"{"a": "x"}"#,
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'http://json-schema.org/draft-07/schema#'\n- at '/properties/a/pattern': '[' is not valid regex: error parsing regexp: missing closing ]: `[`",
    ),
    (
        "bad-required",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "required": "a"}"#,
        r#"{"a": 1}"#,
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'http://json-schema.org/draft-07/schema#'\n- at '/required': got string, want array",
    ),
    (
        "bad-type-keyword",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "strnig"}}}"#,
        r#"{"a": 1}"#,
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'http://json-schema.org/draft-07/schema#'\n- at '/properties/a/type': 'anyOf' failed\n  - at '/properties/a/type': value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'\n  - at '/properties/a/type': got string, want array",
    ),
    (
        "bignum-huge",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"maximum": 5}}}"#,
        r#"{"a": 123456789012345678901234567890}"#,
        "- at '/a': maximum: got 1.2345678901234568×10²⁹, want 5\n",
    ),
    (
        "bignum",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "integer", "maximum": 9007199254740991}}}"#,
        r#"{"a": 9007199254740993}"#,
        "- at '/a': maximum: got 9.007199254740992×10¹⁵, want 9.007199254740991×10¹⁵\n",
    ),
    ("bom", r#"{"type": "object", "required": ["b"]}"#, r#"{"a": 1}"#, "- at '': missing property 'b'\n"),
    ("bool-true", r#"true"#, r#"{"a": 1}"#, ""),
    (
        "const-object",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"const": {"k": 1}}}}"#,
        r#"{"a": {"k": 2}}"#,
        "- at '/a': 'const' failed\n",
    ),
    (
        "const",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"const": "x"}, "b": {"const": 5}}}"#,
        r#"{"a": "z", "b": 6}"#,
        "- at '/a': value must be 'x'\n- at '/b': value must be 5\n",
    ),
    (
        "contains-2020",
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"l": {"contains": {"type": "string"}, "minContains": 2, "maxContains": 3}}}"#,
        r#"{"l": ["a"]}"#,
        "- at '/l': min 2 items required to match contains schema, but matched 1 items at 0\n",
    ),
    (
        "deep-anyof-nest",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"anyOf": [{"type": "object", "required": ["k"], "properties": {"k": {"oneOf": [{"const": 1}, {"const": 2}]}}}, {"type": "array", "items": {"type": "string"}}]}}}"#,
        r#"{"a": {"k": 3}}"#,
        "- at '/a': 'anyOf' failed\n  - at '/a/k': 'oneOf' failed, none matched\n    - at '/a/k': value must be 1\n    - at '/a/k': value must be 2\n  - at '/a': got object, want array\n",
    ),
    (
        "dependencies-d7",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "dependencies": {"a": ["b"], "c": {"required": ["d"]}}}"#,
        r#"{"a": 1, "c": 1}"#,
        "- at '': properties 'b' required, if 'a' exists\n- at '': missing property 'd'\n",
    ),
    (
        "dependent-2019",
        r#"{"$schema": "https://json-schema.org/draft/2019-09/schema", "type": "object", "dependentRequired": {"a": ["b", "z"]}, "dependentSchemas": {"c": {"required": ["d"]}}}"#,
        r#"{"a": 1, "c": 1}"#,
        "- at '': missing property 'd'\n- at '': properties 'b', 'z' required, if 'a' exists\n",
    ),
    (
        "draft-2020-dynamicref",
        r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "file:///tree", "$dynamicAnchor": "node", "type": "object", "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {"$dynamicRef": "#node"}}}}"##,
        r#"{"v": 1, "kids": [{"v": "x"}]}"#,
        "- at '/kids/0/v': got string, want integer\n",
    ),
    (
        "draft-root",
        r#"{"$schema": "http://json-schema.org/schema#", "type": "object", "properties": {"a": {"type": "string"}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': got number, want string\n",
    ),
    (
        "draft07-no-hash",
        r#"{"$schema": "http://json-schema.org/draft-07/schema", "type": "object", "properties": {"a": {"type": "string"}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': got number, want string\n",
    ),
    (
        "draft4",
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {"a": {"type": "integer", "minimum": 5, "exclusiveMinimum": true}}, "id": "http://x/y", "required": ["b"]}"#,
        r#"{"a": 5}"#,
        "- at '': missing property 'b'\n- at '/a': exclusiveMinimum: got 5, want 5\n",
    ),
    (
        "draft6",
        r#"{"$schema": "http://json-schema.org/draft-06/schema#", "type": "object", "properties": {"a": {"const": 1}, "b": {"contains": {}}, "c": {"exclusiveMinimum": 3}}}"#,
        r#"{"a": 2, "c": 3}"#,
        "- at '/a': value must be 1\n- at '/c': exclusiveMinimum: got 3, want 3\n",
    ),
    ("empty-file", r#""#, r#"{"a": 1}"#, "EOF"),
    (
        "enum",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"enum": ["x", "y", 1, null, true]}}}"#,
        r#"{"a": "z"}"#,
        "- at '/a': value must be one of 'x', 'y', 1, <nil>, true\n",
    ),
    (
        "format-2020",
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"a": {"format": "email"}, "b": {"format": "ipv4"}}}"#,
        r#"{"a": "nope", "b": 999}"#,
        "",
    ),
    (
        "https-draft07",
        r#"{"$schema": "https://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "string"}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': got number, want string\n",
    ),
    (
        "id-relative",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "root.json", "properties": {"p": {"type": "integer"}}}"#,
        r#"{"p": "x"}"#,
        "- at '/p': got string, want integer\n",
    ),
    (
        "id-urn",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:x:y", "properties": {"p": {"type": "integer"}}}"#,
        r#"{"p": "x"}"#,
        "- at '/p': got string, want integer\n",
    ),
    (
        "if-else",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "if": {"properties": {"k": {"const": "a"}}, "required": ["k"]}, "then": {"required": ["x"]}, "else": {"required": ["y"]}}"#,
        r#"{"k": "b"}"#,
        "- at '': missing property 'y'\n",
    ),
    (
        "if-then-else",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "if": {"properties": {"k": {"const": "a"}}}, "then": {"required": ["x"]}, "else": {"required": ["y"]}}"#,
        r#"{"k": "a"}"#,
        "- at '': missing property 'x'\n",
    ),
    (
        "invalid-json",
        r#"{"type": "object",}"#,
        r#"{"a": 1}"#,
        "invalid character '}' looking for beginning of object key string",
    ),
    (
        "length",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"minLength": 3}, "b": {"maxLength": 2}, "c": {"minLength": 2}}}"#,
        r#"{"a": "x", "b": "abc", "c": "é"}"#,
        "- at '/c': minLength: got 1, want 2\n- at '/a': minLength: got 1, want 3\n- at '/b': maxLength: got 3, want 2\n",
    ),
    (
        "many-errors",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["r1", "r2"], "properties": {"b": {"type": "string"}, "a": {"type": "string", "maxLength": 1}, "c": {"enum": [1, 2]}}, "additionalProperties": false}"#,
        r#"{"z": 1, "b": 5, "a": 7, "c": 9}"#,
        "- at '': missing properties 'r1', 'r2'\n- at '/a': got number, want string\n- at '/b': got number, want string\n- at '/c': value must be one of 1, 2\n- at '': additional properties 'z' not allowed\n",
    ),
    (
        "min-max-float",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"minimum": 1.5}, "b": {"maximum": 0.1}, "e": {"multipleOf": 0.1}, "f": {"maximum": 1000000}}}"#,
        r#"{"a": 1.4, "b": 0.2, "e": 0.25, "f": 2000000}"#,
        "- at '/b': maximum: got 0.2, want 0.1\n- at '/e': multipleOf: got 0.25, want 0.1\n- at '/f': maximum: got 2×10⁰⁶, want 1×10⁰⁶\n- at '/a': minimum: got 1.4, want 1.5\n",
    ),
    (
        "minmax-properties",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "minProperties": 3, "maxProperties": 1}"#,
        r#"{"a": 1, "b": 2}"#,
        "- at '': minProperties: got 2, want 3\n- at '': maxProperties: got 2, want 1\n",
    ),
    (
        "nested-path",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "array", "items": {"type": "object", "properties": {"c/d": {"type": "string"}, "e~f": {"type": "string"}}}}}}}}"#,
        r#"{"a": {"b": [{"c/d": 1}, {"e~f": 2}]}}"#,
        "- at '/a/b/0/c~1d': got number, want string\n- at '/a/b/1/e~0f': got number, want string\n",
    ),
    (
        "no-keyword",
        r#"{"type": "object", "properties": {"a": {"type": "string"}, "l": {"prefixItems": [{"type": "string"}]}}}"#,
        r#"{"a": 5, "l": [1]}"#,
        "- at '/a': got number, want string\n- at '/l/0': got number, want string\n",
    ),
    (
        "not",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"not": {"type": "integer"}}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': 'not' failed\n",
    ),
    (
        "null-default-nested",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"m": {"type": "object", "properties": {"a": {"type": "string"}}}}}"#,
        r#"{"m": {"b": 1}}"#,
        "",
    ),
    (
        "null-default",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "string"}}}"#,
        r#"{}"#,
        "",
    ),
    (
        "null-removed",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "string"}}}"#,
        r#"{}"#,
        "",
    ),
    (
        "null-required",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}"#,
        r#"{}"#,
        "- at '': missing property 'a'\n",
    ),
    (
        "num-format-const",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"l": {"type": "array", "items": {"const": 1234567}}}}"#,
        r#"{"l": [5, 1234.5]}"#,
        "- at '/l/0': value must be 1234567\n- at '/l/1': value must be 1234567\n",
    ),
    (
        "num-format-enum",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"l": {"type": "array", "items": {"enum": [1000, 2.5, 10000000.0, "a", null, false, [1], {"k": 1}]}}}}"#,
        r#"{"l": [5]}"#,
        "- at '/l/0': 'enum' failed\n",
    ),
    (
        "num-format-min",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"l": {"type": "array", "items": {"minimum": 1000000000000.0}}}}"#,
        r#"{"l": [1234567.891, 20000, -20000]}"#,
        "- at '/l/0': minimum: got 1.234567891×10⁰⁶, want 1×10¹²\n- at '/l/1': minimum: got 20,000, want 1×10¹²\n- at '/l/2': minimum: got -20,000, want 1×10¹²\n",
    ),
    (
        "num-format-multiple",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"l": {"type": "array", "items": {"multipleOf": 7000}}}}"#,
        r#"{"l": [1, 12345, 7001.5]}"#,
        "- at '/l/0': multipleOf: got 1, want 7,000\n- at '/l/1': multipleOf: got 12,345, want 7,000\n- at '/l/2': multipleOf: got 7,001.5, want 7,000\n",
    ),
    (
        "ok",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "integer"}}}"#,
        r#"{"a": 5}"#,
        "",
    ),
    (
        "oneof-none",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "boolean"}]}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': 'oneOf' failed, none matched\n  - at '/a': got number, want string\n  - at '/a': got number, want boolean\n",
    ),
    (
        "oneof-two",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"oneOf": [{"type": "integer"}, {"minimum": 1}]}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': 'oneOf' failed, subschemas 0, 1 matched\n",
    ),
    (
        "path-odd-keys",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": {"type": "string"}}"#,
        r#"{"a b": 1, "q'uote": 2, "dot.key": 3, "": 4, "ünï": 5}"#,
        "- at '/ünï': got number, want string\n- at '/': got number, want string\n- at '/a b': got number, want string\n- at '/dot.key': got number, want string\n- at '/q\\'uote': got number, want string\n",
    ),
    (
        "pattern-ecma",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"pattern": "^(?!no).*$"}}}"#,
        r#"{"a": "nope"}"#,
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'http://json-schema.org/draft-07/schema#'\n- at '/properties/a/pattern': '^(?!no).*$' is not valid regex: error parsing regexp: invalid or unsupported Perl syntax: `(?!`",
    ),
    (
        "pattern-msg-escape",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"l": {"type": "array", "items": {"pattern": "^it's[\\\"\\\\]$"}}}}"#,
        r#"{"l": ["a'b\né"]}"#,
        "- at '/l/0': 'a\\'b\\né' does not match pattern '^it\\'s[\\\\\"\\\\\\\\]$'\n",
    ),
    (
        "pattern-properties",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "patternProperties": {"^s_": {"type": "string"}, "^i_": {"type": "integer"}}, "additionalProperties": false}"#,
        r#"{"s_a": 1, "i_b": "x", "other": 1}"#,
        "- at '/i_b': got string, want integer\n- at '/s_a': got number, want string\n- at '': additional properties 'other' not allowed\n",
    ),
    (
        "pattern",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "string", "pattern": "^v[0-9]+$"}}}"#,
        r#"{"a": "x1"}"#,
        "- at '/a': 'x1' does not match pattern '^v[0-9]+$'\n",
    ),
    (
        "prefixitems-2020",
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"l": {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}}}"#,
        r#"{"l": [1, "x"]}"#,
        "- at '/l/0': got number, want string\n- at '/l/1': got string, want integer\n",
    ),
    (
        "property-names",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}"#,
        r#"{"Bad1": 1, "ok": 2}"#,
        "- at '': invalid propertyName 'Bad1'\n  - at '': 'Bad1' does not match pattern '^[a-z]+$'\n",
    ),
    (
        "ref-defs-2020",
        r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"port": {"type": "integer", "maximum": 65535}}, "properties": {"p": {"$ref": "#/$defs/port"}}}"##,
        r#"{"p": "x"}"#,
        "- at '/p': got string, want integer\n",
    ),
    (
        "ref-error-indent",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"d": {"allOf": [{"type": "object", "required": ["x"]}, {"anyOf": [{"required": ["p"]}, {"required": ["q"]}]}]}}, "properties": {"a": {"$ref": "#/definitions/d"}}}"##,
        r#"{"a": {"z": 1}}"#,
        "- at '/a': 'allOf' failed\n  - at '/a': missing property 'x'\n  - at '/a': 'anyOf' failed\n    - at '/a': missing property 'p'\n    - at '/a': missing property 'q'\n",
    ),
    (
        "ref-local",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"port": {"type": "integer", "maximum": 65535}}, "properties": {"p": {"$ref": "#/definitions/port"}}}"##,
        r#"{"p": 70000}"#,
        "- at '/p': maximum: got 70,000, want 65,535\n",
    ),
    (
        "ref-missing-unused-prop",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"p": {"$ref": "#/definitions/nope"}}}"##,
        r#"{"q": 1}"#,
        "json-pointer in \"file:///values.schema.json#/definitions/nope\" not found",
    ),
    (
        "ref-missing",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"p": {"$ref": "#/definitions/nope"}}}"##,
        r#"{"p": 1}"#,
        "json-pointer in \"file:///values.schema.json#/definitions/nope\" not found",
    ),
    (
        "ref-recursive",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"n": {"type": "object", "properties": {"next": {"$ref": "#/definitions/n"}, "v": {"type": "integer"}}}}, "$ref": "#/definitions/n"}"##,
        r#"{"v": 1, "next": {"v": 2, "next": {"v": "x"}}}"#,
        "- at '/next/next/v': got string, want integer\n",
    ),
    (
        "ref-siblings-2020",
        r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"s": {"type": "string"}}, "properties": {"p": {"$ref": "#/$defs/s", "maxLength": 1}}}"##,
        r#"{"p": "abc"}"#,
        "- at '/p': maxLength: got 3, want 1\n",
    ),
    (
        "ref-unknown-scheme",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"p": {"$ref": "ftp://x/y.json"}}}"#,
        r#"{"p": "x"}"#,
        "failing loading \"ftp://x/y.json\": no URLLoader registered for \"ftp://x/y.json\"",
    ),
    (
        "set-int-ok",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}"#,
        r#"{"a": 3}"#,
        "",
    ),
    (
        "string-escape-msg",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"l": {"type": "array", "items": {"enum": ["it's", "tab\t", "nl\n", "é", "\"dq\"", "back\\"]}}}}"#,
        r#"{"l": ["a'b"]}"#,
        "- at '/l/0': value must be one of 'it\\'s', 'tab\\t', 'nl\\n', 'é', '\"dq\"', 'back\\'\n",
    ),
    (
        "type-bool-null-array-object",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "null"}, "c": {"type": "array"}, "d": {"type": "object"}}}"#,
        r#"{"a": "x", "b": 1, "c": {}, "d": []}"#,
        "- at '/b': got number, want null\n- at '/c': got object, want array\n- at '/d': got array, want object\n- at '/a': got string, want boolean\n",
    ),
    (
        "type-float",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "integer"}}}"#,
        r#"{"a": 5.5}"#,
        "- at '/a': got number, want integer\n",
    ),
    (
        "type-number-set-int",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "string"}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': got number, want string\n",
    ),
    (
        "type-string-from-int",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": "string"}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': got number, want string\n",
    ),
    (
        "type-union",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"type": ["string", "null"]}}}"#,
        r#"{"a": 5}"#,
        "- at '/a': got number, want null or string\n",
    ),
    (
        "unevaluated-2020",
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"l": {"prefixItems": [{"type": "string"}], "unevaluatedItems": false}}}"#,
        r#"{"l": ["a", "b"]}"#,
        "- at '/l/1': false schema\n",
    ),
    (
        "unique-objects",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"c": {"uniqueItems": true}}}"#,
        r#"{"c": [{"a": 1}, {"b": 2}, {"a": 1}]}"#,
        "- at '/c': items at 0 and 2 are equal\n",
    ),
];
