//! Annotations of pods that mean something to the server: what deleting one costs, profiles of containers, and marks.

use std::sync::Arc;

use trueline_gostd::json::json_fault;
use trueline_kube_facts::{FieldError, go_quoted, rules};
use trueline_yaml::{Limits, json};

use super::{Context, placement};
use crate::place::FieldPlace;
use crate::problem::{Fact, Report};

rules! {
    /// A mirror pod does not name its node.
    MIRROR_WITHOUT_NODE: Invalid, "pod/mirror-without-node", "must set spec.nodeName if mirror pod annotation is set";
    /// The annotation for the cost of deletion is not a 32-bit integer.
    DELETION_COST: Invalid, "pod/deletion-cost", "must be a 32bit integer";
    /// An annotation is about a container that the pod does not have.
    ANNOTATION_FOR_UNKNOWN_CONTAINER: Invalid, "pod/annotation-for-unknown-container", "container not found";
    /// The annotation for AppArmor does not name a profile.
    APP_ARMOR_PROFILE: Invalid, "pod/app-armor-profile", "invalid AppArmor profile name: {}";
    /// The annotation for seccomp does not name a profile.
    SECCOMP_PROFILE: Invalid, "pod/seccomp-profile", "{}";
    /// The annotation for tolerations is not JSON of the right form.
    TOLERATIONS_ANNOTATION: Invalid, "pod/tolerations-annotation", "{}";
}

const MIRROR: &str = "kubernetes.io/config.mirror";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST_WORDS: &str = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const LOCAL: &str = "localhost/";

/// Checks `core.Pod`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let metadata = pod.child("metadata");
    annotations(&metadata.child("annotations"), &pod.child("spec"), context, report);
}

/// Checks `core.PodTemplateSpec`. The server leaves `metadata` out of the path.
pub(super) fn check_template(template: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let metadata = template.child("metadata");
    let named = template.child("annotations").at(&metadata.child("annotations"));
    annotations(&named, &template.child("spec"), context, report);
}

fn annotations(
    all: &FieldPlace<'_, '_>,
    pod: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    for (key, value) in all.entries() {
        let Some(text) = value.text() else { continue };
        if let Some(container) = key.strip_prefix(APP_ARMOR) {
            app_armor(&value, container, pod, report);
        } else if key == SECCOMP_POD || key.starts_with(SECCOMP_CONTAINER) {
            seccomp(all, &key, &value, report);
        }
        match &*key {
            MIRROR if pod.child("nodeName").text() == Some("") => {
                report.refuse(&value, &MIRROR_WITHOUT_NODE);
            }
            TOLERATIONS if !text.is_empty() => tolerations(all, &value, context, report),
            DELETION_COST_WORDS if !is_cost(text) => {
                report.refuse(&value, &DELETION_COST);
            }
            _ => {}
        }
    }
}

/// A number without a plus or zeros before it. After a minus, zeros are taken.
fn is_cost(text: &str) -> bool {
    let starts_well =
        text == "0" || text.starts_with('-') || text.starts_with(|sign| ('1'..='9').contains(&sign));
    starts_well && text.parse::<i32>().is_ok()
}

fn app_armor(value: &FieldPlace<'_, '_>, name: &str, pod: &FieldPlace<'_, '_>, report: &mut Report) {
    let has_container = ["initContainers", "containers", "ephemeralContainers"]
        .iter()
        .any(|list| pod.child(list).items().any(|item| item.child("name").text() == Some(name)));
    if !has_container {
        let error = FieldError::new(&ANNOTATION_FOR_UNKNOWN_CONTAINER, value.path(), None);
        report.refused(&value.at_key(), error.with_value(go_quoted(name)));
    }
    let text = value.text().unwrap_or_default();
    if !matches!(text, "" | "runtime/default" | "unconfined") && !text.starts_with(LOCAL) {
        report.refuse(value, APP_ARMOR_PROFILE.with(go_quoted(text)));
    }
}

/// The server writes this annotation as if it were a field.
fn seccomp(all: &FieldPlace<'_, '_>, key: &str, value: &FieldPlace<'_, '_>, report: &mut Report) {
    let text = value.text().unwrap_or_default();
    if matches!(text, "runtime/default" | "docker/default" | "unconfined") {
        return;
    }
    let mut refuse = |value_text: &str, words: &str| {
        let field = all.path().field(key.to_owned());
        report.refuse_in(field, value.span(), Some(go_quoted(value_text)), SECCOMP_PROFILE.with(words));
    };
    let Some(path) = text.strip_prefix(LOCAL) else { return refuse(text, "must be a valid seccomp profile") };
    if path.starts_with('/') {
        refuse(path, "must be a relative path");
    }
    if path.split('/').any(|part| part == "..") {
        refuse(path, "must not contain '..'");
    }
}

/// Tolerations as they were written before there was a field for them.
fn tolerations(
    all: &FieldPlace<'_, '_>,
    value: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let text: Arc<str> = value.text().unwrap_or_default().into();
    let Ok(document) = json::read(value.span().source, &text, Limits::default()) else {
        let words = json_fault(text.as_bytes()).unwrap_or_else(|| "it is nested too deep".to_owned());
        let shown = Some(go_quoted(TOLERATIONS));
        return report.refuse_in(all.path(), value.span(), shown, TOLERATIONS_ANNOTATION.with(words));
    };
    let mut found = Report::default();
    for toleration in FieldPlace::root(document.root()).items() {
        placement::check_toleration(&toleration, context, &mut found);
    }
    // The places are those of another text: the annotation holds them all.
    for problem in found.problems {
        if let Fact::Refused(error, _) = problem.fact {
            let field = all.path().field(TOLERATIONS).join(&error.field);
            report.refused(value, FieldError { field, ..error });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {{}}}\nspec: {containers: [{name: a, image: i}]}\n";

    #[test]
    fn annotations_of_pods() {
        let bench = Bench::new();
        bench.accepts_all(
            POD,
            &[
                "controller.kubernetes.io/pod-deletion-cost: '-10'",
                "controller.kubernetes.io/pod-deletion-cost: '0'",
                "container.apparmor.security.beta.kubernetes.io/a: runtime/default",
                "container.apparmor.security.beta.kubernetes.io/a: localhost/x",
                "seccomp.security.alpha.kubernetes.io/pod: localhost/a/b",
                "scheduler.alpha.kubernetes.io/tolerations: ''",
                "scheduler.alpha.kubernetes.io/tolerations: '[{\"key\": \"a\", \"operator\": \"Exists\"}]'",
            ],
        );
        bench.accepts(
            &POD.replace("{}", "kubernetes.io/config.mirror: a").replace("spec: {", "spec: {nodeName: nn, "),
        );
        bench.refuses_all(
            POD,
            &[
                (
                    "controller.kubernetes.io/pod-deletion-cost: high",
                    "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"high\": must be a 32bit integer",
                ),
                (
                    "controller.kubernetes.io/pod-deletion-cost: '+1'",
                    "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"+1\"",
                ),
                (
                    "controller.kubernetes.io/pod-deletion-cost: '2147483648'",
                    "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"2147483648\"",
                ),
                (
                    "container.apparmor.security.beta.kubernetes.io/b: runtime/default",
                    "metadata.annotations[container.apparmor.security.beta.kubernetes.io/b]: Invalid value: \"b\": container not found",
                ),
                (
                    "container.apparmor.security.beta.kubernetes.io/a: strict",
                    "metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]: Invalid value: \"strict\": invalid AppArmor profile name: \"strict\"",
                ),
                (
                    "seccomp.security.alpha.kubernetes.io/pod: strict",
                    "metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: \"strict\": must be a valid seccomp profile",
                ),
                (
                    "container.seccomp.security.alpha.kubernetes.io/a: localhost/../b",
                    "metadata.annotations.container.seccomp.security.alpha.kubernetes.io/a: Invalid value: \"../b\": must not contain '..'",
                ),
                (
                    "kubernetes.io/config.mirror: a",
                    "metadata.annotations[kubernetes.io/config.mirror]: Invalid value: \"a\": must set spec.nodeName if mirror pod annotation is set",
                ),
                (
                    "scheduler.alpha.kubernetes.io/tolerations: '[{'",
                    "metadata.annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\"",
                ),
                (
                    "scheduler.alpha.kubernetes.io/tolerations: '[{\"key\": \"a\", \"operator\": \"Some\"}]'",
                    "metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Unsupported value: \"Some\"",
                ),
            ],
        );
    }

    #[test]
    fn annotations_of_templates() {
        let frame = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}, annotations: {{}}}, spec: {containers: [{name: a, image: i}]}}}\n";
        Bench::new().accepts_all(frame, &["controller.kubernetes.io/pod-deletion-cost: '1'"]);
        Bench::new().refuses_all(
            frame,
            &[(
                "controller.kubernetes.io/pod-deletion-cost: many",
                "spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"many\": must be a 32bit integer",
            )],
        );
    }
}
