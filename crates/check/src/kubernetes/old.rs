//! What objects are updates of.

use std::collections::BTreeMap;

use trueline_kube::manifest;
use trueline_source::{LoadError, SourceMap};
use trueline_yaml::{Document, NodeId};

use super::head::Head;
use super::reading::each_file;
use crate::input::Input;

/// The objects that a cluster holds already, as a file or a directory has them.
#[derive(Debug, Default)]
pub struct OldObjects {
    documents: Vec<Document>,
    known: BTreeMap<[String; 4], Stored>,
}

/// An object, and what it is: an item of a list need not say it itself.
#[derive(Debug)]
struct Stored {
    document: usize,
    node: NodeId,
    api_version: String,
    kind: String,
    names_namespace: bool,
}

impl OldObjects {
    /// Reads the objects of a file or directory. What is no object is not looked at.
    pub fn read(input: &Input, sources: &SourceMap) -> Result<Self, LoadError> {
        let mut old = OldObjects::default();
        let errors = each_file(input, sources, |stream| {
            for document in stream.documents {
                for object in manifest::objects(document.root()) {
                    if let Some(head) = Head::of(&object) {
                        let (api_version, kind) = (object.api_version.to_owned(), object.kind.to_owned());
                        let (document, node) = (old.documents.len(), object.node.id());
                        let names_namespace = head.namespace.is_some();
                        old.known.insert(
                            key(&head),
                            Stored { document, node, api_version, kind, names_namespace },
                        );
                    }
                }
                old.documents.push(document);
            }
        });
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(old),
        }
    }

    /// What an object is an update of. One that names no namespace lands in that of its release, or in the one that
    /// kubectl is set to: the only object of its name is meant, wherever it is.
    pub(super) fn of(&self, head: &Head) -> Option<manifest::Object<'_>> {
        let stored = self.known.get(&key(head)).or_else(|| self.only(head))?;
        let node = self.documents.get(stored.document)?.node(stored.node);
        let (api_version, kind) = (stored.api_version.as_str(), stored.kind.as_str());
        Some(manifest::Object { api_version, kind, ..manifest::Object::new(node) })
    }

    /// The only object of a kind and name, if the one that is looked for or the one that is known names no namespace.
    fn only(&self, head: &Head) -> Option<&Stored> {
        let [group, kind, _, name] = key(head);
        let first = [group.clone(), kind.clone(), String::new(), String::new()];
        let same_kind =
            self.known.range(first..).take_while(|([of, known, ..], _)| (of, known) == (&group, &kind));
        let mut same_name = same_kind.filter(|([.., known], _)| *known == name);
        let (_, stored) = same_name.next()?;
        let is_open = head.namespace.is_none() || !stored.names_namespace;
        (is_open && same_name.next().is_none()).then_some(stored)
    }
}

/// What tells objects apart; an object without a namespace lands in `default`, or has none.
fn key(head: &Head) -> [String; 4] {
    let namespace = head.namespace.as_deref().filter(|namespace| *namespace != "default").unwrap_or_default();
    let name = head.name.as_deref().unwrap_or_default();
    [head.of.group.as_str(), &head.of.kind, namespace, name].map(str::to_owned)
}
