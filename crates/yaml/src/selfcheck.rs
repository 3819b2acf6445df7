//! Checks that spans are correct: the text at each span, read again in a similar context, must give the same
//! node. The tests and the conformance run check this for every accepted text.

use std::sync::Arc;

use crate::compose::{Refusal, compose};
use crate::{Document, NodeKind, NodeRef, ReadOptions, ScalarStyle, ScalarValue};

/// The context of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Between brackets.
    Flow,
    /// Inside a list or map that is indented to this column; `None` at the top.
    Block(Option<usize>),
    /// Before the colon of a map that is indented to this column.
    Key(usize),
}

/// The violations in a document that was read from YAML, in words; empty if there are none.
///
/// The text at the span of each node and key reads again as that node, and comments begin with `#`. Lists and
/// maps with aliases of something outside them are not read again, only their children are; nor are tags if a
/// `%TAG` line gives them another meaning.
pub fn verify_spans(document: &Document) -> Vec<String> {
    let text = document.source_text();
    let redefines_tags = text.starts_with("%TAG") || text.contains("\n%TAG");
    let mut checker = Checker { document, text, redefines_tags, complaints: Vec::new() };
    checker.node(document.root(), Context::Block(None));
    for comment in document.comments() {
        if !text.get(comment.span.range()).is_some_and(|text| text.starts_with('#') && !text.contains('\n')) {
            checker.complaints.push(format!("no comment at {:?}", comment.span.range()));
        }
    }
    checker.complaints
}

struct Checker<'d> {
    document: &'d Document,
    text: &'d str,
    redefines_tags: bool,
    complaints: Vec<String>,
}

impl<'d> Checker<'d> {
    /// Checks a node and everything below it; returns the lowest id that it refers to or contains.
    fn node(&mut self, node: NodeRef<'d>, context: Context) -> usize {
        let range = node.span().range();
        let Some(text) = self.text.get(range.clone()) else {
            self.complaints.push(format!("the span {range:?} is not within the text"));
            return 0;
        };
        if let Some(target) = node.alias_target() {
            if text.strip_prefix('*') != target.anchor() {
                self.complaints.push(format!("the alias at {range:?} reads {text:?}"));
            }
            return target.id().index();
        }
        let lowest = self.children(node, context);
        let first = self.first_id(node);
        if text.is_empty() {
            if node.text() != Some("") {
                self.complaints.push(format!("the span at {range:?} is empty, but not the node"));
            }
        } else if lowest >= first {
            self.again(node, context);
        }
        lowest
    }

    fn children(&mut self, node: NodeRef<'d>, context: Context) -> usize {
        let start = node.span().start as usize;
        let is_flow = context == Context::Flow || self.text[start..].starts_with(['[', '{']);
        let inner = if is_flow { Context::Flow } else { Context::Block(Some(self.column(start))) };
        let mut lowest = node.id().index();
        for item in node.items().into_iter().flatten() {
            lowest = lowest.min(self.child(node, item, inner));
        }
        let key_context = match inner {
            Context::Block(Some(column)) => Context::Key(column),
            context => context,
        };
        for (key, value) in node.written_entries().into_iter().flatten() {
            lowest = lowest.min(self.child(node, key, key_context)).min(self.child(node, value, inner));
        }
        lowest
    }

    fn child(&mut self, parent: NodeRef<'d>, child: NodeRef<'d>, context: Context) -> usize {
        let (outer, inner) = (parent.span(), child.span());
        if inner.start < outer.start || inner.end > outer.end {
            self.complaints.push(format!("{:?} is not within its parent {:?}", inner.range(), outer.range()));
        }
        self.node(child, context)
    }

    /// The lowest id below a node: children are added before their parents.
    fn first_id(&self, node: NodeRef<'d>) -> usize {
        let mut first = node;
        loop {
            let below = match first.own_kind() {
                NodeKind::Sequence { .. } => first.items().and_then(|mut items| items.next()),
                NodeKind::Mapping { .. } => {
                    first.written_entries().and_then(|mut entries| entries.next()).map(|(key, _)| key)
                }
                _ => None,
            };
            match below {
                Some(below) => first = below,
                None => return first.id().index(),
            }
        }
    }

    /// Reads the text of a node again and compares.
    fn again(&mut self, node: NodeRef<'d>, context: Context) {
        let span = node.span().range();
        let start = node.properties_span().map_or(span.start, |properties| properties.start as usize);
        let around = wrapping(node, context, &self.text[start..span.end]);
        if self.redefines_tags && self.text[start..span.end].contains('!') {
            return;
        }
        let wrapped = self.wrapped(&around, start, span.end);
        let options = ReadOptions::default();
        let stream =
            compose(self.document.source(), &Arc::from(wrapped.as_str()), &options, Refusal::Unreadable);
        let read = match stream.first() {
            Ok(Some(document)) => document.root(),
            Ok(None) => return self.complaints.push(format!("nothing at {span:?}: {wrapped:?}")),
            Err(error) => {
                return self.complaints.push(format!("{} at {span:?}: {wrapped:?}", error.go_text));
            }
        };
        let unwrapped = match around {
            Wrapping::None => Some(read),
            Wrapping::Colon => {
                read.written_entries().and_then(|mut entries| entries.next()).map(|(key, _)| key)
            }
            Wrapping::Bracket(_) | Wrapping::Dash(_) => read.items().and_then(|mut items| items.next()),
        };
        if !unwrapped.is_some_and(|read| same(node, read)) {
            self.complaints.push(format!("another value at {span:?}: {wrapped:?}"));
        }
    }

    fn wrapped(&self, around: &Wrapping, start: usize, end: usize) -> String {
        let text = &self.text[start..end];
        let padding = " ".repeat(self.column(start));
        match around {
            // A byte order mark is text everywhere except at the very start, hence the empty line.
            Wrapping::None => format!("\n{padding}{text}"),
            Wrapping::Colon => format!("\n{padding}{text}: {{}}"),
            Wrapping::Bracket(end) => format!("[\n{padding}{text}{end}]"),
            Wrapping::Dash(column) => format!("{}-\n{padding}{text}", " ".repeat(*column)),
        }
    }

    /// How many characters precede an offset on its line.
    fn column(&self, offset: usize) -> usize {
        let before = &self.text[..offset];
        let start = before
            .rfind(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
            .map_or(0, |found| found + before[found..].chars().next().map_or(1, char::len_utf8));
        // Only the mark at the very start does not count as a column: a second one is skipped but counted.
        let line = &before[start..];
        let line = if start == 0 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        line.chars().count()
    }
}

/// The context that text needs so it keeps its meaning.
enum Wrapping {
    None,
    /// Plain scalars end at other characters between brackets, and a colon needs a space after it.
    Bracket(&'static str),
    /// A key may look like something else without its colon.
    Colon,
    /// The indentation of block strings is relative to the column around them.
    Dash(usize),
}

fn wrapping(node: NodeRef<'_>, context: Context, text: &str) -> Wrapping {
    let is_block = matches!(node.style(), Some(ScalarStyle::Literal | ScalarStyle::Folded));
    match context {
        Context::Flow => Wrapping::Bracket(if node.style().is_some() { "," } else { "\n" }),
        Context::Block(Some(column)) | Context::Key(column) if is_block => Wrapping::Dash(column),
        // Multi-line and very long keys follow a question mark.
        Context::Key(_) if node.style().is_some() && text.len() < 1000 && !text.contains(['\n', '\r']) => {
            Wrapping::Colon
        }
        Context::Block(_) | Context::Key(_) => Wrapping::None,
    }
}

fn same(left: NodeRef<'_>, right: NodeRef<'_>) -> bool {
    match (left.kind(), right.kind()) {
        (NodeKind::Scalar { value: one, .. }, NodeKind::Scalar { value: other, .. }) => {
            let both_nan = matches!((one, other), (ScalarValue::Float(one), ScalarValue::Float(other)) if one.is_nan() && other.is_nan());
            left.text() == right.text() && (one == other || both_nan)
        }
        (NodeKind::Sequence { .. }, NodeKind::Sequence { .. }) => {
            let items = |node: NodeRef<'_>| node.items().map_or(0, |items| items.len());
            items(left) == items(right)
                && left
                    .items()
                    .into_iter()
                    .flatten()
                    .zip(right.items().into_iter().flatten())
                    .all(|(a, b)| same(a, b))
        }
        (NodeKind::Mapping { .. }, NodeKind::Mapping { .. }) => {
            let entries = |node: NodeRef<'_>| node.written_entries().map_or(0, |entries| entries.len());
            entries(left) == entries(right)
                && left
                    .written_entries()
                    .into_iter()
                    .flatten()
                    .zip(right.written_entries().into_iter().flatten())
                    .all(|(a, b)| same(a.0, b.0) && same(a.1, b.1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use trueline_source::SourceId;

    use super::*;

    #[test]
    fn spans_of_every_kind_of_node_are_correct() {
        for text in [
            "a: 1\nb:\n- x\n- y: z\n  w: |\n    text\n\n    more\n  v: >-\n    folded\n    line\nc: {d: [1, 2, e: f], g: -}\n",
            "# top\n- &a b # end\n- *a\n- ? complex\n  : value\n- !!str 3\n-\n- 'it''s'\n- \"a\\n\\\n  b\"\n",
            "a:\n  b: |1\n    x\n  c: multi\n    line\n  ? d\nlast:",
            "- [a,\n  b: c, ]\n- é: ü\n  ö: {ä}\n",
            "plain\n text\n",
            "a: |+\n  keep\n\n\nb: |\n  clip\n\n",
            "\u{feff}\u{feff}---\n!<y> \u{85}",
        ] {
            let stream = crate::read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
            assert_eq!(stream.errors, [], "{text}");
            for document in &stream.documents {
                assert_eq!(verify_spans(document), Vec::<String>::new(), "{text}");
            }
        }
    }
}
