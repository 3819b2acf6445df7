//! What the plugins that every server runs by default refuse of a new pod: what they work out themselves.

use trueline_kube_facts::rules;

use super::{Context, Operation};
use crate::place::FieldPlace;
use crate::problem::Report;
use trueline_diagnostic::Severity;

rules! {
    /// `overhead` is set by hand, without the runtime class that it comes from.
    OVERHEAD_WITHOUT_CLASS: Forbidden, "pod/overhead-without-class",
        "Pod Overhead set without corresponding RuntimeClass defined Overhead";
    /// The pod names a priority class that begins with `system-` and does not exist.
    UNKNOWN_PRIORITY_CLASS: Forbidden, "pod/unknown-priority-class", "no PriorityClass with name {} was found";
    /// `preemptionPolicy` is not that of the priority class.
    PREEMPTION_OF_CLASS: Forbidden, "pod/preemption-of-class",
        "the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority admission controller \
         computed {} from the given PriorityClass name";
    /// `priority` is not that of the priority class.
    PRIORITY_OF_CLASS: Forbidden, "pod/priority-of-class",
        "the integer value of priority ({}) must not be provided in pod spec; priority admission controller \
         computed {} from the given PriorityClass name";
}

/// Classes that every cluster has, with their priorities.
pub(super) const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// What the names of these classes begin with, and those of no others.
const SYSTEM_PREFIX: &str = "system-";

/// What pods do by default where there is no room for them.
const PREEMPTS: &str = "PreemptLowerPriority";

/// Checks `core.Pod`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    if context.operation != Operation::Create {
        return;
    }
    let spec = pod.child("spec");
    let overhead = spec.child("overhead");
    let is_sound = !report.problems.iter().any(|problem| problem.severity == Severity::Error);
    if is_sound && !overhead.is_absent() && spec.child("runtimeClassName").is_absent() {
        report.refuse(&overhead, &OVERHEAD_WITHOUT_CLASS);
    }
    let (priority, class) = (spec.child("priority"), spec.child("priorityClassName"));
    let computed = match class.text() {
        Some("") => Some(0),
        name => SYSTEM_CLASSES.iter().find(|(known, _)| name == Some(known)).map(|(_, priority)| *priority),
    };
    // No other class may have a name that begins so.
    if let Some(name) = class.text().filter(|name| name.starts_with(SYSTEM_PREFIX) && computed.is_none()) {
        report.refuse(&class, UNKNOWN_PRIORITY_CLASS.with(name));
    }
    let preemption = spec.child("preemptionPolicy");
    if let Some(policy) = preemption.full_text().filter(|policy| *policy != PREEMPTS && computed.is_some()) {
        report.refuse(&preemption, PREEMPTION_OF_CLASS.with(policy).and(PREEMPTS));
    }
    if let (Some(number), Some(computed)) = (priority.integer(), computed)
        && number != computed
    {
        report.refuse(&priority, PRIORITY_OF_CLASS.with(number).and(computed));
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn what_is_worked_out_is_not_written() {
        let bench = Bench::new();
        let frame =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], {}}\n";
        bench.accepts_all(
            frame,
            &[
                "priority: 0",
                "priority: 5, priorityClassName: mine",
                "priority: 2000001000, priorityClassName: system-node-critical",
                "overhead: {cpu: 1}, runtimeClassName: r",
                "overhead: null",
                "preemptionPolicy: PreemptLowerPriority, priorityClassName: system-node-critical",
                "preemptionPolicy: Never, priorityClassName: mine",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "priority: 5",
                    "spec.priority: Forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0",
                ),
                (
                    "priority: -1, priorityClassName: system-node-critical",
                    "spec.priority: Forbidden: the integer value of priority (-1) must not be provided in pod spec; priority admission controller computed 2000001000",
                ),
                ("overhead: {cpu: 1}", "spec.overhead: Forbidden: Pod Overhead set without"),
                ("overhead: {}", "spec.overhead: Forbidden: Pod Overhead set without"),
                (
                    "preemptionPolicy: Never",
                    "spec.preemptionPolicy: Forbidden: the string value of PreemptionPolicy (Never) must not be provided",
                ),
                (
                    "preemptionPolicy: Never, priorityClassName: system-node-critical",
                    "spec.preemptionPolicy: Forbidden: the string value of PreemptionPolicy (Never) must not be provided",
                ),
                (
                    "priorityClassName: system-node-critica",
                    "spec.priorityClassName: Forbidden: no PriorityClass with name system-node-critica was found",
                ),
            ],
        );
        let template = "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: p}\ntemplate: {spec: {containers: [{name: a, image: i}], priority: 5, overhead: {cpu: 1}}}\n";
        bench.accepts(template);
    }
}
