//! What the server warns of: finalizers that others might use too, and versions that are on their way out.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_kube_facts::{go_quoted, names};

use crate::definition::Crd;

/// Finalizers of Kubernetes itself.
const STANDARD: &[&str] = &["orphan", "foregroundDeletion", "kubernetes"];

/// Warnings about the finalizers that an object has and did not have before.
pub(crate) fn finalizer_warnings(finalizers: &[Arc<str>], before: &[Arc<str>]) -> Vec<String> {
    let before: BTreeSet<&Arc<str>> = before.iter().collect();
    let added: BTreeSet<&Arc<str>> = finalizers.iter().filter(|name| !before.contains(name)).collect();
    let mut warnings = Vec::new();
    for name in added {
        let prefix = format!("metadata.finalizers: {}: ", go_quoted(name));
        warnings.extend(
            names::qualified_name(name).into_iter().map(|problem| format!("{prefix}{}", problem.sentence())),
        );
        if !name.contains('/') && !STANDARD.contains(&&**name) {
            let including = if name.contains('.') { " including a path (/)" } else { "" };
            warnings.push(format!(
                "{prefix}prefer a domain-qualified finalizer name{including} to avoid accidental conflicts with other \
                 finalizer writers"
            ));
        }
    }
    warnings
}

/// The warning about a version, if it is deprecated.
pub(crate) fn deprecation_warning(crd: &Crd, version: &crate::definition::Version) -> Option<String> {
    if !version.deprecated {
        return None;
    }
    if let Some(warning) = &version.deprecation_warning {
        return Some(warning.to_string());
    }
    let (group, kind) = (&crd.spec.group, &crd.spec.names.kind);
    let mut warning = format!("{group}/{} {kind} is deprecated", version.name);
    let newest = crd
        .spec
        .versions
        .iter()
        .filter(|other| other.served && !other.deprecated)
        .filter(|other| compare_versions(&version.name, &other.name) == Ordering::Less)
        .max_by(|left, right| compare_versions(&left.name, &right.name));
    if let Some(newest) = newest {
        warning.push_str(&format!("; use {group}/{} {kind}", newest.name));
    }
    Some(warning)
}

/// Which of two versions is the newer one: `v10` is newer than `v2`, any of these than `v3beta1`, and any that is
/// written so than one that is not.
pub fn compare_versions(left: &str, right: &str) -> Ordering {
    match (parse(left), parse(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        // Of other names the first in the alphabet is the newest.
        (None, None) => right.cmp(left),
    }
}

/// How stable a version is, its number, and the number of its alpha or beta.
fn parse(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let split = |text: &str| -> Option<(u64, String)> {
        let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        let number = digits.parse().ok()?;
        Some((number, rest.to_owned()))
    };
    let (major, rest) = split(rest)?;
    let (level, minor) = match (rest.strip_prefix("alpha"), rest.strip_prefix("beta")) {
        _ if rest.is_empty() => return Some((2, major, 0)),
        (Some(minor), _) => (0, minor),
        (_, Some(minor)) => (1, minor),
        _ => return None,
    };
    let (minor, rest) = split(minor)?;
    rest.is_empty().then_some((level, major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finalizers() {
        let names: Vec<Arc<str>> = ["foo", "a.b/c", "x.y", "orphan", "old"].map(Arc::from).to_vec();
        let words = "to avoid accidental conflicts with other finalizer writers";
        let expected = [
            format!("metadata.finalizers: \"foo\": prefer a domain-qualified finalizer name {words}"),
            format!(
                "metadata.finalizers: \"x.y\": prefer a domain-qualified finalizer name including a path (/) {words}"
            ),
        ];
        assert_eq!(finalizer_warnings(&names, &["old".into()]), expected);
    }

    #[test]
    fn versions_are_ordered_by_age() {
        let sorted = ["foo2", "foo1", "v1alpha1", "v1alpha2", "v3beta1", "v1", "v2", "v10"];
        for pair in sorted.windows(2) {
            assert_eq!(compare_versions(pair[0], pair[1]), Ordering::Less, "{pair:?}");
        }
        assert_eq!(parse("v1beta"), None);
    }
}
