//! `trueline kubeconform`: manifests in, kubeconform's outputs and exit codes out.

mod support;

use support::{Ran, Sandbox, say, serve};

const GOOD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\ndata: {a: b}\n";
const BAD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndata: [1]\nextra: 1\n";
const CUSTOM: &str =
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\nsize: 3\n";

/// A sandbox with a directory `m` of a good, a bad and a custom resource, and one that is no YAML.
fn manifests() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("m/a.yaml", format!("{GOOD}---\n{BAD}")).file("m/b.yml", CUSTOM).file("m/c/d.json", "{");
    sandbox
}

fn kubeconform(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let ran = sandbox.run(&[&["kubeconform"], arguments].concat());
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran
}

const NOT_LIST: &str = "problem validating schema. Check JSON formatting: jsonschema validation failed with \
                        'v1.35.0-standalone/configmap-v1.json#' - at '/data': got array, want null or object";
const BROKEN: &str = "error unmarshalling resource: error converting YAML to JSON: yaml: line 1: did not find expected node content";

#[test]
fn text_is_printed_a_line_a_resource() {
    let sandbox = manifests();
    let ran = kubeconform(&sandbox, &["-summary", "-verbose", "-kubernetes-version", "1.35.0", "m"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    assert_eq!(
        ran.stdout,
        format!(
            "m/a.yaml - ConfigMap good is valid\n\
             m/a.yaml - ConfigMap bad is invalid: {NOT_LIST}\n\
             m/b.yml - Widget w failed validation: could not find schema for Widget\n\
             m/c/d.json - failed validation: {BROKEN}\n\
             Summary: 4 resources found in 3 files - Valid: 1, Invalid: 1, Errors: 2, Skipped: 0\n"
        )
    );
    let quiet =
        kubeconform(&sandbox, &["-ignore-missing-schemas", "-ignore-filename-pattern", "json$|a.yaml", "m"]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (Some(0), ""));
}

#[test]
fn the_other_formats_hold_the_same() {
    let sandbox = manifests();
    let run = |format: &str| {
        kubeconform(&sandbox, &["-output", format, "-summary", "-kubernetes-version", "1.35.0", "m"])
    };
    let json = run("json").json();
    let resources = json["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 3);
    assert_eq!(resources[0]["filename"], "m/a.yaml");
    assert_eq!(resources[0]["status"], "statusInvalid");
    assert_eq!(resources[0]["msg"], NOT_LIST);
    assert_eq!(resources[0]["validationErrors"][0]["path"], "/data");
    assert_eq!(resources[0]["validationErrors"][0]["msg"], "got array, want null or object");
    assert_eq!(json["summary"]["errors"], 2);
    let tap = run("tap").stdout;
    assert!(
        tap.starts_with("TAP version 13\nok 1 - m/a.yaml (v1/ConfigMap//good)\nnot ok 2 - m/a.yaml"),
        "{tap}"
    );
    assert!(tap.ends_with(&format!("not ok 4 - m/c/d.json: {BROKEN}\n1..4\n")), "{tap}");
    let junit = run("junit").stdout;
    assert!(junit.contains(" tests=\"4\" failures=\"1\" disabled=\"0\" errors=\"2\">\n  <testsuite name=\"m/a.yaml\" id=\"1\""), "{junit}");
    assert!(
        junit.contains("<testcase name=\"ns/w\" classname=\"Widget@example.com/v1\" time=\"0\">"),
        "{junit}"
    );
    let pretty = run("pretty").stdout;
    assert!(
        pretty.starts_with("\u{1b}[31m\u{2716}\u{1b}[0m m/a.yaml: \u{1b}[31mConfigMap bad is invalid: "),
        "{pretty}"
    );
    let wrong = run("xml");
    assert_eq!(wrong.code, Some(1));
    assert_eq!(wrong.stderr, "'outputFormat' must be 'json', 'junit', 'pretty', 'tap' or 'text'\n");
}

#[test]
fn strict_refuses_unknown_fields_and_repeated_keys() {
    let sandbox = Sandbox::new();
    sandbox
        .file("unknown.yaml", GOOD.replace("\ndata", "\ndada"))
        .file("twice.yaml", format!("{GOOD}kind: ConfigMap\n"));
    assert_eq!(kubeconform(&sandbox, &["unknown.yaml", "twice.yaml"]).code, Some(0));
    let ran = kubeconform(&sandbox, &["-strict", "unknown.yaml", "twice.yaml"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("'master-standalone-strict/configmap-v1.json#' - at '': additional properties 'dada' not allowed\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("twice.yaml - ConfigMap good failed validation: error unmarshalling resource: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key \"kind\" already set in map\n"), "{}", ran.stdout);
}

/// A terminal is one too, and nobody would know that it is waited for them.
#[cfg(unix)]
#[test]
fn nothing_is_read_from_a_device() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["kubeconform", "-summary"]);
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("failing to read data from stdin"), "{words}");
    assert_eq!(output.stdout, b"");
}

#[test]
fn standard_input_is_read_without_files() {
    let sandbox = Sandbox::new();
    let text = format!(
        "---\n{GOOD}---\n# nothing\n---\n{{apiVersion: v1, kind: List, items: [{{kind: Pod, apiVersion: v1, spec: 1}}]}}\n"
    );
    for arguments in [&["kubeconform", "-summary"][..], &["kubeconform", "-summary", "-"]] {
        let ran = sandbox.run_with_stdin(arguments, text.as_bytes());
        assert_eq!(ran.code, Some(1));
        assert!(ran.stdout.starts_with("stdin - Pod  is invalid: "), "{}", ran.stdout);
        assert!(
            ran.stdout.ends_with(
                "Summary: 2 resources found parsing stdin - Valid: 1, Invalid: 1, Errors: 0, Skipped: 0\n"
            ),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn kinds_can_be_skipped_and_rejected() {
    let sandbox = manifests();
    let ran = kubeconform(
        &sandbox,
        &["-skip", "example.com/v1/Widget", "-reject", "ConfigMap", "-output", "tap", "m/a.yaml", "m/b.yml"],
    );
    assert_eq!(
        ran.stdout,
        "TAP version 13\nnot ok 1 - m/a.yaml: prohibited resource kind ConfigMap\nnot ok 2 - m/a.yaml: prohibited \
         resource kind ConfigMap\nok 3 - m/b.yml (example.com/v1/Widget/ns/w) # skip\n1..3\n"
    );
    let first = kubeconform(&sandbox, &["-exit-on-error", "-reject", "ConfigMap", "-summary", "m"]);
    assert!(first.stdout.contains("Errors: 1, "), "{}", first.stdout);
}

#[test]
fn schemas_are_found_by_templates() {
    let sandbox = manifests();
    sandbox
        .file("s/broken/widget.json", r#"{"type": 5}"#)
        .file(
            "s/example.com/widget_v1.json",
            r##"{"properties": {"size": {"$ref": "../parts.json#/definitions/size"}}}"##,
        )
        .file("s/parts.json", r#"{"definitions": {"size": {"type": "integer", "maximum": 2}}}"#)
        .file("s/example.com/widget.json", "{}");
    let template = "s/{{ .Group }}/{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json";
    let ran = kubeconform(
        &sandbox,
        &["-schema-location", "s/broken/{{.ResourceKind}}.json", "-schema-location", template, "m/b.yml"],
    );
    let address = format!(
        "file://{}/s/example.com/widget_v1.json#",
        sandbox.path("").canonicalize().unwrap().display()
    );
    assert_eq!(
        ran.stdout,
        format!(
            "m/b.yml - Widget w is invalid: problem validating schema. Check JSON formatting: jsonschema validation \
             failed with '{address}' - at '/size': maximum: got 3, want 2\n"
        )
    );
    // The embedded schemas are used only where they are asked for.
    let without = kubeconform(&sandbox, &["-schema-location", template, "m/a.yaml"]);
    assert!(without.stdout.contains("could not find schema for ConfigMap"), "{}", without.stdout);
    let with = kubeconform(
        &sandbox,
        &["-schema-location", template, "-schema-location", "default", "-verbose", "m/a.yaml"],
    );
    assert!(with.stdout.contains("ConfigMap good is valid"), "{}", with.stdout);
    let wrong = kubeconform(&sandbox, &["-schema-location", "a/{{ .json", "m"]);
    assert_eq!(wrong.code, Some(1));
    assert_eq!(
        wrong.stderr,
        "failed initialising schema location registry: template: tpl:1: unclosed action\n"
    );
}

#[test]
fn what_an_object_calls_itself_chooses_no_file_elsewhere() {
    let sandbox = manifests();
    sandbox.file("s/x.json", "{}").file("secret/x.json", "{\"type\": \"nothing\"}").file(
        "odd.yaml",
        "apiVersion: v1\nkind: ../secret/x\n---\napiVersion: ../secret\nkind: x\n---\napiVersion: a/..\nkind: x\n",
    );
    for location in [
        "s/{{.ResourceKind}}.json",
        "s/{{.Group}}/{{.ResourceKind}}.json",
        "s/{{.ResourceAPIVersion}}/x.json",
    ] {
        let ran = kubeconform(&sandbox, &["-schema-location", location, "odd.yaml"]);
        assert_eq!(ran.stdout.matches("could not find schema for").count(), 3, "{location}: {}", ran.stdout);
    }
}

#[test]
fn schemas_are_fetched_once_and_kept() {
    let sandbox = manifests();
    let server = serve(|path, stream| match path {
        "/widget.json" => say(stream, "200 OK", "", r#"{"required": ["color"]}"#),
        "/page" => say(stream, "200 OK", "", "<html>"),
        "/configmap.json" => say(stream, "403 Forbidden", "", ""),
        _ => say(stream, "404 Not Found", "", ""),
    });
    std::fs::create_dir(sandbox.path("kept")).unwrap();
    let template = format!("{server}/{{{{ .ResourceKind }}}}.json");
    let line = ["-cache", "kept", "-schema-location", template.as_str(), "m/b.yml"];
    let expected = format!(
        "m/b.yml - Widget w is invalid: problem validating schema. Check JSON formatting: jsonschema validation failed \
         with '{server}/widget.json#' - at '': missing property 'color'\n"
    );
    assert_eq!(kubeconform(&sandbox, &line).stdout, expected);
    let kept: Vec<_> =
        std::fs::read_dir(sandbox.path("kept")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1);
    std::fs::write(&kept[0], r#"{"required": ["weight"]}"#).unwrap();
    assert!(kubeconform(&sandbox, &line).stdout.ends_with("missing property 'weight'\n"));
    std::fs::write(&kept[0], "<html>").unwrap();
    let fault = "failed validation: invalid character '<' looking for beginning of value\n";
    assert!(kubeconform(&sandbox, &line).stdout.ends_with(fault));
    let page = kubeconform(&sandbox, &["-schema-location", &format!("{server}/page"), "m/b.yml"]);
    assert!(page.stdout.ends_with("failed validation: could not find schema for Widget\n"), "{page:?}");
    let refused = kubeconform(&sandbox, &["-schema-location", &template, "m/a.yaml"]);
    assert!(
        refused.stdout.contains(&format!(
            "error while downloading schema at {server}/configmap.json - received HTTP status 403\n"
        )),
        "{}",
        refused.stdout
    );
    let wrong = kubeconform(&sandbox, &["-cache", "nowhere", "m"]);
    assert_eq!(
        wrong.stderr,
        "failed opening cache folder nowhere: stat nowhere: no such file or directory\n"
    );
}

#[test]
fn flags_are_read_as_kubeconform_reads_them() {
    let sandbox = Sandbox::new();
    let help = kubeconform(&sandbox, &["-h"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert!(
        help.stdout
            .starts_with("Usage: trueline kubeconform [OPTION]... [FILE OR FOLDER]...\n  -cache string\n")
    );
    let wrong = kubeconform(&sandbox, &["--nope"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(1), ""));
    assert!(wrong.stderr.starts_with("flag provided but not defined: -nope\nUsage: "), "{}", wrong.stderr);
    assert_eq!(kubeconform(&sandbox, &["-v"]).stdout, "v0.8.0\n");
    let version = kubeconform(&sandbox, &["-kubernetes-version", "1.2.3", "x"]);
    assert_eq!(version.code, Some(1));
    assert!(
        version.stderr.starts_with("there are no schemas of Kubernetes 1.2.3: those of 1.25, 1.26, "),
        "{}",
        version.stderr
    );
    let missing = kubeconform(&sandbox, &["no.yaml"]);
    assert_eq!(missing.stdout, "no.yaml - failed validation: lstat no.yaml: no such file or directory\n");
    assert!(sandbox.run(&["--help"]).stdout.contains("\n  kubeconform "), "it has its place in the help");
}

#[test]
fn a_schema_file_that_is_no_json_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.file("w.yaml", CUSTOM).file("s/dir/x", "");
    let missing = "could not find schema for Widget";
    // The file, and what is said; a kind is only missing where the file is JSON, but no schema.
    let rows: &[(&[u8], &str)] = &[
        (b"not json {", "invalid character 'o' in literal null (expecting 'u')"),
        (b"", "EOF"),
        (b"{", "unexpected EOF"),
        (b"{} trailing", "invalid character after top-level value"),
        (b"type: object", "invalid character 'y' in literal true (expecting 'r')"),
        (b"\xef\xbb\xbf{}", "invalid character '\u{ef}' looking for beginning of value"),
        (b"\xff", "invalid character '\u{ff}' looking for beginning of value"),
        (b"[1, 2]", missing),
        (b"5", missing),
        (b"null", missing),
        (b"{\"type\": 5}", missing),
        (b"{\"$ref\": \"elsewhere.json\"}", missing),
        (b"{\"$ref\": \"#/definitions/x\"}", missing),
        (b"{\"description\": \"\xff\"}", ""),
    ];
    for (schema, said) in rows {
        std::fs::write(sandbox.path("s/widget.json"), schema).unwrap();
        let flags = ["-schema-location", "s/{{ .ResourceKind }}.json", "-schema-location", "default"];
        let run = |more: &[&str]| kubeconform(&sandbox, &[&flags, more, &["w.yaml"]].concat());
        let ran = run(&["-summary"]);
        let (line, errors) = match *said {
            "" => (String::new(), 0),
            said => (format!("w.yaml - Widget w failed validation: {said}\n"), 1),
        };
        let valid = 1 - errors;
        let expected = format!(
            "{line}Summary: 1 resource found in 1 file - Valid: {valid}, Invalid: 0, Errors: {errors}, Skipped: 0\n"
        );
        assert_eq!((ran.stdout.as_str(), ran.code), (expected.as_str(), Some(errors)), "{schema:?}");
        // Only a schema that is not there can be left out.
        let ignored = run(&["-ignore-missing-schemas", "-output", "json", "-verbose"]);
        let resource = &ignored.json()["resources"][0];
        let (status, code) = match *said {
            "" => ("statusValid", 0),
            said if said == missing => ("statusSkipped", 0),
            _ => ("statusError", 1),
        };
        assert_eq!((resource["status"].as_str(), ignored.code), (Some(status), Some(code)), "{schema:?}");
        for format in ["junit", "tap", "pretty"] {
            assert_eq!(run(&["-output", format]).code, Some(errors), "{format}: {schema:?}");
        }
    }
    let directory = ["-schema-location", "s/dir", "w.yaml"];
    let template = ["-schema-location", "s/dir/../{{ .Group }}dir", "w.yaml"];
    for arguments in [&directory, &template] {
        assert_eq!(kubeconform(&sandbox, arguments).code, Some(1), "{arguments:?}");
    }
}
