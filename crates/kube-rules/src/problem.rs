//! What is wrong with an object, as facts; the crate `kube` says them.

use std::fmt;

use trueline_diagnostic::Severity;
use trueline_kube_facts::meant::Meant;
use trueline_kube_facts::{Breach, FieldError, FieldPath, KubeVersion, Reason, ServerRule, common};
use trueline_source::Span;

use crate::place::FieldPlace;
use crate::types::{TypedAs, WantedType};

/// One thing that is wrong with an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub fact: Fact,
    /// The path of the field as the server has it; empty for the whole object.
    pub field: FieldPath,
    /// Where it was typed, or the nearest place around it.
    pub place: Span,
    /// How much it matters.
    pub severity: Severity,
    /// Other places that it is about, and why.
    pub related: Vec<(Span, String)>,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The type has no field of this name. What may have been meant.
    UnknownField(String, Meant),
    /// A value of another type is wanted: what is wanted, and what is there.
    WrongType(WantedType, TypedAs),
    /// The value has the right type, but cannot be read: why, and what may have been meant.
    Unreadable(Unreadable, Vec<String>),
    /// The server's rules refuse it; and a value that may have been meant.
    Refused(FieldError, Option<String>),
    /// The server's rules refuse that it changed; and where the old value is.
    Changed(FieldError, Span),
    /// The server takes it and warns; how to fix it, if that is known.
    Warned(Breach, Option<String>),
    /// The server takes it now, and refuses it where it is used.
    Later(FieldError),
    /// No longer served: since which version, and what to use instead.
    Removed(KubeVersion, Option<String>),
    /// Not served yet: from which version on it is.
    NotYet(KubeVersion),
    /// Deprecated: since which version, which version ends it, and what to use instead.
    Deprecated(KubeVersion, Option<KubeVersion>, Option<String>),
    /// The kind has no namespaces, so the one named here is dropped.
    NamespaceDropped,
    /// An item of a list has the same keys as an earlier one: taken now, refused or lost when it is merged.
    SameKeys,
    /// `apiVersion` or `kind` is missing or not a string.
    NoHead(&'static str),
}

/// Why a value cannot be read; it prints as the server's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not a quantity.
    Quantity(&'static str),
    /// It is not base64, from this byte on.
    Base64(usize),
    /// It is not a time: what was typed, and what is wrong with it.
    Time(String, &'static str),
    /// It is a number of more bits than this.
    Bits(&'static str),
    /// It is the name of a group or a version, which is lower case.
    Capitals,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Quantity(words) => formatter.write_str(words),
            Unreadable::Base64(byte) => write!(formatter, "illegal base64 data at input byte {byte}"),
            Unreadable::Time(text, why) => write!(formatter, "parsing time {text:?}: {why}"),
            Unreadable::Bits(bits) => write!(formatter, "the number does not fit {bits} bits"),
            Unreadable::Capitals => formatter.write_str("groups and versions are lower case"),
        }
    }
}

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) problems: Vec<Problem>,
}

impl Report {
    pub(crate) fn fact(&mut self, place: &FieldPlace<'_, '_>, fact: Fact, severity: Severity) {
        self.problems.push(Problem {
            fact,
            field: place.path(),
            place: place.span(),
            severity,
            related: Vec::new(),
        });
    }

    fn error(&mut self, fact: Fact, field: FieldPath, place: Span) {
        self.problems.push(Problem { fact, field, place, severity: Severity::Error, related: Vec::new() });
    }

    fn push(&mut self, error: FieldError, meant: Option<String>, place: Span) {
        let field = error.field.clone();
        let error = FieldError { place: Some(place), ..error };
        self.error(Fact::Refused(error, meant), field, place);
    }

    /// A value breaks a rule. What the server prints of the value depends on the kind of error.
    pub(crate) fn refuse(&mut self, place: &FieldPlace<'_, '_>, breach: impl Into<Breach>) {
        self.refuse_meant(place, breach, None);
    }

    /// A value breaks a rule; the value that may have been meant.
    pub(crate) fn refuse_meant(
        &mut self,
        place: &FieldPlace<'_, '_>,
        breach: impl Into<Breach>,
        meant: Option<String>,
    ) {
        let error = FieldError::new(breach, place.path(), None);
        let value = value_of(place, &error);
        self.push(FieldError { value, ..error }, meant, place.span());
    }

    /// A value breaks a rule, and the server prints another value.
    pub(crate) fn refuse_value(
        &mut self,
        place: &FieldPlace<'_, '_>,
        value: impl Into<String>,
        breach: impl Into<Breach>,
    ) {
        self.push(FieldError::new(breach, place.path(), None).with_value(value), None, place.span());
    }

    /// A value breaks a rule that the server names by another path than its own.
    pub(crate) fn refuse_at(
        &mut self,
        field: FieldPath,
        place: &FieldPlace<'_, '_>,
        breach: impl Into<Breach>,
    ) {
        let error = FieldError::new(breach, field, None);
        let value = value_of(place, &error);
        self.push(FieldError { value, ..error }, None, place.span());
    }

    /// Something breaks a rule that the server names by another path than its own, and with this value.
    pub(crate) fn refuse_in(
        &mut self,
        field: FieldPath,
        place: Span,
        value: Option<String>,
        breach: impl Into<Breach>,
    ) {
        self.push(FieldError { value, ..FieldError::new(breach, field, None) }, None, place);
    }

    /// Something breaks a rule that must not be repeated, and that the server names by another path than its own.
    pub(crate) fn refuse_hidden(&mut self, field: FieldPath, place: Span, breach: impl Into<Breach>) {
        self.refuse_in(field, place, Some("\"<secret contents redacted>\"".to_owned()), breach);
    }

    /// The key of a map breaks a rule, rather than its value.
    pub(crate) fn refuse_key(&mut self, place: &FieldPlace<'_, '_>, key: &str, breach: impl Into<Breach>) {
        self.refuse_key_at(place.path(), place, key, breach);
    }

    /// The key of a map breaks a rule, and the server names it by another path than its own.
    pub(crate) fn refuse_key_at(
        &mut self,
        field: FieldPath,
        place: &FieldPlace<'_, '_>,
        key: &str,
        breach: impl Into<Breach>,
    ) {
        self.refuse_in(field, place.at_key().span(), Some(format!("{key:?}")), breach);
    }

    /// A string breaks the rules of a syntax: one error for each.
    pub(crate) fn complain(
        &mut self,
        place: &FieldPlace<'_, '_>,
        breaches: impl IntoIterator<Item = Breach>,
    ) {
        for breach in breaches {
            self.refuse(place, breach);
        }
    }

    /// A field is missing.
    pub(crate) fn missing(&mut self, place: &FieldPlace<'_, '_>) {
        self.refuse(place, &common::MISSING);
    }

    /// A field is missing that the server names by another path than its own.
    pub(crate) fn missing_at(&mut self, field: FieldPath, place: Span) {
        self.refuse_in(field, place, None, &common::MISSING);
    }

    /// A list has too many items.
    pub(crate) fn too_many(&mut self, place: &FieldPlace<'_, '_>, most: usize) {
        self.refuse(place, common::too_many(most));
    }

    /// A string is too long.
    pub(crate) fn too_long(&mut self, place: &FieldPlace<'_, '_>, limit: usize) {
        self.refuse(place, common::too_long(limit));
    }

    /// A value is none of those that are allowed, which the server names in this order.
    pub(crate) fn not_supported(&mut self, place: &FieldPlace<'_, '_>, allowed: &[&'static str]) {
        self.not_supported_by(place, allowed, &common::UNSUPPORTED);
    }

    /// The same, by a rule of its own.
    pub(crate) fn not_supported_by(
        &mut self,
        place: &FieldPlace<'_, '_>,
        allowed: &[&'static str],
        rule: &'static ServerRule,
    ) {
        let meant = place.full_text().and_then(|typed| {
            trueline_diagnostic::nearest(typed, allowed.iter().copied()).map(str::to_owned)
        });
        self.refuse_meant(place, Breach::choices(rule, allowed.iter().copied()), meant);
    }

    /// An error that was found elsewhere.
    pub(crate) fn refused(&mut self, place: &FieldPlace<'_, '_>, error: FieldError) {
        self.push(error, None, place.span());
    }

    /// What was refused since there were so many problems is taken now, and refused where it is used.
    pub(crate) fn refused_later(&mut self, before: usize) {
        for problem in self.problems.iter_mut().skip(before) {
            if let Fact::Refused(error, _) = &problem.fact {
                problem.fact = Fact::Later(error.clone());
                problem.severity = Severity::Warning;
            }
        }
    }

    /// What was refused since there were so many problems is taken.
    pub(crate) fn forget(&mut self, before: usize) {
        let mut index = 0;
        self.problems.retain(|problem| {
            index += 1;
            index <= before || !matches!(problem.fact, Fact::Refused(..))
        });
    }

    /// Whether anything was refused in a field or below it.
    pub(crate) fn is_refused_below(&self, path: &FieldPath) -> bool {
        let is_error = |problem: &&Problem| problem.severity == Severity::Error;
        self.problems.iter().filter(is_error).any(|problem| problem.field.below(path).is_some())
    }

    /// What was refused in a field and below it is taken: the server does not look there.
    pub(crate) fn forget_below(&mut self, path: &FieldPath) {
        let is_refused = |problem: &Problem| matches!(problem.fact, Fact::Refused(..));
        self.problems.retain(|problem| !(is_refused(problem) && problem.field.below(path).is_some()));
    }

    /// The same, of what was just found below another path: nothing else is looked through.
    pub(crate) fn forget_last_below(&mut self, around: &FieldPath, path: &FieldPath) {
        let others = self.problems.iter().rposition(|problem| problem.field.below(around).is_none());
        let start = others.map_or(0, |last| last + 1);
        let last = self.problems.split_off(start);
        let is_kept = |problem: &Problem| {
            !matches!(problem.fact, Fact::Refused(..)) || problem.field.below(path).is_none()
        };
        self.problems.extend(last.into_iter().filter(is_kept));
    }

    /// A field changed that may not; where it stood before.
    pub(crate) fn change(&mut self, error: FieldError, field: FieldPath, place: Span, old: Span) {
        self.error(Fact::Changed(error, old), field, place);
    }

    /// Points at other places that the last problem is about, and says why.
    pub(crate) fn beside(&mut self, related: Vec<(Span, String)>) {
        if let Some(problem) = self.problems.last_mut() {
            problem.related = related;
        }
    }

    /// The server warns of something.
    pub(crate) fn warn(&mut self, place: &FieldPlace<'_, '_>, breach: impl Into<Breach>) {
        self.fact(place, Fact::Warned(breach.into(), None), Severity::Warning);
    }

    /// The server warns of something, and it can be said what helps.
    pub(crate) fn warn_with(&mut self, place: &FieldPlace<'_, '_>, breach: impl Into<Breach>, help: String) {
        self.fact(place, Fact::Warned(breach.into(), Some(help)), Severity::Warning);
    }

    /// Something has no future; what to write in its place.
    pub(crate) fn deprecated(
        &mut self,
        place: &FieldPlace<'_, '_>,
        breach: impl Into<Breach>,
        meant: Option<&str>,
    ) {
        let help = meant.map(|meant| format!("write `{meant}`"));
        self.fact(place, Fact::Warned(breach.into(), help), Severity::Warning);
    }

    /// Takes what was found elsewhere over, with a path that the server writes in another way.
    pub(crate) fn adopt(&mut self, other: Report, path: &FieldPath, server_path: &FieldPath) {
        for mut problem in other.problems {
            if let Some(rest) = problem.field.below(path) {
                problem.field = server_path.segments().iter().chain(rest).cloned().collect();
            }
            if let Fact::Refused(error, _) = &mut problem.fact {
                error.field.clone_from(&problem.field);
            }
            self.problems.push(problem);
        }
    }
}

/// What the server prints of a value with an error.
fn value_of(place: &FieldPlace<'_, '_>, error: &FieldError) -> Option<String> {
    match error.reason() {
        Reason::TooMany => Some(place.count().to_string()),
        reason if reason.shows_value() => shown(place),
        _ => None,
    }
}

/// A scalar as the server prints it. Longer things are not repeated.
pub(crate) fn shown(place: &FieldPlace<'_, '_>) -> Option<String> {
    let Some(node) = place.node() else { return Some("\"\"".to_owned()) };
    match node.as_str() {
        Some(text) => Some(format!("{text:?}")),
        None => node.text().map(str::to_owned),
    }
}
