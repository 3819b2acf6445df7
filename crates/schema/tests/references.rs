//! What references point to: files, addresses, names, and the prefixes of schema-dependencies.json.

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::{Linked, Server, accepts, document, lines, marked, package, root, store};
use serde_json::json;
use trueline_schema::{Access, Draft, Formats, Network, SchemaLookup, Store};
use trueline_source::{Fetch, Fetched, LoadError, LoadErrorKind, SourceKind, SourceMap};

/// A schema for a field `x`; the target requires an integer.
fn refers(reference: &str) -> String {
    json!({"properties": {"x": {"$ref": reference}}}).to_string()
}

const INTEGER: &str = r#"{"type": "integer", "$defs": {"text": {"type": "string"}}}"#;

#[track_caller]
fn leads_to_integer(files: &[(&str, &str)], server: Server, reference: &str) {
    let schema = refers(reference);
    let mut all = vec![("values.schema.json", schema.as_str())];
    all.extend_from_slice(files);
    let store = store(package(&all), server);
    assert!(accepts(&store, &json!({"x": 1})), "{reference}");
    assert!(!accepts(&store, &json!({"x": "a"})), "{reference}");
}

#[test]
fn references_to_files_of_the_package() {
    for reference in [
        "schemas/port.json",
        "./schemas/../schemas/port.json",
        "schemas/port.json#",
        "file:///srv/pkg/schemas/port.json",
        "file:schemas/port.json",
        "/srv/pkg/schemas/port.json",
        "schemas/port.json#/$defs/../..",
    ] {
        if reference.ends_with("..") {
            // A pointer has no `..`.
            let schema = refers(reference);
            let store = store(
                package(&[("values.schema.json", &schema), ("schemas/port.json", INTEGER)]),
                Server::default(),
            );
            assert!(root(&store).is_err());
            continue;
        }
        leads_to_integer(&[("schemas/port.json", INTEGER)], Server::default(), reference);
    }
    leads_to_integer(&[("my files/port 1.json", INTEGER)], Server::default(), "my%20files/port%201.json");
    leads_to_integer(&[("my files/port 1.json", INTEGER)], Server::default(), "my files/port 1.json");
    leads_to_integer(&[("port.yaml", "type: integer\n")], Server::default(), "port.yaml");
}

#[test]
fn files_refer_to_files_next_to_them() {
    let files = [
        ("schemas/a/first.json", r#"{"$ref": "../b/second.json#/$defs/there"}"#),
        (
            "schemas/b/second.json",
            r##"{"$defs": {"there": {"$ref": "#back"}, "x": {"$anchor": "back", "type": "integer"}}}"##,
        ),
    ];
    leads_to_integer(&files, Server::default(), "schemas/a/first.json");
}

#[test]
fn references_to_remote_addresses() {
    let server = Server::default()
        .with("https://example.com/dir/port.json", r#"{"$ref": "../integer.json"}"#)
        .with("https://example.com/integer.json", INTEGER);
    leads_to_integer(&[], server, "https://example.com/dir/port.json");
    // Relative references are relative to the document's final address.
    let server = Server::default()
        .redirecting(
            "https://example.com/latest.json",
            "https://example.com/v2/port.json",
            r#"{"$ref": "int.json"}"#,
        )
        .with("https://example.com/v2/int.json", INTEGER);
    leads_to_integer(&[], server, "https://example.com/latest.json");
}

#[test]
fn names_that_schemas_give_themselves() {
    let inside = json!({
        "properties": {"x": {"$ref": "urn:example:port"}},
        "$defs": {"port": {"$id": "urn:example:port", "type": "integer"}}
    });
    let other = json!({"properties": {"x": {"$ref": "urn:example:port"}, "y": {"$ref": "more.json"}}});
    let relative = json!({
        "$id": "https://example.com/root.json",
        "properties": {"x": {"$ref": "port.json#/$defs/p"}},
        "$defs": {"inner": {"$id": "port.json", "$defs": {"p": {"type": "integer"}}}}
    });
    let anchors = json!({
        "properties": {"x": {"$ref": "#port"}},
        "$defs": {"port": {"$anchor": "port", "type": "integer"}}
    });
    let old_anchors = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"x": {"$ref": "#port"}},
        "definitions": {"port": {"$id": "#port", "type": "integer"}}
    });
    for schema in [inside, other, relative, anchors, old_anchors] {
        let text = schema.to_string();
        let files = [
            ("values.schema.json", text.as_str()),
            ("more.json", r#"{"$defs": {"port": {"$id": "urn:example:port", "type": "integer"}}}"#),
        ];
        let store = store(package(&files), Server::default());
        assert!(accepts(&store, &json!({"x": 1})), "{schema}");
        assert!(!accepts(&store, &json!({"x": "a"})), "{schema}");
    }
}

#[test]
fn a_file_with_a_remote_id_can_still_refer_to_its_neighbours() {
    let schema = r#"{"$id": "https://example.com/values.json", "properties": {"x": {"$ref": "port.json"}}}"#;
    let files = [("values.schema.json", schema), ("port.json", INTEGER)];
    assert!(!accepts(&store(package(&files), Server::default()), &json!({"x": "a"})));
    // Without such a file the address counts.
    let server = Server::default().with("https://example.com/port.json", INTEGER);
    assert!(!accepts(&store(package(&files[..1]), server), &json!({"x": "a"})));
}

#[test]
fn embedded_schemas_need_no_server() {
    let sources = Arc::new(SourceMap::new());
    let access = Access {
        embedded: vec![
            ("https://example.com/a.json".to_owned(), refers("b.json").into()),
            ("https://example.com/b.json".to_owned(), INTEGER.into()),
        ],
        network: Network::Offline,
        ..Access::default()
    };
    let store = Store::new(sources, access);
    let schema = store.schema("https://example.com/a.json", Formats::Ignore).unwrap();
    assert!(!schema.is_valid(&document(&store, r#"{"x": "a"}"#)));
    assert!(schema.warnings().is_empty());
    let missing = store.schema("https://example.com/c.json", Formats::Ignore).unwrap_err();
    assert!(missing.to_string().contains("not available offline"), "{missing}");
}

#[test]
fn the_default_draft_can_be_chosen() {
    // In draft 4 a limit is made exclusive by a keyword next to it, and `const` is not a keyword.
    let text = r#"{"properties": {"x": {"maximum": 3, "exclusiveMaximum": true, "const": 9}}}"#;
    let files = package(&[("values.schema.json", text)]);
    let access = Access { package: Some(Arc::new(files)), draft: Draft::Draft4, ..Access::default() };
    let store = Store::new(Arc::new(SourceMap::new()), access);
    assert_eq!(root(&store).unwrap().draft(), Draft::Draft4);
    assert!(accepts(&store, &json!({"x": 2})));
    assert!(!accepts(&store, &json!({"x": 3})));
    let named = store.sources().add(
        "x",
        SourceKind::File,
        r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#,
    );
    assert_eq!(store.outline(named, Some("https://example.com/x")).unwrap().draft(), Draft::Draft7);
}

#[test]
fn the_definition_of_durations_can_be_chosen() {
    let text = r#"{"properties": {"x": {"format": "duration"}}}"#;
    let accepted = |durations: Option<fn(&str) -> bool>| {
        let files = package(&[("values.schema.json", text)]);
        let access = Access { package: Some(Arc::new(files)), durations, ..Access::default() };
        let store = Store::new(Arc::new(SourceMap::new()), access);
        ["PT1H", "1h"].map(|text| accepts(&store, &json!({"x": text})))
    };
    assert_eq!(accepted(None), [true, false]);
    assert_eq!(accepted(Some(|text| text.ends_with('h'))), [false, true]);
}

/// The mapping, further files, and the reference.
#[test]
fn prefixes_of_the_mapping_file() {
    let k8s = r#"{"definitions": {"x": {"type": "integer"}}}"#;
    let server = || {
        Server::default()
            .with("https://example.com/v1/definitions.json", k8s)
            .with("https://mirror.example/deep/port.json", INTEGER)
            .with("https://example.com/port.json", r#"{"type": "boolean"}"#)
    };
    for (mapping, reference) in [
        // The two examples of the documentation.
        (r#"{"local-defs": "schemas/"}"#, "local-defs/port.json"),
        (r#"{"k8s-api": "https://example.com/v1/definitions.json"}"#, "k8s-api#/definitions/x"),
        // With and without slashes at the seam.
        (r#"{"local-defs": "schemas"}"#, "local-defs/port.json"),
        (r#"{"local-defs/": "schemas/"}"#, "local-defs/port.json"),
        (r#"{"local-defs/": "schemas"}"#, "local-defs/port.json"),
        (r#"{"defs": "./schemas/../schemas//"}"#, "defs//deep/..//port.json"),
        (r#"{"root": ""}"#, "root/schemas/port.json"),
        (r#"{"root": "."}"#, "root/schemas/port.json"),
        // A whole reference, or up to `?` or `#`.
        (r#"{"port": "schemas/port.json"}"#, "port"),
        (r#"{"port": "schemas/port.json"}"#, "port?version=1"),
        (r#"{"k8s#": "schemas/k8s.json#"}"#, "k8s#/definitions/x"),
        (r#"{"k8s#": "schemas/k8s.json"}"#, "k8s#/definitions/x"),
        (r#"{"k8s": "schemas/k8s.json#/definitions"}"#, "k8s/x"),
        // A whole address mapped to a local folder.
        (r#"{"https://example.com/": "schemas/"}"#, "https://example.com/port.json"),
        (r#"{"https://example.com": "schemas"}"#, "https://example.com/port.json"),
        (r#"{"urn:example:": "schemas/", "urn:example:port": "schemas/port.json"}"#, "urn:example:port"),
        // The parts of a `urn:` end with `:`.
        (r#"{"urn:company:": "schemas/"}"#, "urn:company:port.json"),
        (r#"{"urn:company:": "schemas"}"#, "urn:company:port.json"),
        (r#"{"urn:company:": "schemas/k8s.json#"}"#, "urn:company:/definitions/x"),
        (
            r#"{"urn:company:": "wrong/", "urn:company:k8s": "schemas/k8s.json"}"#,
            "urn:company:k8s#/definitions/x",
        ),
        // One address to another.
        (r#"{"https://example.com/": "https://mirror.example/deep/"}"#, "https://example.com/port.json"),
        (r#"{"m": "https://mirror.example/x/../deep/"}"#, "m/port.json"),
        // The longest prefix counts, at a boundary.
        (r#"{"a": "wrong/", "a/b": "schemas/", "a/bc": "wrong/"}"#, "a/b/port.json"),
        (r#"{"schemas/po": "wrong/"}"#, "schemas/port.json"),
        // `file:` inside the root.
        (r#"{"f": "file:///srv/pkg/schemas/"}"#, "f/port.json"),
        (r#"{"f": "file:schemas/"}"#, "f/port.json"),
        // Spelled as in a URI, and as on the disk.
        (r#"{"s": "my files/"}"#, "s/port%201.json"),
    ] {
        leads_to_integer(
            &[
                ("schema-dependencies.json", mapping),
                ("schemas/port.json", INTEGER),
                ("schemas/k8s.json", k8s),
                ("my files/port 1.json", INTEGER),
            ],
            server(),
            reference,
        );
    }
}

#[test]
fn prefixes_match_the_written_reference_before_its_resolved_form() {
    let files = |mapping, reference: &str| {
        let schema = json!({"$id": "https://example.com/charts/values.json", "properties": {"x": {"$ref": reference}}});
        package(&[
            ("values.schema.json", &schema.to_string()),
            ("schema-dependencies.json", mapping),
            ("schemas/port.json", INTEGER),
            ("other/port.json", r#"{"type": "boolean"}"#),
        ])
    };
    // Only the resolved form begins with the prefix.
    let resolved = store(files(r#"{"https://example.com/": "schemas/"}"#, "../port.json"), Server::default());
    assert!(!accepts(&resolved, &json!({"x": "a"})) && accepts(&resolved, &json!({"x": 1})));
    // Both do; what is written counts, though the other prefix is longer.
    let both = store(
        files(r#"{"https://example.com/charts/": "other/", "defs": "schemas/"}"#, "defs/port.json"),
        Server::default(),
    );
    assert!(!accepts(&both, &json!({"x": "a"})) && accepts(&both, &json!({"x": 1})));
}

#[test]
fn an_id_does_not_redirect_references_inside_a_schema() {
    let schema = r##"{
        "$id": "https://example.com/values.json",
        "properties": {"x": {"$ref": "#/$defs/port"}},
        "$defs": {"port": {"type": "integer"}}
    }"##;
    let files = [
        ("values.schema.json", schema),
        ("schema-dependencies.json", r#"{"https://example.com/": "schemas/"}"#),
    ];
    assert!(!accepts(&store(package(&files), Server::default()), &json!({"x": "a"})));
}

#[test]
fn references_in_a_mapped_schema_are_relative_to_its_loaded_address() {
    let files = [
        ("schema-dependencies.json", r#"{"defs": "schemas/", "remote": "https://example.com/lib/"}"#),
        ("schemas/a.json", r#"{"$ref": "sub/b.json"}"#),
        ("schemas/sub/b.json", r#"{"$ref": "../c.json"}"#),
        ("schemas/c.json", r#"{"$ref": "remote/d.json"}"#),
        ("schemas/named.json", r#"{"$id": "https://elsewhere.example/x/named.json", "$ref": "c.json"}"#),
    ];
    let server = || {
        Server::default()
            .with("https://example.com/lib/d.json", r#"{"$ref": "e.json"}"#)
            .with("https://example.com/lib/e.json", r#"{"$ref": "defs/f.json"}"#)
    };
    let mut all = files.to_vec();
    all.push(("schemas/f.json", INTEGER));
    leads_to_integer(&all, server(), "defs/a.json");
    leads_to_integer(&all, server(), "defs/named.json");
}

#[test]
fn data_is_not_a_reference() {
    let schema = json!({
        "properties": {
            "$ref": {"type": "string"},
            "a": {"enum": [{"$ref": "nowhere.json"}], "default": {"$ref": "nowhere.json"}},
            "b": {"const": {"$ref": "nowhere.json"}, "examples": [{"$ref": "nowhere.json"}]}
        }
    });
    let store = store(package(&[("values.schema.json", &schema.to_string())]), Server::default());
    assert!(accepts(&store, &json!({"$ref": "x", "a": {"$ref": "nowhere.json"}})));
    assert!(!accepts(&store, &json!({"$ref": 1})));
}

#[test]
fn broken_mappings_are_reported_at_their_entries() {
    for (mapping, code, place, words) in [
        ("{\"a\": \"b\",}", "TL0260", ",", "cannot be read"),
        ("[\"a\"]", "TL0261", "[\"a\"]", "must be a map"),
        ("{\"a\": 1}", "TL0262", "1", "`a` must be a string"),
        ("{\"a\": {\"b\": \"c\"}}", "TL0262", "{\"b\": \"c\"}", "must be a string"),
        ("{\"a\": \"/etc/schemas\"}", "TL0263", "\"/etc/schemas\"", "absolute path"),
        ("{\"a\": \"C:/schemas\"}", "TL0263", "\"C:/schemas\"", "absolute path"),
        ("{\"a\": \"//host/schemas\"}", "TL0263", "\"//host/schemas\"", "absolute path"),
        ("{\"a\": \"../schemas\"}", "TL0264", "\"../schemas\"", "is outside the package"),
        ("{\"a\": \"x/../../schemas\"}", "TL0264", "\"x/../../schemas\"", "is outside the package"),
        ("{\"a\": \"linked\"}", "TL0265", "\"linked\"", "link"),
        ("{\"a\": \"linked/deep/\"}", "TL0265", "\"linked/deep/\"", "link"),
        ("{\"a\": \"file:///etc/passwd\"}", "TL0266", "\"file:///etc/passwd\"", "outside the package"),
        ("{\"a\": \"file:///srv/pkg/../x\"}", "TL0266", "\"file:///srv/pkg/../x\"", "outside the package"),
        (
            "{\"a\": \"https://u:p@example.com/\"}",
            "TL0267",
            "\"https://u:p@example.com/\"",
            "https://***@example.com/",
        ),
        ("{\"a\": \"ftp://example.com/\"}", "TL0268", "\"ftp://example.com/\"", "cannot be loaded"),
        ("{\"a\": \"https://\"}", "TL0268", "\"https://\"", "not a valid address"),
        ("{\"\": \"schemas/\"}", "TL0269", "\"\"", "must not be empty"),
        ("{\"a\": \"x/\", \"a\": \"y/\"}", "TL0270", "\"a\"", "appears twice"),
    ] {
        let files = package(&[("values.schema.json", "{}"), ("schema-dependencies.json", mapping)]);
        let store = store(Linked::new(files, &["linked"]), Server::default());
        let error = root(&store).unwrap_err();
        let found = lines(&store, error.diagnostics());
        assert_eq!(found.len(), 1, "{mapping}: {found:?}");
        assert!(found[0].starts_with("pkg/schema-dependencies.json:1:"), "{found:?}");
        assert!(found[0].contains(code) && found[0].contains(words), "{mapping}: {found:?}");
        assert_eq!(marked(&store, &error.diagnostics()[0]), place);
        assert!(!found[0].contains("u:p"), "credentials are not shown");
        assert_eq!(lines(&store, store.dependency_findings()), found);
        let outside = matches!(code, "TL0263" | "TL0264" | "TL0265" | "TL0266");
        assert!(error.diagnostics()[0].help.is_some() || !outside, "{mapping}");
    }
}

#[test]
fn a_link_below_a_mapped_folder_is_reported_at_the_entry() {
    let schema = refers("defs/port.json");
    let files = package(&[
        ("values.schema.json", &schema),
        ("schema-dependencies.json", "{\"defs\": \"schemas/\"}"),
        ("schemas/other.json", "{}"),
    ]);
    let store = store(Linked::new(files, &["schemas/port.json"]), Server::default());
    let error = root(&store).unwrap_err();
    assert_eq!(
        lines(&store, error.diagnostics()),
        [
            "pkg/schema-dependencies.json:1:10 TL0265 `pkg/schemas/port.json` is a symbolic link to outside the package"
        ]
    );
    assert_eq!(error.diagnostics()[0].related.len(), 1);
}

#[test]
fn a_link_without_a_mapping_is_reported_at_the_reference() {
    let files = package(&[("values.schema.json", &refers("linked/a.json"))]);
    let store = store(Linked::new(files, &["linked"]), Server::default());
    let error = root(&store).unwrap_err();
    let found = lines(&store, error.diagnostics());
    assert!(found.len() == 1 && found[0].contains("TL0248") && found[0].contains("link"), "{found:?}");
}

#[test]
fn an_invalid_file_is_reported_once() {
    let schema = r#"{"properties": {"x": {"$ref": "a.json"}, "y": {"$ref": "a.json#/b"}}}"#;
    let store = store(package(&[("values.schema.json", schema), ("a.json", "{")]), Server::default());
    assert_eq!(root(&store).unwrap_err().diagnostics().len(), 1);
}

/// A server that refers from each document to yet another one.
#[derive(Debug)]
struct Endless;

impl Fetch for Endless {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        let number: usize = url.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let bytes = json!({"properties": {"x": {"$ref": (number + 1).to_string()}}}).to_string().into_bytes();
        Ok(Fetched { bytes, url: url.to_owned() })
    }
}

#[test]
fn references_that_never_end_are_cut_off() {
    let files = package(&[("values.schema.json", &refers("https://example.com/0"))]);
    let access =
        Access { package: Some(Arc::new(files)), fetch: Some(Arc::new(Endless)), ..Access::default() };
    let store = Store::new(Arc::new(SourceMap::new()), access);
    let error = root(&store).unwrap_err();
    let found = lines(&store, error.diagnostics());
    assert!(found.len() == 1 && found[0].contains("refers to too many documents"), "{found:?}");
}

#[test]
fn unresolvable_references_are_reported_at_their_place() {
    let server = || {
        Server::default()
            .failing("https://example.com/slow.json", LoadErrorKind::TimedOut)
            .failing("https://example.com/large.json", LoadErrorKind::TooLarge)
            .failing("https://example.com/refused.json", LoadErrorKind::Refused)
            .failing("https://example.com/gone.json", LoadErrorKind::Unreachable)
            .failing("https://example.com/uncached.json", LoadErrorKind::Offline)
            .with("https://example.com/page.json", " <!DOCTYPE html><html></html>")
            .with("https://example.com/text.json", "not json")
            .with("https://example.com/list.json", "[]")
    };
    for (reference, code, words) in [
        ("missing.json", "TL0244", "`pkg/missing.json` does not exist"),
        ("schemas", "TL0244", "is a directory"),
        ("#/$defs/missing", "TL0244", "has nothing at `/$defs/missing`"),
        ("#missing", "TL0244", "has no anchor `missing`"),
        ("schemas/port.json#/x", "TL0244", "`pkg/schemas/port.json` has nothing at `/x`"),
        ("urn:example:missing", "TL0244", "has the `$id` `urn:example:missing`"),
        ("ftp://example.com/x.json", "TL0244", "has the `$id` `ftp://example.com/x.json`"),
        ("https://example.com/absent.json", "TL0244", "does not exist"),
        ("https://example.com/slow.json", "TL0244", "did not answer in time"),
        ("https://example.com/large.json", "TL0244", "too large for a schema"),
        ("https://example.com/refused.json", "TL0244", "could not be downloaded"),
        ("https://example.com/gone.json", "TL0244", "could not be reached"),
        ("https://example.com/uncached.json", "TL0250", "network access is disabled (`--offline`)"),
        ("https://example.com/page.json", "TL0251", "is a web page (HTML)"),
        ("https://example.com/text.json", "TL0251", "is not a JSON Schema"),
        ("https://example.com/list.json", "TL0251", "must be a map"),
        ("https://u:p@example.com/x.json", "TL0247", "`https://***@example.com/x.json` contains credentials"),
        ("../outside.json", "TL0248", "`../outside.json` is outside the package"),
        ("schemas/../../outside.json", "TL0248", "outside the package"),
        ("file:///etc/passwd", "TL0248", "outside the package"),
        ("/etc/passwd", "TL0248", "`/etc/passwd` is outside"),
        ("defs/../../x.json", "TL0248", "outside the package"),
        ("https://[bad", "TL0252", "is not a valid reference"),
    ] {
        let schema = refers(reference);
        let files = [
            ("values.schema.json", schema.as_str()),
            ("schema-dependencies.json", "{\"defs\": \"schemas/\"}"),
            ("schemas/port.json", INTEGER),
        ];
        let store = store(package(&files), server());
        let error = root(&store).unwrap_err();
        let found = lines(&store, error.diagnostics());
        assert_eq!(found.len(), 1, "{reference}: {found:?}");
        assert!(found[0].starts_with("pkg/values.schema.json:1:"), "{found:?}");
        assert!(found[0].contains(code) && found[0].contains(words), "{reference}: {found:?}");
        assert!(!found[0].contains("u:p"), "credentials are not shown");
        assert_eq!(marked(&store, &error.diagnostics()[0]), format!("\"{reference}\""));
        assert!(error.diagnostics()[0].help.is_some() || code == "TL0251", "{reference}");
    }
}

#[test]
fn the_suggested_entry_for_a_prefix_fixes_it() {
    for (prefix, target, reference, fetched) in [
        ("api", "https://example.com/v1/defs.json", "api#/$defs/port", "https://example.com/v1/defs.json"),
        (
            "api",
            "https://example.com/v1",
            "api/a/defs.json#/$defs/port",
            "https://example.com/v1/a/defs.json",
        ),
        ("api/", "https://example.com/v1/", "api/defs.json#/$defs/port", "https://example.com/v1/defs.json"),
        ("port", "https://example.com/defs?v=1#/$defs/port", "port", "https://example.com/defs?v=1"),
        (
            "https://a.example/",
            "https://b.example/",
            "https://a.example/x.json#/$defs/port",
            "https://b.example/x.json",
        ),
    ] {
        let schema = refers(reference);
        let mapping = json!({ prefix: target }).to_string();
        let files = [("values.schema.json", schema.as_str()), ("schema-dependencies.json", mapping.as_str())];
        let broken = store(package(&files), Server::default().failing(fetched, LoadErrorKind::Unreachable));
        let error = root(&broken).unwrap_err();
        let help = error.diagnostics()[0].help.clone().unwrap();
        let wanted = format!("the prefix `{prefix}` in schema-dependencies.json points to `{target}`");
        assert!(help.contains(&wanted) && !help.contains("no prefix"), "{help}");
        let (_, advice) = help.split_once("into the package as `").unwrap();
        let (path, advice) = advice.split_once('`').unwrap();
        let (_, entry) = advice.split_once("to: `").unwrap();
        let mapping = format!("{{{}}}", entry.trim_end_matches('`'));
        let files = [
            ("values.schema.json", schema.as_str()),
            ("schema-dependencies.json", mapping.as_str()),
            (path, r#"{"$defs": {"port": {"type": "integer"}}}"#),
        ];
        let fixed = store(package(&files), Server::default());
        assert!(accepts(&fixed, &json!({"x": 1})) && !accepts(&fixed, &json!({"x": "a"})), "{help}");
    }
}

#[test]
fn the_missing_target_of_a_prefix_is_named() {
    for (mapping, reference, wanted) in [
        (
            r#"{"company": "schema/"}"#,
            "company/port.json",
            "points to `schema/`, but the package has no folder `schema`: did you mean `schemas`?",
        ),
        (
            r#"{"company": "schemas/"}"#,
            "company/prt.json",
            "points to `schemas/`, but the package has no file `schemas/prt.json`: did you mean `schemas/port.json`?",
        ),
        (
            r#"{"company": "far/away"}"#,
            "company/x.json",
            "points to `far/away`, but the package has no folder `far`",
        ),
        ("{}", "schemas/prt.json", "the package has `schemas/port.json`: did you mean that?"),
    ] {
        let schema = refers(reference);
        let files = [
            ("values.schema.json", schema.as_str()),
            ("schema-dependencies.json", mapping),
            ("schemas/port.json", INTEGER),
        ];
        let store = store(package(&files), Server::default());
        let error = root(&store).unwrap_err();
        let help = error.diagnostics()[0].help.clone().unwrap();
        assert!(help.ends_with(wanted), "{help}");
        let mapped = mapping != "{}";
        assert_eq!(help.contains("the prefix `company` in schema-dependencies.json"), mapped, "{help}");
        assert_eq!(help.contains("no prefix"), !mapped, "{help}");
    }
}

#[test]
fn references_are_reported_in_the_file_that_contains_them_and_all_of_them() {
    let files = [
        ("values.schema.json", r#"{"properties": {"x": {"$ref": "a.json"}, "y": {"$ref": "missing.json"}}}"#),
        ("a.json", "{\n  \"$ref\": \"../b.json\"\n}"),
    ];
    let store = store(package(&files), Server::default());
    let error = root(&store).unwrap_err();
    let found = lines(&store, error.diagnostics());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("pkg/values.schema.json:1:"), "{found:?}");
    assert!(found[1].starts_with("pkg/a.json:2:11 TL0248"), "{found:?}");
}

#[test]
fn a_broken_file_is_reported_in_its_own_text() {
    for (text, code, place) in [
        ("{\n  \"type\": \"object\",\n}", "TL0241", "pkg/a.json:2:19"),
        ("", "TL0241", "pkg/a.json:1:1"),
        ("[]", "TL0241", "pkg/a.json:1:1"),
        ("{\"type\": \"strin\"}", "TL0240", "pkg/a.json:1:10"),
        ("{\"pattern\": \"(?=a)\"}", "TL0243", "pkg/a.json:1:13"),
    ] {
        let store =
            store(package(&[("values.schema.json", &refers("a.json")), ("a.json", text)]), Server::default());
        let error = root(&store).unwrap_err();
        let found = lines(&store, error.diagnostics());
        assert!(found.len() == 1 && found[0].starts_with(&format!("{place} {code}")), "{text}: {found:?}");
    }
}

#[test]
fn plain_http_gives_a_warning_once() {
    let schema = r#"{"properties": {"x": {"$ref": "http://example.com/a.json"}, "y": {"$ref": "http://example.com/a.json"}}}"#;
    let server = || Server::default().with("http://example.com/a.json", INTEGER);
    let direct = store(package(&[("values.schema.json", schema)]), server());
    let found = lines(&direct, root(&direct).unwrap().warnings());
    assert!(found.len() == 1 && found[0].starts_with("pkg/values.schema.json:1:31 TL0246"), "{found:?}");
    // If the address comes from the mapping file, its entry is reported.
    let schema = refers("far/a.json");
    let files = [
        ("values.schema.json", schema.as_str()),
        ("schema-dependencies.json", "{\"far\": \"http://example.com/\"}"),
    ];
    let mapped = store(package(&files), server());
    let found = lines(&mapped, root(&mapped).unwrap().warnings());
    assert!(found.len() == 1 && found[0].starts_with("pkg/schema-dependencies.json:1:9 TL0246"), "{found:?}");
}

#[test]
fn without_a_network_remote_addresses_are_reported() {
    for (network, words) in
        [(Network::Offline, "--offline"), (Network::Allowed, "network access is not available")]
    {
        let files = package(&[("values.schema.json", &refers("https://example.com/a.json"))]);
        let access = Access { package: Some(Arc::new(files)), network, ..Access::default() };
        let store = Store::new(Arc::new(SourceMap::new()), access);
        let error = root(&store).unwrap_err();
        let found = lines(&store, error.diagnostics());
        assert!(found[0].contains("TL0250") && found[0].contains(words), "{found:?}");
    }
}

#[test]
fn two_schemas_with_one_name_are_reported() {
    let files = [
        ("values.schema.json", r#"{"properties": {"x": {"$ref": "a.json"}, "y": {"$ref": "b.json"}}}"#),
        ("a.json", r#"{"$id": "https://example.com/a.json"}"#),
        ("b.json", r#"{"$id": "https://example.com/a.json"}"#),
    ];
    let store = store(package(&files), Server::default());
    let error = root(&store).unwrap_err();
    let found = lines(&store, error.diagnostics());
    assert!(found.len() == 1 && found[0].starts_with("pkg/b.json:1:9 TL0245"), "{found:?}");
}

#[test]
fn everything_is_loaded_and_compiled_once() {
    let files = package(&[
        (
            "values.schema.json",
            r#"{"properties": {"x": {"$ref": "a.json"}, "y": {"$ref": "https://example.com/a.json"}}}"#,
        ),
        ("a.json", INTEGER),
    ]);
    let package = Arc::new(Linked::new(files, &[]));
    let server = Arc::new(Server::default().with("https://example.com/a.json", INTEGER));
    let access = Access { fetch: Some(server.clone()), ..Access::default() };
    let shared = Store::new(Arc::new(SourceMap::new()), access);
    let store = shared.for_package(package.clone(), None);
    let schemas: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| root(&store).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(schemas.iter().all(|schema| Arc::ptr_eq(schema, &schemas[0])));
    // The two schemas, and the missing mapping file.
    assert_eq!(package.reads.load(Ordering::Relaxed), 3);
    let other = shared.for_package(package, None);
    assert!(!Arc::ptr_eq(&root(&other).unwrap(), &schemas[0]), "another package has its own files");
    assert_eq!(*server.asked.lock().unwrap(), ["https://example.com/a.json"], "but shares what was fetched");
}

#[test]
fn own_meta_schemas_are_loaded_too() {
    let dialect = r##"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/dialect.json",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true},
        "$dynamicAnchor": "meta"
    }"##;
    let schema = r#"{"$schema": "https://example.com/dialect.json", "type": "integer"}"#;
    let with = store(
        package(&[("values.schema.json", schema)]),
        Server::default().with("https://example.com/dialect.json", dialect),
    );
    assert!(accepts(&with, &json!("a")), "the dialect has no `type`");
    let without = store(package(&[("values.schema.json", schema)]), Server::default());
    let found = lines(&without, root(&without).unwrap_err().diagnostics());
    assert!(found.len() == 1 && found[0].starts_with("pkg/values.schema.json:1:13 TL0242"), "{found:?}");
}

#[test]
fn the_official_schema_of_any_draft_can_be_referred_to() {
    for official in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/meta/validation",
    ] {
        for draft in
            ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
        {
            let schema = json!({"$schema": draft, "properties": {"x": {"$ref": official}}}).to_string();
            let store = store(package(&[("values.schema.json", &schema)]), Server::default());
            assert!(accepts(&store, &json!({"x": {"required": ["a"]}})), "{official} in {draft}");
            assert!(!accepts(&store, &json!({"x": {"required": 1}})), "{official} in {draft}");
        }
    }
}

#[test]
fn definitions_of_later_drafts_are_followed_in_earlier_ones() {
    let schema = r##"{
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/$defs/root",
        "$defs": {"root": {"properties": {"x": {"$ref": "port.json"}}}}
    }"##;
    let store = store(package(&[("values.schema.json", schema), ("port.json", INTEGER)]), Server::default());
    assert!(accepts(&store, &json!({"x": 1})) && !accepts(&store, &json!({"x": "a"})));
}

#[test]
fn places_of_the_schema_can_be_looked_up_and_followed() {
    let schema =
        r##"{"properties": {"x": {"$ref": "a.json#/$defs/text"}, "y": {"$ref": "#/properties/x"}}}"##;
    let store = store(package(&[("values.schema.json", schema), ("a.json", INTEGER)]), Server::default());
    let schema = root(&store).unwrap();
    assert_eq!(schema.root(), "pkg/values.schema.json#");
    let x = "pkg/values.schema.json#/properties/x";
    assert_eq!(schema.follow(x, "a.json#/$defs/text").as_deref(), Some("pkg/a.json#/$defs/text"));
    assert_eq!(schema.follow("pkg/values.schema.json#/properties/y", "#/properties/x").as_deref(), Some(x));
    assert_eq!(schema.at("pkg/a.json#/$defs/text"), Some(&json!({"type": "string"})));
    assert!(schema.span("pkg/a.json#/$defs/text").is_some() && schema.span("pkg/a.json#/nowhere").is_none());
    let violations = schema.validate(&document(&store, r#"{"x": 1, "y": 2}"#));
    let places: Vec<&str> = violations.iter().map(|violation| violation.schema_path.as_str()).collect();
    assert_eq!(places, ["pkg/a.json#/$defs/text/type"; 2]);
}

#[test]
fn a_text_without_a_file_refers_to_files_of_the_package() {
    let store = store(package(&[("a.json", INTEGER)]), Server::default());
    let source = store.sources().add("typed", SourceKind::Flag, refers("a.json"));
    let schema = store.text(source, None, Formats::Ignore).unwrap();
    assert!(!schema.is_valid(&document(&store, r#"{"x": "a"}"#)));
}
