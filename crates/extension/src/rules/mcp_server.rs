//! MCP servers have valid names and commands.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0315",
    name: "mcp-server",
    severity: Severity::Error,
    summary: "An MCP server has an invalid name or command",
    explanation: "The name of an MCP server becomes part of the names of its tools: it may contain letters, \
                  digits, `-` and `_`. Its command is started without a shell, so it must be the name of a program \
                  only; arguments belong in `args`. If `mcp` is enabled there must be a server to \
                  register.\n\nWith `enabled: false` nothing is checked.",
    wrong: "capabilities:\n  mcp:\n    enabled: true\n    servers:\n      - name: my server\n        command: npx -y my-server\n",
    right: "capabilities:\n  mcp:\n    enabled: true\n    servers:\n      - name: my-server\n        command: npx\n        args: [\"-y\", \"my-server\"]\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let servers = subject.mcp_servers();
    if servers.is_empty()
        && let Some(mcp) = subject.root.at("capabilities/mcp")
        && mcp.flag("enabled") == Some(true)
        && let Some(enabled) = mcp.get("enabled")
    {
        let finding = enabled.finding(&CODE, "MCP is enabled, but no server is declared");
        findings.push(
            finding.severity(Severity::Warning).help("add a `server` with a `command`, or remove `mcp`"),
        );
    }
    for server in servers {
        if let Some(field) = server.get("name")
            && let Some(name) = field.text()
            && !is_name(name)
        {
            let message = format!("invalid MCP server name `{name}` (use alphanumeric, dash, underscore)");
            let finding = field.finding(&CODE, message);
            findings.push(match name {
                "" => finding.help("give the server a name"),
                name => {
                    let better = mended(name);
                    field.offer(finding, &better).help(format!("write `{better}`"))
                }
            });
        }
        let Some(field) = server.get("command") else { continue };
        let Some(command) = field.text() else { continue };
        let mut words = command.split_whitespace();
        match (words.next(), words.next()) {
            (None, _) => {
                let finding = field.finding(&CODE, "the command of an MCP server must not be empty");
                findings.push(finding.help("name the program that runs the server, such as `npx`"));
            }
            (Some(program), Some(_)) => {
                let message =
                    format!("the command of an MCP server must be a program without arguments: `{program}`");
                findings.push(field.finding(&CODE, message).help("move the arguments to `args`"));
            }
            (Some(program), None) if program != command => {
                let message = "the command of an MCP server has spaces around it";
                let finding = field.offer(field.finding(&CODE, message), program);
                findings.push(finding.help(format!("write `{program}`")));
            }
            (Some(_), None) => {}
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
}

fn mended(name: &str) -> String {
    let letter = |letter: char| if is_name(letter.encode_utf8(&mut [0; 4])) { letter } else { '-' };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn valid_servers_pass() {
        Bench::new(check).accepts(&[
            "capabilities: {mcp: {enabled: true, server: {command: npx, args: ['-y', x]}}}",
            "capabilities: {mcp: {enabled: true, servers: [{name: my-server_2, command: npx}]}}",
            "capabilities: {mcp: {enabled: false, servers: [{name: 'my server', command: 'a b'}]}}",
            "capabilities: {mcp: {servers: [{name: A, command: uvx}]}}",
            "capabilities: {mcp: {enabled: false}}",
            "capabilities: {mcp: {enabled: true, servers: [{name: 5, command: 6}, {url: x}]}}",
            "capabilities: {}",
            "capabilities: {mcp: {enabled: maybe}}",
        ]);
    }

    #[test]
    fn others_are_reported_at_name_or_command() {
        Bench::new(check).rejects(&[
            (
                "capabilities: {mcp: {enabled: true, servers: [{name: «my server», command: npx}]}}",
                "invalid MCP server name `my server` (use alphanumeric, dash, underscore)",
            ),
            ("capabilities: {mcp: {enabled: true, servers: [{name: «''», command: npx}]}}", "name ``"),
            (
                "capabilities: {mcp: {enabled: true, servers: [{name: «a.b», command: «''»}]}}",
                "must not be empty",
            ),
            (
                "capabilities: {mcp: {enabled: true, server: {command: «npx -y server»}}}",
                "must be a program without arguments: `npx`",
            ),
            ("capabilities: {mcp: {servers: [{name: ok, command: npx}, {name: «größe»}]}}", "`größe`"),
            ("capabilities: {mcp: {server: {command: «' npx'»}}}", "has spaces around it"),
            ("capabilities: {mcp: {enabled: «true», tools: []}}", "no server is declared"),
        ]);
        let findings =
            Bench::new(check).findings("capabilities: {mcp: {servers: [{name: a b.c, command: x}]}}");
        assert_eq!(findings[0].help.as_deref(), Some("write `a-b-c`"));
    }
}
