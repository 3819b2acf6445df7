//! Exit codes: 0 nothing wrong, 1 something wrong, 2 could not run.

mod support;

use support::{Sandbox, VALID};

/// A manifest with a warning, and nothing worse.
fn with_warning() -> String {
    format!("{VALID}# trueline: ignore[TL0105] nothing here is doubled\n")
}

/// A manifest with an error.
fn with_error() -> String {
    VALID.replace("category: devops", "category: nonsense")
}

#[test]
fn each_verdict_has_its_code() {
    let sandbox = Sandbox::new();
    sandbox.file("good/extension.yaml", VALID);
    sandbox.file("warned/extension.yaml", with_warning());
    sandbox.file("bad/extension.yaml", with_error());
    sandbox.file("fine/a.schema.json", "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"}");
    sandbox.file("other/notes.txt", "nothing to check\n");
    sandbox.file("other/plain.yaml", "a: 1\n");
    let cases: &[(&[&str], i32)] = &[
        (&["check", "good"], 0),
        (&["check", "good", "--strict"], 1),
        (&["check", "fine", "--strict"], 0),
        (&["check", "warned"], 0),
        (&["check", "warned", "--strict"], 1),
        (&["check", "bad"], 1),
        (&["check", "."], 1),
        (&["check"], 1),
        (&["lint", "good"], 2),
        (&["version"], 2),
        (&["check", "other", "--as", "chart"], 1),
        (&["explain", "nil-pointer"], 0),
        (&["check", "other"], 0),
        (&["check", "other", "--strict"], 1),
        (&["check", "missing.yaml"], 2),
        (&["check", "bad", "missing.yaml"], 2),
        (&["extension", "check", "good/extension.yaml"], 0),
        (&["extension", "check", "good"], 0),
        (&["extension", "check", "bad", "good"], 1),
        (&["extension", "check", "missing"], 2),
    ];
    for (arguments, code) in cases {
        let ran = sandbox.run(arguments);
        assert_eq!(ran.code, Some(*code), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn an_unreadable_input_does_not_hide_the_others() {
    let sandbox = Sandbox::new();
    sandbox.file("bad/extension.yaml", with_error());
    let (code, findings) = sandbox.findings(&["check", "no/such.yaml", "bad"]);
    assert_eq!(code, Some(2));
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!(findings[0].place, "bad/extension.yaml:5:13");
    assert_eq!((findings[1].code.as_str(), findings[1].place.as_str()), ("TL0150", "no/such.yaml:1:1"));
    assert_eq!(findings[1].message, "`no/such.yaml` does not exist");
}

#[test]
fn everything_skipped_is_said() {
    let sandbox = Sandbox::new();
    sandbox.file("plain.yaml", "a: 1\n");
    let ran = sandbox.run(&["check", "."]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("warning[TL0159]"), "{}", ran.stdout);
    assert!(ran.stdout.contains("skipped 1 (plain.yaml)"), "{}", ran.stdout);
}

#[test]
fn quiet_is_silent_where_nothing_is_wrong() {
    let sandbox = Sandbox::new();
    sandbox.file("good/extension.yaml", VALID);
    sandbox.file("bad/extension.yaml", with_error());
    let ran = sandbox.run(&["check", "--quiet", "good"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    let ran = sandbox.run(&["check", "--quiet", "bad"]);
    assert!(ran.stdout.contains("bad/extension.yaml:5:13"), "{}", ran.stdout);
    assert!(sandbox.run(&["check", "--quiet", "--format", "json", "good"]).json()["findings"].is_array());
}

#[test]
fn a_thousand_manifests_are_checked_in_one_run_whatever_the_number_of_jobs() {
    let sandbox = Sandbox::new();
    for index in 0..1_000 {
        let text = if index % 3 == 0 { with_error() } else { VALID.to_owned() };
        // No two extensions of a run may share a name.
        let text = text.replacen("name: ", &format!("name: n{index}-"), 1);
        sandbox.file(&format!("many/{index:03}/extension.yaml"), text);
    }
    let one = sandbox.run(&["check", "many", "--jobs", "1", "--format", "json"]);
    let four = sandbox.run(&["check", "many", "--jobs", "4", "--format", "json"]);
    assert_eq!(one.stdout, four.stdout);
    assert_eq!(one.json()["summary"]["checked"], 1_000);
    assert_eq!(one.json()["summary"]["invalid"], 334);
    assert_eq!(one.stderr, "", "no progress in a pipe");
}
