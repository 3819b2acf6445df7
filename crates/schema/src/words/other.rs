//! Keywords without a family of their own: encoded content, and rules from outside the drafts.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::Words;
use super::excerpt::{quote, show};
use crate::Violation;
use crate::convert::LIMIT;
use crate::guard::TOO_COSTLY;

/// The text does not hold what it should.
pub(crate) static WRONG_CONTENT: Code = Code {
    id: "TL0221",
    name: "wrong-content",
    severity: Severity::Error,
    summary: "A text does not hold content of the kind that its field asks for",
    explanation: "The schema says what a text holds: how it is encoded (`contentEncoding`, such as base64) or what it \
is (`contentMediaType`, such as application/json). The text cannot be read that way.",
    wrong: "data: not base64!\n",
    right: "data: aGVsbG8=\n",
};

/// A rule without words of its own.
pub(crate) static OTHER_RULE: Code = Code {
    id: "TL0223",
    name: "schema-rule",
    severity: Severity::Error,
    summary: "A value does not keep a rule of its schema",
    explanation: "The schema has a rule under a keyword that has no explanation of its own here. The message names \
the keyword; look at its value in the schema.",
    wrong: "",
    right: "",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation) -> Diagnostic {
    let subject = words.subject(violation);
    let place = words.place(violation);
    match violation.keyword.as_str() {
        "contentEncoding" => {
            let encoding = show(&violation.want);
            Diagnostic::new(
                &WRONG_CONTENT,
                place,
                format!("{subject} is not text in the encoding {encoding}"),
            )
            .label(format!("cannot be decoded as {encoding}"))
        }
        "contentMediaType" => {
            let kind = match violation.want.as_str() {
                Some("application/json") => "JSON".to_owned(),
                _ => format!("content of the type {}", show(&violation.want)),
            };
            Diagnostic::new(&WRONG_CONTENT, place, format!("{subject} does not hold {kind}"))
                .label(format!("cannot be read as {kind}"))
        }
        LIMIT => {
            let why = match violation.want.as_str() {
                Some("depth") => "it is nested too deep to be validated against its schema",
                Some("errors") => "it breaks its schema in more ways than can be listed",
                _ => "finding out whether it keeps to its schema takes too long",
            };
            Diagnostic::new(&TOO_COSTLY, place.at_start(), format!("checking was stopped: {why}"))
                .help("look for deep nesting, and for `anyOf` or `oneOf` in the schema that lead back to themselves")
        }
        keyword => {
            let message = format!("{subject} does not keep the rule {} of its schema", quote(keyword));
            Diagnostic::new(&OTHER_RULE, place, message).label("here")
        }
    }
}
