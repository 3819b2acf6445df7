//! Reports to standard output and to files.

mod support;

use support::{Sandbox, VALID};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bad/extension.yaml", VALID.replace("category: devops", "category: nonsense"));
    sandbox
}

#[test]
fn every_format_names_the_place() {
    let sandbox = sandbox();
    let places = [
        ("human", "bad/extension.yaml:5:13"),
        ("short", "bad/extension.yaml:5:13: error[TL"),
        ("json", "\"line\": 5"),
        ("sarif", "\"startLine\": 5"),
        ("junit", "bad/extension.yaml:5:13"),
        ("github", "file=bad/extension.yaml,line=5,"),
        ("gitlab", "\"begin\": "),
        ("tap", "not ok 1"),
    ];
    for (format, place) in places {
        let ran = sandbox.run(&["check", "bad", "--format", format]);
        assert_eq!(ran.code, Some(1), "{format}");
        assert!(ran.stdout.contains(place), "{format}: {}", ran.stdout);
        assert_eq!(ran.stderr, "", "{format}");
    }
}

#[test]
fn several_reports_are_written_in_one_run() {
    let sandbox = sandbox();
    sandbox.file("old.json", "what was there before, and is longer than nothing");
    let ran = sandbox.run(&[
        "check",
        "bad",
        "--format",
        "short",
        "--output",
        "sarif=report.sarif",
        "-o",
        "junit=report.xml",
        "--output=json=old.json",
    ]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.starts_with("bad/extension.yaml:5:13: error["), "{}", ran.stdout);
    let sarif: serde_json::Value = serde_json::from_str(&sandbox.read("report.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sandbox.read("report.xml").starts_with("<?xml"));
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("old.json")).unwrap();
    assert_eq!(json["version"], 1);
    let names: Vec<String> = std::fs::read_dir(sandbox.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".trueline"))
        .collect();
    assert!(names.is_empty(), "temporary files stay behind: {names:?}");
}

#[test]
fn a_report_is_written_even_if_an_input_cannot_be_read() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["check", "missing.yaml", "--output", "json=report.json"]);
    assert_eq!(ran.code, Some(2));
    assert!(sandbox.read("report.json").contains("`missing.yaml` does not exist"));
}

#[test]
fn bad_usage_leaves_earlier_reports_alone() {
    let sandbox = sandbox();
    sandbox.file("report.json", "before");
    let ran =
        sandbox.run(&["check", "bad", "--output", "json=report.json", "--output", "tap=no/such/report.tap"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(sandbox.read("report.json"), "before");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_to_and_not_replaced() {
    let sandbox = sandbox();
    let ran =
        sandbox.run(&["check", "bad", "--quiet", "--output", "json=/dev/null", "--output", "tap=/dev/null"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn what_is_not_shown_is_counted_and_decides_as_if_it_were() {
    let sandbox = Sandbox::new();
    let port = "{containerPort: 80, name: web}";
    for number in 0..120 {
        let kind = if number == 119 { "Pods" } else { "Pod" };
        let pod = format!(
            "apiVersion: v1\nkind: {kind}\nmetadata: {{name: web}}\nspec:\n  containers:\n  - name: one\n    image: web\n    ports: [{port}]\n  - name: two\n    image: web\n    ports: [{port}]\n"
        );
        sandbox.file(&format!("all/{number:03}.yaml"), pod);
    }
    // The error is of the last file, and is among the few that are shown.
    let all = sandbox.run(&["check", "all", "--format", "short", "--max-findings", "0"]);
    let (findings, summary): (Vec<&str>, Vec<&str>) =
        all.stdout.lines().partition(|line| !line.starts_with('#'));
    assert_eq!((all.code, findings.len()), (Some(1), 120));
    for most in [1, 5, 119, 120] {
        let ran = sandbox.run(&["check", "all", "--format", "short", "--max-findings", &most.to_string()]);
        let (shown, said): (Vec<&str>, Vec<&str>) =
            ran.stdout.lines().partition(|line| !line.starts_with('#'));
        let expected = [&findings[..most - 1], &findings[119..]].concat();
        assert_eq!((ran.code, shown), (Some(1), expected));
        assert_eq!(said.last(), summary.last());
        let hidden = format!("# not shown: {} more finding", 120 - most);
        assert_eq!(said.first().is_some_and(|line| line.starts_with(&hidden)), most < 120, "{said:?}");
    }
    // Other reports of the same run have all of them, and warnings that nobody sees count under `--strict`.
    let limited = ["check", "all", "--max-findings", "2", "--output", "json=all.json"];
    sandbox.run(&limited);
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("all.json")).unwrap();
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(120));
    sandbox.file("all/119.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n");
    assert_eq!(sandbox.run(&["check", "all", "--max-findings", "2"]).code, Some(0));
    let strict = sandbox.run(&["check", "all", "--max-findings", "2", "--strict"]);
    assert_eq!(strict.code, Some(1));
    assert!(strict.stdout.contains("119 warnings; failed, because warnings"), "{}", strict.stdout);
}
