//! Dependencies are not deprecated.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::RegistryEntry;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0307",
    name: "deprecated-extension",
    severity: Severity::Warning,
    summary: "A dependency is deprecated",
    explanation: "The registry marks extensions that should no longer be used, usually with a successor. They \
                  still work, but are no longer maintained and may be removed.\n\nDepend on the successor.",
    wrong: "# the registry says that claude-flow-v2 is deprecated, with the successor ruflo\nmetadata:\n  name: agents\n  dependencies:\n    - claude-flow-v2\n",
    right: "metadata:\n  name: agents\n  dependencies:\n    - ruflo\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(registry) = subject.registry else { return };
    for dependency in subject.dependencies() {
        let name = dependency.requirement.name.as_str();
        if let Some(entry) = registry.get(name).filter(|entry| entry.deprecated) {
            let finding = dependency.field.finding(&CODE, format!("dependency `{name}` is deprecated"));
            findings.push(with_successor(finding, name, entry));
        }
    }
}

/// Adds where the extension is declared and what to use instead.
pub(super) fn with_successor(finding: Diagnostic, name: &str, entry: &RegistryEntry) -> Diagnostic {
    let finding = finding.related(entry.span, format!("`{name}` is marked as deprecated here"));
    match &entry.successor {
        Some(successor) => finding.help(format!("use its successor `{successor}`")),
        None => finding.help("the registry names no successor; look for another extension"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        Bench::new(check).registry(
            "extensions:\n  old: {deprecated: true, successor: new}\n  lost: {deprecated: true}\n  new: {deprecated: false}\n  plain: {}\n",
        )
    }

    #[test]
    fn extensions_in_use_pass() {
        bench().accepts(&[
            "dependencies: [new]",
            "dependencies: [plain, 'new@1']",
            "metadata: {dependencies: []}",
            "metadata: {dependencies: [unknown]}",
            "metadata: {name: old}",
        ]);
        Bench::new(check).accepts(&["dependencies: [old]"]);
    }

    #[test]
    fn deprecated_ones_are_reported_with_their_successor() {
        bench().rejects(&[
            ("dependencies: [«old»]", "dependency `old` is deprecated"),
            ("metadata: {dependencies: [new, «'lost'»]}", "dependency `lost` is deprecated"),
            ("dependencies: [«'old@>=1'»]", "dependency `old` is deprecated"),
            ("dependencies: [«{name: old}»]", "dependency `old` is deprecated"),
            ("metadata:\n  dependencies:\n  - «old»\n  - plain\n  - «lost»\n", "dependency `lost`"),
        ]);
        let findings = bench().findings("dependencies: [old, lost]");
        assert_eq!(findings[0].help.as_deref(), Some("use its successor `new`"));
        assert_eq!(
            findings[1].help.as_deref(),
            Some("the registry names no successor; look for another extension")
        );
        assert_eq!(findings[0].severity, Severity::Warning);
    }
}
