//! Reports to standard output and to files.

mod support;

use support::{Sandbox, VALID};
use trueline_report::Format;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bad/extension.yaml", VALID.replace("category: devops", "category: nonsense"));
    sandbox
}

#[test]
fn every_format_names_the_place() {
    let sandbox = sandbox();
    for format in Format::ALL {
        let place = match format {
            Format::Human | Format::Junit => "bad/extension.yaml:5:13",
            Format::Short => "bad/extension.yaml:5:13: error[TL",
            Format::Json => "\"line\": 5",
            Format::Sarif => "\"startLine\": 5",
            Format::Github => "file=bad/extension.yaml,line=5,",
            Format::Gitlab => "\"begin\": ",
            _ => "bad/extension.yaml",
        };
        let ran = sandbox.run(&["check", "bad", "--format", format.name()]);
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
    assert!(names.is_empty(), "temporary files are left over: {names:?}");
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
    // The error is of the last file, and is shown whatever came before it.
    let all = sandbox.run(&["check", "all", "--format", "short", "--max-findings", "0"]);
    let (findings, summary): (Vec<&str>, Vec<&str>) =
        all.stdout.lines().partition(|line| !line.starts_with('#'));
    assert_eq!((all.code, findings.len()), (Some(1), 120));
    for most in [1, 5, 119, 120] {
        let ran = sandbox.run(&["check", "all", "--format", "short", "--max-findings", &most.to_string()]);
        let (shown, said): (Vec<&str>, Vec<&str>) =
            ran.stdout.lines().partition(|line| !line.starts_with('#'));
        let warnings = most.min(119);
        let expected = [&findings[..warnings], &findings[119..]].concat();
        assert_eq!((ran.code, shown), (Some(1), expected));
        assert_eq!(said.last(), summary.last());
        let hidden = format!("# not shown: {} more finding", 119 - warnings);
        assert_eq!(said.first().is_some_and(|line| line.starts_with(&hidden)), warnings < 119, "{said:?}");
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

#[test]
fn a_run_reports_the_codes_that_are_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.file("a.yaml", "apiVersion: v1\nkind: Pods\nmetadata: {name: web, name: web}\n");
    let codes = |arguments: &[&str]| {
        let ran = sandbox.run(&[&["check", "--format", "short"], arguments].concat());
        let found: Vec<String> =
            ran.stdout.split("error[").skip(1).map(|rest| rest[..6].to_owned()).collect();
        (ran.code, found.join(" "))
    };
    let all = codes(&[]);
    assert!(all.0 == Some(1) && all.1.contains("TL0105") && all.1.contains("TL07"), "{all:?}");
    assert_eq!(codes(&["--select", "duplicate-key"]), (Some(1), "TL0105".to_owned()));
    assert!(!codes(&["--ignore", "TL0105"]).1.contains("TL0105"));
    assert_eq!(codes(&["--ignore", "TL01,TL07"]), (Some(0), String::new()));
    assert_eq!(codes(&["--select", "TL0105", "--ignore", "TL01"]), (Some(0), String::new()));
    assert_eq!(codes(&["--select", "nonsense"]).0, Some(2));
    sandbox.file("trueline.toml", "[severity]\nTL0105 = \"off\"\n");
    assert!(!codes(&[]).1.contains("TL0105"));
}

#[test]
fn very_many_findings_alike_are_counted() {
    let sandbox = Sandbox::new();
    let keys = "  k: v\n".repeat(20_000);
    sandbox.file("a.yaml", format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{keys}"));
    let ran = sandbox.run(&["check", "a.yaml", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1_000);
    assert_eq!(findings.last().unwrap()["more"], 18_999);
    assert_eq!(
        (&report["summary"]["errors"], &report["summary"]["unlisted"]),
        (&19_999.into(), &18_999.into())
    );
    let short = sandbox.run(&["check", "a.yaml", "--format", "short"]).stdout;
    assert!(short.contains("and 18999 more like this in this file"), "{}", short.len());
}

#[test]
fn names_in_files_neither_steer_the_terminal_nor_command_a_runner() {
    let sandbox = Sandbox::new();
    let key = "\"x\\n::error::pwned\\e[31m\"";
    sandbox.file("a.yaml", format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n{key}: 1\n"));
    sandbox.file("c/Chart.yaml", format!("apiVersion: v2\nname: c\nversion: {key}\n"));
    sandbox.file("c/values.yaml", "a: 1\n");
    let runs: &[&[&str]] = &[
        &["check", "a.yaml"],
        &["check", "a.yaml", "--format", "junit"],
        &["check", "c"],
        &["helm", "lint", "c"],
        &["helm", "template", "c"],
        &["helm", "show", "values", "c\u{1b}[31m\n::error::x"],
        &["kubeconform", "-strict", "a.yaml"],
        &["kubeconform", "-strict", "-output", "tap", "a.yaml"],
        &["kubeconform", "-strict", "-output", "json", "a.yaml"],
        &["explain-value", "c", "a\u{1b}[31m\n::error::x"],
        &["explain-value", "no\u{1b}[31m\n::error::x", "a"],
        &["explain", "no\u{1b}[31m\n::error::x"],
        &["check", "--format", "no\u{1b}[31m\n::error::x"],
    ];
    for arguments in runs {
        let ran = sandbox.run(arguments);
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            assert!(!line.contains(['\u{1b}', '\u{7f}', '\u{9b}']), "{arguments:?}: {line:?}");
            assert!(!line.trim_start().starts_with("::error"), "{arguments:?}: {line:?}");
        }
    }
}
