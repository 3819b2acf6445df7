//! Nothing is listed twice.

use std::collections::BTreeMap;

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::Span;

use crate::field::Field;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0320",
    name: "duplicate-name",
    severity: Severity::Error,
    summary: "Something is listed twice",
    explanation: "Names that identify something must be unique: MCP servers and their tools, ports, downloads, \
                  features, scenarios, and tools of one version in the bill of materials. If two have the same \
                  name, one of them is lost, which is an error.\n\nIn plain lists (dependencies, domains, \
                  packages, tools, paths), and for identical commands and variables, the second entry has no \
                  effect. That is a warning, because something else was probably meant. A variable that extends \
                  itself, such as `PATH`, may be repeated.",
    wrong: "metadata:\n  name: web-tools\n  dependencies:\n    - nodejs\n    - nodejs\n",
    right: "metadata:\n  name: web-tools\n  dependencies:\n    - nodejs\n    - python\n",
};

/// Two manifests of one run describe extensions with the same name.
pub(crate) static DUPLICATE_EXTENSION: Code = Code {
    id: "TL0321",
    name: "duplicate-extension",
    severity: Severity::Error,
    summary: "Two manifests describe extensions with the same name",
    explanation: "An extension is identified by its `metadata.name`. If two manifests have the same name, only one \
                  of them can be installed.\n\nRename one of them, or check them in separate runs.",
    wrong: "# a/extension.yaml and b/extension.yaml both say\nmetadata:\n  name: nodejs\n",
    right: "# a/extension.yaml\nmetadata:\n  name: nodejs\n# b/extension.yaml\nmetadata:\n  name: nodejs-lts\n",
};

/// Lists of plain words, in which a repetition has no effect.
const WORDS: &[&str] = &[
    "metadata/tags",
    "metadata/profiles",
    "requirements/domains",
    "requirements/secrets",
    "remove/paths",
    "remove/apt/packages",
    "remove/dnf/packages",
    "remove/zypper/packages",
    "remove/mise/tools",
    "upgrade/apt/packages",
    "upgrade/dnf/packages",
    "upgrade/zypper/packages",
    "upgrade/mise/tools",
    "validate/mise/tools",
    "validation/mise/tools",
    "service/requires-env",
    "capabilities/auth/envVars",
    "capabilities/auth/methods",
];

/// Lists of words in an installation.
const INSTALL_WORDS: &[&str] =
    &["apt/packages", "dnf/packages", "dnf/groups", "zypper/packages", "zypper/patterns", "npm/packages"];

/// Lists of entries that are identified by the value of one field.
const NAMED: &[(&str, &str)] = &[
    ("capabilities/mcp/servers", "name"),
    ("capabilities/mcp/tools", "name"),
    ("capabilities/auth/features", "name"),
    ("capabilities/collision-handling/scenarios", "name"),
    ("service/ports", "name"),
];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let root = &subject.root;
    let mut seen = SeenIdentities::default();
    for dependency in subject.dependencies() {
        findings.extend(seen.again(&dependency.requirement.name, &dependency.field, Severity::Warning));
    }
    for path in WORDS {
        words(root.items_at(path), findings);
    }
    for install in subject.installs() {
        for path in INSTALL_WORDS {
            words(install.section.items_at(path), findings);
        }
        named(install.section.items_at("binary/downloads"), "name", findings);
    }
    for (path, name) in NAMED {
        named(root.items_at(path), name, findings);
    }
    let mut seen = SeenIdentities::default();
    for tool in root.items_at("bom/tools") {
        let Some(name) = tool.get("name") else { continue };
        let Some(text) = name.text() else { continue };
        let version = tool.text_at("version").unwrap_or_default();
        findings.extend(seen.again(&format!("{text} {version}"), &name, Severity::Error));
    }
    for validation in subject.validations() {
        let mut seen = SeenIdentities::default();
        for command in validation.items_at("commands") {
            let Some(name) = command.get("name") else { continue };
            findings.extend(seen.again(&written(&command), &name, Severity::Warning));
        }
    }
    let mut seen = SeenIdentities::default();
    for variable in root.items_at("configure/environment") {
        let Some(key) = variable.get("key") else { continue };
        let Some(name) = key.text() else { continue };
        let builds_on_itself = variable.text_at("value").is_some_and(|value| value.contains(name));
        if builds_on_itself || variable.get("condition").is_some() {
            continue;
        }
        let scope = variable.text_at("scope").unwrap_or("bashrc");
        findings.extend(seen.again(&format!("{name} {scope}"), &key, Severity::Warning));
    }
}

pub(super) fn words(items: Vec<Field<'_>>, findings: &mut Vec<Diagnostic>) {
    let mut seen = SeenIdentities::default();
    for item in items {
        let Some(text) = item.text() else { continue };
        findings.extend(seen.again(text, &item, Severity::Warning));
    }
}

fn named(items: Vec<Field<'_>>, name: &str, findings: &mut Vec<Diagnostic>) {
    let mut seen = SeenIdentities::default();
    for item in items {
        let Some(field) = item.get(name) else { continue };
        let Some(text) = field.text() else { continue };
        findings.extend(seen.again(text, &field, Severity::Error));
    }
}

/// All scalars below a value, for comparing it as a whole.
fn written(field: &Field<'_>) -> String {
    let mut text = field.node().text().unwrap_or_default().to_owned();
    for item in field.items() {
        text.push_str(&format!("\u{1}{}", written(&item)));
    }
    for (name, value) in field.entries() {
        text.push_str(&format!("\u{2}{name}\u{3}{}", written(&value)));
    }
    text
}

#[derive(Default)]
struct SeenIdentities {
    places: BTreeMap<String, Span>,
}

impl SeenIdentities {
    /// Adds a finding if the identity was seen before.
    fn again(&mut self, identity: &str, field: &Field<'_>, severity: Severity) -> Option<Diagnostic> {
        let Some(first) = self.places.get(identity) else {
            self.places.insert(identity.to_owned(), field.span());
            return None;
        };
        let shown = field.text().or_else(|| field.text_at("name")).unwrap_or(identity);
        let finding = field.finding(&CODE, format!("`{shown}` is listed twice")).severity(severity);
        let help = match severity {
            Severity::Error => "give one of them another name",
            _ => "remove one of them",
        };
        Some(finding.related(*first, "first listed here").help(help))
    }
}

/// The extensions of a run that share a name: a finding at the name of each but the first.
///
/// Takes the names with their places, in order; as [`extension_name`](crate::extension_name) returns them for
/// each manifest.
pub fn duplicate_extensions<'a>(names: impl IntoIterator<Item = (&'a str, Span)>) -> Vec<Diagnostic> {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    let mut findings = Vec::new();
    for (name, span) in names {
        match first.get(name) {
            Some(before) => findings.push(
                Diagnostic::new(
                    &DUPLICATE_EXTENSION,
                    span,
                    format!("another extension is also called `{name}`"),
                )
                .related(*before, "the other one is here")
                .level(Level::Semantic)
                .path("/metadata/name")
                .help("rename one of them, or check them in separate runs"),
            ),
            None => {
                first.insert(name, span);
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;
    use trueline_source::SourceId;

    #[test]
    fn different_names_pass() {
        Bench::new(check).accepts(&[
            "metadata: {dependencies: [a, b], tags: [x, y]}\ndependencies: [c]",
            "capabilities: {mcp: {servers: [{name: a}, {name: b}, {command: x}, {command: x}]}}",
            "service: {ports: [{name: web}, {name: db}]}",
            "bom: {tools: [{name: java, version: '17'}, {name: java, version: '21'}, {source: npm}, {name: 1}]}",
            "validate: {commands: [{name: node}, {name: node, args: [x]}, {name: node, args: [y]}, {versionFlag: x}]}",
            "configure: {environment: [{key: PATH, value: 'a:$PATH'}, {key: PATH, value: 'b:$PATH'}, {key: 1}, {value: x}]}",
            "configure: {environment: [{key: A, value: x, scope: bashrc}, {key: A, value: x, scope: session}]}",
            "configure: {environment: [{key: A, value: x, condition: c}, {key: A, value: y, condition: d}]}",
            "install: {apt: {packages: [a, 1, 1]}, binary: {downloads: [{name: a}, {name: b}]}}",
        ]);
    }

    #[test]
    fn the_second_is_reported() {
        Bench::new(check).rejects(&[
            ("metadata: {dependencies: [nodejs, «nodejs»]}", "`nodejs` is listed twice"),
            (
                "metadata: {dependencies: [nodejs]}\ndependencies: [«'nodejs@>=20'»]",
                "`nodejs@>=20` is listed twice",
            ),
            ("dependencies: [{name: a}, «{name: a}»]", "`a` is listed twice"),
            ("requirements: {domains: [a.b, c.d, «a.b»], secrets: [x, «x»]}", "`x` is listed twice"),
            ("remove: {paths: [~/a, ~/b, «~/a»]}", "`~/a` is listed twice"),
            ("install: {hybrid: {steps: [{apt: {packages: [a, «a»]}}]}}", "`a` is listed twice"),
            (
                "capabilities: {mcp: {servers: [{name: s}, {name: «s»}], tools: [{name: t}, {name: «'t'»}]}}",
                "`t`",
            ),
            ("service: {ports: [{name: web}, {name: «web»}]}", "`web` is listed twice"),
            ("install: {binary: {downloads: [{name: x}, {name: «x»}, {name: «x»}]}}", "`x` is listed twice"),
            ("bom: {tools: [{name: go, version: '1'}, {name: «go», version: '1'}]}", "`go` is listed twice"),
            ("validate: {commands: [{name: gem}, {name: a}, {name: «gem»}]}", "`gem` is listed twice"),
            (
                "configure: {environment: [{key: A, value: x}, {key: «A», value: y, scope: bashrc}]}",
                "`A` is listed",
            ),
        ]);
    }

    #[test]
    fn severity_distinguishes_a_loss_from_a_repetition() {
        let severity = |text: &str| Bench::new(check).findings(text)[0].severity;
        assert_eq!(severity("metadata: {tags: [a, a]}"), Severity::Warning);
        assert_eq!(severity("service: {ports: [{name: a}, {name: a}]}"), Severity::Error);
    }

    #[test]
    fn extensions_of_one_name_are_reported_at_each_further_one() {
        // Each letter stands for an extension of that name; the places are the positions of the letters.
        let places = |names: &str| {
            let id = SourceId::from_index(0);
            let letters = names.char_indices().map(|(at, _)| (&names[at..=at], id.span(at, at + 1)));
            let findings = duplicate_extensions(letters);
            findings.iter().map(|finding| finding.primary.span.start).collect::<Vec<_>>()
        };
        for accepted in ["", "a", "ab", "abc", "aA"] {
            assert!(places(accepted).is_empty(), "{accepted}");
        }
        for (rejected, expected) in [
            ("aa", vec![1]),
            ("aba", vec![2]),
            ("aaa", vec![1, 2]),
            ("abab", vec![2, 3]),
            ("cabbc", vec![3, 4]),
        ] {
            assert_eq!(places(rejected), expected, "{rejected}");
        }
    }
}
