//! Fields that every extension should have.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0341",
    name: "recommended-field",
    severity: Severity::Warning,
    summary: "A recommended field is missing",
    explanation: "An extension can be installed without an author, a homepage, documentation, a bill of materials, \
                  its requirements or a way to remove it, but its users will miss them. Only `--strict` reports \
                  these.",
    wrong: "metadata:\n  name: nodejs\n  version: 1.0.0\n",
    right: "metadata:\n  name: nodejs\n  version: 1.0.0\n  author: Jane Doe\n  homepage: https://nodejs.org\n",
};

/// The fields and their purpose.
const FIELDS: &[(&str, &str)] = &[
    ("metadata/author", "it says whom to ask"),
    ("metadata/homepage", "it says where to read more"),
    ("requirements", "it says what the machine needs before anything is installed"),
    ("remove", "it says how to remove the extension"),
    ("docs", "the extension's page is generated from it"),
    ("bom", "it says which software is installed, and under which licence"),
];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((_, first)) = subject.root.entries().next() else { return };
    let metadata = subject.root.get("metadata").unwrap_or_else(|| first.clone());
    for (path, reason) in FIELDS {
        if subject.root.at(path).is_some() {
            continue;
        }
        let place = if path.starts_with("metadata/") { &metadata } else { &first };
        let finding =
            place.key_finding(&CODE, format!("recommended field `{}` is missing", path.replace('/', ".")));
        findings.push(finding.help(*reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    const REST: &str = "requirements: {}\nremove: {}\ndocs: {}\nbom: {}\n";

    const REST_ALONE: &str = "««requirements»»: {}\nremove: {}\ndocs: {}\nbom: {}\n";

    #[test]
    fn complete_manifests_pass() {
        let all = format!("metadata: {{author: a, homepage: b}}\n{REST}");
        let order = format!("{REST}metadata: {{homepage: b, author: a}}\n");
        let more = format!("metadata: {{author: a, homepage: b, name: x}}\n{REST}install: {{}}\n");
        let lists = all.replace("docs: {}", "docs: []");
        let quoted = all.replace("author", "'author'");
        Bench::new(check).accepts(&[&all, &order, &more, &lists, &quoted, "{}", "[]"]);
    }

    #[test]
    fn missing_fields_are_reported_at_their_section() {
        let without =
            |field: &str| format!("«metadata»: {{author: a, homepage: b}}\n{REST}").replace(field, "x: 1");
        Bench::new(check).rejects(&[
            (
                &format!("«metadata»: {{author: a}}\n{REST}"),
                "recommended field `metadata.homepage` is missing",
            ),
            (
                &format!("{REST}«metadata»: {{homepage: a}}\n"),
                "recommended field `metadata.author` is missing",
            ),
            (REST_ALONE, "recommended field `metadata.author` is missing"),
            (&without("docs: {}"), "recommended field `docs` is missing"),
            (&without("bom: {}"), "recommended field `bom` is missing"),
            (&without("remove: {}"), "recommended field `remove` is missing"),
            (&without("requirements: {}"), "recommended field `requirements` is missing"),
        ]);
    }
}
