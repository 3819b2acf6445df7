//! Containers that are added to a pod that runs: what they cannot have.

use trueline_kube_facts::meant::nearest;
use trueline_kube_facts::rules;

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A field is set that ephemeral containers do not have.
    FORBIDDEN: Forbidden, "ephemeral-container/forbidden", WORDS;
    /// The container that is targeted does not exist.
    UNKNOWN_TARGET: NotFound, "ephemeral-container/unknown-target";
}

const WORDS: &str = "cannot be set for an Ephemeral Container";

/// What they cannot have, and of which nothing is looked at.
const UNREAD: [&str; 4] = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];

/// What they cannot have besides, not even empty.
const OTHERS: [&str; 4] = ["ports", "resizePolicy", "restartPolicy", "restartPolicyRules"];

/// Checks `core.EphemeralContainer`.
pub(super) fn check(container: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for field in UNREAD {
        let place = container.child(field);
        if !place.is_absent() {
            report.forget_last_below(&container.path(), &place.path());
            report.refuse(&place, &FORBIDDEN);
        }
    }
    for field in OTHERS {
        let place = container.child(field);
        if !place.is_absent() {
            report.refuse(&place, &FORBIDDEN);
        }
    }
    let resources = container.child("resources");
    if !resources.is_empty() {
        report.refuse(&resources, &FORBIDDEN);
    }
    for mount in container.child("volumeMounts").items() {
        for field in ["subPath", "subPathExpr"] {
            let place = mount.child(field);
            if place.full_text().is_some() {
                report.refuse(&place, &FORBIDDEN);
            }
        }
    }
}

/// Checks `core.PodSpec`: which container they look into.
pub(super) fn check_targets(pod: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let list = pod.child("ephemeralContainers");
    if list.count() == 0 {
        return;
    }
    let lists = ["containers", "initContainers"].map(|list| pod.child(list));
    let names: rustc_hash::FxHashSet<&str> =
        lists.iter().flat_map(|list| list.items().filter_map(|item| item.child("name").text())).collect();
    for container in list.items() {
        let target = container.child("targetContainerName");
        if let Some(text) = target.full_text().filter(|text| !names.contains(text)) {
            report.refuse_meant(
                &target,
                &UNKNOWN_TARGET,
                nearest(text, names.iter().copied()).map(str::to_owned),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn what_they_cannot_have() {
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], volumes: [{name: v, emptyDir: {}}], ephemeralContainers: [{name: e, image: i, PART}]}\n";
        let place = "spec.ephemeralContainers[0]";
        let create = "spec.ephemeralContainers: Forbidden: cannot be set on create";
        Bench::new().refuses(&frame.replace("PART", "targetContainerName: a"), &[create]);
        for (part, error) in [
            ("ports: []", ".ports: Forbidden: cannot be set for an Ephemeral Container"),
            ("ports: [{containerPort: 80}]", ".ports: Forbidden: cannot be set for an Ephemeral Container"),
            ("livenessProbe: {}", ".livenessProbe: Forbidden: cannot be set for an Ephemeral Container"),
            ("resources: {limits: {cpu: 1}}", ".resources: Forbidden"),
            ("volumeMounts: [{name: v, mountPath: /v, subPath: a}]", ".volumeMounts[0].subPath: Forbidden"),
            ("targetContainerName: b", ".targetContainerName: Not found: \"b\""),
        ] {
            Bench::new().refuses(&frame.replace("PART", part), &[create, &format!("{place}{error}")]);
        }
    }
}
