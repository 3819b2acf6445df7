//! Admission policies and their bindings: what they match and what they say. Their expressions are not evaluated.

use std::collections::BTreeSet;

use super::Context;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;

/// Checks `admissionregistration.ValidatingAdmissionPolicySpec`.
pub(super) fn check(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    constraints(spec, report);
    let (validations, annotations) = (spec.child("validations"), spec.child("auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        for place in [&validations, &annotations] {
            report.required(place, "validations or auditAnnotations must contain at least one item");
        }
    }
    for validation in validations.items() {
        let expression = validation.child("expression");
        if expression.text().is_some_and(|text| text.trim().is_empty()) {
            report.required(&expression, "expression is not specified");
        }
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
pub(super) fn check_mutating(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    constraints(spec, report);
    let mutations = spec.child("mutations");
    if mutations.is_empty() {
        report.required(&mutations, "mutations must contain at least one item");
    }
    for mutation in mutations.items() {
        let kind = mutation.child("patchType");
        let (patch, configuration) = (mutation.child("jsonPatch"), mutation.child("applyConfiguration"));
        let (wanted, other) = match kind.text() {
            Some("JSONPatch") => (&patch, &configuration),
            Some("ApplyConfiguration") => (&configuration, &patch),
            None | Some("") => continue,
            Some(_) => {
                report.not_supported(&kind, &["ApplyConfiguration", "JSONPatch"]);
                continue;
            }
        };
        let text = kind.text().unwrap_or_default();
        if wanted.is_absent() {
            report.required(wanted, &format!("must be specified when patchType is {text}"));
        } else if wanted.child("expression").text().is_some_and(|text| text.trim().is_empty()) {
            report.required(&wanted.child("expression"), "");
        }
        if !other.is_absent() {
            report.invalid(other, format!("must not be specified when patchType is {text}"));
        }
    }
}

/// Checks `admissionregistration.ParamRef`.
pub(super) fn check_parameters(reference: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (name, selector) = (reference.child("name"), reference.child("selector"));
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

/// Checks `admissionregistration.ValidatingAdmissionPolicyBindingSpec`.
pub(super) fn check_binding(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let name = spec.child("policyName");
    if name.text() == Some("") {
        report.required(&name, "");
    }
    let actions = spec.child("validationActions");
    if actions.is_empty() {
        report.required(&actions, "at least one validation action is required");
    }
    let mut taken = BTreeSet::new();
    for action in actions.items() {
        let Some(text) = action.text() else { continue };
        if !matches!(text, "Audit" | "Deny" | "Warn") {
            report.not_supported(&action, &["Audit", "Deny", "Warn"]);
        }
        if !taken.insert(text) {
            report.invalid(&action, "must not contain repeated values");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn policies() {
        let bench = Bench::new();
        let frame = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: v}\nspec: {matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}, {}}\n";
        bench.accepts_all(
            frame,
            &[
                "validations: [{expression: 'true'}]",
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
                    "policyName: a, validationActions: [Deny, Deny]",
                    "spec.validationActions[1]: Invalid value",
                ),
            ],
        );
    }
}
