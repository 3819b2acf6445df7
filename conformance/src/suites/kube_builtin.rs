//! Objects of built-in kinds: the verdict of a live API server (1.35, strict) on each document.
//!
//! A case is one document. It fails when the server takes what we refuse (a wrong reject) or refuses what we take (a
//! wrong accept). What the server had no word on is not counted. Answers that depend on the cluster, such as a namespace
//! that is not there, are in the list of expected failures.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;
use trueline_kube::KubeVersion;
use trueline_kube::cluster::{Cluster, Outcome, Request};
use trueline_kube::manifest::objects;
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{Document, ReadOptions};

use crate::Case;

static DOCUMENTS: AtomicUsize = AtomicUsize::new(0);
static WRONG_ACCEPTS: AtomicUsize = AtomicUsize::new(0);
static WRONG_REJECTS: AtomicUsize = AtomicUsize::new(0);

/// Every document that the server judged.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let path = folder.join("builtin_cases.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut cases = Vec::new();
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let id = case["id"].as_str().unwrap_or_default().to_owned();
        let yaml: Arc<str> = case["yaml"].as_str().unwrap_or_default().into();
        for (index, answer) in case["expect"]["apiserver"].as_array().into_iter().flatten().enumerate() {
            let is_accepted = match answer["verdict"].as_str() {
                Some("accepted") => true,
                Some("rejected") => false,
                _ => continue,
            };
            let name = if index == 0 { id.clone() } else { format!("{id}:{index}") };
            let words = answer["message"].as_str().unwrap_or_default().to_owned();
            let yaml = Arc::clone(&yaml);
            cases.push(Case::new(name, move || compare(&yaml, index, is_accepted, &words)));
        }
    }
    Ok(cases)
}

/// How many documents were compared, and what went wrong.
pub(crate) fn summary() -> String {
    let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    format!(
        "{} documents, {} wrong accepts, {} wrong rejects",
        count(&DOCUMENTS),
        count(&WRONG_ACCEPTS),
        count(&WRONG_REJECTS)
    )
}

fn compare(yaml: &Arc<str>, index: usize, is_accepted: bool, words: &str) -> Result<(), String> {
    let sources = SourceMap::new();
    let source = sources.add("object.yaml", SourceKind::File, Arc::clone(yaml));
    let stored = sources.get(source);
    let stream = trueline_yaml::read(source, stored.text(), &ReadOptions::default());
    DOCUMENTS.fetch_add(1, Ordering::Relaxed);
    let document = stream.documents.get(index).ok_or("the document cannot be read")?;
    let errors = errors(document)?;
    match (is_accepted, errors.is_empty()) {
        (true, false) => {
            WRONG_REJECTS.fetch_add(1, Ordering::Relaxed);
            Err(format!("wrong reject: {}", errors.join("; ")))
        }
        (false, true) => {
            WRONG_ACCEPTS.fetch_add(1, Ordering::Relaxed);
            Err(format!("wrong accept: {words}"))
        }
        _ => Ok(()),
    }
}

/// What we refuse, in our words: the strict reader's errors are among them.
fn errors(document: &Document) -> Result<Vec<String>, String> {
    static CLUSTER: LazyLock<Cluster> = LazyLock::new(|| Cluster::new(KubeVersion { minor: 35 }));
    let mut errors: Vec<String> =
        document.duplicates().iter().map(|_| "a key that is repeated".to_owned()).collect();
    for object in objects(document.root()) {
        let review = CLUSTER.review(Request::create(object));
        match review.outcome() {
            Outcome::Reviewed => {
                let findings = review.errors().map(|issue| issue.diagnostic(object.node.span()));
                errors.extend(findings.map(|finding| format!("{} {}", finding.code, finding.message)));
            }
            reason => return Err(format!("skipped: {reason:?}")),
        }
    }
    Ok(errors)
}
