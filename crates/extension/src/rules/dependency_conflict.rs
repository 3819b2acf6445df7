//! Extensions that are installed together do not conflict.

use std::collections::BTreeMap;

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::Registry;
use crate::manifest::{Dependency, Subject};

pub(crate) static CODE: Code = Code {
    id: "TL0306",
    name: "dependency-conflict",
    severity: Severity::Error,
    summary: "Two conflicting extensions are both required",
    explanation: "A registry may say that an extension conflicts with another: the two cannot be installed \
                  together. An extension that needs both, or that needs one that conflicts with itself, can never \
                  be installed; nor can a profile that lists both.\n\nChoose one of the two.",
    wrong: "# the registry says that ruflo conflicts with claude-flow-v2\nmetadata:\n  name: agents\n  dependencies:\n    - ruflo\n    - claude-flow-v2\n",
    right: "metadata:\n  name: agents\n  dependencies:\n    - ruflo\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(registry) = subject.registry else { return };
    let graph = registry.graph();
    if graph.is_without_conflicts() {
        return;
    }
    let dependencies = subject.dependencies();
    // Everything that is installed, with the direct dependency that requires it; the extension itself counts
    // too.
    let mut installed: BTreeMap<&str, Option<&Dependency<'_>>> = BTreeMap::new();
    if let Some(own) = subject.name() {
        installed.insert(own, None);
    }
    for dependency in &dependencies {
        let mut waiting = vec![dependency.requirement.name.as_str()];
        while let Some(name) = waiting.pop() {
            if let Some(other) = graph.excluded(name).find(|other| installed.contains_key(other)) {
                let brought = match dependency.requirement.name.as_str() {
                    direct if direct == name => format!("dependency `{name}`"),
                    direct => format!("`{name}` (required by `{direct}`)"),
                };
                let message = match installed.get(other).copied().flatten() {
                    Some(_) => format!("{brought} conflicts with `{other}`, which is also required"),
                    None => format!("{brought} conflicts with this extension, `{other}`"),
                };
                let mut finding = dependency.field.finding(&CODE, message).help("choose one of the two");
                if let Some(earlier) = installed.get(other).copied().flatten() {
                    finding = finding.related(earlier.field.span(), format!("`{other}` is required here"));
                }
                findings.push(finding);
            }
            if !installed.contains_key(name) {
                installed.insert(name, Some(dependency));
                let needs = registry.get(name).map(|entry| entry.dependencies.as_slice()).unwrap_or_default();
                waiting.extend(needs.iter().rev().map(|requirement| requirement.name.as_str()));
            }
        }
    }
}

/// Whether the registry says that one conflicts with the other.
pub(super) fn conflict(registry: &Registry, one: &str, other: &str) -> bool {
    let excludes = |name: &str, other: &str| {
        registry.get(name).is_some_and(|entry| entry.conflicts.iter().any(|conflict| conflict == other))
    };
    one != other && (excludes(one, other) || excludes(other, one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        Bench::new(check).registry(
            "extensions:\n  new: {conflicts: [old, older]}\n  old: {}\n  older: {}\n  user: {dependencies: [old]}\n  deep: {dependencies: [user]}\n  odd: {conflicts: [odd]}\n",
        )
    }

    #[test]
    fn compatible_extensions_pass() {
        bench().accepts(&[
            "metadata: {name: x, dependencies: [old, older]}",
            "metadata: {name: x, dependencies: [new]}",
            "metadata: {name: x, dependencies: [deep, old]}",
            "metadata: {name: new, dependencies: [odd]}",
            "metadata: {dependencies: [unknown, old]}",
            "metadata: {name: x}",
        ]);
        Bench::new(check).accepts(&["dependencies: [new, old]"]);
    }

    #[test]
    fn conflicts_are_reported_at_the_second_extension() {
        bench().rejects(&[
            (
                "metadata: {name: x, dependencies: [new, «old»]}",
                "dependency `old` conflicts with `new`, which is also required",
            ),
            ("dependencies: [old, «new»]", "dependency `new` conflicts with `old`"),
            ("metadata: {name: new, dependencies: [«older»]}", "conflicts with this extension, `new`"),
            ("metadata: {name: old, dependencies: [«'new@1'»]}", "conflicts with this extension, `old`"),
            ("dependencies: [new, «user»]", "`old` (required by `user`) conflicts with `new`"),
            (
                "metadata: {dependencies: [deep]}\ndependencies: [«new»]",
                "dependency `new` conflicts with `old`",
            ),
        ]);
    }
}
