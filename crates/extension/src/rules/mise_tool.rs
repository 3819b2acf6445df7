//! Names of mise tools: a plain name, or a backend and the backend's name for the tool.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::npm_name;
use crate::field::Field;
use crate::manifest::Subject;
use trueline_diagnostic::nearest;

pub(crate) static CODE: Code = Code {
    id: "TL0309",
    name: "mise-tool-name",
    severity: Severity::Error,
    summary: "A mise tool has an invalid name",
    explanation: "mise knows a tool by a plain name of letters, digits, `-`, `_` and `.` (`node`, `python`), or by \
                  a backend and the name that the backend uses: `npm:prettier`, `npm:@scope/name`, \
                  `cargo:ripgrep`, `pipx:black`, `go:github.com/owner/tool`, `aqua:owner/name`, `ubi:owner/name`, \
                  `github:owner/name`. The rule checks `install.tool`, at the `[tools]` of the file that \
                  `install.mise.configFile` names, and at the tools that validation, removal and upgrade name.",
    wrong: "install:\n  method: mise\n  tool: node js\n  version: \"20\"\n",
    right: "install:\n  method: mise\n  tool: node\n  version: \"20\"\n",
};

/// The backends that mise has built in.
const BACKENDS: &[&str] = &[
    "aqua", "asdf", "cargo", "conda", "core", "dotnet", "forgejo", "gem", "github", "gitlab", "go", "http",
    "npm", "pipx", "s3", "spm", "ubi", "vfox",
];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for config in subject.mise_configs() {
        for tool in config.tools.iter().flatten() {
            if let Some(problem) = problem(&tool.name) {
                let finding = config.field.finding_at(&CODE, tool.span, problem.message);
                let finding = finding.related(config.field.span(), "the file is named here");
                findings.push(finding.severity(problem.severity).help(problem.help));
            }
        }
    }
    for field in named_tools(subject) {
        let Some(name) = field.text() else { continue };
        if let Some(problem) = problem(without_version(name)) {
            findings
                .push(field.finding(&CODE, problem.message).severity(problem.severity).help(problem.help));
        }
    }
}

/// The tools that the manifest itself names.
fn named_tools<'a>(subject: &Subject<'a>) -> Vec<Field<'a>> {
    let mut tools: Vec<Field<'a>> = Vec::new();
    for install in subject.installs() {
        if install.method_name() == Some("mise") {
            tools.extend(install.section.get("tool"));
        }
    }
    tools.extend(subject.named_mise_tools());
    tools
}

/// The name in `name@version`; a scope's `@` is not a version.
pub(super) fn without_version(text: &str) -> &str {
    match text.rfind('@') {
        Some(at) if at > 0 && !text[..at].ends_with([':', '/']) => &text[..at],
        _ => text,
    }
}

struct Problem {
    message: String,
    severity: Severity,
    help: String,
}

fn problem(name: &str) -> Option<Problem> {
    let problem = |message: String, help: String| Some(Problem { message, severity: Severity::Error, help });
    let Some((backend, rest)) = name.split_once(':') else {
        if is_plain(name) {
            return None;
        }
        return problem(
            format!("invalid mise tool name `{name}`"),
            "use letters, digits, `-`, `_` and `.`, with a backend such as `npm:` before it if needed"
                .to_owned(),
        );
    };
    // Options in brackets belong to the backend.
    let rest = rest.split_once('[').map_or(rest, |(rest, _)| rest);
    let wanted = match backend {
        "npm" => match npm_name::error(rest) {
            Some(reason) => {
                return problem(
                    format!("invalid mise tool name `{name}`: {reason}"),
                    npm_name::HELP.to_owned(),
                );
            }
            None => return None,
        },
        "core" | "asdf" | "vfox" | "gem" | "dotnet" | "conda" if !is_path(rest) => "a name",
        "cargo" if !is_path(rest) && !is_url(rest) => "the name of a crate",
        "pipx" if !is_path(rest) && !is_url(rest) => "the name of a Python package",
        "go" if !is_path(rest) => "the path of a Go module, such as `go:github.com/owner/tool`",
        "aqua" | "ubi" | "github" | "gitlab" | "forgejo" | "spm" if !is_repository(rest) => {
            "an owner and a repository, such as `owner/name`"
        }
        known if BACKENDS.contains(&known) && !rest.is_empty() => return None,
        known if BACKENDS.contains(&known) => "a name",
        unknown if is_plain(unknown) => {
            let help = match nearest(unknown, BACKENDS.iter().copied()) {
                Some(near) => format!("did you mean `{near}:{rest}`?"),
                None => format!("the backends of mise are {}", BACKENDS.join(", ")),
            };
            let message = format!("`{unknown}` is not a built-in backend of mise");
            // A plugin may add a backend.
            return Some(Problem { message, severity: Severity::Warning, help });
        }
        _ => "a backend such as `npm`",
    };
    let message = match wanted.strip_prefix("a backend") {
        Some(_) => format!("invalid mise tool name `{name}`: expected {wanted} before the `:`"),
        None => format!("invalid mise tool name `{name}`: expected {wanted} after `{backend}:`"),
    };
    problem(message, "correct the name; `mise registry` lists the plain ones".to_owned())
}

fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && characters
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.'))
}

/// Plain names with `/` between them.
fn is_path(name: &str) -> bool {
    name.split('/').all(|part| {
        !part.is_empty()
            && part.chars().all(|character| {
                character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '~' | '+')
            })
    })
}

/// An owner and a name, or the URL of both.
fn is_repository(text: &str) -> bool {
    is_url(text) || (is_path(text) && text.contains('/'))
}

fn is_url(text: &str) -> bool {
    let text = text.strip_prefix("git+").unwrap_or(text);
    url::Url::parse(text).is_ok_and(|url| url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    const MANIFEST: &str = "install: {method: mise, mise: {configFile: mise.toml}}";

    #[test]
    fn names_known_to_mise_pass() {
        Bench::new(check).accepts(&[
            "install: {method: mise, tool: node, version: '20'}",
            "install: {method: mise, tool: python_3.12-x}",
            "install: {method: npm, tool: 'not looked at'}",
            "validate: {mise: {tools: ['npm:@kilocode/cli', bun, 'npm:prettier@3', 'cargo:ripgrep@14']}}",
            "remove: {mise: {tools: ['go:golang.org/x/tools/gopls', 'pipx:psf/black', 'pipx:git+https://github.com/psf/black.git']}}",
            "upgrade: {mise: {tools: ['aqua:cli/cli', 'ubi:BurntSushi/ripgrep[exe=rg]', 'gem:rubocop', 'http:x']}}",
            "install: {method: mise, tool: 7}",
        ]);
        let tools = "[tools]\nnode = \"20\"\n\"npm:@scope/name\" = \"1\"\n\"cargo:https://github.com/a/b\" = \"rev:1\"\n";
        Bench::new(check).file("mise.toml", tools).accepts(&[MANIFEST]);
    }

    #[test]
    fn others_are_reported_where_they_are_written() {
        Bench::new(check).rejects(&[
            ("install: {method: mise, tool: «node js»}", "invalid mise tool name `node js`"),
            ("install: {method: mise, tool: «''»}", "invalid mise tool name ``"),
            (
                "validate: {mise: {tools: [node, «'npm:Not Valid'»]}}",
                "invalid mise tool name `npm:Not Valid`",
            ),
            ("remove: {mise: {tools: [«'npm:'»]}}", "the name is empty"),
            ("remove: {mise: {tools: [«'aqua:cli'»]}}", "expected an owner and a repository"),
            ("upgrade: {mise: {tools: [«'go:a b'»]}}", "expected the path of a Go module"),
            ("upgrade: {mise: {tools: [«'cargo:'», «'pipx:a//b'», «'gem:x y'»]}}", "the name of a crate"),
            ("upgrade: {mise: {tools: [«'nmp:prettier'»]}}", "`nmp` is not a built-in backend"),
            ("upgrade: {mise: {tools: [«':prettier'»]}}", "expected a backend such as `npm` before the `:`"),
            ("upgrade: {mise: {tools: [«'s3:'»]}}", "expected a name"),
            (
                "install: {method: hybrid, hybrid: {steps: [{method: mise, tool: «$(evil)»}]}}",
                "invalid mise tool name `$(evil)`",
            ),
        ]);
        for text in ["[tools]\n«\"node js\"» = \"20\"\n", "[tools]\ngo = \"1\"\n«\"ubi:x\"» = \"1\"\n"] {
            Bench::new(check).file("mise.toml", text).rejects(&[(MANIFEST, "invalid mise tool name")]);
        }
    }

    #[test]
    fn an_unknown_backend_is_a_warning_with_the_nearest_one() {
        let findings = Bench::new(check).findings("remove: {mise: {tools: ['nmp:x', 'mybackend:x']}}");
        assert_eq!(findings[0].severity, Severity::Warning);
        assert_eq!(findings[0].help.as_deref(), Some("did you mean `npm:x`?"));
        assert!(
            findings[1].help.as_deref().is_some_and(|help| help.starts_with("the backends of mise are aqua"))
        );
    }
}
