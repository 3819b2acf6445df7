//! `anyOf` and `oneOf` if no form is close enough to report it alone, or more than one fits.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::excerpt::{list, quote};
use super::route::{Route, below};
use super::{Words, describe, kind};
use crate::Violation;

/// No form fits.
pub(crate) static NO_FORM: Code = Code {
    id: "TL0217",
    name: "no-matching-form",
    severity: Severity::Error,
    summary: "A value fits none of the allowed forms",
    explanation: "The schema offers several forms for a value (`anyOf`, `oneOf`), such as a string or a list of \
                  strings, and the value fits none of them. If it is clear which form was meant, the mistakes in \
                  that form are reported instead.",
    wrong: "command:\n  run: build  # a string or a list of strings\n",
    right: "command: build\n",
};

/// More than one form fits.
pub(crate) static SEVERAL_FORMS: Code = Code {
    id: "TL0218",
    name: "several-matching-forms",
    severity: Severity::Error,
    summary: "A value fits more than one form, but must fit exactly one",
    explanation: "Exactly one of several forms must fit (`oneOf`), but more than one does. Often two fields \
                  exclude each other and both are set; remove one of them.",
    wrong: "source:\n  url: https://example.com/tool.tar.gz\n  path: ./tool.tar.gz\n",
    right: "source:\n  url: https://example.com/tool.tar.gz\n",
};

/// How many forms are listed.
const LISTED: usize = 6;

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let fitting: Vec<usize> = violation
        .causes
        .iter()
        .enumerate()
        .filter(|(_, causes)| causes.is_empty())
        .map(|(index, _)| index)
        .collect();
    if fitting.is_empty() {
        none(words, violation, route)
    } else {
        several(words, violation, route, &fitting)
    }
}

fn none(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let subject = words.subject(violation);
    if let Some(choices) = required_choices(violation) {
        let choices = list(choices, "or");
        let message = match violation.keyword.as_str() {
            "oneOf" => format!("{subject} must have exactly one of {choices}, but it has none"),
            _ => format!("{subject} must have {choices}"),
        };
        return Diagnostic::new(&NO_FORM, words.map_place(violation), message)
            .label(format!("expected {choices}"));
    }
    let branches = branches(violation, route);
    let mut nouns: Vec<String> = Vec::new();
    let mut unnamed = false;
    for (place, branch) in &branches {
        match describe::noun(words.context.schema, place, branch) {
            Some(noun) if !nouns.contains(&noun) => nouns.push(noun),
            Some(_) => {}
            None => unnamed = true,
        }
    }
    let place = words.place(violation);
    let found = words.found(violation);
    if nouns.is_empty() || nouns.len() > LISTED || unnamed {
        let forms = violation.causes.len().max(branches.len());
        let message = format!("{subject} fits none of its {forms} allowed forms");
        let diagnostic =
            Diagnostic::new(&NO_FORM, place, message).label(found.trim_start_matches("it is ").to_owned());
        if unnamed {
            return forms_one_by_one(words, violation, diagnostic);
        }
        return match nouns.is_empty() {
            true => diagnostic,
            false => diagnostic.help(format!("it may be {}", list(nouns.into_iter().take(LISTED), "or"))),
        };
    }
    let wanted = list(nouns, "or");
    let diagnostic = Diagnostic::new(&NO_FORM, place, format!("{subject} must be {wanted}, but {found}"))
        .label(format!("expected {wanted}"));
    let kinds: Vec<&str> = branches.iter().filter_map(|(_, branch)| branch.get("type")?.as_str()).collect();
    kind::mend(words, violation, &kinds, &wanted, diagnostic)
}

/// What each form finds wrong, in one line for each of the first few.
fn forms_one_by_one(words: &Words<'_>, violation: &Violation, mut diagnostic: Diagnostic) -> Diagnostic {
    for (index, causes) in violation.causes.iter().enumerate().take(LISTED) {
        // A choice within a choice would be a list within a list.
        let plain = causes.iter().find(|cause| !matches!(cause.keyword.as_str(), "anyOf" | "oneOf"));
        let Some(cause) = plain else { continue };
        if let Some((_, worded)) = words.word_rule(cause, &words.route(cause)).into_iter().next() {
            diagnostic = diagnostic.help(format!("form {}: {}", index + 1, worded.message));
        }
    }
    diagnostic
}

fn several(words: &Words<'_>, violation: &Violation, route: &Route<'_>, fitting: &[usize]) -> Diagnostic {
    let subject = words.subject(violation);
    let branches = branches(violation, route);
    let fitting: Vec<&(String, &Value)> = fitting.iter().filter_map(|index| branches.get(*index)).collect();
    let required: Option<Vec<String>> =
        fitting.iter().map(|(_, branch)| only_required(branch.get("required")?)).collect();
    if let Some(required) = required.filter(|required| required.len() > 1) {
        let (all, count) = (list(required.clone(), "and"), required.len());
        let message = format!("{subject} has {all}, but only one of these {count} may be set");
        return Diagnostic::new(&SEVERAL_FORMS, words.map_place(violation), message)
            .label("exactly one must be set here")
            .help(format!("remove {}", list(required, "or")));
    }
    let forms: Option<Vec<String>> =
        fitting.iter().map(|(place, branch)| describe::form(words.context.schema, place, branch)).collect();
    let mut diagnostic = Diagnostic::new(
        &SEVERAL_FORMS,
        words.place(violation),
        match &forms {
            Some(forms)
                if forms.len() <= LISTED
                    && distinct(forms)
                    && forms.iter().all(|form| !form.contains(" or ")) =>
            {
                let all = violation.causes.len();
                format!(
                    "{subject} must fit only one of {all} forms, but it fits {}",
                    list(forms.clone(), "and")
                )
            }
            _ => {
                let numbers: Vec<String> = violation
                    .causes
                    .iter()
                    .enumerate()
                    .filter(|(_, causes)| causes.is_empty())
                    .map(|(index, _)| (index + 1).to_string())
                    .collect();
                format!(
                    "{subject} must fit only one of {} forms, but it fits numbers {}",
                    violation.causes.len(),
                    list(numbers, "and")
                )
            }
        },
    );
    diagnostic = diagnostic.label("more than one form fits");
    diagnostic
        .help("change the schema so that only one form can fit, or set a field that only one of them has")
}

fn distinct(forms: &[String]) -> bool {
    forms.iter().enumerate().all(|(index, form)| !forms.iter().skip(index + 1).any(|other| other == form))
}

/// The forms with their places.
pub(crate) fn branches<'v>(violation: &'v Violation, route: &Route<'_>) -> Vec<(String, &'v Value)> {
    let Value::Array(branches) = &*violation.want else { return Vec::new() };
    let owner = route.owner().map_or("#", |owner| owner.place.as_str());
    let place = |index: usize| below(owner, &[&violation.keyword, &index.to_string()]);
    branches.iter().enumerate().map(|(index, branch)| (place(index), branch)).collect()
}

/// If every form fails only because a field is missing: the fields of each.
fn required_choices(violation: &Violation) -> Option<Vec<String>> {
    violation
        .causes
        .iter()
        .map(|causes| {
            let missing = causes
                .iter()
                .all(|cause| cause.keyword == "required" && cause.instance_path == violation.instance_path);
            let names: Vec<String> =
                causes.iter().flat_map(|cause| &cause.names).map(|name| quote(name)).collect();
            (missing && !names.is_empty()).then(|| list(names, "and"))
        })
        .collect()
}

fn only_required(required: &Value) -> Option<String> {
    let names: Vec<String> = required.as_array()?.iter().filter_map(Value::as_str).map(quote).collect();
    (names.len() == 1).then(|| names.concat())
}
