//! Names of environment variables.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::field::Field;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0313",
    name: "environment-name",
    severity: Severity::Error,
    summary: "An environment variable has an invalid name",
    explanation: "Names of environment variables consist of capital letters, digits and underscores, and do not \
                  begin with a digit. Other names do not work in every shell. The only accepted lowercase names \
                  are those that programs expect: `http_proxy`, `https_proxy`, `ftp_proxy`, `all_proxy` and \
                  `no_proxy`.\n\nThe rule looks at `configure.environment`, at the variables of authentication, at \
                  the `env` of MCP servers, and at the variables of a service.",
    wrong: "capabilities:\n  authentication:\n    - type: api-key\n      env_var: openai-key\n",
    right: "capabilities:\n  authentication:\n    - type: api-key\n      env_var: OPENAI_KEY\n",
};

const HELP: &str = "use capital letters, digits and underscores, and begin with a letter";

const SMALL: &[&str] = &["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"];

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for field in variables(subject) {
        if let Some(name) = field.text()
            && !is_name(name)
        {
            let finding = field.finding(&CODE, message(name));
            findings.push(match mended(name) {
                Some(better) => field.offer(finding, &better).help(format!("write `{better}`")),
                None => finding.help(HELP),
            });
        }
    }
    for server in subject.mcp_servers() {
        for (name, field) in server.entries_at("env") {
            if !is_name(&name) {
                let finding = field.key_finding(&CODE, message(&name));
                findings.push(match mended(&name) {
                    Some(better) => field.offer_key(finding, &better).help(format!("write `{better}`")),
                    None => finding.help(HELP),
                });
            }
        }
    }
}

/// The values that are names of variables.
fn variables<'a>(subject: &Subject<'a>) -> Vec<Field<'a>> {
    let root = &subject.root;
    let mut fields: Vec<Field<'a>> = Vec::new();
    for variable in root.items_at("configure/environment") {
        fields.extend(variable.get("key"));
    }
    for method in subject.authentications() {
        for name in ["env_var", "envVar", "env"] {
            fields.extend(method.get(name));
        }
    }
    fields.extend(root.items_at("capabilities/auth/envVars"));
    fields.extend(root.items_at("service/requires-env"));
    for port in root.items_at("service/ports") {
        fields.extend(port.get("envOverride"));
    }
    fields
}

fn message(name: &str) -> String {
    format!("invalid environment variable name `{name}` (should be UPPERCASE_WITH_UNDERSCORES)")
}

/// The name that was probably meant.
fn mended(name: &str) -> Option<String> {
    let mended: String = name
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_uppercase() } else { '_' })
        .collect();
    (is_name(&mended) && mended.contains(|character: char| character != '_')).then_some(mended)
}

fn is_name(name: &str) -> bool {
    let allowed =
        |character: char| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_';
    SMALL.contains(&name)
        || (!name.is_empty()
            && name.chars().all(allowed)
            && !name.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn names_of_variables_pass() {
        Bench::new(check).accepts(&[
            "configure: {environment: [{key: PATH, value: x}, {key: _X9, value: y}]}",
            "configure: {environment: [{key: http_proxy, value: x}, {value: y}]}",
            "capabilities: {auth: {provider: openai, envVars: [OPENAI_API_KEY]}}",
            "capabilities: {authentication: [{type: api-key, env_var: A_B}, {type: cli-auth, command: gh}]}",
            "capabilities: {mcp: {enabled: true, server: {command: npx, env: {MODE: '1'}}}}",
            "capabilities: {mcp: {enabled: false, servers: [{name: a, env: {not-looked-at: '1'}}]}}",
            "service: {requires-env: [CONSOLE_URL], ports: [{name: web, envOverride: PORT}, {name: x}]}",
            "capabilities: {auth: {envVars: [1]}}",
        ]);
    }

    #[test]
    fn others_are_reported_at_the_name() {
        Bench::new(check).rejects(&[
            (
                "configure: {environment: [{key: «node_env», value: x}]}",
                "invalid environment variable name `node_env` (should be UPPERCASE_WITH_UNDERSCORES)",
            ),
            ("configure: {environment: [{key: «9LIVES», value: x}]}", "`9LIVES`"),
            ("configure: {environment: [{key: «''», value: x}]}", "``"),
            ("capabilities: {auth: {envVars: [OK, «\"API-KEY\"»]}}", "`API-KEY`"),
            ("capabilities: {authentication: [{type: token, env_var: «Token»}]}", "`Token`"),
            ("capabilities: {mcp: {enabled: true, server: {env: {«mode»: '1', OK: '2'}}}}", "`mode`"),
            ("capabilities: {mcp: {servers: [{name: a, env: {«\"A B\"»: '1'}}]}}", "`A B`"),
            ("capabilities: {mcp: {servers: [{name: a, env: {«9x»: '1'}}]}}", "`9x`"),
            ("service: {requires-env: [«ÉTAT»], ports: [{envOverride: «$PORT»}]}", "`ÉTAT`"),
        ]);
    }

    #[test]
    fn the_name_that_was_meant_is_offered() {
        for (name, help) in [
            ("node-env", "write `NODE_ENV`"),
            ("9x", "use capital letters, digits and underscores, and begin with a letter"),
        ] {
            let findings = Bench::new(check).findings(&format!("service: {{requires-env: [{name}]}}"));
            assert_eq!(findings[0].help.as_deref(), Some(help));
        }
    }
}
