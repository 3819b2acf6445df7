//! What objects are updates of.

use std::collections::BTreeMap;

use trueline_kube::manifest;
use trueline_source::{LoadError, SourceMap};
use trueline_yaml::{Document, NodeId};

use super::head::Head;
use crate::input::Input;
use crate::{unit, walk};

/// The objects that a cluster holds already, as a file or a directory has them.
#[derive(Debug, Default)]
pub struct OldObjects {
    documents: Vec<Document>,
    /// The document of an object, and its place in there.
    known: BTreeMap<[String; 4], (usize, NodeId)>,
}

impl OldObjects {
    /// Reads the objects of a file or directory. What is no object is not looked at.
    pub fn read(input: &Input, sources: &SourceMap) -> Result<Self, LoadError> {
        let found = walk::walk(&input.loader, &input.path);
        if let Some(error) = found.errors.into_iter().next() {
            return Err(error);
        }
        let mut old = OldObjects::default();
        for candidate in found.candidates.iter().filter(|candidate| candidate.kind.is_none()) {
            let bytes = candidate.read()?;
            let (id, _) = sources.add_file(candidate.name.as_str(), bytes);
            let stream = unit::read(id, &sources.get(id));
            for document in stream.documents {
                for object in manifest::objects(document.root()) {
                    if let Some(head) = Head::of(&object) {
                        old.known.insert(key(&head), (old.documents.len(), object.node.id()));
                    }
                }
                old.documents.push(document);
            }
        }
        Ok(old)
    }

    /// What an object is an update of.
    pub(super) fn of(&self, head: &Head) -> Option<manifest::Object<'_>> {
        let (document, node) = self.known.get(&key(head))?;
        let node = self.documents.get(*document)?.node(*node);
        Some(manifest::Object::new(node))
    }
}

/// What tells objects apart; an object without a namespace lands in `default`, or has none.
fn key(head: &Head) -> [String; 4] {
    let namespace = head.namespace.as_deref().filter(|namespace| *namespace != "default").unwrap_or_default();
    let name = head.name.as_deref().unwrap_or_default();
    [head.of.group.as_str(), &head.of.kind, namespace, name].map(str::to_owned)
}
