//! The rules for names, labels and the like, and the server's messages about violations. Each check returns
//! everything that is wrong with a string; nothing if it is valid.

use std::borrow::Cow;

const LABEL_LENGTH: usize = 63;
const SUBDOMAIN_LENGTH: usize = 253;

const DNS_1123_LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS_1123_SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const DNS_1035_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_KEY_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
                              with an alphanumeric character";

/// Whether a name is complete or a prefix to which something will be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameUse {
    /// The name itself.
    Whole,
    /// The prefix that a name is generated from.
    Prefix,
}

/// What is wrong with a DNS label (RFC 1123).
pub fn dns_1123_label(text: &str) -> Vec<String> {
    let mut problems = too_long(text, LABEL_LENGTH);
    if !is_dns_1123_label(text) {
        problems.push(if is_dns_1123_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            let rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
                        must start and end with an alphanumeric character";
            pattern_problem(rule, DNS_1123_LABEL, &["my-name", "123-abc"])
        });
    }
    problems
}

/// What is wrong with a DNS subdomain (RFC 1123).
pub fn dns_1123_subdomain(text: &str) -> Vec<String> {
    let mut problems = too_long(text, SUBDOMAIN_LENGTH);
    if !is_dns_1123_subdomain(text) {
        let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                    and must start and end with an alphanumeric character";
        problems.push(pattern_problem(rule, DNS_1123_SUBDOMAIN, &["example.com"]));
    }
    problems
}

/// What is wrong with a DNS label (RFC 1035).
pub fn dns_1035_label(text: &str) -> Vec<String> {
    let mut problems = too_long(text, LABEL_LENGTH);
    if !(is_dns_1123_label(text) && text.starts_with(|first: char| first.is_ascii_lowercase())) {
        let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                    alphabetic character, and end with an alphanumeric character";
        problems.push(pattern_problem(rule, DNS_1035_LABEL, &["my-name", "abc-123"]));
    }
    problems
}

/// What is wrong with a name of an object that is a DNS subdomain.
pub fn object_name(name: &str, name_use: NameUse) -> Vec<String> {
    dns_1123_subdomain(&masked(name, name_use))
}

/// What is wrong with a name of an object that is a DNS label, such as that of a namespace.
pub fn label_object_name(name: &str, name_use: NameUse) -> Vec<String> {
    dns_1123_label(&masked(name, name_use))
}

/// What is wrong with a name of an object that is a DNS label (RFC 1035), such as that of a service.
pub fn dns_1035_object_name(name: &str, name_use: NameUse) -> Vec<String> {
    dns_1035_label(&masked(name, name_use))
}

/// What is wrong with a name that may be anything allowed between two slashes of a URL.
pub fn path_segment_name(name: &str, name_use: NameUse) -> Vec<String> {
    if name_use == NameUse::Whole && (name == "." || name == "..") {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"]
        .into_iter()
        .filter(|part| name.contains(part))
        .map(|part| format!("may not contain '{part}'"))
        .collect()
}

/// What is wrong with a qualified name: the key of a label or annotation, or a finalizer.
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut parts = text.split('/');
    let name = match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        (name, None, _) => name,
        (prefix, Some(name), None) => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                problems.extend(
                    dns_1123_subdomain(prefix).into_iter().map(|problem| format!("prefix part {problem}")),
                );
            }
            name
        }
        _ => {
            let rule = pattern_problem(LABEL_KEY_RULE, LABEL_KEY, &["MyName", "my.name", "123-abc"]);
            return vec![format!(
                "a valid label key {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else {
        problems.extend(
            too_many_bytes(name, LABEL_LENGTH).into_iter().map(|problem| format!("name part {problem}")),
        );
    }
    if !is_label_key(name) {
        let rule = pattern_problem(LABEL_KEY_RULE, LABEL_KEY, &["MyName", "my.name", "123-abc"]);
        problems.push(format!("name part {rule}"));
    }
    problems
}

/// What is wrong with a label value.
pub fn label_value(text: &str) -> Vec<String> {
    let mut problems = too_many_bytes(text, LABEL_LENGTH);
    if !text.is_empty() && !is_label_key(text) {
        let rule = format!(
            "a valid label must be an empty string or {}",
            LABEL_KEY_RULE.trim_start_matches("must ")
        );
        problems.push(pattern_problem(&rule, &format!("({LABEL_KEY})?"), &["MyValue", "my_value", "12345"]));
    }
    problems
}

/// What is wrong with a port number.
pub fn port(number: i64) -> Option<String> {
    (!(1..=65535).contains(&number)).then(|| "must be between 1 and 65535, inclusive".to_owned())
}

/// The server's message for a string that does not match a pattern.
pub fn pattern_problem(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    match examples.is_empty() {
        true => format!("{rule} (regex used for validation is '{pattern}')"),
        false => format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or ")),
    }
}

/// The limit in the newer wording, which the server uses for labels.
fn too_many_bytes(text: &str, most: usize) -> Vec<String> {
    let problem = (text.len() > most).then(|| format!("must be no more than {most} bytes"));
    problem.into_iter().collect()
}

fn too_long(text: &str, most: usize) -> Vec<String> {
    let problem = (text.len() > most).then(|| format!("must be no more than {most} characters"));
    problem.into_iter().collect()
}

/// A name is generated by appending to the prefix, so a dash at its end is allowed.
fn masked(name: &str, name_use: NameUse) -> Cow<'_, str> {
    match name.strip_suffix('-') {
        Some(start) if name_use == NameUse::Prefix && !start.is_empty() => Cow::Owned(format!("{start}a")),
        _ => Cow::Borrowed(name),
    }
}

fn is_dns_1123_label(text: &str) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let bytes = text.as_bytes();
    bytes.iter().all(is_inner) && bytes.first().is_some_and(|byte| *byte != b'-') && !text.ends_with('-')
}

fn is_dns_1123_subdomain(text: &str) -> bool {
    text.split('.').all(is_dns_1123_label)
}

fn is_label_key(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    bytes.iter().all(is_inner) && is_end(bytes.first()) && is_end(bytes.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        type Check = fn(&str) -> Vec<String>;
        let long = "a".repeat(64);
        // Each row: the check, the string, how many problems it has, and how the first one begins.
        let rows: &[(Check, &str, usize, &str)] = &[
            (dns_1123_label, "a-1", 0, ""),
            (dns_1123_label, "a.b", 1, "must not contain dots"),
            (dns_1123_label, "A", 1, "a lowercase RFC 1123 label must"),
            (dns_1123_label, "", 1, "a lowercase RFC 1123 label must"),
            (dns_1035_label, "1a", 1, "a DNS-1035 label must"),
            (dns_1035_label, &long, 1, "must be no more than 63 characters"),
            (dns_1123_subdomain, "a..b", 1, "a lowercase RFC 1123 subdomain must"),
            (qualified_name, "example.com/My.Name", 0, ""),
            (qualified_name, "/x", 1, "prefix part must be non-empty"),
            (qualified_name, "a/", 2, "name part must be non-empty"),
            (qualified_name, "a/b/c", 1, "a valid label key must consist of"),
            (label_value, "", 0, ""),
            (label_value, "-", 1, "a valid label must be an empty string or consist of"),
        ];
        for (check, text, count, first) in rows {
            let problems = check(text);
            assert_eq!(problems.len(), *count, "{text}: {problems:?}");
            assert!(problems.first().is_none_or(|problem| problem.starts_with(first)), "{problems:?}");
        }
        assert!(object_name("a-", NameUse::Prefix).is_empty());
        assert_eq!(object_name("a-", NameUse::Whole).len(), 1);
        assert_eq!(path_segment_name("a/%", NameUse::Whole), ["may not contain '/'", "may not contain '%'"]);
        assert_eq!(
            dns_1035_label("A").concat(),
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
             validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
        );
    }
}
