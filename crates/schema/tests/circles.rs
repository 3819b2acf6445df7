//! References that lead back to themselves: those that describe a tree, and those that never end.

mod common;

use common::{Server, accepts, document, lines, package, root, store};
use serde_json::json;

#[test]
fn cycles_that_go_deeper_work() {
    let tree = r##"{"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#"}}}"##;
    let one = store(package(&[("values.schema.json", tree)]), Server::default());
    assert!(accepts(&one, &json!({"next": {"next": {"value": 1}}})));
    assert!(!accepts(&one, &json!({"next": {"next": {"value": "a"}}})));

    let files = [
        ("values.schema.json", r#"{"properties": {"a": {"$ref": "a.json"}}}"#),
        ("a.json", r#"{"properties": {"b": {"$ref": "b.json"}}, "type": "object"}"#),
        (
            "b.json",
            r#"{"properties": {"a": {"$ref": "a.json"}, "root": {"$ref": "values.schema.json"}}, "type": "object"}"#,
        ),
    ];
    let many = store(package(&files), Server::default());
    assert!(accepts(&many, &json!({"a": {"b": {"a": {"b": {}}, "root": {"a": {}}}}})));
    assert!(!accepts(&many, &json!({"a": {"b": {"a": {"b": 1}}}})));
    assert!(!accepts(&many, &json!({"a": {"b": {"root": {"a": 1}}}})));

    // Every step looks at another value, or the keyword has no effect.
    for fine in [
        json!({"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}, "contains": {"$ref": "#"}}),
        json!({"prefixItems": [{"$ref": "#"}], "patternProperties": {"^a": {"$ref": "#"}}}),
        json!({"propertyNames": {"$ref": "#"}, "unevaluatedItems": {"$ref": "#"}}),
        json!({"unevaluatedProperties": {"allOf": [{"$ref": "#"}]}, "contentSchema": {"$ref": "#"}}),
        json!({"allOf": [{"properties": {"a": {"$ref": "#"}}}], "not": {"required": ["never"]}}),
        json!({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {}}}),
        json!({"then": {"$ref": "#"}, "dependencies": {"a": {"$ref": "#"}}}),
        json!({"$schema": DRAFT_7, "$ref": "#/definitions/a", "allOf": [{"$ref": "#"}], "definitions": {"a": {}}}),
        json!({"$schema": DRAFT_7, "dependentSchemas": {"a": {"$ref": "#"}}}),
        json!({"$schema": DRAFT_7, "$dynamicRef": "#"}),
        json!({"$schema": DRAFT_2019, "$recursiveAnchor": true, "items": {"$recursiveRef": "#"}}),
        json!({"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}),
    ] {
        let store = store(package(&[("values.schema.json", &fine.to_string())]), Server::default());
        assert!(accepts(&store, &json!({"a": {"a": {}}})), "{fine}");
    }
}

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019: &str = "https://json-schema.org/draft/2019-09/schema";

#[test]
fn endless_cycles_are_reported_at_the_reference_that_closes_them() {
    // The pointers of the references that are marked: the one that closes the circle, and the others.
    type Marked<'a> = (&'a str, &'a [&'a str]);
    const A: &str = "/$defs/a/$ref";
    let cases: Vec<(serde_json::Value, Vec<Marked<'_>>)> = vec![
        (json!({"$ref": "#"}), vec![("/$ref", &[])]),
        (json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}), vec![(A, &[])]),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
            vec![("/$defs/b/$ref", &[A])],
        ),
        (json!({"$defs": {"a": {"$ref": "#unused", "$anchor": "unused"}}}), vec![(A, &[])]),
        (json!({"properties": {"x": {"$ref": "#/properties/x"}}}), vec![("/properties/x/$ref", &[])]),
        (
            json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
            vec![("/allOf/0/$ref", &[]), ("/allOf/1/$ref", &[])],
        ),
        (json!({"anyOf": [{"type": "string"}, {"$ref": "#"}]}), vec![("/anyOf/1/$ref", &[])]),
        (json!({"oneOf": [{"oneOf": [{"$ref": "#"}]}]}), vec![("/oneOf/0/oneOf/0/$ref", &[])]),
        (json!({"not": {"$ref": "#"}}), vec![("/not/$ref", &[])]),
        (json!({"if": {"$ref": "#"}, "then": true}), vec![("/if/$ref", &[])]),
        (
            json!({"if": true, "then": {"$ref": "#"}, "else": {"$ref": "#"}}),
            vec![("/then/$ref", &[]), ("/else/$ref", &[])],
        ),
        (json!({"dependentSchemas": {"a": {"$ref": "#"}}}), vec![("/dependentSchemas/a/$ref", &[])]),
        (
            json!({"$schema": DRAFT_7, "dependencies": {"a": {"$ref": "#"}, "b": ["c"]}}),
            vec![("/dependencies/a/$ref", &[])],
        ),
        // If the cycle is entered in the middle, a step that is not a reference closes it.
        (
            json!({"$ref": "#/$defs/b/allOf/0", "$defs": {"b": {"allOf": [{"$ref": "#/$defs/b"}]}}}),
            vec![("/$defs/b/allOf/0/$ref", &[])],
        ),
        // A dynamic reference is only reported if it has a single possible target.
        (json!({"$dynamicRef": "#"}), vec![("/$dynamicRef", &[])]),
        (json!({"$dynamicAnchor": "n", "$dynamicRef": "#n"}), vec![("/$dynamicRef", &[])]),
        (
            json!({"$dynamicAnchor": "n", "$dynamicRef": "#n", "$defs": {"x": {"$id": "x", "$dynamicAnchor": "n"}}}),
            vec![],
        ),
        (json!({"$schema": DRAFT_2019, "$recursiveRef": "#"}), vec![("/$recursiveRef", &[])]),
        (
            json!({"$schema": DRAFT_2019, "$recursiveAnchor": true, "$recursiveRef": "#",
                   "$defs": {"x": {"$id": "x", "$recursiveAnchor": true}}}),
            vec![],
        ),
    ];
    for (schema, expected) in cases {
        let text = schema.to_string();
        let store = store(package(&[("values.schema.json", &text)]), Server::default());
        let findings = match root(&store) {
            Ok(schema) => {
                schema.validate(&document(&store, "{\"a\": [1]}"));
                schema.warnings().to_vec()
            }
            Err(error) => error.diagnostics().to_vec(),
        };
        let root = document(&store, &text);
        let span = |pointer: &str| {
            let span = root.root().at_pointer(pointer).unwrap().span();
            (span.start, span.end)
        };
        let mut found: Vec<_> = findings
            .iter()
            .map(|finding| {
                assert_eq!(finding.code.id, "TL0254", "{text}");
                let others: Vec<_> =
                    finding.related.iter().map(|label| (label.span.start, label.span.end)).collect();
                ((finding.primary.span.start, finding.primary.span.end), others)
            })
            .collect();
        let mut expected: Vec<_> = expected
            .iter()
            .map(|(last, others)| (span(last), others.iter().copied().map(span).collect::<Vec<_>>()))
            .collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_cycle_across_files_is_marked_in_all_of_them() {
    let files = [
        ("values.schema.json", r#"{"anyOf": [{"$ref": "a.json"}, {"$ref": "d.json"}]}"#),
        ("a.json", r#"{"$id": "https://example.com/a", "$ref": "b.json#/$defs/b"}"#),
        ("b.json", r#"{"$defs": {"b": {"allOf": [{"$ref": "https://example.com/c.json"}]}}}"#),
        ("d.json", r#"{"$id": "https://example.com/d", "$ref": "https://example.com/a"}"#),
    ];
    let server =
        Server::default().with("https://example.com/c.json", r#"{"not": {"$ref": "https://example.com/d"}}"#);
    let store = store(package(&files), server);
    let error = root(&store).unwrap_err();
    let found = lines(&store, error.diagnostics());
    assert_eq!(
        found,
        [
            "pkg/d.json:1:42 TL0254 `https://example.com/a` refers back to itself without going deeper into the \
             document"
        ]
    );
    let related: Vec<String> = error.diagnostics()[0]
        .related
        .iter()
        .map(|label| store.sources().get(label.span.source).name().to_owned())
        .collect();
    assert_eq!(related, ["pkg/a.json", "pkg/b.json", "https://example.com/c.json"]);
    assert_eq!(error.diagnostics()[0].primary.text, "this closes a cycle of 4 references");
}

#[test]
fn a_long_cycle_is_shown_in_part() {
    let count = 20_000;
    let mut definitions = serde_json::Map::new();
    for index in 0..count {
        let next = format!("#/$defs/d{}", (index + 1) % count);
        definitions.insert(format!("d{index}"), json!({"allOf": [{"$ref": next}, {"$ref": "#/$defs/d0"}]}));
    }
    let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions}).to_string();
    let store = store(package(&[("values.schema.json", &schema)]), Server::default());
    let error = root(&store).unwrap_err();
    assert!(
        error.diagnostics().iter().all(|finding| finding.code.id == "TL0254" && finding.related.len() <= 8)
    );
    assert_eq!(error.diagnostics().len(), count + 1, "each reference that closes a circle");
}

#[test]
fn the_official_schemas_have_no_cycles() {
    // Under other names they are ordinary schemas, with everything they refer to.
    let renamed = |address: &str| {
        let base = jsonschema::uri::from_str(address).unwrap();
        let resolver = referencing::SPECIFICATIONS.resolver(base);
        let mut text = resolver.lookup(address).unwrap().contents().clone();
        let id = if text.get("id").is_some() { "id" } else { "$id" };
        let other = address.replace("json-schema.org", "example.com");
        text[id] = json!(other);
        (other, text.to_string())
    };
    let vocabularies = |draft: &str, names: &[&'static str]| -> Vec<String> {
        let common = ["core", "applicator", "validation", "meta-data", "content"];
        let names = common.iter().chain(names);
        names.map(|name| format!("https://json-schema.org/draft/{draft}/meta/{name}")).collect()
    };
    for (address, others) in [
        ("http://json-schema.org/draft-04/schema", vec![]),
        ("http://json-schema.org/draft-06/schema", vec![]),
        ("http://json-schema.org/draft-07/schema", vec![]),
        (DRAFT_2019, vocabularies("2019-09", &["format"])),
        (
            "https://json-schema.org/draft/2020-12/schema",
            vocabularies("2020-12", &["unevaluated", "format-annotation"]),
        ),
    ] {
        let mut server = Server::default();
        for other in &others {
            let (address, text) = renamed(other);
            server = server.with(&address, &text);
        }
        let store = store(package(&[("values.schema.json", &renamed(address).1)]), server);
        assert!(accepts(&store, &json!({"properties": {"a": {"items": {"type": "string"}}}})), "{address}");
        assert!(!accepts(&store, &json!({"properties": {"a": {"not": {"type": "strin"}}}})), "{address}");
    }
}
