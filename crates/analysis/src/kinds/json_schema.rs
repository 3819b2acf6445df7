//! A schema as such: its references are followed, but nothing is validated against it.

use std::sync::Arc;

use trueline_schema::{Access, Network, Store};
use trueline_yaml::NodeRef;

use super::TextUnit;
use crate::unit::{Checked, read};
use crate::walk::{self, Candidate, directory_of};

pub(super) fn is_schema(root: NodeRef<'_>) -> bool {
    root.get("$schema").and_then(NodeRef::as_str).is_some_and(|schema| schema.contains("json-schema.org/"))
}

pub(super) fn check(unit: TextUnit<'_>) -> Checked {
    let network = if unit.mode.offline { Network::Offline } else { Network::Allowed };
    let (root_directory, path) = package(unit.candidate);
    let package = unit.candidate.loader().scoped(root_directory).ok();
    let fetch = unit.settings.fetch_for(unit.mode);
    let root = package.as_ref().and_then(|package| package.root());
    let access = Access { package, root, fetch, network, ..Access::default() };
    let store = Store::new(Arc::clone(unit.sources), access);
    let mut findings = trueline_schema::check_schema(&store, unit.id, Some(path));
    let documents = read(unit.id, &unit.source).documents.into_iter();
    findings.extend(documents.flat_map(|document| document.duplicate_diagnostics()));
    Checked { files: vec![unit.id], objects: vec![Default::default()], ..Checked::found(unit.kind, findings) }
}

/// The package that a schema belongs to, and its path there: the nearest directory with a
/// `schema-dependencies.json`, or else all that is checked.
fn package(candidate: &Candidate) -> (&str, &str) {
    let mut directory = directory_of(&candidate.path);
    loop {
        let mapping = walk::join(directory, "schema-dependencies.json");
        if directory.is_empty() || candidate.loader().entry(&mapping).is_ok() {
            let path = candidate.path.get(directory.len()..).unwrap_or_default().trim_start_matches('/');
            return (directory, path);
        }
        directory = directory_of(directory);
    }
}
