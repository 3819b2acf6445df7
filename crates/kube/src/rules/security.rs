//! Security contexts: what contradicts itself, and profiles.

use std::collections::BTreeSet;

use super::Context;
use super::pod::descending;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use trueline_yaml::ScalarValue;

/// Checks `core.SecurityContext`.
pub(super) fn check(context: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let escalation = context.child("allowPrivilegeEscalation");
    let is_denied = escalation.node().and_then(|node| node.scalar()) == Some(ScalarValue::Bool(false));
    if !is_denied {
        return;
    }
    if context.child("privileged").is_true() {
        report.invalid(context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    let capabilities = context.child("capabilities");
    if capabilities.child("add").items().any(|item| item.text() == Some("CAP_SYS_ADMIN")) {
        report.invalid(
            context,
            "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
        );
    }
}

const SYSCTL: &str = "must have at most 253 characters and match regex \
                     ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/// Checks `core.PodSecurityContext`: settings of the kernel.
pub(super) fn check_pod(context: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|byte| is_letter(*byte))
            && bytes.last().is_some_and(|byte| is_letter(*byte))
            && bytes.iter().all(|byte| is_letter(*byte) || matches!(byte, b'-' | b'_'))
    };
    for group in context.child("supplementalGroups").items() {
        if group.integer().is_some_and(|group| !(0..=i64::from(i32::MAX)).contains(&group)) {
            report.invalid(&group, "must be between 0 and 2147483647, inclusive");
        }
    }
    let mut taken = BTreeSet::new();
    for setting in context.child("sysctls").items() {
        let name = setting.child("name");
        let Some(text) = name.full_text() else { continue };
        if text.len() > 253 || !text.split(['.', '/']).all(is_part) {
            report.invalid(&name, SYSCTL);
        } else if !taken.insert(text) {
            report.duplicate(&name);
        }
    }
}

const PROFILES: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];

/// Checks `core.SeccompProfile`.
pub(super) fn check_seccomp(profile: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    check_profile(profile, "type is required when seccompProfile is set", report);
    let file = profile.child("localhostProfile");
    if profile.child("type").text() == Some("Localhost") {
        if file.is_absent() {
            report.required(&file, "must be set when seccomp type is Localhost");
        }
        descending(&file, report);
    } else if !file.is_absent() {
        report.invalid(&file, "can only be set when seccomp type is Localhost");
    }
}

/// The longest path of a profile, in bytes.
const LONGEST_PATH: usize = 4095;

/// Checks `core.AppArmorProfile`.
pub(super) fn check_app_armor(profile: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    check_profile(profile, "type is required when appArmorProfile is set", report);
    let file = profile.child("localhostProfile");
    match profile.child("type").text() {
        Some("Localhost") if file.is_empty() => {
            report.required(&file, "must be set when AppArmor type is Localhost");
        }
        Some("Localhost") => {
            let text = file.text().unwrap_or_default();
            if text.trim() != text {
                report.invalid(&file, "must not be padded with whitespace");
            }
            if text.len() > LONGEST_PATH {
                report.too_long(&file, LONGEST_PATH);
            }
        }
        Some("RuntimeDefault" | "Unconfined") if !file.is_absent() => {
            report.invalid(&file, "can only be set when AppArmor type is Localhost");
        }
        _ => {}
    }
}

fn check_profile(profile: &Place<'_, '_>, missing: &str, report: &mut Report) {
    let kind = profile.child("type");
    match kind.text() {
        Some("") => report.required(&kind, missing),
        Some(text) if !PROFILES.contains(&text) => report.not_supported(&kind, PROFILES),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn settings_of_the_kernel() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], securityContext: {sysctls: [{}]}}\n";
        bench.accepts_all(
            frame,
            &["{name: net.core.somaxconn, value: '1'}", "{name: net/ipv4/a_b-c, value: ''}"],
        );
        bench.refuses_all(
            frame,
            &[
                ("{name: Net.core, value: '1'}", "spec.securityContext.sysctls[0].name: Invalid value: \"Net.core\": must have at most 253 characters"),
                ("{name: a.b, value: '1'}, {name: a.b, value: '1'}", "spec.securityContext.sysctls[1].name: Duplicate value: \"a.b\""),
                ("{value: '1'}", "spec.securityContext.sysctls[0].name: Required value"),
            ],
        );
    }

    #[test]
    fn groups() {
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], securityContext: {supplementalGroups: [{}]}}\n";
        Bench::new().accepts_all(frame, &["0, 2147483647"]);
        let words = "Invalid value: -1: must be between 0 and 2147483647, inclusive";
        let expected = format!("spec.securityContext.supplementalGroups[1]: {words}");
        Bench::new().refuses_all(frame, &[("0, -1", &expected)]);
    }

    #[test]
    fn contexts() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, securityContext: {{}}}]}\n";
        bench.accepts_all(
            frame,
            &[
                "privileged: true",
                "allowPrivilegeEscalation: false, capabilities: {drop: [ALL], add: [SYS_ADMIN]}",
                "allowPrivilegeEscalation: true, privileged: true",
                "seccompProfile: {type: RuntimeDefault}",
                "seccompProfile: {type: Localhost, localhostProfile: a/b}",
                "appArmorProfile: {type: Localhost, localhostProfile: a}",
                "runAsUser: 0, runAsGroup: 1000",
            ],
        );
        let place = "spec.containers[0].securityContext";
        for (part, error) in [
            (
                "allowPrivilegeEscalation: false, privileged: true",
                ": Invalid value: cannot set `allowPrivilegeEscalation`",
            ),
            (
                "allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}",
                ": Invalid value: cannot set",
            ),
            ("runAsUser: -1", ".runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"),
            (
                "seccompProfile: {}",
                ".seccompProfile.type: Required value: type is required when seccompProfile is set",
            ),
            ("seccompProfile: {type: Default}", ".seccompProfile.type: Unsupported value: \"Default\""),
            ("seccompProfile: {type: Localhost}", ".seccompProfile.localhostProfile: Required value"),
            (
                "seccompProfile: {type: Localhost, localhostProfile: /a}",
                ".seccompProfile.localhostProfile: Invalid value: \"/a\": must be a relative path",
            ),
            (
                "seccompProfile: {type: Localhost, localhostProfile: a/../b}",
                ".seccompProfile.localhostProfile: Invalid value: \"a/../b\": must not contain '..'",
            ),
            (
                "appArmorProfile: {type: Localhost, localhostProfile: ' a'}",
                ".appArmorProfile.localhostProfile: Invalid value: \" a\": must not be padded with whitespace",
            ),
            (
                "appArmorProfile: {type: Unconfined, localhostProfile: a}",
                ".appArmorProfile.localhostProfile: Invalid value",
            ),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{place}{error}")]);
        }
    }
}
