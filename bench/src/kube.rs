//! `trueline check` on many manifests beside kubeconform and kubectl-validate: time and memory from the start to the
//! end of the process.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use trueline_kube::api::{Api, KindSchema, UnknownFields};

use crate::check::{beside_this_program, on_path};
use crate::helm::{measure, mebibytes, milliseconds};

/// How many manifests are checked.
const MANIFESTS: usize = 5_000;
/// How many definitions (CRDs) are checked.
const DEFINITIONS: usize = 300;

/// Compares on manifests that the generator of the corpus writes, without faults.
pub(crate) fn run() {
    println!("# Checking {MANIFESTS} Kubernetes manifests");
    let Some(trueline) = beside_this_program("trueline") else {
        println!("  left out: there is no release build of trueline; run `cargo build --release` first");
        return;
    };
    let Some(corpus) = std::env::var_os("TRUELINE_CORPUS") else {
        println!("  left out: TRUELINE_CORPUS is not set, which has the generator of manifests");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let manifests = folder.path().join("manifests");
    let made = Command::new("python3")
        .arg(Path::new(&corpus).join("crd/gen_manifests.py"))
        .arg(&manifests)
        .args(["--count", &MANIFESTS.to_string(), "--bad", "0"])
        .stdout(std::process::Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("  left out: the generator of manifests needs python3");
        return;
    }
    let manifests = manifests.display().to_string();
    let schemas = folder.path().join("schemas");
    let version = write_schemas(&schemas);
    let ours = measure(&trueline, &["check".into(), "--offline".into(), manifests.clone()], &[0]);
    let show = |name: &str, time: f64, peak: f64| println!("  {name:<28} {time:>9.1} ms {peak:>7.1} MiB");
    show("trueline check", milliseconds(ours.time), mebibytes(ours.peak));
    let location = schemas.display().to_string();
    definitions(&trueline, &Path::new(&corpus).join("crd/real"), folder.path());
    let peers: [(&str, Vec<String>); 2] = [
        (
            "kubeconform",
            [
                "-strict",
                "-n",
                "4",
                "-kubernetes-version",
                &version,
                "-schema-location",
                &location,
                &manifests,
            ]
            .map(str::to_owned)
            .to_vec(),
        ),
        ("kubectl-validate", vec!["--version".into(), "1.30".into(), manifests.clone()]),
    ];
    for (name, arguments) in peers {
        let Some(program) = on_path(name) else {
            println!("  {name} is not installed");
            continue;
        };
        let theirs = measure(&program, &arguments, &[0]);
        show(name, milliseconds(theirs.time), mebibytes(theirs.peak));
        println!(
            "  {:<28} {:>9.1} x  {:>7.2} of its memory",
            "",
            theirs.time.as_secs_f64() / ours.time.as_secs_f64(),
            ours.peak as f64 / theirs.peak as f64
        );
    }
}

/// Checks definitions of real projects, the first by name. No other program checks them without a server.
fn definitions(trueline: &Path, real: &Path, folder: &Path) {
    let Ok(entries) = fs::read_dir(real) else {
        println!("  the corpus has no definitions");
        return;
    };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let chosen = folder.join("definitions");
    fs::create_dir_all(&chosen).expect("a folder can be made");
    for file in files.iter().take(DEFINITIONS) {
        let name = file.file_name().expect("a file has a name");
        fs::copy(file, chosen.join(name)).expect("a file can be copied");
    }
    let arguments = ["check", "--offline", &chosen.display().to_string()].map(str::to_owned);
    let ours = measure(trueline, &arguments, &[0, 1]);
    let name = format!("trueline check, {DEFINITIONS} CRDs");
    println!("  {name:<28} {:>9.1} ms {:>7.1} MiB", milliseconds(ours.time), mebibytes(ours.peak));
}

/// Writes the schemas of all kinds as kubeconform looks for them and as its registry has them: each with all that it
/// refers to written out in its place. Gives the version that they are of.
fn write_schemas(folder: &Path) -> String {
    let api = Api::newest().expect("there is a version");
    let version = format!("{}.0", api.version());
    let folder = folder.join(format!("v{version}-standalone-strict"));
    fs::create_dir_all(&folder).expect("a folder can be made");
    for kind in api.kinds() {
        let api_version = match kind.group {
            "" => kind.version.to_owned(),
            group => format!("{group}/{}", kind.version),
        };
        let Some(schema) = KindSchema::find(api, &api_version, kind.kind) else { continue };
        let group = kind.group.split('.').next().unwrap_or_default();
        let suffix = if group.is_empty() { String::new() } else { format!("{group}-") };
        let name = format!("{}-{suffix}{}.json", kind.kind.to_lowercase(), kind.version);
        let text = schema.json_schema(UnknownFields::Refused);
        let schema = serde_json::from_str(&text).expect("a schema is JSON");
        if let Some(schema) = standalone(schema) {
            fs::write(folder.join(name), schema.to_string()).expect("a file can be written");
        }
    }
    version
}

/// A schema without references; none if it refers to itself, as the registry has none of these.
fn standalone(mut schema: Value) -> Option<Value> {
    let definitions = schema.as_object_mut()?.remove("definitions")?;
    written_out(&schema, &definitions, &mut Vec::new())
}

fn written_out<'d>(value: &'d Value, definitions: &'d Value, inside: &mut Vec<&'d str>) -> Option<Value> {
    match value {
        Value::Object(members) => match members.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let name = reference.strip_prefix("#/definitions/")?;
                if inside.contains(&name) {
                    return None;
                }
                inside.push(name);
                let target = written_out(definitions.get(name)?, definitions, inside);
                inside.pop();
                target
            }
            None => members
                .iter()
                .map(|(name, value)| Some((name.clone(), written_out(value, definitions, inside)?)))
                .collect::<Option<_>>()
                .map(Value::Object),
        },
        Value::Array(items) => items
            .iter()
            .map(|item| written_out(item, definitions, inside))
            .collect::<Option<_>>()
            .map(Value::Array),
        _ => Some(value.clone()),
    }
}
