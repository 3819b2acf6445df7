//! Single containers of a pod: whether they are started again, and what happens to them when their resources change.

use std::collections::BTreeSet;

use super::Context;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;

/// Checks the containers of `core.PodSpec`.
pub(super) fn check(pod: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let minor = context.version.minor;
    for container in pod.child("initContainers").items() {
        match minor {
            ..35 => {
                let policy = container.child("restartPolicy");
                if !policy.is_absent() && policy.text().is_some_and(|text| text != "Always") {
                    report.not_supported(&policy, &["Always"]);
                }
            }
            35.. => restarted(&container, report),
        }
    }
    for container in pod.child("containers").items() {
        let policy = container.child("restartPolicy");
        match minor {
            ..35 if !policy.is_absent() => {
                report.forbidden(&policy, "may not be set for non-init containers");
            }
            ..35 => {}
            35.. => restarted(&container, report),
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

fn restarted(container: &Place<'_, '_>, report: &mut Report) {
    let policy = container.child("restartPolicy");
    if policy.is_absent() {
        if container.child("restartPolicyRules").count() > 0 {
            report.required(&policy, "must specify restartPolicy when restart rules are used");
        }
    } else if !matches!(policy.text(), None | Some("Always" | "Never" | "OnFailure")) {
        report.not_supported(&policy, &["Always", "Never", "OnFailure"]);
    }
}

/// The server names the list where it means a part of an item. `never` are its words about pods that never start again.
fn resized(list: &Place<'_, '_>, never: Option<&str>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for item in list.items() {
        let (name, policy) = (item.child("resourceName"), item.child("restartPolicy"));
        if let Some(text) = name.text()
            && !taken.insert(text)
        {
            report.duplicate(&item.at(&name));
        }
        for (place, words) in [(&name, ["cpu", "memory"]), (&policy, ["NotRequired", "RestartContainer"])] {
            match place.text() {
                // That it is missing is told of every required field.
                None | Some("") => {}
                Some(text) if words.contains(&text) => {}
                Some(_) => report.not_supported(&list.at(place), &words),
            }
        }
        if let Some(words) = never
            && policy.full_text().is_some_and(|text| text != "NotRequired")
        {
            report.invalid(&list.at(&policy), words);
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
}
