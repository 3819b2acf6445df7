//! Quotas for some pods only: which scopes there are, and what can be limited in each.

use rustc_hash::FxHashSet;
use trueline_kube_facts::rules;

use super::{Context, quota};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A scope does not exist.
    SCOPE: Invalid, "quota/scope", "unsupported scope";
    /// A scope does not go with a resource.
    SCOPE_OF_RESOURCE: Invalid, "quota/scope-of-resource", "unsupported scope applied to resource";
    /// Two scopes exclude each other.
    CONFLICTING_SCOPES: Invalid, "quota/conflicting-scopes", "conflicting scopes";
    /// A scope needs the operator `Exists`.
    SCOPE_OPERATOR: Invalid, "quota/scope-operator", EXISTS;
    /// The operator needs values.
    NO_SCOPE_VALUES: Required, "quota/no-scope-values",
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    /// The operator takes no values.
    SCOPE_VALUES: Invalid, "quota/scope-values",
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    /// The operator of a scope does not exist.
    OPERATOR: Invalid, "quota/operator", "not a valid selector operator";
}

const COMPUTE: &[&str] =
    &["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

/// Pairs of which a quota can have one.
const PAIRS: [(&str, &str); 2] = [("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")];

/// Scopes that have no values.
const ONLY_EXISTS: [&str; 5] =
    ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

const EXISTS: &str = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                      ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or \
                      ResourceQuotaScopeCrossNamespacePodAffinity";

/// What a scope allows to limit, if there is such a scope.
fn limited(scope: &str, context: &Context<'_>) -> Option<&'static [&'static str]> {
    Some(match scope {
        "BestEffort" => &["pods"],
        "Terminating"
        | "NotTerminating"
        | "NotBestEffort"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => COMPUTE,
        "VolumeAttributesClass" if context.version.minor >= 34 => {
            &["persistentvolumeclaims", "requests.storage"]
        }
        _ => return None,
    })
}

/// Checks the scopes of `core.ResourceQuotaSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let hard = spec.child("hard");
    let names: Vec<_> =
        hard.entries().map(|(name, _)| name).filter(|name| quota::is_standard_for_quota(name)).collect();
    let is_limited = |allowed: &[&str]| names.iter().all(|name| allowed.contains(&&**name));
    let scopes = spec.child("scopes");
    let mut seen = FxHashSet::default();
    for scope in scopes.items() {
        let Some(text) = scope.text() else { continue };
        match limited(text, context) {
            None => report.refuse(&scopes.at(&scope), &SCOPE),
            Some(allowed) if !is_limited(allowed) => {
                report.refuse(&scopes.at(&scope), &SCOPE_OF_RESOURCE);
            }
            Some(_) => {}
        }
        seen.insert(text);
    }
    conflicts(&seen, &scopes, report);
    let selector = spec.child("scopeSelector");
    let expressions = selector.child("matchExpressions");
    let mut seen = FxHashSet::default();
    for expression in expressions.items() {
        let name = expression.child("scopeName");
        let Some(text) = name.text() else { continue };
        // The server leaves the index out of these paths.
        match limited(text, context) {
            None => report.refuse(&expressions.child("scopeName").at(&name), &SCOPE),
            Some(allowed) if !is_limited(allowed) => {
                report.refuse(&expressions.at(&name), &SCOPE_OF_RESOURCE);
            }
            Some(_) => {}
        }
        operator(text, &expression, &expressions, report);
        seen.insert(text);
    }
    conflicts(&seen, &expressions, report);
}

fn conflicts(seen: &FxHashSet<&str>, place: &FieldPlace<'_, '_>, report: &mut Report) {
    for (one, other) in PAIRS {
        if seen.contains(one) && seen.contains(other) {
            report.refuse(place, &CONFLICTING_SCOPES);
        }
    }
}

fn operator(scope: &str, expression: &FieldPlace<'_, '_>, all: &FieldPlace<'_, '_>, report: &mut Report) {
    let (operator, values) = (expression.child("operator"), expression.child("values"));
    let Some(text) = operator.text() else { return };
    let named = all.child("operator").at(&operator);
    if text != "Exists" && ONLY_EXISTS.contains(&scope) {
        report.refuse(&named, &SCOPE_OPERATOR);
    }
    let listed = all.child("values").at(&values);
    match text {
        "In" | "NotIn" if values.is_empty() => report.refuse(&listed, &NO_SCOPE_VALUES),
        "Exists" | "DoesNotExist" if values.count() > 0 => report.refuse(&listed, &SCOPE_VALUES),
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => report.refuse(&named, &OPERATOR),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn scopes() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {{}}\n";
        bench.accepts_all(
            frame,
            &[
                "scopes: [BestEffort], hard: {pods: 1, count/jobs.batch: 2}",
                "scopes: [NotBestEffort, Terminating], hard: {pods: 1, limits.cpu: 2}",
                "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [a]}]}",
                "scopeSelector: {matchExpressions: [{scopeName: BestEffort, operator: Exists}]}",
            ],
        );
        bench.refuses_all(frame, &[
            ("scopes: [Besteffort]", "spec.scopes: Invalid value: \"Besteffort\": unsupported scope"),
            ("scopes: [BestEffort], hard: {cpu: 1}", "spec.scopes: Invalid value: \"BestEffort\": unsupported scope applied to resource"),
            ("scopes: [BestEffort, NotBestEffort]", "spec.scopes: Invalid value: conflicting scopes"),
            ("scopeSelector: {matchExpressions: [{scopeName: Priority, operator: In, values: [a]}]}", "spec.scopeSelector.matchExpressions.scopeName: Invalid value: \"Priority\": unsupported scope"),
            ("scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In}]}", "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value"),
            ("scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: Is}]}", "spec.scopeSelector.matchExpressions.operator: Invalid value: \"Is\": not a valid selector operator"),
            ("scopeSelector: {matchExpressions: [{scopeName: Terminating, operator: DoesNotExist}]}", "spec.scopeSelector.matchExpressions.operator: Invalid value: \"DoesNotExist\": must be 'Exists' when"),
        ]);
    }
}
