//! The nodes of a template by their tags: numbers from 1 in reading order, which programs and some messages show.

use std::rc::Rc;

use crate::tree::{Meta, Position, Presence, Value};
use crate::value::Measure;

/// What kind of node a tag stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeKind {
    DocumentSet,
    Document(Presence),
    Map,
    MapItem,
    Array,
    ArrayItem,
    TextRoot,
    Text,
}

impl NodeKind {
    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            NodeKind::DocumentSet => "document set",
            NodeKind::Document(_) => "document",
            NodeKind::Map => "map",
            NodeKind::MapItem => "map item",
            NodeKind::Array => "array",
            NodeKind::ArrayItem => "array item",
            NodeKind::TextRoot | NodeKind::Text => "text",
        }
    }
}

/// How much of a node is known before the template runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fixed {
    /// All that it holds: starting the node adds it.
    Whole,
    /// What it holds is started node by node.
    Open,
}

/// What a node starts from.
#[derive(Debug)]
pub(crate) struct Prototype {
    pub(crate) kind: NodeKind,
    pub(crate) fixed: Fixed,
    /// Of a map item.
    pub(crate) key: Value,
    /// All that a fixed node holds.
    pub(crate) value: Value,
    /// How large the value is.
    pub(crate) measure: Measure,
    /// How many items a collection has in the template.
    pub(crate) items: usize,
    pub(crate) meta: Meta,
}

impl Prototype {
    pub(crate) fn new(kind: NodeKind, meta: Meta) -> Prototype {
        let (key, value) = (Value::Null, Value::Null);
        Prototype { kind, fixed: Fixed::Open, key, value, measure: Measure::default(), items: 0, meta }
    }
}

/// The number of a node that programs and messages show. Those of ytt are used.
pub(crate) type Tag = u32;

/// Where a node is in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// The parent of nodes that have none.
pub(crate) const ROOT: NodeId = NodeId(u32::MAX);

#[derive(Debug)]
struct Entry {
    tag: Tag,
    parent: NodeId,
    /// The first node after those below this one.
    end: u32,
    /// How many nodes are started by the instruction that starts this one.
    run: u32,
    prototype: Prototype,
}

/// All nodes of a template. Tags of nodes inside of a fixed one are counted but not kept.
#[derive(Debug)]
pub(crate) struct NodeTable {
    /// In the order of tags.
    entries: Vec<Entry>,
    next: Tag,
    /// Where annotations are, in the order of nodes; of several with one name, the last.
    annotations: Vec<(NodeId, Rc<str>, Position)>,
}

impl NodeTable {
    pub(crate) fn new() -> NodeTable {
        NodeTable { entries: Vec::new(), next: 1, annotations: Vec::new() }
    }

    /// Adds a node; its tag is the next number.
    pub(crate) fn add(&mut self, parent: NodeId, prototype: Prototype) -> NodeId {
        let id = self.entries.len() as u32;
        self.entries.push(Entry { tag: self.next, parent, end: id + 1, run: 1, prototype });
        self.next += 1;
        NodeId(id)
    }

    /// Skips numbers that ytt gives to nodes which need none here.
    pub(crate) fn skip(&mut self, count: u32) {
        self.next = self.next.saturating_add(count);
    }

    /// Says that all nodes below this one have been added.
    pub(crate) fn close(&mut self, id: NodeId) {
        let end = self.entries.len() as u32;
        if let Some(entry) = self.entries.get_mut(id.0 as usize) {
            entry.end = end;
        }
    }

    /// Whether no node was added after this one.
    pub(crate) fn is_last(&self, id: NodeId) -> bool {
        self.entries.len() == id.0 as usize + 1
    }

    /// Says that the last node is started together with this one. All nodes between them are as well.
    pub(crate) fn extend_run(&mut self, first: NodeId) {
        let end = self.entries.len() as u32;
        if let Some(entry) = self.entries.get_mut(first.0 as usize) {
            entry.run = end - first.0;
        }
    }

    /// The nodes that are started together with this one, which is the first.
    pub(crate) fn run(&self, first: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        let length = self.entries.get(first.0 as usize).map_or(0, |entry| entry.run);
        (first.0..first.0 + length).map(NodeId)
    }

    pub(crate) fn add_annotation(&mut self, id: NodeId, name: &Rc<str>, position: &Position) {
        let of_node = self.annotations.iter_mut().rev().take_while(|(node, ..)| *node == id);
        match of_node.into_iter().find(|(_, known, _)| known == name) {
            Some((.., known)) => *known = position.clone(),
            None => self.annotations.push((id, Rc::clone(name), position.clone())),
        }
    }

    pub(crate) fn annotation(&self, id: NodeId, name: &str) -> Option<(&Rc<str>, &Position)> {
        let start = self.annotations.partition_point(|(node, ..)| *node < id);
        let of_node = self.annotations.get(start..)?.iter().take_while(|(node, ..)| *node == id);
        of_node.map(|(_, known, position)| (known, position)).find(|(known, _)| ***known == *name)
    }

    /// The node with a tag.
    pub(crate) fn find(&self, tag: Tag) -> Option<NodeId> {
        self.entries.binary_search_by_key(&tag, |entry| entry.tag).ok().map(|index| NodeId(index as u32))
    }

    pub(crate) fn get(&self, id: NodeId) -> Option<&Prototype> {
        self.entries.get(id.0 as usize).map(|entry| &entry.prototype)
    }

    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.entries.get(id.0 as usize).map_or(0, |entry| entry.tag)
    }

    pub(crate) fn parent(&self, id: NodeId) -> NodeId {
        self.entries.get(id.0 as usize).map_or(ROOT, |entry| entry.parent)
    }

    /// Whether it is the table of a text template.
    pub(crate) fn is_text(&self) -> bool {
        self.entries.first().is_some_and(|entry| entry.prototype.kind == NodeKind::TextRoot)
    }

    /// The innermost node above `new` that is also `current` or above it.
    pub(crate) fn common_parent(&self, current: NodeId, new: NodeId) -> NodeId {
        let mut id = self.parent(new);
        while let Some(entry) = self.entries.get(id.0 as usize) {
            if id <= current && current.0 < entry.end {
                return id;
            }
            id = entry.parent;
        }
        ROOT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_parent_is_found_by_tags() {
        let mut nodes = NodeTable::new();
        let node = |kind| Prototype::new(kind, Meta::default());
        let set = nodes.add(ROOT, node(NodeKind::DocumentSet));
        let first = nodes.add(set, node(NodeKind::Document(Presence::Written)));
        let map = nodes.add(first, node(NodeKind::Map));
        nodes.skip(3);
        nodes.close(map);
        nodes.close(first);
        let second = nodes.add(set, node(NodeKind::Document(Presence::Written)));
        nodes.close(second);
        nodes.close(set);
        assert_eq!((nodes.tag(map), nodes.tag(second), nodes.find(7)), (3, 7, Some(second)));
        assert_eq!(nodes.common_parent(map, second), set);
        assert_eq!(nodes.common_parent(map, map), first);
        assert_eq!(nodes.common_parent(second, map), set);
        assert_eq!(nodes.common_parent(map, set), ROOT);
    }
}
