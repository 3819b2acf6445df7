//! What is read besides the inputs: objects that are there already, definitions and schemas, from files, pipes and
//! standard input, named on the command line or in `trueline.toml`.

mod support;

use support::{Finding, Sandbox};

fn service(address: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec:\n  clusterIP: {address}\n  ports: [{{port: 80}}]\n"
    )
}

const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: web, image: web}]\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("new.yaml", service("10.0.0.2")).file("live/old.yaml", service("10.0.0.1"));
    sandbox
}

fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{} {}", finding.place, finding.code)).collect()
}

#[test]
fn old_objects_come_from_files_directories_and_standard_input() {
    let sandbox = sandbox();
    let changed = ["new.yaml:5:14 TL0713"];
    for old in ["live", "live/old.yaml"] {
        assert_eq!(lines(&sandbox.findings(&["check", "new.yaml", "--old", old]).1), changed, "{old}");
    }
    let old = service("10.0.0.1");
    let arguments = ["check", "new.yaml", "--format", "json", "--old", "-"];
    let ran = sandbox.run_with_stdin(&arguments, old.as_bytes());
    assert_eq!(lines(&ran.findings()), changed);
    let ran = sandbox.run_with_stdin(&arguments, b"");
    assert_eq!(lines(&ran.findings()), ["--old <stdin>:1:1 TL0790"]);
    assert!(ran.findings()[0].message.contains("no Kubernetes object"), "{ran:?}");
    for more in [&["-"][..], &["--crd", "-"], &["--old", "-"]] {
        let ran = sandbox.run(&[&arguments[..], more].concat());
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("standard input (`-`) is named twice"), "{}", ran.stderr);
    }
}

#[test]
fn several_old_files_count_together_and_each_has_to_be_of_use() {
    let sandbox = sandbox();
    sandbox.file("pod.yaml", POD).file("twice.yaml", service("10.0.0.1"));
    let found = |arguments: &[&str]| {
        let all = [&["check", "new.yaml"], arguments].concat();
        lines(&sandbox.findings(&all).1)
    };
    assert_eq!(
        found(&["--old", "pod.yaml", "--old", "live"]),
        ["--old pod.yaml:1:1 TL0790", "new.yaml:5:14 TL0713"]
    );
    assert_eq!(
        found(&["--old", "live", "--old", "twice.yaml"]),
        ["--old live:1:1 TL0790", "new.yaml:5:14 TL0713", "twice.yaml:2:7 TL0791"]
    );
    let (code, findings) = sandbox.findings(&["check", "new.yaml", "--old", "gone.yaml"]);
    assert_eq!((code, lines(&findings)), (Some(2), vec!["gone.yaml:1:1 TL0150".to_owned()]));
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_named_is_read() {
    let sandbox = sandbox();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    for arguments in [&["check", "new.yaml", "--old", "pipe"][..], &["check", "pipe", "--old", "new.yaml"]] {
        let path = sandbox.path("pipe");
        let writer = std::thread::spawn(move || std::fs::write(path, service("10.0.0.1")).unwrap());
        let (code, findings) = sandbox.findings(arguments);
        writer.join().unwrap();
        assert_eq!(code, Some(1));
        assert_eq!(lines(&findings), [format!("{}:5:14 TL0713", arguments[1])]);
    }
}

#[test]
fn the_configuration_names_old_objects_and_how_many_findings_are_shown() {
    let sandbox = sandbox();
    sandbox.file("trueline.toml", "old = [\"live/old.yaml\"]\nmax-findings = 1\n");
    sandbox.file("bad/a.yaml", POD.replace("image: web", "imag: web, imge: x, nothing: y"));
    assert_eq!(lines(&sandbox.findings(&["check", "new.yaml"]).1), ["new.yaml:5:14 TL0713"]);
    assert_eq!(lines(&sandbox.findings(&["check", "."]).1).len(), 4);
    let shown = |arguments: &[&str]| {
        let text = sandbox.run(arguments).stdout;
        (text.matches("-->").count(), text.contains("not shown: "))
    };
    assert_eq!(shown(&["check", "bad"]), (1, true));
    assert_eq!(shown(&["check", "bad", "--max-findings", "2"]), (2, true));
    assert!(!shown(&["check", "bad", "--max-findings", "0"]).1);
    // Only what is wholly checked has to use all that is named for it.
    assert_eq!(lines(&sandbox.findings(&["check", "bad/a.yaml"]).1).len(), 3);
    sandbox.file("trueline.toml", "old = [\"gone\"]\n");
    let (code, findings) = sandbox.findings(&["check", "new.yaml"]);
    assert_eq!((code, lines(&findings)), (Some(2), vec!["trueline.toml:1:8 TL0150".to_owned()]));
}

#[test]
fn schema_locations_that_lead_nowhere_are_named() {
    let sandbox = sandbox();
    let backup = "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: a}\nspec: 1\n";
    sandbox
        .file("a.yaml", backup)
        .file("s/backup.json", "{\"properties\": {\"spec\": {\"type\": \"string\"}}}");
    // A file of the same name beside the directory that was meant is not taken for one in it.
    sandbox.file("backup.json", "{\"not\": {}}");
    let found = |arguments: &[&str]| {
        let (code, findings) = sandbox.findings(&[&["check", "a.yaml"], arguments].concat());
        (code, lines(&findings))
    };
    let location = "gone/{{.ResourceKind}}.json";
    let flag = format!("--schema-location {location}:1:1 TL0792");
    assert_eq!(
        found(&["--schema-location", location]),
        (Some(0), vec![flag, "a.yaml:1:1 TL0159".to_owned()])
    );
    sandbox.file(
        "trueline.toml",
        "schema-locations = [\n  \"x/{{ .Kind }}.json\",\n  \"gone\",\n  \"s/{{.ResourceKind}}.json\",\n]\n",
    );
    let expected =
        ["a.yaml:4:7 TL0201", "trueline.toml:2:3 TL0151", "trueline.toml:3:3 TL0792"].map(str::to_owned);
    assert_eq!(found(&[]), (Some(1), expected.to_vec()));
    let ran = sandbox.run(&["check", "a.yaml", "--schema-location", "x/{{ .Kind }}.json"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("can't evaluate field Kind") && ran.stderr.contains(".ResourceKind"),
        "{ran:?}"
    );
}

#[test]
fn what_was_not_checked_is_counted_as_skipped_in_every_format() {
    let sandbox = sandbox();
    sandbox
        .file("a.yaml", "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: a}\n")
        .file("pod.yaml", POD);
    let run = |format: &str| {
        let arguments =
            ["check", "a.yaml", "pod.yaml", "--strict", "--ignore-missing-schemas", "--format", format];
        let ran = sandbox.run(&arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.stdout);
        ran
    };
    assert!(run("human").stdout.contains("checked 1: 1 valid, 0 invalid; 1 skipped"));
    let summary = run("json").json()["summary"].clone();
    assert_eq!((&summary["checked"], &summary["valid"]), (&1.into(), &1.into()));
    assert_eq!(summary["skipped"][0]["what"], "a.yaml");
    assert!(run("junit").stdout.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""));
    assert!(run("tap").stdout.contains("ok 2 - a.yaml # SKIP"), "{}", run("tap").stdout);
    for arguments in [&["--skip", "Backup"][..], &["--ignore-missing-schemas"]] {
        let ran = sandbox.run(&[&["check", "a.yaml", "--strict"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stdout);
        assert!(ran.stdout.contains("checked 0: 0 valid, 0 invalid; 1 skipped"), "{}", ran.stdout);
    }
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    let (code, findings) = sandbox.findings(&["check", "--strict", "empty"]);
    assert_eq!((code, lines(&findings)), (Some(1), vec!["empty:1:1 TL0159".to_owned()]));
}
