//! Errors of CRDs in the user's words: the one place that turns what the server says into findings.

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_kube_facts::decode::{DecodeError, UnknownField};
use trueline_kube_facts::meant::{Meant, offer};
use trueline_kube_facts::{
    FieldError, FieldValidation, KubeVersion, Reason, RuleFact, Segment, ServerRule, common, schema_rules,
};
use trueline_source::Span;
use trueline_yaml::Value;

use super::further::without_value_at;
use super::subject::subject;
use super::validate::{schema, spec};
use super::{Verdict, Warning};
use crate::cel::{Locate, rule_finding, told_once};
use crate::codes::*;
use crate::definition::{ApiVersion, Crd, decode};
use crate::{
    check::validate::defaults,
    structural::{complete, validate},
};

/// What was found in a CRD.
#[derive(Debug)]
pub struct Checked {
    /// The CRD, if it could be read.
    pub crd: Option<Crd>,
    /// The findings, those of the server first.
    pub diagnostics: Vec<Diagnostic>,
}

/// How a CRD is checked.
#[derive(Clone, Copy)]
pub struct CheckOptions<'l> {
    /// What becomes of unknown fields.
    pub field_validation: FieldValidation,
    /// The version of the server.
    pub version: KubeVersion,
    /// Finds the place of a part of an expression.
    pub locate: &'l Locate<'l>,
}

impl Default for CheckOptions<'_> {
    fn default() -> Self {
        CheckOptions {
            field_validation: FieldValidation::Strict,
            version: KubeVersion::CRD_RULES,
            locate: &|scalar, _, _| scalar,
        }
    }
}

/// How many values that cannot be read are reported before the rest of the CRD is left alone.
const MOST_UNREADABLE: usize = 50;

/// Checks a CRD as if it were created, or took the place of an old one. `around` is where findings go that have no
/// place of their own.
///
/// What the server says comes with its own strings. Errors that it would say only after those have been fixed are
/// found too, without them.
pub fn check(value: &Value, old: Option<&Crd>, options: CheckOptions<'_>, around: Span) -> Checked {
    let CheckOptions { field_validation, version, locate } = options;
    let mut diagnostics = Vec::new();
    let mut left_out: Vec<Span> = Vec::new();
    let mut readable = value.clone();
    let decoded = loop {
        let error = match decode(&readable) {
            Ok(decoded) => break decoded,
            Err(error) => error,
        };
        diagnostics.push(unreadable(&error, around));
        let inside = error.place.filter(|_| error.place != readable.origin);
        let without = inside.and_then(|place| Some((place, without_value_at(&readable, place)?)));
        match without.filter(|_| left_out.len() < MOST_UNREADABLE) {
            Some((place, without)) => {
                left_out.push(place);
                readable = without;
            }
            None => return Checked { crd: None, diagnostics },
        }
    };
    let crd = decoded.crd;
    diagnostics.extend(decoded.unknown.iter().filter_map(|field| {
        let severity = severity_of_unknown(field_validation)?;
        Some(unknown_field(field, around).severity(severity))
    }));
    if crd.api_version == ApiVersion::V1Beta1 {
        let place = value.get("apiVersion").and_then(|version| version.origin).unwrap_or(around);
        let message = "servers since Kubernetes 1.22 do not take `apiextensions.k8s.io/v1beta1`";
        let help = "write it as `apiextensions.k8s.io/v1`";
        diagnostics.push(Diagnostic::new(&OLD_API, place, message).help(help).level(Level::Schema));
    }
    let mut verdict = match old {
        Some(old) => crd.validate_update(old, version),
        None => crd.validate_create(version),
    };
    let mut hidden = Vec::new();
    if old.is_none() {
        let said: FxHashSet<&FieldError> = verdict.errors.iter().collect();
        hidden.extend(crd.further_errors(version).into_iter().filter(|error| !said.contains(error)));
    }
    if !left_out.is_empty() {
        // The server saw nothing but what it could not read; what a status lacks now was typed.
        verdict
            .errors
            .retain(|error| !(error.field.starts_with(&["status"]) && error.field.segments().len() > 1));
    }
    diagnostics.extend(verdict.diagnostics(around, locate));
    diagnostics.extend(hidden.iter().map(|error| without_cause(refused(error, around, locate))));
    diagnostics.extend(crd.stricter_findings(around));
    if left_out.is_empty() {
        return Checked { crd: Some(crd), diagnostics };
    }
    // What is missing at such a place now was typed.
    let mut number = 0;
    diagnostics.retain(|finding| {
        number += 1;
        number <= left_out.len() || !left_out.contains(&finding.primary.span)
    });
    let diagnostics = diagnostics.into_iter().map(without_cause).collect();
    Checked { crd: None, diagnostics }
}

fn without_cause(finding: Diagnostic) -> Diagnostic {
    Diagnostic { kube: None, ..finding }
}

impl Verdict {
    /// The findings for a report.
    pub fn diagnostics(&self, around: Span, locate: &Locate<'_>) -> Vec<Diagnostic> {
        let (told, dearest) = told_once(&self.errors);
        let errors = told.into_iter().map(|error| {
            let finding = refused(error, around, locate);
            let is_total = matches!(error.expression.as_deref(), Some(RuleFact::TooExpensive { .. }));
            let places = dearest.iter().filter(|_| is_total);
            places.fold(finding, |finding, place| finding.related(*place, "one of the most expensive rules"))
        });
        let warnings = self.warnings.iter().map(|warning| warned(warning, around));
        errors.chain(warnings).collect()
    }
}

/// The finding about what the server warns of.
pub fn warned(warning: &Warning, around: Span) -> Diagnostic {
    let message = format!("the server does not check this: {}", warning.text);
    Diagnostic::new(&UNKNOWN_FORMAT, warning.place.unwrap_or(around), message)
        .help("use a format that servers know, or a pattern")
        .level(Level::Schema)
}

/// The finding about a CRD that cannot be read.
pub fn unreadable(error: &DecodeError, around: Span) -> Diagnostic {
    Diagnostic::new(&UNREADABLE, error.place.unwrap_or(around), unreadable_words(error)).level(Level::Schema)
}

/// What cannot be read, and what it has to be.
pub fn unreadable_words(error: &DecodeError) -> String {
    match &error.mismatch {
        Some((found, type_name)) => {
            let found = match &**found {
                "array" => "a list",
                "object" => "a map",
                "string" => "a string",
                "number" => "a number",
                "bool" => "a boolean",
                other => other,
            };
            format!("{}: expected {}, found {found}", subject(&error.path), type_words(type_name))
        }
        None if error.path.is_empty() => format!("the server cannot read this: {}", error.text),
        None => format!("the server cannot read {}: {}", subject(&error.path), error.text),
    }
}

/// A type of Go's in plain words.
fn type_words(type_name: &str) -> &'static str {
    match type_name {
        "bool" => "`true` or `false`",
        "int32" | "int64" => "an integer",
        "float64" => "a number",
        "string" => "a string",
        "[]uint8" => "a base64 string",
        name if name.starts_with("[]") || name.ends_with(".ValidationRules") => "a list",
        name if name.starts_with("map[") => "a map",
        name if name.ends_with("Scope") || name.ends_with("Type") || name.ends_with("URL") => "a string",
        _ => "a map with fields of its own",
    }
}

/// How much unknown fields matter; nothing if they do not.
pub fn severity_of_unknown(field_validation: FieldValidation) -> Option<Severity> {
    match field_validation {
        FieldValidation::Strict => Some(Severity::Error),
        FieldValidation::Warn => Some(Severity::Warning),
        FieldValidation::Ignore => None,
    }
}

/// The finding about a field that CRDs do not have.
pub fn unknown_field(field: &UnknownField, around: Span) -> Diagnostic {
    let message = format!("the server does not know the field `{}` and drops it", field.path);
    let diagnostic =
        Diagnostic::new(&UNKNOWN_FIELD, field.place.unwrap_or(around), message).level(Level::Schema);
    match &field.meant {
        Meant::Name(known) => offer(diagnostic, known),
        _ => diagnostic.help(match field.path.last().and_then(Segment::as_field) {
            Some("openAPIV3Schema") => "it belongs in `schema`, which each version has its own of",
            Some("validation") => {
                "its `openAPIV3Schema` belongs in `schema`, which each version has its own of"
            }
            _ => "remove it: it has no effect",
        }),
    }
}

/// The finding about a CRD, with the server's own three strings.
pub fn refused(error: &FieldError, around: Span, locate: &Locate<'_>) -> Diagnostic {
    if let Some(finding) = rule_finding(error, error.place.unwrap_or(around), locate) {
        return finding.rule(&error.rule.info).level(Level::Schema);
    }
    let subject = subject(&error.field);
    let plain = error.detail.short(error.rule);
    let because = if plain.is_empty() { String::new() } else { format!(": {plain}") };
    let value = error.value.as_deref().filter(|value| !value.is_empty() && value.len() <= 60);
    let wanted = error.detail.text(0).filter(|_| error.breaks(&schema_rules::TYPE));
    let message = match (error.reason(), wanted) {
        // With a format, the value is the text itself.
        (Reason::TypeInvalid, Some(wanted)) if !error.names_type() => {
            format!("{subject} is {}, which is not of the format {wanted}", value.unwrap_or("this"))
        }
        // Otherwise it is the type that was found.
        (Reason::TypeInvalid, Some(wanted)) => {
            format!("{subject}: expected {wanted}, found {}", error.typed())
        }
        (Reason::Required, _) => format!("{subject} is missing{because}"),
        (Reason::Forbidden, _) => format!("{subject} is not allowed here{because}"),
        (Reason::Duplicate, _) => match value {
            Some(value) => format!("{subject} is {value}, as an earlier one is"),
            None => format!("{subject} is the same as an earlier one"),
        },
        (Reason::NotSupported, _) => format!("{subject} cannot be {}; {plain}", value.unwrap_or("this")),
        (Reason::TooLong | Reason::TooMany, _) => format!("{subject} is too long{because}"),
        _ => match (error.counted(), value) {
            (Some(counted), _) => format!("{subject} has {counted}{because}"),
            (None, Some(value)) => format!("{subject} cannot be {value}{because}"),
            (None, None) => format!("{subject} is invalid{because}"),
        },
    };
    let code = code_of(error);
    let mut diagnostic = Diagnostic::new(code, error.place.unwrap_or(around), message).level(Level::Schema);
    diagnostic.rule = Some(&error.rule.info);
    diagnostic.kube = Some(error.cause());
    if let Some(meant) = error.meant() {
        diagnostic = offer(diagnostic, &meant);
    }
    match help(code, error) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// The code of an error: that of its rule, or of the part of the CRD where a rule of all objects was broken.
fn code_of(error: &FieldError) -> &'static Code {
    let field = &error.field;
    let at = |names: &[&str]| field.starts_with(names);
    let in_schema = field.goes_through("openAPIV3Schema");
    let own = CODES.iter().copied().find(|code| *code == error.rule.info.code);
    let is_default = field.goes_through("default");
    if error.breaks(&common::IMMUTABLE) {
        &IMMUTABLE_FIELD
    } else if let Some(code) = own.filter(|code| !(in_schema && is_default && *code == &SCHEMA_KEYWORD)) {
        code
    } else if at(&["metadata"]) {
        &METADATA
    } else if in_schema && field.goes_through("x-kubernetes-validations") {
        &BAD_RULE
    } else if in_schema && is_default {
        &BAD_DEFAULT
    } else if in_schema {
        &SCHEMA_KEYWORD
    } else if at(&["spec", "conversion"]) || at(&["spec", "preserveUnknownFields"]) {
        &CONVERSION
    } else if ["subresources", "Subresources", "additionalPrinterColumns", "selectableFields"]
        .iter()
        .any(|part| field.goes_through(part))
    {
        &FEATURE
    } else if ["group", "scope", "names"].iter().any(|name| at(&["spec", name]))
        || at(&["status", "acceptedNames"])
    {
        &NAMES
    } else {
        &VERSIONS
    }
}

/// What helps against the breach of a rule.
static HELP: &[(&[&ServerRule], &str)] = &[
    (&[&validate::NO_TYPE], "give the field a `type`"),
    (&[&validate::ITEMS_MISSING], "say what the items are, under `items`"),
    (&[&complete::MISSING_OUTSIDE], "add the field, with its type, outside of the branch"),
    (
        &[&validate::TYPE_IN_BRANCH],
        "move the type out of the branch; for a number or a string use `x-kubernetes-int-or-string: true`",
    ),
    (&[&validate::KEYWORD_IN_BRANCH], "move it out of the branch, to the schema around it"),
    (&[&super::validate::CRD_NAME], "name it after the plural and the group, with a dot"),
    (&[&schema::UNIQUE_ITEMS], "use `x-kubernetes-list-type: set`"),
    (&[&schema::NULL_TYPE], "use `nullable: true` beside the real type"),
    (&[&schema::PROPERTIES_AND_ADDITIONAL], "keep one of the two"),
    (&[&defaults::UNKNOWN_FIELDS], "remove the fields that the schema does not have"),
    (&[&spec::STORAGE_VERSIONS], "set `storage: true` in one version and `false` in the others"),
];

fn help(code: &'static Code, error: &FieldError) -> Option<&'static str> {
    let field = &error.field;
    if let Some((_, help)) = HELP.iter().find(|(rules, _)| rules.iter().any(|rule| error.breaks(rule))) {
        return Some(help);
    }
    // What the server names has other names in the versions of the API that people write.
    let rows: [(bool, &str); 5] = [
        (
            field.starts_with(&["spec", "conversion", "conversionReviewVersions"])
                && field.segments().len() == 3,
            "in `apiextensions.k8s.io/v1` it is `spec.conversion.webhook.conversionReviewVersions`",
        ),
        (
            field.starts_with(&["spec", "conversion", "webhookClientConfig"]),
            "in `apiextensions.k8s.io/v1` it is in `spec.conversion.webhook.clientConfig`",
        ),
        (field.ends_with(&["JSONPath"]), "in `apiextensions.k8s.io/v1` it is written `jsonPath`"),
        (
            field.starts_with(&["spec", "preserveUnknownFields"]),
            "write `preserveUnknownFields: false`; in v1beta1 it is true where it is not written",
        ),
        (code == &IMMUTABLE_FIELD, "keep what it was, or make a new CRD"),
    ];
    rows.into_iter().find(|(is_it, _)| *is_it).map(|(_, help)| help)
}
