//! Schemas in a few words: `a string`, `a list of strings`, `a map with method: mise`.

use serde_json::Value;

use super::excerpt::{list, quote, show};
use super::route::{below, with_fragment};
use super::{format, pattern};
use crate::SchemaLookup;

/// How far references and nested schemas are followed for a few words.
const DEPTH: usize = 6;

/// The type of value that `type` requires, with its article.
pub(crate) fn kind(name: &str) -> &str {
    match name {
        "string" => "a string",
        "number" => "a number",
        "integer" => "an integer",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a map",
        other => other,
    }
}

fn kinds(name: &str) -> &'static str {
    match name {
        "string" => "strings",
        "number" => "numbers",
        "integer" => "integers",
        "boolean" => "true or false values",
        "array" => "lists",
        "object" => "maps",
        _ => "items",
    }
}

/// What a schema requires, as a noun with its article; `None` if a few words are not enough.
pub(crate) fn noun(lookup: &dyn SchemaLookup, place: &str, schema: &Value) -> Option<String> {
    noun_within(lookup, place, schema, DEPTH)
}

fn noun_within(lookup: &dyn SchemaLookup, place: &str, schema: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    if let Some(value) = schema.get("const") {
        return Some(show(value));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return Some(match values.as_slice() {
            few if few.len() <= 6 => list(few.iter().map(show), "or"),
            many => format!("one of {} values", many.len()),
        });
    }
    let found = match schema.get("type") {
        Some(Value::String(name)) => Some(of_kind(lookup, place, schema, name, depth)),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            Some(list(names.map(|name| of_kind(lookup, place, schema, name, depth)), "or"))
        }
        _ => None,
    };
    if found.is_some() {
        return found;
    }
    if let Some((target_place, target)) = reference(lookup, place, schema) {
        return noun_within(lookup, &target_place, target, depth);
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = schema.get(keyword) else { continue };
        let mut nouns: Vec<String> = Vec::new();
        for (index, branch) in branches.iter().enumerate().take(4) {
            let noun = noun_within(lookup, &below(place, &[keyword, &index.to_string()]), branch, depth)?;
            if !nouns.contains(&noun) {
                nouns.push(noun);
            }
        }
        // In a longer sentence nobody could tell the forms apart.
        let joined = list(nouns, "or");
        return (branches.len() <= 4 && joined.len() <= 80).then_some(joined);
    }
    if let Some(Value::Array(parts)) = schema.get("allOf") {
        let found = parts.iter().enumerate().find_map(|(index, part)| {
            noun_within(lookup, &below(place, &["allOf", &index.to_string()]), part, depth)
        });
        if found.is_some() {
            return found;
        }
    }
    if schema.get("properties").is_some() || schema.get("required").is_some() {
        return Some(map(schema));
    }
    if schema.get("items").is_some() {
        return Some(of_kind(lookup, place, schema, "array", depth));
    }
    if schema.get("pattern").is_some() || schema.get("format").is_some() {
        return Some(of_kind(lookup, place, schema, "string", depth));
    }
    None
}

/// The schema that a reference points to, with its place.
pub(crate) fn reference<'a>(
    lookup: &'a dyn SchemaLookup,
    place: &str,
    schema: &Value,
) -> Option<(String, &'a Value)> {
    let reference = schema.get("$ref").or_else(|| schema.get("$dynamicRef"))?.as_str()?;
    let target = with_fragment(lookup.follow(place, reference)?);
    let schema = lookup.at(&target)?;
    Some((target, schema))
}

/// The type of value that a schema requires, with what its lists and maps hold.
pub(crate) fn shape(lookup: &dyn SchemaLookup, place: &str, schema: &Value, name: &str) -> String {
    match name {
        "array" => of_kind(lookup, place, schema, name, DEPTH),
        "object" => map_of(lookup, place, schema, DEPTH).unwrap_or_else(|| "a map".to_owned()),
        other => kind(other).to_owned(),
    }
}

fn of_kind(lookup: &dyn SchemaLookup, place: &str, schema: &Value, name: &str, depth: usize) -> String {
    match name {
        "array" => match schema.get("items") {
            Some(items) => match plural(lookup, &below(place, &["items"]), items, depth) {
                Some(items) => format!("a list of {items}"),
                None => "a list".to_owned(),
            },
            None => "a list".to_owned(),
        },
        "object" => map_of(lookup, place, schema, depth).unwrap_or_else(|| map(schema)),
        "string" => string(schema),
        "number" | "integer" => number(schema, kind(name)),
        other => kind(other).to_owned(),
    }
}

fn string(schema: &Value) -> String {
    if let Some(noun) = schema.get("format").and_then(Value::as_str).and_then(format::noun) {
        return noun.to_owned();
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        return pattern::noun(pattern);
    }
    let length = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    match (length("minLength"), length("maxLength")) {
        (Some(least), _) if least > 1 => format!("a string of at least {least} characters"),
        (Some(1), None) => "a non-empty string".to_owned(),
        (_, Some(most)) => format!("a string of at most {most} characters"),
        _ => "a string".to_owned(),
    }
}

fn number(schema: &Value, kind: &str) -> String {
    let bound = |keyword: &str| schema.get(keyword).filter(|bound| bound.is_number());
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        (Some(least), None) => format!("{kind} of at least {least}"),
        (None, Some(most)) => format!("{kind} of at most {most}"),
        (None, None) => kind.to_owned(),
    }
}

fn plural(lookup: &dyn SchemaLookup, place: &str, items: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match items.get("type") {
        Some(Value::String(name)) => Some(kinds(name).to_owned()),
        Some(Value::Array(names)) => {
            Some(list(names.iter().filter_map(Value::as_str).map(|name| kinds(name).to_owned()), "or"))
        }
        _ => {
            let (place, target) = reference(lookup, place, items)?;
            plural(lookup, &place, target, depth)
        }
    }
}

/// A map by its values, if it has no fields of its own.
fn map_of(lookup: &dyn SchemaLookup, place: &str, schema: &Value, depth: usize) -> Option<String> {
    if schema.get("properties").is_some() {
        return None;
    }
    let values = schema.get("additionalProperties").filter(|values| values.is_object())?;
    let values = plural(lookup, &below(place, &["additionalProperties"]), values, depth)?;
    Some(format!("a map of {values}"))
}

/// A map by what distinguishes it: a field with one possible value, or the fields it must have.
fn map(schema: &Value) -> String {
    if let Some(mark) = mark(schema) {
        return format!("a map with {mark}");
    }
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    match required.len() {
        1..=3 => format!("a map with {}", list(required.iter().map(show), "and")),
        _ => "a map".to_owned(),
    }
}

/// The field with one possible value that marks a form: `` `method: mise` ``.
pub(crate) fn mark(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find_map(|(name, property)| {
        let value = match (property.get("const"), property.get("enum").and_then(Value::as_array)) {
            (Some(value), _) => value,
            (None, Some(values)) if values.len() == 1 => values.first()?,
            _ => return None,
        };
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Some(quote(&format!("{name}: {text}")))
    })
}

/// One form of several, by its mark, its title or what it is.
pub(crate) fn form(lookup: &dyn SchemaLookup, place: &str, schema: &Value) -> Option<String> {
    let mut current = (place.to_owned(), schema);
    for _ in 0..DEPTH {
        if let Some(mark) = mark(current.1) {
            return Some(format!("the one with {mark}"));
        }
        if let Some(title) = current.1.get("title").and_then(Value::as_str) {
            return Some(format!("“{}”", title.trim()));
        }
        match reference(lookup, &current.0, current.1) {
            Some(target) => current = target,
            None => break,
        }
    }
    noun(lookup, place, schema)
}
