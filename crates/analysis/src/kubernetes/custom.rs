//! Objects of kinds that a CRD defines: what a cluster with that definition says of them.

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, LeftOut, Level, Severity};
use trueline_kube::crd;
use trueline_kube::manifest;
use trueline_kube::object::{Resource, says_rules_not_checked, union_findings};
use trueline_kube::{
    FieldError, FieldPath, FieldValidation, Namespacing, Reason, RuleFact, Segment, UnknownField, offer,
};
use trueline_source::{SourceMap, Span};
use trueline_yaml::{Data, Value};

use super::Waiting;
use super::codes::{NOT_SERVED, SERVER_WARNING, UNREADABLE_OBJECT};
use super::expression::at_failing_part;

/// What is wrong with an object.
pub(super) fn check(
    waiting: &Waiting,
    old: Option<&Value>,
    resource: &Resource,
    definition: Option<Span>,
    field_validation: FieldValidation,
    sources: &SourceMap,
    left_out: &mut Vec<LeftOut>,
) -> Vec<Diagnostic> {
    let (head, value) = (&waiting.head, &waiting.value);
    let version = resource.version(&head.of.version).filter(|version| version.served);
    if version.is_none() {
        return vec![not_served(waiting, resource)];
    }
    let decoded = match resource.decode(value, "") {
        Ok(decoded) => decoded,
        Err(error) => {
            let place = error.place.unwrap_or(head.place);
            return vec![
                Diagnostic::new(&UNREADABLE_OBJECT, place, crd::unreadable_words(&error))
                    .level(Level::Semantic),
            ];
        }
    };
    let verdict = match old.and_then(|old| resource.decode(old, "").ok()) {
        Some(old) => resource.update(&decoded, &resource.stored(&old)),
        None => resource.create(&decoded),
    };
    let mut findings: Vec<Diagnostic> =
        decoded.unknown.iter().filter_map(|field| unknown_field(field, waiting, field_validation)).collect();
    let (uncompiled, errors): (Vec<_>, Vec<_>) =
        verdict.errors.iter().partition(|error| is_uncompiled(error));
    left_out.extend(uncompiled.into_iter().filter_map(|error| not_evaluated(error, waiting)));
    findings.extend(errors.into_iter().map(|error| {
        let missing = (error.reason() == Reason::Required).then(|| missing(value, &error.field));
        let (key, is_null) = missing.unwrap_or_default();
        let place = key.or(error.place).unwrap_or(head.place);
        let finding = at_failing_part(manifest::refused(error, place), error, sources);
        let finding = finding.level(Level::Semantic);
        let finding = if is_null { finding.help("a field that is null counts as missing") } else { finding };
        let finding = match error.meant() {
            Some(meant) => offer(finding, &meant),
            None => finding,
        };
        let is_default = definition.is_some_and(|definition| {
            let is_within = |outer: Span| {
                outer.source == place.source && outer.start <= place.start && place.end <= outer.end
            };
            is_within(definition) && !value.origin.is_some_and(is_within)
        });
        let finding = if is_default { of_default(finding, waiting) } else { finding };
        match error.field.is_empty() {
            // It follows from the other errors.
            true if says_rules_not_checked(error) => finding.severity(Severity::Note),
            true => finding,
            false => finding.path(error.field.pointer()),
        }
    }));
    misspelt_once(&mut findings);
    if let Some(schema) = decoded.version.schema.as_ref().filter(|_| decoded.version.has_unions) {
        findings.extend(union_findings(schema, &verdict.object, head.place));
    }
    findings.extend(
        verdict
            .warnings
            .iter()
            .map(|text| Diagnostic::new(&SERVER_WARNING, head.place, text.clone()).level(Level::Semantic)),
    );
    findings.extend(verdict.forgiven.iter().map(|error| {
        let finding = manifest::refused(error, error.place.unwrap_or(head.place));
        let finding = Diagnostic { code: &SERVER_WARNING, kube: None, rule: None, ..finding };
        finding
            .severity(Severity::Warning)
            .level(Level::Semantic)
            .help("an update is accepted, because this value has not changed")
    }));
    findings.extend(decoded.version.deprecation.as_ref().map(|text| deprecated(text, waiting)));
    findings.extend(dropped_namespace(waiting, resource));
    findings
}

/// A misspelt field is one mistake: that the field which was meant is missing is not reported as well.
fn misspelt_once(findings: &mut Vec<Diagnostic>) {
    let unknown = findings.iter().filter(|finding| finding.kube.is_none());
    let meant: FxHashSet<String> = unknown
        .filter_map(|finding| {
            let [edit] = finding.fix.as_ref()?.edits.as_slice() else { return None };
            let (above, _) = finding.path.as_ref()?.rsplit_once('/')?;
            Some(format!("{above}/{}", edit.replacement))
        })
        .collect();
    findings.retain(|finding| {
        let cause = finding.kube.as_ref();
        let is_missing = cause.is_some_and(|cause| cause.kind == Reason::Required.name());
        !(is_missing && finding.path.as_ref().is_some_and(|path| meant.contains(path)))
    });
}

/// The key of a field that is missing although it was typed, as null; or that of what it is missing from. Whether it is null
/// is said beside it.
pub fn missing(object: &Value, field: &FieldPath) -> (Option<Span>, bool) {
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

/// Whether a rule could not be asked because it does not compile.
fn is_uncompiled(error: &FieldError) -> bool {
    matches!(error.expression.as_deref(), Some(RuleFact::Uncompiled { .. }))
}

/// What the summary says of such a rule: what is wrong with it is said where the CRD is checked.
fn not_evaluated(error: &FieldError, waiting: &Waiting) -> Option<LeftOut> {
    let Some(RuleFact::Uncompiled { expression }) = error.expression.as_deref() else { return None };
    let rule = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    let what = format!("a rule of {}", waiting.head.of);
    Some(LeftOut { what, why: format!("`{rule}` does not compile") })
}

/// What the summary says of policies.
const NOT_APPLIED: &str = "its expressions compile, but it changes no objects here";

/// What the summary says of an object, if it is a policy.
pub(super) fn not_applied(kind: &str, what: impl FnOnce() -> String) -> Option<LeftOut> {
    (kind == "MutatingAdmissionPolicy").then(|| LeftOut { what: what(), why: NOT_APPLIED.to_owned() })
}

/// Whether a part was left out only because policies are not applied.
pub(crate) fn is_about_policies(part: &LeftOut) -> bool {
    part.why == NOT_APPLIED
}

/// What is said of an object that a default of its definition was put into.
const TAKES_DEFAULT: &str = "this object takes the default";

/// Leaves out what is wrong with a default in objects, where the definition is reported for it already.
pub(crate) fn drop_known_defaults(mut findings: Vec<&mut Vec<Diagnostic>>) {
    let takes = |finding: &Diagnostic| finding.related.iter().any(|label| label.text == TAKES_DEFAULT);
    let all = || findings.iter().flat_map(|list| list.iter());
    if !all().any(takes) {
        return;
    }
    let errors = all().filter(|finding| finding.severity == Severity::Error && !takes(finding));
    let known: FxHashSet<Span> = errors.map(|finding| finding.primary.span).collect();
    for list in &mut findings {
        list.retain(|finding| !(takes(finding) && known.contains(&finding.primary.span)));
    }
}

/// A finding about a value that the definition put into the object.
fn of_default(finding: Diagnostic, waiting: &Waiting) -> Diagnostic {
    let kind = &waiting.head.of.kind;
    let message =
        format!("the definition of `{kind}` has a default that it refuses itself: {}", finding.message);
    let name = waiting.value.get("metadata").and_then(|metadata| metadata.get("name"));
    let object = name.and_then(|name| name.origin).unwrap_or(waiting.head.place);
    Diagnostic { message, fix: None, ..finding }
        .related(object, TAKES_DEFAULT)
        .help("fix the default, or set the field in the object")
}

/// The finding for an object in a version that its definition calls deprecated.
fn deprecated(text: &str, waiting: &Waiting) -> Diagnostic {
    let of = &waiting.head.of;
    let place = waiting.value.get("apiVersion").and_then(|value| value.origin);
    // A definition can have words of its own for it, which need not say what they are about.
    let message = match text.contains("is deprecated") {
        true => text.to_owned(),
        false => format!("`{}` of `{}` is deprecated: {text}", of.api_version(), of.kind),
    };
    Diagnostic::new(&SERVER_WARNING, place.unwrap_or(waiting.head.place), message).level(Level::Semantic)
}

/// The finding for a namespace where there is none.
fn dropped_namespace(waiting: &Waiting, resource: &Resource) -> Option<Diagnostic> {
    let namespace = waiting.value.get("metadata")?.get("namespace")?;
    let is_named = namespace.as_str().is_some_and(|name| !name.is_empty());
    if resource.namespacing != Namespacing::Cluster || !is_named {
        return None;
    }
    let place = namespace.origin.unwrap_or(waiting.head.place);
    let finding = manifest::namespace_dropped(&waiting.head.of.kind, place);
    Some(finding.path("/metadata/namespace").level(Level::Semantic))
}

fn not_served(waiting: &Waiting, resource: &Resource) -> Diagnostic {
    let of = &waiting.head.of;
    let served: Vec<&str> =
        resource.versions.iter().filter(|version| version.served).map(|version| &*version.name).collect();
    let finding = Diagnostic::new(
        &NOT_SERVED,
        waiting.value.get("apiVersion").and_then(|value| value.origin).unwrap_or(waiting.head.place),
        format!("the definition of `{}` serves no version `{}`", of.kind, of.version),
    )
    .level(Level::Semantic);
    match served.as_slice() {
        [] => finding.help("it serves no version at all"),
        served => finding.help(format!("it serves {}", served.join(", "))),
    }
}

fn unknown_field(
    field: &UnknownField,
    waiting: &Waiting,
    field_validation: FieldValidation,
) -> Option<Diagnostic> {
    let severity = match field_validation {
        FieldValidation::Strict => Severity::Error,
        FieldValidation::Warn => Severity::Warning,
        FieldValidation::Ignore => return None,
    };
    let place = field.place.unwrap_or(waiting.head.place);
    let name = field.path.last().and_then(Segment::as_field).unwrap_or_default();
    let path = field.path.to_string();
    let finding = manifest::unknown_field(&path, name, &field.meant, (&waiting.head.of.kind, place))
        .path(field.path.pointer());
    Some(finding.severity(severity).level(Level::Semantic))
}
