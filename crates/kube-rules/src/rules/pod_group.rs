//! Groups of pods that are placed together, and the workloads that describe them.

use std::collections::BTreeSet;

use trueline_kube_facts::{FieldError, go_quoted, rules};

use super::{Context, Operation};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// None of several fields is set of which one has to be.
    NO_CHOICE: Required, "pod-group/no-choice", "exactly one of {} is required";
    /// More than one of several fields is set of which one may be.
    TWO_CHOICES: Invalid, "pod-group/two-choices", "{}";
    /// A count is not above zero.
    NO_COUNT: Invalid, "pod-group/no-count", "must be greater than zero";
    /// A count is below one.
    COUNT_BELOW_ONE: Invalid, "pod-group/count-below-one", "must be greater than or equal to 1";
    /// Two resource claims have the same name.
    DUPLICATE_CLAIM: Duplicate, "pod-group/duplicate-claim";
    /// Two groups have the same name.
    DUPLICATE_NAME: Duplicate, "pod-group/duplicate-name";
    /// A workload has no groups of pods.
    NO_GROUP: Required, "pod-group/no-group", "must have at least one item";
}

/// The first version with the newer form of these kinds.
const NEWER: u16 = 36;

/// Exactly one of some fields is set. An update does not change which one it is.
fn one_of(place: &FieldPlace<'_, '_>, fields: &[&'static str], context: &Context<'_>, report: &mut Report) {
    let set: Vec<&str> = fields.iter().copied().filter(|field| !place.child(field).is_absent()).collect();
    if set.len() == 1 || context.operation == Operation::Update {
        return;
    }
    let quoted = |fields: &[&str]| {
        let quoted: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        quoted.join(", ")
    };
    let all = quoted(fields);
    let is_newer = context.version.minor >= NEWER;
    let (value, words) = match (set.as_slice(), is_newer) {
        ([], false) => {
            return report.refuse(place, NO_CHOICE.with(all));
        }
        ([], true) => (String::new(), format!("must specify one of: {all}")),
        (set, true) => (format!("{{{}}}", set.join(", ")), format!("must specify exactly one of: {all}")),
        (set, false) => (
            format!("{{{}}}", quoted(set)),
            format!("exactly one of {all} is required, but multiple fields are set"),
        ),
    };
    let error = FieldError::new(TWO_CHOICES.with(words), place.path(), None);
    report.refused(place, error.with_value(go_quoted(&value)));
}

/// Checks how the pods of a group are placed.
pub(super) fn check_policy(policy: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    one_of(policy, &["basic", "gang"], context, report);
}

/// Checks what may be removed from a group.
pub(super) fn check_disruption(mode: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    one_of(mode, &["single", "all"], context, report);
}

/// Checks `scheduling.PodGroupResourceClaim`.
pub(super) fn check_claim(claim: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    one_of(claim, &["resourceClaimName", "resourceClaimTemplateName"], context, report);
}

/// Checks pods, or groups of them, that are placed all at once.
pub(super) fn check_gang(gang: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let field = if gang.child("minGroupCount").is_absent() { "minCount" } else { "minGroupCount" };
    let count = gang.child(field);
    let number = if count.is_absent() { Some(0) } else { count.integer() };
    match number {
        Some(..=0) if context.version.minor < NEWER => report.refuse(&count, &NO_COUNT),
        Some(0) => report.missing(&count),
        Some(..0) => report.refuse(&count, &COUNT_BELOW_ONE),
        _ => {}
    }
}

/// How many groups a workload may describe, and how many claims a group may have.
const MOST_GROUPS: usize = 8;
const MOST_CLAIMS: usize = 4;

/// A list of so many items at most, each with its own name.
fn named(list: &FieldPlace<'_, '_>, most: usize, context: &Context<'_>, report: &mut Report) {
    if list.count() > most {
        return report.too_many(list, most);
    }
    let mut taken = BTreeSet::new();
    for item in list.items() {
        let name = item.child("name");
        if name.full_text().is_some_and(|text| !taken.insert(text)) {
            match context.version.minor {
                ..NEWER => report.refuse(&name, &DUPLICATE_CLAIM),
                _ => report.refuse(&item.at(&name), &DUPLICATE_NAME),
            }
        }
    }
}

/// Checks `scheduling.PodGroupSpec` and `scheduling.PodGroupTemplate`.
pub(super) fn check(group: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    named(&group.child("resourceClaims"), MOST_CLAIMS, context, report);
}

/// Checks `scheduling.WorkloadSpec`.
pub(super) fn check_workload(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let groups = spec.child("podGroups");
    if context.version.minor < NEWER && groups.is_empty() {
        report.refuse(&groups, &NO_GROUP);
    }
    for field in ["podGroups", "podGroupTemplates"] {
        named(&spec.child(field), MOST_GROUPS, context, report);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn workloads() {
        let frame =
            "apiVersion: scheduling.k8s.io/v1alpha1\nkind: Workload\nmetadata: {name: w}\nspec: {{}}\n";
        let bench = Bench::of(35);
        bench.accepts_all(
            frame,
            &[
                "podGroups: [{name: a, policy: {basic: {}}}]",
                "controllerRef: {apiGroup: a.io, kind: A, name: a}, podGroups: [{name: a, policy: {gang: {minCount: 2}}}]",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("podGroups: []", "spec.podGroups: Required value: must have at least one item"),
                (
                    "podGroups: [{name: a, policy: {}}]",
                    "spec.podGroups[0].policy: Required value: exactly one of `basic`, `gang` is required",
                ),
                (
                    "podGroups: [{name: a, policy: {basic: {}, gang: {minCount: 1}}}]",
                    "spec.podGroups[0].policy: Invalid value: \"{`basic`, `gang`}\": exactly one of `basic`, `gang` is required, but multiple fields are set",
                ),
                (
                    "podGroups: [{name: a, policy: {gang: {minCount: 0}}}]",
                    "spec.podGroups[0].policy.gang.minCount: Invalid value: 0: must be greater than zero",
                ),
                ("podGroups: [{name: A, policy: {basic: {}}}]", "spec.podGroups[0].name: Invalid value: \"A\""),
                (
                    "podGroups: [{name: a, policy: {basic: {}}}, {name: a, policy: {basic: {}}}]",
                    "spec.podGroups[1].name: Duplicate value: \"a\"",
                ),
                (
                    "controllerRef: {kind: A/B, name: a}, podGroups: [{name: a, policy: {basic: {}}}]",
                    "spec.controllerRef.kind: Invalid value: \"A/B\"",
                ),
            ],
        );
    }

    #[test]
    fn groups() {
        let frame =
            "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: a.b}\nspec: {{}}\n";
        let bench = Bench::of(36);
        bench.accepts_all(
            frame,
            &[
                "schedulingPolicy: {basic: {}}",
                "schedulingPolicy: {gang: {minCount: 1}}, resourceClaims: [{name: c, resourceClaimName: d}]",
                "schedulingPolicy: {basic: {}}, podGroupTemplateRef: {workload: {workloadName: w, podGroupTemplateName: t}}",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("", "spec.schedulingPolicy: Invalid value: \"\": must specify one of: `basic`, `gang`"),
                (
                    "schedulingPolicy: {basic: {}, gang: {minCount: 1}}",
                    "spec.schedulingPolicy: Invalid value: \"{basic, gang}\": must specify exactly one of: `basic`, `gang`",
                ),
                ("schedulingPolicy: {gang: {}}", "spec.schedulingPolicy.gang.minCount: Required value"),
                (
                    "schedulingPolicy: {gang: {minCount: -1}}",
                    "spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1",
                ),
                (
                    "schedulingPolicy: {basic: {}}, resourceClaims: [{name: c}]",
                    "spec.resourceClaims[0]: Invalid value: \"\": must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
                ),
                (
                    "schedulingPolicy: {basic: {}}, podGroupTemplateRef: {workload: {workloadName: W, podGroupTemplateName: t}}",
                    "spec.podGroupTemplateRef.workload.workloadName: Invalid value: \"W\"",
                ),
            ],
        );
        let newer = "apiVersion: scheduling.k8s.io/v1alpha3\nkind: PodGroup\nmetadata: {name: a.b}\nspec: {schedulingPolicy: {gang: {minCount: 1}}, {}}\n";
        let bench = Bench::of(37);
        bench.accepts_all(
            newer,
            &["disruptionMode: {single: {}}", "workloadRef: {workloadName: w, templateName: t}"],
        );
        bench.refuses_all(
            newer,
            &[
                (
                    "disruptionMode: {}",
                    "spec.disruptionMode: Invalid value: \"\": must specify one of: `single`, `all`",
                ),
                (
                    "workloadRef: {workloadName: w, templateName: T}",
                    "spec.workloadRef.templateName: Invalid value: \"T\"",
                ),
            ],
        );
    }
}
