//! `trueline ytt`: templates, data values and overlays in, ytt's output, errors and exit codes out.

mod support;

use std::fs;

use support::{Ran, Sandbox, repository, run};

/// What ytt itself prints for the example.
const WEB: &str = include_str!("data/ytt-web.yaml");

const SCHEMA: &str = "#@data/values-schema\n---\nname: web\nreplicas: 1\nimage:\n  tag: v1\n";
const CONFIG: &str =
    "#@ load(\"@ytt:data\", \"data\")\nname: #@ data.values.name\nreplicas: #@ data.values.replicas\n";

fn ytt(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    ytt_with_stdin(sandbox, arguments, "")
}

fn ytt_with_stdin(sandbox: &Sandbox, arguments: &[&str], stdin: &str) -> Ran {
    let ran = sandbox.run_with_stdin(&[&["ytt"], arguments].concat(), stdin.as_bytes());
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran
}

/// Runs in the directory of the examples.
fn in_examples(arguments: &[&str]) -> Ran {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&[&["ytt"], arguments].concat());
    run(command.current_dir(repository().join("examples/ytt")), b"")
}

fn app() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("app/schema.yml", SCHEMA).file("app/config.yml", CONFIG);
    sandbox
}

#[track_caller]
fn accepted(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    &ran.stdout
}

#[track_caller]
fn refused(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    &ran.stderr
}

#[test]
fn the_example_renders_as_with_ytt() {
    assert_eq!(accepted(&in_examples(&["-f", "web"])), WEB);
    let prod = WEB
        .replace("1.0.0", "1.4.2")
        .replace("replicas: 3", "replicas: 6")
        .replace("value: info", "value: warn");
    assert_eq!(accepted(&in_examples(&["-f", "web", "--data-values-file", "prod.yml"])), prod);
    let without_team = WEB.replace("    example.com/team: storefront\n", "");
    assert_eq!(accepted(&in_examples(&["-f", "web", "--data-value-yaml", "team=null"])), without_team);
}

#[test]
fn the_example_is_valid_for_kubernetes() {
    let sandbox = Sandbox::new();
    sandbox.file("rendered.yaml", accepted(&in_examples(&["-f", "web"])));
    assert_eq!(sandbox.findings(&["check", "--offline", "rendered.yaml"]), (Some(0), Vec::new()));
}

#[test]
fn the_page_about_ytt_shows_what_is_printed() {
    let page = fs::read_to_string(repository().join("docs/ytt.md")).unwrap();
    let error = in_examples(&["-f", "web", "-v", "replicas=many"]);
    let shown = format!("$ trueline ytt -f web -v replicas=many\n{}\n\n```\n", refused(&error).trim_end());
    assert!(page.contains(&shown), "{shown}");
    let prod = in_examples(&["-f", "web", "--data-values-file", "prod.yml"]);
    let start = accepted(&prod).split_once("  selector:").unwrap().0;
    let shown = format!("$ trueline ytt -f web --data-values-file prod.yml\n{start}…\n---\n");
    assert!(page.contains(&shown), "{shown}");
}

#[test]
fn json_is_printed_without_line_breaks() {
    let sandbox = app();
    sandbox.file("app/more.yml", "a: [1, {b: null}]\n---\n- x\n");
    assert_eq!(
        accepted(&ytt(&sandbox, &["-f", "app", "-o", "json"])),
        "{\"name\":\"web\",\"replicas\":1}{\"a\":[1,{\"b\":null}]}[\"x\"]"
    );
    assert_eq!(
        refused(&ytt(&sandbox, &["-f", "app", "-o", "xml"])),
        "ytt: Error: Unknown output type 'xml'\n"
    );
}

#[test]
fn data_values_have_their_precedence() {
    let sandbox = app();
    sandbox
        .file("app/values.yml", "#@data/values\n---\nname: from-document\nreplicas: 2\nimage: {tag: v2}\n")
        .file("prod.yml", "replicas: 3\nimage: {tag: v3}\n")
        .file("name.txt", "from-file");
    let inspect = |flags: &[&str]| {
        let mut command = sandbox.command(&[&["ytt", "-f", "app", "--data-values-inspect"], flags].concat());
        run(command.env("APP_image__tag", "v4").env("APP_name", "from-variable"), b"")
    };
    let cases: [(&[&str], [&str; 3]); 6] = [
        (&[], ["from-document", "2", "v2"]),
        (&["--data-values-file", "prod.yml"], ["from-document", "3", "v3"]),
        (&["--data-values-env", "APP", "--data-values-file", "prod.yml"], ["from-variable", "3", "v4"]),
        (&["-v", "image.tag=v5", "--data-values-env", "APP"], ["from-variable", "2", "v5"]),
        (&["--data-value-yaml", "replicas=5", "-v", "name=flag"], ["flag", "5", "v2"]),
        (&["--data-value-file", "name=name.txt", "-v", "name=flag"], ["from-file", "2", "v2"]),
    ];
    for (flags, [name, replicas, tag]) in cases {
        assert_eq!(
            accepted(&inspect(flags)),
            format!("name: {name}\nreplicas: {replicas}\nimage:\n  tag: {tag}\n"),
            "{flags:?}"
        );
    }
}

#[test]
fn values_that_the_schema_refuses_are_reported() {
    let sandbox = app();
    let head = "ytt: Error: Overlaying data values (in following order: additional data values): \n\
                One or more data values were invalid\n====================================\n\n";
    assert_eq!(
        refused(&ytt(&sandbox, &["-f", "app", "-v", "replicas=many"])),
        format!(
            "{head}(data-value arg):\n    |\n  1 | replicas=many\n    |\n\n    = found: string\n    = expected: integer \
             (by schema.yml:4)\n\n\n"
        )
    );
    sandbox.file("prod.yml", "name: shop\nimage:\n  tga: v2\n");
    let report = ytt(&sandbox, &["-f", "app", "--data-values-file", "prod.yml"]);
    let text = refused(&report);
    for part in [
        "Given data value is not declared in schema\nprod.yml:\n    |\n  3 |   tga: v2\n",
        "= found: tga\n    = expected: a map item with the key named \"tag\" (from schema.yml:5)\n",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn the_schema_is_published_as_openapi() {
    let sandbox = app();
    let openapi =
        ytt(&sandbox, &["-f", "app", "--data-values-schema-inspect", "-o", "openapi-v3", "-o", "json"]);
    let document = openapi.json();
    let values = &document["components"]["schemas"]["dataValues"];
    assert_eq!(values["properties"]["replicas"], serde_json::json!({"type": "integer", "default": 1}));
    assert_eq!(values["additionalProperties"], false);
    assert!(refused(&ytt(&sandbox, &["-f", "app", "--data-values-schema-inspect"])).contains("openapi-v3"));
}

#[test]
fn errors_in_templates_show_their_lines() {
    let sandbox = Sandbox::new();
    sandbox.file("config.yml", "#@ def inner(x):\n#@   return x[\"nope\"]\n#@ end\na: #@ inner({})\n");
    assert_eq!(
        refused(&ytt(&sandbox, &["-f", "config.yml"])),
        "ytt: Error: \n- key \"nope\" not in dict\n    in inner\n      config.yml:2 | #@   return x[\"nope\"]\n    \
         in <toplevel>\n      config.yml:4 | a: #@ inner({})\n"
    );
}

#[test]
fn output_files_are_written() {
    let sandbox = app();
    sandbox
        .file("app/notes/read.txt", "(@ name = \"you\" @)Hello (@= name @)\n")
        .file("out/kept.yml", "kept");
    assert_eq!(
        accepted(&ytt(&sandbox, &["-f", "app", "--output-files", "out"])),
        "creating: out/notes/read.txt\ncreating: out/config.yml\n"
    );
    assert_eq!(sandbox.read("out/config.yml"), "name: web\nreplicas: 1\n");
    assert_eq!(sandbox.read("out/notes/read.txt"), "Hello you\n");
    assert_eq!(sandbox.read("out/kept.yml"), "kept");
    accepted(&ytt(&sandbox, &["-f", "app", "--dangerous-emptied-output-directory", "out"]));
    assert!(!sandbox.path("out/kept.yml").exists());
    refused(&ytt(&sandbox, &["-f", "app", "--dangerous-emptied-output-directory", "."]));
    assert!(sandbox.path("app/config.yml").exists());
}

#[test]
fn text_files_are_not_printed() {
    let sandbox = Sandbox::new();
    sandbox.file("a.yml", "a: 1\n").file("b.txt", "text\n");
    let ran = ytt(&sandbox, &["-f", "a.yml", "-f", "b.txt"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "a: 1\n"));
    assert!(ran.stderr.contains("Non-YAML templates are not rendered to standard output."), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_output_is_replaced() {
    let sandbox = app();
    sandbox.file("precious", "precious").file("out/other", "");
    std::os::unix::fs::symlink(sandbox.path("precious"), sandbox.path("out/config.yml")).unwrap();
    accepted(&ytt(&sandbox, &["-f", "app", "--output-files", "out"]));
    assert_eq!(sandbox.read("precious"), "precious");
    assert_eq!(sandbox.read("out/config.yml"), "name: web\nreplicas: 1\n");
    assert!(fs::symlink_metadata(sandbox.path("out/config.yml")).unwrap().is_file());
}

#[cfg(unix)]
#[test]
fn links_are_only_followed_where_it_is_allowed() {
    let sandbox = app();
    sandbox.file("elsewhere/secret.yml", "secret: 1\n");
    std::os::unix::fs::symlink(sandbox.path("elsewhere/secret.yml"), sandbox.path("app/link.yml")).unwrap();
    assert!(refused(&ytt(&sandbox, &["-f", "app"])).contains("link.yml"));
    let allowed = ytt(&sandbox, &["-f", "app", "--allow-symlink-destination", "elsewhere"]);
    assert_eq!(accepted(&allowed), "name: web\nreplicas: 1\n---\nsecret: 1\n");
}

#[test]
fn output_does_not_leave_its_directory() {
    let sandbox = app();
    for path in ["../outside.yml", "../../outside.yml", "a/../../outside.yml", "../out-side/x.yml"] {
        let mark = format!("config.yml:path={path}");
        let ran = ytt(&sandbox, &["-f", "app", "--file-mark", &mark, "--output-files", "out"]);
        assert_eq!(
            refused(&ran),
            format!("ytt: Error: Expected output file '{path}' to be inside of the output directory\n")
        );
    }
    assert!(!sandbox.path("outside.yml").exists());
    assert!(!sandbox.path("out-side").exists());
}

#[test]
fn bulk_files_are_taken_and_given_as_json() {
    let sandbox = Sandbox::new();
    let files =
        r#"{"files":[{"name":"a.yml","data":"x: #@ 1 + 1\n"},{"name":"b.txt","data":"(@= \"<t>\" @)"}]}"#;
    assert_eq!(
        accepted(&ytt(&sandbox, &["--bulk-in", files, "--bulk-out"])),
        r#"{"files":[{"name":"b.txt","data":"\u003ct\u003e"},{"name":"a.yml","data":"x: 2\n"}]}"#
    );
    let wrong = r#"{"files":[{"name":"a.yml","data":"x: #@ nope\n"}]}"#;
    assert_eq!(
        accepted(&ytt(&sandbox, &["--bulk-in", wrong, "--bulk-out"])),
        r#"{"errors":"\n- undefined: nope\n    a.yml:1 | x: #@ nope"}"#
    );
    refused(&ytt(&sandbox, &["--bulk-in", "{", "--bulk-out"]));
}

#[test]
fn standard_input_is_a_file() {
    let sandbox = app();
    assert_eq!(accepted(&ytt_with_stdin(&sandbox, &["-f", "-"], "a: #@ 1 + 1\n")), "a: 2\n");
    let values =
        ytt_with_stdin(&sandbox, &["-f", "app", "--data-values-file", "-"], "replicas: 4\nname: piped\n");
    assert_eq!(accepted(&values), "name: piped\nreplicas: 4\n");
    let named = ytt_with_stdin(&sandbox, &["-f", "dir/named.yml=-", "--files-inspect"], "a: 1\n");
    assert_eq!(accepted(&named), "- dir/named.yml\n");
    let twice = ytt_with_stdin(&sandbox, &["-f", "-", "--data-values-file", "-"], "a: 1\n");
    assert!(refused(&twice).contains("Standard input has already been read"), "{twice:?}");
}

#[test]
fn templates_are_formatted() {
    let sandbox = Sandbox::new();
    sandbox.file("f.yml", "#! kept\nb:   1\na: {x:   2}\n\n---\n-   1\n-   #@ 1 +   1\n");
    assert_eq!(
        accepted(&ytt(&sandbox, &["fmt", "-f", "f.yml"])),
        "#! kept\nb: 1\n\na:\n  x: 2\n---\n- 1\n- #@ 1 +   1\n"
    );
    refused(&ytt(&sandbox, &["fmt", "-f", "missing.yml"]));
}

#[test]
fn help_and_version_are_printed() {
    let sandbox = Sandbox::new();
    for (arguments, parts) in [
        (
            ["--help"].as_slice(),
            ["trueline ytt -f PATH [flags]", "--data-values-file", "--output-files"].as_slice(),
        ),
        (&["help"], &["trueline ytt -f PATH [flags]", "--file-mark"]),
        (&["fmt", "--help"], &["trueline ytt fmt -f FILE [flags]", "--file"]),
        (&["help", "fmt"], &["trueline ytt fmt -f FILE [flags]"]),
        (&["version"], &["ytt version 0.49.0 (trueline "]),
        (&["--version"], &["ytt version 0.49.0 (trueline "]),
    ] {
        let ran = ytt(&sandbox, arguments);
        let text = accepted(&ran);
        for part in parts {
            assert!(text.contains(part), "{arguments:?}: {text}");
        }
    }
}

#[test]
fn wrong_command_lines_are_refused() {
    let sandbox = app();
    for (arguments, error) in [
        (["--nope"].as_slice(), "unknown flag: --nope"),
        (&["app"], "command 'ytt' does not accept extra arguments 'app'"),
        (&["fmt", "--data-value", "a=b"], "unknown flag: --data-value"),
        (&["version", "app"], "command 'ytt version' does not accept extra arguments 'app'"),
        (&["-f", "nope.yml"], "Checking file 'nope.yml': lstat nope.yml: no such file or directory"),
        (&["-v", "a"], "Extracting data value from KV:\n  Expected format key=value"),
        (
            &["-f", "app", "--file-mark", "x.yml:exclude=true"],
            "Expected file mark 'x.yml:exclude=true' to match at least one file by path, but did not",
        ),
    ] {
        assert_eq!(refused(&ytt(&sandbox, arguments)), format!("ytt: Error: {error}\n"), "{arguments:?}");
    }
    assert_eq!(accepted(&ytt(&sandbox, &[])), "");
}

#[test]
fn what_crashes_ytt_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox
        .file("cycle/a.star", "load(\"b.star\", \"b\")\na = 1\n")
        .file("cycle/b.star", "load(\"a.star\", \"a\")\nb = 1\n")
        .file("key.yml", "1: a\n")
        .file("large.yml", "a: #@ 1 << 70\n")
        .file("depth.yml", "#@ def f(x):\n#@   return f(x + 1)\n#@ end\na: #@ f(0)\n");
    for (file, part) in [
        ("cycle", "to not load itself (via "),
        ("key.yml", "Expected key to be string"),
        ("large.yml", "the integer does not fit into 64 bits"),
        ("depth.yml", "functions call each other more than 10000 levels deep"),
    ] {
        let ran = ytt(&sandbox, &["-f", file, "-o", "json"]);
        assert!(refused(&ran).contains(part), "{ran:?}");
    }
}

#[test]
fn lines_of_templates_are_shown_whole() {
    let sandbox = Sandbox::new();
    sandbox
        .file("a.yml", "#@ load(\"@ytt:url\", \"url\")\na: #@ url.parse(\"http://bob:secret@x\").nothing\n");
    let ran = ytt(&sandbox, &["-f", "a.yml"]);
    assert!(refused(&ran).contains("url.parse(\"http://bob:secret@x\").nothing"), "{}", ran.stderr);
}

#[test]
fn commands_that_are_incomplete_say_what_is_missing() {
    let sandbox = Sandbox::new();
    sandbox.file("values.yml", "replicas: 2\n").file("schema.json", "{}").file("any.json", "true");
    let expected = "ytt: Error: command 'ytt schema' expects a command: trueline ytt schema import FILE\n";
    for arguments in [&["schema"][..], &["schema", "export"]] {
        assert_eq!(refused(&ytt(&sandbox, arguments)), expected);
    }
    let ran = ytt(&sandbox, &["schema", "import", "values.yml"]);
    let expected = "expected a JSON Schema or a CRD, found a map without any keyword of JSON Schema";
    assert!(refused(&ran).contains(expected), "{}", ran.stderr);
    for accepts_anything in ["schema.json", "any.json"] {
        accepted(&ytt(&sandbox, &["schema", "import", accepts_anything]));
    }
    // Hints are for people: what programs read is what ytt prints.
    accepted(&ytt(&sandbox, &[]));
    accepted(&ytt(&sandbox, &["fmt"]));
}

#[test]
fn check_does_not_name_generated_functions() {
    let sandbox = Sandbox::new();
    sandbox.file("app/a.yml", "#@ x = 1\na: 1\n#@ if x:\na: 2\n#@ end\n");
    let ran = sandbox.run(&["check", "app", "--offline"]);
    let words = "error[TL0105]: the key `a` appears twice in this map";
    assert!(ran.stdout.contains(words) && !ran.stdout.contains("__ytt"), "{ran:?}");
    assert!(refused(&ytt(&sandbox, &["-f", "app"])).contains("__ytt_tpl"));
}
