//! Quotas and limit ranges: names of resources, and amounts that fit together.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Context;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names;
use crate::quantity::Quantity;

/// What can be limited without a domain in front.
const STANDARD: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
];

/// What is counted in whole numbers.
const COUNTED: &[&str] = &[
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Whether a name is that of a standard resource.
pub(super) fn is_standard(name: &str) -> bool {
    is_standard_for_quota(name) || name == "storage"
}

pub(super) fn is_standard_for_quota(name: &str) -> bool {
    STANDARD.contains(&name) || name.starts_with("hugepages-") || name.starts_with("requests.hugepages-")
}

/// Checks `core.ResourceQuotaSpec`.
pub(super) fn check(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for (name, amount) in spec.child("hard").entries() {
        let complaints = names::qualified_name(&name);
        let is_named = complaints.is_empty();
        for complaint in complaints {
            report.invalid_key(&amount, &name, complaint);
        }
        if is_named && !name.contains('/') {
            if !is_standard(&name) {
                report.invalid_key(&amount, &name, "must be a standard resource type or fully qualified");
            }
            if !is_standard_for_quota(&name) {
                report.invalid_key(&amount, &name, "must be a standard resource for quota");
            }
        }
        let quantity = amount.quantity();
        if quantity.is_some_and(|amount| amount.is_negative()) {
            report.invalid(&amount, "must be greater than or equal to 0");
        }
        if COUNTED.contains(&&*name) && quantity.is_some_and(|amount| !amount.is_whole()) {
            report.invalid(&amount, "must be an integer");
        }
    }
}

/// Checks `core.LimitRangeSpec`.
pub(super) fn check_limits(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for limit in spec.child("limits").items() {
        let kind = limit.child("type");
        if let Some(text) = kind.text() {
            let complaints = names::qualified_name(text);
            let is_known =
                matches!(text, "Pod" | "Container" | "PersistentVolumeClaim") || text.contains('/');
            if complaints.is_empty() && !is_known {
                report.invalid(&kind, "must be a standard limit type or fully qualified");
            }
            report.complain(&kind, complaints);
            if !taken.insert(text) {
                report.duplicate(&kind);
            }
        }
        limit_item(&limit, report);
    }
}

fn limit_item(limit: &Place<'_, '_>, report: &mut Report) {
    let kind = limit.child("type").text().unwrap_or_default();
    let (least, most) = (limit.child("min"), limit.child("max"));
    let (default, request) = (limit.child("default"), limit.child("defaultRequest"));
    if kind == "Pod" {
        for place in [&default, &request] {
            if !place.is_empty() {
                report.forbidden(place, "may not be specified when `type` is 'Pod'");
            }
        }
    }
    if kind == "PersistentVolumeClaim" && [&least, &most].iter().all(|list| list.child("storage").is_absent())
    {
        report.required(
            &limit.child("limits"),
            "either minimum or maximum storage value is required, but neither was provided",
        );
    }
    for (name, ratio) in limit.child("maxLimitRequestRatio").entries() {
        if ratio.quantity().is_some_and(|size| size < Quantity::from_integer(1)) {
            let words = format!("ratio {} is less than 1", shown(&ratio));
            report.invalid_at(
                format!("{}[{name}]", limit.child("maxLimitRequestRatio").path()),
                &ratio,
                &words,
            );
        }
    }
    let pairs = [
        (&least, &most, &least, "min value", "max value"),
        (&least, &request, &request, "min value", "default request value"),
        (&request, &most, &request, "default request value", "max value"),
        (&request, &default, &request, "default request value", "default limit value"),
        (&least, &default, &default, "min value", "default value"),
        (&default, &most, &default, "default value", "max value"),
    ];
    for (small, large, named, small_words, large_words) in pairs {
        let others: FxHashMap<_, _> = large.entries().collect();
        for (name, amount) in small.entries() {
            let (Some(amount_size), Some(other)) = (amount.quantity(), others.get(&name)) else { continue };
            if other.quantity().is_some_and(|size| amount_size > size) {
                let words = format!(
                    "{small_words} {} is greater than {large_words} {}",
                    shown(&amount),
                    shown(other)
                );
                report.invalid_at(format!("{}[{name}]", named.path()), &amount, &words);
            }
        }
    }
}

fn shown(place: &Place<'_, '_>) -> String {
    place.node().and_then(|node| node.text()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn quotas() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {{}}}\n";
        bench.accepts_all(
            frame,
            &[
                "pods: 10",
                "requests.cpu: 500m",
                "count/jobs.batch: '4'",
                "requests.nvidia.com/gpu: 1",
                "limits.memory: 1Gi",
            ],
        );
        bench.refuses("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {Limits.memory: 1Gi}}\n", &["spec.hard[Limits.memory]: Invalid value: \"Limits.memory\": must be a standard resource type or fully qualified", "spec.hard[Limits.memory]: Invalid value: \"Limits.memory\": must be a standard resource for quota"]);
        bench.refuses_all(
            frame,
            &[
                (
                    "storage: 1Gi",
                    "spec.hard[storage]: Invalid value: \"storage\": must be a standard resource for quota",
                ),
                ("pods: -1", "spec.hard[pods]: Invalid value: -1: must be greater than or equal to 0"),
                ("pods: many", "spec.hard[pods]: Unreadable"),
                ("pods: 1.5", "spec.hard[pods]: Invalid value: 1.5: must be an integer"),
            ],
        );
    }

    #[test]
    fn limit_ranges() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{{}}]}\n";
        bench.accepts_all(
            frame,
            &[
                "type: Container, max: {cpu: 1}, min: {cpu: 100m}",
                "type: Container, default: {cpu: 1}, defaultRequest: {cpu: 1}",
                "type: PersistentVolumeClaim, max: {storage: 1Gi}",
                "type: Pod, max: {memory: 1Gi}",
            ],
        );
        bench.accepts("apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: null}\n");
        bench.refuses_all(frame, &[
            ("type: Containers", "spec.limits[0].type: Invalid value: \"Containers\": must be a standard limit type or fully qualified"),
            ("type: Container, max: {cpu: 1}, min: {cpu: 2}", "spec.limits[0].min[cpu]: Invalid value: 2: min value 2 is greater than max value 1"),
            ("type: Pod, default: {cpu: 1}", "spec.limits[0].default: Forbidden"),
            ("type: Pod, maxLimitRequestRatio: {cpu: 500m}", "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less than 1"),
            ("type: PersistentVolumeClaim", "spec.limits[0].limits: Required value"),
        ]);
    }
}
