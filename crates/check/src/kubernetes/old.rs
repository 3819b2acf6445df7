//! What objects are updates of.

use std::collections::BTreeMap;

use trueline_source::{LoadError, SourceMap};
use trueline_yaml::Value;

use super::head::Head;
use crate::input::Input;
use crate::{unit, walk};

/// The objects that a cluster holds already, as a file or a directory has them.
#[derive(Debug, Default)]
pub struct OldObjects {
    known: BTreeMap<[String; 4], Value>,
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
            for root in stream.documents.iter().map(trueline_yaml::Document::root) {
                for object in trueline_kube::manifest::objects(root) {
                    if let Some(head) = Head::of(&object) {
                        old.known.insert(key(&head), Value::from_node(object.node));
                    }
                }
            }
        }
        Ok(old)
    }

    /// What an object is an update of.
    pub(super) fn of(&self, head: &Head) -> Option<&Value> {
        self.known.get(&key(head))
    }
}

/// What tells objects apart; an object without a namespace lands in `default`, or has none.
fn key(head: &Head) -> [String; 4] {
    let namespace = head.namespace.as_deref().filter(|namespace| *namespace != "default").unwrap_or_default();
    let name = head.name.as_deref().unwrap_or_default();
    [head.of.group.as_str(), &head.of.kind, namespace, name].map(str::to_owned)
}
