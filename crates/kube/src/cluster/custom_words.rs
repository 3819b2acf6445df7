//! Findings about objects of kinds that CRDs define: the one place where the facts of a review become sentences.

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::codes::{NOT_SERVED, SERVER_WARNING, UNREADABLE_OBJECT};
use super::custom::{CustomAnswer, CustomFact};
use crate::cel::Locate;
use crate::crd::unreadable_words;
use crate::manifest::{self, Meant};
use crate::object::{says_rules_not_checked, union_findings};
use crate::{FieldError, FieldPath, Reason, RuleFact, Segment, UnknownField, offer};

/// The label of an object that a default of its CRD was put into.
const TAKES_DEFAULT: &str = "this object takes the default";

impl CustomAnswer<'_> {
    /// The findings for a report. `around` is where they go that have no place of their own.
    pub(super) fn diagnostics(&self, around: Span, locate: &Locate<'_>) -> Vec<Diagnostic> {
        let is_about_fields =
            |fact: &&CustomFact| matches!(fact, CustomFact::UnknownField(..) | CustomFact::Refused(_));
        let slips = self.slips();
        let fields = self.facts.iter().filter(is_about_fields).filter(|fact| !follows_from(fact, &slips));
        let mut findings: Vec<Diagnostic> =
            fields.map(|fact| self.diagnostic(fact, around, locate)).collect();
        if let (Some(version), Some(object)) = (self.version, &self.object)
            && let Some(schema) = version.schema.as_ref().filter(|_| version.has_unions)
        {
            findings.extend(union_findings(schema, object, around));
        }
        let others = self.facts.iter().filter(|fact| !is_about_fields(fact));
        findings.extend(others.map(|fact| self.diagnostic(fact, around, locate)));
        findings
    }

    /// The fields that misspelt names were meant for.
    fn slips(&self) -> FxHashSet<String> {
        let meant = self.facts.iter().filter_map(|fact| match fact {
            CustomFact::UnknownField(UnknownField { path, meant: Meant::Name(name), .. }, _) => {
                Some(path.parent().field(name.clone()).pointer())
            }
            _ => None,
        });
        meant.collect()
    }

    /// The finding for a fact.
    pub(super) fn diagnostic(&self, fact: &CustomFact, around: Span, locate: &Locate<'_>) -> Diagnostic {
        let kind = &*self.resource.kind;
        let head = || self.sent.get("apiVersion").and_then(|version| version.origin).unwrap_or(around);
        let finding = match fact {
            CustomFact::NotServed(served) => {
                let version = self.api_version().rsplit('/').next().unwrap_or_default();
                let message = format!("the CRD of `{kind}` serves no version `{version}`");
                let finding = Diagnostic::new(&NOT_SERVED, head(), message);
                match served.as_slice() {
                    [] => finding.help("it serves no version at all"),
                    served => finding.help(format!("it serves {}", served.join(", "))),
                }
            }
            CustomFact::Unreadable(error) => {
                Diagnostic::new(&UNREADABLE_OBJECT, error.place.unwrap_or(around), unreadable_words(error))
            }
            CustomFact::UnknownField(field, severity) => {
                let place = field.place.unwrap_or(around);
                let name = field.path.last().and_then(Segment::as_field).unwrap_or_default();
                manifest::unknown_field(&field.path.to_string(), name, &field.meant, (kind, place))
                    .path(field.path.pointer())
                    .severity(*severity)
            }
            CustomFact::Refused(error) => self.refused(error, around, locate),
            CustomFact::Warned(text) => Diagnostic::new(&SERVER_WARNING, around, text.clone()),
            CustomFact::Forgiven(error) => {
                let finding = manifest::refused(error, error.place.unwrap_or(around));
                Diagnostic { code: &SERVER_WARNING, kube: None, rule: None, ..finding }
                    .severity(Severity::Warning)
                    .help("an update is accepted, because this value has not changed")
            }
            CustomFact::Deprecated(text) => {
                // A CRD can have words of its own for it, which need not say what they are about.
                let message = match text.contains("is deprecated") {
                    true => text.clone(),
                    false => format!("`{}` of `{kind}` is deprecated: {text}", self.api_version()),
                };
                Diagnostic::new(&SERVER_WARNING, head(), message)
            }
            CustomFact::NamespaceDropped(place) => {
                manifest::namespace_dropped(kind, place.unwrap_or(around)).path("/metadata/namespace")
            }
        };
        finding.level(Level::Semantic)
    }

    fn api_version(&self) -> &str {
        self.sent.get("apiVersion").and_then(Value::as_str).unwrap_or_default()
    }

    fn refused(&self, error: &FieldError, around: Span, locate: &Locate<'_>) -> Diagnostic {
        let missing =
            (error.reason() == Reason::Required).then(|| place_of_missing(&self.sent, &error.field));
        let (key, is_null) = missing.unwrap_or_default();
        let place = key.or(error.place).unwrap_or(around);
        let finding = at_failing_part(manifest::refused(error, place), error, locate);
        let finding = if is_null { finding.help("a field that is null counts as missing") } else { finding };
        let finding = match error.meant() {
            Some(meant) => offer(finding, &meant),
            None => finding,
        };
        let is_default = self.definition.is_some_and(|definition| {
            let is_within = |outer: Span| {
                outer.source == place.source && outer.start <= place.start && place.end <= outer.end
            };
            is_within(definition) && !self.sent.origin.is_some_and(is_within)
        });
        let finding = if is_default { self.of_default(finding, around) } else { finding };
        match error.field.is_empty() {
            // It follows from the other errors.
            true if says_rules_not_checked(error) => finding.severity(Severity::Note),
            true => finding,
            false => finding.path(error.field.pointer()),
        }
    }

    /// A finding about a value that the CRD put into the object.
    fn of_default(&self, finding: Diagnostic, around: Span) -> Diagnostic {
        let kind = &self.resource.kind;
        let message =
            format!("the CRD of `{kind}` has a default that it refuses itself: {}", finding.message);
        let name = self.sent.get("metadata").and_then(|metadata| metadata.get("name"));
        let object = name.and_then(|name| name.origin).unwrap_or(around);
        Diagnostic { message, fix: None, ..finding }
            .related(object, TAKES_DEFAULT)
            .help("fix the default, or set the field in the object")
    }
}

/// The finding for a rule that fails on an object, with the part of the rule that fails.
fn at_failing_part(mut finding: Diagnostic, error: &FieldError, locate: &Locate<'_>) -> Diagnostic {
    if let Some(RuleFact::Failed { rule: Some(rule), expression, part: Some(part), .. }) =
        error.expression.as_deref()
        && let Some(label) = finding.related.iter_mut().find(|label| label.span == *rule)
    {
        label.span = locate(*rule, expression, part.clone());
    }
    finding
}

/// Whether a finding is about a default that a CRD put into an object.
pub fn is_about_default(finding: &Diagnostic) -> bool {
    finding.related.iter().any(|label| label.text == TAKES_DEFAULT)
}

/// A misspelt field is one mistake: that the field which was meant is missing is not reported as well.
fn follows_from(fact: &CustomFact, slips: &FxHashSet<String>) -> bool {
    let CustomFact::Refused(error) = fact else { return false };
    !slips.is_empty() && error.reason() == Reason::Required && slips.contains(&error.field.pointer())
}

/// The key to point at for a missing field: its own if it was typed as null, otherwise that of what should hold it. The second
/// part is whether it is null.
pub fn place_of_missing(object: &Value, field: &FieldPath) -> (Option<Span>, bool) {
    let (mut here, mut key) = (object, None);
    let mut steps = field.segments().iter().filter(|step| !step.is("")).peekable();
    while let Some(step) = steps.next() {
        match (&here.data, step) {
            (Data::Map(map), Segment::Field(name) | Segment::Key(name)) => match map.get(&**name) {
                Some(entry) => (here, key) = (&entry.value, entry.key_origin),
                None if steps.peek().is_none() => return (key, false),
                // What it is missing from was not typed either.
                None => return (None, false),
            },
            (Data::List(items), Segment::Index(index)) => match items.get(*index) {
                Some(item) => (here, key) = (item, first_key(item)),
                None => return (None, false),
            },
            _ => return (None, false),
        }
    }
    let is_null = matches!(here.data, Data::Null);
    (key.filter(|_| is_null), is_null)
}

/// A map in a list has no key; its first one is enough.
fn first_key(item: &Value) -> Option<Span> {
    match &item.data {
        Data::Map(map) => map.values().filter_map(|entry| entry.key_origin).min(),
        _ => item.origin,
    }
}
