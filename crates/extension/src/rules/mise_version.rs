//! Versions of mise tools.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::mise_tool::without_version;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0310",
    name: "mise-tool-version",
    severity: Severity::Error,
    summary: "mise does not understand a version",
    explanation: "mise accepts a full version (`20.11.1`), the beginning of one (`20`, `3.12`), a word (`latest`, \
                  `lts`, `stable`, `nightly`, `system`), a vendor with a version (`temurin-21`), or a source \
                  (`prefix:1.2`, `ref:main`, `path:/opt/tool`, `sub-1:latest`). It does not accept ranges such as \
                  `>=20` or `^3`: the beginning of a version already means the newest version that begins with it.",
    wrong: "install:\n  method: mise\n  tool: node\n  version: \">=20\"\n",
    right: "install:\n  method: mise\n  tool: node\n  version: \"20\"\n",
};

/// Words that stand for a version.
const WORDS: &[&str] = &[
    "latest", "lts", "system", "stable", "beta", "alpha", "nightly", "next", "canary", "edge", "dev", "rc",
    "tip", "main", "master", "head",
];

/// What may precede a `:` that anything may follow.
const SOURCES: &[&str] = &["prefix", "ref", "tag", "branch", "rev", "path"];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for config in subject.mise_configs() {
        for tool in config.tools.iter().flatten() {
            for (version, span) in
                tool.versions.iter().filter(|(version, _)| !is_version(version, &tool.name))
            {
                let finding = config.field.finding_at(&CODE, *span, message(version, &tool.name));
                let finding = finding.related(config.field.span(), "the file is named here");
                findings.push(finding.help(help(version)));
            }
        }
    }
    for install in subject.installs() {
        if install.method_name() != Some("mise") {
            continue;
        }
        let tool = install.section.text_at("tool").unwrap_or_default();
        if let Some(field) = install.section.get("version")
            && let Some(version) = field.text()
            && !is_version(version, tool)
        {
            findings.push(field.finding(&CODE, message(version, tool)).help(help(version)));
        }
    }
    for field in subject.named_mise_tools() {
        let Some(text) = field.text() else { continue };
        let name = without_version(text);
        if let Some(version) = text[name.len()..].strip_prefix('@')
            && !is_version(version, name)
        {
            findings.push(field.finding(&CODE, message(version, name)).help(help(version)));
        }
    }
}

fn message(version: &str, tool: &str) -> String {
    match tool {
        "" => format!("invalid version `{version}` for a mise tool"),
        tool => format!("invalid version `{version}` for mise tool `{tool}`"),
    }
}

fn help(version: &str) -> String {
    let numbers = version.trim().trim_start_matches(['<', '>', '=', '^', '~', ' ', 'v']);
    let numbers = numbers.trim_end_matches(['*', 'x', 'X', '.']);
    if numbers != version && is_version(numbers, "") {
        format!("mise does not accept ranges: `{numbers}` means the newest version that begins with it")
    } else {
        "write a version such as `20.11.1`, the beginning of one such as `20`, `latest` or `lts`".to_owned()
    }
}

/// Whether mise understands a version of a tool.
fn is_version(version: &str, tool: &str) -> bool {
    if let Some((source, rest)) = version.split_once(':') {
        let subtracts = source
            .strip_prefix("sub-")
            .is_some_and(|number| number.split('.').all(|part| part.parse::<u32>().is_ok()));
        return (SOURCES.contains(&source) && !rest.trim().is_empty())
            || (subtracts && is_version(rest, tool));
    }
    if WORDS.contains(&version) {
        return true;
    }
    // `lts-iron`, `lts/iron` are the code names of Node.js.
    if let Some(name) = version.strip_prefix("lts").and_then(|rest| rest.strip_prefix(['-', '/'])) {
        return is_word(name);
    }
    // A package registry may tag a version with any word.
    if tool.starts_with("npm:") && is_word(version) {
        return true;
    }
    is_number(version)
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.'))
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
}

/// Numbers with dots between them, optionally with a vendor before (`temurin-21`, `pypy3.10`) and a pre-release
/// or build after them.
fn is_number(version: &str) -> bool {
    let Some(digit) = version.find(|character: char| character.is_ascii_digit()) else { return false };
    let (vendor, numbers) = version.split_at(digit);
    let named =
        vendor.chars().all(|character| character.is_ascii_alphabetic() || matches!(character, '-' | '_'));
    if !named || vendor.starts_with(['-', '_']) {
        return false;
    }
    let suffix = numbers
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .map_or("", |start| &numbers[start..]);
    let numbers = &numbers[..numbers.len() - suffix.len()];
    numbers.split('.').all(|part| !part.is_empty())
        && suffix
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '+'))
        && !version.ends_with(['-', '.', '+', '_'])
        && !matches!(suffix, "x" | "X")
        && !suffix.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    const MANIFEST: &str = "install: {method: mise, mise: {configFile: mise.toml}}";

    #[test]
    fn versions_known_to_mise_pass() {
        for version in [
            "latest",
            "lts",
            "lts-iron",
            "lts/hydrogen",
            "stable",
            "nightly",
            "system",
            "20",
            "3.12",
            "20.11.1",
            "1.0.0-rc.1",
            "1.2.3+build",
            "v1.2.3",
            "temurin-21",
            "corretto-21.0.2.13.1",
            "pypy3.10-7.3",
            "3.13-dev",
            "1.22rc1",
            "0.1.50.2",
            "2026.416.0",
            "prefix:1.19",
            "ref:main",
            "sub-1:latest",
            "sub-0.1:lts",
            "path:/opt/node",
        ] {
            Bench::new(check)
                .accepts(&[&format!("install: {{method: mise, tool: node, version: '{version}'}}")]);
        }
        Bench::new(check).accepts(&[
            "install: {method: mise, version: '1'}",
            "install: {method: mise, tool: 'npm:x', version: alpha-2.tag}",
            "install: {method: npm, package: x, version: '^1'}",
            "validate: {mise: {tools: [node, node@20, 'npm:@a/b', 'npm:@a/b@1.0']}}",
            "install: {method: mise, tool: node, version: 20}",
        ]);
        let tools =
            "[tools]\nnode = \"lts\"\npython = [\"3.12\", \"3.11\"]\n\"npm:x\" = { version = \"next\" }\n";
        Bench::new(check).file("mise.toml", tools).accepts(&[MANIFEST]);
    }

    #[test]
    fn others_are_reported_where_they_are_written() {
        for version in [
            "",
            " 20",
            "20 ",
            ">=20",
            "^3",
            "~1.2",
            "1.x",
            "20.*",
            "1..2",
            "1.2.",
            ".5",
            "abc",
            "v",
            "-1",
            "1 || 2",
            "lts-",
            "prefix:",
            "sub-x:1",
            "what:1",
            "1.0-",
            "1.0.0 beta",
        ] {
            let text = format!("install: {{method: mise, tool: node, version: «'{version}'»}}");
            let words = format!("invalid version `{version}` for mise tool `node`");
            Bench::new(check).rejects(&[(&text, &words)]);
        }
        Bench::new(check).rejects(&[
            ("install: {method: mise, version: «'x y'»}", "invalid version `x y` for a mise tool"),
            ("validate: {mise: {tools: [«'node@>=20'»]}}", "invalid version `>=20` for mise tool `node`"),
            ("remove: {mise: {tools: [«'npm:@a/b@'»]}}", "invalid version `` for mise tool `npm:@a/b`"),
        ]);
        for text in [
            "[tools]\nnode = «\">=20\"»\n",
            "[tools]\npython = [\"3\", «\"3.x\"»]\n",
            "[tools]\ngo = { version = «\"^1\"» }\n",
        ] {
            Bench::new(check).file("mise.toml", text).rejects(&[(MANIFEST, "invalid version")]);
        }
    }

    #[test]
    fn a_range_gets_its_beginning_as_help() {
        for (version, words) in
            [(">=20", "`20` means"), ("3.x", "`3` means"), ("abc", "write a version such as")]
        {
            let findings = Bench::new(check)
                .findings(&format!("install: {{method: mise, tool: go, version: '{version}'}}"));
            assert!(findings[0].help.as_deref().is_some_and(|help| help.contains(words)), "{findings:?}");
        }
    }
}
