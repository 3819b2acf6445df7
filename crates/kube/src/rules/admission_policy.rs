//! Admission policies and their bindings: what they match and what they say.

use std::collections::BTreeSet;

use super::expression::Expressions;
use super::{Context, syntax};
use crate::cel::{Patch, is_reserved};
use crate::field_path::go_quoted;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names;
use crate::{FieldError, Reason};

/// Checks `admissionregistration.ValidatingAdmissionPolicySpec`.
pub(super) fn check(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    constraints(spec, report);
    expressions(spec, context, report);
    let (validations, annotations) = (spec.child("validations"), spec.child("auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        for place in [&validations, &annotations] {
            report.required(place, "validations or auditAnnotations must contain at least one item");
        }
    }
    if annotations.count() > MOST_ANNOTATIONS {
        report.invalid(&annotations, format!("must not have more than {MOST_ANNOTATIONS} auditAnnotations"));
    }
    let mut taken = BTreeSet::new();
    for annotation in annotations.items() {
        let key = annotation.child("key");
        if key.text().is_some_and(|text| !taken.insert(text)) {
            report.duplicate(&key);
        }
    }
}

/// Compiles all expressions but those of conditions, each with the variables before it.
fn expressions(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let mut expressions = Expressions::of(spec, context);
    for variable in spec.child("variables").items() {
        expressions.variable(&variable, report);
    }
    for validation in spec.child("validations").items() {
        expressions.validation(&validation.child("expression"), report);
        expressions.message(&validation.child("messageExpression"), report);
    }
    for annotation in spec.child("auditAnnotations").items() {
        let value = annotation.child("valueExpression");
        if value.text().is_some_and(|text| text.trim().len() <= LONGEST_VALUE) {
            expressions.annotation(&value, report);
        }
    }
}

/// How many annotations a policy may make.
const MOST_ANNOTATIONS: usize = 20;

/// Since this version the server does not name again what its path names.
const PLAIN_WORDS: u16 = 34;

/// The longest expression of an annotation, in bytes.
const LONGEST_VALUE: usize = 5 * 1024;

/// Reasons that a policy may give for refusing.
const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];

/// Checks `admissionregistration.Validation`.
pub(super) fn check_validation(validation: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = if context.version.minor < PLAIN_WORDS { "message " } else { "" };
    demanded(&validation.child("expression"), "expression is not specified", report);
    let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
    let (message, made) = (validation.child("message"), validation.child("messageExpression"));
    for (place, name) in [(&message, name), (&made, "")] {
        if place.text().is_some_and(is_blank) {
            report.invalid(place, format!("{name}must be non-empty if specified"));
        }
    }
    if message.text().is_some_and(|text| text.trim().contains(['\n', '\r'])) {
        report.invalid(&message, format!("{name}must not contain line breaks"));
    }
    let reason = validation.child("reason");
    if !reason.is_absent() && reason.text().is_some_and(|reason| !REASONS.contains(&reason)) {
        report.not_supported(&reason, REASONS);
    }
}

/// Checks `admissionregistration.Variable`.
pub(super) fn check_variable(variable: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = variable.child("name");
    match name.text() {
        Some(text) if text.trim().is_empty() => report.required(&name, "name is not specified"),
        Some(text) => {
            let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
            let is_name = text.bytes().next().is_some_and(is_letter)
                && text.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
            if !is_name || is_reserved(text) {
                let words = match context.version.minor {
                    ..PLAIN_WORDS => "name is not a valid CEL identifier",
                    _ => "must be a valid CEL identifier",
                };
                report.invalid(&name, words);
            }
        }
        None => {}
    }
    demanded(&variable.child("expression"), "expression is not specified", report);
}

/// Checks `admissionregistration.AuditAnnotation`.
pub(super) fn check_annotation(annotation: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let value = annotation.child("valueExpression");
    if value.text().is_some_and(|text| text.trim().len() > LONGEST_VALUE) {
        report.required(&value, &format!("must not exceed {LONGEST_VALUE} bytes in length"));
    } else {
        demanded(&value, "valueExpression is not specified", report);
    }
    let metadata = annotation.top().child("metadata");
    let key = annotation.child("key");
    match (metadata.child("name").text(), key.text()) {
        // A name that is still to be made is none of the object's faults.
        (Some(""), Some(_)) if metadata.child("generateName").full_text().is_some() => {}
        (Some(""), Some(_)) => report.invalid(&key, "requires metadata.name be non-empty"),
        (Some(name), Some(text)) => {
            let whole = format!("{name}/{text}");
            for words in names::qualified_name(&whole) {
                let error = FieldError::new(Reason::Invalid, key.path(), words, None);
                report.refused(&key, error.with_value(go_quoted(&whole)));
            }
        }
        _ => {}
    }
}

/// An expression that must be there.
fn demanded(place: &Place<'_, '_>, missing: &str, report: &mut Report) {
    if place.text().is_some_and(|text| text.trim().is_empty()) {
        report.required(place, missing);
    }
}

fn constraints(spec: &Place<'_, '_>, report: &mut Report) {
    let constraints = spec.child("matchConstraints");
    if constraints.is_absent() {
        report.required(&constraints, "");
    } else if constraints.child("resourceRules").is_empty() {
        report.required(&constraints.child("resourceRules"), "");
    }
}

/// Checks `admissionregistration.MutatingAdmissionPolicySpec`.
pub(super) fn check_mutating(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    constraints(spec, report);
    let mut expressions = Expressions::of_mutating(spec, context);
    for variable in spec.child("variables").items() {
        expressions.variable(&variable, report);
    }
    operations(&spec.child("matchConstraints"), report);
    let mutations = spec.child("mutations");
    if mutations.is_empty() {
        report.required(&mutations, "mutations must contain at least one item");
    }
    for mutation in mutations.items() {
        let kind = mutation.child("patchType");
        let (patch, configuration) = (mutation.child("jsonPatch"), mutation.child("applyConfiguration"));
        let (wanted, other, gives) = match kind.text() {
            Some("JSONPatch") => (&patch, &configuration, Patch::Operations),
            Some("ApplyConfiguration") => (&configuration, &patch, Patch::Configuration),
            None | Some("") => continue,
            Some(_) => {
                report.not_supported(&kind, &["ApplyConfiguration", "JSONPatch"]);
                continue;
            }
        };
        let text = kind.text().unwrap_or_default();
        if wanted.is_absent() {
            report.required(wanted, &format!("must be specified when patchType is {text}"));
        } else {
            let expression = wanted.child("expression");
            demanded(&expression, "", report);
            expressions.mutation(&expression, gives, report);
        }
        if !other.is_absent() {
            report.invalid(other, format!("must not be specified when patchType is {text}"));
        }
    }
}

/// Only what makes or changes something can be changed on its way. The server leaves the indexes out of the path.
fn operations(matched: &Place<'_, '_>, report: &mut Report) {
    let rules = matched.child("resourceRules");
    let named = rules.child("operations");
    for rule in rules.items() {
        for item in rule.child("operations").items() {
            if !matches!(item.text(), None | Some("*" | "CONNECT" | "CREATE" | "UPDATE")) {
                report.not_supported(&named.at(&item), &["*", "CONNECT", "CREATE", "UPDATE"]);
            }
        }
    }
}

/// Checks `admissionregistration.MutatingAdmissionPolicyBindingSpec`.
pub(super) fn check_mutating_binding(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    operations(&spec.child("matchResources"), report);
}

/// Checks `admissionregistration.ParamKind`: a group and a version, and a kind.
pub(super) fn check_kind(kind: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (version, name) = (kind.child("apiVersion"), kind.child("kind"));
    if let Some(text) = version.full_text() {
        let (group, number) = text.split_once('/').unwrap_or(("", text));
        let mut invalid = |part: &str, words: String| {
            let error = FieldError::new(Reason::Invalid, version.path(), words, None);
            report.refused(&version, error.with_value(go_quoted(part)));
        };
        if number.contains('/') {
            invalid(text, format!("unexpected GroupVersion string: {text}"));
        } else {
            let wrong_group = if group.is_empty() { Vec::new() } else { names::dns_1123_subdomain(group) };
            if !wrong_group.is_empty() {
                invalid(group, wrong_group.join(","));
            }
            let wrong_number = names::dns_1035_label(number);
            match number {
                "" => invalid(text, "version must be specified".to_owned()),
                _ if !wrong_number.is_empty() => invalid(number, wrong_number.join(",")),
                _ => {}
            }
        }
    }
    let complaints = name.full_text().map(|text| names::dns_1035_label(&text.to_lowercase()));
    if let Some(complaints) = complaints.filter(|complaints| !complaints.is_empty()) {
        let words = format!("may have mixed case, but should otherwise match: {}", complaints.join(","));
        report.invalid(&name, words);
    }
}

/// Checks `admissionregistration.ParamRef`.
pub(super) fn check_parameters(reference: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (name, selector) = (reference.child("name"), reference.child("selector"));
    report.complain(&name, name.full_text().map(syntax::path_segment).unwrap_or_default());
    match (name.text(), selector.is_absent()) {
        (Some(""), true) => report.required(reference, "one of name or selector must be specified"),
        (Some(text), false) if !text.is_empty() => {
            for place in [&name, &selector] {
                report.forbidden(place, "name and selector are mutually exclusive");
            }
        }
        _ => {}
    }
    let action = reference.child("parameterNotFoundAction");
    // The first version of the group fills it in.
    let is_filled =
        reference.top().child("apiVersion").text().is_some_and(|text| text.ends_with("/v1alpha1"));
    if action.text() == Some("") && !is_filled {
        report.required(&action, "");
    }
}

const BOTH: &str = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                    response and headers serves no purpose)";

/// Checks `admissionregistration.ValidatingAdmissionPolicyBindingSpec`.
pub(super) fn check_binding(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = spec.child("policyName");
    if name.text() == Some("") {
        report.required(&name, "");
    }
    let actions = spec.child("validationActions");
    // The first version of the kind could do one thing only.
    if actions.is_empty() && context.version.minor >= 27 {
        report.required(&actions, "at least one validation action is required");
    }
    let mut taken = BTreeSet::new();
    for action in actions.items() {
        let Some(text) = action.text() else { continue };
        if !matches!(text, "Audit" | "Deny" | "Warn") {
            report.not_supported(&action, &["Audit", "Deny", "Warn"]);
        }
        let other = if text == "Deny" { "Warn" } else { "Deny" };
        if !taken.insert(text) {
            report.duplicate(&action);
        } else if matches!(text, "Deny" | "Warn") && taken.contains(other) {
            report.refused(&action, FieldError::new(Reason::Invalid, actions.path(), BOTH, None));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn the_first_bindings_had_one_action() {
        let text = "apiVersion: admissionregistration.k8s.io/v1alpha1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: {policyName: p}\n";
        Bench::of(26).accepts(text);
        Bench::of(27).refuses(text, &["spec.validationActions: Required value"]);
    }

    #[test]
    fn policies_that_change_objects() {
        let bench = Bench::of(37);
        let frame = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: v}\nspec: {mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: \"a\"}]'}}], {}}\n";
        let rules = |operation: &str, rest: &str| {
            format!(
                "matchConstraints: {{resourceRules: [{{operations: [{operation}], apiGroups: [''], apiVersions: [v1], resources: [pods]{rest}}}]}}"
            )
        };
        let good = rules("CREATE", ", scope: '*', resourceNames: [a]");
        bench.accepts_all(frame, &[&format!("{good}, reinvocationPolicy: Never, failurePolicy: Fail")]);
        let never = "reinvocationPolicy: Never";
        for (part, error) in [
            (
                format!("{good}, {never}, failurePolicy: Bar"),
                "spec.failurePolicy: Unsupported value: \"Bar\": supported values: \"Fail\", \"Ignore\"",
            ),
            (
                format!("{good}, reinvocationPolicy: Foo"),
                "spec.reinvocationPolicy: Unsupported value: \"Foo\": supported values: \"IfNeeded\", \"Never\"",
            ),
            (
                format!("{}, {never}", rules("DELETE", "")),
                "spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\"",
            ),
            (
                format!("{}, {never}", rules("CREATE", ", scope: Baz")),
                "spec.matchConstraints.resourceRules[0].scope: Unsupported value: \"Baz\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
            ),
            (
                format!("{}, {never}", rules("CREATE", ", resourceNames: [a/b]")),
                "spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: \"a/b\": may not contain '/'",
            ),
            (
                format!("{}, {never}", rules("CREATE", ", resourceNames: [a, a]")),
                "spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: \"a\"",
            ),
            (
                format!("{}, {never}", rules("CREATE", "").replace("[v1]", "['']")),
                "spec.matchConstraints.resourceRules[0].apiVersions[0]: Required value",
            ),
            (
                format!("{}, {never}", rules("CREATE", "").replace("[pods]", "['']")),
                "spec.matchConstraints.resourceRules[0].resources[0]: Required value",
            ),
            (
                format!("{good}, {never}, paramKind: {{apiVersion: a/b/c, kind: A}}"),
                "spec.paramKind.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
            ),
            (
                format!("{good}, {never}, paramKind: {{apiVersion: A_/v1, kind: A}}"),
                "spec.paramKind.apiVersion: Invalid value: \"A_\": a lowercase RFC 1123 subdomain",
            ),
            (
                format!("{good}, {never}, paramKind: {{apiVersion: a/1, kind: A}}"),
                "spec.paramKind.apiVersion: Invalid value: \"1\": a DNS-1035 label",
            ),
            (
                format!("{good}, {never}, paramKind: {{apiVersion: v1, kind: a b}}"),
                "spec.paramKind.kind: Invalid value: \"a b\": may have mixed case, but should otherwise match: a DNS-1035 label",
            ),
        ] {
            bench.refuses(&frame.replace("{}", &part), &[error]);
        }
        let binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: v}\nspec: {{}}\n";
        bench.accepts_all(binding, &["policyName: a"]);
        bench.refuses_all(
            binding,
            &[
                ("policyName: A_", "spec.policyName: Invalid value: \"A_\": a lowercase RFC 1123 subdomain"),
                (
                    "policyName: a, matchResources: {resourceRules: [{operations: [DELETE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}",
                    "spec.matchResources.resourceRules.operations: Unsupported value: \"DELETE\"",
                ),
            ],
        );
    }

    #[test]
    fn mutations_are_type_checked_as_a_server_checks_them() {
        let recorded = trueline_yaml::Value::from_json_text(include_str!("recorded/mutations.json")).unwrap();
        let trueline_yaml::Data::List(rows) = &recorded.data else { panic!("no list") };
        assert!(rows.len() > 50);
        let bench = Bench::of(35);
        for row in rows.iter() {
            let field = |key: &str| row.get(key).and_then(trueline_yaml::Value::as_str).unwrap_or_default();
            let holder = if field("patchType") == "JSONPatch" { "jsonPatch" } else { "applyConfiguration" };
            let expression = field("expression").replace('\'', "''");
            let text = format!(
                "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicy\nmetadata: {{name: m}}\nspec:\n  matchConstraints: {{resourceRules: [{{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}}]}}\n  reinvocationPolicy: Never\n  mutations: [{{patchType: {}, {holder}: {{expression: '{expression}'}}}}]\n",
                field("patchType")
            );
            match field("error") {
                "" => bench.accepts(&text),
                error => bench.refuses(&text, &[&format!("spec.mutations[0].{holder}.expression: {error}")]),
            }
        }
    }

    #[test]
    fn policies() {
        let bench = Bench::new();
        let frame = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: v}\nspec: {matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}, {}}\n";
        bench.accepts_all(
            frame,
            &[
                "validations: [{expression: 'true'}]",
                "auditAnnotations: [{key: a.b, valueExpression: \"'c'\"}]",
                "validations: [{expression: 'object.spec.a > 1', message: m}], failurePolicy: Ignore",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "validations: [{expression: ''}]",
                    "spec.validations[0].expression: Required value: expression is not specified",
                ),
                ("validations: [{message: a}]", "spec.validations[0].expression: Required value"),
                (
                    "validations: [{expression: 'object.spec.replicas <='}]",
                    "spec.validations[0].expression: Invalid value: \"object.spec.replicas <=\": compilation failed: ERROR: <input>:1:24: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | object.spec.replicas <=\n | .......................^",
                ),
                (
                    "validations: [{expression: 'true', reason: Teapot}]",
                    "spec.validations[0].reason: Unsupported value: \"Teapot\": supported values: \"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\"",
                ),
                (
                    "validations: [{expression: 'true', message: \"a\\nb\"}]",
                    "spec.validations[0].message: Invalid value: \"a\\nb\": must not contain line breaks",
                ),
                (
                    "validations: [{expression: 'true'}], variables: [{name: a-b, expression: 'true'}]",
                    "spec.variables[0].name: Invalid value: \"a-b\": must be a valid CEL identifier",
                ),
                (
                    "validations: [{expression: 'true'}], variables: [{name: a}]",
                    "spec.variables[0].expression: Required value: expression is not specified",
                ),
                (
                    "auditAnnotations: [{key: a b, valueExpression: \"'c'\"}]",
                    "spec.auditAnnotations[0].key: Invalid value: \"v/a b\": name part must consist of",
                ),
                (
                    "auditAnnotations: [{key: a, valueExpression: \"'c'\"}, {key: a, valueExpression: \"'c'\"}]",
                    "spec.auditAnnotations[1].key: Duplicate value: \"a\"",
                ),
                (
                    "auditAnnotations: [{key: a}]",
                    "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified",
                ),
                (
                    "validations: [{expression: 'true'}], failurePolicy: Never",
                    "spec.failurePolicy: Unsupported value: \"Never\"",
                ),
            ],
        );
        let binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: v}\nspec: {{}}\n";
        bench.accepts_all(
            binding,
            &["policyName: a, validationActions: [Deny]", "policyName: a, validationActions: [Warn, Audit]"],
        );
        bench.refuses_all(
            binding,
            &[
                (
                    "policyName: a",
                    "spec.validationActions: Required value: at least one validation action is required",
                ),
                ("validationActions: [Deny]", "spec.policyName: Required value"),
                (
                    "policyName: a, validationActions: [deny]",
                    "spec.validationActions[0]: Unsupported value: \"deny\"",
                ),
                (
                    "policyName: a, validationActions: [Deny, Audit, Warn]",
                    "spec.validationActions: Invalid value: must not contain both Deny and Warn",
                ),
                (
                    "policyName: a, validationActions: [Deny, Deny]",
                    "spec.validationActions[1]: Duplicate value: \"Deny\"",
                ),
            ],
        );
    }

    #[test]
    fn words_of_older_versions() {
        let frame = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: v}\nspec: {matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}, {}}\n";
        for (part, before, after) in [
            (
                "validations: [{expression: 'true', message: ' '}]",
                "spec.validations[0].message: Invalid value: \" \": message must be non-empty",
                "spec.validations[0].message: Invalid value: \" \": must be non-empty",
            ),
            (
                "validations: [{expression: 'true'}], variables: [{name: while, expression: 'true'}]",
                "spec.variables[0].name: Invalid value: \"while\": name is not a valid CEL identifier",
                "spec.variables[0].name: Invalid value: \"while\": must be a valid CEL identifier",
            ),
        ] {
            Bench::of(33).refuses(&frame.replace("{}", part), &[before]);
            Bench::of(34).refuses(&frame.replace("{}", part), &[after]);
        }
    }

    #[test]
    fn names_of_parameters() {
        let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: {policyName: p, validationActions: [Deny], paramRef: {name: NAME, parameterNotFoundAction: Deny}}\n";
        Bench::new().accepts(&text.replace("NAME", "A_b"));
        let words = "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'";
        Bench::new().refuses(&text.replace("NAME", "a/b"), &[words]);
    }
}
