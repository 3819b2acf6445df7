//! Admission policies and their bindings: what they match and what they say.

use std::collections::BTreeSet;
use trueline_kube_facts::{Breach, go_quoted, joined, names, rules};

use trueline_kube_cel::escape::is_reserved;

use super::expression::Expressions;
use super::{Context, syntax};
use crate::cel::Patch;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// An API version has more than one slash.
    API_VERSION: Invalid, "policy/api-version", "unexpected GroupVersion string: {}";
    /// The group of an API version is not allowed.
    API_GROUP: Invalid, "policy/api-group", "{}";
    /// The version of an API version is not allowed.
    VERSION_NAME: Invalid, "policy/version-name", "{}";
    /// An API version has no version.
    NO_VERSION: Invalid, "policy/no-version", "version must be specified";
    /// A validating policy has neither `validations` nor `auditAnnotations`.
    NO_VALIDATION: Required, "policy/no-validation", "validations or auditAnnotations must contain at least one item";
    /// A policy has more audit annotations than are allowed.
    TOO_MANY_AUDIT_ANNOTATIONS: Invalid, "policy/too-many-audit-annotations",
        "must not have more than {} auditAnnotations";
    /// Two audit annotations of a policy have the same key.
    DUPLICATE_AUDIT_ANNOTATION: Duplicate, "policy/duplicate-audit-annotation";
    /// A message or an expression is written and holds nothing but blanks.
    BLANK_TEXT: Invalid, "policy/blank-text", "{}must be non-empty if specified";
    /// A message of a policy has more than one line.
    LINE_BREAK_IN_MESSAGE: Invalid, "policy/line-break-in-message", "{}must not contain line breaks";
    /// A variable of a policy has no name.
    UNNAMED_VARIABLE: Required, "policy/unnamed-variable", "name is not specified";
    /// The name of a variable is not an identifier of CEL.
    VARIABLE_NAME: Invalid, "policy/variable-name", "{}";
    /// The `valueExpression` of an audit annotation is too long.
    LONG_VALUE_EXPRESSION: Required, "policy/long-value-expression", "must not exceed {} bytes in length";
    /// An audit annotation needs the name of its policy.
    ANNOTATION_WITHOUT_NAME: Invalid, "policy/annotation-without-name", "requires metadata.name be non-empty";
    /// `paramKind` does not say which kind it means.
    NO_PARAM_KIND: Required, "policy/no-param-kind", "{}";
    /// A mutating policy has no `mutations`.
    NO_MUTATION: Required, "policy/no-mutation", "mutations must contain at least one item";
    /// The expression that belongs to the `patchType` is missing.
    MISSING_PATCH: Required, "policy/missing-patch", "must be specified when patchType is {}";
    /// An expression is set that belongs to another `patchType`.
    OTHER_PATCH: Invalid, "policy/other-patch", "must not be specified when patchType is {}";
    /// The kind of the parameters is not the name of a kind.
    KIND_NAME: Invalid, "policy/kind-name", "may have mixed case, but should otherwise match: {}";
    /// A reference to parameters has neither a name nor a selector.
    NO_PARAMETERS: Required, "policy/no-parameters", "one of name or selector must be specified";
    /// A reference to parameters has both a name and a selector.
    NAME_AND_SELECTOR: Forbidden, "policy/name-and-selector", "name and selector are mutually exclusive";
    /// A binding has no validation action.
    NO_ACTION: Required, "policy/no-action", "at least one validation action is required";
    /// A validation action is listed twice.
    DUPLICATE_ACTION: Duplicate, "policy/duplicate-action";
    /// `Deny` and `Warn` are used together.
    DENY_AND_WARN: Invalid, "policy/deny-and-warn", BOTH;
}

/// Checks `admissionregistration.ValidatingAdmissionPolicySpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    constraints(spec, report);
    expressions(spec, context, report);
    let (validations, annotations) = (spec.child("validations"), spec.child("auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        for place in [&validations, &annotations] {
            report.refuse(place, &NO_VALIDATION);
        }
    }
    if annotations.count() > MOST_ANNOTATIONS {
        report.refuse(&annotations, TOO_MANY_AUDIT_ANNOTATIONS.with(MOST_ANNOTATIONS));
    }
    let mut taken = BTreeSet::new();
    for annotation in annotations.items() {
        let key = annotation.child("key");
        if key.text().is_some_and(|text| !taken.insert(text)) {
            report.refuse(&key, &DUPLICATE_AUDIT_ANNOTATION);
        }
    }
}

/// Compiles all expressions but those of conditions, each with the variables before it.
fn expressions(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
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
pub(super) fn check_validation(validation: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = if context.version.minor < PLAIN_WORDS { "message " } else { "" };
    demanded(&validation.child("expression"), "expression is not specified", report);
    let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
    let (message, made) = (validation.child("message"), validation.child("messageExpression"));
    for (place, name) in [(&message, name), (&made, "")] {
        if place.text().is_some_and(is_blank) {
            report.refuse(place, BLANK_TEXT.with(name));
        }
    }
    if message.text().is_some_and(|text| text.trim().contains(['\n', '\r'])) {
        report.refuse(&message, LINE_BREAK_IN_MESSAGE.with(name));
    }
    let reason = validation.child("reason");
    if !reason.is_absent() && reason.text().is_some_and(|reason| !REASONS.contains(&reason)) {
        report.not_supported(&reason, REASONS);
    }
}

/// Checks `admissionregistration.Variable`.
pub(super) fn check_variable(variable: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = variable.child("name");
    match name.text() {
        Some(text) if text.trim().is_empty() => report.refuse(&name, &UNNAMED_VARIABLE),
        Some(text) => {
            let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
            let is_name = text.bytes().next().is_some_and(is_letter)
                && text.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
            if !is_name || is_reserved(text) {
                let words = match context.version.minor {
                    ..PLAIN_WORDS => "name is not a valid CEL identifier",
                    _ => "must be a valid CEL identifier",
                };
                report.refuse(&name, VARIABLE_NAME.with(words));
            }
        }
        None => {}
    }
    demanded(&variable.child("expression"), "expression is not specified", report);
}

/// Checks `admissionregistration.AuditAnnotation`.
pub(super) fn check_annotation(annotation: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let value = annotation.child("valueExpression");
    if value.text().is_some_and(|text| text.trim().len() > LONGEST_VALUE) {
        report.refuse(&value, LONG_VALUE_EXPRESSION.with(LONGEST_VALUE));
    } else {
        demanded(&value, "valueExpression is not specified", report);
    }
    let metadata = annotation.top().child("metadata");
    let key = annotation.child("key");
    match (metadata.child("name").text(), key.text()) {
        // A name that is still to be made is none of the object's faults.
        (Some(""), Some(_)) if metadata.child("generateName").full_text().is_some() => {}
        (Some(""), Some(_)) => report.refuse(&key, &ANNOTATION_WITHOUT_NAME),
        (Some(name), Some(text)) => {
            let whole = format!("{name}/{text}");
            for breach in names::qualified_name(&whole) {
                report.refuse_value(&key, go_quoted(&whole), breach);
            }
        }
        _ => {}
    }
}

/// An expression that must be there.
fn demanded(place: &FieldPlace<'_, '_>, missing: &str, report: &mut Report) {
    if place.text().is_some_and(|text| text.trim().is_empty()) {
        report.refuse(place, NO_PARAM_KIND.with(missing));
    }
}

fn constraints(spec: &FieldPlace<'_, '_>, report: &mut Report) {
    let constraints = spec.child("matchConstraints");
    if constraints.is_absent() {
        report.missing(&constraints);
    } else if constraints.child("resourceRules").is_empty() {
        report.missing(&constraints.child("resourceRules"));
    }
}

/// Checks `admissionregistration.MutatingAdmissionPolicySpec`.
pub(super) fn check_mutating(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    constraints(spec, report);
    let mut expressions = Expressions::of_mutating(spec, context);
    for variable in spec.child("variables").items() {
        expressions.variable(&variable, report);
    }
    operations(&spec.child("matchConstraints"), report);
    let mutations = spec.child("mutations");
    if mutations.is_empty() {
        report.refuse(&mutations, &NO_MUTATION);
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
            report.refuse(wanted, MISSING_PATCH.with(text));
        } else {
            let expression = wanted.child("expression");
            demanded(&expression, "", report);
            expressions.mutation(&expression, gives, report);
        }
        if !other.is_absent() {
            report.refuse(other, OTHER_PATCH.with(text));
        }
    }
}

/// Only what makes or changes something can be changed on its way. The server leaves the indexes out of the path.
fn operations(matched: &FieldPlace<'_, '_>, report: &mut Report) {
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
pub(super) fn check_mutating_binding(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    operations(&spec.child("matchResources"), report);
}

/// Checks `admissionregistration.ParamKind`: a group and a version, and a kind.
pub(super) fn check_kind(kind: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (version, name) = (kind.child("apiVersion"), kind.child("kind"));
    if let Some(text) = version.full_text() {
        let (group, number) = text.split_once('/').unwrap_or(("", text));
        let mut invalid = |part: &str, breach: Breach| report.refuse_value(&version, go_quoted(part), breach);
        if number.contains('/') {
            invalid(text, API_VERSION.with(text));
        } else {
            let wrong_group = if group.is_empty() { Vec::new() } else { names::dns_1123_subdomain(group) };
            if !wrong_group.is_empty() {
                invalid(group, API_GROUP.with(joined(&wrong_group, ",")));
            }
            let wrong_number = names::dns_1035_label(number);
            match number {
                "" => invalid(text, Breach::from(&NO_VERSION)),
                _ if !wrong_number.is_empty() => {
                    invalid(number, VERSION_NAME.with(joined(&wrong_number, ",")))
                }
                _ => {}
            }
        }
    }
    let complaints = name.full_text().map(|text| names::dns_1035_label(&text.to_lowercase()));
    if let Some(complaints) = complaints.filter(|complaints| !complaints.is_empty()) {
        report.refuse(&name, KIND_NAME.with(joined(&complaints, ",")));
    }
}

/// Checks `admissionregistration.ParamRef`.
pub(super) fn check_parameters(reference: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (name, selector) = (reference.child("name"), reference.child("selector"));
    report.complain(&name, name.full_text().map(syntax::path_segment).unwrap_or_default());
    match (name.text(), selector.is_absent()) {
        (Some(""), true) => report.refuse(reference, &NO_PARAMETERS),
        (Some(text), false) if !text.is_empty() => {
            for place in [&name, &selector] {
                report.refuse(place, &NAME_AND_SELECTOR);
            }
        }
        _ => {}
    }
    let action = reference.child("parameterNotFoundAction");
    // The first version of the group fills it in.
    let is_filled =
        reference.top().child("apiVersion").text().is_some_and(|text| text.ends_with("/v1alpha1"));
    if action.text() == Some("") && !is_filled {
        report.missing(&action);
    }
}

const BOTH: &str = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                    response and headers serves no purpose)";

/// Checks `admissionregistration.ValidatingAdmissionPolicyBindingSpec`.
pub(super) fn check_binding(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = spec.child("policyName");
    if name.text() == Some("") {
        report.missing(&name);
    }
    let actions = spec.child("validationActions");
    // The first version of the kind could do one thing only.
    if actions.is_empty() && context.version.minor >= 27 {
        report.refuse(&actions, &NO_ACTION);
    }
    let mut taken = BTreeSet::new();
    for action in actions.items() {
        let Some(text) = action.text() else { continue };
        if !matches!(text, "Audit" | "Deny" | "Warn") {
            report.not_supported(&action, &["Audit", "Deny", "Warn"]);
        }
        let other = if text == "Deny" { "Warn" } else { "Deny" };
        if !taken.insert(text) {
            report.refuse(&action, &DUPLICATE_ACTION);
        } else if matches!(text, "Deny" | "Warn") && taken.contains(other) {
            report.refuse_in(actions.path(), action.span(), None, &DENY_AND_WARN);
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
