//! Keys that are repeated in a JSON text: the last one counts, and a strict server refuses them all.

use rustc_hash::FxHashMap;
use trueline_source::Span;
use trueline_yaml::{Document, NodeId, NodeRef};

use crate::{FieldPath, Segment};

/// How many are listed, as the server does it.
const MOST: usize = 100;

/// A key that is repeated.
#[derive(Debug)]
pub(super) struct RepeatedKey {
    /// The path of the field.
    pub(super) field: FieldPath,
    /// Where it was typed before.
    pub(super) first: Span,
    /// Where it was typed again.
    pub(super) second: Span,
}

impl RepeatedKey {
    /// The server's words.
    pub(super) fn server_sentence(&self) -> String {
        format!("duplicate field \"{}\"", self.field)
    }
}

/// The repeated keys of a document, in the order of the text.
pub(super) fn repeated_keys(document: &Document) -> Vec<RepeatedKey> {
    if document.duplicates().is_empty() {
        return Vec::new();
    }
    let wanted: FxHashMap<NodeId, NodeId> =
        document.duplicates().iter().map(|duplicate| (duplicate.second, duplicate.first)).collect();
    let mut found = Vec::new();
    walk(document.root(), &mut Vec::new(), &wanted, &mut found);
    found.sort_by_key(|key| key.second.start);
    found.truncate(MOST);
    found
}

fn walk(
    node: NodeRef<'_>,
    path: &mut Vec<Segment>,
    wanted: &FxHashMap<NodeId, NodeId>,
    found: &mut Vec<RepeatedKey>,
) {
    // Each one is a path, which may be long.
    if found.len() >= 10 * MOST {
        return;
    }
    for (key, value) in node.written_entries().into_iter().flatten() {
        path.push(Segment::field(key.key_text()));
        if let Some(first) = wanted.get(&key.id()) {
            let field = FieldPath::new(path.clone());
            found.push(RepeatedKey { field, first: node.document().node(*first).span(), second: key.span() });
        }
        walk(value, path, wanted, found);
        path.pop();
    }
    for (index, item) in node.items().into_iter().flatten().enumerate() {
        path.push(Segment::Index(index));
        walk(item, path, wanted, found);
        path.pop();
    }
}
