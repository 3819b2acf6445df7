//! What a folder renders to, as text in which every key and value leads back to where it was typed.

use std::sync::Arc;

use trueline_source::{Origin, OriginMap, SourceKind, SourceMap, Span};
use trueline_ytt::tree::{Document, Part, Piece, Position, Presence, yaml_with_pieces};

use trueline_yaml::ReadOptions;

use crate::rendering::RenderedDocument;

/// A document as text.
#[derive(Debug)]
pub(super) struct Written {
    text: String,
    origins: OriginMap,
}

/// The text of a document; none if ytt does not print it.
pub(super) fn write(document: &Document, lines_before: u32, sources: &SourceMap) -> Option<Written> {
    if document.presence == Presence::Injected || document.is_empty() {
        return None;
    }
    let (text, pieces) = yaml_with_pieces(document);
    let mut origins = OriginMap::new();
    for piece in &pieces {
        let Ok(start) = u32::try_from(piece.range.start) else { break };
        let Some(origin) = origin(piece, &text, sources) else { continue };
        let printed = text.get(piece.range.clone()).unwrap_or_default();
        match origin {
            Origin::Computed { action, value: Some(value) }
                if action != value && !is_copy(printed, value, sources) =>
            {
                // Code made something else of the value, so the code is at fault: it has a part of its own.
                let own = first_letter(printed);
                origins.push(start, Origin::Computed { action, value: None });
                if own < printed.len() {
                    origins.push(start.saturating_add(own as u32), origin);
                }
            }
            origin => origins.push(start, origin),
        }
    }
    Some(Written { text, origins: origins.behind_lines(lines_before) })
}

impl Written {
    /// How many lines it has.
    pub(super) fn lines(&self) -> u32 {
        u32::try_from(memchr::memchr_iter(b'\n', self.text.as_bytes()).count()).unwrap_or(u32::MAX)
    }

    /// Reads it again, as what is sent to a cluster; nothing if there is nothing in it.
    pub(super) fn read(self, template: &Arc<str>, sources: &SourceMap) -> Option<RenderedDocument> {
        let text: Arc<str> = self.text.into();
        let source = sources.add(&**template, SourceKind::Rendered(self.origins), Arc::clone(&text));
        let stream = trueline_yaml::read(source, &text, &ReadOptions::default());
        let document = stream.documents.into_iter().find(|document| !document.root().is_null())?;
        Some(RenderedDocument {
            source,
            span: source.span(0, text.len()),
            chart: String::new(),
            template: Arc::clone(template),
            document: document.into(),
        })
    }
}

/// Where a piece of text came from.
fn origin(piece: &Piece<'_>, text: &str, sources: &SourceMap) -> Option<Origin> {
    let printed = text.get(piece.range.clone()).unwrap_or_default();
    let copied_or = |span: Span, other: Origin| match sources.get(span.source).slice(span) == printed {
        true => Origin::Verbatim(span),
        false => other,
    };
    let (position, place) = (piece.meta.position(), piece.meta.place());
    let node = position.span();
    // What code makes is printed by the node whose value it is in.
    let made =
        || piece.holder.and_then(|holder| holder.position().span()).map(|node| expression(node, sources));
    if piece.part == Part::Key {
        return match node {
            Some(span) => Some(copied_or(span, Origin::Computed { action: span, value: None })),
            None => made().map(|action| Origin::Computed { action, value: None }),
        };
    }
    match (node, place.span()) {
        (None, None) => made().map(|action| Origin::Computed { action, value: None }),
        (None, Some(value)) => Some(Origin::Computed { action: made().unwrap_or(value), value: Some(value) }),
        (Some(_), Some(value)) if is_literal(&position, &place) => {
            Some(copied_or(value, Origin::Computed { action: value, value: None }))
        }
        (Some(node), value) => Some(Origin::Computed { action: expression(node, sources), value }),
    }
}

/// How many bytes the first letter of a scalar ends after, quotes aside.
fn first_letter(printed: &str) -> usize {
    let quote = printed.starts_with(['"', '\'']);
    let letters = if quote { 2 } else { 1 };
    printed.char_indices().nth(letters).map_or(printed.len(), |(at, _)| at)
}

/// Whether a scalar is printed as it was typed, quotes aside.
fn is_copy(printed: &str, value: Span, sources: &SourceMap) -> bool {
    let source = sources.get(value.source);
    let typed = source.slice(value);
    if typed == printed || typed.is_empty() || typed.contains('\n') || printed.contains('\n') {
        return true;
    }
    let scalar = |text: &str| {
        let stream = trueline_yaml::read(value.source, &Arc::from(text), &ReadOptions::default());
        let root = stream.documents.first().map(trueline_yaml::Document::root);
        root.and_then(|root| Some((root.as_str().is_some(), root.text()?.to_owned())))
    };
    let shown = scalar(printed);
    // Such a flag is a string, whatever it looks like; a variable is one, or is read as YAML.
    let name = source.name();
    let (is_text, is_variable) = (name.starts_with("--data-value "), name.starts_with('$'));
    let is_string = || shown.as_ref().is_some_and(|(is_string, text)| *is_string && text == typed);
    (is_text || is_variable) && is_string() || !is_text && shown == scalar(typed)
}

/// Whether a value is typed in the node itself, and not computed by code beside it.
fn is_literal(position: &Position, place: &Position) -> bool {
    let (Some(node), Some(value)) = (position.span(), place.span()) else { return false };
    let Some(file) = position.file().filter(|_| node.source == value.source) else { return false };
    let is_filler = |character: char| character.is_whitespace() || matches!(character, ':' | '-' | '?');
    // The position of an item of a list is its dash, or the value itself.
    node.start <= value.start && value.end <= node.end
        || file
            .text()
            .get(node.end as usize..value.start as usize)
            .is_some_and(|between| between.chars().all(is_filler))
}

/// The code that computes the value of a node, on the node's line; or else the node.
fn expression(node: Span, sources: &SourceMap) -> Span {
    let source = sources.get(node.source);
    let end = node.end as usize;
    let rest = source.text().get(end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    match rest.find("#@") {
        Some(start) => node.source.span(end + start, end + rest.trim_end().len()),
        None => node,
    }
}
