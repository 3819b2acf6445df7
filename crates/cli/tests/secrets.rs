//! Secrets are in no output of any format, wherever they are typed; what is no secret is shown.

mod support;

use support::Sandbox;
use trueline_report::Format;

/// What must not be told: the secret, and its base64.
const SECRETS: [&str; 2] = ["hunter2", "aHVudGVyMg"];

/// Runs a check; all reports, by format.
fn reports(sandbox: &Sandbox, arguments: &[&str]) -> Vec<(&'static str, String)> {
    let outputs: Vec<String> =
        Format::ALL.iter().map(|format| format!("--output={format}=out/{format}")).collect();
    std::fs::create_dir_all(sandbox.path("out")).unwrap();
    let mut all = vec!["check", "--max-findings", "0"];
    all.extend(arguments);
    all.extend(outputs.iter().map(String::as_str));
    let ran = sandbox.run(&all);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let mut reports: Vec<(&str, String)> =
        Format::ALL.iter().map(|format| (format.name(), sandbox.read(&format!("out/{format}")))).collect();
    reports.push(("standard output", ran.stdout));
    reports.push(("standard error", ran.stderr));
    reports
}

fn tell_nothing(reports: &[(&str, String)]) {
    for (format, report) in reports {
        for secret in SECRETS {
            let line = report.lines().find(|line| line.contains(secret));
            assert_eq!(line, None, "{format}");
        }
    }
}

#[test]
fn a_name_that_is_a_secret_is_not_suggested_in_another_spelling() {
    let sandbox = Sandbox::new();
    sandbox.file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    sandbox.file("web/values.yaml", "password: Hunter2_X\n");
    let secret =
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {password: {{ .Values.password }}}\n";
    let named = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.password }}}\n";
    sandbox.file("web/templates/all.yaml", format!("{secret}---\n{named}"));
    let reports = reports(&sandbox, &["web"]);
    assert!(reports.iter().any(|(_, report)| report.contains("is not a valid name")), "{reports:?}");
    tell_nothing(&reports);
}

#[test]
fn objects() {
    let sandbox = Sandbox::new();
    let head = |name: &str| format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}}}\n");
    let many: String = (0..1500).map(|index| format!("  key{index}: x\n")).collect();
    let cases: &[(&str, String)] = &[
        ("flow.yaml", head("a") + "stringData: {pw: hunter2, b: [hunter2]}\n"),
        ("margin.yaml", head("b") + "stringData: {\na: hunter2,\nb: [hunter2],\nc: hunter2}\n"),
        (
            "line.yaml",
            "{apiVersion: v1, kind: Secret, metadata: {name: c}, stringData: {a: {x: hunter2}}}\n".to_owned(),
        ),
        (
            "line.json",
            r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"d"},"data":{"u":"hunter2!","b":5}}"#.to_owned(),
        ),
        ("number.yaml", head("e") + "data: {aHVudGVyMg==: x, b: aHVudGVyMg=}\n".replace("aHVudGVyMg==", "a").as_str()),
        ("long.yaml", head("f") + "stringData:\n" + &many + "  last: [hunter2]\n"),
        ("anchor.yaml", head("g") + "base: &b {a: [hunter2]}\nstringData: *b\n"),
        ("merge.yaml", head("h") + "base: &b {a: hunter2}\nstringData: {<<: *b, c: 1}\n"),
        ("misspelt.yaml", head("i") + "stringdata: {a: hunter2}\n"),
        (
            "list.yaml",
            "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: j}, data: {a: hunter2!}}]\n"
                .to_owned(),
        ),
        (
            "secrets.yaml",
            "apiVersion: v1\nkind: SecretList\nitems:\n- metadata: {name: k}\n  stringData: {a: [hunter2]}\n".to_owned(),
        ),
        ("broken.yaml", head("l") + "stringData:\n  a: hunter2\n  b: [hunter2\n  c: hunter2\n"),
        ("brace.yaml", head("m") + "stringData: {a: hunter2, b: hunter2\n"),
        ("alias.yaml", head("n") + "stringData:\n  a: *hunter2\n"),
        ("tag.yaml", head("o") + "data:\n  a: !!binary hunter2\n  a: hunter2\n"),
        (
            "env.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    image: a\n    \
             env:\n    - {name: DB_PASSWORD, value: [hunter2]}\n"
                .to_owned(),
        ),
        (
            "hook.yaml",
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: \
             q}\nwebhooks:\n- name: a.b.c\n  sideEffects: None\n  admissionReviewVersions: [v1]\n  clientConfig: \
             {url: 'https://me:hunter2@example.com/'}\n"
                .to_owned(),
        ),
        (
            "crd.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: \
             bs.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: B, plural: bs, \
             singular: b, listKind: BList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
             schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            \
             type: object\n            properties:\n              password: {type: string, enum: [a, b]}\n              \
             token: {type: string, pattern: '^x$'}\n              apiKey: {type: integer}\n              plain: \
             {type: string, enum: [c]}\n"
                .to_owned(),
        ),
        (
            "custom.yaml",
            "apiVersion: example.com/v1\nkind: B\nmetadata: {name: r}\nspec: {password: hunter2, token: hunter2, \
             apiKey: hunter2, plain: ordinary}\n"
                .to_owned(),
        ),
    ];
    for (name, text) in cases {
        sandbox.file(&format!("in/{name}"), text);
    }
    let reports = reports(&sandbox, &["in"]);
    tell_nothing(&reports);
    let human = &reports[0].1;
    for (name, _) in cases.iter().filter(|(name, _)| *name != "crd.yaml") {
        assert!(human.contains(&format!("in/{name}:")), "{name} is not in\n{human}");
    }
    assert!(human.contains("plain: ordinary"), "what is no secret is shown\n{human}");
    assert!(human.contains("`spec.plain`: expected \"c\", found \"ordinary\""), "{human}");
    assert!(human.contains("stringData: {pw: *******, b: *********}"), "{human}");
}

#[test]
fn commands_are_masked_and_references_are_shown() {
    let sandbox = Sandbox::new();
    let pod = |rest: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - name: a\n    image: a\n{rest}"
        )
    };
    sandbox
        .file("in/args.yaml", pod("    args: [--password=hunter2, 5]\n    command: [run, --token, hunter2, 6]\n"))
        .file("in/shell.yaml", pod("    argz: [sh, -c, 'DB_PASSWORD=hunter2 mysql -phunter2 -e x']\n"))
        .file("in/dsn.yaml", pod("    env: [{name: DSN, valeu: 'Server=h;Password=hunter2;'}]\n"))
        .file("in/pull.yaml", pod("  imagePullSecrets: [{nam: ordinary}]\n"))
        .file(
            "in/volumes.yaml",
            pod("  volumes: [{name: v, secret: {secretName: ordinary, defaultMode: 99999}}]\n"),
        )
        .file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
        .file("web/values.yaml", "secretly: hunter2\nmode: 99999\n")
        .file(
            "web/templates/pod.yaml",
            pod("    args: {a: \"--password={{ .Values.secretly }}\"}\n  volumes: [{name: v, secret: {secretName: ordinary, defaultMode: {{ .Values.mode }}}}]\n"),
        );
    let reports = reports(&sandbox, &["in", "web"]);
    tell_nothing(&reports);
    let human = &reports[0].1;
    for shown in [
        "args: [--password=*******, 5]",
        "command: [run, --token, *******, 6]",
        "imagePullSecrets: [{nam: ordinary}]",
        "secret: {secretName: ordinary, defaultMode: 99999}",
        "defaultMode` is 99999",
    ] {
        assert!(human.contains(shown), "{shown} is not in\n{human}");
    }
}

#[test]
fn the_words_of_the_server_are_kept() {
    let sandbox = Sandbox::new();
    let secret = |data: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nimmutable: true\ndata: {{a: {data}}}\n")
    };
    sandbox.file("old.yaml", secret("aGk=")).file("in/new.yaml", secret("aHVudGVyMg=="));
    let reports = reports(&sandbox, &["--old", "old.yaml", "in"]);
    tell_nothing(&reports);
    let human = &reports[0].1;
    assert!(human.contains("field is immutable when `immutable` is set"), "{human}");
}

#[test]
fn charts() {
    let sandbox = Sandbox::new();
    sandbox
        .file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
        .file("web/values.yaml", "auth: {pw: hunter2, flag: x, pin: 1, list: [hunter2]}\nimage: {tag: ordinary}\n")
        .file(
            "web/values.schema.json",
            r#"{"properties": {
                "auth": {"properties": {"pw": {"maxLength": 3}, "flag": {"enum": ["y"]}, "list": {"items": {"type": "integer"}}}},
                "image": {"properties": {"tag": {"pattern": "^[0-9]+$"}}}
            }}"#,
        )
        .file(
            "web/templates/secret.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata:\n  pw: {{ .Values.auth.pw | b64enc }}!\n\
             stringData:\n  flag: {{ .Values.auth.flag }}\n  list: {{ toJson .Values.auth.list }}\n  literal: [hunter2]\n  \
             other: {{ \"hunter2\" | len }}\n",
        )
        .file(
            "web/templates/broken.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: b}\nstringData:\n  a: {{ .Values.auth.pw }}\n b: [hunter2\n",
        )
        .file(
            "web/templates/nil.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: c}\nstringData:\n  a: hunter2 {{ .Values.none.at.all }}\n",
        );
    let reports = reports(&sandbox, &["web", "--set", "auth.flag=hunter2", "--set", "image.tag=usual"]);
    tell_nothing(&reports);
    let human = &reports[0].1;
    for shown in [
        "--set auth.flag=…:1:11",
        "--set image.tag=usual:1:11",
        "web/values.yaml:1:12",
        "auth: {pw: *******, flag: *, pin: 1, list: *********}",
        "image.tag=usual\n",
        "a: ********{{ .Values.none.at.all }}",
    ] {
        assert!(human.contains(shown), "{shown} is not in\n{human}");
    }
}

/// A chart whose only value gets into a Secret, into the name of another object, and is validated against a schema.
fn chart_with(sandbox: &Sandbox, schema: &str) {
    sandbox
        .file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
        .file("web/values.yaml", "blob: the-hunter2-of-all\n")
        .file("web/values.schema.json", format!("{{\"properties\": {{\"blob\": {schema}}}}}"))
        .file(
            "web/templates/secret.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {blob: {{ .Values.blob | quote }}}\n",
        )
        .file(
            "web/templates/map.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.blob }}}\n",
        );
}

#[test]
fn values_of_any_spelling() {
    let schemas = [r#"{"enum": ["a1"]}"#, r#"{"type": "integer"}"#, r#"{"pattern": "^[0-9]$"}"#];
    for schema in schemas {
        let sandbox = Sandbox::new();
        chart_with(&sandbox, schema);
        sandbox.file("key.pem", "-----BEGIN KEY-----\nhunter2abc\nhunter2def\n-----END KEY-----\n");
        sandbox.file("values.yaml", "blob: |\n  one!\n  hunter2!\n");
        for flags in [
            ["--set-file", "blob=key.pem"],
            ["-f", "values.yaml"],
            ["--set-literal", "blob=hunter2!"],
            ["--set-literal", "blob=!!hunter2"],
            ["--set-literal", "blob=\"hunter2\""],
            ["--set-literal", "blob=`hunter2`x"],
            ["--set", "blob=x: hunter2"],
            ["--set-json", "blob={\"a\": \"hunter2\"}"],
        ] {
            let reports = reports(&sandbox, &["web", flags[0], flags[1]]);
            for (format, report) in &reports {
                let line = report.lines().find(|line| line.contains("hunter2"));
                assert_eq!(line, None, "{format} {flags:?} {schema}");
            }
        }
    }
}

#[test]
fn what_a_cluster_refuses_of_pruned_objects() {
    let sandbox = Sandbox::new();
    let versions = "versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, \
                    properties: {spec: {type: object, properties: {password: {type: string, pattern: '^a$'}}}}}}}]";
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: \
                bs.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: B, plural: bs, \
                singular: b, listKind: BList}\n  ";
    sandbox.file("crd.yaml", format!("{head}{versions}\n"));
    sandbox.file(
        "object.yaml",
        "apiVersion: example.com/v1\nkind: B\nmetadata: {name: r}\nspec:\n  password: |\n    hunter2\n    hunter2!\n",
    );
    sandbox.file(
        "pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    image: a\n    env:\n    - \
         {name: API_TOKEN, vale: hunter2}\n",
    );
    tell_nothing(&reports(&sandbox, &["pod.yaml"]));
    for command in ["prune", "default"] {
        let ran = sandbox.run(&["crd", command, "--crd", "crd.yaml", "object.yaml"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("object.yaml:5:13") && !ran.stderr.contains("hunter2"), "{}", ran.stderr);
    }
    tell_nothing(&reports(&sandbox, &["object.yaml", "--crd", "crd.yaml"]));
}

#[test]
fn names_with_a_mistake_in_them() {
    let sandbox = Sandbox::new();
    sandbox
        .file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
        .file("web/values.yaml", "db: {password: a}\nextra: {}\n")
        .file(
            "web/values.schema.json",
            r#"{"properties": {"db": {"properties": {"password": {"type": "string"}}, "additionalProperties": false}}}"#,
        )
        .file("web/templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: {{ .Values.db.password }}}\n")
        .file("prod.yaml", "db: {pasword: hunter2}\n");
    for flags in [["-f", "prod.yaml"], ["--set", "db.passwrod=hunter2"]] {
        let reports = reports(&sandbox, &["web", flags[0], flags[1]]);
        tell_nothing(&reports);
        assert!(
            reports[0].1.contains("did you mean") || reports[0].1.contains("password"),
            "{}",
            reports[0].1
        );
    }
}

#[test]
fn values_that_are_explained() {
    let sandbox = Sandbox::new();
    sandbox
        .file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
        .file("web/values.yaml", "auth: {pw: hunter2old, user: ordinary}\nlate: hunter2\non: false\nname: usual\n")
        .file("prod.yaml", "auth: {pw: hunter2new}\n")
        .file("web/templates/_h.tpl", "{{- define \"pw\" }}{{ .Values.auth.pw | b64enc }}{{ end }}\n")
        .file(
            "web/templates/s.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Values.name }}}\ndata:\n  a: {{ include \"pw\" . }}\n",
        )
        .file(
            "web/templates/t.yaml",
            "{{- if .Values.on }}\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\nstringData:\n  a: {{ .Values.late }}\n{{- end }}\n",
        );
    for format in ["text", "json"] {
        for (path, flags) in [
            ("auth.pw", &[][..]),
            ("auth.pw", &["-f", "prod.yaml"]),
            ("auth.pw", &["--set", "auth.pw=hunter2flag"]),
            ("auth.pw", &["-f", "prod.yaml", "--set-string", "auth.pw=hunter2flag"]),
            ("auth", &["--set", "auth.pw=hunter2flag"]),
            ("auth.user", &["--set", "auth.pw=hunter2flag,auth.user=x"]),
            ("auth", &["--set-json", "{\"auth\": {\"pw\": \"hunter2flag\"}}"]),
            ("late", &[]),
            ("late", &["--set", "on=true", "--set", "late=hunter2flag"]),
        ] {
            let ran = sandbox.run(&[&["explain-value", "web", path, "--format", format], flags].concat());
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert!(!ran.stdout.contains("hunter2"), "{path} {flags:?}: {ran:?}");
        }
        for (path, shown) in [("auth.user", "ordinary"), ("name", "usual")] {
            let ran = sandbox.run(&["explain-value", "web", path, "--format", format]);
            assert!(ran.stdout.contains(shown), "{ran:?}");
        }
    }
}
