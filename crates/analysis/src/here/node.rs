//! The node of a YAML document at an offset.

use trueline_source::Span;
use trueline_yaml::NodeRef;

/// Whether a place is in a key or in its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// A node with the way to it.
pub(super) struct NodeAtOffset {
    /// Keys, and positions in lists as numbers.
    pub(super) keys: Vec<String>,
    pub(super) part: Part,
    pub(super) span: Span,
}

/// The key or scalar that holds an offset, or ends there.
pub(super) fn at(root: NodeRef<'_>, offset: u32) -> Option<NodeAtOffset> {
    let mut keys = Vec::new();
    let mut node = root;
    let holds = |span: Span| span.start <= offset && offset <= span.end;
    loop {
        if node.alias_target().is_some() {
            return holds(node.span()).then(|| NodeAtOffset { keys, part: Part::Value, span: node.span() });
        }
        if let Some(entries) = node.written_entries() {
            let mut below = None;
            for (key, value) in entries {
                let part = match (holds(key.span()), holds(value.span())) {
                    (true, _) => Part::Key,
                    (false, true) => Part::Value,
                    (false, false) => continue,
                };
                keys.push(key.key_text().into_owned());
                if part == Part::Key {
                    return Some(NodeAtOffset { keys, part, span: key.span() });
                }
                below = Some(value);
                break;
            }
            node = below?;
        } else if let Some(mut items) = node.items() {
            let (index, item) = (0_usize..).zip(items.by_ref()).find(|(_, item)| holds(item.span()))?;
            keys.push(index.to_string());
            node = item;
        } else {
            return holds(node.span()).then(|| NodeAtOffset { keys, part: Part::Value, span: node.span() });
        }
    }
}
