//! What only containers on Windows have: who they run as, and containers that are processes of the host.

use trueline_kube_facts::{names, rules};

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;
use trueline_yaml::ScalarValue;

rules! {
    /// The credential spec is an empty string.
    EMPTY_CREDENTIALS: Invalid, "windows/empty-credentials", "gmsaCredentialSpec cannot be an empty string";
    /// The credential spec is larger than 64 KiB.
    LARGE_CREDENTIALS: Invalid, "windows/large-credentials", "gmsaCredentialSpec size must be under 64 KiB";
    /// The name of a user of Windows is not allowed.
    USER_NAME: Invalid, "windows/user-name", "{}";
    /// `hostProcess` is not the same for a container and its pod.
    HOST_PROCESS: Invalid, "windows/host-process",
        "pod hostProcess value must be identical if both are specified, was {}";
    /// Only some containers of a pod are host processes.
    MIXED_HOST_PROCESS: Invalid, "windows/mixed-host-process",
        "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    /// Host processes need the host's network.
    HOST_NETWORK: Invalid, "windows/host-network",
        "hostNetwork must be true if pod contains any hostProcess containers";
}

/// The most bytes of the credentials of a group account.
const CREDENTIALS: usize = 64 * 1024;
const DOMAIN: usize = 256;
const USER: usize = 104;

/// Checks `core.WindowsSecurityContextOptions`.
pub(super) fn check(options: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let name = options.child("gmsaCredentialSpecName");
    if let (Some(text), false) = (name.text(), name.is_absent()) {
        report.complain(&name, names::dns_1123_subdomain(text));
    }
    let credentials = options.child("gmsaCredentialSpec");
    if let (Some(text), false) = (credentials.text(), credentials.is_absent()) {
        match text.len() {
            0 => report.refuse(&credentials, &EMPTY_CREDENTIALS),
            1..=CREDENTIALS => {}
            _ => report.refuse(&credentials, &LARGE_CREDENTIALS),
        }
    }
    let user = options.child("runAsUserName");
    if let (Some(text), false) = (user.text(), user.is_absent()) {
        user_name(text).into_iter().for_each(|words| report.refuse(&user, USER_NAME.with(words)));
    }
}

/// What is wrong with the name of a user, with or without a domain in front.
fn user_name(text: &str) -> Vec<&'static str> {
    if text.is_empty() {
        return vec!["runAsUserName cannot be an empty string"];
    }
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return vec!["runAsUserName cannot contain control characters"];
    }
    let (domain, user) = match text.split_once('\\') {
        None => (None, text),
        Some((_, rest)) if rest.contains('\\') => {
            return vec!["runAsUserName cannot contain more than one backslash"];
        }
        Some((domain, user)) => (Some(domain), user),
    };
    let mut complaints = Vec::new();
    if domain.is_some_and(|domain| domain.len() >= DOMAIN) {
        complaints.push("runAsUserName's Domain length must be under 256 characters");
    }
    if domain.is_some_and(|domain| !is_computer(domain) && !is_domain(domain)) {
        complaints.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
    match user.len() {
        0 => complaints.push("runAsUserName's User cannot be empty"),
        1..=USER => {}
        _ => complaints.push("runAsUserName's User length must not be longer than 104 characters"),
    }
    if !user.is_empty() && user.bytes().all(|byte| matches!(byte, b'.' | b' ')) {
        complaints.push("runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains(['"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']) {
        complaints.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
    }
    complaints
}

fn is_computer(text: &str) -> bool {
    (1..=15).contains(&text.chars().count())
        && !text.starts_with('.')
        && !text.contains(['\\', '/', ':', '*', '?', '"', '<', '>', '|'])
}

fn is_domain(text: &str) -> bool {
    text.split('.').all(|label| {
        let is_edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = label.as_bytes();
        bytes.len() <= 63
            && is_edge(bytes.first())
            && is_edge(bytes.last())
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    })
}

/// Whether a security context says that its containers are processes of the host.
fn host_process(around: &FieldPlace<'_, '_>) -> Option<bool> {
    let context = around.child("securityContext");
    let options = context.child("windowsOptions");
    match options.child("hostProcess").node()?.scalar()? {
        ScalarValue::Bool(value) => Some(value),
        _ => None,
    }
}

/// Checks `core.PodSpec`: either all containers are processes of the host, or none.
pub(super) fn check_pod(pod: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let of_pod = host_process(pod);
    let (mut all, mut on_host) = (0, 0);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in pod.child(list).items() {
            all += 1;
            let own = host_process(&container);
            if let (Some(of_pod), Some(own)) = (of_pod, own)
                && of_pod != own
            {
                let context = container.child("securityContext");
                let options = context.child("windowsOptions");
                report.refuse(&options.child("hostProcess"), HOST_PROCESS.with(of_pod.to_string()));
            }
            on_host += usize::from(own.or(of_pod) == Some(true));
        }
    }
    if on_host == 0 {
        return;
    }
    if on_host != all {
        report.refuse(pod, &MIXED_HOST_PROCESS);
    }
    let network = pod.child("hostNetwork");
    if !network.is_true() {
        report.refuse(&network, &HOST_NETWORK);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn options() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], securityContext: {windowsOptions: {{}}}}\n";
        bench.accepts_all(
            frame,
            &[
                "runAsUserName: ContainerUser",
                r"runAsUserName: 'NT AUTHORITY\NETWORK SERVICE'",
                r"runAsUserName: 'a.example.com\user'",
                "gmsaCredentialSpecName: web, gmsaCredentialSpec: '{}'",
            ],
        );
        let place = "spec.securityContext.windowsOptions";
        for (part, error) in [
            (
                "runAsUserName: ''",
                "runAsUserName: Invalid value: \"\": runAsUserName cannot be an empty string",
            ),
            (
                r#"runAsUserName: "a\tb""#,
                "runAsUserName: Invalid value: \"a\\tb\": runAsUserName cannot contain control characters",
            ),
            (
                r"runAsUserName: 'a\b\c'",
                "runAsUserName: Invalid value: \"a\\\\b\\\\c\": runAsUserName cannot contain more than one backslash",
            ),
            (
                r"runAsUserName: '.a_b\c'",
                "runAsUserName: Invalid value: \".a_b\\\\c\": runAsUserName's Domain doesn't match the NetBios nor the DNS format",
            ),
            (
                r"runAsUserName: 'a\'",
                "runAsUserName: Invalid value: \"a\\\\\": runAsUserName's User cannot be empty",
            ),
            (
                "runAsUserName: '. .'",
                "runAsUserName: Invalid value: \". .\": runAsUserName's User cannot contain only periods or spaces",
            ),
            (
                "runAsUserName: a@b",
                "runAsUserName: Invalid value: \"a@b\": runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]",
            ),
            (
                "gmsaCredentialSpecName: A",
                "gmsaCredentialSpecName: Invalid value: \"A\": a lowercase RFC 1123 subdomain",
            ),
            (
                "gmsaCredentialSpec: ''",
                "gmsaCredentialSpec: Invalid value: \"\": gmsaCredentialSpec cannot be an empty string",
            ),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{place}.{error}")]);
        }
        let long = format!("runAsUserName: {}", "a".repeat(105));
        bench.refuses(&frame.replace("{}", &long), &[&format!("{place}.runAsUserName: Invalid value")]);
    }

    #[test]
    fn processes_of_the_host() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  {}\n";
        let on_host = "securityContext: {windowsOptions: {hostProcess: true}}";
        bench.accepts_all(
            frame,
            &[
                &format!("hostNetwork: true\n  {on_host}\n  containers: [{{name: a, image: i}}]"),
                &format!("hostNetwork: true\n  containers: [{{name: a, image: i, {on_host}}}]"),
                "containers: [{name: a, image: i, securityContext: {windowsOptions: {hostProcess: false}}}]",
            ],
        );
        bench.refuses_all(frame, &[
            (&format!("{on_host}\n  containers: [{{name: a, image: i}}]"), "spec.hostNetwork: Invalid value: \"\": hostNetwork must be true if pod contains any hostProcess containers"),
            (&format!("hostNetwork: true\n  containers: [{{name: a, image: i, {on_host}}}, {{name: b, image: i}}]"), "spec: Invalid value: If pod contains any hostProcess containers then all containers must be HostProcess containers"),
            (&format!("securityContext: {{windowsOptions: {{hostProcess: false}}}}\n  hostNetwork: true\n  containers: [{{name: a, image: i, {on_host}}}]"), "spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: pod hostProcess value must be identical if both are specified, was false"),
        ]);
    }
}
