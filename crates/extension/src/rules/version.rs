//! `version` and `min_cli_version` are semantic versions.

use semver::Version;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0302",
    name: "invalid-version",
    severity: Severity::Error,
    summary: "A version is not a semantic version",
    explanation: "`metadata.version` and `min_cli_version` are compared with other versions, so they must follow \
                  semver.org: three integers without leading zeros, separated by dots, optionally followed by a \
                  pre-release such as `-beta.1`.\n\nWrite all three numbers, without a leading `v`.",
    wrong: "metadata:\n  name: nodejs\n  version: 1.02.0\n",
    right: "metadata:\n  name: nodejs\n  version: 1.2.0\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (path, what) in [
        ("metadata/version", "semantic version"),
        ("metadata/min_cli_version", "min_cli_version"),
        ("min_cli_version", "min_cli_version"),
    ] {
        let Some(field) = subject.root.at(path) else { continue };
        let Some(text) = field.text() else { continue };
        if let Err(error) = Version::parse(text) {
            let finding = field.finding(&CODE, format!("invalid {what} `{text}`: {error}"));
            findings.push(match mended(text) {
                Some(version) => {
                    field.offer(finding, &version.to_string()).help(format!("did you mean `{version}`?"))
                }
                None => finding.help("write three integers separated by dots, such as `1.2.0`"),
            });
        }
    }
}

/// The version that was probably meant: without `v`, without leading zeros, with all three numbers.
fn mended(text: &str) -> Option<Version> {
    let mut numbers = Vec::new();
    for part in text.trim().trim_start_matches(['v', 'V']).split('.') {
        numbers.push(part.parse::<u64>().ok()?);
    }
    numbers.resize(3.max(numbers.len()), 0);
    match numbers.as_slice() {
        [major, minor, patch] => Some(Version::new(*major, *minor, *patch)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn semantic_versions_pass() {
        Bench::new(check).accepts(&[
            "metadata: {version: 1.2.3}",
            "metadata: {version: 0.0.0, min_cli_version: 3.0.0}",
            "metadata: {version: 1.0.0-beta.1}",
            "metadata: {version: 1.0.0+build.5}",
            "min_cli_version: '3.1.0'",
            "metadata: {version: 1.5}",
            "metadata: {name: a}",
        ]);
    }

    #[test]
    fn others_are_reported_at_the_value() {
        Bench::new(check).rejects(&[
            ("metadata: {version: «01.2.3»}", "invalid semantic version `01.2.3`: invalid leading zero"),
            ("metadata:\n  version: «'1.2'»\n", "invalid semantic version `1.2`: unexpected end of input"),
            ("metadata: {version: «v1.2.3»}", "invalid semantic version `v1.2.3`"),
            ("metadata: {version: «1.2.3.4»}", "unexpected character"),
            ("metadata: {version: 1.0.0, min_cli_version: «soon»}", "invalid min_cli_version `soon`"),
            ("min_cli_version: «\"3\"»", "invalid min_cli_version `3`"),
            ("metadata: {version: «latest», min_cli_version: «'1.x.0'»}", "invalid min_cli_version `1.x.0`"),
        ]);
    }

    #[test]
    fn the_version_that_was_meant_is_offered() {
        for (text, help) in [
            ("v1.02", "did you mean `1.2.0`?"),
            ("1.2.3.4", "write three integers separated by dots, such as `1.2.0`"),
            ("one", "write three integers separated by dots, such as `1.2.0`"),
        ] {
            let findings = Bench::new(check).findings(&format!("metadata: {{version: '{text}'}}"));
            assert_eq!(findings[0].help.as_deref(), Some(help));
        }
    }
}
