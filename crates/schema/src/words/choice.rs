//! `enum` and `const`: the value is not one of those allowed.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Edit, Severity};

use super::excerpt::{list, quote, show};
use super::kind::is_plain_word;
use super::route::Route;
use super::{Words, scalar};
use crate::Violation;

/// The value is not in the list.
pub(crate) static NOT_ONE_OF: Code = Code {
    id: "TL0204",
    name: "not-one-of",
    severity: Severity::Error,
    summary: "A value is not one of the allowed values",
    explanation: "The schema lists the values that a field may have (`enum`), and this is not one of them. Upper \
                  and lower case matter. A listed string such as `\"yes\"` or `\"1.20\"` must be quoted, because \
                  YAML reads the bare word as a boolean or a number.",
    wrong: "install:\n  method: mise-tool\n",
    right: "install:\n  method: mise\n",
};

/// The value is not the fixed one.
pub(crate) static WRONG_CONSTANT: Code = Code {
    id: "TL0205",
    name: "wrong-constant",
    severity: Severity::Error,
    summary: "A field with only one allowed value has another value",
    explanation: "The schema fixes the value of a field (`const`), usually because it says which form the rest of \
                  the map has, or which version of a format is used.",
    wrong: "apiVersion: example.com/v2\n",
    right: "apiVersion: example.com/v1\n",
};

/// Lists up to this many values, and this many characters, are part of the message; longer ones go to the help.
const FEW: usize = 6;
const FEW_LETTERS: usize = 80;
/// How many values the help lists.
const LISTED: usize = 40;
/// How many values are compared with what was typed; thousands of fields may break one rule with thousands of values.
const COMPARED: usize = 1_000;

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let subject = words.subject(violation);
    let place = words.place(violation);
    let options = match (violation.keyword.as_str(), &*violation.want) {
        ("enum", Value::Array(options)) => options.as_slice(),
        (_, want) => std::slice::from_ref(want),
    };
    let got = words.got(violation);
    // If `1.20` is listed and `1.20` was typed, the message has to say their types.
    let of_their_kind = options
        .iter()
        .take(COMPARED)
        .any(|option| super::excerpt::kind(option) == super::excerpt::kind(&got));
    let found = match got.as_ref() {
        Value::String(_) | Value::Number(_) if of_their_kind || words.is_secret(violation) => {
            match words.excerpt(violation) {
                Some(excerpt) => format!("it is {excerpt}"),
                None => "it has a different value".to_owned(),
            }
        }
        Value::Array(items) if of_their_kind && !items.is_empty() => "it is a different list".to_owned(),
        Value::Object(map) if of_their_kind && !map.is_empty() => "it is a different map".to_owned(),
        _ => words.found(violation),
    };
    let mut diagnostic = match options {
        [] => {
            let message = format!("{subject} cannot have any value: the schema lists none");
            return Diagnostic::new(&NOT_ONE_OF, place, message).label("no value is allowed here");
        }
        [only] => {
            let only = show(only);
            let code = if violation.keyword == "const" { &WRONG_CONSTANT } else { &NOT_ONE_OF };
            Diagnostic::new(code, place, format!("{subject} must be {only}, but {found}"))
                .label(format!("expected {only}"))
        }
        options => {
            let all = if options.len() <= FEW { list(options.iter().map(show), "or") } else { String::new() };
            if !all.is_empty() && all.chars().count() <= FEW_LETTERS {
                Diagnostic::new(&NOT_ONE_OF, place, format!("{subject} must be {all}, but {found}"))
                    .label(format!("expected {all}"))
            } else {
                let message = format!("{subject} must be one of {} values, but {found}", options.len());
                Diagnostic::new(&NOT_ONE_OF, place, message).label("not one of the allowed values")
            }
        }
    };
    diagnostic = suggest(words, violation, route, options, diagnostic);
    if !diagnostic.message.contains("must be one of") {
        return diagnostic;
    }
    let shown = options.iter().take(LISTED).map(show).collect::<Vec<_>>().join(", ");
    match options.len().saturating_sub(LISTED) {
        0 => diagnostic.help(format!("allowed values: {shown}")),
        more => diagnostic.help(format!("allowed values: {shown} and {more} more")),
    }
}

fn suggest(
    words: &Words<'_>,
    violation: &Violation,
    route: &Route<'_>,
    options: &[Value],
    diagnostic: Diagnostic,
) -> Diagnostic {
    let sources = words.context.sources;
    let span = violation.instance.value;
    let got = words.got(violation);
    let typed = words.typed(violation);
    if let Value::String(text) = got.as_ref() {
        // `"8080"` was typed where 8080 is listed.
        let is_listed = |meaning: &Value| options.iter().take(COMPARED).any(|option| option == meaning);
        if let Some(meaning) = scalar::meaning(text).filter(is_listed) {
            let diagnostic = diagnostic.help(format!("remove the quotes: {meaning}"));
            let quoted = typed.is_some_and(|typed| typed.starts_with(['"', '\'']));
            return match span.filter(|span| quoted && scalar::editable(sources, *span)) {
                Some(span) => {
                    diagnostic.fix("remove the quotes", vec![Edit { span, replacement: meaning.to_string() }])
                }
                None => diagnostic,
            };
        }
        let place = route.owner().map_or("", |owner| owner.place.as_str());
        let key = format!("{place}/{}", violation.keyword);
        let Some(nearest) = words.nearest(&key, text, options.iter().filter_map(Value::as_str)) else {
            return diagnostic;
        };
        let shown = quote(&nearest);
        // If only one value is possible, the message already names it.
        let diagnostic = match options {
            [_] => diagnostic,
            _ => diagnostic.help(format!("did you mean {shown}?")),
        };
        return match scalar::replace_text(sources, span, text, &nearest) {
            Some(edit) => diagnostic.fix(format!("write {shown}"), vec![edit]),
            None => diagnostic,
        };
    }
    // `1.20` or `yes` was typed where the string is listed.
    let Some(typed) = typed.filter(|text| is_plain_word(text)) else { return diagnostic };
    if !got.is_null() && options.iter().take(COMPARED).any(|option| option.as_str() == Some(typed.as_str())) {
        let diagnostic = diagnostic.help(scalar::as_text(sources, span, Some(&typed)));
        return match scalar::wrap(sources, span, "\"", "\"") {
            Some(edits) => diagnostic.fix("put it in quotes", edits),
            None => diagnostic,
        };
    }
    diagnostic
}
