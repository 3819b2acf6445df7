//! Security contexts: what contradicts itself, and profiles.

use std::collections::BTreeSet;

use trueline_kube_facts::rules;

use super::Context;
use super::pod::descending;
use crate::place::FieldPlace;
use crate::problem::Report;
use trueline_yaml::ScalarValue;

rules! {
    /// A privileged container cannot do without further rights.
    ESCALATION_AND_PRIVILEGED: Invalid, "security/escalation-and-privileged",
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
    /// A container with `CAP_SYS_ADMIN` cannot do without further rights.
    ESCALATION_AND_ADMIN: Invalid, "security/escalation-and-admin",
        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    /// The id of a group is outside of its range.
    GROUP: Invalid, "security/group", "must be between 0 and 2147483647, inclusive";
    /// The name of a sysctl is not allowed.
    NAME: Invalid, "sysctl/name", SYSCTL;
    /// A sysctl is set twice.
    DUPLICATE: Duplicate, "sysctl/duplicate";
    /// The seccomp type `Localhost` needs a file.
    NO_SECCOMP_FILE: Required, "security/no-seccomp-file", "must be set when seccomp type is Localhost";
    /// The seccomp type takes no file.
    SECCOMP_FILE: Invalid, "security/seccomp-file", "can only be set when seccomp type is Localhost";
    /// The AppArmor type `Localhost` needs a profile.
    NO_APP_ARMOR_FILE: Required, "security/no-app-armor-file", "must be set when AppArmor type is Localhost";
    /// The name of a profile begins or ends with a blank.
    APP_ARMOR_BLANKS: Invalid, "security/app-armor-blanks", "must not be padded with whitespace";
    /// The AppArmor type takes no profile.
    APP_ARMOR_FILE: Invalid, "security/app-armor-file", "can only be set when AppArmor type is Localhost";
    /// A profile does not say its type.
    NO_TYPE: Required, "security/no-type", "{}";
}

/// Checks `core.SecurityContext`.
pub(super) fn check(context: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let escalation = context.child("allowPrivilegeEscalation");
    let is_denied = escalation.node().and_then(|node| node.scalar()) == Some(ScalarValue::Bool(false));
    if !is_denied {
        return;
    }
    if context.child("privileged").is_true() {
        report.refuse(context, &ESCALATION_AND_PRIVILEGED);
    }
    let capabilities = context.child("capabilities");
    if capabilities.child("add").items().any(|item| item.text() == Some("CAP_SYS_ADMIN")) {
        report.refuse(context, &ESCALATION_AND_ADMIN);
    }
}

const SYSCTL: &str = "must have at most 253 characters and match regex \
                     ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/// Checks `core.PodSecurityContext`: settings of the kernel.
pub(super) fn check_pod(context: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|byte| is_letter(*byte))
            && bytes.last().is_some_and(|byte| is_letter(*byte))
            && bytes.iter().all(|byte| is_letter(*byte) || matches!(byte, b'-' | b'_'))
    };
    for group in context.child("supplementalGroups").items() {
        if group.integer().is_some_and(|group| !(0..=i64::from(i32::MAX)).contains(&group)) {
            report.refuse(&group, &GROUP);
        }
    }
    let mut taken = BTreeSet::new();
    for setting in context.child("sysctls").items() {
        let name = setting.child("name");
        let Some(text) = name.full_text() else { continue };
        if text.len() > 253 || !text.split(['.', '/']).all(is_part) {
            report.refuse(&name, &NAME);
        } else if !taken.insert(text) {
            report.refuse(&name, &DUPLICATE);
        }
    }
}

const PROFILES: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];

/// Checks `core.SeccompProfile`.
pub(super) fn check_seccomp(profile: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    check_profile(profile, "type is required when seccompProfile is set", report);
    let file = profile.child("localhostProfile");
    if profile.child("type").text() == Some("Localhost") {
        if file.is_absent() {
            report.refuse(&file, &NO_SECCOMP_FILE);
        }
        descending(&file, report);
    } else if !file.is_absent() {
        report.refuse(&file, &SECCOMP_FILE);
    }
}

/// The longest path of a profile, in bytes.
const LONGEST_PATH: usize = 4095;

/// Checks `core.AppArmorProfile`.
pub(super) fn check_app_armor(profile: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    check_profile(profile, "type is required when appArmorProfile is set", report);
    let file = profile.child("localhostProfile");
    match profile.child("type").text() {
        Some("Localhost") if file.is_empty() => {
            report.refuse(&file, &NO_APP_ARMOR_FILE);
        }
        Some("Localhost") => {
            let text = file.text().unwrap_or_default();
            if text.trim() != text {
                report.refuse(&file, &APP_ARMOR_BLANKS);
            }
            if text.len() > LONGEST_PATH {
                report.too_long(&file, LONGEST_PATH);
            }
        }
        Some("RuntimeDefault" | "Unconfined") if !file.is_absent() => {
            report.refuse(&file, &APP_ARMOR_FILE);
        }
        _ => {}
    }
}

fn check_profile(profile: &FieldPlace<'_, '_>, missing: &str, report: &mut Report) {
    let kind = profile.child("type");
    match kind.text() {
        Some("") => report.refuse(&kind, NO_TYPE.with(missing)),
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
