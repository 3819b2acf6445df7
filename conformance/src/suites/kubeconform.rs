//! What `trueline kubeconform` says of built-in manifests with the embedded API, against what kubeconform said with
//! schemas made from the same API.
//!
//! The order of broken rules, and of names inside one, is random in kubeconform: both are compared as sets. Two
//! differences are wanted, and left out by rule:
//! - kubeconform's schemas refuse null for optional fields of objects that have required ones, and for quantities;
//!   the API server takes null for absent, and so do we;
//! - they have none for CustomResourceDefinition, because it refers to itself; ours do.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use trueline_cli::World;

use crate::Case;

/// A case for each manifest and each strictness.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let path = folder.join("builtin_cases.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut cases = Vec::new();
    for line in text.lines() {
        let case: Json =
            serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()))?;
        let id = case["id"].as_str().unwrap_or_default().to_owned();
        let yaml = case["yaml"].as_str().unwrap_or_default().to_owned();
        for (group, expected, strict) in
            [("lenient", "kubeconform", None), ("strict", "kubeconform_strict", Some("-strict"))]
        {
            let expected = results(&case["expect"][expected], ["status", "errors"]);
            let yaml = yaml.clone();
            cases.push(Case::new(format!("{group}/{id}"), move || check(&yaml, strict, &expected)));
        }
    }
    Ok(cases)
}

/// What became of one document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    kind: String,
    name: String,
    status: String,
    /// The words before what the rules say.
    start: String,
    /// What the rules say, in order.
    parts: Vec<String>,
    /// Paths and words of the first level, in order.
    causes: Vec<(String, String)>,
}

fn results(list: &Json, [status, errors]: [&str; 2]) -> Vec<Outcome> {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let outcome = |result: &Json| {
        let message = text(&result["msg"]);
        let mut pieces = message.split("- at ");
        let start = pieces.next().unwrap_or_default().trim().to_owned();
        let mut parts: Vec<String> = pieces.map(sorted_names).collect();
        parts.sort();
        let causes = result[errors].as_array().into_iter().flatten();
        let mut causes: Vec<(String, String)> =
            causes.map(|cause| (text(&cause["path"]), sorted_names(&text(&cause["msg"])))).collect();
        causes.sort();
        let status = text(&result[status]).trim_start_matches("status").to_lowercase();
        let status = if status.is_empty() { "empty".to_owned() } else { status };
        Outcome { kind: text(&result["kind"]), name: text(&result["name"]), status, start, parts, causes }
    };
    let mut outcomes: Vec<Outcome> = list.as_array().into_iter().flatten().map(outcome).collect();
    outcomes.sort();
    outcomes
}

/// What a rule says, with the names that it gives in order.
fn sorted_names(words: &str) -> String {
    let words = words.trim();
    let list = ["missing properties ", "additional properties "].iter().find_map(|start| {
        let (before, names) = words.split_once(start)?;
        let (names, after) =
            names.strip_suffix(" not allowed").map_or((names, ""), |names| (names, " not allowed"));
        let mut names: Vec<&str> = names.split(", ").collect();
        names.sort_unstable();
        Some(format!("{before}{start}{}{after}", names.join(", ")))
    });
    list.unwrap_or_else(|| words.to_owned())
}

fn check(yaml: &str, strict: Option<&'static str>, expected: &[Outcome]) -> Result<(), String> {
    let directory = tempfile::TempDir::new().map_err(|error| error.to_string())?;
    fs::write(directory.path().join("case.yaml"), yaml).map_err(|error| error.to_string())?;
    let (mut world, stdout, stderr) = World::new(directory.path().to_owned(), BTreeMap::new());
    let flags = ["-output", "json", "-verbose", "-kubernetes-version", "1.35.0"].into_iter().chain(strict);
    let arguments: Vec<_> = flags.chain(["case.yaml"]).map(Into::into).collect();
    trueline_cli::kubeconform(&arguments, &mut world);
    let printed = stdout.take();
    let document: Json = serde_json::from_slice(&printed)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&stderr.take())))?;
    let found = results(&document["resources"], ["status", "validationErrors"]);
    if found.len() != expected.len() {
        return Err(format!("{} documents instead of {}", found.len(), expected.len()));
    }
    for (found, expected) in found.iter().zip(expected) {
        let is_extra = |part: &&String| !expected.parts.contains(part);
        let agree = without_artefacts(found) == without_artefacts(expected)
            && !found.parts.iter().any(|part| is_extra(&part));
        if !agree && !is_better(expected) {
            return Err(format!("found\n{found:#?}\nexpected\n{expected:#?}"));
        }
    }
    Ok(())
}

/// Whether kubeconform had no schema for what it was given, and we have one.
fn is_better(expected: &Outcome) -> bool {
    expected.start == "could not find schema for CustomResourceDefinition"
}

/// What was said, without what is said against null.
fn without_artefacts(told: &Outcome) -> Outcome {
    let is_artefact =
        |words: &str| words.contains("got null, want ") || words.contains("subschemas 0, 1 matched");
    let mut outcome = told.clone();
    outcome.parts.retain(|part| !is_artefact(part));
    outcome.causes.retain(|(_, words)| !is_artefact(words));
    if outcome.parts.is_empty() && !told.parts.is_empty() {
        outcome.status = "valid".to_owned();
        outcome.start = String::new();
    }
    outcome
}
