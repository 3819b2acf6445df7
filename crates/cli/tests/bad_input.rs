//! Input that no one means to write: each gets a code, a place and a sentence, and the program stays on its feet.

mod support;

use support::{Finding, Sandbox, VALID};

/// Checks one file both by `check` and by `extension check`, and gives back the findings.
fn check(content: impl AsRef<[u8]>) -> Vec<Finding> {
    let sandbox = Sandbox::new();
    sandbox.file("extension.yaml", content);
    let (code, findings) = sandbox.findings(&["check", "extension.yaml"]);
    assert_eq!(code, Some(1), "{findings:?}");
    assert_eq!(sandbox.findings(&["extension", "check", "."]), (Some(1), findings.clone()));
    findings
}

/// The first finding has this code, this place and this message.
#[track_caller]
fn assert_first(findings: &[Finding], code: &str, place: &str, message: &str) {
    let first = &findings[0];
    assert_eq!((first.code.as_str(), first.place.as_str(), first.message.as_str()), (code, place, message));
    assert_eq!(first.severity, "error");
}

#[test]
fn an_empty_file() {
    for content in ["", "\n\n", "# nothing but a comment\n", "---\n...\n"] {
        assert_first(&check(content), "TL0350", "extension.yaml:1:1", "the manifest is empty");
    }
}

#[test]
fn a_binary_file() {
    let findings = check(b"\x7fELF\x02\x01\x01\x00\x00\x00");
    assert_first(&findings, "TL0158", "extension.yaml:1:8", "this is a binary file, not YAML or JSON");
}

#[test]
fn bytes_that_are_not_utf8() {
    let findings = check(b"metadata:\n  name: caf\xe9\n");
    assert_first(&findings, "TL0158", "extension.yaml:2:12", "this file is not UTF-8 text");
}

#[test]
fn text_in_another_encoding() {
    let text = "metadata:\n  name: demo\n";
    let little: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> =
        [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    for content in [little, big] {
        let message = "this file is UTF-16 text, and has to be UTF-8";
        assert_first(&check(content), "TL0158", "extension.yaml:1:1", message);
    }
}

#[test]
fn tabs() {
    let findings = check("metadata:\n\tname: demo\n");
    assert_first(&findings, "TL0103", "extension.yaml:2:1", "a line cannot be indented with a tab");
}

#[test]
fn a_quote_that_is_not_closed() {
    for content in ["metadata:\n  name: \"demo\n  version: 1.0.0\n", "metadata:\n  name: 'demo\n"] {
        assert_first(&check(content), "TL0104", "extension.yaml:2:9", "this quote is never closed");
    }
}

#[test]
fn nesting_a_hundred_thousand_deep() {
    let depth = 100_000;
    let brackets = format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    let braces = "{a: ".repeat(depth);
    let dashes = format!("{}x\n", "- ".repeat(depth));
    for (content, column) in [(brackets, 1003), (braces, 4001), (dashes, 2001)] {
        let place = format!("extension.yaml:1:{column}");
        assert_first(&check(&content), "TL0125", &place, "lists and maps are nested too deeply");
    }
}

#[test]
fn an_alias_bomb() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    let message = "the aliases of this document expand to too many values";
    assert_first(&check(&bomb), "TL0127", "extension.yaml:1:1", message);
    // Merge keys copy what they stand for into every map.
    let keys: Vec<String> = (0..20_000).map(|key| format!("k{key}: 1")).collect();
    let mut bomb = format!("b: &b {{{}}}\n", keys.join(", "));
    for map in 0..20_000 {
        bomb += &format!("m{map}:\n  <<: *b\n");
    }
    assert_first(&check(&bomb), "TL0127", "extension.yaml:1:1", message);
}

#[test]
fn a_scalar_of_100_megabytes() {
    let content = format!("{VALID}docs: {}\n", "x".repeat(100 << 20));
    assert_first(&check(&content), "TL0126", "extension.yaml:1:1", "the file is too large");
}

#[test]
fn doubled_keys() {
    let content = VALID.replace("  version: 1.0.0\n", "  version: 1.0.0\n  name: again\n");
    assert_first(
        &check(&content),
        "TL0105",
        "extension.yaml:4:3",
        "the key `name` appears twice in this map",
    );
}

#[test]
fn a_missing_file() {
    let sandbox = Sandbox::new();
    let (code, findings) = sandbox.findings(&["check", "missing.yaml"]);
    assert_eq!(code, Some(2));
    assert_first(&findings, "TL0150", "missing.yaml:1:1", "`missing.yaml` does not exist");
}

#[cfg(unix)]
#[test]
fn a_directory_and_a_file_without_permission() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox
        .file("closed/extension.yaml", VALID)
        .file("secret.yaml", VALID)
        .file("good/extension.yaml", VALID);
    set_permissions(sandbox.path("closed"), Permissions::from_mode(0o0)).unwrap();
    set_permissions(sandbox.path("secret.yaml"), Permissions::from_mode(0o0)).unwrap();
    // Nothing is closed to the superuser.
    let privileged = std::fs::read_dir(sandbox.path("closed")).is_ok();
    let (code, findings) = sandbox.findings(&["check", "closed", "secret.yaml", "good"]);
    set_permissions(sandbox.path("closed"), Permissions::from_mode(0o755)).unwrap();
    if privileged {
        return;
    }
    assert_eq!(code, Some(2));
    assert_first(&findings, "TL0150", "closed:1:1", "`closed` cannot be read (permission denied)");
    assert_first(
        &findings[1..],
        "TL0150",
        "secret.yaml:1:1",
        "`secret.yaml` cannot be read (permission denied)",
    );
}

/// Runs with a `--schema-dir` whose `extension.schema.json` is `schema`.
fn with_schema(schema: &str, manifest: &str) -> (Option<i32>, Vec<Finding>) {
    let sandbox = Sandbox::new();
    sandbox.file("schemas/extension.schema.json", schema).file("extension.yaml", manifest);
    sandbox.findings(&["check", "extension.yaml", "--schema-dir", "schemas"])
}

#[test]
fn a_broken_schema() {
    let (code, findings) = with_schema("{\"type\": \"objekt\"}", VALID);
    assert_eq!(code, Some(1));
    let place = "schemas/extension.schema.json:1:10";
    assert_first(&findings, "TL0240", place, "`type` must be one of 7 values, but it is `objekt`");
    let (code, findings) = with_schema("{\"type\": ", VALID);
    assert_eq!(code, Some(1));
    let message = "the schema cannot be parsed: the file ends where a JSON value was expected";
    assert_first(&findings, "TL0241", place, message);
}

#[test]
fn a_schema_with_a_cycle() {
    let tree = "{\"$ref\": \"#/$defs/node\", \"$defs\": {\"node\": \
                {\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/node\"}}}}";
    assert_eq!(with_schema(tree, "a: {b: {c: {}}}\n").0, Some(0), "a cycle that ends is fine");
    let (code, findings) = with_schema(tree, "a: {b: {c: 1}}\n");
    assert_eq!(code, Some(1));
    let message = "`a.b.c` must be a map of maps, but it is the number 1";
    assert_first(&findings, "TL0201", "extension.yaml:1:12", message);
}

#[test]
fn a_schema_whose_references_go_round() {
    let circle = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$ref": "#/$defs/a",
  "$defs": {
    "a": {"$ref": "#/$defs/b"},
    "b": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/a"}]}
  }
}"##;
    let message = "`#/$defs/a` refers back to itself without going deeper into the document";
    let (code, findings) = with_schema(circle, VALID);
    assert_eq!((code, findings.len()), (Some(1), 1), "{findings:?}");
    assert_first(&findings, "TL0254", "schemas/extension.schema.json:6:50", message);

    let sandbox = Sandbox::new();
    sandbox.file("circle.schema.json", circle);
    let ran = sandbox.run(&["check", "circle.schema.json", "--format", "json"]);
    assert_eq!((ran.code, ran.findings().len()), (Some(1), 1), "{ran:?}");
    assert_first(&ran.findings(), "TL0254", "circle.schema.json:6:50", message);
    let labels = &ran.json()["findings"][0]["labels"];
    let others: Vec<_> =
        labels.as_array().unwrap().iter().filter(|label| label["role"] != "primary").collect();
    assert_eq!(others.len(), 1, "{labels}");
    assert_eq!((&others[0]["line"], &others[0]["column"]), (&5.into(), &19.into()), "{labels}");

    sandbox.file("one.schema.json", "{\"$ref\": \"two.schema.json\"}");
    sandbox.file("two.schema.json", "{\"not\": {\"$ref\": \"one.schema.json\"}}");
    for (file, place, reference) in [
        ("one.schema.json", "two.schema.json:1:18", "one.schema.json"),
        ("two.schema.json", "one.schema.json:1:10", "two.schema.json"),
    ] {
        let (code, findings) = sandbox.findings(&["check", file, "--as", "json-schema"]);
        assert_eq!((code, findings.len()), (Some(1), 1), "{findings:?}");
        assert_first(&findings, "TL0254", place, &message.replace("#/$defs/a", reference));
    }
}
