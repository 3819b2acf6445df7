//! Keywords that belong to no family: encoded content, and rules from outside the drafts.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::Words;
use super::excerpt::{quote, show};
use crate::Violation;
use crate::convert::LIMIT;
use crate::guard::TOO_COSTLY;

/// The string does not have the required content.
pub(crate) static WRONG_CONTENT: Code = Code {
    id: "TL0221",
    name: "wrong-content",
    severity: Severity::Error,
    summary: "A string does not have the required encoding or content",
    explanation: "The schema says how a string is encoded (`contentEncoding`, such as base64) or what it contains \
                  (`contentMediaType`, such as application/json). The string cannot be read that way.",
    wrong: "data: not base64!\n",
    right: "data: aGVsbG8=\n",
};

/// A rule without its own message.
pub(crate) static OTHER_RULE: Code = Code {
    id: "TL0223",
    name: "schema-rule",
    severity: Severity::Error,
    summary: "A value violates a rule of its schema",
    explanation: "The schema has a rule whose keyword has no page of its own. The message names the keyword; look \
                  at its value in the schema.",
    wrong: "",
    right: "",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation) -> Diagnostic {
    let subject = words.subject(violation);
    let place = words.place(violation);
    match violation.keyword.as_str() {
        "contentEncoding" => {
            let encoding = show(&violation.want);
            Diagnostic::new(&WRONG_CONTENT, place, format!("{subject} is not encoded as {encoding}"))
                .label(format!("cannot be decoded as {encoding}"))
        }
        "contentMediaType" => {
            let kind = match violation.want.as_str() {
                Some("application/json") => "JSON".to_owned(),
                _ => format!("content of type {}", show(&violation.want)),
            };
            Diagnostic::new(&WRONG_CONTENT, place, format!("{subject} does not contain {kind}"))
                .label(format!("cannot be read as {kind}"))
        }
        LIMIT => {
            let why = match violation.want.as_str() {
                Some("depth") => "it is too deeply nested",
                Some("errors") => "it has too many errors",
                _ => "validation takes too long",
            };
            Diagnostic::new(&TOO_COSTLY, place.at_start(), format!("checking was stopped: {why}"))
                .help("look for deep nesting, and for recursive `anyOf` or `oneOf` in the schema")
        }
        keyword => {
            let message = format!("{subject} violates the rule {} of its schema", quote(keyword));
            Diagnostic::new(&OTHER_RULE, place, message).label("here")
        }
    }
}
