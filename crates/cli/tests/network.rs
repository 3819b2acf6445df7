//! Schemas from a server, through `--schema-url`, and servers that misbehave.

mod support;

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use support::{Finding, Sandbox, VALID, say, serve};

/// The answer of a server that has the schema: it asks for a field that no manifest has.
const SCHEMA: &str = "{\"type\": \"object\", \"required\": [\"nickname\"]}";

fn check(sandbox: &Sandbox, url: &str, more: &[&str]) -> (Option<i32>, Vec<Finding>) {
    sandbox
        .file("extension.yaml", VALID)
        .file("schemas/extension.schema.json", "{\"$ref\": \"extra.schema.json\"}");
    let arguments =
        ["check", "extension.yaml", "--schema-dir", "schemas", "--timeout", "1", "--schema-url", url];
    sandbox.findings(&[&arguments, more].concat())
}

#[track_caller]
fn assert_refused(url: &str, message: &str) {
    let (code, findings) = check(&Sandbox::new(), url, &[]);
    assert_eq!(code, Some(1), "{findings:?}");
    let first = &findings[0];
    // The place is the reference that leads there.
    assert_eq!((first.code.as_str(), first.place.as_str()), ("TL0244", "schemas/extension.schema.json:1:10"));
    assert!(first.message.contains(&format!("`{url}extra.schema.json` {message}")), "{first:?}");
}

#[test]
fn a_server_that_hangs() {
    let url = serve(|_, _| thread::sleep(Duration::from_secs(30)));
    assert_refused(&format!("{url}/"), "did not answer in time (the limit is 1 s)");
}

#[test]
fn a_server_that_redirects_forever() {
    let url = serve(|path, stream| say(stream, "302 Found", &format!("Location: {path}x\r\n"), ""));
    assert_refused(&format!("{url}/"), "could not be downloaded (it redirects more than 5 times)");
}

#[test]
fn a_server_that_returns_a_web_page() {
    let url =
        serve(|_, stream| say(stream, "200 OK", "Content-Type: text/html\r\n", "<html><p>Log in</p></html>"));
    assert_refused(
        &format!("{url}/"),
        "could not be downloaded (the server answered with a web page (HTML), not with the document)",
    );
}

#[test]
fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    assert_refused(&url, "could not be reached (nothing listens there)");
}

#[test]
fn a_server_without_the_schema() {
    let url = serve(|_, stream| say(stream, "404 Not Found", "", ""));
    assert_refused(&format!("{url}/"), "does not exist (the server answered 404 Not Found)");
}

/// A schema that calls itself by the address where the format is published is still looked for at the server that was
/// named, and errors say so.
#[test]
fn errors_name_the_server_that_was_asked() {
    let url = serve(|_, stream| say(stream, "404 Not Found", "", ""));
    let sandbox = Sandbox::new();
    sandbox.file("extension.yaml", VALID).file(
        "schemas/extension.schema.json",
        "{\"$id\": \"https://trueline.dev/schemas/extension.schema.json\", \"$ref\": \"extra.schema.json\"}",
    );
    let base = format!("{url}/v1/");
    let arguments = ["check", "extension.yaml", "--schema-dir", "schemas", "--schema-url", &base];
    let (code, findings) = sandbox.findings(&arguments);
    assert_eq!(code, Some(1), "{findings:?}");
    let asked = format!("`{base}extra.schema.json` does not exist");
    assert!(findings.iter().any(|finding| finding.message.contains(&asked)), "{findings:?}");
}

#[test]
fn charts_are_warned_of_plain_http() {
    let url = serve(|_, stream| say(stream, "200 OK", "", "{\"type\": \"integer\"}"));
    let sandbox = Sandbox::new();
    sandbox
        .file(
            "web/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/i.svg\n",
        )
        .file("web/values.yaml", "port: 80\n")
        .file("web/schema-dependencies.json", format!("{{\"own\": \"{url}/port.json\"}}"))
        .file("web/values.schema.json", "{\"properties\": {\"port\": {\"$ref\": \"own\"}}}");
    let (code, findings) = sandbox.findings(&["check", "web"]);
    assert_eq!(code, Some(0), "{findings:?}");
    let found = findings.iter().filter(|finding| finding.code == "TL0246" && finding.severity == "warning");
    assert_eq!(found.count(), 1, "{findings:?}");
}

#[test]
fn a_schema_that_is_fetched_counts_and_is_kept() {
    let url = format!("{}/v1/", serve(|_, stream| say(stream, "200 OK", "ETag: \"1\"\r\n", SCHEMA)));
    let sandbox = Sandbox::new();
    let (code, findings) = check(&sandbox, &url, &["--offline"]);
    assert_eq!(code, Some(1), "nothing is in the cache yet: {findings:?}");
    assert_eq!(findings[0].code, "TL0250");
    assert!(
        findings[0].message.contains("is not in the cache, and network access is disabled"),
        "{findings:?}"
    );
    let online = check(&sandbox, &url, &[]);
    assert_eq!(online.0, Some(1));
    assert!(online.1.iter().any(|finding| finding.message.contains("nickname")), "{online:?}");
    assert!(
        online.1.iter().any(|finding| finding.severity == "warning" && finding.message.contains("http")),
        "plain http is warned of: {online:?}"
    );
    let offline = check(&sandbox, &url, &["--offline"]);
    assert_eq!(offline, online);
}

/// A schema that is itself checked: its references are followed with the same care.
#[test]
fn references_of_a_schema_are_followed() {
    let url = serve(|path, stream| match path {
        "/good.json" => say(stream, "200 OK", "", "{\"type\": \"string\"}"),
        _ => say(stream, "404 Not Found", "", ""),
    });
    let sandbox = Sandbox::new();
    sandbox.file(
        "a.schema.json",
        format!(
            "{{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\
             \"properties\": {{\n\"a\": {{\"$ref\": \"{url}/good.json\"}},\n\"b\": {{\"$ref\": \"{url}/bad.json\"}}}}}}\n"
        ),
    );
    let (code, findings) = sandbox.findings(&["check", "a.schema.json"]);
    assert_eq!(code, Some(1), "{findings:?}");
    let found = |code: &str, place: &str| {
        findings.iter().any(|finding| finding.code == code && finding.place == place)
    };
    assert!(found("TL0246", "a.schema.json:3:15"), "plain http is warned of: {findings:?}");
    assert!(found("TL0244", "a.schema.json:4:15"), "{findings:?}");
}

#[test]
fn the_configuration_can_take_a_run_offline() {
    let url = format!("{}/", serve(|_, stream| say(stream, "200 OK", "", SCHEMA)));
    let sandbox = Sandbox::new();
    sandbox.file("trueline.toml", "offline = true\n");
    let (code, findings) = check(&sandbox, &url, &[]);
    assert_eq!((code, findings[0].code.as_str()), (Some(1), "TL0250"), "{findings:?}");
    assert!(check(&sandbox, &url, &["--no-config"]).1.iter().any(|finding| finding.code == "TL0202"));
    sandbox.file(
        "all/deep/a.schema.json",
        format!("{{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"$ref\": \"{url}x\"}}"),
    );
    sandbox.file("all/deep/trueline.toml", "offline = true\n").file("trueline.toml", "");
    let (_, findings) = sandbox.findings(&["check", "all"]);
    assert!(
        findings
            .iter()
            .any(|finding| finding.place.starts_with("all/deep/a.schema.json") && finding.severity == "error"),
        "{findings:?}"
    );
}
