//! What is wrong with an object, as facts; [`words`](super::words) says them.

use trueline_diagnostic::Severity;
use trueline_source::Span;

use super::place::Place;
use crate::belongs::Meant;
use crate::{FieldError, KubeVersion, Reason};

/// One thing that is wrong with an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub fact: Fact,
    /// The path of the field as the server writes it; empty for the whole object.
    pub field: String,
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
    /// The type has no field of this name. What was perhaps meant.
    UnknownField(String, Meant),
    /// A value of another type is wanted: what is wanted, and what is there.
    WrongType(&'static str, &'static str),
    /// The value has the right type, but cannot be read: the server's words, and what was perhaps meant.
    Unreadable(String, Vec<String>),
    /// The server's rules refuse it, in the server's own words; and a value that was perhaps meant.
    Refused(FieldError, Option<String>),
    /// The server's rules refuse that it changed, in the server's own words; and where the old value stands.
    Changed(FieldError, Span),
    /// The server takes it and warns, in its own words, or refuses it later; how to mend it, if that is known.
    Warned(Warning, String, Option<String>),
    /// No longer served: since which version, and what is to be used.
    Removed(KubeVersion, Option<String>),
    /// Not served yet: from which version on it is.
    NotYet(KubeVersion),
    /// Deprecated: since which version, which version ends it, and what is to be used.
    Deprecated(KubeVersion, Option<KubeVersion>, Option<String>),
    /// The kind has no namespaces, so that the one named here is dropped.
    NamespaceDropped,
    /// An item of a list has the same keys as an earlier one: taken now, refused or lost when it is merged.
    SameKeys,
    /// `apiVersion` or `kind` is missing or no text.
    NoHead(&'static str),
}

/// What a warning of the server is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warning {
    /// A field, an annotation or a label that has no future.
    Deprecated,
    /// Something that does nothing, or something else than it seems to.
    Doubtful,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) problems: Vec<Problem>,
}

impl Report {
    pub(crate) fn fact(&mut self, place: &Place<'_, '_>, fact: Fact, severity: Severity) {
        self.problems.push(Problem {
            fact,
            field: place.path(),
            place: place.span(),
            severity,
            related: Vec::new(),
        });
    }

    fn refuse(
        &mut self,
        place: &Place<'_, '_>,
        reason: Reason,
        value: Option<String>,
        detail: String,
        meant: Option<String>,
    ) {
        let field = place.path();
        let span = place.span();
        let error = FieldError { value, ..FieldError::new(reason, field.clone(), detail, Some(span)) };
        let fact = Fact::Refused(error, meant);
        self.error(fact, field, span);
    }

    fn error(&mut self, fact: Fact, field: String, place: Span) {
        self.problems.push(Problem { fact, field, place, severity: Severity::Error, related: Vec::new() });
    }

    /// What was refused since there were so many problems is taken now, and refused where it is used.
    pub(crate) fn refused_later(&mut self, before: usize) {
        for problem in self.problems.iter_mut().skip(before) {
            if let Fact::Refused(error, _) = &problem.fact {
                let message = error.message();
                let words = message.strip_prefix(&error.field).unwrap_or(&message).trim_start_matches(": ");
                let words = format!("{words} (the server takes it now, and refuses it where it is used)");
                problem.fact = Fact::Warned(Warning::Doubtful, words, None);
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
    pub(crate) fn is_refused_below(&self, path: &str) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error && is_below(&problem.field, path))
    }

    /// What was refused in a field and below it is taken: the server does not look there.
    pub(crate) fn forget_below(&mut self, path: &str) {
        let is_refused = |problem: &Problem| matches!(problem.fact, Fact::Refused(..));
        self.problems.retain(|problem| !(is_refused(problem) && is_below(&problem.field, path)));
    }

    /// The same, of what was just found below another path: nothing else is looked through.
    pub(crate) fn forget_last_below(&mut self, around: &str, path: &str) {
        let others = self.problems.iter().rposition(|problem| !is_below(&problem.field, around));
        let start = others.map_or(0, |last| last + 1);
        let last = self.problems.split_off(start);
        let is_kept =
            |problem: &Problem| !matches!(problem.fact, Fact::Refused(..)) || !is_below(&problem.field, path);
        self.problems.extend(last.into_iter().filter(is_kept));
    }

    /// A field changed that may not; where it stood before.
    pub(crate) fn change(&mut self, error: FieldError, field: String, place: Span, old: Span) {
        let fact = Fact::Changed(error, old);
        self.error(fact, field, place);
    }

    /// Points at other places that the last problem is about, and says why.
    pub(crate) fn beside(&mut self, related: Vec<(Span, String)>) {
        if let Some(problem) = self.problems.last_mut() {
            problem.related = related;
        }
    }

    /// Something has no future; what is to be written in its place.
    pub(crate) fn deprecated(
        &mut self,
        place: &Place<'_, '_>,
        words: impl Into<String>,
        meant: Option<&str>,
    ) {
        let help = meant.map(|meant| format!("write `{meant}`"));
        self.fact(place, Fact::Warned(Warning::Deprecated, words.into(), help), Severity::Warning);
    }

    /// The server warns of something.
    pub(crate) fn warn(&mut self, place: &Place<'_, '_>, words: impl Into<String>) {
        self.fact(place, Fact::Warned(Warning::Doubtful, words.into(), None), Severity::Warning);
    }

    /// The server warns of something, and it can be said what helps.
    pub(crate) fn warn_with(&mut self, place: &Place<'_, '_>, words: String, help: String) {
        self.fact(place, Fact::Warned(Warning::Doubtful, words, Some(help)), Severity::Warning);
    }

    /// A value is missing.
    pub(crate) fn required(&mut self, place: &Place<'_, '_>, detail: &str) {
        self.refuse(place, Reason::Required, None, detail.to_owned(), None);
    }

    /// A value is not allowed.
    pub(crate) fn invalid(&mut self, place: &Place<'_, '_>, detail: impl Into<String>) {
        self.refuse(place, Reason::Invalid, shown(place), detail.into(), None);
    }

    /// A value is not allowed; the value that was perhaps meant.
    pub(crate) fn invalid_meant(&mut self, place: &Place<'_, '_>, detail: &str, meant: Option<String>) {
        self.refuse(place, Reason::Invalid, shown(place), detail.to_owned(), meant);
    }

    /// A value is missing that the server names by another path than its own.
    pub(crate) fn required_at(&mut self, field: String, span: Span, detail: &str) {
        let error = FieldError::new(Reason::Required, field.clone(), detail, Some(span));
        let fact = Fact::Refused(error, None);
        self.error(fact, field, span);
    }

    /// A value is not allowed that the server names by another path than its own.
    pub(crate) fn invalid_at(&mut self, field: String, place: &Place<'_, '_>, detail: &str) {
        let value = shown(place);
        let span = place.span();
        let error =
            FieldError { value, ..FieldError::new(Reason::Invalid, field.clone(), detail, Some(span)) };
        self.error(Fact::Refused(error, None), field, span);
    }

    /// A value is not allowed that must not be repeated, and that the server names by another path than its own.
    pub(crate) fn invalid_hidden(&mut self, field: String, span: Span, detail: impl Into<String>) {
        let error = FieldError::new(Reason::Invalid, field.clone(), detail, Some(span));
        let fact = Fact::Refused(error.with_value("\"<secret contents redacted>\""), None);
        self.error(fact, field, span);
    }

    /// The key of a map is not allowed, and the server names it by another path than its own.
    pub(crate) fn invalid_key_at(&mut self, field: String, place: &Place<'_, '_>, key: &str, detail: &str) {
        let span = place.at_key().span();
        let error = FieldError::new(Reason::Invalid, field.clone(), detail, Some(span));
        let fact = Fact::Refused(error.with_value(format!("{key:?}")), None);
        self.error(fact, field, span);
    }

    /// Takes what was found elsewhere over, with a path that the server writes in another way.
    pub(crate) fn adopt(&mut self, other: Report, path: &str, server_path: &str) {
        for mut problem in other.problems {
            if let Some(rest) = problem.field.strip_prefix(path) {
                problem.field = format!("{server_path}{rest}");
            }
            if let Fact::Refused(error, _) = &mut problem.fact {
                error.field.clone_from(&problem.field);
            }
            self.problems.push(problem);
        }
    }

    /// The key of a map is not allowed, rather than its value.
    pub(crate) fn invalid_key(&mut self, place: &Place<'_, '_>, key: &str, detail: impl Into<String>) {
        self.refuse(&place.at_key(), Reason::Invalid, Some(format!("{key:?}")), detail.into(), None);
    }

    /// A text breaks a syntax: one error for each complaint.
    pub(crate) fn complain(&mut self, place: &Place<'_, '_>, complaints: Vec<String>) {
        for complaint in complaints {
            self.invalid(place, complaint);
        }
    }

    /// A field must not be set.
    pub(crate) fn forbidden(&mut self, place: &Place<'_, '_>, detail: impl Into<String>) {
        self.refuse(place, Reason::Forbidden, None, detail.into(), None);
    }

    /// A value is there twice.
    pub(crate) fn duplicate(&mut self, place: &Place<'_, '_>) {
        self.refuse(place, Reason::Duplicate, shown(place), String::new(), None);
    }

    /// A value is there twice that the server names by another path than its own.
    pub(crate) fn duplicate_at(&mut self, field: String, span: Span, value: String) {
        let error = FieldError::new(Reason::Duplicate, field.clone(), "", Some(span)).with_value(value);
        let fact = Fact::Refused(error, None);
        self.error(fact, field, span);
    }

    /// What a value refers to is not there; the nearest name that is.
    pub(crate) fn not_found(&mut self, place: &Place<'_, '_>, nearest: Option<&str>) {
        self.refuse(place, Reason::NotFound, shown(place), String::new(), nearest.map(str::to_owned));
    }

    /// The same, and the server says where it looked.
    pub(crate) fn not_found_in(&mut self, place: &Place<'_, '_>, nearest: Option<&str>, detail: String) {
        self.refuse(place, Reason::NotFound, shown(place), detail, nearest.map(str::to_owned));
    }

    /// An error that was found elsewhere.
    pub(crate) fn refused(&mut self, place: &Place<'_, '_>, error: FieldError) {
        let (field, span) = (error.field.clone(), place.span());
        let error = FieldError { place: Some(span), ..error };
        let fact = Fact::Refused(error, None);
        self.error(fact, field, span);
    }

    /// A list has too many items.
    pub(crate) fn too_many(&mut self, place: &Place<'_, '_>, most: usize) {
        let value = Some(place.count().to_string());
        let items = if most == 1 { "item" } else { "items" };
        self.refuse(place, Reason::TooMany, value, format!("must have at most {most} {items}"), None);
    }

    /// A text is too long.
    pub(crate) fn too_long(&mut self, place: &Place<'_, '_>, limit: usize) {
        self.refuse(place, Reason::TooLong, None, format!("may not be more than {limit} bytes"), None);
    }

    /// A value is none of those that are allowed, which the server names in this order.
    pub(crate) fn not_supported(&mut self, place: &Place<'_, '_>, allowed: &[&str]) {
        let list: Vec<String> = allowed.iter().map(|value| format!("\"{value}\"")).collect();
        let detail = format!("supported values: {}", list.join(", "));
        let meant = place.full_text().and_then(|typed| {
            trueline_diagnostic::nearest(typed, allowed.iter().copied()).map(str::to_owned)
        });
        self.refuse(place, Reason::NotSupported, shown(place), detail, meant);
    }
}

/// Whether a field is at a path or below it.
pub(crate) fn is_below(field: &str, path: &str) -> bool {
    field.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// A scalar as the server prints it. Longer things are not repeated.
pub(crate) fn shown(place: &Place<'_, '_>) -> Option<String> {
    let Some(node) = place.node() else { return Some("\"\"".to_owned()) };
    match node.as_str() {
        Some(text) => Some(format!("{text:?}")),
        None => node.text().map(str::to_owned),
    }
}
