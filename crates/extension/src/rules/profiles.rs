//! A `profiles.yaml` refers to extensions and profiles that exist.

use std::collections::BTreeSet;

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::dependency_deprecated::with_successor;
use super::registry::unknown;
use super::{dependency_conflict, dependency_deprecated};
use crate::Registry;
use crate::field::Field;
use crate::requirement::Requirement;
use trueline_diagnostic::nearest;

pub(crate) static CODE: Code = Code {
    id: "TL0322",
    name: "display-order",
    severity: Severity::Error,
    summary: "The display order and the profiles do not match",
    explanation: "`display_order` lists the profiles in the order in which they are shown. A name without a \
        profile is an error; a profile that is not listed is never shown, which is a warning.\n\nCorrect the \
        name, or add the profile to the list.",
    wrong: "display_order: [minmal]\nprofiles:\n  minimal:\n    description: A minimal setup\n    extensions: [nodejs]\n",
    right: "display_order: [minimal]\nprofiles:\n  minimal:\n    description: A minimal setup\n    extensions: [nodejs]\n",
};

/// Checks a file of profiles and adds its findings.
pub(crate) fn check(root: &Field<'_>, registry: Option<&Registry>, findings: &mut Vec<Diagnostic>) {
    let profiles = root.entries_at("profiles");
    let order = root.items_at("display_order");
    for field in &order {
        let Some(name) = field.text() else { continue };
        if !profiles.iter().any(|(profile, _)| profile == name) {
            let finding = field.finding(&CODE, format!("profile `{name}` does not exist"));
            findings.push(match nearest(name, profiles.iter().map(|(profile, _)| profile.as_ref())) {
                Some(near) => field.offer(finding, near).help(format!("did you mean `{near}`?")),
                None => finding.help("add the profile, or remove it from the display order"),
            });
        }
    }
    let listed: BTreeSet<&str> = order.iter().filter_map(Field::text).collect();
    for (name, profile) in &profiles {
        if !order.is_empty() && !listed.contains(name.as_ref()) {
            let finding =
                profile.key_finding(&CODE, format!("profile `{name}` is missing from the display order"));
            findings.push(finding.severity(Severity::Warning).help("add it to `display_order`"));
        }
        if let Some(registry) = registry {
            check_profile(profile, registry, findings);
        }
    }
}

fn check_profile(profile: &Field<'_>, registry: &Registry, findings: &mut Vec<Diagnostic>) {
    let extensions = profile.items_at("extensions");
    for (index, field) in extensions.iter().enumerate() {
        let Some(text) = field.text() else { continue };
        let name = Requirement::parse(text).name;
        findings.extend(unknown(field, "extension", &name, registry));
        if let Some(entry) = registry.get(&name).filter(|entry| entry.deprecated) {
            let finding =
                field.finding(&dependency_deprecated::CODE, format!("extension `{name}` is deprecated"));
            findings.push(with_successor(finding, &name, entry));
        }
        for earlier in extensions.iter().take(index) {
            let Some(other) = earlier.text() else { continue };
            if dependency_conflict::conflict(registry, &name, other) {
                let message = format!("extension `{name}` conflicts with `{other}` of the same profile");
                findings.push(
                    field
                        .finding(&dependency_conflict::CODE, message)
                        .related(earlier.span(), format!("`{other}` is listed here"))
                        .help("choose one of the two"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Subject;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        fn run(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
            check(&subject.root, subject.registry, findings);
        }
        Bench::new(run)
    }

    const REGISTRY: &str = "extensions: {a: {}, b: {conflicts: [a]}, old: {deprecated: true, successor: a}}";

    #[test]
    fn valid_profiles_pass() {
        bench().accepts(&[
            "display_order: [one]\nprofiles: {one: {extensions: [anything]}}",
            "profiles: {one: {extensions: [x]}}",
            "display_order: [one, two]\nprofiles: {two: {}, one: {}}",
            "display_order: [1]\nprofiles: {}",
        ]);
        bench().registry(REGISTRY).accepts(&[
            "display_order: [one]\nprofiles: {one: {extensions: [a]}}",
            "profiles: {one: {extensions: [b]}, two: {extensions: ['a@>=1', 7]}}",
        ]);
    }

    #[test]
    fn others_are_reported_at_their_place() {
        bench().registry(REGISTRY).rejects(&[
            ("display_order: [one, «tow»]\nprofiles: {one: {}}", "profile `tow` does not exist"),
            (
                "display_order: [one]\nprofiles: {one: {}, «two»: {}}",
                "profile `two` is missing from the display order",
            ),
            ("profiles: {one: {extensions: [a, «c»]}}", "extension `c` was not found in the registry"),
            ("profiles: {one: {extensions: [«old»]}}", "extension `old` is deprecated"),
            (
                "profiles: {one: {extensions: [a, «b»]}}",
                "extension `b` conflicts with `a` of the same profile",
            ),
            ("profiles: {one: {extensions: [b, 5, «a»]}}", "extension `a` conflicts with `b`"),
            ("display_order: [«oen»]\nprofiles: {«one»: {}}", "profile `oen` does not exist"),
        ]);
    }
}
