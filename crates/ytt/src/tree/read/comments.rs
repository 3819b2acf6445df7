//! Which node a comment belongs to.
//!
//! A comment on its own line belongs to the first node of the next line that has one, a comment at the end of a line to
//! the last node of that line, in the order in which a walk meets them. Nodes that an alias repeats are met again, on the
//! lines of the originals.

use std::rc::Rc;

use super::super::{Comment, Document, Meta, Value};

/// Whether a document's marker is one of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Written,
    Added,
}

/// Gives comments to the nodes of a document; returns those that it does not own.
pub(super) fn assign(document: &mut Document, comments: &[Comment], marker: Marker) -> Vec<Comment> {
    if comments.is_empty() {
        return Vec::new();
    }
    // Nodes as (line, number in the walk); the document itself is the first.
    let mut lines = Lines { nodes: Vec::new(), next: 1, last: (0, 0) };
    if marker == Marker::Written
        && let Some(line) = document.meta.position().line()
    {
        lines.nodes.push((line, 0));
    }
    lines.walk(&document.value);
    // Only aliases bring lines back; the sort is stable, so nodes of a line stay in the order of the walk.
    if !lines.nodes.is_sorted_by_key(|(line, _)| line) {
        lines.nodes.sort_by_key(|(line, _)| *line);
    }
    let nodes = lines.nodes;
    let mut left = Vec::new();
    let mut given: Vec<(u32, Comment)> = Vec::new();
    for comment in comments {
        let line = comment.position.line().unwrap_or_default();
        let next = nodes.partition_point(|(other, _)| *other < line);
        let behind = nodes.partition_point(|(other, _)| *other <= line);
        let owner = if behind > next { nodes.get(behind - 1) } else { nodes.get(next) };
        match owner {
            Some((_, node)) => given.push((*node, comment.clone())),
            None => left.push(comment.clone()),
        }
    }
    given.sort_by_key(|(node, _)| *node);
    let mut giver = Giver { given: given.into_iter().peekable(), next: 1 };
    giver.give(0, &mut document.meta);
    giver.walk(&mut document.value);
    left
}

/// Finds the lines of nodes.
struct Lines {
    nodes: Vec<(u32, u32)>,
    next: u32,
    /// The last offset and its line: neighbours are often on one line.
    last: (u32, u32),
}

impl Lines {
    fn walk(&mut self, value: &Value) {
        match value {
            Value::Map(map) => {
                for item in &map.items {
                    self.node(&item.meta);
                    self.walk(&item.value);
                }
            }
            Value::Array(array) => {
                for item in &array.items {
                    self.node(&item.meta);
                    self.walk(&item.value);
                }
            }
            _ => {}
        }
    }

    fn node(&mut self, meta: &Meta) {
        let offset = meta.position().range().map_or(0, |range| range.start);
        if offset != self.last.0 || self.last.1 == 0 {
            self.last = (offset, meta.position().line().unwrap_or(1));
        }
        self.nodes.push((self.last.1, self.next));
        self.next += 1;
    }
}

/// Hands out comments to nodes by their number in the walk.
struct Giver {
    given: std::iter::Peekable<std::vec::IntoIter<(u32, Comment)>>,
    next: u32,
}

impl Giver {
    fn give(&mut self, number: u32, meta: &mut Meta) {
        while let Some((_, comment)) = self.given.next_if(|(node, _)| *node == number) {
            meta.extra_mut().comments.push(comment);
        }
    }

    fn walk(&mut self, value: &mut Value) {
        let Some(&(target, _)) = self.given.peek() else { return };
        // What is shared is copied only if one of its nodes gets a comment.
        let is_shared = match value {
            Value::Map(map) => Rc::strong_count(map) > 1,
            Value::Array(array) => Rc::strong_count(array) > 1,
            _ => return,
        };
        if is_shared {
            let behind = self.next + count(value);
            if target >= behind {
                self.next = behind;
                return;
            }
        }
        if let Some(map) = value.as_map_mut() {
            for item in &mut map.items {
                self.item(&mut item.meta, &mut item.value);
            }
        } else if let Some(array) = value.as_array_mut() {
            for item in &mut array.items {
                self.item(&mut item.meta, &mut item.value);
            }
        }
    }

    fn item(&mut self, meta: &mut Meta, value: &mut Value) {
        let number = self.next;
        self.next += 1;
        self.give(number, meta);
        self.walk(value);
    }
}

/// How many items there are below a value.
fn count(value: &Value) -> u32 {
    match value {
        Value::Map(map) => map.items.iter().map(|item| 1 + count(&item.value)).sum(),
        Value::Array(array) => array.items.iter().map(|item| 1 + count(&item.value)).sum(),
        _ => 0,
    }
}
