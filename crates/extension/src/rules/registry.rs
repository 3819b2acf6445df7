//! What a `registry.yaml` says about its extensions is consistent.

use trueline_diagnostic::Diagnostic;

use super::{
    category, dependency_conflict, dependency_cycle, dependency_unknown, dependency_version, duplicate_name,
};
use crate::Registry;
use crate::field::Field;
use crate::requirement::Requirement;
use trueline_diagnostic::nearest;

/// Checks a registry and adds its findings.
pub(crate) fn check(root: &Field<'_>, registry: &Registry, findings: &mut Vec<Diagnostic>) {
    for (name, entry) in root.entries_at("extensions") {
        check_dependencies(&name, &entry, registry, findings);
        for field in entry.items_at("conflicts") {
            let Some(other) = field.text() else { continue };
            if other == name {
                let message = format!("extension `{name}` conflicts with itself");
                findings
                    .push(field.finding(&dependency_conflict::CODE, message).help("remove this conflict"));
            } else {
                findings.extend(unknown(&field, "conflicting extension", other, registry));
            }
        }
        if let Some(field) = entry.get("successor")
            && let Some(successor) = field.text()
        {
            if successor == name {
                let message = format!("extension `{name}` is its own successor");
                findings.push(
                    field
                        .finding(&dependency_cycle::CODE, message)
                        .help("name the extension that replaces it"),
                );
            } else {
                findings.extend(unknown(&field, "successor", successor, registry));
            }
        }
        check_category(&entry, registry, findings);
        for list in ["dependencies", "conflicts"] {
            duplicate_name::words(entry.items_at(list), findings);
        }
    }
}

fn check_dependencies(name: &str, entry: &Field<'_>, registry: &Registry, findings: &mut Vec<Diagnostic>) {
    for field in entry.items_at("dependencies") {
        let Some(text) = field.text() else { continue };
        let requirement = Requirement::parse(text);
        if requirement.name == name {
            let message = format!("extension `{name}` depends on itself");
            findings.push(field.finding(&dependency_cycle::CODE, message).help("remove this dependency"));
            continue;
        }
        if let Err(error) = requirement.comparators() {
            let range = requirement.range.as_deref().unwrap_or_default();
            let message =
                format!("invalid version range `{range}` for dependency `{}`: {error}", requirement.name);
            findings.push(
                field
                    .finding(&dependency_version::CODE, message)
                    .help("write a range such as `>=20`, `^1.2` or `>=1.20 <2`"),
            );
        }
        findings.extend(unknown(&field, "dependency", &requirement.name, registry));
        if let Some(chain) = registry.graph().cycle_at(name, &requirement.name) {
            let message = format!("dependency cycle: {chain}");
            findings.push(
                field.finding(&dependency_cycle::CODE, message).help("remove one of these dependencies"),
            );
        }
        if dependency_conflict::conflict(registry, name, &requirement.name) {
            let message =
                format!("extension `{name}` conflicts with its own dependency `{}`", requirement.name);
            findings.push(field.finding(&dependency_conflict::CODE, message).help("remove one of the two"));
        }
    }
}

fn check_category(entry: &Field<'_>, registry: &Registry, findings: &mut Vec<Diagnostic>) {
    let Some(known) = registry.categories() else { return };
    let Some(field) = entry.get("category") else { return };
    let Some(text) = field.text() else { return };
    if !known.contains_key(text) {
        let message = format!("category `{text}` is not declared in this registry");
        let finding = field.finding(&category::CODE, message);
        findings.push(match nearest(text, known.keys().map(String::as_str)) {
            Some(near) => field.offer(finding, near).help(format!("did you mean `{near}`?")),
            None => finding.help("add it to `categories`, or use an existing one"),
        });
    }
}

/// Adds a finding if the registry does not know the name.
pub(super) fn unknown(field: &Field<'_>, what: &str, name: &str, registry: &Registry) -> Option<Diagnostic> {
    if registry.get(name).is_some() {
        return None;
    }
    let finding =
        field.finding(&dependency_unknown::CODE, format!("{what} `{name}` was not found in the registry"));
    Some(dependency_unknown::with_help(finding, name, registry.names()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Subject;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        fn run(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
            let registry = Registry::from_document(subject.root.node().document());
            check(&subject.root, &registry, findings);
        }
        Bench::new(run)
    }

    #[test]
    fn consistent_registries_pass() {
        bench().accepts(&[
            "extensions: {}",
            "extensions: {a: {category: x}, b: {dependencies: [a], conflicts: [c]}, c: {}}",
            "extensions: {old: {deprecated: true, successor: new}, new: {conflicts: [old]}}",
            "extensions: {a: {category: tools}}\ncategories: {tools: {name: Tools}}",
            "extensions: {a: {dependencies: ['b@>=1']}, b: {version: 1.0.0}}",
            "extensions: {a: {dependencies: [1], conflicts: [2], successor: 3, category: 4}}\ncategories: {}",
        ]);
    }

    #[test]
    fn others_are_reported_at_their_place() {
        bench().rejects(&[
            ("extensions: {a: {dependencies: [«b»]}}", "dependency `b` was not found in the registry"),
            (
                "extensions: {a: {conflicts: [«b»]}}",
                "conflicting extension `b` was not found in the registry",
            ),
            ("extensions: {a: {successor: «b»}}", "successor `b` was not found in the registry"),
            ("extensions: {a: {dependencies: [«a»]}}", "extension `a` depends on itself"),
            ("extensions: {a: {conflicts: [«a»]}}", "extension `a` conflicts with itself"),
            ("extensions: {a: {successor: «a»}}", "extension `a` is its own successor"),
            (
                "extensions: {b: {dependencies: [a]}, a: {dependencies: [«b»]}}",
                "dependency cycle: a -> b -> a",
            ),
            (
                "extensions: {a: {dependencies: [«b»]}, b: {dependencies: [a, «c»]}, c: {dependencies: [b]}}",
                "dependency cycle: b -> c -> b",
            ),
            (
                "extensions: {a: {dependencies: [«b»], conflicts: [b]}, b: {}}",
                "conflicts with its own dependency `b`",
            ),
            ("extensions: {a: {dependencies: [«'b@>>1'»]}, b: {}}", "invalid version range `>>1`"),
            ("extensions: {a: {dependencies: [b, «b»]}, b: {}}", "`b` is listed twice"),
            (
                "extensions: {a: {category: «tool»}}\ncategories: {tools: {}}",
                "category `tool` is not declared",
            ),
            (
                "extensions: {a: {category: «other»}}\ncategories: {tools: {}}",
                "category `other` is not declared",
            ),
        ]);
    }
}
