//! An extension does not depend on itself, directly or through others.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0304",
    name: "dependency-cycle",
    severity: Severity::Error,
    summary: "An extension depends on itself",
    explanation: "Dependencies are installed first. If an extension depends on itself, directly or through its \
                  dependencies, there is no order in which to install them.\n\nRemove one of the dependencies of \
                  the cycle, or move what both sides need into a separate extension.",
    wrong: "metadata:\n  name: nodejs\n  dependencies:\n    - nodejs\n",
    right: "metadata:\n  name: nodejs\n  dependencies:\n    - mise-config\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(own) = subject.name() else { return };
    for dependency in subject.dependencies() {
        let name = dependency.requirement.name.as_str();
        if name == own {
            let message = format!("extension `{own}` depends on itself");
            findings.push(dependency.field.finding(&CODE, message).help("remove this dependency"));
            continue;
        }
        let Some(registry) = subject.registry else { continue };
        let Some(chain) = registry.graph().cycle_through(own, name) else { continue };
        let mut finding = dependency
            .field
            .finding(&CODE, format!("dependency cycle: {chain}"))
            .help("remove one of these dependencies");
        for step in chain.members.iter().filter(|step| *step != own) {
            if let Some(entry) = registry.get(step) {
                finding = finding.related(entry.span, format!("`{step}` is declared here"));
            }
        }
        findings.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        Bench::new(check).registry(
            "extensions:\n  a: {dependencies: [b]}\n  b: {dependencies: ['c@1']}\n  c: {}\n  d: {dependencies: [a]}\n  e: {dependencies: [f]}\n  f: {dependencies: [e]}\n",
        )
    }

    #[test]
    fn chains_pass() {
        bench().accepts(&[
            "metadata: {name: d, dependencies: [a, b]}",
            "metadata: {name: c, dependencies: []}",
            "metadata: {name: new, dependencies: [a, d]}",
            "metadata: {dependencies: [a]}",
            "metadata: {name: b}\ndependencies: [c]",
            "metadata: {name: b, dependencies: [unknown]}",
            "metadata: {name: outside, dependencies: [e]}",
            "metadata: {name: c, dependencies: [e]}",
            "metadata: {name: e, dependencies: [d]}",
        ]);
        Bench::new(check).accepts(&["metadata: {name: a, dependencies: [b]}"]);
    }

    #[test]
    fn cycles_are_reported_at_the_dependency_that_closes_them() {
        bench().rejects(&[
            ("metadata: {name: a, dependencies: [«a»]}", "extension `a` depends on itself"),
            ("metadata: {name: new, dependencies: [b, «new»]}", "extension `new` depends on itself"),
            ("metadata: {name: c, dependencies: [«a»]}", "dependency cycle: c -> a -> b -> c"),
            ("metadata: {name: c}\ndependencies: [«'b'»]", "dependency cycle: c -> b -> c"),
            ("metadata: {name: b, dependencies: [c, «d»]}", "dependency cycle: b -> d -> a -> b"),
            ("metadata: {name: c, dependencies: [«a@1», «d»]}", "dependency cycle: c -> d -> a -> b -> c"),
        ]);
        Bench::new(check).rejects(&[("metadata: {name: x, dependencies: [«x@>=1»]}", "depends on itself")]);
        let findings = bench().findings("metadata: {name: c, dependencies: [a]}");
        assert_eq!(findings[0].related.len(), 2);
    }

    #[test]
    fn a_long_cycle_gets_a_short_message() {
        let mut registry = "extensions:\n  z: {}\n".to_owned();
        for (name, need) in ('a'..'h').zip('b'..) {
            registry += &format!("  {name}: {{dependencies: [{need}]}}\n");
        }
        let bench = Bench::new(check).registry(&(registry + "  h: {dependencies: [z]}\n"));
        let text = "metadata: {name: z, dependencies: [h, a]}";
        let findings = bench.findings(text);
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            ["dependency cycle: z -> h -> z", "dependency cycle: z -> a -> b -> c -> … -> z"]
        );
        assert_eq!(findings[1].related.len(), 3);
    }
}
