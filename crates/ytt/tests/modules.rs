//! Calls of all functions of `@ytt:` modules, with what the original answers: `tests/modules/NAME.txt` has an expression
//! after each `>`, and below it what becomes of `r: #@ EXPRESSION`: YAML after `=`, or the message of the error after
//! `!`. `given.yml` is what the expressions may use.

use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::run::{Options, run};
use trueline_ytt::tree::Format;
use trueline_ytt::values::{FlagInputs, FoundFile};

const MODULES: [&str; 17] = [
    "assert", "base64", "data", "ip", "json", "math", "md5", "module", "overlay", "regexp", "sha256",
    "struct", "template", "toml", "url", "version", "yaml",
];

struct NoFlags;

impl FlagInputs for NoFlags {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        Err(trueline_ytt::input_error::InputErrorKind::Unreadable.of(path))
    }
}

/// What becomes of an expression, in the form of the recorded files.
fn evaluated(expression: &str) -> String {
    let loads: String =
        MODULES.iter().map(|name| format!("#@ load(\"@ytt:{name}\", \"{name}\")\n")).collect();
    let given = include_str!("modules/given.yml");
    let template = format!("{loads}{given}---\nr: #@ {expression}\n");
    let files = in_order(vec![vec![InputFile::new("config.yml", template.into_bytes())]]);
    let ended = run(files, &Options::default(), &NoFlags);
    match ended.result.and_then(|produced| produced.print(Format::Yaml)) {
        Ok(text) => text.lines().map(|line| format!("= {line}\n")).collect(),
        Err(error) => {
            let text = error.text().trim_start_matches("\n- ");
            let message = text.split_once("\n    in ").map_or(text, |(message, _)| message);
            format!("! {message}\n")
        }
    }
}

fn check(recorded: &str) {
    let mut wrong = Vec::new();
    // Nothing but an expression begins a line with `>`.
    for case in format!("\n{recorded}").split("\n> ").skip(1) {
        let Some((expression, expected)) = case.split_once('\n') else { continue };
        let expected = format!("{}\n", expected.trim_end_matches('\n'));
        let found = evaluated(expression);
        if found != expected {
            wrong.push(format!("{expression}\n expected:\n{expected} found:\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! modules {
    ($($test:ident: $file:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            check(include_str!(concat!("modules/", $file, ".txt")));
        })*
    };
}

modules! {
    assertions: "assert",
    base64: "base64",
    data: "data",
    ip: "ip",
    json: "json",
    math: "math",
    md5: "md5",
    module: "module",
    regexp: "regexp",
    sha256: "sha256",
    structs: "struct",
    template: "template",
    toml: "toml",
    url: "url",
    version: "version",
    yaml: "yaml",
}

/// What a function makes of a data value was typed where that was typed.
#[test]
fn results_know_where_their_argument_was_typed() {
    for expression in [
        "base64.encode(v.text)",
        "base64.decode(base64.encode(v.text))",
        "md5.sum(v.text)",
        "sha256.sum(v.text)",
        "regexp.replace(\"a\", v.text, \"$0$0\")",
        "regexp.replace(\"a\", v.text, lambda found: found)",
        "url.path_segment_encode(v.text)",
        "url.query_param_value_decode(v.text)",
        "url.parse(v.text).string()",
        "url.query_params_decode(v.text)[\"abc\"][0]",
        "json.encode(v.text)",
        "json.decode(json.encode(v.text))",
        "yaml.encode(v.text)",
        "yaml.decode(v.text)",
        "toml.decode(\"a = \" + json.encode(v.text))[\"a\"]",
        "ip.parse_addr(v.address).string()",
        "ip.parse_cidr(v.address + \"/8\")[1].string()",
    ] {
        let loads: String =
            MODULES.iter().map(|name| format!("#@ load(\"@ytt:{name}\", \"{name}\")\n")).collect();
        let template = format!("{loads}#@ v = data.values\nr: #@ {expression}\n");
        let values = "#@data/values\n---\ntext: abc\naddress: 10.0.0.1\n";
        let files = vec![
            InputFile::new("config.yml", template.into_bytes()),
            InputFile::new("values.yml", values.as_bytes().to_vec()),
        ];
        let produced = run(in_order(vec![files]), &Options::default(), &NoFlags).result.unwrap();
        let document = &produced.documents[0].content.documents[0];
        let place = &document.value.as_map().unwrap().items[0].meta.place();
        let line = if expression.contains("v.text") { "values.yml:3" } else { "values.yml:4" };
        assert_eq!(place.to_string(), line, "{expression}");
    }
}
