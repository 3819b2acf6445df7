//! Objects that are there twice.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::Span;

use super::codes::SAME_OBJECT;
use super::head::Head;

/// What tells objects of a cluster apart. The version does not: each object can be read in all of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    group: String,
    kind: String,
    namespace: Option<String>,
    name: String,
}

/// An object that has a name.
#[derive(Debug)]
pub(crate) struct Object {
    identity: Identity,
    place: Span,
}

impl Object {
    /// The object that a head belongs to, if it has a name and stays in the cluster.
    pub(super) fn of(head: &Head) -> Option<Self> {
        let (name, place) = (head.name.clone()?, head.name_place?);
        let identity = Identity {
            group: head.of.group.clone(),
            kind: head.of.kind.clone(),
            namespace: head.namespace.clone(),
            name,
        };
        (!head.is_hook).then_some(Object { identity, place })
    }
}

/// The objects that are there twice, each told at its second place.
pub(super) fn twice(objects: &[Object]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<&Identity, Span> = BTreeMap::new();
    let mut findings = Vec::new();
    for object in objects {
        match first.entry(&object.identity) {
            Entry::Vacant(entry) => {
                entry.insert(object.place);
            }
            Entry::Occupied(entry) => {
                let Identity { kind, name, namespace, .. } = &object.identity;
                let within = namespace.as_ref().map(|it| format!(" in `{it}`")).unwrap_or_default();
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
