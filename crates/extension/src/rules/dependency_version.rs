//! The version range of a dependency is valid, and the registry's version is in it.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0305",
    name: "dependency-version",
    severity: Severity::Error,
    summary: "A dependency's version range is invalid or cannot be met",
    explanation: "A dependency may have a version range after an `@`: `nodejs@>=20`, `python@^3.12`, \
                  `golang@>=1.20 <2`. The range must be valid and contain the version in the registry, otherwise \
                  the extension cannot be installed.\n\nCorrect the range, or use a registry with a version in it.",
    wrong: "metadata:\n  name: web-tools\n  dependencies:\n    - nodejs@>>20\n",
    right: "metadata:\n  name: web-tools\n  dependencies:\n    - nodejs@>=20\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for dependency in subject.dependencies() {
        let Some(range) = dependency.requirement.range.as_deref() else { continue };
        let name = dependency.requirement.name.as_str();
        // In the long form the range has its own place.
        let field = dependency.field.get("version").unwrap_or_else(|| dependency.field.clone());
        if let Err(error) = dependency.requirement.comparators() {
            findings.push(
                field
                    .finding(
                        &CODE,
                        format!("invalid version range `{range}` for dependency `{name}`: {error}"),
                    )
                    .help("write a range such as `>=20`, `^1.2` or `>=1.20 <2`"),
            );
            continue;
        }
        let Some(entry) = subject.registry.and_then(|registry| registry.get(name)) else { continue };
        let Some(version) = &entry.version else { continue };
        if !dependency.requirement.is_met_by(version) {
            findings.push(
                field
                    .finding(
                        &CODE,
                        format!(
                            "dependency `{name}` must be {range}, but the registry has version {version}"
                        ),
                    )
                    .related(entry.span, format!("`{name}` is declared here"))
                    .help("widen the range, or use a registry with a version in it"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        Bench::new(check).registry("extensions: {nodejs: {version: 20.1.0}, python: {}, go: {version: odd}}")
    }

    #[test]
    fn valid_ranges_that_are_met_pass() {
        bench().accepts(&[
            "dependencies: [nodejs]",
            "dependencies: ['nodejs@>=20']",
            "metadata: {dependencies: ['nodejs@>=20 <21', 'nodejs@^20.1']}",
            "dependencies: ['nodejs@latest', 'nodejs@*']",
            "dependencies: [{name: nodejs, version: '~20.1'}]",
            "dependencies: ['python@>=99', 'go@1', 'unknown@3']",
            "dependencies: [{name: nodejs}]",
        ]);
    }

    #[test]
    fn others_are_reported_at_the_item() {
        bench().rejects(&[
            ("dependencies: [«'nodejs@>>20'»]", "invalid version range `>>20` for dependency `nodejs`"),
            (
                "metadata:\n  dependencies:\n    - «nodejs@»\n",
                "invalid version range `` for dependency `nodejs`",
            ),
            ("dependencies: [«'x@1 || 2'»]", "invalid version range `1 || 2`"),
            (
                "dependencies: [«'nodejs@>=22'»]",
                "dependency `nodejs` must be >=22, but the registry has version 20.1.0",
            ),
            (
                "dependencies: [{name: nodejs, version: «'18'»}]",
                "must be 18, but the registry has version 20.1.0",
            ),
            ("dependencies: [{name: python, version: «three»}]", "invalid version range `three`"),
            ("metadata: {dependencies: [«nodejs@<20.1», nodejs]}", "must be <20.1"),
        ]);
    }
}
