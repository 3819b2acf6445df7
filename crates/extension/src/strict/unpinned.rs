//! Versions that change over time.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;
use crate::rules::npm_name;

pub(crate) static CODE: Code = Code {
    id: "TL0342",
    name: "unpinned-version",
    severity: Severity::Warning,
    summary: "A version is not pinned",
    explanation: "`latest`, or no version at all, installs something else over time, so what is installed is not \
                  what was tested. Only `--strict` reports these.\n\nWrite the version that was tested, or the \
                  beginning of it.",
    wrong: "install:\n  method: npm\n  npm:\n    package: prettier@latest\n",
    right: "install:\n  method: npm\n  npm:\n    package: prettier@3.8.1\n",
};

const HELP: &str = "write the version that was tested";

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for install in subject.installs() {
        let method = install.method_name().unwrap_or_default();
        let flat = install.section.get("version");
        if let Some(version) = flat.as_ref().filter(|version| version.text() == Some("latest")) {
            findings.push(version.finding(&CODE, "the version is not pinned: `latest`").help(HELP));
        }
        let nameless = flat.is_none() && method == "mise";
        if let Some(tool) = install.section.get("tool").filter(|_| nameless) {
            findings.push(tool.finding(&CODE, "the tool has no version").help(HELP));
        }
        for download in install.section.items_at("binary/downloads") {
            let Some(source) = download.get("source") else { continue };
            if let Some(version) = source.get("version").filter(|version| version.text() == Some("latest")) {
                findings.push(version.finding(&CODE, "the version is not pinned: `latest`").help(HELP));
            }
        }
    }
    let flat = subject.root.at("install/version").is_some();
    for package in npm_name::packages(subject) {
        let Some(text) = package.text() else { continue };
        let (name, version) = npm_name::split(text);
        let message = match version {
            Some("latest") => format!("the version of `{name}` is not pinned: `latest`"),
            None if !flat => format!("the package `{name}` has no version"),
            _ => continue,
        };
        findings.push(
            package.finding(&CODE, message).help(format!("write `{name}@` and the version that was tested")),
        );
    }
    for config in subject.mise_configs() {
        for tool in config.tools.iter().flatten() {
            for (_, span) in tool.versions.iter().filter(|(version, _)| version == "latest") {
                let message = format!("the version of `{}` is not pinned: `latest`", tool.name);
                let finding = config.field.finding_at(&CODE, *span, message);
                findings.push(finding.related(config.field.span(), "the file is named here").help(HELP));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn pinned_versions_pass() {
        Bench::new(check).accepts(&[
            "install: {method: mise, tool: node, version: '20'}",
            "install: {method: npm, package: prettier@3}",
            "install: {method: npm, package: prettier, version: '3.8.1'}",
            "install: {method: binary, binary: {downloads: [{name: a, source: {version: v1}}, {name: b}]}}",
            "install: {method: script, script: {path: a}, tool: ignored}",
            "install: {method: npm, package: 7}",
        ]);
        Bench::new(check)
            .file("mise.toml", "[tools]\nnode = \"lts\"\ngo = \"1.22\"\n")
            .accepts(&["install: {method: mise, mise: {}}"]);
    }

    #[test]
    fn others_are_reported_where_the_version_belongs() {
        Bench::new(check).rejects(&[
            ("install: {method: mise, tool: node, version: «latest»}", "the version is not pinned: `latest`"),
            ("install: {method: mise, tool: «node»}", "the tool has no version"),
            (
                "install: {method: npm, npm: {package: «'prettier@latest'»}}",
                "the version of `prettier` is not pinned",
            ),
            ("install: {method: npm-global, package: «'@a/b'»}", "the package `@a/b` has no version"),
            ("install: {binary: {downloads: [{name: a, source: {version: «latest»}}]}}", "not pinned"),
        ]);
        Bench::new(check)
            .file("mise.toml", "[tools]\nnode = «\"latest\"»\ngo = [\"1\", «\"latest\"»]\n")
            .rejects(&[("install: {method: mise, mise: {}}", "the version of `node` is not pinned")]);
    }
}
