//! Signatures of charts that are fetched: they are verified before anything is written.

#![cfg(feature = "sign")]

mod support;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use support::{Sandbox, say, serve};
use trueline_cli::World;

const ARCHIVE: &[u8] = include_bytes!("data/signed/signed-0.1.0.tgz");
const SIGNATURE: &[u8] = include_bytes!("data/signed/signed-0.1.0.tgz.prov");
const KEYS: &[u8] = include_bytes!("data/signed/keys.gpg");
const INDEX: &str = "apiVersion: v1\nentries:\n  signed:\n  - {name: signed, version: 0.1.0, apiVersion: v2, urls: [signed-0.1.0.tgz]}\n";
const CHART: &str = "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- {name: signed, version: 0.1.0, repository: 'URL'}\n";

/// A repository; the signature of its chart is this.
fn shop(signature: Option<&'static [u8]>) -> String {
    serve(move |path, stream| match path {
        "/index.yaml" => say(stream, "200 OK", "", INDEX),
        "/signed-0.1.0.tgz" => say(stream, "200 OK", "", ARCHIVE),
        "/signed-0.1.0.tgz.prov" if signature.is_some() => say(stream, "200 OK", "", signature.unwrap()),
        _ => say(stream, "404 Not Found", "", ""),
    })
}

/// Runs a command in a directory, at a time when the key is old enough.
fn ran(directory: &Path, line: &str) -> (u8, String, String) {
    let home = OsString::from(directory.join("home"));
    let environment = ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"];
    let environment: BTreeMap<OsString, OsString> =
        environment.iter().map(|name| (OsString::from(name), home.clone())).collect();
    let (mut world, stdout, stderr) = World::new(directory.to_owned(), environment);
    world.connect();
    world.set_clock(|| UNIX_EPOCH + Duration::from_secs(4_000_000_000));
    let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let code = trueline_cli::helm(&arguments, &mut world);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (code, text(stdout.take()), text(stderr.take()))
}

#[test]
fn an_archive_is_verified_before_it_is_written() {
    let address = shop(Some(SIGNATURE));
    let sandbox = Sandbox::new();
    sandbox.file("keys.gpg", KEYS).file("none.gpg", "");
    let pull = format!("pull signed --repo {address} --verify --keyring");
    let directory = sandbox.path("");
    let (code, _, stderr) = ran(&directory, &format!("{pull} none.gpg"));
    assert_eq!((code, stderr.as_str()), (1, "Error: openpgp: signature made by unknown entity\n"));
    assert!(!sandbox.path("signed-0.1.0.tgz").exists());
    let (code, stdout, stderr) = ran(&directory, &format!("{pull} keys.gpg"));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("Signed by: Chart Signer <signer@example.com>\nUsing Key"), "{stdout}");
    assert!(sandbox.path("signed-0.1.0.tgz").exists() && sandbox.path("signed-0.1.0.tgz.prov").exists());
    let (code, stdout, _) =
        ran(&directory, &format!("template signed --repo {address} --verify --keyring keys.gpg"));
    assert!(code == 0 && stdout.contains("kind: ConfigMap"), "{stdout}");
}

#[test]
fn an_archive_without_a_signature_is_refused() {
    let address = shop(None);
    let sandbox = Sandbox::new();
    sandbox.file("keys.gpg", KEYS).file("c/Chart.yaml", CHART.replace("URL", &address));
    let directory = sandbox.path("");
    let missing = format!("failed to fetch provenance \"{address}/signed-0.1.0.tgz.prov\"");
    let pull = format!("pull signed --repo {address} --verify --keyring keys.gpg");
    assert_eq!(ran(&directory, &pull).2, format!("Error: {missing}\n"));
    let (code, _, stderr) = ran(&directory, "dependency update c --verify --keyring keys.gpg");
    assert!(code == 1 && stderr.contains(&missing), "{stderr}");
    assert!(!sandbox.path("c/charts").exists() && !sandbox.path("signed-0.1.0.tgz").exists());
}

#[test]
fn dependencies_are_verified() {
    let address = shop(Some(SIGNATURE));
    let sandbox = Sandbox::new();
    sandbox.file("keys.gpg", KEYS).file("none.gpg", "").file("c/Chart.yaml", CHART.replace("URL", &address));
    let directory = sandbox.path("");
    let (code, _, stderr) = ran(&directory, "dependency update c --verify --keyring none.gpg");
    assert!(code == 1 && stderr.contains("signature made by unknown entity"), "{stderr}");
    let (code, _, stderr) = ran(&directory, "dependency update c --verify --keyring keys.gpg");
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(sandbox.path("c/charts/signed-0.1.0.tgz").exists());
}
