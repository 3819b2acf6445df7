//! Resources of containers: known names, no negative amounts, and requests that stay within limits.

use trueline_apimachinery::quantity::Quantity;
use trueline_kube_facts::{names, rules};

use super::{Context, integer_amount, quota};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Huge pages are asked for without CPU or memory.
    HUGE_PAGES_ALONE: Forbidden, "resources/huge-pages-alone", HUGE_PAGES;
    /// A container asks for more of a resource than its limit.
    REQUEST_ABOVE_LIMIT: Invalid, "resources/request-above-limit", "must be less than or equal to {} limit{}";
    /// Of this resource a container has to ask for exactly its limit.
    REQUEST_DIFFERS: Invalid, "resources/request-differs", "must be equal to {} limit{}";
    /// This resource needs a limit.
    NO_LIMIT: Required, "resources/no-limit", "Limit must be set for non overcommitable resources";
    /// An amount is negative.
    NEGATIVE: Invalid, "resources/negative", "must be greater than or equal to 0";
    /// An amount of this resource has to be an integer.
    INTEGER: Invalid, "resources/integer", "must be an integer";
    /// An amount of huge pages is not a multiple of their size.
    PAGE_SIZE: Invalid, "resources/page-size", "{} is not positive integer multiple of {}";
    /// This is not a resource that a container can have.
    UNKNOWN_IN_CONTAINER: Invalid, "resources/unknown-in-container", "must be a standard resource for containers";
    /// The name of a resource with a domain is not allowed.
    EXTENDED_NAME: Invalid, "resources/extended-name", "doesn't follow extended resource name standard";
    /// This is not the name of a resource.
    UNKNOWN: Invalid, "resources/unknown", "must be a standard resource type or fully qualified";
}

/// What a container can ask for without a domain in front.
const STANDARD: &[&str] = &["cpu", "memory", "ephemeral-storage"];

/// Checks the resources of a container.
pub(super) fn check(
    resources: &FieldPlace<'_, '_>,
    requests: Requests,
    context: &Context<'_>,
    report: &mut Report,
) {
    check_with(resources, name, requests, context, report);
}

/// What is asked for where only a limit is set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Requests {
    /// As much as the limit of the resources that are meant: the server fills it in, and finds fault with it a second time.
    Filled(fn(&str) -> bool),
    /// Nothing.
    AsWritten,
}

/// Checks the resources of a pod besides those of its containers.
pub(super) fn check_overhead(overhead: &FieldPlace<'_, '_>, report: &mut Report) {
    check_amounts(overhead, overhead, report);
}

/// Checks `node.Overhead`: what pods of a class need besides their containers.
pub(super) fn check_fixed(overhead: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    check_amounts(&overhead.child("podFixed"), overhead, report);
}

/// The server takes the amounts of what is named for limits, and says so.
fn check_amounts(amounts: &FieldPlace<'_, '_>, named: &FieldPlace<'_, '_>, report: &mut Report) {
    for (name, amount) in amounts.entries() {
        let mut found = Report::default();
        check_amount(&name, &amount, self::name, &mut found);
        report.adopt(found, &amounts.path(), &named.path().field("limits"));
    }
    if amounts.entries().any(|(name, _)| is_huge_page(&name))
        && !amounts.entries().any(|(name, _)| matches!(&*name, "cpu" | "memory"))
    {
        report.refuse(&named.at(amounts), &HUGE_PAGES_ALONE);
    }
}

/// Checks a name of a resource, wherever it is counted.
pub(super) type NameCheck = fn(&str, &FieldPlace<'_, '_>, &mut Report);

const HUGE_PAGES: &str = "HugePages require cpu or memory";

/// Checks limits and requests, which stand for the pod or for a container.
pub(super) fn check_with(
    resources: &FieldPlace<'_, '_>,
    check_name: NameCheck,
    filled: Requests,
    context: &Context<'_>,
    report: &mut Report,
) {
    let (limits, requests) = (resources.child("limits"), resources.child("requests"));
    let (mut has_huge_pages, mut has_others) = (false, false);
    for list in [&limits, &requests] {
        for (name, amount) in list.entries() {
            has_huge_pages |= is_huge_page(&name);
            has_others |= matches!(&*name, "cpu" | "memory");
            let before = report.problems.len();
            check_amount(&name, &amount, check_name, report);
            let found = report.problems.get(before..).unwrap_or_default();
            let is_filled = matches!(filled, Requests::Filled(is_meant) if is_meant(&name));
            if is_filled && !found.is_empty() && requests.entry(&name).is_none() {
                let again = Report { problems: found.to_vec() };
                report.adopt(again, &limits.path(), &requests.path());
            }
        }
    }
    if has_huge_pages && !has_others {
        report.refuse(resources, &HUGE_PAGES_ALONE);
    }
    for (name, request) in requests.entries() {
        let limit = limits.entry(&name);
        let limit_amount = limit.as_ref().and_then(FieldPlace::quantity);
        // Older versions do not say how much it is.
        let shown = || match &limit {
            Some(limit) if context.version.minor >= 27 => format!(" of {}", limit.amount()),
            _ => String::new(),
        };
        match (request.quantity(), limit_amount) {
            (Some(asked), Some(allowed)) if is_overcommittable(&name) && asked > allowed => {
                report.refuse(&requests.at(&request), REQUEST_ABOVE_LIMIT.with(name).and(shown()));
            }
            (Some(asked), Some(allowed)) if !is_overcommittable(&name) && asked != allowed => {
                report.refuse(&requests.at(&request), REQUEST_DIFFERS.with(name).and(shown()));
            }
            (Some(_), None) if limit.is_none() && !is_overcommittable(&name) => {
                report.refuse(&limits, &NO_LIMIT);
            }
            _ => {}
        }
    }
}

fn check_amount(name: &str, amount: &FieldPlace<'_, '_>, check_name: NameCheck, report: &mut Report) {
    check_name(name, amount, report);
    let Some(quantity) = amount.quantity() else { return };
    if quantity.is_negative() {
        report.refuse(amount, &NEGATIVE);
    }
    if is_extended(name) && !integer_amount::is_integer(amount) {
        report.refuse(amount, &INTEGER);
    }
    if let Some(size) = name.strip_prefix(HUGE_PAGE)
        && !Quantity::parse(size).is_ok_and(|size| quantity.is_multiple_of(size))
    {
        report.refuse(amount, PAGE_SIZE.with(amount.amount()).and(name));
    }
}

const HUGE_PAGE: &str = "hugepages-";

/// Whether it is memory in pages of a size of their own.
pub(super) fn is_huge_page(name: &str) -> bool {
    name.starts_with(HUGE_PAGE)
}

/// Resources of the node that are given out in whole pieces.
pub(super) fn is_extended(name: &str) -> bool {
    !is_native(name) && !name.starts_with("requests.") && is_quota_name(name)
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// More of it can be promised than there is.
pub(super) fn is_overcommittable(name: &str) -> bool {
    is_native(name) && !is_huge_page(name)
}

/// Checks the name of a resource of containers.
pub(super) fn name(name: &str, place: &FieldPlace<'_, '_>, report: &mut Report) {
    if STANDARD.contains(&name) {
        return;
    }
    any_name(name, place, report);
    if !name.contains('/') {
        if !is_huge_page(name) {
            report.refuse_key(place, name, &UNKNOWN_IN_CONTAINER);
        }
    } else if !is_native(name) && !is_extended(name) {
        report.refuse_key(place, name, &EXTENDED_NAME);
    }
}

/// Whether a quota can name it, too, with its own prefix.
fn is_quota_name(name: &str) -> bool {
    names::qualified_name(&format!("requests.{name}")).is_empty()
}

/// Checks the name of any resource.
pub(super) fn any_name(name: &str, place: &FieldPlace<'_, '_>, report: &mut Report) {
    let complaints = names::qualified_name(name);
    if complaints.is_empty() && !name.contains('/') && !quota::is_standard(name) {
        report.refuse_key(place, name, &UNKNOWN);
    }
    for complaint in complaints {
        report.refuse_key(place, name, complaint);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, resources: {{}}}]}\n";

    const TEMPLATE: &str = "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: p}\ntemplate: {spec: {containers: [{name: a, image: i, resources: {{}}}]}}\n";

    #[test]
    fn a_pod_asks_for_what_it_is_limited_to() {
        let place = "spec.containers[0].resources";
        for (part, error) in [
            ("limits: {cpu: -1}", "[cpu]: Invalid value: -1: must be greater than or equal to 0"),
            (
                "limits: {pods: 1}",
                "[pods]: Invalid value: \"pods\": must be a standard resource for containers",
            ),
        ] {
            Bench::new().refuses(
                &FRAME.replace("{}", part),
                &[&format!("{place}.limits{error}"), &format!("{place}.requests{error}")],
            );
        }
        Bench::new().refuses(
            &FRAME.replace("{}", "limits: {cpu: -1}, requests: {cpu: -1}"),
            &[
                &format!("{place}.limits[cpu]: Invalid value"),
                &format!("{place}.requests[cpu]: Invalid value"),
            ],
        );
    }

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
                "limits: {memory: 1Gi, hugepages-2Mi: 4Mi}",
            ],
        );
        bench.refuses_all(TEMPLATE, &[
            ("limits: {memory: 1Gi, hugepages-2Mi: 3Mi}", "template.spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer multiple of hugepages-2Mi"),
            ("limits: {requests.x.io/a: 1}", "template.spec.containers[0].resources.limits[requests.x.io/a]: Invalid value: \"requests.x.io/a\": doesn't follow extended resource name standard"),
            ("requests: {cpu: 1}, limits: {cpu: 0.5}", "template.spec.containers[0].resources.requests: Invalid value: 1: must be less than or equal to cpu limit of 500m"),
            ("requests: {cpu: 2}, limits: {cpu: 1}", "template.spec.containers[0].resources.requests: Invalid value: 2: must be less than or equal to cpu limit of 1"),
            ("requests: {memory: 2Gi}, limits: {memory: 1Gi}", "template.spec.containers[0].resources.requests: Invalid value: \"2Gi\": must be less than or equal to memory limit of 1Gi"),
            ("limits: {cpu: -1}", "template.spec.containers[0].resources.limits[cpu]: Invalid value: -1: must be greater than or equal to 0"),
            ("limits: {pods: 1}", "template.spec.containers[0].resources.limits[pods]: Invalid value: \"pods\": must be a standard resource for containers"),
            ("limits: {memory: 1GB}", "template.spec.containers[0].resources.limits[memory]: Unreadable"),
            ("requests: {x.io/a: 1}", "template.spec.containers[0].resources.limits: Required value: Limit must be set"),
            ("limits: {hugepages-2Mi: 2Mi}", "template.spec.containers[0].resources: Forbidden: HugePages require cpu or memory"),
            ("limits: {x.io/a: 0.5}", "template.spec.containers[0].resources.limits[x.io/a]: Invalid value: 0.5: must be an integer"),
        ]);
    }

    #[test]
    fn overheads_of_classes() {
        let frame = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: r}\nhandler: h\noverhead: {podFixed: {{}}}\n";
        Bench::new().accepts_all(frame, &["cpu: 250m, memory: 1Gi", "x.io/a: 1"]);
        Bench::new().refuses_all(
            frame,
            &[
                ("cpu: -1", "overhead.limits[cpu]: Invalid value: -1: must be greater than or equal to 0"),
                ("pods: 1", "overhead.limits[pods]: Invalid value: \"pods\": must be a standard resource for containers"),
                ("hugepages-2Mi: 2Mi", "overhead: Forbidden: HugePages require cpu or memory"),
            ],
        );
    }

    #[test]
    fn overheads() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {runtimeClassName: r, containers: [{name: a, image: i}], overhead: {{}}}\n";
        bench.accepts_all(frame, &["cpu: 250m, memory: 1Gi", "x.io/a: 1"]);
        bench.refuses_all(
            frame,
            &[
                ("cpu: -1", "spec.overhead.limits[cpu]: Invalid value: -1: must be greater than or equal to 0"),
                (
                    "pods: 1",
                    "spec.overhead.limits[pods]: Invalid value: \"pods\": must be a standard resource for containers",
                ),
                ("hugepages-2Mi: 2Mi", "spec.overhead: Forbidden: HugePages require cpu or memory"),
            ],
        );
    }
}
