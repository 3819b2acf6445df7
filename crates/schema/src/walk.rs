//! Visits all schemas nested in a schema and records what the rest needs to know about them: names (`$id`,
//! anchors), references and patterns. What is in `enum`, `const`, `default` or `examples` is data, and a
//! property may be called `$ref`; neither is a reference.

use std::sync::Arc;

use jsonschema::Draft;
use rustc_hash::FxHashMap;
use trueline_source::Span;
use trueline_yaml::{NodeId, NodeRef};

use crate::address;

/// A schema that gives itself an address with `$id`.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) address: String,
    pub(crate) node: NodeId,
    pub(crate) pointer: String,
    /// The value of `$id`.
    pub(crate) id: Span,
}

/// A name inside a resource.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) base: Arc<str>,
    pub(crate) name: String,
    /// Where the name is.
    pub(crate) name_span: Span,
    pub(crate) node: NodeId,
    pub(crate) pointer: String,
}

/// A reference to another schema.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    /// The keyword's value.
    pub(crate) value: NodeId,
    pub(crate) keyword: &'static str,
    pub(crate) base: Arc<str>,
    pub(crate) draft: Draft,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct SchemaParts {
    pub(crate) resources: Vec<Resource>,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) references: Vec<Reference>,
    /// Values of `pattern` and keys of `patternProperties`.
    pub(crate) patterns: Vec<NodeId>,
    /// Values of `$id` that are not addresses.
    pub(crate) bad_ids: Vec<NodeId>,
}

/// A place that is still to be visited.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    pub(crate) base: Arc<str>,
    pub(crate) draft: Draft,
    pub(crate) pointer: String,
}

/// What the value of a keyword holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Schema,
    List,
    Map,
    SchemaOrList,
}

/// Visits a schema and those below it that were not visited before, and records their drafts.
pub(crate) fn walk(
    node: NodeRef<'_>,
    position: Position,
    visited: &mut FxHashMap<NodeId, Draft>,
    found: &mut SchemaParts,
) {
    let Some(entries) = node.entries() else { return };
    if visited.contains_key(&node.id()) {
        return;
    }
    let Position { mut base, mut draft, pointer } = position;
    let is_document = pointer.is_empty();
    let id_of = |draft: Draft| node.get(draft.id_keyword()).filter(|id| id.as_str().is_some());
    // A schema inside another can only change its draft if it has its own `$id`.
    if let Some(dialect) = node.get("$schema").and_then(NodeRef::as_str) {
        let known = Draft::from_schema_uri(dialect);
        if known != Draft::Unknown && (is_document || id_of(draft).or(id_of(known)).is_some()) {
            draft = known;
        }
    }
    visited.insert(node.id(), draft);
    let alone = reference_alone(node, draft);
    if let Some(id) = id_of(draft).filter(|_| !alone) {
        let text = id.as_str().unwrap_or_default();
        let (own, fragment) = address::split(text);
        if !own.is_empty() || text.is_empty() {
            match address::resolve(&base, own) {
                Some(resolved) => {
                    base = Arc::from(resolved.as_str());
                    found.resources.push(Resource {
                        address: resolved,
                        node: node.id(),
                        pointer: pointer.clone(),
                        id: id.span(),
                    });
                }
                None => found.bad_ids.push(id.id()),
            }
        }
        if let Some(name) = fragment.filter(|name| draft <= Draft::Draft7 && !name.starts_with('/')) {
            found.anchors.push(Anchor {
                base: Arc::clone(&base),
                name: name.to_owned(),
                name_span: id.span(),
                node: node.id(),
                pointer: pointer.clone(),
            });
        }
    }
    for (key, value) in entries {
        let name = key.key_text();
        let here = || format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        let below = |pointer: String| Position { base: Arc::clone(&base), draft, pointer };
        if let Some(keyword) = reference_keyword(&name, draft) {
            if value.as_str().is_some() {
                let base = Arc::clone(&base);
                found.references.push(Reference { value: value.id(), keyword, base, draft });
            }
            continue;
        }
        match name.as_ref() {
            "$anchor" | "$dynamicAnchor" if draft >= Draft::Draft201909 => {
                if let Some(anchor) = value.as_str() {
                    found.anchors.push(Anchor {
                        base: Arc::clone(&base),
                        name: anchor.to_owned(),
                        name_span: value.span(),
                        node: node.id(),
                        pointer: pointer.clone(),
                    });
                }
                continue;
            }
            "pattern" => {
                found.patterns.extend(value.as_str().map(|_| value.id()));
                continue;
            }
            "patternProperties" => {
                found.patterns.extend(value.entries().into_iter().flatten().map(|(key, _)| key.id()));
            }
            _ => {}
        }
        let Some(holds) = holds(&name, draft) else { continue };
        if let (Holds::List | Holds::SchemaOrList, Some(items)) = (holds, value.items()) {
            for (index, item) in items.enumerate() {
                walk(item, below(format!("{}/{index}", here())), visited, found);
            }
        } else if holds == Holds::Map {
            for (key, value) in value.entries().into_iter().flatten() {
                let name = key.key_text().replace('~', "~0").replace('/', "~1");
                walk(value, below(format!("{}/{name}", here())), visited, found);
            }
        } else if holds != Holds::List {
            walk(value, below(here()), visited, found);
        }
    }
}

/// Whether a schema consists of its reference only: up to draft 7 everything next to a reference is ignored,
/// although other references may point into it.
pub(crate) fn reference_alone(node: NodeRef<'_>, draft: Draft) -> bool {
    draft <= Draft::Draft7 && node.get("$ref").is_some_and(|reference| reference.as_str().is_some())
}

fn reference_keyword(name: &str, draft: Draft) -> Option<&'static str> {
    match name {
        "$ref" => Some("$ref"),
        "$dynamicRef" if draft >= Draft::Draft202012 => Some("$dynamicRef"),
        "$recursiveRef" if draft == Draft::Draft201909 => Some("$recursiveRef"),
        _ => None,
    }
}

/// The keywords of all drafts: people write `$defs` in draft 7 and refer to it.
fn holds(keyword: &str, draft: Draft) -> Option<Holds> {
    Some(match keyword {
        "items" if draft >= Draft::Draft202012 => Holds::Schema,
        "items" => Holds::SchemaOrList,
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        | "properties" => Holds::Map,
        _ => return None,
    })
}
