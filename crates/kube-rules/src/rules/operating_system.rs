//! Pods that say on which system they run: what the other one has cannot be set.

use trueline_kube_facts::rules;

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A field of the pod does not go with its operating system.
    OPERATING_SYSTEM: Forbidden, "pod/operating-system", "{}";
    /// A field of a container does not go with the operating system of its pod.
    OPERATING_SYSTEM_2: Forbidden, "container/operating-system", "{}";
}

const IN_POD: [&str; 11] = [
    "appArmorProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "runAsGroup",
    "runAsUser",
    "seLinuxChangePolicy",
    "seLinuxOptions",
    "seccompProfile",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "sysctls",
];

const IN_CONTAINER: [&str; 10] = [
    "allowPrivilegeEscalation",
    "appArmorProfile",
    "capabilities",
    "privileged",
    "procMount",
    "readOnlyRootFilesystem",
    "runAsGroup",
    "runAsUser",
    "seLinuxOptions",
    "seccompProfile",
];

/// Checks `core.PodSpec`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let system = pod.child("os");
    match system.child("name").text() {
        Some("windows") => {
            let words = "cannot be set for a windows pod";
            forbid(&pod.child("securityContext"), &IN_POD, words, report);
            forbid(pod, &["hostUsers", "shareProcessNamespace"], words, report);
            for field in ["hostPID", "hostIPC"] {
                if pod.child(field).is_true() {
                    report.refuse(&pod.child(field), OPERATING_SYSTEM.with(words));
                }
            }
            in_containers(pod, &IN_CONTAINER, words, report);
        }
        Some("linux") => {
            let words = "windows options cannot be set for a linux pod";
            forbid(&pod.child("securityContext"), &["windowsOptions"], words, report);
            in_containers(pod, &["windowsOptions"], words, report);
        }
        _ => {}
    }
}

fn in_containers(pod: &FieldPlace<'_, '_>, fields: &[&'static str], words: &str, report: &mut Report) {
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in pod.child(list).items() {
            forbid(&container.child("securityContext"), fields, words, report);
        }
    }
}

fn forbid(context: &FieldPlace<'_, '_>, fields: &[&'static str], words: &str, report: &mut Report) {
    for field in fields {
        let place = context.child(field);
        // Of the two lists, the server only counts the items of one.
        let is_empty_list = *field == "sysctls" && place.count() == 0;
        if !place.is_absent() && !is_empty_list {
            report.refuse(&place, OPERATING_SYSTEM_2.with(words));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn systems() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: a, image: i}]\n  {}\n";
        bench.accepts_all(
            frame,
            &[
                "os: {name: windows}\n  securityContext: {windowsOptions: {runAsUserName: a}, sysctls: []}",
                "os: {name: linux}\n  securityContext: {runAsUser: 1}",
                "securityContext: {runAsUser: 1, windowsOptions: {runAsUserName: a}}",
            ],
        );
        bench.refuses_all(frame, &[
            ("os: {name: windows}\n  securityContext: {runAsUser: 1}", "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod"),
            ("os: {name: windows}\n  securityContext: {supplementalGroups: []}", "spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod"),
            ("os: {name: windows}\n  hostPID: true", "spec.hostPID: Forbidden: cannot be set for a windows pod"),
            ("os: {name: windows}\n  initContainers: [{name: b, image: i, securityContext: {privileged: false}}]", "spec.initContainers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod"),
            ("os: {name: linux}\n  securityContext: {windowsOptions: {runAsUserName: a}}", "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"),
        ]);
    }
}
