//! `trueline helm schema`, and the charts that show what schema-dependencies.json is for.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{Finding, Ran, Sandbox, say, serve};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A sandbox with a copy of one of the examples, called `chart`.
fn example(name: &str) -> Sandbox {
    fn copy(from: &Path, to: &str, sandbox: &Sandbox) {
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let to = format!("{to}/{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                copy(&path, &to, sandbox);
            } else {
                sandbox.file(&to, fs::read(&path).unwrap());
            }
        }
    }
    let sandbox = Sandbox::new();
    copy(&repository().join(name), "chart", &sandbox);
    sandbox
}

/// The copies are in a directory of another name than the chart, which is noted.
#[track_caller]
fn assert_valid(code: Option<i32>, findings: &[Finding]) {
    let is_other = |finding: &&Finding| finding.code != "TL0422";
    assert_eq!((code, findings.iter().find(is_other)), (Some(0), None));
}

fn accepted(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    &ran.stdout
}

fn refused(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    &ran.stderr
}

#[test]
fn a_prefix_leads_into_a_folder_of_the_chart() {
    let sandbox = example("examples/charts/folder");
    let line = ["helm", "--offline", "template", "web", "chart"];
    assert!(accepted(&sandbox.run(&line)).contains("cpu: 100m"));
    let wrong = [&line[..], &["--set", "resources.requests.cpu=fast"]].concat();
    assert_eq!(
        refused(&sandbox.run(&wrong)),
        "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nfolder:\n\
         - at '/resources/requests/cpu': 'fast' does not match pattern '^[0-9]+(m|Ki|Mi|Gi)?$'\n\n"
    );
    let (code, findings) = sandbox.findings(&["check", "chart", "--offline"]);
    assert_valid(code, &findings);
    sandbox.file("chart/schema-dependencies.json", "{}");
    assert!(refused(&sandbox.run(&line)).contains("company/resources.json"));
}

#[test]
fn an_address_leads_into_a_folder_of_the_chart() {
    let sandbox = example("examples/charts/mirror");
    let line = ["helm", "--offline", "template", "web", "chart"];
    assert!(accepted(&sandbox.run(&line)).contains("image: nginx:1.29"));
    for (flag, words) in [
        ("image.tag=a b", "at '/image/tag': 'a b' does not match pattern"),
        ("image.tga=x", "at '/image': additional properties 'tga' not allowed"),
    ] {
        let ran = sandbox.run(&[&line[..], &["--set", flag]].concat());
        assert!(refused(&ran).contains(words), "{ran:?}");
    }
    let (code, findings) = sandbox.findings(&["check", "chart", "--offline"]);
    assert_valid(code, &findings);
}

#[test]
fn a_prefix_leads_to_a_server() {
    let sandbox = example("online-examples/remote");
    let definitions = json!({"definitions": {
        "io.k8s.api.core.v1.Probe": {"type": "object", "properties": {
            "periodSeconds": {"type": "integer", "format": "int32"},
            "httpGet": {"$ref": "#/definitions/io.k8s.api.core.v1.HTTPGetAction"},
        }},
        "io.k8s.api.core.v1.HTTPGetAction": {"type": "object", "required": ["port"]},
        "io.k8s.api.core.v1.Unused": {"type": "object"},
    }});
    let url = serve(move |_, stream| say(stream, "200 OK", "", definitions.to_string()));
    let mapping = sandbox.read("chart/schema-dependencies.json");
    let mapping: Value = serde_json::from_str(&mapping).unwrap();
    assert!(mapping["k8s-api"].as_str().unwrap().starts_with("https://"));
    sandbox.file("chart/schema-dependencies.json", json!({"k8s-api": format!("{url}/d.json")}).to_string());
    let line = ["helm", "template", "web", "chart"];
    let offline = [&line[..], &["--offline"]].concat();
    assert!(refused(&sandbox.run(&offline)).contains("/d.json"));
    assert!(accepted(&sandbox.run(&line)).contains("periodSeconds: 10"));
    let wrong = [&line[..], &["--set", "livenessProbe.periodSeconds=often"]].concat();
    assert!(
        refused(&sandbox.run(&wrong)).contains("at '/livenessProbe/periodSeconds': got string, want integer")
    );

    // In one text it needs the server no more.
    let before = sandbox.read("chart/values.schema.json");
    let bundle = ["helm", "schema", "bundle", "chart", "--write", "--force"];
    let ran = sandbox.run(&bundle);
    assert_eq!(ran.stderr, "the values.schema.json that was there is kept as values.schema.json.orig\n");
    assert_eq!(sandbox.read("chart/values.schema.json.orig"), before);
    accepted(&sandbox.run(&bundle));
    let bundled: Value = serde_json::from_str(&sandbox.read("chart/values.schema.json")).unwrap();
    let names: Vec<&String> = bundled["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["io.k8s.api.core.v1.Probe", "io.k8s.api.core.v1.HTTPGetAction"]);
    fs::remove_dir_all(sandbox.path(".cache")).unwrap();
    assert!(accepted(&sandbox.run(&offline)).contains("periodSeconds: 10"));
    let wrong = [&offline[..], &["--set", "livenessProbe.httpGet.port=null"]].concat();
    assert!(refused(&sandbox.run(&wrong)).contains("at '/livenessProbe/httpGet': missing property 'port'"));
}

#[test]
fn a_schema_is_inferred_and_used() {
    let sandbox = example("examples/charts/mirror");
    let line = ["helm", "schema", "infer", "chart"];
    let printed = accepted(&sandbox.run(&line)).to_owned();
    let schema: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        schema["properties"]["image"]["properties"]["tag"],
        json!({"type": "string", "default": "1.29"})
    );
    assert_eq!(schema["properties"]["image"]["description"], "What the pod runs");
    let before = sandbox.read("chart/values.schema.json");
    let write = [&line[..], &["--write"]].concat();
    assert_eq!(
        refused(&sandbox.run(&write)),
        "Error: values.schema.json is there already; --force replaces it\n"
    );
    assert_eq!(sandbox.read("chart/values.schema.json"), before);
    assert_eq!(accepted(&sandbox.run(&[&write[..], &["--force"]].concat())), "");
    assert_eq!(sandbox.read("chart/values.schema.json"), printed);
    let wrong = ["helm", "template", "web", "chart", "--set", "image.repository=1"];
    assert!(refused(&sandbox.run(&wrong)).contains("at '/image/repository': got number, want string"));
    accepted(&sandbox.run(&[&line[..], &["-o", "other.json", "--draft", "7"]].concat()));
    assert!(sandbox.read("other.json").contains("draft-07"));
}

#[test]
fn a_table_of_values_is_written() {
    let sandbox = example("examples/charts/folder");
    let expected = "| Key | Type | Default | Description |\n|-----|------|---------|-------------|\n\
        | name | string | `\"web\"` | What the pod is called |\n\
        | resources | object | `{\"requests\":{\"cpu\":\"100m\",\"memory\":\"64Mi\"}}` | What the pod asks for and may have |\n";
    assert_eq!(accepted(&sandbox.run(&["helm", "schema", "docs", "chart"])), expected);
    accepted(&sandbox.run(&["helm", "schema", "docs", "chart", "-o", "values.md"]));
    assert_eq!(sandbox.read("values.md"), expected);
}

#[test]
fn what_cannot_be_done_is_said() {
    let sandbox = example("examples/charts/folder");
    sandbox.file("bad/Chart.yaml", "apiVersion: v2\nname: bad\nversion: 1.0.0\n");
    sandbox.file("bad/values.yaml", "port: 80 # @schema minimun:1\n");
    for (line, words) in [
        (&["infer", "bad"][..], "`minimun` is no keyword of annotations"),
        (&["infer", "bad"], "bad/values.yaml:1:20"),
        (&["bundle", "bad"], "the chart \"bad\" has no values.schema.json"),
        (&["infer", "chart", "--draft", "5"], "unknown draft \"5\": use 2020-12 or 7"),
        (&["docs", "chart", "--sort-values-order", "x"], "unknown order \"x\": use alphanum or file"),
        (&["infer", "./nope"], "there is no directory and no archive of a chart at \"./nope\""),
        (&["infer", "nope"], "there is no directory and no archive of a chart at \"nope\""),
        (&["docs", "charts/nope"], "there is no directory and no archive of a chart at \"charts/nope\""),
        (&["infer"], "requires 1 argument"),
        (&["infer", "chart", "--write", "-o", "x"], "[output write] were all set"),
        (&["infer", "chart", "-o", "no/such/x"], "the directory `"),
    ] {
        let line = [&["helm", "schema"], line].concat();
        let ran = sandbox.run(&line);
        assert!(refused(&ran).contains(words), "{line:?} {ran:?}");
    }
    let (code, findings) = sandbox.findings(&["check", "chart"]);
    assert_valid(code, &findings);
}
