//! `trueline crd` and `trueline check` on Kubernetes objects, from the command line.

mod support;

use support::Sandbox;

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: backups.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Backup, plural: backups}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              schedule: {type: string}
              keep: {type: integer, default: 7, maximum: 9}
";

const OBJECT: &str = "apiVersion: example.com/v1
kind: Backup
metadata: {name: nightly}
spec: {schedule: daily, extra: 1}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("crd.yaml", CRD);
    sandbox.file("nightly.yaml", OBJECT);
    sandbox
}

#[test]
fn definitions_are_checked_and_other_files_left_out() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["crd", "check", ".", "--format", "short"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("checked 1: 1 valid, 0 invalid; 1 skipped"), "{ran:?}");
    sandbox.file("crd.yaml", CRD.replace("type: integer", "type: int"));
    let ran = sandbox.run(&["crd", "check", "crd.yaml", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let kube = &report["findings"][0]["kube"];
    let field = "spec.validation.openAPIV3Schema.properties[spec].properties[keep].type";
    assert_eq!(kube["field"], field, "{report:#}");
    assert_eq!(kube["type"], "FieldValueNotSupported");
    let detail = "supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"";
    assert_eq!(kube["detail"], detail);
    assert_eq!(report["findings"][0]["labels"][0]["line"], 21);
}

#[test]
fn objects_are_pruned_and_defaulted() {
    let sandbox = sandbox();
    let pruned = sandbox.run(&["crd", "prune", "--crd", "crd.yaml", "nightly.yaml"]);
    assert_eq!(
        pruned.stdout,
        "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: nightly}\nspec: {schedule: daily}\n"
    );
    let stored = sandbox.run(&["crd", "default", "--crd", "crd.yaml", "nightly.yaml", "-o", "json"]);
    assert_eq!(
        stored.stdout,
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Backup\",\"metadata\":{\"generation\":1,\"name\":\"nightly\",\
         \"namespace\":\"default\"},\"spec\":{\"keep\":7,\"schedule\":\"daily\"}}\n"
    );
    sandbox.file("other.yaml", "apiVersion: v1\nkind: Pod\n");
    let other = sandbox.run(&["crd", "default", "--crd", "crd.yaml", "other.yaml"]);
    assert_eq!(other.code, Some(1), "{other:?}");
    assert_eq!(other.stderr, "error: other.yaml:2:7: the kind `Pod` (v1) is none that `--crd` defines\n");
    let none = sandbox.run(&["crd", "prune", "--crd", "nightly.yaml", "nightly.yaml"]);
    assert!(none.stderr.contains("holds no definition of a kind"), "{none:?}");
}

#[test]
fn objects_keep_their_comments_and_one_that_is_wrong_stops_no_other() {
    let sandbox = sandbox();
    sandbox.file("crds/crd.yaml", CRD);
    let commented = "# ours\nspec:\n  # twice a day\n  schedule: \"daily\"\n  extra: 1\nkind: Backup\nmetadata: {name: b}\n\
                     apiVersion: example.com/v1\n";
    sandbox.file("objects/a.yaml", format!("kind: Pod\napiVersion: v1\n---\n{commented}"));
    sandbox.file("objects/c.yaml", "kind: Backup\n");
    sandbox.file("objects/b.yaml", "a: {\n");
    let ran = sandbox.run(&["crd", "prune", "--crd", "crds", "objects", "nightly.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let pruned = commented.replace("  extra: 1\n", "");
    assert!(ran.stdout.starts_with(&format!("{pruned}---\napiVersion: example.com/v1\n")), "{ran:?}");
    assert!(ran.stderr.contains("error: objects/a.yaml:1:7: the kind `Pod`"), "{ran:?}");
    assert!(ran.stderr.contains("error: objects/b.yaml:1:4: this `{` is never closed"), "{ran:?}");
    let said = "error: objects/c.yaml:1:1: the object has no `apiVersion`, and so no definition";
    assert!(ran.stderr.contains(said), "{ran:?}");
    let ran = sandbox.run(&["crd", "default", "--crd", "crds", "nightly.yaml", "nosuch.yaml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stdout.contains("keep: 7") && ran.stderr.contains("nosuch.yaml"), "{ran:?}");
}

#[test]
fn what_a_cluster_would_refuse_is_said_of_what_is_printed() {
    let sandbox = sandbox();
    sandbox.file("large.yaml", OBJECT.replace("extra: 1", "keep: 12"));
    for command in ["prune", "default"] {
        let ran = sandbox.run(&["crd", command, "--crd", "crd.yaml", "large.yaml", "nightly.yaml"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.contains("keep: 12") && ran.stdout.contains("---\n"), "{ran:?}");
        let said = "error: large.yaml:4:31: `spec.keep` is 12: should be less than or equal to 9\n";
        assert_eq!(ran.stderr, said, "{ran:?}");
    }
}

#[test]
fn objects_are_printed_as_they_were_typed() {
    let sandbox = sandbox();
    let windows = "\u{feff}# ours\r\nkind: Backup\r\napiVersion: example.com/v1\r\nmetadata:\r\n  foo: 1\r\n  name: 'b'\r\n";
    sandbox.file("windows.yaml", windows);
    let ran = sandbox.run(&["crd", "prune", "--crd", "crd.yaml", "windows.yaml"]);
    assert_eq!(ran.stdout, windows.replace("  foo: 1\r\n", ""), "{ran:?}");
    let item = "kind: Backup\napiVersion: example.com/v1\nspec:\n  schedule: \"daily\"\n  extra: 1\nmetadata: {name: b}\n";
    let items = format!("- {}", item.trim_end().replace('\n', "\n  "));
    sandbox.file("list.yaml", format!("apiVersion: v1\nkind: List\nitems:\n{items}\n{items}\n"));
    let ran = sandbox.run(&["crd", "prune", "--crd", "crd.yaml", "list.yaml"]);
    let pruned = item.replace("  extra: 1\n", "");
    assert_eq!(ran.stdout, format!("{pruned}---\n{pruned}"), "{ran:?}");
}

#[test]
fn what_defines_no_kind_is_said_to_define_none() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["crd", "check", "nightly.yaml"]);
    assert!(ran.stdout.contains("= help: name a file or a directory that defines kinds"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("--as"), "the command has no such flag: {}", ran.stdout);
    let said =
        "error[TL0159]: nothing was checked in `nightly.yaml`: it defines no kind (CustomResourceDefinition)";
    assert!(ran.stdout.contains(said), "{ran:?}");
    assert!(ran.stdout.ends_with("failed, because nothing was checked\n"), "{ran:?}");
    sandbox.file("empty.yaml", "");
    sandbox.file("objects/nightly.yaml", OBJECT);
    for named in ["nightly.yaml", "objects", "empty.yaml"] {
        let commands: [&[&str]; 6] = [
            &["crd", "check", named],
            &["crd", "diff", named, "crd.yaml"],
            &["crd", "diff", "crd.yaml", named],
            &["crd", "publish", named],
            &["crd", "prune", "--crd", named, "nightly.yaml"],
            &["crd", "default", "--crd", named, "nightly.yaml"],
        ];
        for command in commands {
            let ran = sandbox.run(command);
            assert_eq!(ran.code, Some(2), "{command:?}: {ran:?}");
        }
    }
    // One definition is enough for a directory.
    sandbox.file("objects/crd.yaml", CRD);
    assert_eq!(sandbox.run(&["crd", "check", "objects"]).code, Some(0));
}

#[test]
fn what_is_taken_for_a_definition_has_to_be_one() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["check", "--as", "crd", "nightly.yaml", "--format", "short"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.contains("nightly.yaml:2:7: error[TL0787] this is not a CustomResourceDefinition"),
        "{ran:?}"
    );
    assert_eq!(sandbox.run(&["check", "--as", "crd", "crd.yaml"]).code, Some(0));
}

#[test]
fn unknown_fields_of_custom_resources_are_told_where_they_belong() {
    let sandbox = sandbox();
    let target = "target: {type: object, properties: {bucket: {type: string}}}";
    sandbox.file(
        "crd.yaml",
        CRD.replace(
            "schedule: {type: string}",
            &format!("schedule: {{type: string}}\n              {target}"),
        ),
    );
    let rows = [
        ("spec: {schedul: daily}", "write `schedule`"),
        ("spec: {bucket: a}", "`bucket` belongs in `spec.target`: look at its indentation"),
        ("spec: {target: {keep: 1}}", "`keep` belongs in `spec`: look at its indentation"),
        ("spec: {bucket: [a]}", "remove `bucket`, or look up its name and where it belongs"),
        ("spec: {labels: {a: b}}", "`labels` belongs in `metadata`: look at its indentation"),
    ];
    for (spec, help) in rows {
        sandbox.file("object.yaml", OBJECT.replace("spec: {schedule: daily, extra: 1}", spec));
        let ran = sandbox.run(&["check", "object.yaml", "--crd", "crd.yaml"]);
        assert!(ran.stdout.contains("TL0701") && ran.stdout.contains(help), "{spec}: {}", ran.stdout);
    }
    sandbox.file("object.yaml", OBJECT.replace("}\nspec: {schedule: daily, extra: 1}", ", spec: {}}"));
    let ran = sandbox.run(&["check", "object.yaml", "--crd", "crd.yaml"]);
    let help = "`spec` belongs at the top of the object: look at its indentation";
    assert!(ran.stdout.contains(help), "{}", ran.stdout);
}

#[test]
fn the_summary_says_why_a_run_failed() {
    let sandbox = sandbox();
    let last = |arguments: &[&str]| {
        let ran = sandbox.run(&[&["check", "nightly.yaml"][..], arguments].concat());
        ran.stdout.lines().last().unwrap_or_default().to_owned()
    };
    assert!(last(&["--strict"]).ends_with("failed, because warnings count as errors"));
    assert!(last(&["--crd", "absent"]).ends_with("failed, because not everything could be read"));
}

#[test]
fn only_so_many_findings_are_shown() {
    let sandbox = sandbox();
    let many: String = (0..300).map(|number| format!("  f{number}: 1\n")).collect();
    sandbox.file("many.yaml", format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n{many}"));
    let shown = |arguments: &[&str]| {
        let ran = sandbox.run(&[&["check", "many.yaml"][..], arguments].concat());
        (ran.stdout.matches("error[").count(), ran.stdout.contains("not shown: "))
    };
    assert_eq!(shown(&[]), (200, true));
    assert_eq!(shown(&["--max-findings", "0"]), (300, false));
    assert_eq!(shown(&["--max-findings", "7", "--format", "short"]), (7, true));
    assert_eq!(shown(&["--format", "short"]), (300, false));
}

#[test]
fn changes_are_compared() {
    let sandbox = sandbox();
    sandbox.file("new.yaml", CRD.replace("maximum: 9", "maximum: 8"));
    let ran = sandbox.run(&["crd", "diff", "crd.yaml", "new.yaml", "--format", "short"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("new.yaml:21:"), "{ran:?}");
    let shown = sandbox.run(&["crd", "diff", "crd.yaml", "new.yaml"]);
    assert!(shown.stdout.contains("^ `maximum` was 9, and is 8 now"), "{shown:?}");
    assert!(ran.stdout.contains("warning[TL0841]"), "{ran:?}");
    assert_eq!(sandbox.run(&["crd", "diff", "crd.yaml", "new.yaml", "--strict"]).code, Some(1));
    sandbox.file("new.yaml", CRD.replace("Namespaced", "Cluster"));
    for flags in [&[][..], &["--established"]] {
        let refused =
            sandbox.run(&[&["crd", "diff", "crd.yaml", "new.yaml", "--format", "short"], flags].concat());
        assert_eq!(refused.code, Some(1), "{refused:?}");
        // The server says it, and nobody else does.
        assert!(refused.stdout.contains("1 error") && !refused.stdout.contains("warning["), "{refused:?}");
    }
    let unused = sandbox.run(&["crd", "diff", "crd.yaml", "new.yaml", "--not-established"]);
    assert_eq!(unused.code, Some(0), "{unused:?}");
    assert!(unused.stdout.contains("objects were stored with the scope Namespaced"), "{unused:?}");
    assert_eq!(sandbox.run(&["crd", "diff", "crd.yaml", "nightly.yaml"]).code, Some(2));
}

#[test]
fn definitions_are_found_in_the_crds_of_charts() {
    let sandbox = sandbox();
    let other =
        |most: &str| CRD.replace("backups", "others").replace("Backup", "Other").replace("maximum: 9", most);
    for (chart, most) in [("one", "maximum: 9"), ("two", "maximum: 8")] {
        sandbox.file(&format!("{chart}/Chart.yaml"), "apiVersion: v2\nname: x\nversion: 1.0.0\n");
        sandbox.file(&format!("{chart}/templates/crd.yaml"), "{{ if }}");
        sandbox.file(&format!("{chart}/crds/backups.yaml"), CRD.replace("maximum: 9", most));
        sandbox
            .file(&format!("{chart}/charts/sub/Chart.yaml"), "apiVersion: v2\nname: sub\nversion: 1.0.0\n");
        sandbox.file(&format!("{chart}/charts/sub/crds/others.yaml"), other(most));
    }
    let ran = sandbox.run(&["crd", "check", "one", "--format", "short"]);
    assert!(ran.code == Some(0) && ran.stdout.contains("checked 2"), "{ran:?}");
    let ran = sandbox.run(&["crd", "diff", "one", "two", "--format", "short"]);
    assert!(ran.code == Some(0) && ran.stdout.contains("2 warnings"), "{ran:?}");
    assert_eq!(sandbox.run(&["check", "nightly.yaml", "--crd", "one"]).code, Some(1));
    let ran = sandbox.run(&["crd", "default", "--crd", "one", "nightly.yaml"]);
    assert!(ran.stdout.contains("kind: Backup"), "{ran:?}");
    // A chart without definitions holds none.
    sandbox.file("bare/Chart.yaml", "apiVersion: v2\nname: x\nversion: 1.0.0\n");
    assert_eq!(sandbox.run(&["crd", "check", "bare"]).code, Some(2));
}

#[test]
fn what_is_missing_is_told_where_check_tells_it() {
    let sandbox = sandbox();
    sandbox.file(
        "required.yaml",
        CRD.replace("            properties:\n", "            required: [bucket]\n            properties:\n"),
    );
    sandbox.file(
        "nested.yaml",
        "apiVersion: example.com/v1\nkind: Backup\nmetadata:\n  name: a\nspec:\n  spec:\n    bucket: x\n",
    );
    for command in ["prune", "default"] {
        let ran = sandbox.run(&["crd", command, "--crd", "required.yaml", "nested.yaml"]);
        assert!(ran.stderr.starts_with("error: nested.yaml:5:1: `spec.bucket` is missing"), "{ran:?}");
    }
}

#[test]
fn a_new_definition_that_cannot_be_read_is_refused_and_the_others_are_compared() {
    let sandbox = sandbox();
    let unreadable = CRD.replace("maximum: 9", "maximum: \"9\"");
    sandbox.file("bad.yaml", &*unreadable);
    let ran = sandbox.run(&["crd", "diff", "crd.yaml", "bad.yaml", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["findings"][0]["code"], "TL0801", "{report}");
    assert_eq!(sandbox.run(&["crd", "diff", "bad.yaml", "crd.yaml"]).code, Some(2));
    let other = unreadable.replace("backups", "others").replace("Backup", "Other");
    sandbox.file("new/a.yaml", other);
    sandbox.file("new/b.yaml", CRD.replace("maximum: 9", "maximum: 8"));
    let ran = sandbox.run(&["crd", "diff", "crd.yaml", "new", "--format", "short"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("TL0801") && ran.stdout.contains("TL0841"), "{ran:?}");
}

#[test]
fn schemas_are_published() {
    let sandbox = sandbox();
    let json = |arguments: &[&str]| -> serde_json::Value {
        let ran = sandbox.run(&[&["crd", "publish", "crd.yaml"][..], arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let version_three = json(&[]);
    let backup = &version_three["components"]["schemas"]["com.example.v1.Backup"];
    assert_eq!(backup["properties"]["spec"]["properties"]["keep"]["default"], 7);
    let version_two = json(&["-o", "openapi-v2"]);
    let backup = &version_two["definitions"]["com.example.v1.Backup"];
    assert_eq!(
        backup["properties"]["spec"]["properties"]["keep"],
        serde_json::json!({"type": "integer", "maximum": 9})
    );
    assert_eq!(json(&["-o", "json-schema"])["type"], "object");
    let ran = sandbox.run(&["crd", "publish", "crd.yaml", "--api-version", "v9"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    sandbox.file("refused.yaml", CRD.replace("name: backups.example.com", "name: backup.example.com"));
    let ran = sandbox.run(&["crd", "publish", "refused.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("com.example.v1.Backup"), "{ran:?}");
    assert!(ran.stderr.starts_with("error: refused.yaml:4:9: "), "{ran:?}");
}

#[test]
fn what_is_longer_than_a_request_is_refused_by_all_commands() {
    let sandbox = sandbox();
    let description = "x".repeat(3 << 20);
    let large = CRD.replace("keep: {", &format!("keep: {{description: {description}, "));
    assert!(large.len() > CRD.len());
    sandbox.file("large.yaml", &large);
    sandbox.file("large-object.yaml", OBJECT.replace("daily", &description));
    let told = "this object is longer than the 3 MiB that an API server takes in one request";
    // What is run, how it ends, and whether the report says it.
    let rows: [(&[&str], i32, bool); 7] = [
        (&["crd", "check", "large.yaml", "--format", "short"], 1, true),
        (&["crd", "diff", "crd.yaml", "large.yaml", "--format", "short"], 1, true),
        (&["crd", "diff", "large.yaml", "crd.yaml"], 2, false),
        (&["crd", "publish", "large.yaml"], 1, false),
        (&["crd", "default", "--crd", "large.yaml", "nightly.yaml"], 2, false),
        (&["crd", "prune", "--crd", "crd.yaml", "large-object.yaml"], 1, false),
        (&["check", "--crd", "large.yaml", "nightly.yaml", "--format", "short"], 1, true),
    ];
    for (arguments, code, is_report) in rows {
        let ran = sandbox.run(arguments);
        let out = if is_report { &ran.stdout } else { &ran.stderr };
        assert!(out.contains(told), "{arguments:?}: {}", out.len());
        assert_eq!(ran.code, Some(code), "{arguments:?}");
    }
    // The others are published.
    let ran = sandbox.run(&["crd", "publish", "large.yaml", "crd.yaml"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("com.example.v1.Backup"), "{}", ran.stderr);
}

#[test]
fn definitions_may_stand_in_a_list() {
    let sandbox = sandbox();
    let item: String = CRD.lines().map(|line| format!("  {line}\n")).collect();
    sandbox.file("list.yaml", format!("apiVersion: v1\nkind: List\nitems:\n-{}", &item[1..]));
    let same = sandbox.run(&["crd", "diff", "list.yaml", "crd.yaml", "--strict"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert_eq!(sandbox.run(&["crd", "publish", "list.yaml"]).code, Some(0));
    let ran = sandbox.run(&["check", "nightly.yaml", "--crd", "list.yaml"]);
    assert!(ran.code == Some(1) && ran.stdout.contains("TL0701"), "{ran:?}");
}

#[test]
fn flags_say_what_objects_are_held_against() {
    let sandbox = sandbox();
    let code = |arguments: &[&str]| sandbox.run(&[&["check", "nightly.yaml"][..], arguments].concat()).code;
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--strict"]), Some(1));
    assert_eq!(code(&["--crd", "crd.yaml"]), Some(1));
    assert_eq!(code(&["--crd", "crd.yaml", "--field-validation", "warn"]), Some(0));
    assert_eq!(code(&["--crd", "absent.yaml"]), Some(2));
    assert_eq!(code(&["--crd", "crd.yaml", "--skip", "Backup"]), Some(0));
    assert_eq!(code(&["--field-validation", "loud"]), Some(2));
    assert_eq!(code(&["--crd", "crd.yaml", "--old", "absent.yaml"]), Some(2));
    sandbox.file("schemas/backup.json", r#"{"properties": {"spec": {"required": ["keep"]}}}"#);
    let located = ["--schema-location", "schemas/{{ .ResourceKind }}.json", "--format", "short"];
    let ran = sandbox.run(&[&["check", "nightly.yaml"][..], &located].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.starts_with("nightly.yaml:4:1: error[TL0202]"), "{ran:?}");
    assert_eq!(code(&["--schema-location", "{{ .Nothing }}.json"]), Some(2));
    sandbox.file("trueline.toml", "crds = [\"crd.yaml\"]\nfield-validation = \"warn\"\n");
    let ran = sandbox.run(&["check", "nightly.yaml", "--format", "short"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("nightly.yaml:4:25: warning[TL0701]"), "{ran:?}");
}

#[test]
fn what_is_given_as_old_counts_as_in_use() {
    let sandbox = sandbox();
    sandbox.file("new.yaml", CRD.replace("Namespaced", "Cluster").replace("kind: Backup,", "kind: Copy,"));
    let fields = |arguments: &[&str]| {
        let ran = sandbox.run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings =
            report["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == "error");
        findings.map(|finding| finding["kube"]["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let compared = fields(&["crd", "diff", "crd.yaml", "new.yaml"]);
    assert_eq!(compared, ["spec.scope", "spec.names.kind"]);
    for command in [&["crd", "check"][..], &["check"]] {
        assert_eq!(fields(&[command, &["new.yaml", "--old", "crd.yaml"]].concat()), compared, "{command:?}");
    }
}

#[test]
fn what_cannot_be_taken_is_told_where_it_was_typed() {
    let sandbox = sandbox();
    sandbox.file("v2.yaml", OBJECT.replace("example.com/v1", "example.com/v2"));
    for command in ["prune", "default"] {
        let ran = sandbox.run(&["crd", command, "--crd", "crd.yaml", "v2.yaml"]);
        assert!(
            ran.stderr.starts_with("error: v2.yaml:1:13: the CRD of `Backup` serves no version"),
            "{ran:?}"
        );
    }
    let ran = sandbox.run(&["crd", "publish", "crd.yaml", "--api-version", "v9"]);
    assert!(ran.stderr.contains("no definition has a version `v9`; there is v1"), "{ran:?}");
    sandbox.file("bad.yaml", sandbox.read("crd.yaml").replace("type: object", "type: []"));
    let ran = sandbox.run(&["crd", "publish", "bad.yaml"]);
    assert!(ran.code == Some(2) && ran.stderr.contains(", found a list"), "{ran:?}");
}

#[test]
fn a_misspelt_kind_is_told_where_a_definition_is_near() {
    let sandbox = sandbox();
    for (kind, expected) in [("Bakcup", true), ("Restore", false)] {
        sandbox.file("slip.yaml", OBJECT.replace("kind: Backup", &format!("kind: {kind}")));
        let ran = sandbox.run(&["check", "slip.yaml", "--crd", "crd.yaml"]);
        assert_eq!(
            ran.stdout.contains("warning[TL0781]") && ran.stdout.contains("slip.yaml:2:7"),
            expected,
            "{ran:?}"
        );
        assert_eq!(ran.stdout.contains("did you mean `Backup`?"), expected, "{ran:?}");
    }
}

#[test]
fn a_second_storage_version_is_told_where_it_was_typed() {
    let sandbox = sandbox();
    let schema = "{openAPIV3Schema: {type: object}}";
    let second = format!("  - {{name: v2, served: true, storage: true, schema: {schema}}}\n");
    sandbox.file("two.yaml", format!("{CRD}{second}"));
    let ran = sandbox.run(&["crd", "check", "two.yaml", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut findings = report["findings"].as_array().unwrap().iter();
    let stored = findings.find(|finding| finding["kube"]["field"] == "status.storedVersions").unwrap();
    let place = &stored["labels"][0];
    assert_eq!((place["line"].as_u64(), place["column"].as_u64()), (Some(22), Some(39)), "{stored:#}");
}

#[test]
fn a_narrower_pattern_is_shown_with_an_object() {
    let sandbox = sandbox();
    let with = |pattern: &str| {
        CRD.replace("schedule: {type: string}", &format!("schedule: {{type: string, pattern: '{pattern}'}}"))
    };
    sandbox.file("old.yaml", with("^job-[0-9]+/[a-f]+$"));
    sandbox.file("new.yaml", with("^job-[0-9]+/[a-f]{2,}$"));
    let ran = sandbox.run(&["crd", "diff", "old.yaml", "new.yaml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("schedule: job-0/a"), "{ran:?}");
    sandbox.file("object.yaml", OBJECT.replace("daily, extra: 1", "job-0/a"));
    for (definition, code) in [("old.yaml", 0), ("new.yaml", 1)] {
        let ran = sandbox.run(&["check", "object.yaml", "--crd", definition]);
        assert_eq!(ran.code, Some(code), "{definition}: {ran:?}");
    }
    let wider = sandbox.run(&["crd", "diff", "new.yaml", "old.yaml", "--strict"]);
    assert_eq!(wider.code, Some(0), "{wider:?}");
    sandbox.file("large.yaml", with("^(a|b)*a(a|b){300}$"));
    sandbox.file("other.yaml", with("^(a|b)*a(a|b){200}a(a|b){99}$"));
    let undecided = sandbox.run(&["crd", "diff", "large.yaml", "other.yaml", "--strict"]);
    assert_eq!(undecided.code, Some(0), "{undecided:?}");
    assert!(undecided.stdout.contains("compare the two by hand"), "{undecided:?}");
}

#[test]
fn rules_are_evaluated_on_examples_and_on_defaulted_objects() {
    let sandbox = sandbox();
    let rule = "schedule: {type: string, x-kubernetes-validations: [{rule: \"self != 'never'\"}]}";
    let with_rule = CRD.replace("schedule: {type: string}", rule);
    sandbox.file("crd.yaml", &with_rule);
    sandbox.file("new.yaml", with_rule.replace("{type: string, x", "{type: string, maxLength: 3, x"));
    let ran = sandbox.run(&["crd", "diff", "crd.yaml", "new.yaml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("an object that the old CRD accepts"), "{ran:?}");
    let ran = sandbox.run(&["crd", "default", "--crd", "crd.yaml", "nightly.yaml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("CEL") && !ran.stderr.contains("CEL"), "{ran:?}");
}

/// The CRD with a union in its spec, which only `--field-validation ignore` lets pass.
fn with_union() -> String {
    let more = "              weekly: {type: object, minProperties: 1}
              monthly: {type: object}
            x-kubernetes-unions:
            - discriminator: schedule
              fields: {weekly: Weekly, monthly: Monthly}
";
    format!("{CRD}{more}")
}

#[test]
fn unions_of_objects_are_warnings_and_errors_in_a_strict_run() {
    let sandbox = sandbox();
    sandbox.file("crd.yaml", with_union());
    let check = |spec: &str, strict: bool| {
        sandbox.file("nightly.yaml", OBJECT.replace("{schedule: daily, extra: 1}", spec));
        let mut line = vec!["check", "nightly.yaml", "--crd", "crd.yaml", "--format", "short"];
        line.extend(strict.then_some("--strict"));
        sandbox.run(&line)
    };
    assert_eq!(
        check("{schedule: Weekly, weekly: {day: 1}}", true).code,
        Some(1),
        "`day` is not a known field"
    );
    let ran = check("{schedule: Weekly, monthly: {}}", false);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let expected = "nightly.yaml:4:18: warning[TL0731] `spec.schedule` is \"Weekly\", but the field that is set is `monthly`";
    assert!(ran.stdout.contains(expected), "{ran:?}");
    assert_eq!(check("{schedule: Weekly, monthly: {}}", true).code, Some(1));
    assert_eq!(check("{schedule: Monthly, monthly: {}}", true).code, Some(0));
    let ran = check("{schedule: Monthly}", true);
    assert!(ran.stdout.contains("[TL0730] `spec` sets no field of its union"), "{ran:?}");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

#[test]
fn value_validation_can_be_dropped_from_what_is_published() {
    let sandbox = sandbox();
    sandbox.file("crd.yaml", with_union());
    let spec = |flags: &[&str]| -> serde_json::Value {
        let ran = sandbox.run(&[&["crd", "publish", "crd.yaml"], flags].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        document["components"]["schemas"]["com.example.v1.Backup"]["properties"]["spec"].clone()
    };
    let union = serde_json::json!([{"discriminator": "schedule", "fields": {"monthly": "Monthly", "weekly": "Weekly"}}]);
    let server = spec(&[]);
    assert_eq!(server.get("x-kubernetes-unions"), None, "servers drop unions");
    assert_eq!(server["properties"]["keep"]["maximum"], 9);
    let document = spec(&["--kep"]);
    assert_eq!(document["x-kubernetes-unions"], union);
    assert_eq!(document["oneOf"], serde_json::json!([{"required": ["monthly"]}, {"required": ["weekly"]}]));
    assert_eq!(document["properties"]["schedule"]["enum"], serde_json::json!(["Monthly", "Weekly"]));
    let dropped = spec(&["--kep", "--drop-validation"]);
    assert_eq!(
        dropped,
        serde_json::json!({"type": "object", "x-kubernetes-unions": union, "properties": {
            "schedule": {"type": "string"}, "weekly": {"type": "object"}, "monthly": {"type": "object"},
            "keep": {"type": "integer", "default": 7}}})
    );
    let ran = sandbox.run(&["crd", "publish", "crd.yaml", "--drop-validation", "-o", "json-schema"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn the_condition_of_schemas_that_are_not_structural_is_printed() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["crd", "check", "crd.yaml", "--conditions"]);
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: \
                backups.example.com\nstatus:\n  conditions:";
    assert_eq!((ran.code, ran.stdout), (Some(0), format!("{head} []\n")));
    sandbox.file("crd.yaml", CRD.replace("schedule: {type: string}", "schedule: {}"));
    let message = "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[schedule].type: Required value: \
                   must not be empty for specified object fields";
    let ran = sandbox.run(&["crd", "check", "crd.yaml", "--conditions", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let list: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        list["items"][0]["status"]["conditions"],
        serde_json::json!([{"type": "NonStructuralSchema", "status": "True", "reason": "Violations", "message": message}])
    );
    sandbox.file(
        "crd.yaml",
        CRD.replace("schedule: {type: string}", "schedule: {}")
            .replace("  scope: Namespaced\n", "  scope: Namespaced\n  preserveUnknownFields: true\n"),
    );
    let ran = sandbox.run(&["crd", "check", "crd.yaml", "--conditions"]);
    // Lines are folded, so the text is compared without its breaks.
    let printed = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let both = format!("'[spec.preserveUnknownFields: Invalid value: true: must be false, {message}]'");
    assert!(printed.contains(&both), "{printed}");
    let ran = sandbox.run(&["crd", "check", "crd.yaml", "--conditions", "--format", "sarif"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
