//! Where pods may run: tolerations, node selectors, spreading.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_kube_facts::{joined, names, rules};
use trueline_source::Span;

use super::{Context, Operation};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A toleration without a key needs the operator `Exists`.
    NO_KEY: Invalid, "toleration/no-key",
        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
    /// `tolerationSeconds` needs the effect `NoExecute`.
    SECONDS: Invalid, "toleration/seconds", "effect must be 'NoExecute' when `tolerationSeconds` is set";
    /// The value of a toleration is not allowed.
    VALUE: Invalid, "toleration/value", "{}";
    /// A toleration with the operator `Exists` has a value.
    VALUE_WITH_EXISTS: Invalid, "toleration/value-with-exists", "value must be empty when `operator` is 'Exists'";
    /// Node affinity has no terms.
    NO_TERM: Required, "node-affinity/no-term", "must have at least one node selector term";
    /// A selector of fields needs exactly one value.
    ONE_FIELD_VALUE: Required, "node-affinity/one-field-value",
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    /// The operator of a selector does not exist.
    OPERATOR: Invalid, "selector/operator", "not a valid selector operator";
    /// A selector of fields names a field that cannot be selected by.
    FIELD: Invalid, "node-affinity/field", "not a valid field selector key";
    /// The operator needs values.
    NO_VALUES: Required, "selector/no-values", "must be specified when `operator` is 'In' or 'NotIn'";
    /// The operator takes no values.
    VALUES: Forbidden, "selector/values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    /// The operator needs exactly one value.
    ONE_VALUE: Required, "node-affinity/one-value", "must be specified single value when `operator` is 'Lt' or 'Gt'";
    /// Two constraints are about the same topology key.
    DUPLICATE: Duplicate, "topology-spread/duplicate";
    /// A label key is both to match and to differ.
    MATCH_AND_MISMATCH: Invalid, "affinity/match-and-mismatch", "exists in both matchLabelKeys and mismatchLabelKeys";
    /// Label keys need a label selector.
    KEYS_WITHOUT_SELECTOR: Forbidden, "affinity/keys-without-selector",
        "must not be specified when labelSelector is not set";
    /// A label key is in the label selector, too.
    KEY_IN_SELECTOR: Invalid, "topology-spread/key-in-selector", TWICE;
    /// A label key is in the label selector, too.
    KEY_IN_SELECTOR_2: Invalid, "affinity/key-in-selector", TWICE;
    /// `minDomains` needs `whenUnsatisfiable: DoNotSchedule`.
    MIN_DOMAINS: Invalid, "topology-spread/min-domains",
        "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}";
    /// `maxSkew` is not above zero.
    SKEW: Invalid, "topology-spread/skew", "must be greater than zero";
}

/// Checks `core.Toleration`.
pub(super) fn check_toleration(toleration: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (key, operator, value) =
        (toleration.child("key"), toleration.child("operator"), toleration.child("value"));
    if let Some(text) = key.full_text() {
        report.complain(&key, names::qualified_name(text));
    }
    if key.text() == Some("") && !matches!(operator.text(), None | Some("Exists")) {
        report.refuse(&operator, &NO_KEY);
    }
    let effect = toleration.child("effect");
    if !toleration.child("tolerationSeconds").is_absent()
        && !matches!(effect.text(), None | Some("NoExecute"))
    {
        report.refuse(&effect, &SECONDS);
    }
    match operator.text() {
        // The server names the operator where it means the value.
        Some("" | "Equal") => {
            let complaints = names::label_value(value.full_text().unwrap_or_default());
            if !complaints.is_empty() {
                report.refuse(&operator.at(&value), VALUE.with(joined(&complaints, ";")));
            }
        }
        Some("Exists") if value.full_text().is_some() => {
            report.refuse(&operator.at(&value), &VALUE_WITH_EXISTS);
        }
        None | Some("Exists") => {}
        // Known, but off by default: named among what is supported all the same.
        Some("Lt" | "Gt") if context.version.minor >= 35 => {
            report.not_supported(&operator, &["Equal", "Exists", "Lt", "Gt"]);
        }
        Some(_) => report.not_supported(&operator, &["Equal", "Exists"]),
    }
    if !matches!(effect.text(), None | Some("" | "NoSchedule" | "PreferNoSchedule" | "NoExecute")) {
        report.not_supported(&effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
    }
}

/// Checks `core.NodeSelector`.
pub(super) fn check_node_selector(selector: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let terms = selector.child("nodeSelectorTerms");
    if terms.is_empty() {
        report.refuse(&terms, &NO_TERM);
    }
}

/// Checks `core.NodeSelectorTerm`.
pub(super) fn check_term(term: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    // What is only preferred may name values that no label can have, and so may older versions.
    let is_lenient = term.last_name() == "preference" || context.version.minor < 33;
    for requirement in term.child("matchExpressions").items() {
        expression(&requirement, report);
        let key = requirement.child("key");
        if let Some(text) = key.text() {
            report.complain(&key, names::qualified_name(text));
        }
        for value in requirement.child("values").items().filter(|_| !is_lenient) {
            if let Some(text) = value.text() {
                report.complain(&value, names::label_value(text));
            }
        }
    }
    for requirement in term.child("matchFields").items() {
        field(&requirement, report);
    }
}

/// A requirement on the fields of a node rather than on its labels.
fn field(requirement: &FieldPlace<'_, '_>, report: &mut Report) {
    let (key, operator, values) =
        (requirement.child("key"), requirement.child("operator"), requirement.child("values"));
    match operator.text() {
        Some("In" | "NotIn") if values.count() != 1 => report.refuse(&values, &ONE_FIELD_VALUE),
        None | Some("In" | "NotIn") => {}
        Some(_) => report.refuse(&operator, &OPERATOR),
    }
    match key.text() {
        None => {}
        Some("metadata.name") => {
            for value in values.items() {
                if let Some(text) = value.text() {
                    report.complain(&value, names::dns_1123_subdomain(text));
                }
            }
        }
        Some(_) => report.refuse(&key, &FIELD),
    }
}

fn expression(requirement: &FieldPlace<'_, '_>, report: &mut Report) {
    let (operator, values) = (requirement.child("operator"), requirement.child("values"));
    match operator.text() {
        Some("In" | "NotIn") if values.is_empty() => {
            report.refuse(&values, &NO_VALUES);
        }
        Some("Exists" | "DoesNotExist") if values.count() > 0 => {
            report.refuse(&values, &VALUES);
        }
        Some("Gt" | "Lt") if values.count() != 1 => {
            report.refuse(&values, &ONE_VALUE);
        }
        None | Some("In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt") => {}
        Some(_) => report.refuse(&operator, &OPERATOR),
    }
}

/// Checks the constraints of `core.PodSpec`: each key and answer only once.
pub(super) fn check_spreads<'d>(pod: &FieldPlace<'_, 'd>, _: &Context<'_>, report: &mut Report) {
    let list = pod.child("topologySpreadConstraints");
    let identity = |constraint: &FieldPlace<'_, 'd>| {
        let text = |name| constraint.child(name).text();
        Some((text("topologyKey")?, text("whenUnsatisfiable")?))
    };
    let constraints: Vec<FieldPlace<'_, 'd>> = list.items().collect();
    let mut next: FxHashMap<(&str, &str), Span> = FxHashMap::default();
    // From the end, because each is reported with the next one that is the same.
    let found = |constraint: &FieldPlace<'_, 'd>| {
        let identity = identity(constraint)?;
        let other = next.insert(identity, constraint.child("topologyKey").span())?;
        Some((identity, other))
    };
    let same: Vec<_> = constraints.iter().rev().map(found).collect();
    for (constraint, same) in constraints.iter().zip(same.into_iter().rev()) {
        if let Some(((key, answer), other)) = same {
            let field = constraint.path().field("{topologyKey, whenUnsatisfiable}");
            report.refuse_in(field, other, Some(format!("\"{{{key}, {answer}}}\"")), &DUPLICATE);
        }
    }
}

/// Checks `core.PodAffinityTerm`: keys of labels that are taken over from the pod itself.
pub(super) fn check_affinity(term: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    // The server leaves the index out of this path, and one letter.
    for namespace in term.child("namespaces").items() {
        let complaints = namespace.text().map(names::dns_1123_label).unwrap_or_default();
        report.complain(&term.child("namespace").at(&namespace), complaints);
    }
    for name in ["matchLabelKeys", "mismatchLabelKeys"] {
        label_keys(&term.child(name), term, report);
    }
    merged_keys(term, context, report);
    let mismatched = term.child("mismatchLabelKeys");
    let mismatched: FxHashSet<&str> = mismatched.items().filter_map(|key| key.full_text()).collect();
    for key in term.child("matchLabelKeys").items() {
        if key.text().is_some_and(|text| mismatched.contains(text)) {
            report.refuse(&key, &MATCH_AND_MISMATCH);
        }
    }
}

fn label_keys(keys: &FieldPlace<'_, '_>, owner: &FieldPlace<'_, '_>, report: &mut Report) {
    if keys.count() == 0 {
        return;
    }
    if owner.child("labelSelector").is_absent() {
        return report.refuse(keys, &KEYS_WITHOUT_SELECTOR);
    }
    for key in keys.items() {
        if let Some(text) = key.text() {
            report.complain(&key, names::qualified_name(text));
        }
    }
}

const TWICE: &str = "exists in both matchLabelKeys and labelSelector";

/// Keys whose values are taken over from the pod must not be selected by in another way, too. The server takes them over
/// where it makes a pod, and names them without their list.
fn merged_keys(owner: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (keys, selector) = (owner.child("matchLabelKeys"), owner.child("labelSelector"));
    if keys.count() == 0 || selector.is_absent() {
        return;
    }
    let written = selected_keys(&selector);
    let metadata = owner.top().child("metadata");
    let own = metadata.child("labels");
    let is_made = context.kind == "Pod" && context.operation == Operation::Create;
    // How often each key is named, and where it is named last.
    let mut named = FxHashMap::<&str, (usize, usize)>::default();
    for (index, key) in keys.items().enumerate() {
        if let Some(text) = key.full_text() {
            let (count, last) = named.entry(text).or_default();
            (*count, *last) = (*count + 1, index);
        }
    }
    for (index, key) in keys.items().enumerate() {
        let Some(text) = key.full_text() else { continue };
        let Some((count, _)) = named.get(text).filter(|(_, last)| *last == index) else { continue };
        let (in_labels, in_expressions) = written.get(text).copied().unwrap_or_default();
        let is_taken_over = is_made && own.entries().any(|(own, _)| own == text);
        let found = in_expressions + if is_taken_over { *count } else { 0 };
        if found > 0 && found + in_labels > 1 {
            report.refuse_at(owner.path().index(index), &key, &KEY_IN_SELECTOR);
        }
    }
}

/// The keys that a selector names, each with how often among its labels and how often among its expressions.
fn selected_keys<'d>(selector: &FieldPlace<'_, 'd>) -> FxHashMap<Cow<'d, str>, (usize, usize)> {
    let mut found = FxHashMap::<_, (usize, usize)>::default();
    for (key, _) in selector.child("matchLabels").entries() {
        found.entry(key).or_default().0 += 1;
    }
    for item in selector.child("matchExpressions").items() {
        if let Some(key) = item.child("key").full_text() {
            found.entry(Cow::Borrowed(key)).or_default().1 += 1;
        }
    }
    found
}

/// The first version that takes labels over into the selectors of spread constraints.
const MERGES_SPREADS: u16 = 34;

/// Checks `core.TopologySpreadConstraint`.
pub(super) fn check_spread(constraint: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let keys = constraint.child("matchLabelKeys");
    label_keys(&keys, constraint, report);
    if context.version.minor >= MERGES_SPREADS {
        merged_keys(constraint, context, report);
    } else {
        let selected = selected_keys(&constraint.child("labelSelector"));
        for key in keys.items() {
            if key.full_text().is_some_and(|text| selected.contains_key(text)) {
                report.refuse(&key, &KEY_IN_SELECTOR_2);
            }
        }
    }
    let (domains, answer) = (constraint.child("minDomains"), constraint.child("whenUnsatisfiable"));
    if !domains.is_absent()
        && let Some(answer) = answer.text().filter(|answer| *answer != "DoNotSchedule")
    {
        report.refuse(&domains, MIN_DOMAINS.with(answer));
    }
    let skew = constraint.child("maxSkew");
    if skew.is_absent() || skew.integer().is_some_and(|number| number <= 0) {
        report.refuse(&skew, &SKEW);
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
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: In, values: [b c]}]}}]}}",
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node]}]}]}}}",
            "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {topologyKey: k}}]}}",
        ]);
        bench.refuses_all(frame, &[
            ("tolerations: [{key: a, operator: exists}]", "spec.tolerations[0].operator: Unsupported value: \"exists\""),
            ("tolerations: [{value: b}]", "spec.tolerations[0].operator: Invalid value"),
            ("tolerations: [{key: a, operator: Exists, value: b}]", "spec.tolerations[0].operator: Invalid value: \"b\": value must be empty"),
            ("tolerations: [{key: a, value: b c}]", "spec.tolerations[0].operator: Invalid value: \"b c\": a valid label must"),
            ("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k, namespaces: [A]}]}}", "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: \"A\""),
            ("tolerations: [{key: a, effect: Never}]", "spec.tolerations[0].effect: Unsupported value: \"Never\""),
            ("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}", "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value"),
            ("topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]", "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"),
            ("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone}]", "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value"),
            ("affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: k}}]}}", "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101"),
            ("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]", "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{zone, DoNotSchedule}\""),
            ("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}]", "spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"),
            ("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [a]}]", "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"),
            ("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a b, operator: Exists}]}]}}}", "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: \"a b\""),
            ("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b c]}]}]}}}", "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"b c\""),
            ("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: a, operator: In, values: [b]}]}]}}}", "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: \"a\": not a valid field selector key"),
            ("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k, labelSelector: {}, matchLabelKeys: [a], mismatchLabelKeys: [a]}]}}", "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: \"a\": exists in both matchLabelKeys and mismatchLabelKeys"),
            ("nodeSelector: {a: $B}", "spec.nodeSelector: Invalid value: \"$B\": a valid label"),
        ]);
    }

    #[test]
    fn keys_that_are_selected_by_twice() {
        let pod = |labels: &str, selector: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, labels: {{{labels}}}}}\nspec: {{containers: [{{name: a, image: i}}], topologySpreadConstraints: [{{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [k], labelSelector: {{{selector}}}}}]}}\n"
            )
        };
        let field = "spec.topologySpreadConstraints[0]";
        let older = format!(
            "{field}.matchLabelKeys[0]: Invalid value: \"k\": exists in both matchLabelKeys and labelSelector"
        );
        let newer =
            format!("{field}[0]: Invalid value: \"k\": exists in both matchLabelKeys and labelSelector");
        let text = pod("", "matchLabels: {k: v}");
        Bench::of(33).refuses(&text, &[&older]);
        // A pod without the label has nothing that could be taken over.
        Bench::of(34).accepts(&text);
        let text = pod("k: v", "matchLabels: {k: v}");
        Bench::of(33).refuses(&text, &[&older]);
        Bench::of(34).refuses(&text, &[&newer]);
        let text = pod("k: v", "matchExpressions: [{key: k, operator: Exists}]");
        Bench::of(34).refuses(&text, &[&newer]);
        for minor in [33, 34] {
            Bench::of(minor).accepts(&pod("k: v", "matchLabels: {l: v}"));
        }
        // A key that is named twice is taken over twice.
        let twice = |labels: &str| {
            let text = pod(labels, "matchLabels: {l: v}");
            text.replace("matchLabelKeys: [k]", "matchLabelKeys: [k, k]")
        };
        Bench::of(34).refuses(&twice("k: v"), &[&newer.replace("[0]: Invalid", "[1]: Invalid")]);
        Bench::of(34).accepts(&twice(""));
        let template = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {k: v}}, template: {metadata: {labels: {k: v}}, spec: {containers: [{name: a, image: i}], affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: t, matchLabelKeys: [k], labelSelector: {matchLabels: {k: v}}}]}}}}}\n";
        Bench::new().accepts(template);
    }
}
