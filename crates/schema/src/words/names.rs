//! `propertyNames`: the name of a field is not allowed.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::excerpt::quote;
use super::{Worded, Words};
use crate::{Violation, help};

/// The name is not allowed.
pub(crate) static WRONG_NAME: Code = Code {
    id: "TL0215",
    name: "wrong-property-name",
    severity: Severity::Error,
    summary: "The name of a field is not allowed",
    explanation: "The schema restricts the names of a map's fields (`propertyNames`): which characters, how long, \
                  or which words. This is about the name before the colon, not about its value.",
    wrong: "environment:\n  my-variable: on\n",
    right: "environment:\n  MY_VARIABLE: on\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation) -> Vec<Worded> {
    // `propertyNames: false` has no rule below that could say more.
    let [name] = violation.names.as_slice() else { return nameless(words, violation) };
    if violation.causes.is_empty() {
        return nameless(words, violation);
    }
    let place = words.place(violation);
    let subject = format!("the name {} {}", quote(name), words.inside(&violation.instance_path));
    // The rule in the words of its own family, with the name as the value.
    let mut sentences = Vec::new();
    let mut fix = None;
    let mut meant = None;
    for cause in violation.causes.iter().flatten() {
        if matches!(cause.keyword.as_str(), "propertyNames" | "anyOf" | "oneOf") {
            continue;
        }
        for (_, worded) in words.word_rule(cause, &words.route(cause)) {
            sentences.push(spoken_of_name(&worded.message, &words.subject(cause), &quote(name)));
            fix = fix.or(worded.fix);
            let suggestion = worded.help.filter(|help| help.starts_with("did you mean"));
            meant = meant.or(suggestion);
        }
    }
    let mut sentences = sentences.into_iter();
    let message = match sentences.next() {
        Some(sentence) => format!("{subject} {sentence}"),
        None => format!("{subject} is not an allowed name"),
    };
    let mut diagnostic = Diagnostic::new(&WRONG_NAME, place, message).label("this name");
    for sentence in sentences {
        diagnostic = diagnostic.help(format!("it {sentence}"));
    }
    if let Some(meant) = meant {
        diagnostic = diagnostic.help(meant.lines().next().unwrap_or_default());
    }
    if let Some(about) = help::about(std::iter::once(&*violation.want)) {
        diagnostic = diagnostic.help(about);
    }
    diagnostic.fix = fix;
    vec![(Some(name.clone()), diagnostic)]
}

/// A sentence about a value without its subject and without the value, which is the name itself.
fn spoken_of_name(sentence: &str, subject: &str, name: &str) -> String {
    let rest = sentence.strip_prefix(subject).unwrap_or(sentence).trim_start();
    let rest = rest.strip_suffix(&format!(", but it is {name}")).unwrap_or(rest);
    for joint in [", but ", ", which "] {
        if let Some(rest) = rest.strip_prefix(&format!("is {name}{joint}")) {
            return rest.to_owned();
        }
    }
    rest.to_owned()
}

fn nameless(words: &Words<'_>, violation: &Violation) -> Vec<Worded> {
    let message = format!("{} must not have fields", words.subject(violation));
    vec![(None, Diagnostic::new(&WRONG_NAME, words.map_place(violation), message).label("must be empty"))]
}
