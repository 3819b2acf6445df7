//! Probes and hooks: exactly one handler, and numbers that make sense.

use trueline_kube_facts::rules;

use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// `successThreshold` of this probe has to be 1.
    SUCCESS_THRESHOLD: Invalid, "probe/success-threshold", "must be 1";
    /// A readiness probe has a grace period.
    READINESS_GRACE_PERIOD: Invalid, "probe/readiness-grace-period", "must not be set for readinessProbes";
    /// A probe or a hook has more than one handler.
    TWO_HANDLERS: Forbidden, "probe/two-handlers", "may not specify more than 1 handler type";
    /// A probe or a hook has no handler.
    NO_HANDLER: Required, "probe/no-handler", "must specify a handler type";
}

const HANDLERS: &[&str] = &["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/// Checks `core.Probe`.
pub(super) fn check(probe: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    handlers(probe, report);
    let name = probe.last_name();
    if name != "readinessProbe" {
        let threshold = probe.child("successThreshold");
        if threshold.integer().is_some_and(|number| number > 1) {
            report.refuse(&threshold, &SUCCESS_THRESHOLD);
        }
    } else if !probe.child("terminationGracePeriodSeconds").is_absent() {
        report.refuse(&probe.child("terminationGracePeriodSeconds"), &READINESS_GRACE_PERIOD);
    }
}

/// Checks `core.LifecycleHandler`.
pub(super) fn check_hook(hook: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    handlers(hook, report);
}

/// Checks `core.HTTPGetAction`: the server names the list where it means the name of a header.
pub(super) fn check_headers(action: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let headers = action.child("httpHeaders");
    for header in headers.items() {
        let name = header.child("name");
        if let Some(text) = name.text() {
            report.complain(&headers.at(&name), syntax::header_name(text));
        }
    }
}

fn handlers(place: &FieldPlace<'_, '_>, report: &mut Report) {
    let mut count = 0;
    for name in HANDLERS {
        let handler = place.child(name);
        if handler.is_absent() {
            continue;
        }
        count += 1;
        if count > 1 {
            // The server looks no further.
            report.forget_last_below(&place.path(), &handler.path());
            report.refuse(&handler, &TWO_HANDLERS);
        }
    }
    if count == 0 {
        report.refuse(place, &NO_HANDLER);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, {}}]}\n";

    #[test]
    fn probes() {
        let bench = Bench::new();
        bench.accepts_all(
            FRAME,
            &[
                "livenessProbe: {httpGet: {path: /, port: 80}}",
                "livenessProbe: {httpGet: {port: http, scheme: HTTPS}}",
                "readinessProbe: {tcpSocket: {port: 1}, successThreshold: 3}",
                "startupProbe: {grpc: {port: 1}, periodSeconds: 0, successThreshold: 1}",
                "lifecycle: {preStop: {exec: {command: [a]}}}",
            ],
        );
        bench.refuses_all(FRAME, &[
            ("livenessProbe: {}", "spec.containers[0].livenessProbe: Required value: must specify a handler type"),
            ("livenessProbe: {exec: {command: [a]}, tcpSocket: {port: 1}}", "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"),
            ("livenessProbe: {httpGet: {port: 0}}", "spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive"),
            ("livenessProbe: {httpGet: {path: /}}", "spec.containers[0].livenessProbe.httpGet.port: Invalid value"),
            ("livenessProbe: {httpGet: {port: 1, scheme: http}}", "spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: \"http\""),
            (
                "livenessProbe: {httpGet: {port: 1, httpHeaders: [{name: a b, value: c}]}}",
                "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header",
            ),
            ("livenessProbe: {exec: {}}", "spec.containers[0].livenessProbe.exec.command: Required value"),
            ("livenessProbe: {tcpSocket: {port: 1}, successThreshold: 2}", "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"),
            ("readinessProbe: {tcpSocket: {port: 1}, periodSeconds: -1}", "spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1"),
            ("lifecycle: {postStart: {}}", "spec.containers[0].lifecycle.postStart: Required value: must specify a handler type"),
        ]);
    }
}
