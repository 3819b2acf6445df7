//! Whole ytt folders in memory, with what is found in them.

mod support;

use std::sync::Arc;

use support::{Mounted, check, settings};
use trueline_analysis::{InputKind, Run, Settings, YttSettings};
use trueline_diagnostic::Diagnostic;
use trueline_source::{MemoryLoader, SourceMap, Span};

/// A file that a flag can name.
const PROD: &str = "port: 80000 #! trueline: ignore[TL0704] a test\n";
const SCHEMA: &str = "#@data/values-schema\n---\nport: 80\nname: web\nhosts:\n- \"\"\n";
const SERVICE: &str = "#@ load(\"@ytt:data\", \"data\")\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: #@ data.values.name\nspec:\n  selector: {app: web}\n  ports:\n  - port: #@ data.values.port\n    targetPort: 8080\n";

fn run(files: &[(&str, &str)], kind: Option<InputKind>, ytt: YttSettings) -> (Run, Arc<SourceMap>) {
    run_with(files, kind, ytt, trueline_analysis::ChartSettings::default())
}

fn run_with(
    files: &[(&str, &str)],
    kind: Option<InputKind>,
    ytt: YttSettings,
    charts: trueline_analysis::ChartSettings,
) -> (Run, Arc<SourceMap>) {
    let loader =
        files.iter().fold(MemoryLoader::new(""), |loader, (path, text)| loader.with_file(path, *text));
    let system = Mounted::new(loader).named("env/prod.yml", PROD).named("env/many.yml", "port: many\n");
    check(system, Settings { kind, charts, ytt, ..settings() })
}

/// The same with variables of the environment.
fn run_seeing(files: &[(&str, &str)], ytt: YttSettings, variables: &[(&str, &str)]) -> (Run, Arc<SourceMap>) {
    let loader =
        files.iter().fold(MemoryLoader::new(""), |loader, (path, text)| loader.with_file(path, *text));
    let system =
        variables.iter().fold(Mounted::new(loader), |system, (name, value)| system.variable(name, value));
    check(system, Settings { ytt, ..settings() })
}

/// Findings as `CODE file:line:column text: message`, with ` + file:line:column text` for each related place.
fn found_with(files: &[(&str, &str)], ytt: YttSettings) -> Vec<String> {
    lines_of(&run(files, None, ytt))
}

fn found_seeing(files: &[(&str, &str)], ytt: YttSettings, variables: &[(&str, &str)]) -> Vec<String> {
    lines_of(&run_seeing(files, ytt, variables))
}

fn lines_of((run, sources): &(Run, Arc<SourceMap>)) -> Vec<String> {
    let place = |span: Span| {
        let position = sources.position(span);
        let source = sources.get(span.source);
        format!("{}:{}:{} `{}`", source.name(), position.line, position.column, source.slice(span))
    };
    let line = |finding: &Diagnostic| {
        let mut line = format!("{} {}: {}", finding.code, place(finding.primary.span), finding.message);
        for label in &finding.related {
            line.push_str(&format!(" + {}", place(label.span)));
        }
        for frame in finding.trace.iter().filter(|frame| !frame.text.contains("rendered")) {
            line.push_str(&format!(" < {}", place(frame.span)));
        }
        line
    };
    run.outcome.findings().map(|finding| line(&finding.clone().at_origin(sources))).collect()
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    found_with(files, YttSettings::default())
}

#[test]
fn a_folder_is_one_unit_with_all_its_files() {
    let files = [
        ("app/schema.yml", SCHEMA),
        ("app/service.yml", SERVICE),
        ("app/plain.yml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ("app/lib/helpers.star", "def one():\n  return 1\nend\n"),
        ("app/_ytt_lib/x/values.yml", "#@data/values\n---\na: 1\n"),
        ("other/plain.yml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"),
    ];
    let (run, _) = run(&files, None, YttSettings::default());
    let units: Vec<(String, &str)> =
        run.outcome.units.iter().map(|unit| (unit.name.clone(), unit.kind)).collect();
    assert_eq!(units, [("app".to_owned(), "ytt"), ("other/plain.yml".to_owned(), "kubernetes")]);
    assert_eq!(found(&files), Vec::<String>::new());
}

#[test]
fn what_is_taken_for_ytt_is_one_unit_whatever_it_holds() {
    let files = [("a/b.yml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")];
    let (run, _) = run(&files, Some(InputKind::Ytt), YttSettings::default());
    let units: Vec<&str> = run.outcome.units.iter().map(|unit| unit.kind).collect();
    assert_eq!(units, ["ytt"]);
}

/// Rules of a map are reported at the map that somebody typed, also where the schema has it by default.
#[test]
fn violations_are_reported_at_the_values_that_were_typed() {
    let schema = "#@data/values-schema\n---\n#@schema/validation one_not_null=True\nunion:\n  #@schema/nullable\n  a: 1\n  #@schema/nullable\n  b: 1\nlist:\n- name: x\n  #@schema/validation min=1\n  port: 0\n";
    let base = "#@data/values\n---\nunion:\n  a: 1\nlist:\n- name: web\n- name: db\n  port: 5\n";
    let over = "#@data/values\n---\nunion:\n  b: 2\n";
    let rule = "schema.yml:3:1 `#@schema/validation one_not_null=True`";
    let port = "TL1009 schema.yml:12:9 `0`: `list[0].port` must be at least 1 + schema.yml:11:3 `#@schema/validation min=1`";
    for (files, expected) in [
        (
            vec![("schema.yml", schema), ("values.yml", base), ("w.yml", over)],
            vec![
                port.to_owned(),
                format!(
                    "TL1009 w.yml:4:3 `b: 2`: `union` must have exactly one of its keys set, found [\"a\", \"b\"] + {rule}"
                ),
            ],
        ),
        (vec![("schema.yml", schema), ("values.yml", base)], vec![port.to_owned()]),
    ] {
        assert_eq!(found(&files), expected);
    }
    let document = "#@data/values-schema\n#@schema/validation (\"d\", lambda v: False)\n---\na: 1\n";
    let expected = "TL1009 values.yml:4:1 ``: the document breaks a validation rule + schema.yml:2:1 `#@schema/validation (\"d\", lambda v: False)`";
    assert_eq!(
        found(&[("schema.yml", document), ("values.yml", "#! b\n#@data/values\n---\na: 2\n")]),
        [expected]
    );
}

#[test]
fn faults_are_reported_where_they_were_typed() {
    let mut wrong = Vec::new();
    for (name, text, expected) in [
        (
            "values.yml",
            "#@data/values\n---\nport: eighty\n",
            &[
                "TL1004 values.yml:3:7 `eighty`: expected an integer, found the string `eighty` + schema.yml:3:1 `port`",
            ][..],
        ),
        (
            "values.yml",
            "#@data/values\n---\nprot: 81\n",
            &["TL1004 values.yml:3:1 `prot`: `prot` is not declared in the schema"],
        ),
        ("bad.yml", "#@ a = 1\nb: [\n", &["TL0106 bad.yml:2:4 `[`: this `[` is never closed"]),
        (
            "bad.yml",
            "# hello\na: #@ 1\n",
            &[
                "TL1002 bad.yml:1:1 `# hello`: comments in a ytt template begin with `#@` (code) or `#!` (a comment)",
            ],
        ),
        ("bad.yml", "#@ if True:\na: 1\n", &["TL1002 bad.yml:1:4 `if True:`: this block is never closed"]),
        (
            "bad.yml",
            "#@ def f(x):\n#@   return x.nope\n#@ end\na: #@ f(\"s\")\n",
            &[
                "TL1003 bad.yml:2:6 `return x.nope`: a string has no field or method `nope` < bad.yml:4:7 `f(\"s\")`",
            ],
        ),
        (
            "bad.yml",
            "#@ load(\"@ytt:data\", \"data\")\na: #@ data.values.image.tag\n",
            &["TL1003 bad.yml:2:7 `data.values.image.tag`: there is no data value `image`"],
        ),
        (
            "bad.yml",
            "#@ def f(a, b): return a\na: #@ f(1)\n",
            &["TL1003 bad.yml:2:7 `f(1)`: the argument `b` of `f` is missing"],
        ),
        (
            "bad.yml",
            "#@ load(\"@ytt:overlay\", \"overlay\")\n---\na:\n- b: 1\n#@overlay/match by=overlay.subset({\"a\": [{\"b\": 1}]})\n---\na:\n#@overlay/match by=\"name\"\n- name: x\n",
            &[
                "TL1006 bad.yml:9:1 `-`: an item of this list has no key `name` to match by + bad.yml:8:1 `#@overlay/match by=\"name\"`",
            ],
        ),
        (
            "schema.yml",
            "#@data/values-schema\n---\n#@schema/validation (\"x\")\na: 1\n",
            &[
                "TL1011 schema.yml:3:1 `#@schema/validation (\"x\")`: `@schema/validation` takes rules such as `min=1` or `(\"a port\", is_port)`, found \"x\"",
            ],
        ),
        (
            "schema.yml",
            "#@data/values-schema\n---\n#@schema/validation min_len=3, one_of=[\"abc\"]\na: x\n",
            &[
                "TL1009 schema.yml:4:4 `x`: `a` must have a length of at least 3, found 1 + schema.yml:3:1 `#@schema/validation min_len=3, one_of=[\"abc\"]`",
                "TL1009 schema.yml:4:4 `x`: `a` must be one of [\"abc\"] + schema.yml:3:1 `#@schema/validation min_len=3, one_of=[\"abc\"]`",
            ],
        ),
        ("bad.yml", "a: #@ [1\n", &["TL1002 bad.yml:1:7 `[1`: expected `]`, found the end of the code"]),
        (
            "bad.yml",
            "#@ x =\na: #@ x\n",
            &["TL1002 bad.yml:1:4 `x =`: expected an expression, found the end of the line"],
        ),
        (
            "over.yml",
            "#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.subset({\"kind\": \"Nope\"})\n---\na: 1\n",
            &[
                "TL1006 over.yml:3:1 `---`: this overlay matches nothing, expected 1 + over.yml:2:1 `#@overlay/match by=overlay.subset({\"kind\": \"Nope\"})`",
            ],
        ),
        (
            "schema.yml",
            "#@data/values-schema\n---\nport: 80\n#@schema/validation min_len=3\nname: ab\n",
            &[
                "TL1009 schema.yml:5:7 `ab`: `name` must have a length of at least 3, found 2 + schema.yml:4:1 `#@schema/validation min_len=3`",
            ],
        ),
        (
            "schema.yml",
            "#@data/values-schema\n---\nport: 80\nname: ab\nhosts: []\n",
            &["TL1005 schema.yml:5:8 `[]`: a list in a schema has exactly one item, found 0"],
        ),
        (
            "schema.yml",
            "#@data/values-schema\n---\nport: 80\n#@schema/default 5\nname: ab\nnothing: null\n",
            &[
                "TL1005 schema.yml:4:1 `#@schema/default 5`: the default value does not fit: expected a string, found an integer + schema.yml:5:1 `name`",
            ],
        ),
        (
            "text.txt",
            "(@ load(\"nope.star\", \"x\") @)\n",
            &[
                "TL1003 text.txt:1:4 `load(\"nope.star\", \"x\")`: cannot load `nope.star`: there is no such file in this folder",
            ],
        ),
        ("text.txt", "a\nb (@= 1\nc\n", &["TL1002 text.txt:2:3 `(@`: this `(@` is never closed with `@)`"]),
        (
            "for.yml",
            "#@ for x in [1]\na: #@ x\n#@ end\n",
            &["TL1002 for.yml:1:4 `for x in [1]`: expected `:` at the end of this line"],
        ),
        (
            "twice.yml",
            "#@ x = 1\n---\na: #@ x\na: 2\n",
            &["TL0105 twice.yml:4:1 `a`: the key `a` appears twice in this map + twice.yml:3:1 `a`"],
        ),
        (
            "nullable.yml",
            "#@schema/nulable\na: #@ 1\n",
            &[
                "TL1012 nullable.yml:1:3 `schema/nulable`: ytt has no annotation `@schema/nulable`; it has no effect",
            ],
        ),
        (
            "loop.yml",
            "#@ def f(x):\n#@   return f(x)\n#@ end\na: #@ f(1)\n",
            &["TL1010 loop.yml:2:6 `return f(x)`: functions call each other more than 10000 levels deep"],
        ),
    ] {
        let files = [("schema.yml", SCHEMA), ("service.yml", SERVICE), (name, text)];
        let lines = found(&files);
        if lines != expected {
            wrong.push(format!("{text}\nfound {lines:#?}\nexpected {expected:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn an_object_error_leads_to_the_data_value() {
    let files = [
        ("a/schema.yml", SCHEMA),
        ("a/service.yml", SERVICE),
        ("a/values.yml", "#@data/values\n---\nport: 80000\n"),
    ];
    let lines = found(&files);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("a/values.yml:3:7 `80000`"), "{lines:?}");
    assert!(lines[0].contains("a/service.yml:10:11 `#@ data.values.port`"), "{lines:?}");
    let ytt = YttSettings { values_yaml: vec!["port=80000".to_owned()], ..YttSettings::default() };
    let lines = found_with(&files[..2], ytt);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("--data-value-yaml port=80000:1:6 `80000`"), "{lines:?}");
    let template = SERVICE.replace("port: #@ data.values.port", "port: 80000");
    let lines = found(&[("a/schema.yml", SCHEMA), ("a/service.yml", &template)]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("a/service.yml:10:11 `80000`"), "{lines:?}");
}

#[test]
fn data_values_of_files_and_of_the_environment_count() {
    let files = [("a/schema.yml", SCHEMA), ("a/service.yml", SERVICE)];
    let ytt = YttSettings { files: vec!["env/many.yml".to_owned()], ..YttSettings::default() };
    let lines = found_with(&files, ytt);
    assert!(lines[0].starts_with("TL1004 env/many.yml:1:7 `many`"), "{lines:?}");
    let ytt = YttSettings { env: vec!["APP".to_owned()], ..YttSettings::default() };
    let lines = found_seeing(&files, ytt, &[("APP_name", "Not A Name")]);
    assert!(lines[0].starts_with("TL0704 $APP_name:1:10 `Not A Name`"), "{lines:?}");
    assert!(lines[0].contains("a/service.yml:6:9"), "{lines:?}");
    let ytt = YttSettings { env_yaml: vec!["APP".to_owned()], ..YttSettings::default() };
    let lines = found_seeing(&files, ytt, &[("APP_port", "80000"), ("APP_name", "'Not A Name'")]);
    assert!(lines.iter().any(|line| line.starts_with("TL0704 $APP_port:1:10 `80000`")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("TL0704 $APP_name:1:10 `'Not A Name'`")), "{lines:?}");
    let ytt = YttSettings { env: vec!["APP".to_owned()], ..YttSettings::default() };
    let lines = found_seeing(&files, ytt, &[("APP_port", "many")]);
    assert!(lines[0].starts_with("TL1004 $APP_port:1:10 `many`"), "{lines:?}");
    let ytt = YttSettings { values: vec!["port".to_owned()], ..YttSettings::default() };
    let lines = found_with(&files, ytt);
    assert_eq!(lines, ["TL1008 --data-value port:1:1 `port`: a data value is set with `KEY=VALUE`"]);
}

#[test]
fn a_variable_that_ends_up_in_a_secret_is_hidden() {
    let secret = "#@ load(\"@ytt:data\", \"data\")\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: #@ data.values.word\nstringData:\n  word: #@ data.values.word\n";
    let files = [("a/schema.yml", "#@data/values-schema\n---\nword: a\n"), ("a/secret.yml", secret)];
    let ytt = YttSettings { env: vec!["APP".to_owned()], ..YttSettings::default() };
    let (run, sources) = run_seeing(&files, ytt, &[("APP_word", "Hunter_2")]);
    let findings: Vec<Diagnostic> = run.outcome.findings().cloned().collect();
    assert_eq!(findings.len(), 1);
    assert!(!findings[0].message.contains("Hunter"), "{}", findings[0].message);
    let variable = sources.get(findings[0].clone().at_origin(&sources).primary.span.source);
    assert_eq!(variable.name(), "$APP_word");
    assert!(variable.hidden().is_some_and(|hidden| !hidden.is_empty()));
}

#[test]
fn a_key_that_is_not_a_string_is_reported_where_it_was_typed() {
    let files =
        [("a/values.yml", "#@data/values\n---\nname: web\nport: 80\nn: 5\n"), ("a/service.yml", SERVICE)];
    let lines = found(&files);
    assert!(
        lines[0].starts_with(
            "TL1004 a/values.yml:5:1 `n`: the key `n` is a boolean; keys of data values are strings"
        ),
        "{lines:?}"
    );
}

#[test]
fn what_code_makes_is_reported_at_the_code() {
    let computed = SERVICE.replace(
        "  - port: #@ data.values.port\n    targetPort: 8080\n",
        "  - port: 80\n  - #@ {\"name\": \"b\", \"port\": 70000}\n",
    );
    let computed = computed.replace("port: 80\n", "port: 80\n    name: a\n");
    let lines = found(&[("a/schema.yml", SCHEMA), ("a/service.yml", &computed)]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("TL0704 a/service.yml:12:5 `#@ {\"name\": \"b\", \"port\": 70000}`"),
        "{lines:?}"
    );
    let computed = SERVICE.replace(
        "  ports:\n  - port: #@ data.values.port\n    targetPort: 8080\n",
        "  ports: #@ [{\"port\": 70000 + n, \"name\": \"a\"} for n in range(1)]\n",
    );
    let lines = found(&[("a/schema.yml", SCHEMA), ("a/service.yml", &computed)]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("TL0704 a/service.yml:9:10 `#@ [{"), "{lines:?}");
}

#[test]
fn a_function_of_a_library_is_at_fault_and_not_its_caller() {
    let caller = "#@ load(\"@ytt:library\", \"library\")\na: #@ library.get(\"app\").export(\"f\")()\n";
    for (name, text, expected) in [
        ("f.lib.yml", "#@ def f():\nx: #@ 1 // 0\n#@ end\n", "f.lib.yml:2:7 `1 // 0`"),
        ("f.star", "def f():\n  return 1 // 0\nend\n", "f.star:2:3 `return 1 // 0`"),
    ] {
        let path = format!("a/_ytt_lib/app/{name}");
        let lines = found(&[("a/one.yml", caller), (&path, text)]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].starts_with(&format!("TL1003 a/_ytt_lib/app/{expected}: floored division by zero")),
            "{lines:?}"
        );
    }
}

#[test]
fn flags_that_are_not_yaml_or_for_nobody_are_reported_in_plain_words() {
    let files = [("a/schema.yml", SCHEMA), ("a/service.yml", SERVICE)];
    let ytt = YttSettings { values_yaml: vec!["port=[".to_owned()], ..YttSettings::default() };
    assert_eq!(
        found_with(&files, ytt),
        ["TL0106 --data-value-yaml port=[:1:6 `[`: this `[` is never closed"]
    );
    let ytt = YttSettings { values: vec!["@db:port=1".to_owned()], ..YttSettings::default() };
    let lines = found_with(&files, ytt);
    assert!(
        lines[0].ends_with("`@db:port=1`: this is for the library `@db`, which no template uses"),
        "{lines:?}"
    );
    let ytt = YttSettings { files: vec!["x.yml".to_owned()], ..YttSettings::default() };
    assert_eq!(
        found_with(&files, ytt),
        ["TL1007 --data-values-file x.yml:1:1 `x.yml`: `x.yml` does not exist"]
    );
}

#[test]
fn failures_that_do_not_come_from_each_other_are_told_together() {
    // Files that cannot be read or compiled, also after the data values have failed.
    let files = [
        ("a/schema.yml", SCHEMA),
        ("a/values.yml", "#@data/values\n---\nport: many\n"),
        ("a/bad.yml", "a: #@ nope\n"),
        ("a/worse.yml", "# comment\na: #@ 1\n"),
    ];
    let lines = found(&files);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("TL1004 a/values.yml:3:7")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("TL1002 a/bad.yml:1:7")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("TL1002 a/worse.yml:1:1")), "{lines:?}");
    // Several sources of data values, and several mistakes in one of them.
    let files = [
        ("a/schema.yml", SCHEMA),
        ("a/one.yml", "#@data/values\n---\nprot: 80\nname: 5\n"),
        ("a/two.yml", "#@data/values\n---\nhosts: [1]\n"),
    ];
    let ytt = YttSettings { values: vec!["port=x".to_owned()], ..YttSettings::default() };
    let lines = found_with(&files, ytt);
    let starts = [
        "TL1004 --data-value port=x:1:6",
        "TL1004 a/one.yml:3:1",
        "TL1004 a/one.yml:4:7",
        "TL1004 a/two.yml:3:9",
    ];
    assert_eq!(lines.len(), starts.len(), "{lines:?}");
    for start in starts {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}: {lines:?}");
    }
    // Templates that fail, one of them because of a function that another one uses as well.
    let files = [
        ("a/f.star", "def f(): return 1 // 0\n"),
        ("a/one.yml", "#@ load(\"f.star\", \"f\")\na: #@ f()\n"),
        ("a/three.yml", "a: #@ {}[\"a\"]\n"),
        ("a/two.yml", "#@ load(\"f.star\", \"f\")\na: #@ f()\n"),
    ];
    let lines = found(&files);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("TL1003 a/f.star:1:")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("TL1003 a/three.yml:1:7")), "{lines:?}");
    // Files that load each other.
    let files = [
        ("a/a.star", "load(\"b.star\", \"b\")\na = 1\n"),
        ("a/b.star", "load(\"a.star\", \"a\")\nb = 1\n"),
        ("a/one.yml", "#@ load(\"b.star\", \"b\")\na: #@ b\n"),
    ];
    assert_eq!(found(&files).len(), 1, "{:?}", found(&files));
    // Overlays that find no document; what comes after one that was applied in part is not looked at.
    let overlay = |kind: &str, text: &str| {
        format!("#@overlay/match by=overlay.subset({{\"kind\": \"{kind}\"}})\n---\n{text}\n")
    };
    let load = "#@ load(\"@ytt:overlay\", \"overlay\")\n";
    let overlays = [
        overlay("Nope", "a: 1"),
        overlay("Neither", "a: 1"),
        overlay("Service", "nope: 1"),
        overlay("Last", "a: 1"),
    ];
    let overlays = format!("{load}{}", overlays.concat());
    let lines = found(&[("a/schema.yml", SCHEMA), ("a/service.yml", SERVICE), ("a/over.yml", &overlays)]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("TL1006 a/over.yml:")), "{lines:?}");
}

#[test]
fn what_is_not_for_kubernetes_is_rendered_and_left_out() {
    let files = [("a/x.yml", "a: #@ 1 + 1\n")];
    assert_eq!(found(&files), Vec::<String>::new());
    let (run, _) = run(&files, None, YttSettings::default());
    let left_out: Vec<&str> =
        run.outcome.units.iter().flat_map(|unit| &unit.left_out).map(|part| part.what.as_str()).collect();
    assert_eq!(left_out, ["1 rendered document"]);
}

/// The help for values of another type works when it is followed.
#[test]
fn the_spelling_of_another_type_is_suggested() {
    let schema = "#@data/values-schema\n---\nport: 80\nrate: 0.5\nname: web\n";
    let help = |values: &str, ytt: YttSettings, environment: &[(&str, &str)]| {
        let values = format!("#@data/values\n---\n{values}\n");
        let files = [("a/schema.yml", schema), ("a/values.yml", values.as_str())];
        let (run, _) = run_seeing(&files, ytt, environment);
        let mut findings = run.outcome.findings();
        findings.find(|finding| finding.code.id == "TL1004").and_then(|finding| finding.help.clone())
    };
    let none = YttSettings::default;
    let text = |value: &str| YttSettings { values: vec![value.to_owned()], ..none() };
    let yaml = |value: &str| YttSettings { values_yaml: vec![value.to_owned()], ..none() };
    let env = YttSettings { env: vec!["APP".to_owned()], ..none() };
    let as_yaml = Some("use `--data-value-yaml`, which reads the value as YAML");
    for (values, ytt, environment, expected) in [
        ("port: \"81\"", none(), &[][..], Some("remove the quotes")),
        ("rate: '1'", none(), &[], Some("remove the quotes")),
        ("port: eighty", none(), &[], None),
        ("name: 5", none(), &[], Some("put it in quotes")),
        ("name: [5]", none(), &[], None),
        ("{}", text("port=81"), &[], as_yaml),
        ("{}", text("port=x"), &[], None),
        ("{}", yaml("name=5"), &[], Some("use `--data-value`, which takes the value as a string")),
        (
            "{}",
            env,
            &[("APP_port", "81")],
            Some("use `--data-values-env-yaml`, which reads variables as YAML"),
        ),
    ] {
        assert_eq!(help(values, ytt, environment).as_deref(), expected, "{values}");
    }
}

#[test]
fn comments_of_ytt_suppress_findings() {
    let service =
        SERVICE.replace("port: #@ data.values.port", "port: 80000 #! trueline: ignore[TL0704] a test");
    assert_eq!(found(&[("a/schema.yml", SCHEMA), ("a/service.yml", &service)]), Vec::<String>::new());
    // Code is a comment at the end of the line of its node, or above it.
    for template in [
        "#! trueline: ignore[TL1003] a test\na: #@ 1 // 0\n",
        "#! trueline: ignore[TL1003] a test\n#@ x = 1 // 0\na: 1\n",
    ] {
        assert_eq!(found(&[("a/x.yml", template)]), Vec::<String>::new(), "{template}");
    }
}

#[test]
fn a_value_that_cannot_be_merged_is_reported_in_its_flag() {
    let files = [("a/values.yml", "#@data/values\n---\nname: web\n"), ("a/service.yml", "a: #@ 1\n")];
    let ytt = YttSettings { values: vec!["name.first=x".to_owned()], ..YttSettings::default() };
    assert_eq!(
        found_with(&files, ytt),
        [
            "TL1006 --data-value name.first=x:1:1 `name`: cannot merge a map into a string + a/values.yml:3:1 `name`"
        ]
    );
    let values = vec!["name=x".to_owned(), "name.first=x".to_owned()];
    let ytt = YttSettings { values, ..YttSettings::default() };
    let lines = found_with(&files, ytt);
    assert!(lines[0].starts_with("TL1006 --data-value name.first=x:1:1 `name`: "), "{lines:?}");
}

#[test]
fn data_values_that_end_up_in_a_secret_are_hidden() {
    let secret = "#@ load(\"@ytt:data\", \"data\")\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  x: #@ data.values.login\n";
    let other = "#@ load(\"@ytt:data\", \"data\")\n---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - port: 80\n    protocol: #@ data.values.login\n";
    let files = [
        ("a/values.yml", "#@data/values\n---\nlogin: hunter2hunter2\n"),
        ("a/secret.yml", secret),
        ("a/service.yml", other),
    ];
    let (run, sources) = run(&files, None, YttSettings::default());
    let findings: Vec<Diagnostic> = run.outcome.findings().cloned().collect();
    assert!(!findings.is_empty());
    for finding in findings {
        assert!(!format!("{finding:?}").contains("hunter2"), "{finding:?}");
        let place = finding.at_origin(&sources).primary.span;
        let source = sources.get(place.source);
        assert!(source.hidden().is_some_and(|hidden| !hidden.is_empty()), "{}", source.name());
    }
}

#[test]
fn values_for_a_library_are_reported_where_they_are_handed_over() {
    let library = "#@data/values-schema\n---\nname: redis\nport: 6379\n";
    let template = "#@ load(\"@ytt:data\", \"data\")\n---\na: #@ data.values.port\n";
    for (values, expected) in [
        ("{\"nam\": \"x\"}", "TL1004 a/redis.yml:3:51 `\"nam\"`: `nam` is not declared in the schema"),
        (
            "{\"port\": \"x\"}",
            "TL1004 a/redis.yml:3:51 `\"port\"`: expected an integer for `port`, found a string",
        ),
    ] {
        let caller = format!(
            "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n\
             #@ redis = library.get(\"redis\").with_data_values({values})\n--- #@ template.replace(redis.eval())\n"
        );
        let lines = found(&[
            ("a/redis.yml", caller.as_str()),
            ("a/_ytt_lib/redis/schema.yml", library),
            ("a/_ytt_lib/redis/redis.yml", template),
        ]);
        assert!(lines.len() == 1 && lines[0].starts_with(expected), "{lines:#?}");
    }
}

#[test]
fn code_that_makes_something_else_of_a_value_is_at_fault() {
    let template = SERVICE.replace("port: #@ data.values.port", "port: #@ str(data.values.port)");
    let lines = found(&[("a/schema.yml", SCHEMA), ("a/service.yml", &template)]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("TL0702 a/service.yml:10:11 `#@ str(data.values.port)`"), "{lines:?}");
    assert!(lines[0].contains(" + a/schema.yml:3:7 `80`"), "{lines:?}");
}

#[test]
fn one_cause_is_reported_once() {
    let template = SERVICE.replace("    targetPort: 8080\n", "");
    let files = [("a/schema.yml", SCHEMA), ("a/service.yml", template.as_str())];
    let ytt = YttSettings { values_yaml: vec!["port=80000".to_owned()], ..YttSettings::default() };
    let lines = found_with(&files, ytt);
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn comments_in_files_that_flags_name_suppress_findings() {
    let files = [("a/schema.yml", SCHEMA), ("a/service.yml", SERVICE)];
    let ytt = YttSettings { files: vec!["env/prod.yml".to_owned()], ..YttSettings::default() };
    assert_eq!(found_with(&files, ytt), Vec::<String>::new());
}

#[test]
fn flags_for_charts_are_told_to_have_no_effect() {
    let mut charts = trueline_analysis::ChartSettings::default();
    charts.values.set = vec!["port=5".to_owned(), "name=x".to_owned()];
    let files = [("a/schema.yml", SCHEMA), ("a/service.yml", SERVICE)];
    let (run, _) = run_with(&files, None, YttSettings::default(), charts.clone());
    let said: Vec<(&str, String)> =
        run.outcome.general.iter().map(|finding| (finding.code.id, finding.message.clone())).collect();
    assert_eq!(
        said,
        [("TL1013", "`--set` sets values of charts and has no effect on ytt folders".to_owned())]
    );
    let with_chart = [files[0], files[1], ("c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n")];
    let (run, _) = run_with(&with_chart, None, YttSettings::default(), charts);
    assert!(run.outcome.general.iter().all(|finding| finding.code.id != "TL1013"));
}
