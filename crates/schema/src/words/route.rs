//! The schemas on the path to a broken rule, from the root to the one that holds it.
//!
//! A description or a message may appear at any of them: where a reference was written, before a choice of
//! forms, or around the whole document.

use serde_json::Value;

use super::notation::{escape, unescape};
use crate::{SchemaLookup, Violation};

/// One schema on the path.
#[derive(Debug, Clone)]
pub(crate) struct Step<'a> {
    /// The schema itself.
    pub schema: &'a Value,
    /// Where it is: a URI with a JSON pointer after `#`.
    pub place: String,
    /// How many parts of the document's path lead to the value that it applies to.
    pub depth: usize,
    /// The keyword of this schema that led to the next one.
    pub through: &'static str,
}

/// The path to a rule.
#[derive(Debug, Clone, Default)]
pub(crate) struct Route<'a> {
    /// The schemas, the root first; the last one holds the rule.
    pub steps: Vec<Step<'a>>,
}

impl<'a> Route<'a> {
    /// The path that led to a violation.
    pub(crate) fn to(lookup: &'a dyn SchemaLookup, violation: &Violation) -> Self {
        let whole = Self::along(lookup, &violation.evaluation_path);
        let owner = owner_place(&violation.schema_path);
        if whole.steps.last().is_some_and(|step| same_place(&step.place, owner)) {
            return whole;
        }
        // The path cannot be followed step by step, so only the schema around the rule is known.
        match lookup.at(owner) {
            Some(schema @ Value::Object(_)) => {
                let depth = violation.instance_path.matches('/').count();
                let mut steps = whole.steps;
                steps.retain(|step| step.depth < depth);
                steps.push(Step { schema, place: owner.to_owned(), depth, through: "" });
                Route { steps }
            }
            _ => whole,
        }
    }

    /// The schema that holds the rule.
    pub(crate) fn owner(&self) -> Option<&Step<'a>> {
        self.steps.last()
    }

    /// The schemas that apply to the same value as the one that holds the rule, the outermost first.
    pub(crate) fn beside(&self) -> impl Iterator<Item = &Step<'a>> + Clone {
        let depth = self.owner().map_or(0, |step| step.depth);
        let first = self.steps.iter().rposition(|step| step.depth != depth).map_or(0, |index| index + 1);
        self.steps.iter().skip(first)
    }

    fn along(lookup: &'a dyn SchemaLookup, path: &str) -> Self {
        let mut steps: Vec<Step<'a>> = Vec::new();
        let mut place = with_fragment(lookup.root());
        let Some(mut schema) = lookup.at(&place) else { return Route { steps } };
        let mut depth = 0;
        let mut parts = path.split('/').skip(1).peekable();
        loop {
            if !schema.is_object() {
                return Route { steps };
            }
            steps.push(Step { schema, place: place.clone(), depth, through: "" });
            let Some(part) = parts.next() else { return Route { steps } };
            let keyword = unescape(part);
            let Some((keyword, applies)) = APPLICATORS.iter().find(|(name, _)| *name == keyword) else {
                return Route { steps };
            };
            let Some(mut next) = schema.get(*keyword) else { return Route { steps } };
            if parts.peek().is_none() {
                return Route { steps };
            }
            match applies {
                Applies::Reference => {
                    let Some(target) = next.as_str().and_then(|reference| lookup.follow(&place, reference))
                    else {
                        return Route { steps };
                    };
                    place = with_fragment(target);
                    let Some(target) = lookup.at(&place) else { return Route { steps } };
                    next = target;
                }
                Applies::Here | Applies::ToChild => push(&mut place, keyword),
                Applies::ByNameHere | Applies::ByNameToChild => {
                    push(&mut place, keyword);
                    // Draft 2019-09 and earlier have a list or a single schema in `items`.
                    if !(*keyword == "items" && next.is_object()) {
                        let Some(name) = parts.next() else { return Route { steps } };
                        let child = match next {
                            Value::Array(list) => name.parse().ok().and_then(|index: usize| list.get(index)),
                            other => other.get(unescape(name).as_ref()),
                        };
                        let Some(child) = child else { return Route { steps } };
                        next = child;
                        place.push('/');
                        place.push_str(name);
                        if parts.peek().is_none() {
                            return Route { steps };
                        }
                    }
                }
            }
            if matches!(applies, Applies::ToChild | Applies::ByNameToChild) {
                depth += 1;
            }
            if let Some(step) = steps.last_mut() {
                step.through = keyword;
            }
            schema = next;
        }
    }
}

/// How a keyword leads to another schema.
#[derive(Debug, Clone, Copy)]
enum Applies {
    Reference,
    Here,
    ToChild,
    ByNameHere,
    ByNameToChild,
}

const APPLICATORS: &[(&str, Applies)] = &[
    ("$ref", Applies::Reference),
    ("$dynamicRef", Applies::Reference),
    ("$recursiveRef", Applies::Reference),
    ("allOf", Applies::ByNameHere),
    ("anyOf", Applies::ByNameHere),
    ("oneOf", Applies::ByNameHere),
    ("not", Applies::Here),
    ("if", Applies::Here),
    ("then", Applies::Here),
    ("else", Applies::Here),
    ("propertyNames", Applies::Here),
    ("dependentSchemas", Applies::ByNameHere),
    ("dependencies", Applies::ByNameHere),
    ("properties", Applies::ByNameToChild),
    ("patternProperties", Applies::ByNameToChild),
    ("additionalProperties", Applies::ToChild),
    ("unevaluatedProperties", Applies::ToChild),
    ("items", Applies::ByNameToChild),
    ("prefixItems", Applies::ByNameToChild),
    ("additionalItems", Applies::ToChild),
    ("unevaluatedItems", Applies::ToChild),
    ("contains", Applies::ToChild),
];

/// The place of a child of a schema.
pub(crate) fn below(place: &str, parts: &[&str]) -> String {
    let mut place = place.to_owned();
    for part in parts {
        push(&mut place, part);
    }
    place
}

fn push(place: &mut String, part: &str) {
    place.push('/');
    place.push_str(&escape(part));
}

/// A place always has its `#`, so that a pointer can be put after it.
pub(crate) fn with_fragment(mut place: String) -> String {
    if !place.contains('#') {
        place.push('#');
    }
    place
}

/// The schema around a rule: its place without the keyword.
fn owner_place(schema_path: &str) -> &str {
    match schema_path.rsplit_once('/') {
        Some((owner, _)) if owner.contains('#') => owner,
        _ => schema_path,
    }
}

/// Places may be written with and without percent escapes; comparing their ends is enough to distinguish them.
fn same_place(left: &str, right: &str) -> bool {
    fn end(place: &str) -> &str {
        place.rsplit_once('#').map_or("", |(_, pointer)| pointer)
    }
    end(left) == end(right) || right.contains('%')
}
