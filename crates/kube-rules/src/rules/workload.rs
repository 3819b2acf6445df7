//! Deployments, StatefulSets and DaemonSets: how they roll out, and what their pods must not say.

use std::num::IntErrorKind;

use trueline_kube_facts::{FieldError, go_quoted, names, rules};

use super::{Context, Operation, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The pods of this kind have to be restarted always.
    RESTART_POLICY: NotSupported, "workload/restart-policy", "supported values: {}";
    /// Pods of this kind cannot have a deadline.
    ACTIVE_DEADLINE: Forbidden, "workload/active-deadline", "activeDeadlineSeconds in {} is not Supported";
    /// A disk that only one machine can write to is mounted by several pods, and not read-only.
    WRITABLE_DISK: Invalid, "workload/writable-disk",
        "must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only";
    /// `rollingUpdate` is set with the strategy `Recreate`.
    ROLLING_UPDATE_WITH_RECREATE: Forbidden, "deployment/rolling-update-with-recreate",
        "may not be specified when strategy `type` is 'Recreate'";
    /// `maxUnavailable` and `maxSurge` are both 0.
    NO_PROGRESS: Invalid, "deployment/no-progress", "may not be 0 when `maxSurge` is 0";
    /// `minReadySeconds` is not below `progressDeadlineSeconds`.
    READY_AFTER_DEADLINE: Invalid, "deployment/ready-after-deadline", "{}";
    /// `progressDeadlineSeconds` is not above `minReadySeconds`.
    DEADLINE: Invalid, "deployment/deadline", "{}";
    /// The annotation for the generation is not an integer.
    GENERATION_ANNOTATION: Invalid, "deployment/generation-annotation", "strconv.ParseInt: parsing {}: {}";
    /// `maxSurge` and `maxUnavailable` are both set.
    SURGE_AND_UNAVAILABLE: Invalid, "daemon-set/surge-and-unavailable",
        "may not be set when maxUnavailable is non-zero";
    /// `maxUnavailable` and `maxSurge` are both 0.
    NO_PROGRESS_2: Required, "daemon-set/no-progress", "cannot be 0 when maxSurge is 0";
    /// `podManagementPolicy` is none of those that exist.
    POD_MANAGEMENT: Invalid, "stateful-set/pod-management", "must be 'OrderedReady' or 'Parallel'";
    /// `rollingUpdate` is set with another strategy.
    ROLLING_UPDATE: Invalid, "stateful-set/rolling-update", "only allowed for updateStrategy 'RollingUpdate'";
    /// The partition is negative.
    NEGATIVE_PARTITION: Invalid, "stateful-set/negative-partition", "must be greater than or equal to 0";
    /// `maxUnavailable` is 0.
    NO_UNAVAILABLE: Invalid, "stateful-set/no-unavailable", "cannot be 0";
    /// The strategy for updates is none of those that exist.
    STRATEGY: Invalid, "stateful-set/strategy", "must be 'RollingUpdate' or 'OnDelete'";
    /// A number of pods is negative.
    NEGATIVE_SHARE: Invalid, "workload/negative-share", "must be greater than or equal to 0";
    /// A share of pods is above 100%.
    SHARE_ABOVE_ALL: Invalid, "workload/share-above-all", "must not be greater than 100%";
}

/// How many seconds a Deployment has to get on, unless it says otherwise.
const PROGRESS_DEADLINE: i64 = 600;

/// Checks the specs of all controllers whose pods run for ever.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let template = spec.child("template");
    let pod = template.child("spec");
    let policy = pod.child("restartPolicy");
    if matches!(policy.full_text(), Some(text) if text != "Always") {
        report.not_supported_by(&policy, &["Always"], &RESTART_POLICY);
    }
    let deadline = pod.child("activeDeadlineSeconds");
    if !deadline.is_absent() {
        let kind = if context.kind == "Deployment" { "ReplicaSet" } else { context.kind };
        report.refuse(&deadline, ACTIVE_DEADLINE.with(kind));
    }
    // The last version that asks says nothing of disks that were there before.
    let is_new = context.operation == Operation::Create;
    if context.version.minor < 28 || (context.version.minor == 28 && is_new) {
        shared_disks(spec, context, report);
    }
}

/// A disk that pods write to can belong to one machine only.
fn shared_disks(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_replicated = match context.kind {
        "DaemonSet" => true,
        "Deployment" | "ReplicaSet" | "ReplicationController" => {
            spec.child("replicas").integer().is_some_and(|count| count > 1)
        }
        _ => false,
    };
    let template = spec.child("template");
    let pod = template.child("spec");
    for volume in pod.child("volumes").items().filter(|_| is_replicated) {
        let disk = volume.child("gcePersistentDisk");
        let only = disk.child("readOnly");
        if !disk.is_absent() && !only.is_true() {
            let error = FieldError::new(&WRITABLE_DISK, only.path(), None);
            report.refused(&only, error.with_value("false"));
        }
    }
}

/// Checks `apps.DeploymentSpec`.
pub(super) fn check_deployment(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let strategy = spec.child("strategy");
    let rolling = strategy.child("rollingUpdate");
    match strategy.child("type").text() {
        Some("Recreate") if !rolling.is_absent() => {
            report.refuse(&rolling, &ROLLING_UPDATE_WITH_RECREATE);
        }
        Some("" | "RollingUpdate") => {
            let (unavailable, surge) = (rolling.child("maxUnavailable"), rolling.child("maxSurge"));
            share(&unavailable, report);
            int_or_percent(&surge, report);
            if amount(&unavailable) == Some(0) && amount(&surge) == Some(0) {
                report.refuse(&unavailable, &NO_PROGRESS);
            }
        }
        None | Some("Recreate") => {}
        Some(_) => unknown_strategy(&strategy, &["Recreate", "RollingUpdate"], report),
    }
    let (deadline, ready) = (spec.child("progressDeadlineSeconds"), spec.child("minReadySeconds"));
    let seconds = ready.integer().unwrap_or_default();
    let words = "must be greater than minReadySeconds";
    if deadline.is_absent() && seconds >= PROGRESS_DEADLINE {
        let error = FieldError::new(READY_AFTER_DEADLINE.with(words), deadline.path(), None);
        report.refused(&ready, error.with_value(PROGRESS_DEADLINE.to_string()));
    } else if deadline.integer().is_some_and(|deadline| deadline <= seconds) {
        report.refuse(&deadline, DEADLINE.with(words));
    }
}

/// Checks `apps.DaemonSet`: an annotation that was a field once.
pub(super) fn check_generation(set: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let metadata = set.child("metadata");
    let annotations = metadata.child("annotations");
    if let Some(value) = annotations.entry("deprecated.daemonset.template.generation") {
        number(&value, report);
    }
}

/// Checks `apps.Deployment`: an annotation that was a field once.
pub(super) fn check_rollback(deployment: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let metadata = deployment.child("metadata");
    let annotations = metadata.child("annotations");
    let revision = annotations.entry("deprecated.deployment.rollback.to");
    if let Some(value) = revision.filter(|value| value.full_text().is_some()) {
        number(&value, report);
    }
}

/// An integer in an annotation, which the server cannot do without.
fn number(value: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(text) = value.text() else { return };
    if let Err(error) = text.parse::<i64>() {
        let is_range = matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow);
        let why = if is_range { "value out of range" } else { "invalid syntax" };
        report.refuse(value, GENERATION_ANNOTATION.with(go_quoted(text)).and(why));
    }
}

/// The server names the strategy where it means its type.
fn unknown_strategy(strategy: &FieldPlace<'_, '_>, types: &[&'static str], report: &mut Report) {
    report.not_supported(&strategy.at(&strategy.child("type")), types);
}

/// Checks `apps.DaemonSetSpec`.
pub(super) fn check_daemon_set(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let strategy = spec.child("updateStrategy");
    match strategy.child("type").text() {
        Some("" | "RollingUpdate") => {}
        None | Some("OnDelete") => return,
        Some(_) => return unknown_strategy(&strategy, &["RollingUpdate", "OnDelete"], report),
    }
    let rolling = strategy.child("rollingUpdate");
    let (unavailable, surge) = (rolling.child("maxUnavailable"), rolling.child("maxSurge"));
    share(&unavailable, report);
    share(&surge, report);
    let has_surge = amount(&surge).is_some_and(|amount| amount != 0);
    // An absent one is set to 1.
    let has_unavailable = unavailable.is_absent() || amount(&unavailable).is_some_and(|amount| amount != 0);
    if has_unavailable && has_surge {
        report.refuse(&surge, &SURGE_AND_UNAVAILABLE);
    } else if amount(&unavailable) == Some(0) && !has_surge {
        report.refuse(&unavailable, &NO_PROGRESS_2);
    }
}

/// Checks `apps.StatefulSetSpec`.
pub(super) fn check_stateful_set(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let management = spec.child("podManagementPolicy");
    if !matches!(management.text(), None | Some("" | "OrderedReady" | "Parallel")) {
        report.refuse(&management, &POD_MANAGEMENT);
    }
    let strategy = spec.child("updateStrategy");
    let rolling = strategy.child("rollingUpdate");
    match strategy.child("type").text() {
        Some("OnDelete") if !rolling.is_absent() => {
            report.refuse(&rolling, &ROLLING_UPDATE);
        }
        None | Some("" | "RollingUpdate" | "OnDelete") => {
            let partition = rolling.child("partition");
            if partition.integer().is_some_and(|number| number < 0) {
                report.refuse(&partition, &NEGATIVE_PARTITION);
            }
            let unavailable = rolling.child("maxUnavailable");
            if !unavailable.is_absent() {
                share(&unavailable, report);
                if amount(&unavailable) == Some(0) {
                    report.refuse(&unavailable, &NO_UNAVAILABLE);
                }
            }
        }
        Some(_) => report.refuse(&strategy, &STRATEGY),
    }
    let service = spec.child("serviceName");
    if let Some(text) = service.full_text().filter(|_| context.version.minor >= 33) {
        report.complain(&service, names::dns_1123_label(text));
    }
}

/// Checks a number that is not negative, or a share of a hundred.
pub(super) fn int_or_percent(place: &FieldPlace<'_, '_>, report: &mut Report) {
    if place.is_absent() {
        return;
    }
    match (place.integer(), place.text()) {
        (Some(number), _) if number < 0 => report.refuse(place, &NEGATIVE_SHARE),
        (None, Some(text)) => report.complain(place, syntax::percent(text)),
        _ => {}
    }
}

/// The same, and not more than all.
pub(super) fn share(place: &FieldPlace<'_, '_>, report: &mut Report) {
    int_or_percent(place, report);
    if place.text().is_some_and(|text| percent_of(text).is_some_and(|share| share > 100)) {
        report.refuse(place, &SHARE_ABOVE_ALL);
    }
}

/// The number of a share of a hundred; one that is too large for a number is the largest.
fn percent_of(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%').filter(|_| syntax::percent(text).is_empty())?;
    Some(digits.parse().unwrap_or(i64::MAX))
}

/// How much a number or a share is. Text that is neither counts as nothing.
fn amount(place: &FieldPlace<'_, '_>) -> Option<i64> {
    let of_text = |text: &str| percent_of(text).unwrap_or_else(|| text.parse().unwrap_or_default());
    place.integer().or_else(|| place.text().filter(|_| !place.is_absent()).map(of_text))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    fn frame(kind: &str) -> String {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: d}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: a, image: i}}]}}}}\n  {{}}\n"
        )
    }

    #[test]
    fn annotations_that_were_fields() {
        let bench = Bench::new();
        for (kind, key) in [
            ("DaemonSet", "deprecated.daemonset.template.generation"),
            ("Deployment", "deprecated.deployment.rollback.to"),
        ] {
            let set = frame(kind).replace("{}", "minReadySeconds: 1");
            let with = |value: &str| {
                set.replace("{name: d}", &format!("{{name: d, annotations: {{{key}: '{value}'}}}}"))
            };
            bench.accepts(&with("3"));
            let error = format!(
                "metadata.annotations[{key}]: Invalid value: \"x\": strconv.ParseInt: parsing \"x\": invalid syntax"
            );
            bench.refuses(&with("x"), &[&error]);
        }
    }

    #[test]
    fn shares_of_stateful_sets() {
        let bench = Bench::new();
        let frame = frame("StatefulSet");
        let part = |value: &str| format!("updateStrategy: {{rollingUpdate: {{maxUnavailable: {value}}}}}");
        let place = "spec.updateStrategy.rollingUpdate.maxUnavailable";
        for taken in ["1", "100%", "1%"] {
            bench.accepts(&frame.replace("{}", &part(taken)));
        }
        for (value, error) in [
            ("0", "Invalid value: 0: cannot be 0"),
            ("0%", "Invalid value: \"0%\": cannot be 0"),
            ("200%", "Invalid value: \"200%\": must not be greater than 100%"),
        ] {
            bench.refuses(&frame.replace("{}", &part(value)), &[&format!("{place}: {error}")]);
            Bench::of(34).accepts(&frame.replace("{}", &part(value)));
        }
        bench.refuses(
            &frame.replace("{}", &part("some")),
            &[
                &format!("{place}: Invalid value: \"some\": a valid percent"),
                &format!("{place}: Invalid value: \"some\": cannot be 0"),
            ],
        );
    }

    #[test]
    fn deployments() {
        let bench = Bench::new();
        bench.accepts_all(
            &frame("Deployment"),
            &[
                "replicas: 0",
                "strategy: {type: Recreate}",
                "strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}",
                "strategy: {rollingUpdate: {maxUnavailable: 25%, maxSurge: 150%}}",
                "progressDeadlineSeconds: 11\n  minReadySeconds: 10",
                "replicas: null",
                "minReadySeconds: 599",
                "progressDeadlineSeconds: 601\n  minReadySeconds: 600",
            ],
        );
        bench.refuses_all(&frame("Deployment"), &[
            ("replicas: -1", "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
            ("strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}", "spec.strategy.rollingUpdate: Forbidden"),
            ("strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 0}}", "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"),
            ("strategy: {rollingUpdate: {maxUnavailable: '5'}}", "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"5\": a valid percent string"),
            ("strategy: {rollingUpdate: {maxUnavailable: 101%}}", "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"),
            ("strategy: {type: Rolling}", "spec.strategy: Unsupported value: \"Rolling\""),
            ("minReadySeconds: 600", "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"),
            ("progressDeadlineSeconds: 10\n  minReadySeconds: 10", "spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds"),
        ]);
        bench.refuses(
            &frame("Deployment")
                .replace("{}", "")
                .replace("containers:", "restartPolicy: Never, containers:"),
            &["spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""],
        );
    }

    #[test]
    fn sets() {
        let bench = Bench::new();
        bench.accepts_all(
            &frame("DaemonSet"),
            &[
                "updateStrategy: {type: OnDelete}",
                "updateStrategy: {rollingUpdate: {maxUnavailable: 10%}}",
                "updateStrategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}",
                "minReadySeconds: 1",
                "revisionHistoryLimit: 2",
            ],
        );
        bench.refuses_all(&frame("DaemonSet"), &[
            ("updateStrategy: {rollingUpdate: {maxUnavailable: '100'}}", "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"100\": a valid percent"),
            ("updateStrategy: {rollingUpdate: {maxSurge: 1}}", "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"),
            ("updateStrategy: {rollingUpdate: {maxUnavailable: 0}}", "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value"),
        ]);
        bench.accepts_all(
            &frame("StatefulSet"),
            &[
                "serviceName: s",
                "podManagementPolicy: Parallel",
                "updateStrategy: {rollingUpdate: {partition: 1}}",
                "replicas: 3",
                "updateStrategy: {type: OnDelete}",
            ],
        );
        Bench::of(37).refuses_all(
            &frame("StatefulSet"),
            &[(
                "updateStrategy: {rollingUpdate: {maxUnavailable: 0}}",
                "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0",
            )],
        );
        bench.refuses_all(
            &frame("StatefulSet"),
            &[
                (
                    "podManagementPolicy: All",
                    "spec.podManagementPolicy: Invalid value: \"All\": must be 'OrderedReady' or 'Parallel'",
                ),
                (
                    "updateStrategy: {type: OnDelete, rollingUpdate: {partition: 1}}",
                    "spec.updateStrategy.rollingUpdate: Invalid value",
                ),
                (
                    "updateStrategy: {rollingUpdate: {partition: -1}}",
                    "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1",
                ),
                ("serviceName: a.b", "spec.serviceName: Invalid value: \"a.b\": must not contain dots"),
            ],
        );
    }

    #[test]
    fn disks_of_several_pods() {
        let frame = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: {}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}], volumes: [{name: v, gcePersistentDisk: {pdName: d}}]}}}\n";
        let two = frame.replace("{}", "2");
        Bench::of(28).refuses(&two, &["spec.template.spec.volumes[0].gcePersistentDisk.readOnly: Invalid value: false: must be true for replicated pods > 1"]);
        Bench::of(28).updates(&two, &two, &[]);
        Bench::of(28).accepts(&frame.replace("{}", "1"));
        Bench::of(28).accepts(&two.replace("pdName: d", "pdName: d, readOnly: true"));
        Bench::of(29).accepts(&two);
    }
}
