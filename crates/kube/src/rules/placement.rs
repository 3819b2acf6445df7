//! Where pods may run: tolerations, node selectors, spreading.

use super::Context;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names;

/// Checks `core.Toleration`.
pub(super) fn check_toleration(toleration: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (key, operator, value) =
        (toleration.child("key"), toleration.child("operator"), toleration.child("value"));
    if let Some(text) = key.full_text() {
        report.complain(&key, names::qualified_name(text));
    }
    if key.text() == Some("") && !matches!(operator.text(), None | Some("Exists")) {
        report.invalid(
            &operator,
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
        );
    }
    let effect = toleration.child("effect");
    if !toleration.child("tolerationSeconds").is_absent()
        && !matches!(effect.text(), None | Some("NoExecute"))
    {
        report.invalid(&effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    match operator.text() {
        Some("" | "Equal") => {
            report.complain(&value, names::label_value(value.full_text().unwrap_or_default()))
        }
        Some("Exists") if value.full_text().is_some() => {
            report.invalid(&value, "value must be empty when `operator` is 'Exists'");
        }
        None | Some("Exists") => {}
        Some("Lt" | "Gt") if context.version.minor >= 35 => {}
        Some(_) => report.not_supported(&operator, &["Equal", "Exists"]),
    }
    if !matches!(effect.text(), None | Some("" | "NoSchedule" | "PreferNoSchedule" | "NoExecute")) {
        report.not_supported(&effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
    }
}

/// Checks `core.NodeSelector`.
pub(super) fn check_node_selector(selector: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let terms = selector.child("nodeSelectorTerms");
    if terms.is_empty() {
        report.required(&terms, "must have at least one node selector term");
    }
}

/// Checks `core.NodeSelectorRequirement`.
pub(super) fn check_requirement(requirement: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (operator, values) = (requirement.child("operator"), requirement.child("values"));
    match operator.text() {
        Some("In" | "NotIn") if values.is_empty() => {
            report.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
        }
        Some("Exists" | "DoesNotExist") if values.count() > 0 => {
            report.forbidden(&values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        Some("Gt" | "Lt") if values.count() != 1 => {
            report.required(&values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
        }
        None | Some("In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt") => {}
        Some(_) => report.invalid(&operator, "not a valid selector operator"),
    }
}

/// Checks `core.TopologySpreadConstraint`.
pub(super) fn check_spread(constraint: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let skew = constraint.child("maxSkew");
    if skew.is_absent() || skew.integer().is_some_and(|number| number <= 0) {
        report.invalid(&skew, "must be greater than zero");
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn placement() {
        let bench = Bench::new();
        let frame =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], {}}\n";
        bench.accepts_all(frame, &[
            "tolerations: [{operator: Exists}]",
            "tolerations: [{key: a, value: b, effect: NoSchedule}]",
            "tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]",
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}]}}}",
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]",
            "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {topologyKey: k}}]}}",
        ]);
        bench.refuses_all(frame, &[
            ("tolerations: [{key: a, operator: exists}]", "spec.tolerations[0].operator: Unsupported value: \"exists\""),
            ("tolerations: [{value: b}]", "spec.tolerations[0].operator: Invalid value"),
            ("tolerations: [{key: a, operator: Exists, value: b}]", "spec.tolerations[0].value: Invalid value"),
            ("tolerations: [{key: a, effect: Never}]", "spec.tolerations[0].effect: Unsupported value: \"Never\""),
            ("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}", "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value"),
            ("topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]", "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"),
            ("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone}]", "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value"),
            ("affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: k}}]}}", "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101"),
            ("nodeSelector: {a: $B}", "spec.nodeSelector: Invalid value: \"$B\": a valid label"),
        ]);
    }
}
