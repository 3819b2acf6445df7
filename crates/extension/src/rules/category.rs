//! The category is the one that the registry has.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;
use trueline_diagnostic::nearest;

pub(crate) static CODE: Code = Code {
    id: "TL0319",
    name: "category",
    severity: Severity::Error,
    summary: "A category is unknown, or differs from the registry's",
    explanation: "Extensions are listed by category. The category of a manifest must be one that the registry \
                  declares, and the one that the registry gives this extension; otherwise the two contradict each \
                  other.\n\nCorrect whichever of the two is wrong.",
    wrong: "# the registry has nodejs under languages\nmetadata:\n  name: nodejs\n  category: devops\n",
    right: "metadata:\n  name: nodejs\n  category: languages\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(registry) = subject.registry else { return };
    let Some(field) = subject.root.at("metadata/category") else { return };
    let Some(category) = field.text() else { return };
    if let Some(known) = registry.categories()
        && !known.contains_key(category)
    {
        let finding = field.finding(&CODE, format!("category `{category}` is not declared in the registry"));
        findings.push(match nearest(category, known.keys().map(String::as_str)) {
            Some(near) => field.offer(finding, near).help(format!("did you mean `{near}`?")),
            None => {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                finding.help(format!("the registry declares {}", names.join(", ")))
            }
        });
        return;
    }
    let Some(name) = subject.name() else { return };
    let Some((expected, span)) = registry.get(name).and_then(|entry| entry.category.as_ref()) else { return };
    if expected != category {
        let message = format!("category `{category}` differs from the registry's `{expected}`");
        findings.push(
            field
                .finding(&CODE, message)
                .related(*span, "the registry's category")
                .help("correct whichever of the two is wrong"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        Bench::new(check).registry(
            "extensions: {nodejs: {category: languages}, x: {}}\ncategories: {languages: {}, devops: {}, desktop: {}}",
        )
    }

    #[test]
    fn the_same_category_passes() {
        bench().accepts(&[
            "metadata: {name: nodejs, category: languages}",
            "metadata: {name: new, category: devops}",
            "metadata: {name: x, category: desktop}",
            "metadata: {category: languages}",
            "metadata: {name: nodejs}",
            "metadata: {name: nodejs, category: 5}",
        ]);
        Bench::new(check).accepts(&["metadata: {name: nodejs, category: anything}"]);
        Bench::new(check)
            .registry("extensions: {a: {}}")
            .accepts(&["metadata: {name: a, category: anything}"]);
    }

    #[test]
    fn another_is_reported_at_the_value() {
        bench().rejects(&[
            (
                "metadata: {name: nodejs, category: «devops»}",
                "category `devops` differs from the registry's `languages`",
            ),
            ("metadata: {name: nodejs, category: «'desktop'»}", "differs from the registry's"),
            (
                "metadata: {name: new, category: «invalid-category»}",
                "`invalid-category` is not declared in the registry",
            ),
            ("metadata: {category: «language»}", "`language` is not declared"),
            ("metadata:\n  name: nodejs\n  category: «Languages»\n", "`Languages` is not declared"),
        ]);
        let helps = [
            ("language", "did you mean `languages`?"),
            ("zzz", "the registry declares desktop, devops, languages"),
        ];
        for (category, help) in helps {
            let findings = bench().findings(&format!("metadata: {{category: {category}}}"));
            assert_eq!(findings[0].help.as_deref(), Some(help));
        }
    }
}
