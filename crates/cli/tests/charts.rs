//! Charts through the built program: the document of errors, flags, archives, and schemas from elsewhere.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{Sandbox, repository, run, say, serve};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.svg\n";
const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\ndata:\n  port: {{ .Values.port | quote }}\n";
const SCHEMA: &str = r#"{"properties": {"port": {"type": "integer"}}}"#;

fn chart() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("web/Chart.yaml", CHART)
        .file("web/values.yaml", "port: 80\n")
        .file("web/values.schema.json", SCHEMA)
        .file("web/templates/config.yaml", CONFIG);
    sandbox
}

/// Places and codes of what is found.
fn found(sandbox: &Sandbox, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let (code, findings) = sandbox.findings(&[&["check", "web"], arguments].concat());
    (code, findings.iter().map(|finding| format!("{} {}", finding.place, finding.code)).collect())
}

#[test]
fn all_files_of_an_archive_are_shown_below_one_directory() {
    let sandbox = chart();
    sandbox
        .file("web/ci/b-values.yaml", "port: wrong\n")
        .file("web/templates/d.yaml", "a: {{ .Values.x.y }}\n");
    assert_eq!(run(&mut sandbox.command(&["helm", "package", "web"]), b"").code, Some(0));
    let (_, findings) = sandbox.findings(&["check", "web-1.0.0.tgz"]);
    let has = |place: &str| findings.iter().any(|finding| finding.place.starts_with(place));
    assert!(has("web-1.0.0.tgz/web/ci/b-values.yaml:1:"), "{findings:?}");
    assert!(has("web-1.0.0.tgz/web/templates/d.yaml:1:"), "{findings:?}");
    assert!(findings.iter().all(|finding| finding.place.starts_with("web-1.0.0.tgz/web/")), "{findings:?}");
}

#[test]
fn the_document_of_errors_shows_what_is_printed() {
    let root = repository();
    let text = std::fs::read_to_string(root.join("docs/errors.md")).unwrap();
    let sandbox = Sandbox::new();
    let mut shown = 0;
    let mut rest = text.as_str();
    while let Some((_, after)) = rest.split_once("<!-- trueline ") {
        let (arguments, after) = after.split_once(" -->\n").unwrap();
        let (_, after) = after.split_once("```text\n").unwrap();
        let (expected, after) = after.split_once("```\n").unwrap();
        rest = after;
        let mut command = sandbox.command(&arguments.split(' ').collect::<Vec<_>>());
        command.current_dir(&root);
        let ran = run(&mut command, b"");
        assert_eq!(ran.stdout, expected, "trueline {arguments}");
        shown += 1;
    }
    assert!(shown >= 7, "{shown} outputs");
}

#[test]
fn values_are_reported_where_they_are_given() {
    let sandbox = chart();
    sandbox.file("prod.yaml", "# production\nport: http\n");
    assert_eq!(found(&sandbox, &[]), (Some(0), vec![]));
    assert_eq!(found(&sandbox, &["-f", "prod.yaml"]), (Some(1), vec!["prod.yaml:2:7 TL0201".to_owned()]));
    assert_eq!(
        found(&sandbox, &["-f", "prod.yaml", "--set", "port=https"]),
        (Some(1), vec!["--set port=https:1:6 TL0201".to_owned()])
    );
    assert_eq!(found(&sandbox, &["-f", "prod.yaml", "--set-json", "port=8080"]), (Some(0), vec![]));
    let matrix = ["--values-matrix", "envs/*.yaml"];
    assert_eq!(found(&sandbox, &matrix), (Some(1), vec!["web/Chart.yaml:1:1 TL0437".to_owned()]));
    sandbox.file("web/envs/a.yaml", "port: 1\n").file("web/envs/b.yaml", "port: x\n");
    assert_eq!(found(&sandbox, &matrix), (Some(1), vec!["web/envs/b.yaml:1:7 TL0201".to_owned()]));
    sandbox.file("web/ci/test-values.yaml", "port: []\n");
    assert_eq!(found(&sandbox, &[]), (Some(1), vec!["web/ci/test-values.yaml:1:7 TL0201".to_owned()]));
}

#[test]
fn what_cannot_be_read_or_used_ends_with_2() {
    let sandbox = chart();
    let (code, findings) = found(&sandbox, &["-f", "none.yaml"]);
    assert_eq!((code, findings), (Some(2), vec!["--values none.yaml:1:1 TL0604".to_owned()]));
    assert_eq!(found(&sandbox, &["--set", "port"]), (Some(1), vec!["--set port:1:1 TL0601".to_owned()]));
    for arguments in [
        &["--kube-version", "new"][..],
        &["--release-name", "No Good"],
        &["--values-matrix", "[a"],
        &["--values-matrix", ""],
    ] {
        let ran = sandbox.run(&[&["check", "web"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn a_schema_from_elsewhere_is_fetched_once() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    let url = serve(move |_, stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        say(stream, "200 OK", "ETag: \"1\"\r\n", r#"{"type": "integer"}"#);
    });
    let sandbox = chart();
    let schema = format!(r#"{{"properties": {{"port": {{"$ref": "{url}/port.json"}}}}}}"#);
    sandbox.file("web/values.schema.json", schema);
    let helm = |more: &[&str]| sandbox.run(&[&["helm", "template", "web", "--set", "port=x"], more].concat());
    let offline = helm(&["--offline"]);
    assert_eq!(offline.code, Some(1));
    assert!(offline.stderr.contains(&format!("failing loading \"{url}/port.json\"")), "{offline:?}");
    assert_eq!(requests.load(Ordering::SeqCst), 0);
    assert!(helm(&[]).stderr.contains("- at '/port': got string, want integer"));
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    // It is kept: neither family asks for it again where it must not.
    assert!(helm(&["--offline"]).stderr.contains("- at '/port': got string, want integer"));
    let (code, findings) = found(&sandbox, &["--offline", "--set", "port=x"]);
    assert_eq!(code, Some(1));
    assert!(findings.contains(&"--set port=x:1:6 TL0201".to_owned()), "{findings:?}");
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

/// The four ways in which Helm follows references today, none of which is followed here.
#[test]
fn a_schema_reads_nothing_that_its_chart_does_not_hold() {
    let secret = Sandbox::new();
    secret.file("port.json", r#"{"type": "integer"}"#);
    let outside = secret.path("port.json").to_string_lossy().into_owned();
    let sandbox = chart();
    sandbox.file("web/schemas/port.json", r#"{"type": "integer"}"#).file(
        "web/schema-dependencies.json",
        r#"{"shared": "schemas/", "https://example.com/schemas": "schemas", "urn:example:port": "schemas/port.json"}"#,
    );
    let refused = "- at '/port': got string, want integer";
    for (reference, said) in [
        // Relative to the chart, not to the root of the machine; so are prefixes.
        ("schemas/port.json".to_owned(), refused),
        ("shared/port.json".to_owned(), refused),
        // Mapped into the chart instead of fetched.
        ("https://example.com/schemas/port.json".to_owned(), refused),
        // A name that stands for a file, instead of for anything at all.
        ("urn:example:port".to_owned(), refused),
        ("urn:example:other".to_owned(), "no URLLoader registered for \"urn:example:other\""),
        ("nowhere/port.json".to_owned(), "open /nowhere/port.json: no such file or directory"),
        (format!("file://{outside}"), "is outside the package"),
        (outside.clone(), "is outside the package"),
        ("../../port.json".to_owned(), "is outside the package"),
    ] {
        let schema = format!(r#"{{"properties": {{"port": {{"$ref": "{reference}"}}}}}}"#);
        sandbox.file("web/values.schema.json", schema);
        let ran = sandbox.run(&["helm", "template", "web", "--offline", "--set", "port=x"]);
        assert!(ran.code == Some(1) && ran.stderr.contains(said), "{reference}: {ran:?}");
        let (code, findings) = found(&sandbox, &["--offline", "--set", "port=x"]);
        assert_eq!(code, Some(1), "{reference}: {findings:?}");
        let place = if said == refused { "--set port=x:1:6 TL0201" } else { "web/values.schema.json:1:34" };
        assert!(findings.iter().any(|finding| finding.starts_with(place)), "{reference}: {findings:?}");
    }
}

#[test]
fn help_shows_the_entry_that_is_missing() {
    let sandbox = chart();
    let schema = r#"{"$ref": "https://example.com/v1/defs.json"}"#;
    sandbox.file("web/values.schema.json", schema);
    let ran = sandbox.run(&["check", "web", "--offline"]);
    let entry = r#"`"https://example.com/v1/defs.json": "schemas/defs.json"`"#;
    assert!(ran.stdout.contains(entry), "{}", ran.stdout);
}

#[test]
fn an_archive_that_comes_through_a_pipe_is_checked() {
    let sandbox = chart();
    sandbox.file("web/templates/d.yaml", "a: {{ .Values.x.y }}\n");
    assert_eq!(run(&mut sandbox.command(&["helm", "package", "web"]), b"").code, Some(0));
    let archive = std::fs::read(sandbox.path("web-1.0.0.tgz")).unwrap();
    let ran = run(&mut sandbox.command(&["check", "-", "--format", "short"]), &archive);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.starts_with("<stdin>/web/templates/d.yaml:1:"), "{ran:?}");
    assert!(!ran.stdout.contains("holds a chart of the name"), "{ran:?}");
    // Where a string was expected, the message says what was found.
    std::fs::write(sandbox.path("packed.yaml"), &archive).unwrap();
    let text = sandbox.run(&["check", "packed.yaml", "--format", "short"]);
    assert!(text.stdout.contains("this is packed with gzip"), "{text:?}");
    let kind = run(&mut sandbox.command(&["check", "-", "--as", "kubernetes"]), &archive);
    assert!(kind.stdout.contains("this is packed with gzip"), "{kind:?}");
}

#[test]
fn flags_that_helm_drops_without_a_word_are_told() {
    let sandbox = chart();
    for flag in ["--set", "--set-string", "--set-literal", "--set-json", "--set-file"] {
        for (text, place) in [("a[0=1", 3), ("x=1,a[", 7), ("a[0]", 5), ("a.", 3), ("=1", 1), ("[0]=1", 1)] {
            // With `--set-literal` the rest is the value as typed; a missing file and invalid JSON are reported as such.
            if text.starts_with("x") && flag != "--set" && flag != "--set-string" {
                continue;
            }
            if text.ends_with("=1") && text != "a[0=1" && flag == "--set-file" {
                continue;
            }
            let ran = sandbox.run(&["check", "web", flag, text, "--format", "short"]);
            let expected = format!("{flag} {text}:1:{place}: error[TL0601]");
            assert!(ran.stdout.contains(&expected), "{expected}: {ran:?}");
            assert_eq!(ran.code, Some(1), "{expected}");
            // Helm takes it.
            let rendered = sandbox.run(&["helm", "template", "web", flag, text]);
            assert_eq!(rendered.code, Some(0), "{flag} {text}: {rendered:?}");
        }
    }
    for flags in [["--set", ""], ["--set", "port=1,"], ["--set", "port="], ["--set-json", "port=1"]] {
        let ran = sandbox.run(&["check", "web", flags[0], flags[1], "--format", "short"]);
        assert!(!ran.stdout.contains("TL0601"), "{flags:?}: {ran:?}");
    }
    for (flags, code, place) in [
        (["-f", "none.yaml"], 2, "--values none.yaml:1:1: error[TL0604]"),
        (["--set-file", "a=none"], 2, "--set-file a=none:1:3: error[TL0604]"),
        (["--set-json", "a=[1"], 1, "--set-json a=[1:1:"),
    ] {
        let ran = sandbox.run(&["check", "web", flags[0], flags[1], "--format", "short"]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.stdout.contains(place), "{ran:?}");
    }
}

#[test]
fn templates_of_charts_that_no_values_are_for_are_read() {
    let sandbox = chart();
    sandbox
        .file("web/ci/a.yaml", "port: 1\n")
        .file("other/Chart.yaml", CHART.replace("web", "other"))
        .file("other/templates/broken.yaml", "a: {{ .Values.b\n")
        .file("other/templates/_helpers.tpl", "{{ define \"x\" }}{{ nofunction }}{{ end }}\n");
    let ran = sandbox.run(&["check", ".", "--values-matrix", "ci/*.yaml", "--format", "short"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("other/templates/broken.yaml:1:"), "{ran:?}");
    assert!(ran.stdout.contains("other/templates/_helpers.tpl:1:"), "{ran:?}");
    assert!(ran.stdout.contains("no file of the chart matches"), "{ran:?}");
    sandbox.file("other/templates/broken.yaml", "").file("other/templates/_helpers.tpl", "");
    let fixed = sandbox.run(&["check", ".", "--values-matrix", "ci/*.yaml", "--format", "short"]);
    assert_eq!(fixed.code, Some(0), "{fixed:?}");
}
