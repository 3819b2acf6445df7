//! What came out of a review.

use std::fmt;

use trueline_diagnostic::{Diagnostic, Severity};
use trueline_source::Span;
use trueline_yaml::{SyntaxError, Value};

use super::Cluster;
use super::answer::Answer;
use super::definition::DefinitionAnswer;
use super::issue::{Issue, Of, OfDefinition};
use super::repeated::{RepeatedKey, repeated_keys};
use super::request::Request;
use super::sent::Sent;
use crate::cel::{Locate, policy};
use crate::crd::severity_of_unknown;
use crate::manifest::{self, Object, Problem, Skip, Suggestions};
use crate::structural::NotStructural;

/// What a cluster says of an object.
pub struct Review<'a> {
    cluster: &'a Cluster,
    request: Request<'a>,
    /// Nothing if it is not JSON.
    sent: Option<Sent<'a>>,
    old: Option<Sent<'a>>,
    repeated: Vec<RepeatedKey>,
    answer: Answer<'a>,
}

/// How a review ended.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'r> {
    /// The object was reviewed, or could not even be read: errors and warnings say all there is to say.
    Reviewed,
    /// It has neither `apiVersion` nor `kind`.
    NotAnObject,
    /// Neither Kubernetes nor a CRD of the cluster defines its kind. A built-in kind with a similar name, in the same group
    /// and version.
    UnknownKind(Option<&'static str>),
    /// The CRD of its kind cannot be used.
    UnusableDefinition(&'r NotStructural),
}

impl fmt::Debug for Review<'_> {
    /// Without the object.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (repeated, answer) = (&self.repeated, &self.answer);
        let mut review = formatter.debug_struct("Review");
        review.field("repeated", repeated).field("answer", answer).finish_non_exhaustive()
    }
}

impl<'a> Review<'a> {
    pub(super) fn new(
        cluster: &'a Cluster,
        request: Request<'a>,
        (sent, old): (Sent<'a>, Option<Sent<'a>>),
        answer: Answer<'a>,
    ) -> Self {
        let repeated = sent.document().map(repeated_keys).unwrap_or_default();
        Review { cluster, request, sent: Some(sent), old, repeated, answer }
    }

    pub(super) fn unread(cluster: &'a Cluster, request: Request<'a>, error: SyntaxError) -> Self {
        let (sent, old, repeated) = (None, None, Vec::new());
        Review { cluster, request, sent, old, repeated, answer: Answer::Unread(error) }
    }

    /// How it ended.
    pub fn outcome(&self) -> Outcome<'_> {
        match &self.answer {
            Answer::Skipped(Skip::NotAnObject) => Outcome::NotAnObject,
            Answer::Skipped(Skip::UnknownKind(near)) => Outcome::UnknownKind(*near),
            Answer::Unusable(error) => Outcome::UnusableDefinition(error),
            _ => Outcome::Reviewed,
        }
    }

    /// Whether a CRD defines the kind of the object.
    pub fn is_of_custom_kind(&self) -> bool {
        matches!(self.answer, Answer::Custom(_) | Answer::Unusable(_))
    }

    /// Whether the object was reviewed and the cluster would take it.
    pub fn is_accepted(&self) -> bool {
        matches!(self.outcome(), Outcome::Reviewed) && self.errors().next().is_none()
    }

    /// Why the cluster would refuse the object.
    pub fn errors(&self) -> impl Iterator<Item = Issue<'_>> {
        self.issues().filter(|issue| issue.severity == Severity::Error)
    }

    /// What the cluster would warn of.
    pub fn warnings(&self) -> impl Iterator<Item = Issue<'_>> {
        self.issues().filter(|issue| issue.severity != Severity::Error)
    }

    /// Errors and warnings, those of a built-in kind in the order of their places.
    pub fn issues(&self) -> impl Iterator<Item = Issue<'_>> {
        let severity = severity_of_unknown(self.request.options.field_validation);
        let repeated = self
            .repeated
            .iter()
            .filter_map(move |key| severity.map(|severity| Issue { of: Of::RepeatedKey(key), severity }));
        repeated.chain(self.answered())
    }

    fn answered(&self) -> Box<dyn Iterator<Item = Issue<'_>> + '_> {
        let error = |of| Issue { of, severity: Severity::Error };
        let sent = self.sent.as_ref();
        match &self.answer {
            Answer::Unread(syntax) => Box::new(std::iter::once(error(Of::Syntax(syntax)))),
            Answer::UnreadOld(syntax) => Box::new(std::iter::once(error(Of::OldSyntax(syntax)))),
            Answer::BuiltIn { problems, .. } => Box::new(sent.into_iter().flat_map(move |sent| {
                problems
                    .iter()
                    .map(move |problem| Issue { of: Of::Problem(sent, problem), severity: problem.severity })
            })),
            Answer::Custom(answer) => Box::new(
                answer
                    .facts
                    .iter()
                    .map(|fact| Issue { of: Of::Custom(answer, fact), severity: fact.severity() }),
            ),
            Answer::Definition(answer) => match &**answer {
                DefinitionAnswer::Unreadable(why) => {
                    Box::new(std::iter::once(error(Of::Definition(OfDefinition::Unreadable(why)))))
                }
                DefinitionAnswer::Read { unknown, severity, verdict } => {
                    let unknown = severity.iter().flat_map(|severity| {
                        unknown.iter().map(move |field| Issue {
                            of: Of::Definition(OfDefinition::UnknownField(field)),
                            severity: *severity,
                        })
                    });
                    let refused = verdict.errors.iter().map(OfDefinition::Refused);
                    let warned = verdict.warnings.iter().map(OfDefinition::Warned);
                    let warned =
                        warned.map(|of| Issue { of: Of::Definition(of), severity: Severity::Warning });
                    Box::new(unknown.chain(refused.map(move |of| error(Of::Definition(of)))).chain(warned))
                }
            },
            Answer::Skipped(_) | Answer::Unusable(_) => Box::new(std::iter::empty()),
        }
    }

    /// The rules in CEL that could not be asked because they do not compile, which is wrong with the CRD and not with the
    /// object.
    pub fn uncompiled_rules(&self) -> impl Iterator<Item = &str> {
        let rules = match &self.answer {
            Answer::Custom(answer) => answer.uncompiled.as_slice(),
            _ => &[],
        };
        rules.iter().map(AsRef::as_ref)
    }

    /// The object as the server would store it: without unknown fields, with defaults and what the server fills in. What
    /// admission plugins and controllers add is not there, nor what is chance, as a `uid` is. Nothing if the cluster
    /// would refuse the object, or if it is a CRD, of which the server fills in what others decide.
    pub fn stored(&self) -> Option<Value> {
        if !self.is_accepted() {
            return None;
        }
        let namespace = self.request.namespace;
        match &self.answer {
            Answer::Custom(answer) => answer.stored(namespace),
            Answer::BuiltIn { kind: Some(kind), .. } => {
                let (api, sent) = (self.cluster.api?, self.sent.as_ref()?);
                let object = sent.value();
                // Fields may have other names in another version.
                let old = self.old.as_ref().filter(|old| old.head() == sent.head());
                Some(match old {
                    Some(old) => policy::admitted_update(api, kind, &object, &old.value(), namespace).0,
                    None => policy::admitted(api, kind, &object, namespace),
                })
            }
            _ => None,
        }
    }

    /// What the rules of built-in kinds say, in order of place; empty for all other kinds.
    pub fn problems(&self) -> &[Problem] {
        match &self.answer {
            Answer::BuiltIn { problems, .. } => problems,
            _ => &[],
        }
    }

    /// The same without what follows from other mistakes: what would be gone if the mistakes whose fix is sure were
    /// fixed. `text` is what the object is written in.
    pub fn root_causes(&self, text: &str) -> Vec<Problem> {
        let Some(sent) = &self.sent else { return Vec::new() };
        let old = self.old.as_ref().map(Sent::object);
        let validate = |object: &Object<'_>| self.cluster.verdict(object, old.as_ref(), &self.request);
        manifest::without_consequences(self.problems().to_vec(), &sent.object(), text, validate)
    }

    /// The findings for a report, one for each mistake. `around` is where they go that have no place of their own; `locate`
    /// finds the place of a part of an expression.
    pub fn diagnostics(&self, around: Span, locate: &Locate<'_>) -> Vec<Diagnostic> {
        let severity = severity_of_unknown(self.request.options.field_validation);
        let mut findings: Vec<Diagnostic> = self
            .repeated
            .iter()
            .filter_map(|key| {
                Some(Issue { of: Of::RepeatedKey(key), severity: severity? }.diagnostic(around))
            })
            .collect();
        match (&self.answer, &self.sent) {
            (Answer::BuiltIn { problems, .. }, Some(sent)) => {
                let text = sent.text().filter(|_| self.request.options.suggestions == Suggestions::Searched);
                let causes = text.map_or_else(|| problems.clone(), |text| self.root_causes(text));
                let issue = |problem| Issue { of: Of::Problem(sent, problem), severity: problem.severity };
                let found = causes.iter().map(|problem| issue(problem).diagnostic(around)).collect();
                findings.extend(manifest::together(&causes, found));
            }
            (Answer::Custom(answer), _) => findings.extend(answer.diagnostics(around, locate)),
            _ => findings.extend(self.answered().map(|issue| issue.diagnostic(around))),
        }
        findings
    }
}
