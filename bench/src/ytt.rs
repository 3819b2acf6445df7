//! `trueline ytt` beside ytt: time and memory from the start to the end of the process, for inputs that grow, so a cost
//! that is not linear shows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::check::{beside_this_program, on_path};
use crate::helm::{measure, print};

/// How many documents the inputs render to.
const DOCUMENTS: &[usize] = &[500, 2_000, 8_000];
/// Values that the schema declares with a rule of their own.
const SETTINGS: usize = 50;

/// What kind of input is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Every document is written out, with expressions in it.
    Literal,
    /// One document in a loop over a list of data values.
    Loop,
    /// The same, and an overlay that changes every document.
    Overlay,
    /// The loop with rules for every document that it makes; ytt has none of these, and passes over the annotations.
    Validated,
}

impl Mode {
    const ALL: [Mode; 4] = [Mode::Literal, Mode::Loop, Mode::Overlay, Mode::Validated];

    fn name(self) -> &'static str {
        match self {
            Mode::Literal => "literal",
            Mode::Loop => "loop",
            Mode::Overlay => "overlay",
            Mode::Validated => "validated",
        }
    }
}

/// Compares on documents that are written out, made by a loop, and changed by an overlay.
pub(crate) fn run() {
    println!("# ytt");
    let Some(trueline) = beside_this_program("trueline") else {
        println!("  left out: there is no release build of trueline; run `cargo build --release` first");
        return;
    };
    let ytt = on_path("ytt");
    if ytt.is_none() {
        println!("  ytt is not installed: only our own figures");
    }
    println!(
        "  {:<28} {:>10} {:>10} {:>8}   {:>9} {:>9} {:>8}",
        "rendered", "trueline", "ytt", "times", "trueline", "ytt", "share"
    );
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for mode in Mode::ALL {
        for &documents in DOCUMENTS {
            let flags = write(&folder.path().join(format!("{}-{documents}", mode.name())), mode, documents);
            let line = [vec!["ytt".to_owned()], flags.clone()].concat();
            if let Some(ytt) = &ytt {
                assert!(output(&trueline, &line) == output(ytt, &flags), "{mode:?}: the outputs differ");
            }
            let ours = measure(&trueline, &line, &[0]);
            let theirs = ytt.as_deref().map(|ytt| measure(ytt, &flags, &[0]));
            print(&format!("{}, {documents} documents", mode.name()), &ours, theirs.as_ref());
        }
    }
}

/// What a program prints: only programs that do the same work are compared.
fn output(program: &Path, arguments: &[String]) -> Vec<u8> {
    Command::new(program).args(arguments).output().expect("the program can be started").stdout
}

/// Writes the input, and gives the flags to run it with.
fn write(folder: &Path, mode: Mode, documents: usize) -> Vec<String> {
    fs::create_dir_all(folder).expect("a folder can be made");
    let mut flags = Vec::new();
    let mut add = |flag: &str, name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file can be written");
        flags.extend([flag.to_owned(), path.display().to_string()]);
    };
    add("-f", "schema.yml", schema(mode));
    match mode {
        Mode::Literal => add("-f", "config.yml", literal(documents)),
        Mode::Validated => {}
        Mode::Loop | Mode::Overlay => {
            add("-f", "config.yml", LOOP.to_owned());
            add("--data-values-file", "values.yml", services(documents));
        }
    }
    if mode == Mode::Validated {
        add("-f", "config.yml", LOOP.replace("    port: #@", &format!("{OUTPUT_RULES}    port: #@")));
        add("--data-values-file", "values.yml", services(documents));
    }
    if mode == Mode::Overlay {
        add("-f", "overlay.yml", OVERLAY.to_owned());
    }
    flags
}

/// The schema: some sixty values, nearly all of them with a rule.
fn schema(mode: Mode) -> String {
    let mut text = SCHEMA.to_owned();
    for number in 0..SETTINGS {
        let _ = writeln!(
            text,
            "#@schema/validation (\"setting {number} is in lower case\", lambda v: v == v.lower()), min_len=1"
        );
        let _ = writeln!(text, "setting{number:02}: value{number}");
    }
    if mode != Mode::Literal {
        text.push_str(SERVICES_SCHEMA);
    }
    text
}

fn literal(documents: usize) -> String {
    let mut text = LABELS.to_owned();
    for number in 0..documents {
        let _ = write!(
            text,
            "---
apiVersion: v1
kind: Service
metadata:
  name: #@ data.values.system + \"-svc-{number}\"
  labels: #@ labels(\"svc-{number}\")
spec:
  type: ClusterIP
  setting: #@ data.values.setting{setting:02}
  ports:
  - name: http
    port: #@ data.values.port + {port}
    protocol: TCP
  #@ if/end {number} % 2 == 0:
  extra:
    even: true
    list: [1, 2, 3]
",
            setting = number % SETTINGS,
            port = number % 100,
        );
    }
    text
}

/// The data values of the loop. Some items leave values to the schema's defaults.
fn services(documents: usize) -> String {
    let mut text = String::from("services:\n");
    for number in 0..documents {
        let _ = writeln!(text, "- name: svc-{number}\n  port: {}", 1_000 + number % 5_000);
        if number % 3 == 0 {
            let _ = writeln!(text, "  replicas: {}", number % 7 + 1);
        }
        if number % 5 == 0 {
            text.push_str("  type: NodePort\n");
        }
    }
    text
}

const SCHEMA: &str = r#"#@data/values-schema
---
#@schema/desc "Name of the system"
#@schema/validation min_len=1, max_len=30
system: demo
#@schema/validation one_of=["dev", "staging", "prod"]
env: dev
#@schema/validation min=1, max=65535
port: 8080
#@schema/nullable
#@schema/validation min_len=3
domain: ""
"#;

const SERVICES_SCHEMA: &str = r#"services:
#@schema/validation ("a service with a name", lambda v: len(v["name"]) > 0)
-
  #@schema/validation min_len=1, max_len=40
  name: ""
  #@schema/validation min=1, max=65535
  port: 80
  #@schema/validation one_of=["ClusterIP", "NodePort"]
  type: ClusterIP
  #@schema/nullable
  #@schema/validation min=1
  replicas: 1
"#;

const LABELS: &str = r#"#@ load("@ytt:data", "data")
#@ def labels(name):
app: #@ name
env: #@ data.values.env
#@ end
"#;

const LOOP: &str = r#"#@ load("@ytt:data", "data")
#@ for service in data.values.services:
---
apiVersion: v1
kind: Service
metadata:
  name: #@ service.name
  labels:
    app: #@ service.name
    env: #@ data.values.env
spec:
  type: #@ service.type
  ports:
  - name: http
    port: #@ service.port
  #@ if/end service.replicas:
  replicas: #@ service.replicas
#@ end
"#;

/// Rules for each document of the loop.
const OUTPUT_RULES: &str = r#"    #@assert/validate ("a port for users", lambda v: v >= 1000), max=65535
"#;

const OVERLAY: &str = r#"#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Service"}), expects="1+"
---
metadata:
  #@overlay/match missing_ok=True
  annotations:
    managed-by: demo
spec:
  ports:
  #@overlay/match by="name"
  - name: http
    #@overlay/match missing_ok=True
    protocol: TCP
"#;
