//! Whole runs over a few files, with what the original prints: standard output, or the text of the error.

use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::run::{Options, run};
use trueline_ytt::tree::Format;
use trueline_ytt::values::{FlagInputs, FoundFile};

struct NoFlags;

impl FlagInputs for NoFlags {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        Err(trueline_ytt::input_error::InputErrorKind::Unreadable.of(path))
    }
}

fn printed(files: &[(&str, &str)]) -> String {
    let files = files.iter().map(|(path, text)| InputFile::new(path, text.as_bytes().to_vec())).collect();
    let ended = run(in_order(vec![files]), &Options::default(), &NoFlags);
    ended
        .result
        .and_then(|produced| produced.print(Format::Yaml))
        .unwrap_or_else(|error| error.text().to_owned())
}

#[test]
fn the_key_of_an_annotated_item_is_a_template() {
    for (template, expected) in [
        ("#@yaml/text-templated-strings\n(@= \"x\" @): 1\nb: 2\n", "x: 1\nb: 2\n"),
        ("a: 1\n#@yaml/text-templated-strings\n(@= \"x\" @):\n  c: 2\nb: (@\n", "a: 1\nx:\n  c: 2\nb: (@\n"),
        ("#@yaml/text-templated-strings\n(@= \"x\" @): 1\n---\na: 1\n", "x: 1\n---\na: 1\n"),
    ] {
        assert_eq!(printed(&[("config.yml", template)]), expected, "{template}");
    }
}

#[test]
fn brackets_left_open_are_reported_where_the_second_instruction_after_them_is() {
    for (template, expected) in [
        // The comment takes the brackets of the call with it.
        ("a: #@ #x\nb: 2\nc: 3\n", "\n- got identifier, want ')'\n    config.yml:2 | b: 2"),
        ("#@foo/bar f( # x\na: 1\nb: 2\n", "\n- got identifier, want ','\n    config.yml:2 | a: 1"),
        ("#@ x = [1,\na: 1\nb: 2\n", "\n- got identifier, want ']'\n    config.yml:2 | a: 1"),
        (
            "a: 1\n#@ x = [1,\n",
            "\n- got identifier, want ']'\n    config.yml:2 | #@ x = [1,\n    config.yml:? | \
             __ytt_tpl2_set_node(5) # *yamlmeta.Document (generated)",
        ),
        // Inside of strings they leave nothing open.
        ("#@ x = '[('\na: #@ x\n#@ y = '('\n", "a: '[('\n"),
    ] {
        assert_eq!(printed(&[("config.yml", template)]), expected, "{template}");
    }
}

#[test]
fn plain_data_values_of_a_library_have_no_annotations() {
    let template = |annotation: &str| {
        format!(
            "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n#@ def values():\n\
             {annotation}\na: 2\n#@ end\n--- #@ template.replace(library.get(\"app\").with_data_values(values(), \
             plain=True).eval())\n"
        )
    };
    let library = [
        ("_ytt_lib/app/values.yml", "#@data/values\n---\na: 1\n"),
        ("_ytt_lib/app/out.yml", "#@ load(\"@ytt:data\", \"data\")\nout: #@ data.values.a\n"),
    ];
    let run = |annotation: &str| {
        let template = template(annotation);
        printed(&[library[0], library[1], ("config.yml", template.as_str())])
    };
    assert_eq!(run("#! words"), "out: 2\n");
    let refused = run("#@overlay/match missing_ok=True");
    let expected = "\n- library.with_data_values: Expected to be plain YAML, having no annotations (hint: remove \
                    comments starting with `#@`)\n";
    assert!(refused.starts_with(expected), "{refused}");
}

#[test]
fn of_several_names_that_a_module_does_not_have_the_last_is_reported() {
    let files = [("config.yml", "#@ load(\"m.star\", \"no\", \"nor\")\na: 1\n"), ("m.star", "x = 1\n")];
    let expected = "\n- load: name nor not found in module m.star\n";
    assert!(printed(&files).starts_with(expected), "{}", printed(&files));
}

#[test]
fn programs_cannot_be_marked_for_output() {
    let files = vec![InputFile::new("m.star", b"x = 1\n".to_vec())];
    let options = Options { file_marks: vec!["m.star:for-output=true".to_owned()], ..Options::default() };
    let ended = run(in_order(vec![files]), &options, &NoFlags);
    assert_eq!(ended.result.err().map(|error| error.text().to_owned()).as_deref(), Some("Unknown file type"));
}

#[test]
fn libraries_and_texts_in_loops_reach_a_limit() {
    let limited = |files: &[(&str, &str)], words: &str| {
        let files = files.iter().map(|(path, text)| InputFile::new(path, text.as_bytes().to_vec())).collect();
        let mut options = Options::default();
        options.limits.steps = 2_000_000;
        let error = run(in_order(vec![files]), &options, &NoFlags).result.unwrap_err();
        assert!(error.text().contains(words), "{}", error.text());
    };
    let library = ("_ytt_lib/a/t.yml", "a: 1\n");
    let code = |body: &str| {
        format!(
            "#@ load(\"@ytt:library\", \"library\")\n#@ def f():\n#@ x = library.get(\"a\")\n#@ while True:\n#@ {body}\n\
             #@ end\n#@ end\n---\na: #@ f()\n"
        )
    };
    for body in ["x.eval()", "x = x.with_data_values({})"] {
        limited(&[library, ("t.yml", &code(body))], "too many steps");
    }
    let text = "(@ x = 'a' * 1000000 -@)\n(@ for i in range(100000): -@)\n(@= x @)\n(@ end -@)\n";
    limited(&[("t.txt", text)], "too many YAML nodes");
}

#[test]
fn computed_values_of_a_schema_are_reported_at_their_node() {
    for (value, reported) in [
        ("#@ [1, 2]", "found: 2 array items"),
        ("#@ {\"c\": []}", "found: 0 array items"),
        ("#@ {\"c\": None}", "found: null value"),
    ] {
        let schema = format!("#@data/values-schema\n---\na:\n  b: {value}\n");
        let printed = printed(&[("s.yml", &schema)]);
        assert!(printed.contains(&format!("s.yml:\n    |\n  4 |   b: {value}\n")), "{printed}");
        assert!(printed.contains(reported), "{printed}");
    }
}
