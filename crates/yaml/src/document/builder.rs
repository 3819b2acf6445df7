//! Builds a document: children before their parents, and the last of duplicate keys counts.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxBuildHasher, FxHashMap};
use trueline_source::{SourceId, Span};

use super::{
    Comment, Document, Duplicate, Entry, KeyIdentity, NodeData, NodeId, NodeKind, NodeRef, Properties,
    ScalarStyle, ScalarValue, Text,
};

/// Up to how many keys are compared one by one.
const FEW: usize = 8;

/// Builds a [`Document`], children before their parents. Used by the readers.
#[derive(Debug)]
pub struct Builder {
    document: Document,
}

impl Builder {
    /// An empty document of a source.
    pub fn new(source: SourceId, text: Arc<str>) -> Self {
        Builder {
            document: Document {
                source,
                text,
                decoded: String::new(),
                nodes: Vec::new(),
                properties: Vec::new(),
                items: Vec::new(),
                entries: Vec::new(),
                root: NodeId(0),
                comments: Vec::new(),
                duplicates: Vec::new(),
                reread_keys: Vec::new(),
                marks: FxHashMap::default(),
                wide: OnceLock::new(),
            },
        }
    }

    /// How many nodes there are so far.
    pub(crate) fn count(&self) -> usize {
        self.document.nodes.len()
    }

    /// Reserves room for this many nodes.
    pub(crate) fn reserve(&mut self, nodes: usize) {
        self.document.nodes.reserve(nodes);
        self.document.entries.reserve(nodes / 2);
    }

    /// A node added so far.
    #[inline]
    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        self.document.node(id)
    }

    /// Stores a string that is not in the source verbatim.
    pub fn decoded(&mut self, text: &str) -> Text {
        let start = self.document.decoded.len() as u32;
        self.document.decoded.push_str(text);
        Text::decoded(start, self.document.decoded.len() as u32)
    }

    /// Swaps the buffer of strings that are not in the source verbatim, so a reader can fill it itself.
    pub(crate) fn swap_decoded(&mut self, buffer: &mut String) {
        std::mem::swap(&mut self.document.decoded, buffer);
    }

    /// Adds a scalar.
    #[inline]
    pub fn scalar(&mut self, text: Text, value: ScalarValue, style: ScalarStyle, span: Span) -> NodeId {
        self.push(NodeKind::Scalar { text, value, style }, span)
    }

    /// Records the line where go-yaml places an omitted node.
    pub(crate) fn mark(&mut self, node: NodeId, line: u32) {
        self.document.marks.insert(node, line);
    }

    /// Records a key that differs from the typed text.
    pub(crate) fn note_reread(&mut self, key: NodeId) {
        self.document.reread_keys.push(key);
    }

    /// Adds a list of nodes added before.
    pub fn sequence(&mut self, items: &[NodeId], span: Span) -> NodeId {
        let start = self.document.items.len() as u32;
        self.document.items.extend_from_slice(items);
        let end = self.document.items.len() as u32;
        self.push(NodeKind::Sequence { start, end }, span)
    }

    /// Adds a map of nodes added before; duplicate keys are recorded, and the last of them counts.
    ///
    /// `effective` are the effective entries if they differ from the written ones, as with merge keys; no two
    /// of them have the same key.
    pub fn mapping(&mut self, written: &[Entry], effective: Option<&[Entry]>, span: Span) -> NodeId {
        let start = self.document.entries.len() as u32;
        self.document.entries.extend_from_slice(written);
        let end = self.document.entries.len() as u32;
        let counting = self.without_duplicates(written);
        let (effective_start, effective_end) = match effective.or(counting.as_deref()) {
            None => (start, end),
            Some(entries) => {
                let effective_start = self.document.entries.len() as u32;
                self.document.entries.extend_from_slice(entries);
                (effective_start, self.document.entries.len() as u32)
            }
        };
        self.push(NodeKind::Mapping { start, end, effective_start, effective_end }, span)
    }

    /// Adds a reference to a node added before.
    pub fn alias(&mut self, target: NodeId, span: Span) -> NodeId {
        let target = match self.document.nodes[target.index()].kind() {
            NodeKind::Alias(further) => further,
            _ => target,
        };
        self.push(NodeKind::Alias(target), span)
    }

    /// Gives a node its tag and anchor.
    pub fn properties(&mut self, node: NodeId, tag: Option<String>, anchor: Option<String>, span: Span) {
        let index = self.document.properties.len() as u32;
        self.document.properties.push(Properties { tag, anchor, span: Some(span) });
        self.document.nodes[node.index()].properties = index;
    }

    /// Adds a comment.
    pub fn comment(&mut self, comment: Comment) {
        self.document.comments.push(comment);
    }

    /// The finished document.
    pub fn finish(mut self, root: NodeId) -> Document {
        self.document.root = root;
        // Keys may have been looked up while there were fewer maps.
        self.document.wide = OnceLock::new();
        self.document.duplicates.sort_by_key(|duplicate| self.document.nodes[duplicate.second.index()].start);
        self.document
    }

    #[inline]
    fn push(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let id = NodeId(self.document.nodes.len() as u32);
        let mut data = NodeData::new(kind, span);
        data.note_beginning(self.document.text.as_bytes());
        self.document.nodes.push(data);
        id
    }

    /// Records duplicate keys; returns the entries without the earlier ones, if there are any.
    fn without_duplicates(&mut self, entries: &[Entry]) -> Option<Vec<Entry>> {
        let mut found: Vec<(usize, Duplicate)> = Vec::new();
        let is_merge = |entry: &Entry| self.document.node(entry.key).is_merge_key();
        if entries.len() <= FEW {
            // Comparing a few keys with each other costs less than hashing them.
            for (index, entry) in entries.iter().enumerate() {
                let is_same = |earlier: &Entry| self.document.is_same_key(earlier.key, entry.key);
                if let Some(earlier) = entries[..index].iter().rposition(is_same)
                    && !is_merge(entry)
                    && !is_merge(&entries[earlier])
                {
                    found.push((earlier, Duplicate { first: entries[earlier].key, second: entry.key }));
                }
            }
        } else {
            let mut seen = FxHashMap::with_capacity_and_hasher(entries.len(), FxBuildHasher);
            for (index, entry) in entries.iter().enumerate() {
                let identity = KeyIdentity::of(self.document.node(entry.key));
                let may_merge = identity == KeyIdentity::Text(Cow::Borrowed("<<"));
                if !(may_merge && is_merge(entry))
                    && let Some(earlier) = seen.insert(identity, index)
                {
                    let first: &Entry = &entries[earlier];
                    found.push((earlier, Duplicate { first: first.key, second: entry.key }));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        self.document.duplicates.extend(found.iter().map(|(_, duplicate)| *duplicate));
        let mut dropped = vec![false; entries.len()];
        for (index, _) in found {
            dropped[index] = true;
        }
        Some(entries.iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(entry, _)| *entry).collect())
    }
}
