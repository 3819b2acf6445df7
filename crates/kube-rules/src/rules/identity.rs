//! Who a pod is on its node: the name of the host that it sees, and whether its users are its own.

use trueline_kube_facts::{names, rules};
use trueline_yaml::ScalarValue;

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// `hostnameOverride` is set beside the host's network.
    HOST_NAME_WITH_HOST_NETWORK: Forbidden, "pod/host-name-with-host-network", "{}";
    /// `procMount: Unmasked` needs `hostUsers: false`.
    UNMASKED_PROC: Invalid, "pod/unmasked-proc", "`hostUsers` must be false to use `Unmasked`";
}

/// The longest name of a host that the kernel takes, in bytes.
const LONGEST: usize = 64;

/// Checks `core.PodSpec`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let name = pod.child("hostnameOverride");
    if !name.is_absent() {
        for (field, words) in [
            ("setHostnameAsFQDN", "may not be specified when setHostnameAsFQDN is true"),
            ("hostNetwork", "may not be specified when hostNetwork is true"),
        ] {
            if pod.child(field).is_true() {
                report.refuse(&name, HOST_NAME_WITH_HOST_NETWORK.with(words));
            }
        }
        if let Some(text) = name.text() {
            if text.len() > LONGEST {
                report.too_long(&name, LONGEST);
            }
            report.complain(&name, names::dns_1123_subdomain(text));
        }
    }
    let users = pod.child("hostUsers");
    if users.node().and_then(|node| node.scalar()) == Some(ScalarValue::Bool(false)) {
        return;
    }
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in pod.child(list).items() {
            let security = container.child("securityContext");
            let mount = security.child("procMount");
            if mount.text() == Some("Unmasked") {
                report.refuse(&mount, &UNMASKED_PROC);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn names_of_hosts() {
        let frame =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], {}}\n";
        let bench = Bench::new();
        bench.accepts_all(frame, &["hostnameOverride: a.b", "hostnameOverride: a, hostNetwork: false"]);
        let long = format!("hostnameOverride: {}", "a".repeat(65));
        bench.refuses_all(
            frame,
            &[
                ("hostnameOverride: A", "spec.hostnameOverride: Invalid value: \"A\": a lowercase RFC 1123"),
                ("hostnameOverride: ''", "spec.hostnameOverride: Invalid value: \"\": a lowercase RFC 1123"),
                (&long, "spec.hostnameOverride: Too long: may not be more than 64 bytes"),
                (
                    "hostnameOverride: a, setHostnameAsFQDN: true",
                    "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
                ),
                (
                    "hostnameOverride: a, hostNetwork: true",
                    "spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
                ),
            ],
        );
        // Until then it is dropped.
        Bench::of(34).accepts_all(frame, &["hostnameOverride: A, hostNetwork: true"]);
    }

    #[test]
    fn what_the_kernel_shows() {
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {{}, containers: [{name: a, image: i, securityContext: {procMount: Unmasked}}]}\n";
        let words = "spec.containers[0].securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` must be false";
        for minor in [33, 35, 37] {
            let bench = Bench::of(minor);
            bench.accepts_all(frame, &["hostUsers: false"]);
            bench.refuses_all(frame, &[("hostUsers: true", words), ("hostNetwork: false", words)]);
        }
        Bench::of(32).accepts_all(frame, &["hostUsers: true"]);
        Bench::new().accepts(&frame.replace("{}", "hostUsers: true").replace("Unmasked", "Default"));
    }
}
