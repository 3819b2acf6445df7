//! Claims on devices: one way to choose each, and how many.

use super::Context;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names;

/// Checks `resource.DeviceRequest`. The first versions of the group have the fields of an exact request here.
pub(super) fn check_request(request: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = request.child("name");
    if let Some(text) = name.full_text() {
        report.complain(&name, names::dns_1123_label(text));
    }
    let is_flat = !request.child("deviceClassName").is_absent();
    if is_flat {
        return check_count(request, context, report);
    }
    let (exactly, alternatives) = (request.child("exactly"), request.child("firstAvailable"));
    match (exactly.is_absent(), alternatives.is_empty()) {
        (true, true) => report.required(request, "exactly one of `exactly` or `firstAvailable` is required"),
        (false, false) => report.invalid(
            request,
            "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set",
        ),
        _ => {}
    }
}

/// Checks how many devices `resource.ExactDeviceRequest` and `resource.DeviceSubRequest` ask for.
pub(super) fn check_count(request: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (mode, count) = (request.child("allocationMode"), request.child("count"));
    match mode.text() {
        Some("All") if count.integer().is_some_and(|number| number != 0) => {
            report.invalid(&count, "must not be specified when allocationMode is 'All'");
        }
        // Zero, as an absent one, is one device.
        Some("" | "ExactCount") if count.integer().is_some_and(|number| number < 0) => {
            report.invalid(&count, "must be greater than zero");
        }
        None | Some("" | "All" | "ExactCount") => {}
        Some(_) => report.not_supported(&mode, &["All", "ExactCount"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn requests() {
        let bench = Bench::new();
        let frame = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: r}\nspec: {devices: {requests: [{name: gpu, {}}]}}\n";
        bench.accepts_all(
            frame,
            &[
                "exactly: {deviceClassName: c}",
                "exactly: {deviceClassName: c, allocationMode: All}",
                "exactly: {deviceClassName: c, allocationMode: ExactCount, count: 2}",
                "firstAvailable: [{name: a, deviceClassName: c}]",
            ],
        );
        let place = "spec.devices.requests[0]";
        for (part, error) in [
            (
                "exactly: {deviceClassName: c}, firstAvailable: [{name: a, deviceClassName: c}]",
                ": Invalid value: exactly one of",
            ),
            (
                "exactly: {deviceClassName: c, allocationMode: Some}",
                ".exactly.allocationMode: Unsupported value: \"Some\": supported values: \"All\", \"ExactCount\"",
            ),
            (
                "exactly: {deviceClassName: c, allocationMode: All, count: 1}",
                ".exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'",
            ),
            (
                "exactly: {deviceClassName: c, count: -1}",
                ".exactly.count: Invalid value: -1: must be greater than zero",
            ),
            ("exactly: {}", ".exactly.deviceClassName: Required value"),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{place}{error}")]);
        }
        bench.refuses(
            &frame.replace(", {}", ""),
            &["spec.devices.requests[0]: Required value: exactly one of"],
        );
    }
}
