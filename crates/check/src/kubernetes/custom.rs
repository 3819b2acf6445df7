//! Objects of kinds that a CRD defines: what a cluster with that definition says of them.

use trueline_diagnostic::{Diagnostic, LeftOut, Level, Severity, nearest};
use trueline_kube::manifest;
use trueline_kube::object::{RULES_NOT_CHECKED, Resource};
use trueline_kube::{FieldValidation, UnknownField};
use trueline_yaml::Value;

use super::Waiting;
use super::codes::{NOT_SERVED, SERVER_WARNING, UNREADABLE_OBJECT};

/// What is wrong with an object.
pub(super) fn check(
    waiting: &Waiting,
    old: Option<&Value>,
    resource: &Resource,
    field_validation: FieldValidation,
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
            let message = format!("a cluster cannot read this object: {}", error.text);
            return vec![Diagnostic::new(&UNREADABLE_OBJECT, place, message).level(Level::Semantic)];
        }
    };
    let verdict = match old.and_then(|old| resource.decode(old, "").ok()) {
        Some(old) => resource.update(&decoded, &resource.stored(&old)),
        None => resource.create(&decoded),
    };
    let mut findings: Vec<Diagnostic> =
        decoded.unknown.iter().filter_map(|field| unknown_field(field, waiting, field_validation)).collect();
    findings.extend(verdict.errors.iter().map(|error| {
        let finding = manifest::refused(error, error.place.unwrap_or(head.place)).level(Level::Semantic);
        match error.field.as_str() {
            // Rules in CEL are not evaluated here in any case.
            "" if error.detail == RULES_NOT_CHECKED => finding.severity(Severity::Note),
            "" => finding,
            field => finding.path(manifest::pointer(field)),
        }
    }));
    findings.extend(
        verdict
            .warnings
            .iter()
            .map(|text| Diagnostic::new(&SERVER_WARNING, head.place, text.clone()).level(Level::Semantic)),
    );
    left_out.extend(not_evaluated(head.of.to_string(), verdict.rules_not_evaluated));
    findings
}

/// What the summary says of rules in CEL.
pub(super) fn not_evaluated(what: String, rules: usize) -> Option<LeftOut> {
    let why = match rules {
        0 => return None,
        1 => "1 rule in CEL was not evaluated".to_owned(),
        count => format!("{count} rules in CEL were not evaluated"),
    };
    Some(LeftOut { what, why })
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
    let name = field.path.rsplit('.').next().unwrap_or_default();
    let near = nearest(name, field.known.iter().map(|known| &**known));
    let place = field.place.unwrap_or(waiting.head.place);
    let finding = manifest::unknown_field(&field.path, near, &waiting.head.of.kind, place)
        .path(manifest::pointer(&field.path));
    Some(finding.severity(severity).level(Level::Semantic))
}
