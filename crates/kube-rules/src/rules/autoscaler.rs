//! Autoscalers: bounds, targets, metrics and behaviour.

use trueline_kube_facts::{FieldPath, names, rules};

use super::{Context, resources, syntax};
use crate::place::FieldPlace;
use crate::problem::{Fact, Report};

rules! {
    /// `minReplicas` is lower than is allowed.
    MIN_REPLICAS: Invalid, "autoscaler/min-replicas", "must be greater than or equal to {}";
    /// Scaling to zero needs a metric from outside of the pods.
    SCALE_TO_ZERO: Forbidden, "autoscaler/scale-to-zero",
        "must specify at least one Object or External metric to support scaling to zero replicas";
    /// `maxReplicas` is not above zero.
    MAX_REPLICAS: Invalid, "autoscaler/max-replicas", "must be greater than 0";
    /// `maxReplicas` is missing.
    MISSING_MAX_REPLICAS: Required, "autoscaler/missing-max-replicas", "must be set and greater than 0";
    /// `maxReplicas` is below one.
    MAX_REPLICAS_BELOW_ONE: Invalid, "autoscaler/max-replicas-below-one", "must be greater than or equal to 1";
    /// The wanted utilization is not above zero.
    TARGET_UTILIZATION: Invalid, "autoscaler/target-utilization", "must be greater than 0";
    /// `maxReplicas` is lower than `minReplicas`.
    MAX_BELOW_MIN: Invalid, "autoscaler/max-below-min", "must be greater than or equal to `minReplicas`";
    /// `apiVersion` of the scaled object is not `group/version` or `version`.
    API_VERSION: Invalid, "autoscaler/api-version", "unexpected GroupVersion string: {}";
    /// `apiVersion` of the scaled object has no group.
    NO_GROUP: Invalid, "autoscaler/no-group", NO_GROUP_WORDS;
    /// A metric does not say its type.
    NO_METRIC_TYPE: Required, "autoscaler/no-metric-type", "must specify a metric source type";
    /// The field that belongs to the type of a metric is missing.
    MISSING_METRIC: Required, "autoscaler/missing-metric", "must populate information for the given metric source";
    /// A field is set that belongs to another type of metric.
    OTHER_METRIC: Forbidden, "autoscaler/other-metric", "must populate the given metric source only";
    /// A target has neither a value nor an average value.
    NO_TARGET: Required, "autoscaler/no-target", "must set either a target value or averageValue";
    /// A target has neither a value nor a target for each pod.
    NO_POD_TARGET: Required, "autoscaler/no-pod-target",
        "must set either a target value for metric or a per-pod target";
    /// A target has both a value and an average value.
    TWO_TARGETS: Forbidden, "autoscaler/two-targets",
        "may not set both a target value for metric and a per-pod target";
    /// The target has no average value.
    NO_AVERAGE: Required, "autoscaler/no-average", "must specify a positive target averageValue";
    /// A target has neither a raw value nor a utilization.
    NO_UTILIZATION: Required, "autoscaler/no-utilization",
        "must set either a target raw value or a target utilization";
    /// A target has both a raw value and a utilization.
    VALUE_AND_UTILIZATION: Forbidden, "autoscaler/value-and-utilization",
        "may not set both a target raw value and a target utilization";
    /// A metric has no name.
    UNNAMED_METRIC: Required, "autoscaler/unnamed-metric", "must specify a metric name";
    /// A target does not say its type.
    NO_TARGET_TYPE: Required, "autoscaler/no-target-type", "must specify a metric target type";
    /// The type of a target is none of those that exist.
    TARGET_TYPE: Invalid, "autoscaler/target-type", "must be either Utilization, Value, or AverageValue";
    /// A target is not above zero.
    TARGET_NOT_POSITIVE: Invalid, "autoscaler/target-not-positive", "must be positive";
    /// The wanted utilization is not above zero.
    UTILIZATION_NOT_POSITIVE: Invalid, "autoscaler/utilization-not-positive", "must be greater than 0";
    /// A stabilization window is negative.
    NEGATIVE_WINDOW: Invalid, "autoscaler/negative-window", "must be greater than or equal to zero";
    /// A stabilization window is longer than an hour.
    LONG_WINDOW: Invalid, "autoscaler/long-window", "must be less than or equal to 3600";
    /// Scaling rules have no policy.
    NO_POLICY: Required, "autoscaler/no-policy", "must specify at least one Policy";
    /// A value of a scaling policy is above its limit.
    POLICY_TOO_LARGE: Invalid, "autoscaler/policy-too-large", "must be less than or equal to {}";
    /// A value of a scaling policy is not above zero.
    POLICY_NOT_POSITIVE: Invalid, "autoscaler/policy-not-positive", "must be greater than zero";
}

/// Metric types, and the fields that hold what belongs to them, in the server's order.
const METRICS: &[(&str, &str)] = &[
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

/// The annotation of the old version of the kind that holds metrics.
const OLD_METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";

/// Checks `autoscaling.HorizontalPodAutoscalerSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (least, most) = (spec.child("minReplicas"), spec.child("maxReplicas"));
    let bound = i64::from(context.version.minor < 37);
    if least.integer().is_some_and(|number| number < bound) {
        report.refuse(&least, MIN_REPLICAS.with(bound));
    }
    // What the pods themselves use says nothing where there are none.
    let metrics = spec.child("metrics");
    let is_of_pods =
        |metric: &FieldPlace<'_, '_>| !matches!(metric.child("type").text(), Some("Object" | "External"));
    // Older versions of the kind keep their metrics in annotations.
    let is_readable = spec.top().child("apiVersion").text() == Some("autoscaling/v2");
    // The old version of the kind has one of the pods alone, unless an annotation says otherwise.
    let is_old = spec.top().child("apiVersion").text() == Some("autoscaling/v1")
        && !spec.top().child("metadata").child("annotations").entries().any(|(key, _)| key == OLD_METRICS);
    if (is_readable || is_old)
        && least.integer() == Some(0)
        && metrics.items().all(|metric| is_of_pods(&metric))
    {
        report.refuse(&metrics, &SCALE_TO_ZERO);
    }
    let count = if most.is_absent() { Some(0) } else { most.integer() };
    match count {
        Some(..1) if context.version.minor < 36 => report.refuse(&most, &MAX_REPLICAS),
        Some(0) => report.refuse(&most, &MISSING_MAX_REPLICAS),
        Some(..0) => report.refuse(&most, &MAX_REPLICAS_BELOW_ONE),
        _ => {}
    }
    // In the old version of the kind this field is a metric of the processor, and is named as such.
    let share = spec.child("targetCPUUtilizationPercentage");
    if share.integer().is_some_and(|share| share < 1) {
        let field = FieldPath::of("spec.metrics")
            .index(0)
            .field("resource")
            .field("target")
            .field("averageUtilization");
        report.refuse_at(field, &share, &TARGET_UTILIZATION);
    }
    if let (Some(least), Some(number)) = (least.integer(), most.integer())
        && number < least
    {
        report.refuse(&most, &MAX_BELOW_MIN);
    }
}

/// Checks `autoscaling.CrossVersionObjectReference`.
pub(super) fn check_reference(reference: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    for field in ["kind", "name"] {
        let place = reference.child(field);
        if let Some(text) = place.full_text() {
            report.complain(&place, syntax::path_segment(text));
        }
    }
    let version = reference.child("apiVersion");
    let Some(text) = version.text().filter(|_| context.version.minor >= LOOKS_AT_VERSIONS) else { return };
    // Of what can be scaled, only one kind has no group.
    let needs_group = reference.last_name() == "scaleTargetRef"
        && reference.child("kind").text() != Some("ReplicationController");
    if text.matches('/').count() > 1 {
        report.refuse(&version, API_VERSION.with(text));
    } else if needs_group && text.find('/').unwrap_or_default() == 0 {
        report.refuse(&version, &NO_GROUP);
    }
}

/// The first version that looks at the versions of what an autoscaler refers to.
const LOOKS_AT_VERSIONS: u16 = 34;

/// The server's words for a version without a group.
const NO_GROUP_WORDS: &str = "apiVersion must specify API group";

/// Checks `autoscaling.MetricSpec`.
pub(super) fn check_metric(metric: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let kind = metric.child("type");
    let Some(text) = kind.text() else { return };
    if text.is_empty() {
        report.refuse(&kind, &NO_METRIC_TYPE);
    }
    let field = METRICS.iter().find(|(name, _)| *name == text).map(|(_, field)| *field);
    match field {
        None => {
            let names: Vec<&str> = METRICS.iter().map(|(name, _)| *name).collect();
            report.not_supported(&kind, &names);
        }
        Some(field) if metric.child(field).is_absent() => {
            report.refuse(&metric.child(field), &MISSING_METRIC);
        }
        Some(_) => {}
    }
    let mut sources = LOOKED_AT.iter().filter(|name| !metric.child(name).is_absent());
    let Some(first) = sources.next() else { return };
    let others: Vec<_> = sources.collect();
    // Only the first of several is looked at.
    for name in &others {
        report.forget_last_below(&metric.path(), &metric.child(name).path());
    }
    for name in [first].into_iter().chain(others.iter().copied()).filter(|_| !others.is_empty()) {
        if field != Some(*name) {
            report.refuse(&metric.child(name), &OTHER_METRIC);
        }
    }
}

/// What a metric can be taken from, in the order in which the server looks.
const LOOKED_AT: [&str; 5] = ["object", "external", "pods", "resource", "containerResource"];

/// Checks a source of metrics: what it measures has to be compared with something.
pub(super) fn check_source(source: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    if source.last_name() == "containerResource" {
        of_container(source, report);
    }
    let target = source.child("target");
    let (value, average, utilization) =
        (target.child("value"), target.child("averageValue"), target.child("averageUtilization"));
    match &*source.last_name() {
        "object" if value.is_absent() && average.is_absent() => {
            report.refuse(&average, &NO_TARGET);
        }
        "external" if value.is_absent() && average.is_absent() => {
            report.refuse(&average, &NO_POD_TARGET);
        }
        "external" if !value.is_absent() && !average.is_absent() => {
            report.refuse(&value, &TWO_TARGETS);
        }
        "pods" if average.is_absent() => {
            report.refuse(&average, &NO_AVERAGE);
        }
        "resource" | "containerResource" if utilization.is_absent() && average.is_absent() => {
            report.refuse(&utilization, &NO_UTILIZATION);
        }
        "resource" | "containerResource" if !utilization.is_absent() && !average.is_absent() => {
            report.refuse(&average, &VALUE_AND_UTILIZATION);
        }
        _ => {}
    }
}

/// What a container uses of a resource.
fn of_container(source: &FieldPlace<'_, '_>, report: &mut Report) {
    let (container, name) = (source.child("container"), source.child("name"));
    if let Some(text) = container.full_text() {
        report.complain(&container, names::dns_1123_label(text));
    }
    let mut found = Report::default();
    if let Some(text) = name.full_text() {
        resources::name(text, &name, &mut found);
    }
    for problem in found.problems {
        if let Fact::Refused(error, _) = problem.fact {
            report.refused(&name, error);
        }
    }
}

/// Checks `autoscaling.MetricIdentifier`.
pub(super) fn check_identifier(identifier: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let name = identifier.child("name");
    match name.text() {
        Some("") => report.refuse(&name, &UNNAMED_METRIC),
        Some(text) => report.complain(&name, syntax::path_segment(text)),
        None => {}
    }
}

/// Checks `autoscaling.MetricTarget`.
pub(super) fn check_target(target: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let kind = target.child("type");
    if kind.text() == Some("") {
        report.refuse(&kind, &NO_TARGET_TYPE);
    }
    if !matches!(kind.text(), None | Some("Utilization" | "Value" | "AverageValue")) {
        report.refuse(&kind, &TARGET_TYPE);
    }
    for field in ["value", "averageValue"] {
        let place = target.child(field);
        if place.quantity().is_some_and(|amount| !amount.is_positive()) {
            report.refuse(&place, &TARGET_NOT_POSITIVE);
        }
    }
    let utilization = target.child("averageUtilization");
    if utilization.integer().is_some_and(|number| number < 1) {
        report.refuse(&utilization, &UTILIZATION_NOT_POSITIVE);
    }
}

/// Checks `autoscaling.HPAScalingRules`.
pub(super) fn check_rules(rules: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let window = rules.child("stabilizationWindowSeconds");
    match window.integer() {
        Some(seconds) if seconds < 0 => report.refuse(&window, &NEGATIVE_WINDOW),
        Some(seconds) if seconds > 3600 => report.refuse(&window, &LONG_WINDOW),
        _ => {}
    }
    let select = rules.child("selectPolicy");
    if !select.is_absent() && !matches!(select.text(), None | Some("Max" | "Min" | "Disabled")) {
        report.not_supported(&select, &["Disabled", "Max", "Min"]);
    }
    let policies = rules.child("policies");
    if !policies.is_absent() && policies.is_empty() {
        report.refuse(&policies, &NO_POLICY);
    }
    for policy in policies.items() {
        let kind = policy.child("type");
        if !matches!(kind.text(), None | Some("Pods" | "Percent")) {
            report.not_supported(&kind, &["Percent", "Pods"]);
        }
        for (field, most) in [("value", i64::MAX), ("periodSeconds", 1800)] {
            let place = policy.child(field);
            match place.integer() {
                Some(number) if number > most => report.refuse(&place, POLICY_TOO_LARGE.with(most)),
                Some(number) if number <= 0 => report.refuse(&place, &POLICY_NOT_POSITIVE),
                None if place.is_absent() => report.refuse(&place, &POLICY_NOT_POSITIVE),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn autoscalers() {
        let bench = Bench::new();
        let frame = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {scaleTargetRef: {kind: Deployment, name: d, apiVersion: apps/v1}, {}}\n";
        bench.accepts_all(frame, &[
            "maxReplicas: 3",
            "minReplicas: 1, maxReplicas: 1",
            "maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]",
            "maxReplicas: 3, behavior: {scaleDown: {stabilizationWindowSeconds: 300, policies: [{type: Pods, value: 1, periodSeconds: 60}]}}",
            "maxReplicas: 3, behavior: {scaleUp: {selectPolicy: Disabled, tolerance: 0.1}}",
        ]);
        bench.refuses(
            &frame.replace("{}", "minReplicas: 0, maxReplicas: 3"),
            &[
                "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
                "spec.metrics: Forbidden: must specify at least one Object or External metric",
            ],
        );
        let newer = Bench::of(37);
        newer.accepts_all(frame, &["minReplicas: 0, maxReplicas: 3, metrics: [{type: External, external: {metric: {name: m}, target: {type: Value, value: 1}}}]"]);
        newer.refuses_all(
            frame,
            &[(
                "minReplicas: 0, maxReplicas: 3",
                "spec.metrics: Forbidden: must specify at least one Object or External metric",
            )],
        );
        bench.refuses_all(frame, &[
            ("minReplicas: 1", "spec.maxReplicas: Invalid value: \"\": must be greater than 0"),
            ("maxReplicas: 0", "spec.maxReplicas: Invalid value: 0: must be greater than 0"),
            ("minReplicas: 5, maxReplicas: 3", "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"),
            ("minReplicas: -1, maxReplicas: 3", "spec.minReplicas: Invalid value: -1: must be greater than or equal to 1"),
            ("maxReplicas: 3, metrics: [{type: Resource}]", "spec.metrics[0].resource: Required value: must populate information"),
            ("maxReplicas: 3, metrics: [{type: Cpu}]", "spec.metrics[0].type: Unsupported value: \"Cpu\""),
            ("maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}}]", "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0"),
            ("maxReplicas: 3, behavior: {scaleDown: {policies: [{type: Pods, value: 0, periodSeconds: 60}]}}", "spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero"),
            ("maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization}}}]", "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization"),
            ("maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 1, averageValue: 1}}}]", "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both"),
            ("maxReplicas: 3, metrics: [{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue}}}]", "spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue"),
            ("maxReplicas: 3, metrics: [{type: External, external: {metric: {name: m}, target: {type: Value}}}]", "spec.metrics[0].external.target.averageValue: Required value: must set either a target value for metric"),
            ("maxReplicas: 3, metrics: [{type: Pods, pods: {metric: {}, target: {type: AverageValue, averageValue: 1}}}]", "spec.metrics[0].pods.metric.name: Required value: must specify a metric name"),
            ("maxReplicas: 3, behavior: {scaleDown: {tolerance: -0.1}}", "spec.behavior.scaleDown.tolerance: Invalid value: \"-100m\": must be greater than or equal to 0"),
            ("maxReplicas: 3, behavior: {scaleDown: {policies: []}}", "spec.behavior.scaleDown.policies: Required value: must specify at least one Policy"),
            ("maxReplicas: 3, targetCPUUtilizationPercentage: 5", "spec.targetCPUUtilizationPercentage: UnknownField"),
        ]);
    }

    #[test]
    fn numbers_of_replicas() {
        let frame = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, {}}\n";
        for (part, before, after) in [
            (
                "maxReplicas: 0",
                "Invalid value: 0: must be greater than 0",
                "Required value: must be set and greater than 0",
            ),
            (
                "maxReplicas: -1",
                "Invalid value: -1: must be greater than 0",
                "Invalid value: -1: must be greater than or equal to 1",
            ),
        ] {
            for (minor, words) in [(35, before), (36, after)] {
                let errors = Bench::of(minor).errors(&frame.replace("{}", part));
                assert!(
                    errors.iter().any(|error| *error == format!("spec.maxReplicas: {words}")),
                    "{errors:?}"
                );
            }
        }
    }

    #[test]
    fn resources_of_containers() {
        let frame = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {maxReplicas: 1, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, metrics: [{type: ContainerResource, containerResource: {target: {type: Utilization, averageUtilization: 1}, {}}}]}\n";
        let bench = Bench::new();
        bench.accepts_all(frame, &["name: cpu, container: a", "name: x.io/gpu, container: a"]);
        let field = "spec.metrics[0].containerResource";
        for (part, error) in [
            ("name: cpu, container: A", ".container: Invalid value: \"A\""),
            (
                "name: pods, container: a",
                ".name: Invalid value: \"pods\": must be a standard resource for containers",
            ),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{field}{error}")]);
        }
    }

    #[test]
    fn versions_of_what_is_scaled() {
        let autoscaler = |target: &str, described: &str, rest: &str| {
            format!(
                "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: a}}\nspec: {{maxReplicas: {rest}, scaleTargetRef: {{name: a, {target}}}, metrics: [{{type: Object, object: {{describedObject: {{kind: A, name: a, apiVersion: {described}}}, metric: {{name: m}}, target: {{type: Value, value: 1}}}}}}]}}\n"
            )
        };
        let bench = Bench::new();
        let wrong = autoscaler("kind: Deployment", "v1", "1");
        let words = "spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group";
        bench.refuses(&wrong, &[words]);
        Bench::of(33).accepts(&wrong);
        bench.updates(&wrong, &autoscaler("kind: Deployment", "v1", "2"), &[]);
        bench.updates(&wrong, &autoscaler("kind: StatefulSet", "v1", "1"), &[words]);
        let wrong = autoscaler("kind: ReplicationController", "a/b/c", "1");
        let field = "spec.metrics[0].object.describedObject.apiVersion: Invalid value: \"a/b/c\"";
        bench.refuses(&wrong, &[field]);
        bench.updates(&wrong, &autoscaler("kind: ReplicationController", "d/e/f", "1"), &[]);
        bench.updates(&autoscaler("kind: ReplicationController", "v1", "1"), &wrong, &[field]);
    }
}
