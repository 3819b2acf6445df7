//! Charts from registries: tokens, tags, and what a registry can do wrong.

mod support;

use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use support::{Ran, Request, Sandbox, promise, run, say, serve_requests};

const ARCHIVE: &[u8] = include_bytes!("data/web-1.2.3.tgz");
const ARCHIVE_SUM: &str = "sha256:d76a054cee300ce2ecef5e4f8d0db689346df1001f204af29c9b953256026e69";
const CONFIG: &[u8] = b"{}";
const CONFIG_SUM: &str = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

fn manifest() -> String {
    format!(
        "{{\"schemaVersion\":2,\"config\":{{\"mediaType\":\"application/vnd.cncf.helm.config.v1+json\",\"digest\":\
         \"{CONFIG_SUM}\",\"size\":2}},\"layers\":[{{\"mediaType\":\
         \"application/vnd.cncf.helm.chart.content.v1.tar+gzip\",\"digest\":\"{ARCHIVE_SUM}\",\"size\":{}}}]}}",
        ARCHIVE.len()
    )
}

/// The name and the `Authorization` header of each request for a token.
type Logins = Arc<Mutex<Vec<(String, Option<String>)>>>;

/// A registry that gives tokens to everybody, or to `me` alone. The first part of a chart's path says what it does
/// wrong.
fn registry() -> (String, Logins) {
    let logins: Logins = Arc::default();
    let log = Arc::clone(&logins);
    let base = serve_requests(move |request, stream| {
        let host = request.header("host").unwrap_or_default().to_owned();
        if request.path().starts_with("/token") {
            let login = request.header("authorization").map(str::to_owned);
            log.lock().unwrap().push((request.path().to_owned(), login.clone()));
            let is_closed = request.path().contains("closed");
            match login.as_deref() {
                Some("Basic bWU6aHVudGVyMg==") | None if !is_closed || login.is_some() => {
                    say(stream, "200 OK", "", "{\"token\": \"t0k3n\"}");
                }
                _ => say(
                    stream,
                    "401 Unauthorized",
                    "",
                    "{\"errors\": [{\"code\": \"UNAUTHORIZED\", \"message\": \"who are you?\"}]}",
                ),
            }
            return;
        }
        if request.header("authorization") != Some("Bearer t0k3n") {
            let challenge =
                format!("WWW-Authenticate: Bearer realm=\"http://{host}/token\",service=\"s\"\r\n");
            say(stream, "401 Unauthorized", &challenge, "");
            return;
        }
        answer(request, stream);
    });
    (base.replace("http://", "oci://"), logins)
}

fn answer(request: &Request, stream: &mut TcpStream) {
    let path = request.path();
    let fault = path.split('/').nth(2).unwrap_or_default();
    match fault {
        "broken" => return say(stream, "500 Internal Server Error", "", ""),
        "page" => return say(stream, "200 OK", "Content-Type: text/html\r\n", "<html>"),
        "nobody" => {
            let body = "{\"errors\": [{\"code\": \"NAME_UNKNOWN\", \"message\": \"no such chart\"}]}";
            return say(stream, "404 Not Found", "", body);
        }
        _ => {}
    }
    if path.contains("/tags/list") {
        return match path.contains("last=") {
            false => {
                let next = format!("Link: <{path}?last=b>; rel=\"next\"\r\n");
                say(stream, "200 OK", &next, "{\"tags\": [\"1.1.0\", \"latest\"]}");
            }
            true => say(stream, "200 OK", "", "{\"tags\": [\"1.2.3\", \"2.0.0-rc.1\"]}"),
        };
    }
    if path.contains("/manifests/") {
        return say(stream, "200 OK", "", manifest());
    }
    let is_archive = path.ends_with(ARCHIVE_SUM);
    let body = if is_archive { ARCHIVE } else { CONFIG };
    match fault {
        "cut" if is_archive => promise(stream, "200 OK", "", &body[..9], body.len()),
        "other" if is_archive => say(stream, "200 OK", "", vec![b'x'; body.len()]),
        "gone" if is_archive => say(stream, "404 Not Found", "", ""),
        _ => say(stream, "200 OK", "", body),
    }
}

fn helm(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command(&[&["helm"], arguments, &["--plain-http"]].concat());
    for name in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "DOCKER_CONFIG", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", sandbox.path("home")).env("TRUELINE_TIMEOUT", "5");
    run(&mut command, b"")
}

#[test]
fn a_chart_is_pulled_by_tag_and_by_constraint() {
    let (base, _) = registry();
    let host = base.trim_start_matches("oci://").to_owned();
    let rendered = "---\n# Source: web/templates/x.yaml\na: 1\n";
    for arguments in [&["--version", "1.2.3"][..], &["--version", "^1.0.0"], &[]] {
        let sandbox = Sandbox::new();
        let ran = helm(&sandbox, &[&["pull", &format!("{base}/good/web")], arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            ran.stdout.starts_with(&format!("Pulled: {host}/good/web:1.2.3\nDigest: sha256:")),
            "{ran:?}"
        );
        assert_eq!(std::fs::read(sandbox.path("web-1.2.3.tgz")).unwrap(), ARCHIVE);
        let ran = helm(&sandbox, &[&["template", "x", &format!("{base}/good/web")], arguments].concat());
        assert_eq!(ran.stdout, rendered, "{ran:?}");
    }
    let sandbox = Sandbox::new();
    let chart = format!(
        "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n- {{name: web, version: 1.x, repository: '{base}/good'}}\n"
    );
    sandbox.file("c/Chart.yaml", chart);
    let ran = helm(&sandbox, &["dependency", "update", "c"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(sandbox.read("c/Chart.lock").contains("  version: 1.2.3\n"));
    assert_eq!(std::fs::read(sandbox.path("c/charts/web-1.2.3.tgz")).unwrap(), ARCHIVE);
}

#[test]
fn what_a_registry_does_wrong_is_said_and_leaves_nothing() {
    let (base, _) = registry();
    let host = base.trim_start_matches("oci://").to_owned();
    let http = format!("http://{host}");
    let sum = ARCHIVE_SUM;
    for (chart, version, error) in [
        (
            "broken",
            "1.2.3",
            format!(
                "failed to perform \"FetchReference\" on source: GET \"{http}/v2/broken/web/manifests/1.2.3\": response \
                 status code 500: Internal Server Error"
            ),
        ),
        ("page", "1.2.3", "failed to perform \"FindSuccessors\" on source: invalid manifest".to_owned()),
        ("page", "^1", format!("GET \"{http}/v2/page/web/tags/list\": failed to decode response")),
        (
            "nobody",
            "1.2.3",
            format!("failed to perform \"FetchReference\" on source: {host}/nobody/web:1.2.3: not found"),
        ),
        (
            "nobody",
            "^1",
            format!(
                "GET \"{http}/v2/nobody/web/tags/list\": response status code 404: name unknown: no such chart"
            ),
        ),
        ("good", "^9", "could not locate a version matching provided version string ^9".to_owned()),
        (
            "cut",
            "1.2.3",
            format!(
                "failed to perform \"Push\" on destination: read failed: expected content size of {}, for digest {sum}: \
                 unexpected EOF",
                ARCHIVE.len()
            ),
        ),
        ("other", "1.2.3", "failed to perform \"Push\" on destination: mismatched digest".to_owned()),
        ("gone", "1.2.3", format!("failed to perform \"Fetch\" on source: {sum}: not found")),
    ] {
        let address = format!("{base}/{chart}/web");
        for command in [&["pull"][..], &["pull", "--untar"], &["template", "x"], &["show", "chart"]] {
            let sandbox = Sandbox::new();
            let ran = helm(&sandbox, &[command, &[&address, "--version", version]].concat());
            assert_eq!((ran.code, ran.stderr), (Some(1), format!("Error: {error}\n")), "{command:?}");
            assert_eq!(std::fs::read_dir(sandbox.path("")).unwrap().count(), 0, "{command:?} {chart}");
        }
        let sandbox = Sandbox::new();
        let text = format!(
            "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n- {{name: web, version: {version}, repository: \
             '{base}/{chart}'}}\n"
        );
        sandbox.file("c/Chart.yaml", text);
        let ran = helm(&sandbox, &["dependency", "update", "c"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let words =
            if chart == "good" { "can't get a valid version for 1 subchart(s): \"web\"" } else { &error };
        assert!(ran.stderr.contains(words), "{ran:?}");
        assert_eq!(std::fs::read_dir(sandbox.path("c")).unwrap().count(), 1, "{chart}");
    }
}

#[test]
fn credentials_come_from_flags_and_files() {
    let (base, logins) = registry();
    let host = base.trim_start_matches("oci://").to_owned();
    let auth = "{\"auths\": {\"@\": {\"auth\": \"bWU6aHVudGVyMg==\"}}}".replace('@', &host);
    for file in [None, Some("home/.config/helm/registry/config.json"), Some("home/.docker/config.json")] {
        let sandbox = Sandbox::new();
        let mut arguments = vec!["pull".to_owned(), format!("{base}/closed/web:1.2.3")];
        match file {
            Some(file) => _ = sandbox.file(file, &auth),
            None => arguments.extend(["--username", "me", "--password", "hunter2"].map(str::to_owned)),
        }
        let ran = helm(&sandbox, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{file:?}: {ran:?}");
    }
    let asked = logins.lock().unwrap().clone();
    assert_eq!(asked[0].0, "/token?scope=repository%3Aclosed%2Fweb%3Apull&service=s");
    assert!(asked.iter().all(|(_, login)| login.as_deref() == Some("Basic bWU6aHVudGVyMg==")), "{asked:?}");
    let sandbox = Sandbox::new();
    let wrong = ["pull", &format!("{base}/closed/web:1.2.3"), "--username", "me", "--password", "hunter3"];
    let ran = helm(&sandbox, &wrong);
    assert_eq!(
        (ran.code, ran.stderr),
        (
            Some(1),
            format!(
                "Error: failed to perform \"FetchReference\" on source: GET \"http://{host}/v2/closed/web/manifests/1.2.3\": \
                 GET \"http://{host}/token?scope=repository%3Aclosed%2Fweb%3Apull&service=s\": response status code 401: \
                 unauthorized: who are you?\n"
            )
        )
    );
}

#[test]
fn a_layer_from_another_server_is_fetched_without_the_token() {
    let seen: Logins = Arc::default();
    let log = Arc::clone(&seen);
    let store = serve_requests(move |request, stream| {
        let authorization = request.header("authorization").map(str::to_owned);
        log.lock().unwrap().push((request.path().to_owned(), authorization));
        say(stream, "200 OK", "", if request.path().ends_with(ARCHIVE_SUM) { ARCHIVE } else { CONFIG });
    });
    let base = serve_requests(move |request, stream| {
        let path = request.path();
        match request.header("authorization") {
            None => say(stream, "401 Unauthorized", "WWW-Authenticate: Basic realm=\"r\"\r\n", ""),
            Some(_) if path.contains("/manifests/") => say(stream, "200 OK", "", manifest()),
            Some(_) => say(stream, "307 Temporary Redirect", &format!("Location: {store}{path}\r\n"), ""),
        }
    });
    let chart = format!("{}/charts/web:1.2.3", base.replace("http://", "oci://"));
    let sandbox = Sandbox::new();
    let ran = helm(&sandbox, &["pull", &chart, "--username", "me", "--password", "hunter2"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen.iter().all(|(_, authorization)| authorization.is_none()), "{seen:?}");
    let ran = helm(&Sandbox::new(), &["pull", &chart]);
    assert!(ran.stderr.ends_with(": basic credential not found\n"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_program_that_keeps_credentials_is_asked() {
    use std::os::unix::fs::PermissionsExt;
    let (base, logins) = registry();
    let sandbox = Sandbox::new();
    let program = "#!/bin/sh\nread host\n[ \"$1\" = get ] && echo \"{\\\"Username\\\": \\\"me\\\", \\\"Secret\\\": \
                   \\\"hunter2\\\", \\\"ServerURL\\\": \\\"$host\\\"}\"\n";
    sandbox
        .file("home/.docker/config.json", "{\"credsStore\": \"test\"}")
        .file("bin/docker-credential-test", program);
    let path = sandbox.path("bin/docker-credential-test");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let chart = format!("{base}/closed/web:1.2.3");
    let mut command = sandbox.command(&["helm", "pull", &chart, "--plain-http"]);
    let search = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    command.env("HOME", sandbox.path("home")).env("PATH", search).env_remove("DOCKER_CONFIG");
    let ran = run(&mut command, b"");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(logins.lock().unwrap()[0].1.as_deref(), Some("Basic bWU6aHVudGVyMg=="));
}
