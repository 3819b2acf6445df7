//! Programs that are downloaded have a checksum.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0343",
    name: "missing-checksum",
    severity: Severity::Warning,
    summary: "A downloaded program has no checksum",
    explanation: "Nobody verifies a program that is downloaded without a package manager, unless the bill of \
                  materials has its checksum. Only `--strict` reports these. `md5` no longer protects against a \
                  changed file; use `sha256` or `sha512`.",
    wrong: "bom:\n  tools:\n    - name: tool\n      version: 1.0.0\n      source: binary\n",
    right: "bom:\n  tools:\n    - name: tool\n      version: 1.0.0\n      source: binary\n      checksum:\n        algorithm: sha256\n        value: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for tool in subject.root.items_at("bom/tools") {
        if let Some(algorithm) = tool.at("checksum/algorithm").filter(|field| field.text() == Some("md5")) {
            let finding = algorithm.finding(&CODE, "an md5 checksum does not protect against a changed file");
            findings.push(finding.help("use `sha256` or `sha512`"));
        }
        let downloaded = matches!(tool.text_at("source"), Some("binary" | "github-release"));
        // A version that is only known during installation cannot have a checksum.
        let fixed = tool
            .text_at("version")
            .is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()));
        if !downloaded || !fixed || tool.text_at("checksum/value").is_some() {
            continue;
        }
        let Some(name) = tool.get("name") else { continue };
        let Some(text) = name.text() else { continue };
        let finding = name.finding(&CODE, format!("`{text}` is downloaded, but has no checksum"));
        findings.push(finding.help("add `checksum` with its `algorithm` and `value`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn tools_with_a_checksum_pass() {
        Bench::new(check).accepts(&[
            "bom: {tools: [{name: a, version: '1', source: binary, checksum: {algorithm: sha256, value: ab}}]}",
            "bom: {tools: [{name: a, version: '1', source: npm}]}",
            "bom: {tools: [{name: a, version: dynamic, source: binary}]}",
            "bom: {tools: [{name: a, source: github-release}]}",
            "bom: {tools: [{version: '1', source: binary}, {name: 5, version: '1', source: binary}]}",
            "bom: {}",
        ]);
    }

    #[test]
    fn tools_without_one_are_reported_at_their_name() {
        Bench::new(check).rejects(&[
            ("bom: {tools: [{name: «a», version: '1', source: binary}]}", "`a` is downloaded, but has no checksum"),
            ("bom: {tools: [{name: «'b'», version: 1.0.0, source: github-release}]}", "`b` is downloaded"),
            ("bom: {tools: [{name: «a», version: '1', source: binary, checksum: null}]}", "has no checksum"),
            ("bom: {tools: [{name: «a», version: '1', source: binary, checksum: {}}]}", "has no checksum"),
            (
                "bom: {tools: [{name: a, version: '1', source: npm, checksum: {algorithm: «md5», value: x}}]}",
                "an md5 checksum does not protect",
            ),
        ]);
    }
}
