//! A place in a template: the action there, or the text that it is rendered to.

use trueline_gotemplate::Text;
use trueline_gotemplate::node::{List, Node, Nodes, TemplatePlace};
use trueline_source::{Origin, SourceId, SourceKind, SourceMap, Span};

use super::Item;
use crate::parts::UnitParts;
use crate::rendering::RenderedDocument;

/// The template that a source is.
pub(super) fn text_of(source: SourceId, parts: &UnitParts) -> Option<&Text> {
    let (_, texts) = parts.loaded()?;
    texts.iter().map(|(.., text)| text).find(|text| text.source() == Some(source))
}

/// The action at an offset.
pub(super) fn action(
    text: &Text,
    source: SourceId,
    offset: u32,
    parts: &UnitParts,
    sources: &SourceMap,
) -> Option<(Span, Item)> {
    let place = text.trees().iter().find_map(|tree| in_list(&tree.nodes, &tree.root, offset))?;
    let span = Span { source, start: place.start, end: place.end };
    let reads = parts.usage().map(|usage| usage.values_read_in(span)).unwrap_or_default();
    let mut writes = Vec::new();
    each_run(parts, sources, |_, place, origin| {
        let (Origin::Computed { action, .. } | Origin::Verbatim(action)) = origin;
        if action.source == source && span.start <= action.start && action.end <= span.end {
            writes.push(place);
        }
    });
    Some((span, Item::Action { reads, writes }))
}

fn in_list(nodes: &Nodes, list: &List, offset: u32) -> Option<TemplatePlace> {
    let holds = |place: TemplatePlace| (place.start <= offset && offset < place.end).then_some(place);
    list.nodes(nodes).iter().find_map(|node| match node {
        Node::Text(_) => None,
        Node::Action(action) => holds(action.place),
        Node::Template(call) => holds(call.place),
        Node::Break(place) | Node::Continue(place) => holds(*place),
        Node::Branch(branch) => {
            let branch = nodes.branch(*branch);
            holds(branch.place)
                .or_else(|| in_list(nodes, &branch.list, offset))
                .or_else(|| branch.otherwise.as_ref().and_then(|list| in_list(nodes, list, offset)))
        }
    })
}

/// The first rendered document that an offset of a template was copied to, and the offset in its source.
pub(super) fn rendered<'p>(
    source: SourceId,
    offset: u32,
    parts: &'p UnitParts,
    sources: &SourceMap,
) -> Option<(&'p RenderedDocument, u32)> {
    let mut found = None;
    each_run(parts, sources, |document, place, origin| match origin {
        Origin::Verbatim(span) if span.source == source && span.contains(offset) && found.is_none() => {
            let at = place.start.saturating_add(offset - span.start);
            found = (at < place.end).then_some((document, at));
        }
        _ => {}
    });
    found
}

/// Calls `take` with the runs of all rendered documents, each with its place in the rendered text.
fn each_run<'p>(
    parts: &'p UnitParts,
    sources: &SourceMap,
    mut take: impl FnMut(&'p RenderedDocument, Span, Origin),
) {
    for document in parts.renderings().iter().flat_map(|rendering| &rendering.documents) {
        let text = sources.get(document.source);
        let SourceKind::Rendered(origins) = text.kind() else { continue };
        let ends = origins.runs().iter().skip(1).map(|run| run.start).chain([document.span.end]);
        for (run, end) in origins.runs().iter().zip(ends) {
            take(document, Span { source: document.source, start: run.start, end }, run.origin);
        }
    }
}
