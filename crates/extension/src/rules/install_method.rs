//! The install method and its settings match.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::mise_tool::without_version;
use crate::field::Field;
use crate::manifest::{Depth, Install, Subject};
use crate::mise::canonical_name;

pub(crate) static CODE: Code = Code {
    id: "TL0318",
    name: "install-method",
    severity: Severity::Error,
    summary: "The install method and its settings do not match",
    explanation: "`install.method` says how the extension is installed, and a section of the same name (or the \
                  flat fields `tool`, `url`, `package`) says what. Without it there is nothing to install, which \
                  is an error. Settings for another method are never used and probably a mistake, which is a \
                  warning. `hybrid` combines several methods, as `hybrid.steps` or as several sections.\n\n`apt`, \
                  `dnf` and `zypper` replace each other on their distributions, so they may be declared together; \
                  each distribution of `metadata.distros` needs its own. Tools that validation, removal or upgrade \
                  expect from mise must be in the mise configuration.",
    wrong: "install:\n  method: mise\n  npm:\n    package: prettier\n",
    right: "install:\n  method: npm\n  npm:\n    package: prettier\n",
};

/// A method, and the fields that declare what it installs.
const METHODS: &[(&str, &[&str])] = &[
    ("mise", &["mise", "tool"]),
    ("apt", &["apt"]),
    ("dnf", &["dnf"]),
    ("zypper", &["zypper"]),
    ("binary", &["binary", "url"]),
    ("npm", &["npm", "package"]),
    ("npm-global", &["npm", "package"]),
    ("script", &["script", "scripts"]),
    ("hybrid", &["hybrid"]),
];

/// The package manager of a distribution.
const DISTRIBUTIONS: &[(&str, &str)] = &[("ubuntu", "apt"), ("fedora", "dnf"), ("opensuse", "zypper")];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for install in subject.installs() {
        let Some(method) = &install.method else { continue };
        match install.method_name().unwrap_or_default() {
            "hybrid" => findings.extend(check_hybrid(&install, method)),
            name => {
                let Some((_, fields)) = METHODS.iter().find(|(known, _)| *known == name) else { continue };
                findings.extend(check_present(&install, method, name, fields));
                check_others(&install, name, fields, findings);
                check_packages(&install, name, findings);
            }
        }
    }
    check_distributions(subject, findings);
    check_mise_tools(subject, findings);
}

fn check_hybrid(install: &Install<'_>, method: &Field<'_>) -> Option<Diagnostic> {
    if install.depth == Depth::Step {
        let finding = method.finding(&CODE, "a step of a hybrid installation cannot be hybrid itself");
        return Some(finding.help("add its steps to the outer list"));
    }
    let steps = install.section.items_at("hybrid/steps").len();
    let sections = declared(install).iter().filter(|field| field.key_name() != "hybrid").count();
    match steps + sections {
        0 => {
            let finding =
                method.finding(&CODE, "method `hybrid` needs at least two methods, but none is declared");
            Some(finding.help("add `hybrid.steps`, or the sections of the combined methods"))
        }
        1 => {
            let finding =
                method.finding(&CODE, "method `hybrid` combines several methods, but only one is declared");
            Some(finding.severity(Severity::Warning).help("use that method instead of `hybrid`"))
        }
        _ => None,
    }
}

/// The fields of an installation that declare something to install.
fn declared<'a>(install: &Install<'a>) -> Vec<Field<'a>> {
    let mut names: Vec<&str> = METHODS.iter().flat_map(|(_, fields)| fields.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    let mut fields: Vec<Field<'a>> = names.iter().filter_map(|name| install.section.get(name)).collect();
    fields.sort_by_key(|field| field.key_span());
    fields
}

fn check_present(
    install: &Install<'_>,
    method: &Field<'_>,
    name: &str,
    fields: &[&str],
) -> Option<Diagnostic> {
    if fields.iter().any(|field| install.section.get(field).is_some()) {
        return None;
    }
    let wanted: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    let message = format!("method `{name}` needs {}, but it is missing", wanted.join(" or "));
    let finding = method.finding(&CODE, message);
    Some(match declared(install).first().and_then(|other| method_of(other.key_name())) {
        Some(other) => finding.help(format!("declare what to install, or use method `{other}`")),
        None => finding.help("declare what to install"),
    })
}

fn method_of(field: &str) -> Option<&'static str> {
    METHODS.iter().find(|(_, fields)| fields.contains(&field)).map(|(method, _)| *method)
}

fn check_others(install: &Install<'_>, name: &str, fields: &[&str], findings: &mut Vec<Diagnostic>) {
    let system = |name: &str| DISTRIBUTIONS.iter().any(|(_, manager)| *manager == name);
    for other in declared(install) {
        let field = other.key_name();
        // The package managers of the distributions replace each other.
        if fields.contains(&field) || (system(name) && system(field)) {
            continue;
        }
        let message = format!("`{field}` is not used with method `{name}`");
        let finding = other.key_finding(&CODE, message).severity(Severity::Warning);
        findings.push(finding.help("remove it, or use method `hybrid` to combine several methods"));
    }
}

/// A package manager without packages installs nothing.
fn check_packages(install: &Install<'_>, name: &str, findings: &mut Vec<Diagnostic>) {
    let Some(section) = install.section.get(name) else { return };
    let list = match name {
        "apt" | "dnf" | "zypper" => "packages",
        "binary" => "downloads",
        _ => return,
    };
    let groups = ["groups", "patterns"].iter().any(|other| !section.items_at(other).is_empty());
    if !groups && section.items_at(list).is_empty() {
        let message = format!("method `{name}` has no {list} to install");
        let finding = match section.get(list) {
            Some(empty) => empty.finding(&CODE, message),
            None => section.key_finding(&CODE, message),
        };
        findings.push(finding.help(format!("name at least one in `{name}.{list}`")));
    }
}

/// A distribution that is supported needs its own package manager's section.
fn check_distributions(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(install) = subject.installs().into_iter().next() else { return };
    let method = install.method_name().unwrap_or_default();
    if !DISTRIBUTIONS.iter().any(|(_, manager)| *manager == method) {
        return;
    }
    for field in subject.root.items_at("metadata/distros") {
        let Some(distribution) = field.text() else { continue };
        let Some((_, manager)) = DISTRIBUTIONS.iter().find(|(name, _)| *name == distribution) else {
            continue;
        };
        if *manager != method && install.section.get(manager).is_none() {
            let message =
                format!("`{distribution}` is supported, but `install` has no `{manager}` section for it");
            let finding = field.finding(&CODE, message).severity(Severity::Warning);
            findings.push(finding.help(format!("add `install.{manager}`, or remove `{distribution}`")));
        }
    }
}

/// Tools that other sections expect are in the mise configuration, if that file is known.
fn check_mise_tools(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let configs = subject.mise_configs();
    let tools: Vec<&str> = configs
        .iter()
        .flat_map(|config| config.tools.iter().flatten())
        .map(|tool| canonical_name(&tool.name))
        .collect();
    // A file that could not be understood may hold anything; one without tools may get them elsewhere.
    if tools.is_empty() || configs.iter().any(|config| config.tools.is_none()) {
        return;
    }
    let names = configs.iter().map(|config| format!("`{}`", config.path)).collect::<Vec<_>>().join(" and ");
    for field in subject.named_mise_tools() {
        let Some(text) = field.text() else { continue };
        let name = without_version(text);
        if !tools.contains(&canonical_name(name)) {
            let message = format!("tool `{name}` is not declared in {names}");
            let finding = field.finding(&CODE, message).severity(Severity::Warning);
            findings.push(finding.help("add the tool to the mise configuration, or remove it here"));
        }
    }
    for validation in subject.validations() {
        let Some(mise) = validation.get("mise") else { continue };
        if let Some(count) = mise.number("minToolCount")
            && let Some(field) = mise.get("minToolCount")
            && usize::try_from(count).is_ok_and(|count| count > tools.len())
        {
            let declared = tools.len();
            let message = format!("{count} mise tools are expected, but {names} declares only {declared}");
            let finding = field.finding(&CODE, message).severity(Severity::Warning);
            findings.push(finding.help(format!("write at most {declared}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn matching_methods_and_settings_pass() {
        Bench::new(check).accepts(&[
            "install: {method: mise, mise: {configFile: mise.toml}}",
            "install: {method: mise, tool: node, version: '20'}",
            "install: {method: apt, apt: {packages: [tmux]}, dnf: {packages: [tmux]}, zypper: {packages: [tmux]}}",
            "install: {method: dnf, dnf: {packages: [], groups: [devel]}}",
            "install: {method: npm-global, package: x}",
            "install: {method: npm, npm: {package: x}, mise: null}",
            "install: {method: binary, url: 'https://a.b/c', version: '1'}",
            "install: {method: binary, binary: {downloads: [{name: a}]}}",
            "install: {method: script, script: {path: a}, scripts: {fedora: {path: b}}}",
            "install: {method: hybrid, apt: {packages: [a]}, script: {path: b}}",
            "install: {method: hybrid, hybrid: {steps: [{method: npm, npm: {package: x}}, {method: script, script: {path: b}}]}}",
            "install: {method: unknown}",
            "metadata: {distros: [ubuntu, arch]}\ninstall: {method: apt, apt: {packages: [a]}}",
        ]);
        let manifest = "install: {method: mise, mise: {configFile: mise.toml}}\nvalidate: {mise: {tools: [nodejs, 'npm:x@1'], minToolCount: 2}}";
        Bench::new(check).file("mise.toml", "[tools]\nnode = \"20\"\n\"npm:x\" = \"1\"").accepts(&[manifest]);
        Bench::new(check)
            .file("mise.toml", "[tools]\nnode = \"20\"")
            .accepts(&["install: {mise: {}}\nvalidate: {mise: {minToolCount: two}}"]);
        Bench::new(check).file("mise.toml", "").accepts(&[manifest]);
        Bench::new(check).file("mise.toml", "[tools]\nnode = ").accepts(&[manifest]);
    }

    #[test]
    fn what_is_missing_is_reported_at_the_method() {
        Bench::new(check).rejects(&[
            ("install: {method: «mise»}", "method `mise` needs `mise` or `tool`, but it is missing"),
            ("install: {method: «npm», «url»: 'https://a.b'}", "method `npm` needs `npm` or `package`"),
            ("install: {method: «script», script: null}", "method `script` needs `script` or `scripts`"),
            ("install: {method: «hybrid»}", "needs at least two methods, but none is declared"),
            (
                "install: {method: «hybrid», hybrid: {steps: [{method: apt, apt: {packages: [a]}}]}}",
                "only one is declared",
            ),
            ("install: {hybrid: {steps: [{method: «apt»}, {method: «hybrid»}]}}", "cannot be hybrid itself"),
            ("install: {method: apt, apt: {packages: «[]»}}", "method `apt` has no packages to install"),
            ("install: {method: binary, «binary»: {}}", "method `binary` has no downloads to install"),
        ]);
        let findings = Bench::new(check).findings("install: {method: mise, npm: {package: x}}");
        assert_eq!(findings[0].help.as_deref(), Some("declare what to install, or use method `npm`"));
    }

    #[test]
    fn what_is_not_used_is_reported_at_its_key() {
        Bench::new(check).rejects(&[
            (
                "install: {method: mise, tool: node, «npm»: {package: x}}",
                "`npm` is not used with method `mise`",
            ),
            ("install: {method: script, script: {path: a}, «apt»: {packages: [a]}}", "`apt` is not used"),
            (
                "install:\n  method: npm\n  package: x\n  «hybrid»: {}\n",
                "`hybrid` is not used with method `npm`",
            ),
            ("install: {method: apt, apt: {packages: [a]}, «tool»: x, «url»: y}", "`url` is not used"),
            (
                "metadata: {distros: [ubuntu, «fedora»]}\ninstall: {method: apt, apt: {packages: [a]}}",
                "`fedora` is supported, but `install` has no `dnf` section for it",
            ),
        ]);
    }

    #[test]
    fn tools_that_the_configuration_lacks_are_reported() {
        let bench = Bench::new(check).file("mise.toml", "[tools]\nnode = \"20\"\n");
        bench.rejects(&[
            (
                "install: {method: mise, mise: {}}\nvalidate: {mise: {tools: [node, «bun»]}}",
                "tool `bun` is not declared in `mise.toml`",
            ),
            ("install: {method: mise, mise: {}}\nremove: {mise: {tools: [«'npm:x@1'»]}}", "tool `npm:x`"),
            ("install: {method: mise, mise: {}}\nupgrade: {mise: {tools: [«go»]}}", "tool `go`"),
            (
                "install: {method: mise, mise: {}}\nvalidation: {mise: {minToolCount: «2»}}",
                "2 mise tools are expected, but `mise.toml` declares only 1",
            ),
            ("install: {method: mise, mise: {}}\nvalidate: {mise: {minToolCount: «7», tools: [node, «a»]}}", "`a`"),
        ]);
    }
}
