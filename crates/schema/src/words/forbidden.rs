//! `not` and the schema `false`: something that is not allowed.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::excerpt::{list, quote, show};
use super::route::{Route, below};
use super::{Words, describe, list as lists};
use crate::Violation;

/// The value is not allowed.
pub(crate) static FORBIDDEN: Code = Code {
    id: "TL0216",
    name: "forbidden-value",
    severity: Severity::Error,
    summary: "A value or a field is not allowed",
    explanation: "The schema forbids something (`not`, or `false` in place of a schema): a value, a type of value, \
                  or a combination of fields. Remove the field, or choose another value.",
    wrong: "name: latest  # every name but `latest` is allowed\n",
    right: "name: v1.2.3\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    if violation.keyword == "not" { negated(words, violation, route) } else { never(words, violation) }
}

fn never(words: &Words<'_>, violation: &Violation) -> Diagnostic {
    let subject = words.subject(violation);
    let mut way = violation.evaluation_path.rsplit('/');
    let last = way.next().unwrap_or_default();
    if matches!(last, "items" | "additionalItems" | "unevaluatedItems") {
        let message = format!("{subject} is one item too many");
        return Diagnostic::new(&lists::UNEXPECTED_ITEM, words.place(violation), message)
            .label("no item is allowed here");
    }
    let place = violation.instance.key.unwrap_or_else(|| words.place(violation));
    if violation.instance_path.is_empty() {
        return Diagnostic::new(&FORBIDDEN, place, "the schema allows no document at all")
            .label("nothing is allowed here");
    }
    Diagnostic::new(&FORBIDDEN, place, format!("{subject} is not allowed here"))
        .label("not allowed here")
        .help("remove it")
}

fn negated(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let subject = words.subject(violation);
    let rule = &*violation.want;
    let message = if let Some(names) = fields(rule) {
        match names.as_slice() {
            [only] => format!("{subject} must not have {}", quote(only)),
            [first, second] => format!("{subject} must not have both {} and {}", quote(first), quote(second)),
            names => format!(
                "{subject} must not have {} together",
                list(names.iter().map(|name| quote(name)), "and")
            ),
        }
    } else if let Some(names) = any_fields(rule) {
        format!("{subject} must not have {}", list(names.iter().map(|name| quote(name)), "or"))
    } else if let Some(pattern) = rule.get("pattern").and_then(Value::as_str) {
        match words.excerpt(violation) {
            Some(excerpt) => {
                format!("{subject} is {excerpt}, but must not match the pattern {}", quote(pattern))
            }
            None => format!("{subject} must not match the pattern {}", quote(pattern)),
        }
    } else {
        let place = route.owner().map(|owner| below(&owner.place, &["not"])).unwrap_or_default();
        let values = rule.get("enum").and_then(Value::as_array).filter(|values| values.len() <= 6);
        match (values, describe::noun(words.context.schema, &place, rule)) {
            (Some(values), _) => format!("{subject} must not be {}", list(values.iter().map(show), "or")),
            (None, Some(noun)) => format!("{subject} must not be {noun}"),
            (None, None) => format!("{subject} has a form that is not allowed here"),
        }
    };
    let place =
        if words.got(violation).is_object() { words.map_place(violation) } else { words.place(violation) };
    Diagnostic::new(&FORBIDDEN, place, message).label("not allowed here")
}

/// The fields of a rule that only says `required`.
fn fields(rule: &Value) -> Option<Vec<&str>> {
    let rule = rule.as_object()?;
    let names = rule.get("required")?.as_array()?;
    let only =
        rule.keys().all(|keyword| matches!(keyword.as_str(), "required" | "type" | "description" | "title"));
    (only && !names.is_empty()).then(|| names.iter().filter_map(Value::as_str).collect())
}

/// The fields of a rule that is a choice of single fields: none of them may be set.
fn any_fields(rule: &Value) -> Option<Vec<&str>> {
    let branches = rule.get("anyOf")?.as_array()?;
    let single = |branch| match fields(branch)?.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    branches.iter().map(single).collect()
}
