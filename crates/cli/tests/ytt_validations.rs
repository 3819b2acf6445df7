//! Validations on the command line: flags that turn them off, the Harbor example, exports and imports of schemas.

mod support;

use support::{Ran, Sandbox, repository, run};

fn in_examples(arguments: &[&str]) -> Ran {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(arguments);
    run(command.current_dir(repository().join("examples/ytt")), b"")
}

#[track_caller]
fn accepted(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    &ran.stdout
}

#[test]
fn flags_turn_validations_off() {
    let sandbox = Sandbox::new();
    sandbox.file("s.yml", "#@data/values-schema\n---\n#@schema/validation min=5\na: 1\n");
    sandbox.file("t.yml", "#@assert/validate min=5\nb: 1\n");
    fn line<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["ytt", "-f", "s.yml", "-f", "t.yml"], more].concat()
    }
    let failed = sandbox.run(&line(&[]));
    assert!(failed.stderr.starts_with("ytt: Error: Validating final data values:\n  a\n"), "{failed:?}");
    let values = ["--dangerous-data-values-disable-validation", "--data-value-schema-disable-validation"];
    for flag in values {
        let failed = sandbox.run(&line(&[flag]));
        assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""));
        assert!(failed.stderr.starts_with("ytt: Error: Validating output documents:\n  b\n"), "{failed:?}");
        for output in ["--output-disable-validation", "--output-disable-validation=True"] {
            assert_eq!(accepted(&sandbox.run(&line(&[flag, output]))), "b: 1\n");
        }
    }
    let failed = sandbox.run(&line(&["--output-disable-validation"]));
    assert!(failed.stderr.starts_with("ytt: Error: Validating final data values:\n"), "{failed:?}");
}

#[test]
fn harbor_has_good_values_and_bad_ones() {
    assert!(
        accepted(&in_examples(&["ytt", "-f", "harbor"]))
            .contains("externalURL: https://harbor.example.org:443\n")
    );
    let bad = in_examples(&["ytt", "-f", "harbor", "--data-values-file", "harbor-bad.yml"]);
    let paths: Vec<&str> = bad
        .stderr
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(str::trim)
        .collect();
    let expected = [
        "(document)",
        "hostname",
        "port.https",
        "logLevel",
        "secretKey",
        "persistence.persistentVolumeClaim.registry.size",
        "persistence.imageChartStorage",
        "persistence.imageChartStorage.swift.authurl",
        "persistence.imageChartStorage.swift.username",
        "persistence.imageChartStorage.swift.password",
        "persistence.imageChartStorage.swift.container",
    ];
    assert_eq!(paths, expected, "{}", bad.stderr);
    // Each is a finding at the place of the value.
    let checked = in_examples(&["check", "harbor", "--offline", "--data-values-file", "harbor-bad.yml"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert_eq!(checked.stdout.matches("error[TL1009]").count(), expected.len(), "{}", checked.stdout);
    for part in [
        "error[TL1009]: `hostname` is not a valid hostname\n",
        " --> harbor-bad.yml:2:11\n",
        "the rule is here",
        "the document breaks a validation rule: 2 replicas are configured\n",
        "= help: it must be: exactly one registry replica if images are stored in a volume that one node can mount\n",
    ] {
        assert!(checked.stdout.contains(part), "{part}\n{}", checked.stdout);
    }
    // A flag is a place as well.
    let flag = in_examples(&["check", "harbor", "--offline", "--data-value-yaml", "port.https=0"]);
    assert!(flag.stdout.contains("--> --data-value-yaml port.https=0:1:12\n"), "{}", flag.stdout);
    let good = in_examples(&["check", "harbor", "--offline"]);
    assert_eq!(good.code, Some(0), "{good:?}");
}

#[test]
fn harbor_is_exported_and_imported() {
    for format in ["openapi-v3", "json-schema", "crd-schema"] {
        let ran = in_examples(&["ytt", "-f", "harbor", "--data-values-schema-inspect", "-o", format]);
        let text = accepted(&ran);
        assert!(text.contains("maximum: 65535"), "{text}");
        assert_eq!(text.contains("oneOf:"), format == "json-schema");
        assert_eq!(text.contains("x-kubernetes-validations:"), format == "crd-schema");
        assert_eq!(text.contains("x-validation:"), format == "json-schema");
        assert_eq!(text.contains("pattern:"), format != "openapi-v3");
        for never in ["anyOf", "allOf", "not:", "patternProperties", "dependencies"] {
            assert!(format != "openapi-v3" || !text.contains(never), "{never}");
        }
    }
    let exported = in_examples(&[
        "ytt",
        "-f",
        "harbor",
        "--data-values-schema-inspect",
        "-o",
        "json-schema",
        "-o",
        "json",
    ]);
    let sandbox = Sandbox::new();
    sandbox.file("values.schema.json", accepted(&exported));
    let imported = sandbox.run(&["ytt", "schema", "import", "values.schema.json"]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    assert!(
        imported.stdout.contains("#@schema/validation one_not_null=[\"filesystem\", \"azure\""),
        "{imported:?}"
    );
    sandbox.file("schema.yml", &imported.stdout);
    let values = "hostname: a.example.com\nsecretKey: short\n";
    sandbox.file("values.yml", values);
    let ran = sandbox.run(&[
        "ytt",
        "-f",
        "schema.yml",
        "--data-values-file",
        "values.yml",
        "--data-values-inspect",
    ]);
    assert!(ran.stderr.contains("  secretKey\n"), "{ran:?}");
}

#[test]
fn what_cannot_be_imported_is_said() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "s.json",
        "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\", \"pattern\": \"(?=a)\"}}}\n",
    );
    let ran = sandbox.run(&["ytt", "schema", "import", "s.json"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stdout, "#@data/values-schema\n---\na: \"\"\n");
    assert_eq!(
        ran.stderr,
        "s.json:1:20: `additionalProperties` is not expressed: a map of a ytt schema has no other keys\n\
         s.json:1:59: a: `pattern` is not expressed: it is not checked\n"
    );
    for (name, text, expected) in [
        (
            "list.json",
            "[]",
            "ytt: Error: list.json: expected a JSON Schema or a CRD, found something that is not a map\n",
        ),
        ("broken.json", "{", "ytt: Error: broken.json:1:1: "),
        ("empty.json", "", "ytt: Error: empty.json: expected a JSON Schema or a CRD, found an empty file\n"),
        ("crd.yaml", "kind: CustomResourceDefinition\n", "ytt: Error: crd.yaml: the CRD has no schema"),
    ] {
        sandbox.file(name, text);
        let ran = sandbox.run(&["ytt", "schema", "import", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
        assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    }
    let ran = sandbox.run(&["ytt", "schema", "import"]);
    assert_eq!(ran.stderr, "ytt: Error: command 'ytt schema import' expects one file, found 0\n");
    assert!(sandbox.run(&["ytt", "schema", "import", "--help"]).stdout.contains("schema import FILE"));
}
