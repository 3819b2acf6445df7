//! `additionalProperties` and `unevaluatedProperties`: a field that the schema does not know.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};
use trueline_source::Span;

use super::describe::reference;
use super::excerpt::quote;
use super::route::{Route, below};
use super::{Worded, Words, notation, scalar, tree};
use crate::Violation;

/// A field is unknown.
pub(crate) static UNKNOWN_PROPERTY: Code = Code {
    id: "TL0203",
    name: "unknown-property",
    severity: Severity::Error,
    summary: "A field is unknown",
    explanation: "The schema lists the fields of a map and allows no others (`additionalProperties: false`, \
                  `unevaluatedProperties: false`). A field with another name would be ignored, so the mistake \
                  would only show up later. Usually the name is misspelt, or the field is indented too little or \
                  too far and belongs to another map.",
    wrong: "metadata:\n  name: nodejs\n  verison: 1.0.0\n",
    right: "metadata:\n  name: nodejs\n  version: 1.0.0\n",
};

/// Lists of known names up to this long are listed in the help.
const LISTED: usize = 12;
/// How many schemas are visited for the names that they know.
const VISITED: usize = 200;

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Vec<Worded> {
    let map = words.at(&violation.instance_path).map(|(map, _)| map);
    let entries = map.map(tree::entries).unwrap_or_default();
    let keys: FxHashMap<String, Option<Span>> =
        entries.into_iter().map(|(name, key, _)| (name.into_owned(), key)).collect();
    let known = known_names(words, route);
    let place = route.owner().map_or("", |owner| owner.place.as_str());
    let listed = listed(&known);
    violation
        .names
        .iter()
        .map(|name| {
            let key = keys.get(name).copied().flatten();
            // A name that the map already has cannot be the one that was meant, unless another file sets it,
            // such as the defaults that this file overrides.
            let file = key.map(|span| span.source);
            let free = known
                .iter()
                .map(String::as_str)
                .filter(|other| keys.get(*other).is_none_or(|span| span.map(|span| span.source) != file));
            let nearest = words.nearest(&format!("{place}\n{}", violation.instance_path), name, free);
            let diagnostic = unknown(words, violation, name, key, nearest.as_deref());
            let diagnostic = match elsewhere(words, violation, route, name) {
                Some(elsewhere) if nearest.is_none() => diagnostic.help(elsewhere),
                _ => diagnostic,
            };
            let diagnostic = match &listed {
                // The field is not evaluated because the form that knows it does not fit.
                _ if known.contains(name) => diagnostic.help("only another form of this map has this field"),
                Some(listed) => diagnostic.help(listed),
                None => diagnostic,
            };
            (Some(name.clone()), diagnostic)
        })
        .collect()
}

fn unknown(
    words: &Words<'_>,
    violation: &Violation,
    name: &str,
    key: Option<Span>,
    nearest: Option<&str>,
) -> Diagnostic {
    let inside = words.inside(&violation.instance_path);
    let message = format!("unknown field {} {inside}", quote(name));
    let place = key.unwrap_or_else(|| words.map_place(violation));
    let diagnostic = Diagnostic::new(&UNKNOWN_PROPERTY, place, message);
    let Some(nearest) = nearest else { return diagnostic.label("unknown field") };
    let shown = quote(nearest);
    let diagnostic = diagnostic.label("unknown field").help(format!("did you mean {shown}?"));
    match scalar::replace_text(words.context.sources, key, name, nearest) {
        Some(edit) => diagnostic.fix(format!("rename it to {shown}"), vec![edit]),
        None => diagnostic,
    }
}

/// The names that the schemas of a map know, in the order of the schema.
fn known_names(words: &Words<'_>, route: &Route<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let Some(owner) = route.owner() else { return names };
    let mut visited: FxHashSet<String> = FxHashSet::default();
    let mut work = vec![(owner.place.clone(), owner.schema)];
    while let Some((place, schema)) = work.pop() {
        if visited.len() >= VISITED || !visited.insert(place.clone()) {
            continue;
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            let current = properties.iter().filter(|(_, property)| {
                **property != Value::Bool(false) && property.get("deprecated") != Some(&Value::Bool(true))
            });
            names.extend(current.map(|(name, _)| name.clone()).filter(|name| seen.insert(name.clone())));
        }
        // `additionalProperties` looks only at its own schema; the names of others would be refused too.
        if schema.get("additionalProperties").is_some() && visited.len() == 1 {
            break;
        }
        let mut next = Vec::new();
        next.extend(reference(words.context.schema, &place, schema));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches =
                schema.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            next.extend(
                branches
                    .iter()
                    .enumerate()
                    .map(|(index, branch)| (below(&place, &[keyword, &index.to_string()]), branch)),
            );
        }
        for keyword in ["then", "else", "if"] {
            next.extend(schema.get(keyword).map(|branch| (below(&place, &[keyword]), branch)));
        }
        work.extend(next.into_iter().rev());
    }
    names
}

fn listed(known: &[String]) -> Option<String> {
    match known {
        [] => Some("no fields are allowed here".to_owned()),
        [only] => Some(format!("the only known field is {}", quote(only))),
        names if names.len() <= LISTED => {
            let names: Vec<String> = names.iter().map(|name| quote(name)).collect();
            Some(format!("the known fields are {}", super::excerpt::list(names, "and")))
        }
        _ => None,
    }
}

/// Whether the name belongs to a map around this one or right below it: if so, the indentation is wrong.
fn elsewhere(words: &Words<'_>, violation: &Violation, route: &Route<'_>, name: &str) -> Option<String> {
    let owner = route.owner()?;
    let knows = |schema: &Value| {
        schema.get("properties").and_then(|properties| properties.get(name)).is_some_and(Value::is_object)
    };
    let parts: Vec<&str> = violation.instance_path.split('/').skip(1).collect();
    let around = route.steps.iter().rev().find(|step| step.depth < owner.depth && knows(step.schema));
    if let Some(step) = around {
        let pointer: String = parts.iter().take(step.depth).map(|part| format!("/{part}")).collect();
        return Some(match pointer.as_str() {
            "" => format!("{} is a field of the top level: check its indentation", quote(name)),
            pointer => {
                format!("{} is a field of {}: check its indentation", quote(name), words.name(pointer))
            }
        });
    }
    let properties = owner.schema.get("properties")?.as_object()?;
    properties.iter().take(VISITED).find_map(|(child, schema)| {
        let place = below(&owner.place, &["properties", child]);
        let holds = knows(schema)
            || reference(words.context.schema, &place, schema).is_some_and(|(_, target)| knows(target));
        holds.then(|| {
            let child = notation::field(words.context.instance, &violation.instance_path, child);
            format!("{} is a field of `{child}`: move it there", quote(name))
        })
    })
}
