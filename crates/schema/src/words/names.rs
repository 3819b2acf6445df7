//! `propertyNames`: the name of a field is not of the form that names must have.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::excerpt::quote;
use super::route::Route;
use super::{Worded, Words};
use crate::{Place, Violation};

/// The name is not allowed.
pub(crate) static WRONG_NAME: Code = Code {
    id: "TL0215",
    name: "wrong-property-name",
    severity: Severity::Error,
    summary: "The name of a field is not of the form that names must have",
    explanation: "The schema says what the names of a map's fields may look like (`propertyNames`): which letters, \
how long, or which words. This is about the name before the colon, not about its value.",
    wrong: "environment:\n  my-variable: on\n",
    right: "environment:\n  MY_VARIABLE: on\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Vec<Worded> {
    let causes: Vec<&Violation> = violation.causes.iter().flatten().collect();
    let named = causes.first().and_then(|cause| cause.got.as_ref()).and_then(|got| got.as_str());
    let name = named.or_else(|| violation.names.first().map(String::as_str)).unwrap_or_default().to_owned();
    let map = words.context.instance.at_pointer(&violation.instance_path);
    let key = map.and_then(|(map, _)| map.child(&name)).and_then(|(_, place)| place.key);
    let place = key.unwrap_or_else(|| words.map_place(violation));
    let message = format!(
        "{} is not a name that a field {} may have",
        quote(&name),
        words.inside(&violation.instance_path)
    );
    let mut diagnostic = Diagnostic::new(&WRONG_NAME, place, message).label("this name");
    // The rule itself in the words of its own family: spoken of the name as of a value.
    for cause in causes {
        if matches!(cause.keyword.as_str(), "propertyNames" | "anyOf" | "oneOf") {
            continue;
        }
        let mut cause = cause.clone();
        cause.instance = Place { value: key, key };
        for (_, worded) in words.word_rule(&cause, route) {
            let own = words.subject(&cause);
            let sentence = worded.message.strip_prefix(&own).unwrap_or(&worded.message).trim_start();
            diagnostic = diagnostic.help(format!("the name {sentence}"));
            if let Some(fix) = worded.fix {
                diagnostic.fix = Some(fix);
            }
            if let Some(meant) = worded.help.as_deref().filter(|help| help.starts_with("did you mean")) {
                diagnostic = diagnostic.help(meant.lines().next().unwrap_or_default());
            }
        }
    }
    vec![(Some(name), diagnostic)]
}
