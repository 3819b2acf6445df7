//! Kinds that are left out on purpose: which of their names were of use.

use std::collections::BTreeSet;

use trueline_diagnostic::{Diagnostic, Edit, nearest};
use trueline_kube::api::Api;
use trueline_source::{SourceKind, SourceMap, Span};

use super::codes::UNUSED_SKIP;

/// Which of the kinds that are left out were found, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skips {
    /// Those of the command line.
    pub(crate) given: BTreeSet<usize>,
    /// Those of the configuration of the unit.
    pub(crate) configured: BTreeSet<usize>,
}

/// Kinds that the command line leaves out and that no object has: most likely another kind was meant.
pub(crate) fn unused_skips(given: &[String], used: &BTreeSet<usize>, sources: &SourceMap) -> Vec<Diagnostic> {
    let unused = given.iter().enumerate().filter(|(index, _)| !used.contains(index));
    let finding = |(_, name): (usize, &String)| {
        let source = sources.add(format!("--skip {name}"), SourceKind::Flag, "");
        unused_skip(name, Span::whole(source))
    };
    unused.map(finding).collect()
}

/// The finding for a kind that is left out and that no object has.
pub(crate) fn unused_skip(name: &str, place: Span) -> Diagnostic {
    let message = format!("no object is of the kind `{name}`, so nothing is left out");
    let finding = Diagnostic::new(&UNUSED_SKIP, place, message);
    match meant_kind(name) {
        Some(meant) => finding.help(format!("did you mean `{meant}`?")),
        None => finding.help(
            "write the kind as objects have it (`Secret`), or with its group and version (`apps/v1/Deployment`)",
        ),
    }
}

/// The same for one in a configuration, where it can be fixed.
pub(crate) fn unused_configured_skip(name: &str, place: Span) -> Diagnostic {
    let finding = unused_skip(name, place);
    match meant_kind(name) {
        Some(meant) => {
            let edit = Edit { span: place, replacement: format!("\"{meant}\"") };
            finding.fix(format!("write \"{meant}\""), vec![edit])
        }
        None => finding,
    }
}

/// The kind of Kubernetes itself that a name which is none is near to, with the group and version that were typed.
pub(crate) fn meant_kind(name: &str) -> Option<String> {
    let (before, kind) = match name.rsplit_once('/') {
        Some((api_version, kind)) => (format!("{api_version}/"), kind),
        None => (String::new(), name),
    };
    let known: BTreeSet<&str> = Api::newest()?.kinds().map(|known| known.kind).collect();
    let meant = nearest(kind, known.iter().copied()).filter(|_| !known.contains(kind))?;
    // Kinds that Kubernetes does not have are as good as others: only a slip of the keyboard or a plural is meant.
    (meant.len().abs_diff(kind.len()) <= 2).then(|| format!("{before}{meant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_was_meant_is_offered() {
        for (name, meant) in [
            ("secrets", Some("Secret")),
            ("Deploymnet", Some("Deployment")),
            ("apps/v1/deployments", Some("apps/v1/Deployment")),
            ("Secret", None),
            ("apps/v2/Deployment", None),
            ("Certificate", None),
            ("", None),
        ] {
            assert_eq!(meant_kind(name).as_deref(), meant, "{name}");
        }
    }
}
