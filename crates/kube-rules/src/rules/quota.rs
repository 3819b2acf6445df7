//! Quotas: names of resources, and amounts.

use trueline_kube_facts::rules;

use super::{Context, integer_amount, resources};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A quota is about a resource that does not exist.
    RESOURCE: Invalid, "quota/resource", "must be a standard resource for quota";
    /// A quota is negative.
    NEGATIVE: Invalid, "quota/negative", "must be greater than or equal to 0";
    /// A quota has to be an integer.
    INTEGER: Invalid, "quota/integer", "must be an integer";
}

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

/// What is counted in integers.
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
pub fn is_standard(name: &str) -> bool {
    is_standard_for_quota(name) || name == "storage"
}

pub(super) fn is_standard_for_quota(name: &str) -> bool {
    STANDARD.contains(&name) || name.starts_with("hugepages-") || name.starts_with("requests.hugepages-")
}

/// Checks `core.ResourceQuotaSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for (name, amount) in spec.child("hard").entries() {
        resources::any_name(&name, &amount, report);
        if !name.contains('/') && !is_standard_for_quota(&name) {
            report.refuse_key(&amount, &name, &RESOURCE);
        }
        let quantity = amount.quantity();
        if quantity.is_some_and(|amount| amount.is_negative()) {
            report.refuse(&amount, &NEGATIVE);
        }
        let is_counted = COUNTED.contains(&&*name) || resources::is_extended(&name);
        if is_counted && !integer_amount::is_integer(&amount) {
            report.refuse(&amount, &INTEGER);
        }
    }
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
                ("count/pods: 1.5", "spec.hard[count/pods]: Invalid value: 1.5: must be an integer"),
                (
                    "example.com/card: 500m",
                    "spec.hard[example.com/card]: Invalid value: \"500m\": must be an integer",
                ),
            ],
        );
    }
}
