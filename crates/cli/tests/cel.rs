//! `trueline cel eval`, from the command line.

mod support;

use support::{Ran, Sandbox};

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: fleets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Fleet, plural: fleets}
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
              ships: {type: integer, default: 3}
              speed: {type: number}
              dock-side: {type: string, maxLength: 20}
              patience: {type: string, format: duration}
              ports:
                type: array
                maxItems: 10
                items: {type: string, maxLength: 30}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
";

const OBJECT: &str = "apiVersion: example.com/v1
kind: Fleet
metadata: {name: north}
spec:
  speed: 12
  dock-side: left
  patience: 90m
  hidden: 1
  ports: [Oslo, Århus]
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("crd.yaml", CRD);
    sandbox.file("north.yaml", OBJECT);
    sandbox
}

fn eval(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let mut all = vec!["cel", "eval"];
    all.extend(arguments);
    let ran = sandbox.run(&all);
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    ran
}

#[test]
fn an_expression_has_a_result_a_type_and_a_cost() {
    let sandbox = sandbox();
    let ran = eval(&sandbox, &["[1, 2, 3].map(n, n * 2)"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("result:   [2, 4, 6]\ntype:     list(int)\ncost:     "), "{ran:?}");
    assert!(ran.stdout.contains("\nestimate: "), "{ran:?}");
    let ran = eval(&sandbox, &["self.spec.speed", "--object", "north.yaml"]);
    assert!(ran.stdout.starts_with("result:   12\ntype:     dyn (int)\n"), "{ran:?}");
}

#[test]
fn the_schema_gives_types_defaults_and_an_estimate() {
    let sandbox = sandbox();
    let typed = |expression: &str| {
        let ran =
            eval(&sandbox, &[expression, "--object", "north.yaml", "--crd", "crd.yaml", "--format", "json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.json()
    };
    let ships = typed("self.spec.ships");
    assert_eq!((&ships["result"], &ships["type"]), (&3.into(), &"int".into()), "{ships}");
    assert_eq!(typed("self.spec.speed")["result"], 12.0);
    assert_eq!(typed("self.spec.dock__dash__side")["result"], "left");
    let patience = typed("self.spec.patience");
    assert_eq!((&patience["result"], &patience["type"]), (&"1h30m0s".into(), &"duration".into()));
    let spec = typed("self.spec");
    assert_eq!(spec["type"], "object");
    let keys: Vec<&String> = spec["result"].as_object().unwrap().keys().collect();
    assert!(!keys.iter().any(|key| *key == "hidden"), "{spec}");
    let ports = typed("self.spec.ports.all(p, p.size() < 20)");
    let (cost, estimate) = (ports["cost"].as_u64().unwrap(), &ports["estimate"]);
    assert!(cost > 0 && cost <= estimate["max"].as_u64().unwrap(), "{ports}");
    assert!(cost >= estimate["min"].as_u64().unwrap(), "{ports}");
    // Without a schema, lists may have any length.
    let ran =
        eval(&sandbox, &["self.spec.ports.all(p, p != '')", "--object", "north.yaml", "--format", "json"]);
    assert!(ran.json()["estimate"]["max"].is_null(), "{ran:?}");
}

#[test]
fn updates_see_both_objects() {
    let sandbox = sandbox();
    sandbox.file("old.yaml", OBJECT.replace("speed: 12", "speed: 20"));
    let arguments = [
        "self.spec.speed < oldSelf.spec.speed",
        "--object",
        "north.yaml",
        "--old",
        "old.yaml",
        "--crd",
        "crd.yaml",
    ];
    let ran = eval(&sandbox, &arguments);
    assert!(ran.stdout.starts_with("result:   true\ntype:     bool\n"), "{ran:?}");
    let ran = eval(&sandbox, &["oldSelf == self", "--object", "north.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("`--old FILE`"), "{ran:?}");
}

#[test]
fn what_does_not_compile_is_shown_with_its_place() {
    let sandbox = sandbox();
    let ran = eval(&sandbox, &["1 + 'é' == ships", "--object", "north.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said = "error: `+` does not take an integer and a string\n1 | 1 + 'é' == ships\n  |   ^";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    assert!(ran.stdout.contains("error: `ships` is not defined\n"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches(" | 1 + 'é' == ships\n").count(), 2, "{}", ran.stdout);
    let ran = eval(&sandbox, &["self.spec.dock == ''", "--object", "north.yaml", "--crd", "crd.yaml"]);
    assert!(ran.stdout.contains("no field `dock` is declared"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("= help: in expressions, the field `dock-side` is written `dock__dash__side`"),
        "{ran:?}"
    );
    let ran = eval(&sandbox, &["true &&\n  self", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let issue = &ran.json()["issues"][0];
    assert_eq!((&issue["line"], &issue["column"]), (&2.into(), &3.into()), "{issue}");
    assert!(issue["cel"].as_str().unwrap().starts_with("undeclared reference to 'self'"), "{issue}");
}

#[test]
fn what_fails_says_why_and_where() {
    let sandbox = sandbox();
    let ran = eval(&sandbox, &["self.spec.nothing == 1", "--object", "north.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.starts_with("error: `nothing` is not set\n1 | self.spec.nothing == 1\n  | "),
        "{}",
        ran.stdout
    );
    let ran = eval(&sandbox, &["[1, 0].all(n, 1 / n > 0)", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report = ran.json();
    assert_eq!(report["error"]["message"], "division by zero", "{report}");
    assert_eq!(report["error"]["cel"], "division by zero", "{report}");
    assert!(report["cost"].as_u64().unwrap() > 0 && report["type"] == "bool", "{report}");
}

#[test]
fn functions_depend_on_the_version() {
    let sandbox = sandbox();
    for (version, code) in [("1.30", 1), ("1.31", 0), ("1.35", 0)] {
        let ran = eval(&sandbox, &["isIP('::1')", "--kube-version", version]);
        assert_eq!(ran.code, Some(code), "{version}: {ran:?}");
    }
}

#[test]
fn a_file_has_one_object() {
    let sandbox = sandbox();
    sandbox.file("two.yaml", format!("{OBJECT}---\n{OBJECT}---\n"));
    sandbox.file("empty.yaml", "# nothing\n");
    sandbox.file("pod.yaml", "apiVersion: v1\nkind: Pod\n");
    sandbox.file("v3.yaml", OBJECT.replace("/v1", "/v3"));
    sandbox.file("broken.yaml", "a: {\n");
    sandbox.file("binary.yaml", [0xff, 0xfe, 0x00, 0x80]);
    let rows: [(&[&str], &str); 9] = [
        (&["--object", "two.yaml"], "`two.yaml` holds 2 objects"),
        (&["--object", "empty.yaml"], "`empty.yaml` holds no object"),
        (&["--object", "nosuch.yaml"], "nosuch.yaml"),
        (&["--object", "broken.yaml"], "broken.yaml:1:4"),
        (&["--object", "binary.yaml"], "binary.yaml"),
        (
            &["--object", "pod.yaml", "--crd", "crd.yaml"],
            "does not define the kind `Pod` (v1); it defines `Fleet`",
        ),
        (&["--object", "v3.yaml", "--crd", "crd.yaml"], "does not serve the version `v3`; it serves v1, v2"),
        (&["--crd", "crd.yaml"], "--object"),
        (&["--object", "-", "--old", "-"], "named twice"),
    ];
    for (arguments, said) in rows {
        let mut all = vec!["true"];
        all.extend(arguments);
        let ran = eval(&sandbox, &all);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(said) && ran.stdout.is_empty(), "{arguments:?}: {ran:?}");
    }
    let json = br#"{"apiVersion": "example.com/v2", "kind": "Fleet", "free": [1]}"#;
    let ran = sandbox.run_with_stdin(&["cel", "eval", "self.free[0]", "--object", "-"], json);
    assert!(ran.stdout.starts_with("result:   1\n"), "{ran:?}");
}

#[test]
fn lines_are_expressions() {
    let sandbox = sandbox();
    let lines = b"// ships\n1 + 1\n\n:type self.spec.ships\n:cost 1 + 1\n:help\nself.spec.ports.size() == 2\n:quit\nfalse.x\n";
    let arguments = ["cel", "eval", "--object", "north.yaml", "--crd", "crd.yaml"];
    let ran = sandbox.run_with_stdin(&arguments, lines);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let blocks: Vec<&str> = ran.stdout.split("\n\n").collect();
    assert_eq!(blocks.len(), 5, "{}", ran.stdout);
    assert!(blocks[0].starts_with("result:   2\n") && blocks[1] == "int", "{}", ran.stdout);
    assert!(blocks[3].contains(":quit") && blocks[4].starts_with("result:   true\n"), "{}", ran.stdout);
    let ran = sandbox
        .run_with_stdin(&["cel", "eval", "--format", "json"], b"1\nx\n'a'\n:unknown\n:type 1\n:cost 1\n");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 6, "{ran:?}");
    for line in ran.stdout.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    assert!(ran.stdout.lines().nth(2).unwrap().starts_with("{\"result\":\"a\","), "{ran:?}");
    let ran = sandbox.run_with_stdin(&["cel", "eval"], b"1\n\xff\n");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("line 2 of standard input is not UTF-8"), "{ran:?}");
    let ran = sandbox.run_with_stdin(&["cel", "eval", "--object", "-"], b"a: 1\n");
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn nothing_that_is_typed_breaks_it() {
    let sandbox = sandbox();
    let lines: Vec<String> = vec![
        "(".repeat(5_000),
        format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("{}1{}", "[".repeat(300), "]".repeat(300)),
        format!("{}true", "!".repeat(5_000)),
        format!("self{}", ".a".repeat(5_000)),
        format!("1{}", " + 1".repeat(20_000)),
        "x".repeat(200_000),
        "\u{202e}\u{0}'\u{7}'".to_owned(),
        "'".to_owned(),
        "[[1]].map(a, a + a)[0]".replace(".map(a, a + a)", &".map(a, a + a)".repeat(60)),
        "'a'.matches('(')".to_owned(),
        "'x'.matches('(((((a{1000}){1000}){1000})))')".to_owned(),
        "9223372036854775807 + 1".to_owned(),
        ":type".to_owned(),
        ":cost (".to_owned(),
        ":".to_owned(),
    ];
    for format in ["human", "json"] {
        let ran = sandbox.run_with_stdin(
            &["cel", "eval", "--object", "north.yaml", "--format", format],
            lines.join("\n").as_bytes(),
        );
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        let is_short = |line: &str| line.chars().count() < 1_000;
        assert!(format == "json" || ran.stdout.lines().all(is_short), "an excerpt is too long");
    }
    let ran = sandbox.run_with_stdin(&["cel", "eval"], &b"x".repeat(2 << 20));
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn a_run_that_costs_too_much_is_stopped() {
    let sandbox = sandbox();
    let numbers = format!("[{}]", vec!["1"; 200].join(", "));
    let expression = format!("{numbers}.all(a, {numbers}.all(b, {numbers}.all(c, a + b + c > 0)))");
    let ran = eval(&sandbox, &[&expression]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said = "error: the expression was stopped: it costs more than the limit of 1,000,000\n";
    assert!(ran.stdout.starts_with(said), "{ran:?}");
    let deep = format!("a: {}{}\n", "[".repeat(5_000), "]".repeat(5_000));
    sandbox.file("deep.yaml", deep);
    let ran = eval(&sandbox, &["self", "--object", "deep.yaml"]);
    assert!(matches!(ran.code, Some(1 | 2)), "{ran:?}");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let sandbox = sandbox();
    sandbox.file("evil.yaml", "a: \"\\e[31m\\u202e\"\n");
    for format in ["human", "json"] {
        let ran = eval(&sandbox, &["self.a", "--object", "evil.yaml", "--format", format]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{ran:?}");
    }
}
