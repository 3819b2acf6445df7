//! Of several forms (`anyOf`, `oneOf`) finds the one that was meant.
//!
//! First the form whose marking field (`const`, `enum`) has the value that was typed, then the one with the
//! fewest mistakes, then the one whose mistakes lie deepest: it matched the document furthest.

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::Violation;
use crate::words::form::branches;
use crate::words::notation::{parts, unescape};
use crate::words::route::Route;
use crate::words::{Words, describe};

/// What to report of a choice of forms.
pub(crate) enum Choice {
    /// The mistakes of one form, with a line that says which.
    Branch { index: usize, note: Option<String> },
    /// All forms fix the value of one field, and it has none of these values: as one rule.
    Values(Box<Violation>),
    /// No form is close, or more than one fits: the choice itself is reported.
    Nothing,
}

/// Chooses what to report of a violated `anyOf` or `oneOf`.
pub(crate) fn choose(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Choice {
    let causes = &violation.causes;
    if causes.iter().any(Vec::is_empty) || causes.is_empty() {
        return Choice::Nothing;
    }
    if causes.len() == 1 {
        return Choice::Branch { index: 0, note: None };
    }
    let here = violation.instance_path.as_str();
    let of_kind: Vec<usize> = (0..causes.len()).filter(|index| !wrong_kind(&causes[*index], here)).collect();
    match of_kind.as_slice() {
        [] => return Choice::Nothing,
        [only] => return branch(words, violation, route, *only),
        _ => {}
    }
    if let Some(merged) = fixed_here(violation, &of_kind) {
        return Choice::Values(Box::new(merged));
    }
    let got = words.got(violation);
    if !got.is_object() && !got.is_array() {
        return Choice::Nothing;
    }
    // Forms that each require only one field are a choice of fields.
    let wants_field = |index: &usize| {
        causes[*index].iter().all(|cause| cause.keyword == "required" && cause.instance_path == here)
    };
    if of_kind.len() == causes.len() && of_kind.iter().all(wants_field) {
        return Choice::Nothing;
    }
    if let Some(merged) = fixed_below(words, violation, &of_kind) {
        return Choice::Values(Box::new(merged));
    }
    let best = of_kind.iter().copied().min_by_key(|index| score(&causes[*index], here));
    match best {
        Some(best) => branch(words, violation, route, best),
        None => Choice::Nothing,
    }
}

fn branch(words: &Words<'_>, violation: &Violation, route: &Route<'_>, index: usize) -> Choice {
    let forms = branches(violation, route);
    // `null` is rarely the form that was meant, so it is not considered.
    let is_null = |form: &Value| form.get("type").and_then(Value::as_str) == Some("null");
    let others = forms.iter().enumerate().filter(|(other, _)| *other != index);
    if others.clone().all(|(_, (_, form))| is_null(form)) {
        return Choice::Branch { index, note: None };
    }
    let form = forms.get(index).and_then(|(place, form)| describe::form(words.context.schema, place, form));
    let note = form.map(|form| {
        let subject = words.subject(violation);
        format!("{subject} can have {} forms; the closest is {form}", violation.causes.len())
    });
    Choice::Branch { index, note }
}

/// Whether a form expects a different type of value.
fn wrong_kind(causes: &[Violation], here: &str) -> bool {
    causes.iter().any(|cause| cause.keyword == "type" && cause.instance_path == here)
}

/// Less is closer: wrong marks, mistakes, and how little of the document matched.
fn score(causes: &[Violation], here: &str) -> (usize, usize, Reverse<usize>) {
    let marks = causes.iter().filter(|cause| is_fixed(cause) && is_child(&cause.instance_path, here)).count();
    let mistakes = causes.iter().map(|cause| cause.names.len().max(1)).sum();
    let depth = causes.iter().map(|cause| cause.instance_path.matches('/').count()).min().unwrap_or(0);
    (marks, mistakes, Reverse(depth))
}

fn is_fixed(violation: &Violation) -> bool {
    matches!(violation.keyword.as_str(), "const" | "enum")
}

fn is_child(path: &str, parent: &str) -> bool {
    path.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
}

/// All forms fix the value itself: one rule with all their values.
fn fixed_here(violation: &Violation, forms: &[usize]) -> Option<Violation> {
    let rules: Option<Vec<&Violation>> = forms
        .iter()
        .map(|index| match violation.causes[*index].as_slice() {
            [only] if is_fixed(only) && only.instance_path == violation.instance_path => Some(only),
            _ => None,
        })
        .collect();
    // Otherwise forms of another type would go unmentioned.
    (forms.len() == violation.causes.len()).then(|| merged(&rules?)).flatten()
}

/// All forms are identified by one field, and its value identifies none of them.
fn fixed_below(words: &Words<'_>, violation: &Violation, forms: &[usize]) -> Option<Violation> {
    let here = violation.instance_path.as_str();
    let first = violation.causes[*forms.first()?].iter();
    let path = first
        .filter(|cause| is_fixed(cause) && is_child(&cause.instance_path, here))
        .map(|cause| &cause.instance_path)
        .find(|path| {
            forms.iter().all(|index| {
                violation.causes[*index].iter().any(|cause| is_fixed(cause) && cause.instance_path == **path)
            })
        })?;
    // A mark must be a field of the map and not an item that happens to be fixed.
    let name = parts(path).last()?;
    words.at(here)?.0.child(&unescape(&name))?;
    let rules: Vec<&Violation> = forms
        .iter()
        .flat_map(|index| {
            violation.causes[*index].iter().filter(|cause| is_fixed(cause) && cause.instance_path == **path)
        })
        .collect();
    merged(&rules)
}

/// One rule that allows what any of several allows.
fn merged(rules: &[&Violation]) -> Option<Violation> {
    let first = *rules.first()?;
    let mut values: Vec<Value> = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    for rule in rules {
        let allowed = match (rule.keyword.as_str(), &*rule.want) {
            ("enum", Value::Array(allowed)) => allowed.as_slice(),
            (_, want) => std::slice::from_ref(want),
        };
        values.extend(allowed.iter().filter(|value| seen.insert(value.to_string())).cloned());
    }
    let keyword = if values.len() == 1 { first.keyword.clone() } else { "enum".to_owned() };
    let want = if keyword == "const" { values.first()?.clone() } else { Value::Array(values) };
    let want = Arc::new(want);
    Some(Violation { keyword, want, causes: Vec::new(), ..first.clone() })
}
