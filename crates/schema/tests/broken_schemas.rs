//! Schemas that are wrong themselves: every error is reported at its place in the schema.

mod common;

use common::{Server, lines, marked, package, store};
use trueline_schema::{Formats, check_schema};
use trueline_source::{Fetch, LoadError, SourceKind};

#[track_caller]
fn findings(name: &str, schema: &str) -> Vec<(String, String)> {
    let store = store(package(&[]), Server::default());
    let source = store.sources().add(name, SourceKind::File, schema);
    let findings = check_schema(&store, source, None);
    let lines = lines(&store, &findings);
    lines.into_iter().zip(findings.iter().map(|finding| marked(&store, finding))).collect()
}

/// The code, the marked text and the message.
type Expected = (&'static str, &'static str, &'static str);

/// The schema, then for each finding its code, the marked text and a part of its message.
#[test]
fn errors_are_reported_at_their_places() {
    let cases: &[(&str, &[Expected])] = &[
        ("{}", &[]),
        ("true", &[]),
        (r#"{"type": "string", "pattern": "^a+$"}"#, &[]),
        ("", &[("TL0241", "", "ends where a JSON value was expected")]),
        ("{\"a\": 1", &[("TL0241", "", "expected `,` or `}`")]),
        ("[1]", &[("TL0241", "[1]", "must be a map")]),
        ("\"x\"", &[("TL0241", "\"x\"", "must be a map")]),
        (r#"{"type": "strin"}"#, &[("TL0240", "\"strin\"", "type")]),
        (r#"{"type": 1}"#, &[("TL0240", "1", "type")]),
        (r#"{"minLength": -1}"#, &[("TL0240", "-1", "minLength")]),
        (r#"{"required": "name"}"#, &[("TL0240", "\"name\"", "required")]),
        (r#"{"properties": {"a": 5}}"#, &[("TL0240", "5", "")]),
        (
            r#"{"type": "strin", "properties": {"a": {"minimum": "x", "pattern": "(?!a)"}}, "$ref": "x.json"}"#,
            &[
                ("TL0240", "\"strin\"", ""),
                ("TL0240", "\"x\"", ""),
                ("TL0243", "\"(?!a)\"", "uses look-around"),
                ("TL0244", "\"x.json\"", "does not exist"),
            ],
        ),
        (
            r#"{"patternProperties": {"(": {}, "(a)\\1": {}}}"#,
            &[("TL0243", "\"(\"", "not a valid regular"), ("TL0243", "\"(a)\\\\1\"", "backreference")],
        ),
        (r#"{"pattern": "((a{900}){900}){900}"}"#, &[("TL0243", "\"((a{900}){900}){900}\"", "too large")]),
        (
            r#"{"$schema": "http://json-schema.org/draft-03/schema#"}"#,
            &[("TL0242", "\"http://json-schema.org/draft-03/schema#\"", "not a draft")],
        ),
        (
            r#"{"$schema": "https://json-schema.org/draft-7/schema"}"#,
            &[("TL0242", "\"https://json-schema.org/draft-7/schema\"", "not a draft")],
        ),
        (
            r#"{"$schema": "https://example.com/none"}"#,
            &[("TL0242", "\"https://example.com/none\"", "does not exist")],
        ),
        (
            r#"{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 0, "exclusiveMinimum": 1}"#,
            &[("TL0240", "1", "")],
        ),
        (
            r#"{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true}"#,
            &[],
        ),
        (
            r#"{"$schema": "http://json-schema.org/draft-07/schema", "definitions": []}"#,
            &[("TL0240", "[]", "")],
        ),
        (
            r#"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$anchor": 1}"#,
            &[("TL0240", "1", "")],
        ),
        (r#"{"$id": "https://[x"}"#, &[("TL0252", "\"https://[x\"", "not a valid address")]),
    ];
    for (schema, expected) in cases {
        let found = findings("s.json", schema);
        assert_eq!(found.len(), expected.len(), "{schema}: {found:#?}");
        for ((line, mark), (code, place, words)) in found.iter().zip(*expected) {
            assert!(line.contains(code) && line.contains(words), "{schema}: {line}");
            assert_eq!(mark, place, "{schema}: {line}");
        }
    }
}

#[test]
fn schemas_may_be_written_in_yaml() {
    assert!(findings("s.yaml", "type: object\nproperties:\n  a: {type: [string, 'null']}\n").is_empty());
    for (text, place, words) in [
        ("type: [a", "s.yaml:1:", "cannot be parsed"),
        ("type: strin\n", "s.yaml:1:7 TL0240", ""),
        ("a: 1\n---\nb: 2\n", "s.yaml:3:1 TL0241", "one document"),
        ("# nothing\n", "s.yaml:1:1 TL0241", "empty"),
        ("- a\n", "s.yaml:1:1 TL0241", "must be a map"),
    ] {
        let found = findings("s.yaml", text);
        assert!(
            found.len() == 1 && found[0].0.starts_with(place) && found[0].0.contains(words),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn messages_about_schemas_are_sentences() {
    let found = findings("s.json", r#"{"type": "strin", "required": "name", "minItems": 1.5, "enum": 3}"#);
    let messages: Vec<&str> = found.iter().map(|(line, _)| line.split_once("TL0240 ").unwrap().1).collect();
    assert_eq!(
        messages,
        [
            "`type` must be one of 7 values, but it is `strin`",
            "`required` must be a list, but it is the string `name`",
            "`minItems` must be an integer, but it is the number 1.5",
            "`enum` must be a list, but it is the number 3"
        ]
    );
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    #[derive(Debug)]
    struct Binary;
    impl Fetch for Binary {
        fn fetch(&self, url: &str) -> Result<trueline_source::Fetched, LoadError> {
            Ok(trueline_source::Fetched { bytes: b"{\"a\": \"\xff\"}".to_vec(), url: url.to_owned() })
        }
    }
    let access = trueline_schema::Access { fetch: Some(std::sync::Arc::new(Binary)), ..Default::default() };
    let store = trueline_schema::Store::new(Default::default(), access);
    let error = store.schema("https://example.com/a.json", Formats::Ignore).unwrap_err();
    assert!(lines(&store, error.diagnostics())[0].contains("not UTF-8"), "{error}");
}
