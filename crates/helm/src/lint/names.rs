//! The names that Kubernetes takes for an object, by its kind.

use trueline_gotemplate::fmt::quote;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/// The warning about a name that its kind may not have.
pub(super) fn warning(kind: &str, name: &str) -> Option<String> {
    let reasons = reasons(kind, name);
    let shown = quote(name);
    let reasons: Vec<String> =
        reasons.iter().map(|reason| format!("metadata.name: Invalid value: {shown}: {reason}")).collect();
    let all = match reasons.as_slice() {
        [] => return None,
        [reason] => reason.clone(),
        reasons => format!("[{}]", reasons.join(", ")),
    };
    Some(format!("object name does not conform to Kubernetes naming requirements: {shown}: {all}"))
}

fn reasons(kind: &str, name: &str) -> Vec<String> {
    match kind.to_lowercase().as_str() {
        "service" => old_label(name),
        "namespace" => label(name),
        "certificatesigningrequest" => Vec::new(),
        "role" | "clusterrole" | "rolebinding" | "clusterrolebinding" => path_segment(name),
        _ => subdomain(name),
    }
}

/// Names that stand in a host name.
fn subdomain(name: &str) -> Vec<String> {
    let mut reasons = longest(name, 253);
    if !is_subdomain(name) {
        reasons.push(format!(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '{LABEL}(\\.{LABEL})*')"
        ));
    }
    reasons
}

/// Names that are one part of a host name.
fn label(name: &str) -> Vec<String> {
    let mut reasons = longest(name, 63);
    if is_label(name) {
        return reasons;
    }
    reasons.push(if is_subdomain(name) {
        "must not contain dots".to_owned()
    } else {
        format!(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
             end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{LABEL}')"
        )
    });
    reasons
}

/// The same, from the time when such a part could not begin with a digit.
fn old_label(name: &str) -> Vec<String> {
    let mut reasons = longest(name, 63);
    if !is_label(name) || name.starts_with(|first: char| first.is_ascii_digit()) {
        reasons.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
             validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    reasons
}

/// Names that stand in the path of an address.
fn path_segment(name: &str) -> Vec<String> {
    if matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let found = ['/', '%'].into_iter().filter(|character| name.contains(*character));
    found.map(|character| format!("may not contain '{character}'")).collect()
}

fn longest(name: &str, bytes: usize) -> Vec<String> {
    if name.len() <= bytes { Vec::new() } else { vec![format!("must be no more than {bytes} characters")] }
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_label)
}

fn is_label(text: &str) -> bool {
    let is_end =
        |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    is_end(text.bytes().next())
        && is_end(text.bytes().next_back())
        && text.bytes().all(|byte| is_end(Some(byte)) || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_names() {
        let long = "a".repeat(64);
        for (kind, name, is_allowed) in [
            ("ConfigMap", "a.b-c.1", true),
            ("ConfigMap", long.as_str(), true),
            ("ConfigMap", "", false),
            ("ConfigMap", "A", false),
            ("ConfigMap", "a..b", false),
            ("ConfigMap", "a-", false),
            ("Service", "a-1", true),
            ("SERVICE", "1a", false),
            ("Service", "a.b", false),
            ("Service", long.as_str(), false),
            ("Namespace", "1a", true),
            ("Namespace", "a.b", false),
            ("Role", "system:x Y", true),
            ("Role", "", true),
            ("Role", "a/b", false),
            ("ClusterRoleBinding", "..", false),
            ("CertificateSigningRequest", "/%", true),
        ] {
            assert_eq!(warning(kind, name).is_none(), is_allowed, "{kind} {name}");
        }
    }

    #[test]
    fn several_reasons_stand_in_brackets() {
        assert_eq!(
            warning("Role", "a/%").as_deref(),
            Some(
                "object name does not conform to Kubernetes naming requirements: \"a/%\": [metadata.name: Invalid \
                 value: \"a/%\": may not contain '/', metadata.name: Invalid value: \"a/%\": may not contain '%']"
            )
        );
        assert_eq!(
            warning("Namespace", "a.b").as_deref(),
            Some(
                "object name does not conform to Kubernetes naming requirements: \"a.b\": metadata.name: Invalid \
                 value: \"a.b\": must not contain dots"
            )
        );
    }
}
