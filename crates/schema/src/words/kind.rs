//! `type`: the value has the wrong type.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Edit, Severity};

use super::excerpt::{list, quote};
use super::route::Route;
use super::{Words, describe, scalar};
use crate::Violation;

/// The value has the wrong type.
pub(crate) static WRONG_TYPE: Code = Code {
    id: "TL0201",
    name: "wrong-type",
    severity: Severity::Error,
    summary: "A value has the wrong type",
    explanation: "The schema says which type of value a field holds: a string, a number, a boolean, a list or a \
                  map. The value here has another type.\n\nIn YAML the type follows from how a value is written. \
                  `1.20` is a number (and loses its last digit), `yes` and `on` are booleans, and a field with \
                  nothing after its colon is null. Put quotes around a value that is meant as a string, and remove \
                  them from a number.",
    wrong: "metadata:\n  version: 1.20\n",
    right: "metadata:\n  version: \"1.20\"\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let wanted = wanted(words, violation, route);
    let message = format!("{} must be {wanted}, but {}", words.subject(violation), words.found(violation));
    let diagnostic =
        Diagnostic::new(&WRONG_TYPE, words.place(violation), message).label(format!("expected {wanted}"));
    let kinds = kinds(&violation.want);
    let diagnostic = mend(words, violation, &kinds, &wanted, diagnostic);
    let fields = route.owner().filter(|_| kinds.contains(&"object")).and_then(|owner| fields(owner.schema));
    match fields {
        Some(fields) => diagnostic.help(fields),
        None => diagnostic,
    }
}

/// The fields of the expected map, if they are few: required ones first.
fn fields(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let others = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    let names: Vec<String> = required.iter().copied().chain(others).map(quote).collect();
    (1..=8).contains(&names.len()).then(|| format!("its fields are {}", list(names, "and")))
}

/// The types that `type` lists.
fn kinds(want: &Value) -> Vec<&str> {
    match want {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn wanted(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> String {
    let kinds = kinds(&violation.want);
    let noun = |kind: &&str| match route.owner() {
        // The schema around it may say more, such as what a list contains.
        Some(owner) => describe::shape(words.context.schema, &owner.place, owner.schema, kind),
        None => describe::kind(kind).to_owned(),
    };
    match kinds.as_slice() {
        [] => "of another type".to_owned(),
        kinds => list(kinds.iter().map(noun), "or"),
    }
}

/// Help for the usual reasons, with a change to the text where it is sure; `wanted` is what the sentence asks for.
pub(crate) fn mend(
    words: &Words<'_>,
    violation: &Violation,
    kinds: &[&str],
    wanted: &str,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let sources = words.context.sources;
    let span = violation.instance.value;
    let typed = words.typed(violation);
    let secret = words.is_secret(violation);
    let wants = |kind: &str| kinds.contains(&kind);
    match words.got(violation).as_ref() {
        Value::Number(_) | Value::Bool(_) if wants("string") => {
            // An alias or a computed value is not what is in the text.
            let Some(typed) = typed.filter(|text| is_plain_word(text)) else { return diagnostic };
            let diagnostic =
                diagnostic.help(scalar::as_text(sources, span, (!secret).then_some(typed.as_str())));
            match scalar::wrap(sources, span, "\"", "\"") {
                Some(edits) => diagnostic.fix("put it in quotes", edits),
                None => diagnostic,
            }
        }
        Value::String(text) if !secret && (wants("number") || wants("integer") || wants("boolean")) => {
            let fits = |meaning: &Value| match meaning {
                Value::Bool(_) => wants("boolean"),
                Value::Number(number) => wants("number") || (wants("integer") && !number.is_f64()),
                _ => false,
            };
            let Some(meaning) = scalar::meaning(text).filter(fits) else { return diagnostic };
            let quoted = typed.is_some_and(|typed| typed.starts_with(['"', '\'']));
            let diagnostic = diagnostic.help(format!("remove the quotes: {meaning}"));
            match span.filter(|span| quoted && scalar::editable(sources, *span)) {
                Some(span) => {
                    diagnostic.fix("remove the quotes", vec![Edit { span, replacement: meaning.to_string() }])
                }
                None => diagnostic,
            }
        }
        Value::String(text) if wants("object") && text.contains(':') && !text.contains(' ') && !secret => {
            diagnostic.help("put a space after the colon to make it a key with a value")
        }
        Value::Null => {
            let empty = match kinds {
                kinds if kinds.contains(&"array") => ", write `[]` for an empty list,",
                kinds if kinds.contains(&"object") => ", write `{}` for an empty map,",
                _ => "",
            };
            diagnostic.help(format!("write a value{empty} or remove it"))
        }
        Value::Object(map) if wants("array") && map.is_empty() => {
            diagnostic.help("write `[]` for an empty list")
        }
        Value::String(text) if wants("array") && text.is_empty() => {
            diagnostic.help("write `[]` for an empty list")
        }
        Value::Array(items) if wants("object") && items.is_empty() => {
            diagnostic.help("write `{}` for an empty map")
        }
        Value::Object(_) if wants("array") && !wants("string") => {
            diagnostic.help("begin each item with `- `")
        }
        Value::Array(items) if wants("object") && items.iter().all(Value::is_object) && !items.is_empty() => {
            diagnostic.help("remove the `- ` before the fields")
        }
        Value::Array(items) if wants("string") && items.len() == 1 => {
            diagnostic.help("write the item without a list")
        }
        Value::Number(_) | Value::Bool(_) if wants("array") => {
            diagnostic.help("write it as a list: begin each item with `- `")
        }
        // A string in brackets helps only where strings are listed.
        Value::String(_)
            if wants("array") && !wanted.contains("list of strings") && !wanted.ends_with("a list") =>
        {
            diagnostic
        }
        Value::String(_) if wants("array") => {
            let Some(typed) = typed.filter(|text| !text.contains([',', '[', ']', '{', '}', '*', '&', '!']))
            else {
                return diagnostic.help("write it as a list: begin each item with `- `");
            };
            let help = if secret {
                "write it as a list".to_owned()
            } else {
                format!("write it as a list: [{typed}]")
            };
            let diagnostic = diagnostic.help(help);
            match scalar::wrap(sources, span, "[", "]") {
                Some(edits) => diagnostic.fix("write it as a list", edits),
                None => diagnostic,
            }
        }
        _ => diagnostic,
    }
}

/// Whether a string would be a number or a boolean without quotes.
pub(crate) fn is_plain_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+' | '_' | ':'))
}
