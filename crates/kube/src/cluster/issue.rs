//! One thing that a cluster says of an object: as facts, in the server's words, and in ours.

use std::borrow::Cow;

use trueline_diagnostic::{Diagnostic, Level, RuleInfo, Severity};
use trueline_source::{SourceId, Span};
use trueline_yaml::{DUPLICATE_KEY, SyntaxError};

use super::custom::{CustomAnswer, CustomFact};
use super::repeated::RepeatedKey;
use super::sent::Sent;
use crate::crd::Warning;
use crate::manifest::{self, Fact, Problem};
use crate::{DecodeError, Detail, FieldError, FieldPath, ServerRule, UnknownField};

/// One thing that a cluster says of an object.
#[derive(Debug, Clone, Copy)]
pub struct Issue<'r> {
    pub(super) of: Of<'r>,
    pub(super) severity: Severity,
}

/// What it is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of<'r> {
    Syntax(&'r SyntaxError),
    OldSyntax(&'r SyntaxError),
    RepeatedKey(&'r RepeatedKey),
    Problem(&'r Sent<'r>, &'r Problem),
    Custom(&'r CustomAnswer<'r>, &'r CustomFact),
    Definition(OfDefinition<'r>),
}

/// What it is about, if the object is a CRD.
#[derive(Debug, Clone, Copy)]
pub(super) enum OfDefinition<'r> {
    Unreadable(&'r DecodeError),
    UnknownField(&'r UnknownField),
    Refused(&'r FieldError),
    Warned(&'r Warning),
}

impl<'r> Issue<'r> {
    /// How much it matters.
    pub fn severity(self) -> Severity {
        self.severity
    }

    /// The rule of the server that was broken; nothing if the object could not be read so far, or if the warning has no name.
    pub fn rule(self) -> Option<&'static RuleInfo> {
        self.server_rule().map(|rule| &rule.info)
    }

    /// What is known of the breach besides the rule: limits, names, the words that are allowed.
    pub fn detail(self) -> Option<&'r Detail> {
        match self.of {
            Of::Problem(_, Problem { fact: Fact::Warned(breach, _), .. }) => Some(&breach.detail),
            _ => self.error().map(|error| &error.detail),
        }
    }

    /// The path of the field as the server has it; empty for the whole object.
    pub fn field(self) -> Cow<'r, FieldPath> {
        if let Some(error) = self.error() {
            return Cow::Borrowed(&error.field);
        }
        match self.of {
            Of::RepeatedKey(key) => Cow::Borrowed(&key.field),
            Of::Problem(_, problem) => Cow::Borrowed(&problem.field),
            Of::Custom(_, CustomFact::UnknownField(field, _))
            | Of::Definition(OfDefinition::UnknownField(field)) => Cow::Borrowed(&field.path),
            Of::Custom(_, CustomFact::Unreadable(error))
            | Of::Definition(OfDefinition::Unreadable(error)) => Cow::Borrowed(&error.path),
            Of::Custom(_, CustomFact::NotServed(_) | CustomFact::Deprecated(_)) => {
                Cow::Owned(FieldPath::of("apiVersion"))
            }
            Of::Custom(_, CustomFact::NamespaceDropped(_)) => Cow::Owned(FieldPath::of("metadata.namespace")),
            Of::Syntax(_)
            | Of::OldSyntax(_)
            | Of::Custom(_, CustomFact::Refused(_) | CustomFact::Forgiven(_) | CustomFact::Warned(_))
            | Of::Definition(OfDefinition::Refused(_) | OfDefinition::Warned(_)) => {
                Cow::Owned(FieldPath::default())
            }
        }
    }

    /// Where it was typed, or the nearest place around it; nothing if the object has no places.
    pub fn place(self) -> Option<Span> {
        match self.of {
            Of::Syntax(error) => Some(error.span),
            Of::OldSyntax(_) => None,
            Of::RepeatedKey(key) => Some(key.second),
            Of::Problem(sent, problem) => sent.place(problem.place),
            Of::Custom(answer, fact) => match fact {
                CustomFact::UnknownField(field, _) => field.place,
                CustomFact::Refused(error) | CustomFact::Forgiven(error) => error.place,
                CustomFact::Unreadable(error) => error.place,
                CustomFact::NamespaceDropped(place) => *place,
                CustomFact::NotServed(_) | CustomFact::Deprecated(_) => {
                    answer.sent.get("apiVersion").and_then(|version| version.origin)
                }
                CustomFact::Warned(_) => None,
            },
            Of::Definition(of) => match of {
                OfDefinition::UnknownField(field) => field.place,
                OfDefinition::Refused(error) => error.place,
                OfDefinition::Unreadable(error) => error.place,
                OfDefinition::Warned(warning) => warning.place,
            },
        }
    }

    /// What the server says, in its exact words; nothing where these are not known, as where a built-in kind cannot be
    /// decoded.
    pub fn server_sentence(self) -> Option<String> {
        if let Some(error) = self.error() {
            return Some(error.message());
        }
        match self.of {
            Of::RepeatedKey(key) => Some(key.server_sentence()),
            Of::Problem(_, problem) => match &problem.fact {
                Fact::UnknownField(_, meant) => {
                    let (path, meant) = (problem.field.clone(), meant.clone());
                    Some(UnknownField { path, place: None, meant }.text())
                }
                Fact::Warned(breach, _) => Some(format!("{}: {}", problem.field, breach.sentence())),
                _ => None,
            },
            Of::Custom(_, CustomFact::UnknownField(field, _))
            | Of::Definition(OfDefinition::UnknownField(field)) => Some(field.text()),
            Of::Custom(_, CustomFact::Unreadable(error))
            | Of::Definition(OfDefinition::Unreadable(error)) => Some(error.text.clone()),
            Of::Custom(_, CustomFact::Warned(text) | CustomFact::Deprecated(text)) => Some(text.clone()),
            Of::Definition(OfDefinition::Warned(warning)) => Some(warning.text.clone()),
            _ => None,
        }
    }

    /// What is wrong, in one sentence for people.
    pub fn message(self) -> String {
        self.diagnostic(SourceId::from_index(0).span(0, 0)).message
    }

    /// The finding for a report. `around` is where it goes if it has no place of its own.
    pub fn diagnostic(self, around: Span) -> Diagnostic {
        let finding = match self.of {
            Of::Syntax(error) => error.to_diagnostic(),
            Of::OldSyntax(error) => {
                let why = error.to_diagnostic();
                let message = format!("the old object cannot be read: {}", why.message);
                Diagnostic::new(why.code, around, message).level(Level::Parse)
            }
            Of::RepeatedKey(key) => {
                let name = key.field.last().and_then(|name| name.as_field()).unwrap_or_default();
                Diagnostic::new(
                    &DUPLICATE_KEY,
                    key.second,
                    format!("the key `{name}` appears twice in this map"),
                )
                .label("only this one counts")
                .related(key.first, "first set here")
                .help("remove one of the two")
                .path(key.field.pointer())
                .level(Level::Parse)
            }
            Of::Problem(sent, problem) => {
                sent.with_origins(manifest::diagnostic(problem, &sent.object()), around)
            }
            Of::Custom(answer, fact) => answer.diagnostic(fact, around, &|scalar, _, _| scalar),
            Of::Definition(of) => of.diagnostic(around),
        };
        finding.severity(self.severity)
    }

    /// The error of the server's, if it is one.
    fn error(self) -> Option<&'r FieldError> {
        match self.of {
            Of::Problem(_, problem) => match &problem.fact {
                Fact::Refused(error, _) | Fact::Changed(error, _) | Fact::Later(error) => Some(error),
                _ => None,
            },
            Of::Custom(_, CustomFact::Refused(error) | CustomFact::Forgiven(error))
            | Of::Definition(OfDefinition::Refused(error)) => Some(error),
            _ => None,
        }
    }

    fn server_rule(self) -> Option<&'static ServerRule> {
        match self.of {
            Of::Problem(_, Problem { fact: Fact::Warned(breach, _), .. }) => Some(breach.rule),
            _ => self.error().map(|error| error.rule),
        }
    }
}
