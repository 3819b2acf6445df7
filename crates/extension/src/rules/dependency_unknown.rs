//! Dependencies, and a successor, exist in the registry.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;
use trueline_diagnostic::nearest;

pub(crate) static CODE: Code = Code {
    id: "TL0303",
    name: "unknown-extension",
    severity: Severity::Error,
    summary: "A referenced extension does not exist",
    explanation: "Extensions refer to each other by name: a manifest to its dependencies and its successor, a \
                  registry to dependencies, conflicts and successors, a profile to the extensions that it \
                  installs. A name that the registry does not know cannot be installed.\n\nCorrect the name, or \
                  add the extension to the registry. A version range is written after an `@`, as in `nodejs@>=20`.",
    wrong: "metadata:\n  name: web-tools\n  dependencies:\n    - nodesj\n",
    right: "metadata:\n  name: web-tools\n  dependencies:\n    - nodejs\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(registry) = subject.registry else { return };
    for dependency in subject.dependencies() {
        let name = dependency.requirement.name.as_str();
        // A dependency on itself is a cycle, whether or not the registry knows it.
        if registry.get(name).is_some() || subject.name() == Some(name) {
            continue;
        }
        let finding =
            dependency.field.finding(&CODE, format!("dependency `{name}` was not found in the registry"));
        findings.push(with_help(finding, name, registry.names()));
    }
    if let Some(field) = subject.root.at("deprecation/successor")
        && let Some(name) = field.text()
        && registry.get(name).is_none()
    {
        let finding = field.finding(&CODE, format!("successor `{name}` was not found in the registry"));
        findings.push(with_help(finding, name, registry.names()));
    }
}

/// Adds the nearest known name, or the spelling that was probably meant.
pub(super) fn with_help<'a>(
    finding: Diagnostic,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    if let Some(at) = name.find(['<', '>', '=', '~', '^', ' ']) {
        let (bare, range) = name.split_at(at);
        finding.help(format!("write a version range after an `@`: `{bare}@{}`", range.trim()))
    } else if let Some(near) = nearest(name, known) {
        finding.help(format!("did you mean `{near}`?"))
    } else {
        finding.help("correct the name, or add the extension to the registry")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        Bench::new(check).registry("extensions: {nodejs: {}, python: {}, mise-config: {}}")
    }

    #[test]
    fn known_names_pass() {
        bench().accepts(&[
            "metadata: {dependencies: [nodejs, python]}",
            "metadata: {dependencies: []}",
            "dependencies: [mise-config]",
            "dependencies: [nodejs@>=20, {name: python, version: '3'}]",
            "metadata: {dependencies: null}",
            "metadata: {name: me, dependencies: [me]}",
            "deprecation: {deprecated: true, successor: python}",
            "dependencies: [1, {version: '2'}]",
        ]);
        Bench::new(check).accepts(&["dependencies: [nothing-is-known]"]);
    }

    #[test]
    fn unknown_names_are_reported_at_the_item() {
        bench().rejects(&[
            (
                "metadata:\n  dependencies:\n    - nodejs\n    - «nonexistent-extension»\n",
                "dependency `nonexistent-extension` was not found in the registry",
            ),
            ("dependencies: [«ruby», python, «'perl'»]", "dependency `perl` was not found"),
            ("metadata: {dependencies: [«Nodejs»]}", "dependency `Nodejs`"),
            ("dependencies: [«{name: go, version: '1'}»]", "dependency `go`"),
            ("dependencies: [«go@>=1.20»]", "dependency `go` was not found"),
            ("deprecation: {deprecated: true, successor: «pyton»}", "successor `pyton` was not found"),
            ("metadata: {dependencies: [«a»]}\ndependencies: [«b»]", "dependency `b`"),
        ]);
    }

    #[test]
    fn help_names_what_was_meant() {
        for (name, help) in [
            ("pyton", "did you mean `python`?"),
            ("python >=3", "write a version range after an `@`: `python@>=3`"),
            ("haskell", "correct the name, or add the extension to the registry"),
        ] {
            let findings = bench().findings(&format!("dependencies: ['{name}']"));
            assert_eq!(findings[0].help.as_deref(), Some(help));
        }
    }
}
