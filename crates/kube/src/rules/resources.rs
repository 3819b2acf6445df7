//! Resources of containers: known names, no negative amounts, and requests that stay within limits.

use rustc_hash::FxHashMap;

use super::quota;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names;
use crate::{FieldError, Reason};

/// What a container can ask for without a domain in front.
const STANDARD: &[&str] = &["cpu", "memory", "ephemeral-storage"];

/// Checks the resources of a container.
pub(super) fn check(resources: &Place<'_, '_>, report: &mut Report) {
    check_with(resources, resource_name, report);
}

/// Checks the resources of a whole pod.
pub(super) fn check_pod(resources: &Place<'_, '_>, report: &mut Report) {
    check_with(
        resources,
        |name, place, report| {
            let is_known = matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
            if !is_known {
                let words = "supported values: \"cpu\", \"hugepages-\", \"memory\"";
                let error = FieldError::new(Reason::NotSupported, place.path(), words, None);
                report.refused(place, error.with_value(format!("{name:?}")));
            }
        },
        report,
    );
}

fn check_with(
    resources: &Place<'_, '_>,
    check_name: fn(&str, &Place<'_, '_>, &mut Report),
    report: &mut Report,
) {
    let (limits, requests) = (resources.child("limits"), resources.child("requests"));
    let (mut has_huge_pages, mut has_others) = (false, false);
    for list in [&limits, &requests] {
        for (name, amount) in list.entries() {
            check_name(&name, &amount, report);
            has_huge_pages |= name.starts_with("hugepages-");
            has_others |= matches!(&*name, "cpu" | "memory");
            let Some(quantity) = amount.quantity() else { continue };
            if quantity.is_negative() {
                report.invalid(&amount, "must be greater than or equal to 0");
            }
            if is_counted(&name) && !quantity.is_whole() {
                report.invalid(&amount, "must be an integer");
            }
        }
    }
    if has_huge_pages && !has_others {
        report.forbidden(resources, "HugePages require cpu or memory");
    }
    let by_name: FxHashMap<_, _> = limits.entries().collect();
    for (name, request) in requests.entries() {
        let limit = by_name.get(&name);
        let limit_amount = limit.and_then(Place::quantity);
        match (request.quantity(), limit_amount) {
            (Some(asked), Some(allowed)) if is_overcommittable(&name) && asked > allowed => {
                report.invalid(
                    &requests.at(&request),
                    format!("must be less than or equal to {name} limit of {}", shown(limit)),
                );
            }
            (Some(asked), Some(allowed)) if !is_overcommittable(&name) && asked != allowed => {
                report.invalid(
                    &requests.at(&request),
                    format!("must be equal to {name} limit of {}", shown(limit)),
                );
            }
            (Some(_), None) if limit.is_none() && !is_overcommittable(&name) => {
                report.required(&limits, "Limit must be set for non overcommitable resources");
            }
            _ => {}
        }
    }
}

fn shown(place: Option<&Place<'_, '_>>) -> String {
    place.and_then(Place::node).and_then(|node| node.text()).unwrap_or_default().to_owned()
}

/// Resources of the node that are given out in whole pieces.
fn is_counted(name: &str) -> bool {
    is_extended(name)
}

fn is_extended(name: &str) -> bool {
    name.contains('/') && !is_native(name) && !name.starts_with("requests.")
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.split('/').next().is_some_and(|domain| domain.contains("kubernetes.io"))
}

/// More of it can be promised than there is.
fn is_overcommittable(name: &str) -> bool {
    is_native(name) && !name.starts_with("hugepages-")
}

fn resource_name(name: &str, place: &Place<'_, '_>, report: &mut Report) {
    let complaints = names::qualified_name(name);
    let is_named = complaints.is_empty();
    for complaint in complaints {
        report.invalid_key(place, name, complaint);
    }
    if !name.contains('/') && !STANDARD.contains(&name) && !name.starts_with("hugepages-") {
        if is_named && !quota::is_standard(name) {
            report.invalid_key(place, name, "must be a standard resource type or fully qualified");
        }
        report.invalid_key(place, name, "must be a standard resource for containers");
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, resources: {{}}}]}\n";

    #[test]
    fn resources() {
        let bench = Bench::new();
        bench.accepts_all(
            FRAME,
            &[
                "limits: {cpu: 1, memory: 1Gi}",
                "requests: {cpu: 500m}, limits: {cpu: 0.5}",
                "requests: {memory: 1G}, limits: {memory: 1Gi}",
                "limits: {nvidia.com/gpu: 1}",
                "requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: '1'}",
                "requests: {ephemeral-storage: 1Gi}",
            ],
        );
        bench.refuses_all(FRAME, &[
            ("requests: {cpu: 2}, limits: {cpu: 1}", "spec.containers[0].resources.requests: Invalid value: 2: must be less than or equal to cpu limit of 1"),
            ("requests: {memory: 2Gi}, limits: {memory: 1Gi}", "spec.containers[0].resources.requests: Invalid value: \"2Gi\": must be less than or equal to memory limit of 1Gi"),
            ("limits: {cpu: -1}", "spec.containers[0].resources.limits[cpu]: Invalid value: -1: must be greater than or equal to 0"),
            ("limits: {pods: 1}", "spec.containers[0].resources.limits[pods]: Invalid value: \"pods\": must be a standard resource for containers"),
            ("limits: {memory: 1GB}", "spec.containers[0].resources.limits[memory]: Unreadable"),
            ("requests: {x.io/a: 1}", "spec.containers[0].resources.limits: Required value: Limit must be set"),
            ("limits: {hugepages-2Mi: 2Mi}", "spec.containers[0].resources: Forbidden: HugePages require cpu or memory"),
            ("limits: {x.io/a: 0.5}", "spec.containers[0].resources.limits[x.io/a]: Invalid value: 0.5: must be an integer"),
        ]);
    }
}
