//! Disruption budgets: one bound, as a number or a share.

use trueline_kube_facts::rules;

use super::Context;
use super::workload::share;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A disruption budget sets both `minAvailable` and `maxUnavailable`.
    BOTH_BOUNDS: Invalid, "budget/both-bounds", "minAvailable and maxUnavailable cannot be both set";
}

/// Checks `policy.PodDisruptionBudgetSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (least, most) = (spec.child("minAvailable"), spec.child("maxUnavailable"));
    if !least.is_absent() && !most.is_absent() {
        report.refuse(spec, &BOTH_BOUNDS);
    }
    share(&least, report);
    share(&most, report);
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn budgets() {
        let bench = Bench::new();
        let frame = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p}\nspec: {{}}\n";
        bench.accepts_all(
            frame,
            &[
                "minAvailable: 1",
                "maxUnavailable: 50%",
                "selector: {}",
                "minAvailable: 0",
                "minAvailable: null, maxUnavailable: 1",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "minAvailable: -7",
                    "spec.minAvailable: Invalid value: -7: must be greater than or equal to 0",
                ),
                ("minAvailable: half", "spec.minAvailable: Invalid value: \"half\": a valid percent string"),
                (
                    "maxUnavailable: 101%",
                    "spec.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%",
                ),
                (
                    "minAvailable: 1, maxUnavailable: 1",
                    "spec: Invalid value: minAvailable and maxUnavailable cannot be both set",
                ),
                ("minAvailable: true", "spec.minAvailable: WrongType"),
            ],
        );
    }
}
