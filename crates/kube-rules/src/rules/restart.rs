//! Single containers of a pod: whether they are started again, and what happens to them when their resources change.

use std::collections::BTreeSet;

use trueline_kube_facts::rules;

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Rules for restarts are set that are not allowed here.
    RESTART_RULES: Forbidden, "container/restart-rules",
        "restartPolicyRules are not allowed for init containers with restart policy Always";
    /// `restartPolicy` is set where it does not exist.
    RESTART_POLICY: Forbidden, "container/restart-policy", "may not be set for non-init containers";
    /// A container that runs to its end cannot be restarted for a resize.
    RESIZE_POLICY: Invalid, "container/resize-policy",
        "must not be set to 'RestartContainer' for non-sidecar initContainers";
    /// A rule for restarts has no exit codes.
    NO_EXIT_CODES: Required, "container/no-exit-codes", "must be specified";
    /// Rules for restarts need `restartPolicy`.
    NO_RESTART_POLICY: Required, "container/no-restart-policy",
        "must specify restartPolicy when restart rules are used";
    /// A resource has two policies for resizes.
    DUPLICATE_RESIZE_POLICY: Duplicate, "container/duplicate-resize-policy";
    /// A policy for resizes wants a restart where there is none.
    RESIZE_WITHOUT_RESTART: Invalid, "container/resize-without-restart", "{}";
}

/// Checks the containers of `core.PodSpec`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let minor = context.version.minor;
    for container in pod.child("initContainers").items() {
        match minor {
            ..35 => {
                let policy = container.child("restartPolicy");
                if !policy.is_absent() && policy.text().is_some_and(|text| text != "Always") {
                    report.not_supported(&policy, &["Always"]);
                }
            }
            35.. => {
                let is_always = container.child("restartPolicy").text() == Some("Always");
                let rules = container.child("restartPolicyRules");
                if minor == 35 && is_always && rules.count() > 0 {
                    report.refuse(&rules, &RESTART_RULES);
                } else {
                    restarted(&container, true, minor, report);
                }
                if minor >= 36 && !is_always {
                    started_again(&container, report);
                }
            }
        }
    }
    for container in pod.child("containers").items() {
        let policy = container.child("restartPolicy");
        match minor {
            ..35 if !policy.is_absent() => {
                report.refuse(&policy, &RESTART_POLICY);
            }
            ..35 => {}
            35.. => restarted(&container, false, minor, report),
        }
    }
    let never = match minor {
        ..36 => "must be 'NotRequired' when `restartPolicy` is 'Never'",
        _ => "must be 'NotRequired' when pod `restartPolicy` is 'Never'",
    };
    let is_never = pod.child("restartPolicy").text() == Some("Never");
    for list in ["initContainers", "containers"] {
        for container in pod.child(list).items() {
            resized(&container.child("resizePolicy"), is_never.then_some(never), report);
        }
    }
}

/// A container that ends before the others begin is not started again when it gets more.
fn started_again(container: &FieldPlace<'_, '_>, report: &mut Report) {
    for item in container.child("resizePolicy").items() {
        let policy = item.child("restartPolicy");
        if policy.text() == Some("RestartContainer") {
            report.refuse(&policy, &RESIZE_POLICY);
        }
    }
}

/// How many rules a container may have, and how many codes each of them.
const MOST_RULES: usize = 20;
const MOST_CODES: usize = 255;

/// Rules about the codes that a container ends with.
fn rules(rules: &FieldPlace<'_, '_>, minor: u16, report: &mut Report) {
    let too_many = |list: &FieldPlace<'_, '_>, most: usize, report: &mut Report| match minor {
        _ if list.count() <= most => {}
        ..36 => report.too_long(list, most),
        _ => report.too_many(list, most),
    };
    too_many(rules, MOST_RULES, report);
    let actions: &[&str] = if minor < 36 { &["Restart"] } else { &["Restart", "RestartAllContainers"] };
    for rule in rules.items() {
        let (action, codes) = (rule.child("action"), rule.child("exitCodes"));
        if action.text().is_some_and(|text| !actions.contains(&text)) {
            report.not_supported(&action, actions);
        }
        if codes.is_absent() {
            report.refuse(&codes, &NO_EXIT_CODES);
            continue;
        }
        let operator = codes.child("operator");
        if operator.text().is_some_and(|text| !matches!(text, "In" | "NotIn")) {
            report.not_supported(&operator, &["In", "NotIn"]);
        }
        too_many(&codes.child("values"), MOST_CODES, report);
    }
}

fn restarted(container: &FieldPlace<'_, '_>, is_first: bool, minor: u16, report: &mut Report) {
    let (policy, own) = (container.child("restartPolicy"), container.child("restartPolicyRules"));
    // Of containers that run before the others, the server looks no further without a policy.
    if !is_first || !policy.is_absent() {
        rules(&own, minor, report);
    }
    if policy.is_absent() {
        if own.count() > 0 {
            report.refuse(&policy, &NO_RESTART_POLICY);
        }
    } else if !matches!(policy.text(), None | Some("Always" | "Never" | "OnFailure")) {
        report.not_supported(&policy, &["Always", "Never", "OnFailure"]);
    }
}

/// The server names the list where it means a part of an item. `never` are its words about pods that never start again.
fn resized(list: &FieldPlace<'_, '_>, never: Option<&str>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for item in list.items() {
        let (name, policy) = (item.child("resourceName"), item.child("restartPolicy"));
        if let Some(text) = name.text()
            && !taken.insert(text)
        {
            report.refuse(&item.at(&name), &DUPLICATE_RESIZE_POLICY);
        }
        for (place, words) in [(&name, ["cpu", "memory"]), (&policy, ["NotRequired", "RestartContainer"])] {
            match place.text() {
                None => {}
                Some("") => report.missing(&list.at(&item)),
                Some(text) if words.contains(&text) => {}
                Some(_) => report.not_supported(&list.at(place), &words),
            }
        }
        if let Some(words) = never
            && policy.text().is_some_and(|text| text != "NotRequired")
        {
            report.refuse(&list.at(&policy), RESIZE_WITHOUT_RESTART.with(words));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {{}, containers: [{name: a, image: i}]}\n";

    #[test]
    fn containers_that_are_started_again() {
        let init = "initContainers: [{name: b, image: i, restartPolicy: Never}]";
        let main = "containers: [{name: a, image: i, restartPolicy: Never}]";
        Bench::new()
            .accepts_all(FRAME, &[init, "initContainers: [{name: b, image: i, restartPolicy: Always}]"]);
        let pod = FRAME.replace("{}, ", "").replace("containers: [{name: a, image: i}]", main);
        Bench::new().accepts(&pod);
        Bench::new().refuses(
            &pod.replace("Never", "never"),
            &["spec.containers[0].restartPolicy: Unsupported value: \"never\": supported values: \"Always\", \"Never\", \"OnFailure\""],
        );
        let old = Bench::of(33);
        old.refuses(
            &pod,
            &["spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers"],
        );
        old.refuses_all(
            FRAME,
            &[(init, "spec.initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"")],
        );
        // Dropped from containers that run first, and from no others.
        let oldest = Bench::of(28);
        oldest.accepts_all(FRAME, &[init]);
        oldest.refuses(
            &pod,
            &["spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers"],
        );
    }

    #[test]
    fn containers_whose_resources_change() {
        let bench = Bench::new();
        let part = |policies: &str| {
            format!(
                "initContainers: [{{name: b, image: i, resizePolicy: [{policies}]}}], restartPolicy: Never"
            )
        };
        let place = "spec.initContainers[0].resizePolicy";
        bench.accepts_all(FRAME, &[&part("{resourceName: cpu, restartPolicy: NotRequired}")]);
        for (policies, error) in [
            (
                "{resourceName: gpu, restartPolicy: NotRequired}",
                ": Unsupported value: \"gpu\": supported values: \"cpu\", \"memory\"",
            ),
            (
                "{resourceName: cpu, restartPolicy: RestartContainer}",
                ": Invalid value: \"RestartContainer\": must be 'NotRequired'",
            ),
        ] {
            bench.refuses_all(FRAME, &[(&part(policies), &format!("{place}{error}"))]);
        }
    }

    #[test]
    fn rules_about_codes() {
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, restartPolicy: Never, restartPolicyRules: [{}]}]}\n";
        let field = "spec.containers[0].restartPolicyRules[0]";
        let codes = "exitCodes: {operator: In, values: [1]}";
        Bench::of(35).accepts(&frame.replace("{}", &format!("{{action: Restart, {codes}}}")));
        let all = frame.replace("{}", &format!("{{action: RestartAllContainers, {codes}}}"));
        Bench::of(35).refuses(
            &all,
            &[&format!(
                "{field}.action: Unsupported value: \"RestartAllContainers\": supported values: \"Restart\""
            )],
        );
        Bench::of(36).accepts(&all);
        let bench = Bench::of(36);
        bench.refuses(
            &frame.replace("{}", "{action: Restart}"),
            &[&format!("{field}.exitCodes: Required value: must be specified")],
        );
        bench.refuses(
            &frame.replace("{}", "{action: Restart, exitCodes: {operator: Foo}}"),
            &[&format!("{field}.exitCodes.operator: Unsupported value: \"Foo\"")],
        );
        let many = vec![format!("{{action: Restart, {codes}}}"); 21].join(", ");
        bench.refuses(
            &frame.replace("{}", &many),
            &["spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items"],
        );
        let sidecar = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], initContainers: [{name: b, image: i, restartPolicy: Always, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1]}}]}]}\n";
        Bench::of(35).refuses(
            sidecar,
            &["spec.initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed"],
        );
        Bench::of(36).accepts(sidecar);
    }

    #[test]
    fn containers_that_end_are_not_started_again() {
        let pod = |image: &str, rest: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: a, image: {image}}}], initContainers: [{{name: b, image: i, resizePolicy: [{{resourceName: cpu, restartPolicy: RestartContainer}}]{rest}}}]}}\n"
            )
        };
        Bench::of(35).accepts(&pod("i", ""));
        let words = "spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers";
        Bench::of(36).refuses(&pod("i", ""), &[words]);
        Bench::of(36).accepts(&pod("i", ", restartPolicy: Always"));
        Bench::of(36).updates(&pod("i", ""), &pod("j", ""), &[]);
    }
}
