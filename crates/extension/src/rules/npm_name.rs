//! Names of npm packages, by npm's own rules.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::field::Field;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0312",
    name: "npm-package-name",
    severity: Severity::Error,
    summary: "An npm package has an invalid name",
    explanation: "npm's own rules: a name is not empty, has no spaces around it, does not begin with `.`, `_` or \
                  `-`, contains only characters allowed in a URL, and is neither `node_modules` nor `favicon.ico`. \
                  A scoped name is `@scope/name`, where both halves follow these rules. A version or tag may \
                  follow after an `@`.\n\nNames with capital letters, with one of `~'!()*`, longer than 214 \
                  characters, or equal to a built-in module of Node.js can no longer be published; some old \
                  packages have such names, so these are warnings.",
    wrong: "install:\n  method: npm\n  package: \"@scope-without-name\"\n",
    right: "install:\n  method: npm\n  package: \"@scope/name\"\n",
};

/// How to fix a name.
pub(super) const HELP: &str = "write the name as npm shows it, such as `prettier` or `@scope/name`, with a version after an `@` if needed";

/// The modules of Node.js, whose names a package cannot have.
const CORE_MODULES: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for field in packages(subject) {
        let Some(text) = field.text() else { continue };
        let (name, version) = split(text);
        if let Some(reason) = error(name) {
            let message = format!("invalid npm package name `{name}`: {reason}");
            findings.push(field.finding(&CODE, message).help(HELP));
        } else if version.is_some_and(|version| !is_version(version)) {
            let message = format!("invalid version after npm package `{name}`");
            findings.push(
                field.finding(&CODE, message).help("write a version, a range or a tag, such as `@latest`"),
            );
        } else if let Some(reason) = legacy(name) {
            let message = format!("npm no longer accepts the package name `{name}`: {reason}");
            findings.push(field.finding(&CODE, message).severity(Severity::Warning).help(HELP));
        }
    }
}

/// The packages that are installed with npm, in both spellings.
pub(crate) fn packages<'a>(subject: &Subject<'a>) -> Vec<Field<'a>> {
    let mut packages: Vec<Field<'a>> = Vec::new();
    for install in subject.installs() {
        packages.extend(install.section.at("npm/package"));
        packages.extend(install.section.items_at("npm/packages"));
        if matches!(install.method_name(), Some("npm" | "npm-global")) {
            packages.extend(install.section.get("package"));
        }
    }
    packages
}

/// Name and version of `name@version`; the `@` of a scope does not separate a version.
pub(crate) fn split(text: &str) -> (&str, Option<&str>) {
    match text.char_indices().skip(1).find(|(_, character)| *character == '@') {
        Some((at, _)) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// Why npm never accepts a name.
pub(super) fn error(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("the name is empty");
    }
    if name.trim() != name {
        return Some("it begins or ends with a space");
    }
    if let Some(scoped) = name.strip_prefix('@') {
        let Some((scope, name)) = scoped.split_once('/') else {
            return Some("after the scope, a `/` and a name are missing");
        };
        return part_error(scope).or_else(|| part_error(name));
    }
    part_error(name)
}

fn part_error(part: &str) -> Option<&'static str> {
    if part.is_empty() {
        return Some("a part of the name is empty");
    }
    if part.starts_with('.') {
        return Some("it begins with a `.`");
    }
    if part.starts_with('_') {
        return Some("it begins with a `_`");
    }
    if part.starts_with('-') {
        return Some("it begins with a `-`");
    }
    if part.eq_ignore_ascii_case("node_modules") || part.eq_ignore_ascii_case("favicon.ico") {
        return Some("npm reserves this name");
    }
    let safe = |character: char| character.is_ascii_alphanumeric() || "-_.~'!()*".contains(character);
    if !part.chars().all(safe) {
        return Some("it contains a character that is not allowed in a URL");
    }
    None
}

/// Why npm accepts a name only for existing packages.
fn legacy(name: &str) -> Option<&'static str> {
    let last = name.rsplit('/').next().unwrap_or(name);
    if name.len() > 214 {
        Some("it is longer than 214 characters")
    } else if name.chars().any(|character| character.is_ascii_uppercase()) {
        Some("it has capital letters")
    } else if last.contains(['~', '\'', '!', '(', ')', '*']) {
        Some("it contains one of the characters ~'!()*")
    } else if CORE_MODULES.contains(&name) {
        Some("it is the name of a built-in module of Node.js")
    } else {
        None
    }
}

/// A version, a range or a tag.
fn is_version(text: &str) -> bool {
    let allowed = |character: char| character.is_ascii_alphanumeric() || "-_.+*<>=^~| ".contains(character);
    !text.trim().is_empty() && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn names_accepted_by_npm_pass() {
        Bench::new(check).accepts(&[
            "install: {method: npm, package: prettier}",
            "install: {method: npm-global, npm: {package: 'mcp-excalidraw-server@latest'}}",
            "install: {method: npm, package: '@scope/name'}",
            "install: {method: npm, npm: {package: '@scope/name@>=1.0.0 <2'}}",
            "install: {method: npm, package: some.name_1, version: 1.0.0}",
            "install: {method: hybrid, hybrid: {steps: [{method: npm-global, npm: {package: x@1}}]}}",
            "install: {method: mise, package: 'Not NPM'}",
            "install: {method: npm, package: 12}",
            "install: {method: npm, npm: {packages: [a, b@next]}}",
        ]);
    }

    #[test]
    fn others_are_reported_at_the_name() {
        Bench::new(check).rejects(&[
            (
                "install: {method: npm, package: «'@scope-only'»}",
                "after the scope, a `/` and a name are missing",
            ),
            ("install: {method: npm, package: «''»}", "the name is empty"),
            ("install: {method: npm, package: «' x'»}", "begins or ends with a space"),
            ("install: {method: npm, package: «.hidden»}", "begins with a `.`"),
            ("install: {method: npm, package: «_private»}", "begins with a `_`"),
            ("install: {method: npm, package: «'-flag'»}", "begins with a `-`"),
            ("install: {method: npm-global, npm: {package: «'a b'»}}", "not allowed in a URL"),
            ("install: {method: npm, package: «a/b»}", "not allowed in a URL"),
            ("install: {method: npm, package: «'@/x'»}", "a part of the name is empty"),
            ("install: {method: npm, package: «'@s/.x'»}", "begins with a `.`"),
            ("install: {method: npm, package: «node_modules»}", "reserves this name"),
            ("install: {method: npm, package: «'x@'»}", "invalid version after npm package `x`"),
            ("install: {method: npm, package: «'x@$(id)'»}", "invalid version after npm package `x`"),
            (
                "install: {method: hybrid, hybrid: {steps: [{method: npm, npm: {package: «grün»}}]}}",
                "invalid npm package name `grün`",
            ),
        ]);
    }

    #[test]
    fn names_of_old_packages_are_warnings() {
        let long = "x".repeat(215);
        for (name, reason) in [
            ("JSONStream", "it has capital letters"),
            ("what-a-name!", "it contains one of the characters ~'!()*"),
            ("fs", "it is the name of a built-in module of Node.js"),
            (&long, "it is longer than 214 characters"),
        ] {
            let text = format!("install: {{method: npm, package: «'{name}'»}}");
            Bench::new(check).rejects(&[(&text, reason)]);
            let findings =
                Bench::new(check).findings(&format!("install: {{method: npm, package: '{name}'}}"));
            assert_eq!(findings[0].severity, Severity::Warning);
        }
    }
}
