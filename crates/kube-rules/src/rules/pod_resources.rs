//! Resources of a whole pod: what its containers ask for together fits into them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use trueline_apimachinery::quantity::{Notation, Quantity};
use trueline_kube_facts::{Breach, FieldError, go_quoted, rules};

use super::resources::{self, Requests};
use super::{Context, pod};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Resources of whole pods do not exist on Windows.
    RESOURCES_ON_WINDOWS: Forbidden, "pod/resources-on-windows", "may not be set for a windows pod";
    /// Resource claims cannot be set for whole pods.
    CLAIMS_OF_POD: Forbidden, "pod/claims-of-pod", "claims may not be set for Resources at pod-level";
    /// A resource cannot be set for whole pods.
    RESOURCE: NotSupported, "pod/resource", "supported values: {}";
    /// The pod asks for less than its containers do together.
    REQUEST_BELOW_CONTAINERS: Invalid, "pod/request-below-containers",
        "must be greater than or equal to aggregate container requests of {}";
    /// The pod asks for more than its limit.
    LIMIT_BELOW_REQUEST: Invalid, "pod/limit-below-request", "must be less than or equal to {} limit of {}";
    /// The limit of the pod is below those of its containers together.
    LIMIT_BELOW_CONTAINERS: Invalid, "pod/limit-below-containers",
        "must be greater than or equal to aggregate container limits of {}";
    /// The limit of a container is above that of its pod.
    CONTAINER_ABOVE_POD: Invalid, "pod/container-above-pod", "must be less than or equal to pod limits of {}";
}

/// Checks `core.PodSpec`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    resources::check_overhead(&pod.child("overhead"), report);
    let own = pod.child("resources");
    // Until then, resources of a whole pod are dropped.
    if own.is_absent() || context.version.minor < 34 {
        return;
    }
    if pod.child("os").child("name").text() == Some("windows") {
        return report.refuse(&own, &RESOURCES_ON_WINDOWS);
    }
    let claims = own.child("claims");
    if !claims.is_absent() {
        report.refuse(&claims, &CLAIMS_OF_POD);
        pod::used_claims(&own, &pod::claim_names(pod), report);
    }
    let filled = if context.kind == "Pod" { Requests::Filled(is_supported) } else { Requests::AsWritten };
    resources::check_with(&own, name, filled, context, report);
    consistency(pod, &own, context, report);
}

fn is_supported(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || resources::is_huge_page(name)
}

fn name(name: &str, place: &FieldPlace<'_, '_>, report: &mut Report) {
    if is_supported(name) {
        return;
    }
    let mut found = Report::default();
    resources::any_name(name, place, &mut found);
    if found.problems.is_empty() {
        let breach = Breach::choices(&RESOURCE, ["cpu", "hugepages-", "memory"]);
        return report.refuse_value(place, go_quoted(name), breach);
    }
    report.problems.append(&mut found.problems);
}

/// Amounts by the names of resources.
type Amounts<'d> = BTreeMap<Cow<'d, str>, (Quantity, Notation)>;

/// What a pod and its containers ask for, and what they may have.
fn consistency(
    pod: &FieldPlace<'_, '_>,
    own: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let (requests, limits) = (own.child("requests"), own.child("limits"));
    let is_pod = context.kind == "Pod";
    for (name, (size, notation)) in together(pod, |resources, amounts| {
        add(amounts, &resources.child("requests"), |_| true);
        // A pod asks for what it is limited to, where it does not say otherwise; a template leaves that to its pods.
        if is_pod {
            add(amounts, &resources.child("limits"), |name| {
                resources.child("requests").entry(name).is_none()
            });
        }
    }) {
        match (requests.entry(&name), limits.entry(&name)) {
            (Some(asked), _) if asked.quantity().is_some_and(|asked| size > asked) => {
                let sum = size.written(notation);
                report.refuse(&asked, REQUEST_BELOW_CONTAINERS.with(sum));
            }
            // What the containers ask for is taken for what the pod asks for.
            (None, Some(limit))
                if is_pod
                    && matches!(&*name, "cpu" | "memory")
                    && limit.quantity().is_some_and(|limit| size > limit) =>
            {
                let error = FieldError::new(
                    LIMIT_BELOW_REQUEST.with(name).and(limit.amount()),
                    requests.path(),
                    None,
                );
                report.refused(&limit, error.with_value(go_quoted(&size.written(notation))));
            }
            _ => {}
        }
    }
    for (name, (size, notation)) in together(pod, |resources, amounts| {
        add(amounts, &resources.child("limits"), resources::is_huge_page);
    }) {
        let Some(limit) = limits.entry(&name) else { continue };
        if limit.quantity().is_some_and(|limit| size > limit) {
            let sum = size.written(notation);
            report.refuse(&limit, LIMIT_BELOW_CONTAINERS.with(sum));
        }
    }
    for (index, container) in pod.child("containers").items().enumerate() {
        let resources = container.child("resources");
        for (name, amount) in resources.child("limits").entries() {
            let Some(limit) = limits.entry(&name) else { continue };
            if amount.quantity().zip(limit.quantity()).is_some_and(|(amount, limit)| amount > limit) {
                // The server puts the container after the resources of the pod.
                let field = own.path().field("containers").index(index).key(&name).field("limits");
                report.refuse_at(field, &amount, CONTAINER_ABOVE_POD.with(limit.amount()));
            }
        }
    }
}

/// What all containers of a pod need together: those that start it run one after the other, except those that stay.
fn together<'p, 'd: 'p>(
    pod: &'p FieldPlace<'p, 'd>,
    of: impl for<'c> Fn(&'c FieldPlace<'c, 'd>, &mut Amounts<'d>),
) -> Amounts<'d> {
    let mut sum = Amounts::new();
    for container in pod.child("containers").items() {
        of(&container.child("resources"), &mut sum);
    }
    let (mut staying, mut most) = (Amounts::new(), Amounts::new());
    for container in pod.child("initContainers").items() {
        let resources = container.child("resources");
        let is_staying = container.child("restartPolicy").text() == Some("Always");
        if is_staying {
            of(&resources, &mut sum);
            of(&resources, &mut staying);
        }
        let mut now = staying.clone();
        if !is_staying {
            of(&resources, &mut now);
        }
        raise(&mut most, now);
    }
    raise(&mut sum, most);
    sum
}

fn raise<'d>(amounts: &mut Amounts<'d>, others: Amounts<'d>) {
    for (name, other) in others {
        let amount = amounts.entry(name).or_insert(other);
        if other.0 > amount.0 {
            *amount = other;
        }
    }
}

fn add<'d>(amounts: &mut Amounts<'d>, list: &FieldPlace<'_, 'd>, is_meant: impl Fn(&str) -> bool) {
    for (name, place) in list.entries().filter(|(name, _)| is_meant(name)) {
        let Some(size) = place.quantity() else { continue };
        let amount = amounts.entry(name).or_insert((Quantity::from_integer(0), place.notation()));
        if amount.0 == Quantity::from_integer(0) {
            amount.1 = place.notation();
        }
        amount.0 = amount.0.plus(size);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn resources_of_a_whole_pod() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  {}\n";
        let two = "containers:\n  - {name: a, image: i, resources: {requests: {cpu: 1}}}\n  - {name: b, image: i, resources: {requests: {cpu: 500m}}}";
        let case = |own: &str| format!("resources: {{{own}}}\n  {two}");
        for own in [
            "requests: {cpu: 1500m}",
            "requests: {cpu: 2}, limits: {cpu: 2}",
            "limits: {cpu: 2, memory: 1Gi}",
            "",
        ] {
            bench.accepts(&frame.replace("{}", &case(own)));
        }
        for (own, error) in [
            (
                "requests: {cpu: 1}",
                "spec.resources.requests[cpu]: Invalid value: 1: must be greater than or equal to aggregate container requests of 1500m",
            ),
            (
                "limits: {cpu: 1}",
                "spec.resources.requests: Invalid value: \"1500m\": must be less than or equal to cpu limit of 1",
            ),
            (
                "claims: [{name: c}]",
                "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level",
            ),
            (
                "requests: {x.io/a: 1}, limits: {x.io/a: 1}",
                "spec.resources.requests[x.io/a]: Unsupported value",
            ),
        ] {
            let errors = bench.errors(&frame.replace("{}", &case(own)));
            assert!(errors.iter().any(|found| found.starts_with(error)), "{errors:#?}");
        }
        bench.refuses(
            &frame.replace("{}", &format!("os: {{name: windows}}\n  {}", case("requests: {cpu: 2}"))),
            &["spec.resources: Forbidden: may not be set for a windows pod"],
        );
        let limited = "containers: [{name: a, image: i, resources: {requests: {cpu: 1}, limits: {cpu: 3}}}]";
        bench.refuses(
            &frame.replace("{}", &format!("resources: {{limits: {{cpu: 2}}}}\n  {limited}")),
            &["spec.resources.containers[0][cpu].limits: Invalid value: 3: must be less than or equal to pod limits of 2"],
        );
        // Those that start a pod run one after the other, beside those that stay.
        let starting = "initContainers:\n  - {name: s, image: i, restartPolicy: Always, resources: {requests: {cpu: 1}}}\n  - {name: t, image: i, resources: {requests: {cpu: 2}}}\n  containers: [{name: a, image: i, resources: {requests: {cpu: 1}}}]";
        bench.accepts(&frame.replace("{}", &format!("resources: {{requests: {{cpu: 3}}}}\n  {starting}")));
        bench.refuses(
            &frame.replace("{}", &format!("resources: {{requests: {{cpu: 2}}}}\n  {starting}")),
            &["spec.resources.requests[cpu]: Invalid value: 2: must be greater than or equal to aggregate container requests of 3"],
        );
        Bench::of(33).accepts(&frame.replace("{}", &case("requests: {cpu: 1}")));
    }
}
