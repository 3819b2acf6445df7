//! Objects that are there twice.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use trueline_diagnostic::{Diagnostic, Level};
use trueline_kube::manifest::Object as Manifest;
use trueline_source::Span;

use super::codes::SAME_OBJECT;

/// What tells objects of a cluster apart. The version does not: each object can be read in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Identity<'d> {
    group: &'d str,
    kind: &'d str,
    namespace: &'d str,
    name: &'d str,
}

/// An object that has a name.
#[derive(Debug)]
pub(crate) struct Named<'d> {
    identity: Identity<'d>,
    place: Span,
}

impl<'d> Named<'d> {
    /// An object, if it has a name and stays in the cluster. One that names no namespace lands in `namespace`.
    pub(super) fn of(object: &Manifest<'d>, namespace: &str) -> Option<Self> {
        let metadata = object.node.get("metadata")?;
        let name = metadata.get("name")?;
        let is_hook =
            metadata.get("annotations").is_some_and(|annotations| annotations.get("helm.sh/hook").is_some());
        let identity = Identity {
            group: object.group_and_version().0,
            kind: object.kind,
            namespace: if object.namespace == namespace { "" } else { object.namespace },
            name: name.as_str()?,
        };
        (!is_hook).then_some(Named { identity, place: name.span() })
    }
}

/// The objects that appear twice, each reported at its second place.
pub(super) fn twice(objects: &[Named<'_>]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    if objects.len() < 2 {
        return findings;
    }
    let mut first: FxHashMap<Identity<'_>, Span> = FxHashMap::default();
    for object in objects {
        match first.entry(object.identity) {
            Entry::Vacant(entry) => {
                entry.insert(object.place);
            }
            Entry::Occupied(entry) => {
                let Identity { kind, name, namespace, .. } = object.identity;
                let within = if namespace.is_empty() { String::new() } else { format!(" in `{namespace}`") };
                findings.push(
                    Diagnostic::new(
                        &SAME_OBJECT,
                        object.place,
                        format!("there are two objects `{name}` of the kind `{kind}`{within}"),
                    )
                    .label("the second overwrites the first")
                    .related(*entry.get(), "the first is here")
                    .help("give one of them another name, or take one away")
                    .level(Level::Semantic),
                );
            }
        }
    }
    findings
}
