//! `deprecated`: fields that still work but should no longer be used.
//!
//! A walk over the document with the schemas that apply to each of its values. Which form of a choice applies
//! is judged by what is quick to compare (types, fixed values, required fields); a form that cannot be ruled
//! out counts as applying.

use std::borrow::Cow;

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Level, SchemaPlace, Severity};
use trueline_source::Span;

use crate::words::describe::reference;
use crate::words::notation::escape;
use crate::words::route::{below, with_fragment};
use crate::words::{Words, tree};
use crate::{Instance, help};

/// A field is deprecated.
pub(crate) static DEPRECATED_PROPERTY: Code = Code {
    id: "TL0222",
    name: "deprecated-property",
    severity: Severity::Warning,
    summary: "A field is deprecated",
    explanation: "The schema marks the field as deprecated: it still works but will be removed. The message says \
                  what to use instead if the schema does.",
    wrong: "author: Ada  # deprecated: use `authors`\n",
    right: "authors: [Ada]\n",
};

/// A schema with its place.
type Placed<'a> = (String, &'a Value);

/// A value that is still to be looked at.
struct Visit<'a> {
    instance: Instance<'a>,
    key: Option<Span>,
    pointer: String,
    schemas: Vec<Placed<'a>>,
}

/// How many schemas may apply to one value before the walk gives up on it.
const SCHEMAS: usize = 200;

/// The deprecated fields that a document uses, in the order of the document.
pub(crate) fn deprecations(words: &Words<'_>) -> Vec<Diagnostic> {
    let lookup = words.context.schema;
    let root = with_fragment(lookup.root());
    let Some(schema) = lookup.at(&root) else { return Vec::new() };
    let mut found = Vec::new();
    let mut work = vec![Visit {
        instance: words.context.instance,
        key: None,
        pointer: String::new(),
        schemas: vec![(root, schema)],
    }];
    while let Some(visit) = work.pop() {
        let schemas = applying(words, visit.instance, visit.schemas);
        if let Some((place, schema)) = schemas.iter().find(|(_, schema)| is_deprecated(schema)) {
            found.push(word(words, &visit.pointer, visit.key, visit.instance, place, schema, &schemas));
        }
        let mut next = Vec::new();
        for (name, key, value) in tree::entries(visit.instance) {
            let schemas = of_property(&schemas, &name);
            if !schemas.is_empty() {
                let pointer = format!("{}/{}", visit.pointer, escape(&name));
                next.push(Visit { instance: value, key, pointer, schemas });
            }
        }
        for (index, item) in tree::items(visit.instance).unwrap_or_default().into_iter().enumerate() {
            let schemas = of_item(&schemas, index);
            if !schemas.is_empty() {
                let pointer = format!("{}/{index}", visit.pointer);
                next.push(Visit { instance: item, key: None, pointer, schemas });
            }
        }
        work.extend(next.into_iter().rev());
    }
    found
}

fn is_deprecated(schema: &Value) -> bool {
    match schema.get(keyword_of(schema)) {
        Some(Value::Bool(deprecated)) => *deprecated,
        Some(Value::String(_)) => true,
        _ => false,
    }
}

/// Older drafts have no `deprecated`; some authors use the keyword anyway.
fn keyword_of(schema: &Value) -> &'static str {
    if schema.get("deprecated").is_none() && schema.get("x-deprecated").is_some() {
        "x-deprecated"
    } else {
        "deprecated"
    }
}

fn word(
    words: &Words<'_>,
    pointer: &str,
    key: Option<Span>,
    instance: Instance<'_>,
    place: &str,
    schema: &Value,
    beside: &[Placed<'_>],
) -> Diagnostic {
    let keywords = [
        "deprecationMessage",
        "x-deprecated-message",
        "x-deprecation-message",
        "deprecatedMessage",
        "deprecated",
        "x-deprecated",
    ];
    let message = keywords
        .iter()
        .find_map(|keyword| schema.get(keyword)?.as_str())
        .map(|text| text.trim().trim_end_matches('.'));
    let name = words.name(pointer);
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let advice =
        message.filter(|message| !message.is_empty()).map(str::to_owned).or_else(|| advice(description));
    let sentence = match &advice {
        Some(advice) => format!("{name} is deprecated: {advice}"),
        None => format!("{name} is deprecated"),
    };
    let span =
        key.or_else(|| instance.span().map(|span| words.first_line(span))).unwrap_or(words.context.fallback);
    let mut diagnostic = Diagnostic::new(&DEPRECATED_PROPERTY, span, sentence)
        .label("deprecated")
        .path(pointer)
        .level(Level::Schema);
    let rule = below(place, &[keyword_of(schema)]);
    diagnostic
        .related
        .extend(words.rule_label(words.context.schema.span(&rule), "deprecated by the schema here"));
    diagnostic.schema = Some(SchemaPlace { path: rule, keyword: keyword_of(schema).to_owned() });
    match beside.iter().find_map(|(_, schema)| help::description(schema)) {
        Some(description) if !advice.is_some_and(|advice| description.contains(&advice)) => {
            diagnostic.help(description)
        }
        _ => diagnostic,
    }
}

/// The sentence of a description that says what to do instead.
fn advice(description: &str) -> Option<String> {
    let mut rest = description;
    while !rest.trim().is_empty() {
        // What to use instead often follows a semicolon.
        let end = [". ", "; "].iter().filter_map(|end| rest.find(end)).min();
        let (sentence, behind) =
            end.and_then(|end| Some((rest.get(..end)?, rest.get(end + 2..)?))).unwrap_or((rest, ""));
        let lower = sentence.trim().to_lowercase();
        if lower.starts_with("use ") || lower.contains(" instead") || lower.starts_with("deprecated") {
            let sentence = help::first_sentence(sentence)?;
            let told = match sentence.split_at_checked("deprecated".len()) {
                Some((start, told)) if start.eq_ignore_ascii_case("deprecated") => told,
                _ => &sentence,
            };
            let told = told.trim_start_matches([':', ',', ' ', ';', '-']);
            return (!told.is_empty()).then(|| told.to_owned());
        }
        rest = behind;
    }
    None
}

/// All schemas that apply to a value, given those that its place has: references, parts and forms followed.
fn applying<'a>(words: &Words<'a>, instance: Instance<'a>, given: Vec<Placed<'a>>) -> Vec<Placed<'a>> {
    let lookup = words.context.schema;
    let mut found: Vec<Placed<'a>> = Vec::new();
    let mut work: Vec<Placed<'a>> = given.into_iter().rev().collect();
    while let Some((place, schema)) = work.pop() {
        let known = found.iter().any(|(_, other)| std::ptr::eq(*other, schema));
        if known || !schema.is_object() || found.len() >= SCHEMAS {
            continue;
        }
        let mut next: Vec<Placed<'a>> = Vec::new();
        next.extend(reference(lookup, &place, schema));
        for (index, part) in list(schema, "allOf") {
            next.push((below(&place, &["allOf", &index.to_string()]), part));
        }
        for keyword in ["anyOf", "oneOf"] {
            for (index, form) in list(schema, keyword) {
                let form_place = below(&place, &[keyword, &index.to_string()]);
                if !ruled_out(words, instance, &form_place, form, DEPTH) {
                    next.push((form_place, form));
                }
            }
        }
        if let Some(condition) = schema.get("if") {
            let met = !ruled_out(words, instance, &below(&place, &["if"]), condition, DEPTH);
            let keyword = if met { "then" } else { "else" };
            next.extend(schema.get(keyword).map(|then| (below(&place, &[keyword]), then)));
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            for (name, then) in schema.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                if instance.child(name).is_some() && tree::is_map(instance) {
                    next.push((below(&place, &[keyword, name]), then));
                }
            }
        }
        found.push((place, schema));
        work.extend(next.into_iter().rev());
    }
    found
}

fn list<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate()
}

fn of_property<'a>(schemas: &[Placed<'a>], name: &str) -> Vec<Placed<'a>> {
    let mut found = Vec::new();
    for (place, schema) in schemas {
        if let Some(property) = schema.get("properties").and_then(|properties| properties.get(name)) {
            found.push((below(place, &["properties", name]), property));
        } else if schema.get("patternProperties").is_none()
            && let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object())
        {
            found.push((below(place, &["additionalProperties"]), values));
        }
    }
    found
}

fn of_item<'a>(schemas: &[Placed<'a>], index: usize) -> Vec<Placed<'a>> {
    let mut found = Vec::new();
    for (place, schema) in schemas {
        let number = index.to_string();
        let lists = ["prefixItems", "items"];
        let own = lists.iter().find_map(|keyword| Some((*keyword, schema.get(keyword)?.as_array()?)));
        if let Some((keyword, items)) = own
            && let Some(item) = items.get(index)
        {
            found.push((below(place, &[keyword, &number]), item));
            continue;
        }
        let rest = schema.get("items").filter(|items| items.is_object()).map(|items| ("items", items));
        let rest = rest.or_else(|| Some(("additionalItems", schema.get("additionalItems")?)));
        if let Some((keyword, items)) = rest {
            found.push((below(place, &[keyword]), items));
        }
    }
    found
}

/// How many levels of a form are compared with the document.
const DEPTH: usize = 4;

/// Whether a schema certainly does not fit: judged by types, fixed values and required fields.
fn ruled_out(words: &Words<'_>, instance: Instance<'_>, place: &str, schema: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if schema == &Value::Bool(false) {
        return true;
    }
    let scalar = tree::scalar(instance).map(Cow::<Value>::Owned);
    if let Some(kinds) = schema.get("type") {
        let is = |kind: &str| match (kind, scalar.as_deref()) {
            ("object", _) => tree::is_map(instance),
            ("array", None) => !tree::is_map(instance),
            ("string", Some(Value::String(_)))
            | ("boolean", Some(Value::Bool(_)))
            | ("null", Some(Value::Null)) => true,
            ("number" | "integer", Some(Value::Number(_))) => true,
            _ => false,
        };
        let fits = match kinds {
            Value::String(kind) => is(kind),
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(is),
            _ => true,
        };
        if !fits {
            return true;
        }
    }
    if let Some(value) = scalar.as_deref() {
        let other = schema.get("const").is_some_and(|only| only != value);
        let unlisted =
            schema.get("enum").and_then(Value::as_array).is_some_and(|values| !values.contains(value));
        if other || unlisted {
            return true;
        }
    }
    if tree::is_map(instance) {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        if required.filter_map(Value::as_str).any(|name| instance.child(name).is_none()) {
            return true;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            if let Some((value, _)) = instance.child(name)
                && ruled_out(words, value, &below(place, &["properties", name]), property, depth)
            {
                return true;
            }
        }
        if schema.get("additionalProperties") == Some(&Value::Bool(false))
            && schema.get("patternProperties").is_none()
        {
            let unknown = |name: &str| properties.is_none_or(|properties| !properties.contains_key(name));
            if tree::entries(instance).iter().any(|(name, ..)| unknown(name)) {
                return true;
            }
        }
    }
    if let Some((place, target)) = reference(words.context.schema, place, schema)
        && ruled_out(words, instance, &place, target, depth)
    {
        return true;
    }
    list(schema, "allOf").any(|(index, part)| {
        ruled_out(words, instance, &below(place, &["allOf", &index.to_string()]), part, depth)
    })
}
