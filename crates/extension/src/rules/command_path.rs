//! Commands are found through `PATH`, or are in a system directory.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::field::Field;
use crate::manifest::Subject;
use crate::shell;

pub(crate) static CODE: Code = Code {
    id: "TL0314",
    name: "command-path",
    severity: Severity::Error,
    summary: "A command has a path that may not work or is unsafe",
    explanation: "A command is either a plain name, which is looked up in `PATH`, or an absolute path below \
                  `/usr/`, `/bin/` or `/sbin/`. Any other absolute path may not exist on other machines or may be \
                  writable by others, and a relative path means something else in every directory.\n\nThe rule \
                  looks at the commands of authentication, of MCP servers and of validation, and at the programs \
                  that a service and the validator of `auth` start. Arguments do not matter. In a shell line, a \
                  program below `~` or a variable is not checked.",
    wrong: "capabilities:\n  authentication:\n    - type: cli-auth\n      command: ./bin/login\n",
    right: "capabilities:\n  authentication:\n    - type: cli-auth\n      command: gh auth login\n",
};

/// The system's program directories.
const PREFIXES: &[&str] = &["/usr/", "/bin/", "/sbin/"];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for field in commands(subject) {
        let Some(line) = field.text() else { continue };
        let program = line.split_whitespace().next().unwrap_or_default();
        findings.extend(problem(&field, program));
    }
    for path in [
        "capabilities/auth/validator/command",
        "service/start/command",
        "service/stop/command",
        "service/readiness/check",
    ] {
        let Some(field) = subject.root.at(path) else { continue };
        for words in field.text().map(shell::commands).unwrap_or_default() {
            let program = words.first().map(String::as_str).unwrap_or_default();
            if !program.starts_with('~') && !program.contains('$') {
                findings.extend(problem(&field, program));
            }
        }
    }
}

/// The fields that name one program, optionally with arguments.
fn commands<'a>(subject: &Subject<'a>) -> Vec<Field<'a>> {
    let mut fields: Vec<Field<'a>> = Vec::new();
    for method in subject.authentications() {
        fields.extend(method.get("command"));
    }
    for server in subject.mcp_servers() {
        fields.extend(server.get("command"));
    }
    for validation in subject.validations() {
        for command in validation.items_at("commands") {
            fields.extend(command.get("name"));
        }
    }
    fields
}

fn problem(field: &Field<'_>, program: &str) -> Option<Diagnostic> {
    if let Some(inside) = program.strip_prefix('/') {
        let system = PREFIXES.iter().any(|prefix| program.starts_with(prefix));
        let leaves = inside.split('/').any(|part| part == "..");
        if system && !leaves {
            return None;
        }
        let finding = field.finding(&CODE, format!("suspicious absolute command path `{program}`"));
        return Some(
            finding.help(format!(
                "use the plain name of the command, or a path below {}",
                PREFIXES.join(" or ")
            )),
        );
    }
    if program.contains('/') {
        let finding =
            field.finding(&CODE, format!("a relative command path should not contain `/`: `{program}`"));
        return Some(finding.help("use the plain name of a command in `PATH`"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn plain_names_and_system_paths_pass() {
        Bench::new(check).accepts(&[
            "capabilities: {authentication: [{type: cli-auth, command: gh}]}",
            "capabilities: {authentication: [{type: cli-auth, command: 'gh auth login --web a/b'}]}",
            "capabilities: {mcp: {enabled: true, server: {command: /usr/local/bin/server}}}",
            "capabilities: {mcp: {enabled: true, servers: [{name: a, command: npx}, {name: b, command: /bin/sh}]}}",
            "validate: {commands: [{name: node}, {name: /sbin/ip}]}",
            "capabilities: {auth: {validator: {command: 'test -n \"$KEY\" && /usr/bin/true'}}}",
            "service: {start: {command: 'sudo systemctl start x || ~/bin/x'}, readiness: {check: '$HOME/bin/ready'}}",
            "capabilities: {mcp: {enabled: false, server: {command: ./x}}}",
            "capabilities: {authentication: [{command: ''}, {command: 5}]}",
        ]);
    }

    #[test]
    fn others_are_reported_at_the_command() {
        Bench::new(check).rejects(&[
            (
                "capabilities: {authentication: [{type: cli-auth, command: «/tmp/login»}]}",
                "suspicious absolute command path `/tmp/login`",
            ),
            (
                "capabilities: {authentication: [{command: «./bin/login --now»}]}",
                "a relative command path should not contain `/`: `./bin/login`",
            ),
            ("capabilities: {mcp: {enabled: true, server: {command: «bin/server»}}}", "`bin/server`"),
            ("capabilities: {mcp: {servers: [{name: a, command: «\"/home/me/x\"»}]}}", "`/home/me/x`"),
            ("capabilities: {mcp: {servers: [{name: a, command: «/usr/../tmp/x»}]}}", "`/usr/../tmp/x`"),
            ("validate: {commands: [{name: node}, {name: «../x»}]}", "`../x`"),
            ("validate: {commands: [{name: «~/bin/x»}]}", "`~/bin/x`"),
            ("service: {start: {command: «'true && /opt/x/run'»}}", "`/opt/x/run`"),
            ("capabilities: {auth: {validator: {command: «scripts/check.sh»}}}", "`scripts/check.sh`"),
        ]);
        let findings = Bench::new(check).findings("validate: {commands: [{name: /x}]}");
        assert_eq!(
            findings[0].help.as_deref(),
            Some("use the plain name of the command, or a path below /usr/ or /bin/ or /sbin/")
        );
    }
}
