//! The commands of the GitHub Action, the pre-commit hooks and the GitLab job, taken from their files and run.

mod support;

use std::process::Command;

use serde_json::Value;
use support::{Ran, Sandbox, repository, run};

/// Runs a script as a CI server does, with the built program as `trueline`, at the root of the repository.
fn run_script(sandbox: &Sandbox, script: &str, variables: &[(&str, &str)]) -> Ran {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_trueline"));
    let search = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .unwrap();
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(repository());
    sandbox.environment(&mut command);
    command.env("PATH", search).env("CI", "true").envs(variables.iter().copied());
    run(&mut command, b"")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap()
}

/// All of these runs check broken examples, so every one of them must find something.
fn assert_found(ran: &Ran) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stderr, "");
}

#[test]
fn the_github_action_annotates_and_writes_sarif() {
    let action = text("action.yml");
    let step = action.split("- name: Check\n").nth(1).unwrap();
    let (head, body) = step.split_once("run: |\n").unwrap();
    let script: String = body
        .lines()
        .map_while(|line| line.strip_prefix("        "))
        .map(|line| format!("{line}\n"))
        .collect();
    for name in ["TRUELINE", "CHECK_PATHS", "CHECK_ARGS", "CHECK_SARIF"] {
        assert!(head.contains(&format!("{name}: ${{{{ inputs.")), "{name} is not handed to the script");
        assert!(script.contains(&format!("${name}")), "{name} is not used");
    }
    assert!(!script.contains("${{"), "an input must not become part of the script");
    let sandbox = Sandbox::new();
    let sarif = sandbox.path("report.sarif");
    let variables = [
        ("TRUELINE", env!("CARGO_BIN_EXE_trueline")),
        ("CHECK_PATHS", "broken-examples"),
        ("CHECK_ARGS", "--offline"),
        ("CHECK_SARIF", sarif.to_str().unwrap()),
    ];
    let ran = run_script(&sandbox, &script, &variables);
    assert_found(&ran);
    assert!(
        ran.stdout.contains("::error ") && ran.stdout.contains("file=broken-examples/extension/"),
        "{}",
        ran.stdout
    );
    let sarif: Value = serde_json::from_str(&sandbox.read("report.sarif")).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());

    let hostile =
        [variables[0], ("CHECK_PATHS", "$(touch hacked) ; touch hacked"), ("CHECK_ARGS", ""), variables[3]];
    assert_eq!(run_script(&sandbox, &script, &hostile).code, Some(2));
    assert!(!repository().join("hacked").exists());
}

#[test]
fn the_action_declares_what_its_steps_use() {
    let action = text("action.yml");
    let declared: Vec<&str> = action
        .split("\ninputs:\n")
        .nth(1)
        .and_then(|rest| rest.split("\noutputs:\n").next())
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|name| !name.starts_with(' '))
        .collect();
    assert_eq!(declared, ["paths", "args", "sarif", "version", "binary"]);
    for name in &declared {
        assert!(action.contains(&format!("inputs.{name}")), "{name} is not used");
        assert!(text("docs/ci.md").contains(&format!("| `{name}` |")), "{name} is not documented");
    }
}

#[test]
fn the_pre_commit_hooks_check_files() {
    let hooks = text(".pre-commit-hooks.yaml");
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries.len(), 2);
    let sandbox = Sandbox::new();
    for entry in entries {
        // pre-commit appends the names of the changed files.
        let ran = run_script(&sandbox, &format!("{entry} broken-examples/extension/extension.yaml"), &[]);
        assert_found(&ran);
        assert!(ran.stdout.contains("broken-examples/extension/extension.yaml:"), "{}", ran.stdout);
    }
    let ids: Vec<&str> = hooks.lines().filter_map(|line| line.strip_prefix("- id: ")).collect();
    for id in ids {
        assert!(text("docs/ci.md").contains(&format!("id: {id}")), "{id} is not documented");
    }
}

#[test]
fn the_gitlab_job_writes_both_reports() {
    let documentation = text("docs/ci.md");
    let line = documentation.lines().find_map(|line| line.trim().strip_prefix("- trueline check ")).unwrap();
    let sandbox = Sandbox::new();
    // The job runs in the project's directory and checks all of it; here its reports go to the sandbox.
    let here = sandbox.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    let mut reports = Vec::new();
    let words: Vec<String> = line
        .split(' ')
        .map(|word| match word.split_once('=') {
            Some((format, file)) => {
                assert!(documentation.contains(&format!(": {file}\n")), "{file} is not among the artifacts");
                reports.push(file.to_owned());
                format!("{format}={here}/{file}")
            }
            None => {
                if word == "." {
                    "broken-examples".to_owned()
                } else {
                    word.to_owned()
                }
            }
        })
        .collect();
    let ran = run_script(&sandbox, &format!("trueline check {}", words.join(" ")), &[]);
    assert_found(&ran);
    assert_eq!(reports, ["gl-code-quality-report.json", "trueline-junit.xml"]);
    let quality: Value = serde_json::from_str(&sandbox.read(&reports[0])).unwrap();
    assert!(quality[0]["fingerprint"].is_string());
    assert!(sandbox.read(&reports[1]).contains("<failure"));
}

#[test]
fn the_other_commands_of_the_page_run() {
    let documentation = text("docs/ci.md");
    let block = documentation.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let sandbox = Sandbox::new();
    for line in block.lines() {
        // Other programs of the line may not be installed here; ours is what is tested.
        let ours = line.split('|').map(str::trim).find(|part| part.starts_with("trueline")).unwrap();
        let script = if ours.ends_with(" -") {
            format!("{ours} < broken-examples/extension/extension.yaml")
        } else {
            ours.strip_suffix(" .").map(|ours| format!("{ours} broken-examples")).unwrap()
        };
        assert_found(&run_script(&sandbox, &script, &[]));
    }
}
