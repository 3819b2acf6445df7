//! `trueline check` on objects of real CRDs that have rules in CEL, beside kubectl-validate and flux-schema: time and memory
//! from the start to the end of the process.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use trueline_kube::KubeVersion;
use trueline_kube::crd;
use trueline_kube::object::Resource;

use crate::check::{beside_this_program, on_path};
use crate::helm::{measure, mebibytes, milliseconds};

/// How many objects are checked.
const OBJECTS: usize = 5_000;
/// For how long rules are evaluated to see how many a second there are.
const EVALUATED_FOR: Duration = Duration::from_millis(500);

/// A real CRD with rules, and objects that a server accepts and evaluates rules on.
struct Definition {
    name: String,
    text: String,
    objects: Vec<String>,
}

/// Compares on objects of real projects, repeated under other names.
pub(crate) fn run() {
    println!("# Checking {OBJECTS} objects of CRDs with rules in CEL");
    let Some(trueline) = beside_this_program("trueline") else {
        println!("  left out: there is no release build of trueline; run `cargo build --release` first");
        return;
    };
    let Some(corpus) = std::env::var_os("TRUELINE_CORPUS") else {
        println!("  left out: TRUELINE_CORPUS is not set, which has the definitions and the objects");
        return;
    };
    let definitions = definitions(&Path::new(&corpus).join("crd"));
    if definitions.is_empty() {
        println!("  left out: the corpus has no objects of definitions with rules");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (crds, objects) = write(folder.path(), &definitions);
    let [crds_path, objects_path] = [&crds, &objects].map(|path| path.display().to_string());
    let of_rules = definitions.iter().map(|definition| definition.objects.len()).sum::<usize>();
    println!("  {} definitions, {of_rules} objects of them, repeated", definitions.len());
    let show = |name: &str, time: Duration, peak: u64| {
        println!("  {name:<28} {:>9.1} ms {:>7.1} MiB", milliseconds(time), mebibytes(peak));
    };
    let arguments = ["check", "--offline", "--crd", &crds_path, &objects_path].map(str::to_owned);
    let ours = measure(&trueline, &arguments, &[0]);
    show("trueline check", ours.time, ours.peak);
    let schemas = folder.path().join("schemas");
    let peers: [(&str, Vec<String>); 2] = [
        (
            "kubectl-validate",
            ["--version", "1.30", "--local-crds", &crds_path, &objects_path].map(str::to_owned).to_vec(),
        ),
        (
            "flux-schema",
            ["validate", &objects_path, "-s", &schemas.display().to_string()].map(str::to_owned).to_vec(),
        ),
    ];
    for (name, arguments) in peers {
        let Some(program) = on_path(name) else {
            println!("  {name} is not installed");
            continue;
        };
        // It reads schemas that it makes of definitions beforehand; that is not measured.
        if name == "flux-schema" && !extract(&program, &crds, &schemas) {
            println!("  {name} makes no schemas of these definitions");
            continue;
        }
        // The server accepts every object. A program that refuses some has done the work all the same.
        let theirs = measure(&program, &arguments, &[0, 1]);
        show(name, theirs.time, theirs.peak);
        println!(
            "  {:<28} {:>9.1} x  {:>7.2} of its memory",
            "",
            theirs.time.as_secs_f64() / ours.time.as_secs_f64(),
            ours.peak as f64 / theirs.peak as f64
        );
    }
    evaluate(&definitions);
}

/// The definitions of the corpus that have rules, the first by name of those that define the same kind.
fn definitions(corpus: &Path) -> Vec<Definition> {
    let text = fs::read_to_string(corpus.join("real_cr_cases.jsonl")).unwrap_or_default();
    let mut known = BTreeSet::new();
    let mut definitions = Vec::new();
    for case in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let objects: Vec<String> =
            case["crs"].as_array().into_iter().flatten().filter_map(accepted).collect();
        let path = corpus.join(case["crd_file"].as_str().unwrap_or_default());
        // Packed ones cannot be read.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Ok(value) = serde_yaml_ng::from_str::<serde_yaml_ng::Value>(&text) else { continue };
        let name = value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        if !objects.is_empty() && known.insert(name.clone()) {
            definitions.push(Definition { name, text, objects });
        }
    }
    definitions
}

/// The text of a recorded object, if the server accepts it and evaluated rules on it.
fn accepted(object: &Value) -> Option<String> {
    let expect = &object["expect"];
    let is_strict = expect["strict_errors"].as_array().is_none_or(Vec::is_empty);
    let meets_rules = expect["cel_cost"].as_u64().is_some_and(|cost| cost > 0);
    let is_good = object["op"] == "create" && expect["accepted"] == true && is_strict && meets_rules;
    object["yaml"].as_str().filter(|_| is_good).map(str::to_owned)
}

/// Writes definitions and objects, each object under a name of its own, and gives the two folders.
fn write(folder: &Path, definitions: &[Definition]) -> (PathBuf, PathBuf) {
    let (crds, objects) = (folder.join("crds"), folder.join("objects"));
    for folder in [&crds, &objects] {
        fs::create_dir_all(folder).expect("a folder can be made");
    }
    for definition in definitions {
        let path = crds.join(format!("{}.yaml", definition.name));
        fs::write(path, &definition.text).expect("a file can be written");
    }
    let all: Vec<serde_yaml_ng::Value> = definitions
        .iter()
        .flat_map(|definition| &definition.objects)
        .filter_map(|text| serde_yaml_ng::from_str(text).ok())
        .collect();
    for (number, object) in all.iter().cycle().take(OBJECTS).enumerate() {
        let mut object = object.clone();
        object["metadata"]["name"] = format!("object-{number}").into();
        // As JSON, because the writer of YAML 1.2 leaves strings without quotes that are booleans in YAML 1.1.
        let text = serde_json::to_string(&object).expect("an object can be written");
        fs::write(objects.join(format!("{number}.yaml")), text).expect("a file can be written");
    }
    (crds, objects)
}

/// Has flux-schema make schemas of definitions.
fn extract(program: &Path, crds: &Path, schemas: &Path) -> bool {
    let files =
        fs::read_dir(crds).expect("a folder can be read").filter_map(|entry| Some(entry.ok()?.path()));
    let status = Command::new(program)
        .args(["extract", "crd"])
        .args(files)
        .arg("-d")
        .arg(schemas)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Reviews the objects in memory, one after the other, and prints how many rules a second that is.
fn evaluate(definitions: &[Definition]) {
    let mut reviewed = Vec::new();
    for definition in definitions {
        let Some(resource) = resource(&definition.text) else { continue };
        let values: Vec<_> = definition
            .objects
            .iter()
            .filter_map(|text| Some((trueline_yaml::yaml_to_value(text).ok()?, text)))
            .collect();
        reviewed.push((resource, values));
    }
    let (mut rules, mut objects) = (0, 0);
    let started = Instant::now();
    while started.elapsed() < EVALUATED_FOR {
        for (resource, values) in &reviewed {
            for (value, text) in values {
                let Ok(decoded) = resource.decode(value, text) else { continue };
                rules += resource.create(&decoded).rules;
                objects += 1;
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "  in memory, one core: {:.0} objects and {:.0} rules a second, with decoding, defaults and schemas",
        objects as f64 / seconds,
        rules as f64 / seconds
    );
}

fn resource(text: &str) -> Option<Resource> {
    let value = trueline_yaml::yaml_to_value(text).ok()?;
    Resource::new(&crd::decode(&value).ok()?.crd, KubeVersion::CRD_RULES).ok()
}
