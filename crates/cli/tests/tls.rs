//! Repositories over TLS: who is trusted, and what we show of ourselves. The certificates are made by the program's own
//! functions for templates, but for one that is its own authority, as `openssl req -x509` makes them.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use support::{Ran, Sandbox};

const ARCHIVE: &[u8] = include_bytes!("data/web-1.2.3.tgz");
const OWN_AUTHORITY: &str = include_str!("data/own-authority.pem");
const OWN_KEY: &str = include_str!("data/own-authority.key");
const INDEX: &str = "apiVersion: v1\nentries:\n  web:\n  - {name: web, version: 1.2.3, apiVersion: v2, urls: [web-1.2.3.tgz]}\n";

const TEMPLATE: &str = r#"
{{- $ca := genCAWithKey "authority" 36500 (genPrivateKey "ecdsa") }}
{{- $other := genCAWithKey "other" 36500 (genPrivateKey "ecdsa") }}
{{- $server := genSignedCertWithKey "server" (list "127.0.0.1") (list) 36500 $ca (genPrivateKey "ecdsa") }}
{{- $elsewhere := genSignedCertWithKey "elsewhere" (list) (list "elsewhere.example") 36500 $ca (genPrivateKey "ecdsa") }}
{{- $client := genSignedCertWithKey "client" (list) (list "client") 36500 $ca (genPrivateKey "ecdsa") }}
{{ dict "ca" $ca "other" $other "server" $server "elsewhere" $elsewhere "client" $client | toJson }}
"#;

/// The certificates, with their keys, by name.
static CERTIFICATES: LazyLock<Value> = LazyLock::new(|| {
    let sandbox = Sandbox::new();
    sandbox.file("c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
    sandbox.file("c/templates/certificates.yaml", TEMPLATE);
    let ran = sandbox.run(&["helm", "template", "c"]);
    let json = ran.stdout.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{ran:?}"));
    serde_json::from_str(json).unwrap()
});

fn pem(name: &str) -> (&'static str, &'static str) {
    let text = |part: &str| CERTIFICATES[name][part].as_str().unwrap();
    (text("Cert"), text("Key"))
}

/// Whether a server asks its clients for a certificate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clients {
    Anyone,
    Known,
}

/// A repository on the loopback; gives back its address.
fn serve((certificate, key): (&str, &str), clients: Clients) -> String {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match clients {
        Clients::Anyone => builder.with_no_client_auth(),
        Clients::Known => {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(pem("ca").0.as_bytes()).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let config = Arc::new(builder.with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().take(100) {
            let (stream, config) = (stream.unwrap(), Arc::clone(&config));
            thread::spawn(move || answer(stream, config));
        }
    });
    address
}

/// Answers one request; a client that does not want to go on is none of our business.
fn answer(stream: TcpStream, config: Arc<ServerConfig>) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let mut stream = StreamOwned::new(ServerConnection::new(config).ok()?, stream);
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.ends_with(b"\r\n\r\n") {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        request.extend_from_slice(&buffer[..count]);
    }
    let is_index = request.starts_with(b"GET /index.yaml");
    let body = if is_index { INDEX.as_bytes() } else { ARCHIVE };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    stream.conn.send_close_notify();
    stream.flush().ok()
}

/// A sandbox with the certificates as files.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["ca", "other", "client", "server"] {
        let (certificate, key) = pem(name);
        sandbox.file(&format!("{name}.pem"), certificate).file(&format!("{name}.key"), key);
    }
    sandbox.file("own.pem", OWN_AUTHORITY);
    sandbox
}

fn pull(sandbox: &Sandbox, address: &str, flags: &str) -> Ran {
    let line = format!("helm pull web --repo {address} {flags}");
    let home = sandbox.path("home");
    let mut command = sandbox.command(&line.split_whitespace().collect::<Vec<_>>());
    for variable in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
        command.env(variable, &home);
    }
    support::run(&mut command, b"")
}

/// What becomes of a pull with some flags: nothing is wrong, or these words are said.
fn check(address: &str, cases: &[(&str, &str)]) {
    for (flags, words) in cases {
        let sandbox = sandbox();
        let ran = pull(&sandbox, address, flags);
        let is_there = sandbox.path("web-1.2.3.tgz").exists();
        if words.is_empty() {
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{flags}");
        } else {
            assert_eq!(ran.code, Some(1), "{flags}: {ran:?}");
            assert!(ran.stderr.contains(words), "{flags}: {}", ran.stderr);
        }
        assert_eq!(is_there, words.is_empty(), "{flags}");
    }
}

const UNKNOWN: &str = "certificate signed by unknown authority";

#[test]
fn the_authority_that_is_named_is_trusted() {
    let address = serve(pem("server"), Clients::Anyone);
    check(
        &address,
        &[
            ("", UNKNOWN),
            ("--ca-file ca.pem", ""),
            ("--ca-file other.pem", UNKNOWN),
            ("--insecure-skip-tls-verify", ""),
            ("--ca-file none.pem", "none.pem: no such file or directory"),
            ("--ca-file ca.key", "failed to append certificates from pem block"),
        ],
    );
    let sandbox = sandbox();
    let added = sandbox.run(&[
        "helm",
        "repo",
        "add",
        "shop",
        &address,
        "--ca-file",
        "ca.pem",
        "--repository-config",
        "repositories.yaml",
        "--repository-cache",
        "cache",
    ]);
    assert_eq!(added.stdout, "\"shop\" has been added to your repositories\n", "{added:?}");
}

#[test]
fn a_certificate_is_for_the_server_that_shows_it() {
    let address = serve(pem("elsewhere"), Clients::Anyone);
    check(
        &address,
        &[("--ca-file ca.pem", "certificate is not valid for this name"), ("--insecure-skip-tls-verify", "")],
    );
}

#[test]
fn a_certificate_of_ours_is_shown_where_it_is_asked_for() {
    let address = serve(pem("server"), Clients::Known);
    check(
        &address,
        &[
            ("--ca-file ca.pem", "tls"),
            ("--ca-file ca.pem --cert-file client.pem --key-file client.key", ""),
            ("--insecure-skip-tls-verify --cert-file client.pem --key-file client.key", ""),
            (
                "--ca-file ca.pem --cert-file client.pem --key-file server.key",
                "tls: private key does not match public key",
            ),
            ("--ca-file ca.pem --cert-file own.pem --key-file client.pem", "failed to find any PEM data"),
        ],
    );
}

#[test]
fn a_server_that_is_its_own_authority_is_trusted_where_it_is_named() {
    let address = serve((OWN_AUTHORITY, OWN_KEY), Clients::Anyone);
    check(
        &address,
        &[
            ("--ca-file own.pem", ""),
            ("--ca-file ca.pem", "tls: failed to verify certificate"),
            ("", "tls: failed to verify certificate"),
        ],
    );
}
