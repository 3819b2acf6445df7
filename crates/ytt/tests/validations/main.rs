//! Validations from files to reports. Every rule is met in every situation: a good value, a bad one, null, a value of another
//! type, below other values, in an array, in an overlay, in a library, and turned off. `calls` has the same for the functions
//! of `@ytt:assert`, `strings` for the defaults of strings.

mod calls;
mod imports;
mod strings;

use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::library::{Validation, Validations};
use trueline_ytt::run::{Formats, Inspect, Options, run};
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

/// What is printed, or the error.
fn ran(files: &[(&str, &str)], options: &Options) -> String {
    let files = files.iter().map(|(path, text)| InputFile::new(path, text.as_bytes().to_vec()));
    let ended = run(in_order(vec![files.collect()]), options, &NoFlags);
    match ended.result.and_then(|produced| produced.print(Format::Yaml)) {
        Ok(text) => text,
        Err(error) => error.to_string(),
    }
}

fn inspected(files: &[(&str, &str)]) -> String {
    ran(files, &Options { inspect: Inspect::Values, ..Options::default() })
}

/// Where the first line with a string is, as reports write it.
fn at(name: &str, file: &str, text: &str) -> String {
    let line = file.lines().position(|line| line.contains(text));
    format!("{name}:{}", line.unwrap_or_else(|| panic!("no {text:?} in {name}:\n{file}")) + 1)
}

/// Asserts that a report says this, and nothing else, however far it is indented.
#[track_caller]
fn says(printed: &str, [path, from, by]: [&str; 3], must: &str, found: &str, context: &str) {
    let block = [
        path.to_owned(),
        format!("from: {from}"),
        format!("- must be: {must} (by: {by})"),
        format!("found: {found}"),
    ];
    let lines: Vec<&str> = printed.lines().map(str::trim).collect();
    let is_said = lines.windows(block.len()).any(|lines| lines.iter().eq(&block));
    assert!(is_said, "{context}:\n{printed}\n{block:#?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("- must be")).count(), 1, "{context}:\n{printed}");
}

fn without_validation() -> Options {
    let skipped = Validations { data_values: Validation::Skip, output: Validation::Skip };
    Options { validations: skipped, ..Options::default() }
}

/// A rule with a value that meets it, one that does not, and one of another type, each with what is found.
struct Case {
    rule: &'static str,
    good: &'static str,
    bad: &'static str,
    must: &'static str,
    found: &'static str,
    other: &'static str,
    other_found: &'static str,
}

const CASES: &[Case] = &[
    Case {
        rule: "min=3",
        good: "3",
        bad: "2",
        must: "a value >= 3",
        found: "value < 3",
        other: "x",
        other_found: "string >= int not implemented",
    },
    Case {
        rule: "max=3",
        good: "3",
        bad: "4",
        must: "a value <= 3",
        found: "value > 3",
        other: "x",
        other_found: "string <= int not implemented",
    },
    Case {
        rule: "min_len=3",
        good: "abc",
        bad: "ab",
        must: "length >= 3",
        found: "length = 2",
        other: "5",
        other_found: "len: value of type int has no len",
    },
    Case {
        rule: "max_len=3",
        good: "abc",
        bad: "abcd",
        must: "length <= 3",
        found: "length = 4",
        other: "5",
        other_found: "len: value of type int has no len",
    },
    Case {
        rule: "one_of=[\"a\", \"b\"]",
        good: "a",
        bad: "c",
        must: "one of [\"a\", \"b\"]",
        found: "not one of allowed values",
        other: "5",
        other_found: "not one of allowed values",
    },
    Case {
        rule: "len=3",
        good: "abc",
        bad: "ab",
        must: "length = 3",
        found: "length = 2",
        other: "5",
        other_found: "len: value of type int has no len",
    },
    Case {
        rule: "starts_with=\"a\"",
        good: "abc",
        bad: "xyz",
        must: "a value starting with \"a\"",
        found: "does not start with \"a\"",
        other: "5",
        other_found: "a value of type int is not a string",
    },
    Case {
        rule: "ends_with=\"c\"",
        good: "abc",
        bad: "xyz",
        must: "a value ending with \"c\"",
        found: "does not end with \"c\"",
        other: "5",
        other_found: "a value of type int is not a string",
    },
    Case {
        rule: "contains=\"b\"",
        good: "abc",
        bad: "xyz",
        must: "a value containing \"b\"",
        found: "does not contain \"b\"",
        other: "5",
        other_found: "a value of type int has no members",
    },
    Case {
        rule: "matches=\"^[a-c]+$\"",
        good: "abc",
        bad: "xyz",
        must: "a value matching ^[a-c]+$",
        found: "does not match",
        other: "5",
        other_found: "a value of type int is not a string",
    },
    Case {
        rule: "format=\"hostname\"",
        good: "a.example.com",
        bad: "a_b",
        must: "a valid hostname",
        found: "not a valid hostname",
        other: "5",
        other_found: "a value of type int is not a string",
    },
    Case {
        rule: "even=True",
        good: "4",
        bad: "5",
        must: "an even number",
        found: "an odd number",
        other: "x",
        other_found: "a value of type string is not a number",
    },
    Case {
        rule: "odd=True",
        good: "5",
        bad: "4",
        must: "an odd number",
        found: "an even number",
        other: "x",
        other_found: "a value of type string is not a number",
    },
    Case {
        rule: "multiple_of=3",
        good: "9",
        bad: "10",
        must: "a multiple of 3",
        found: "not a multiple of 3",
        other: "x",
        other_found: "a value of type string is not a number",
    },
    Case {
        rule: "min_len=(\"a name\", 2)",
        good: "ab",
        bad: "a",
        must: "a name",
        found: "length = 1",
        other: "5",
        other_found: "len: value of type int has no len",
    },
    Case {
        rule: "one_of=(\"a letter\", [\"a\", \"b\"])",
        good: "a",
        bad: "c",
        must: "a letter",
        found: "not one of allowed values",
        other: "5",
        other_found: "not one of allowed values",
    },
    Case {
        rule: "(\"an a\", lambda v: None if v == \"a\" else (False, \"another\"))",
        good: "a",
        bad: "b",
        must: "an a",
        found: "another",
        other: "5",
        other_found: "another",
    },
    Case {
        rule: "lambda v: v == \"a\" or fail(\"another\")",
        good: "a",
        bad: "b",
        must: "lambda",
        found: "another",
        other: "5",
        other_found: "another",
    },
    Case {
        rule: "(\"an a\", assert.starts_with(\"a\"))",
        good: "a",
        bad: "b",
        must: "an a",
        found: "does not start with \"a\"",
        other: "5",
        other_found: "a value of type int is not a string",
    },
];

const LOAD: &str = "#@ load(\"@ytt:assert\", \"assert\")\n";

fn report(path: &str, from: &str, by: &str, must: &str, found: &str) -> String {
    format!(
        "Validating final data values:\n  {path}\n    from: {from}\n    - must be: {must} (by: {by})\n      found: {found}\n\n"
    )
}

#[test]
fn good_bad_null_and_other_types() {
    for case in CASES {
        let Case { rule, good, bad, must, found, other, other_found } = case;
        let schema = |value: &str| {
            format!("{LOAD}#@data/values-schema\n---\n#@schema/validation {rule}\na: {value}\n")
        };
        assert_eq!(inspected(&[("s.yml", &schema(good))]), format!("a: {good}\n"), "{rule}");
        assert_eq!(inspected(&[("s.yml", &schema(bad))]), report("a", "s.yml:5", "s.yml:4", must, found));
        assert_eq!(
            inspected(&[("s.yml", &schema(other))]),
            report("a", "s.yml:5", "s.yml:4", must, other_found)
        );
        let null = schema(bad).replace("---\n", "---\n#@schema/nullable\n");
        assert_eq!(inspected(&[("s.yml", &null)]), "a: null\n", "{rule}");
        let not_null =
            null.replace(&format!("validation {rule}"), &format!("validation {rule}, not_null=True"));
        if !rule.contains("lambda v: v == \"a\" or") {
            assert_eq!(
                inspected(&[("s.yml", &not_null)]),
                report("a", "s.yml:6", "s.yml:5", "not null", "value is null"),
                "{rule}"
            );
        }
    }
}

#[test]
fn nested_and_in_arrays() {
    for Case { rule, good, bad, must, found, .. } in CASES {
        let schema = format!(
            "{LOAD}#@data/values-schema\n---\nx:\n  w:\n    #@schema/validation {rule}\n    a: {good}\n  z:\n  -\n    #@schema/validation {rule}\n    b: {good}\n"
        );
        let values =
            format!("#@data/values\n---\nx:\n  w:\n    a: {bad}\n  z:\n  - b: {good}\n  - b: {bad}\n");
        let expected = format!(
            "Validating final data values:\n  x.w.a\n    from: v.yml:5\n    - must be: {must} (by: s.yml:6)\n      found: {found}\n\n  x.z[1].b\n    from: v.yml:8\n    - must be: {must} (by: s.yml:10)\n      found: {found}\n\n"
        );
        assert_eq!(inspected(&[("s.yml", &schema), ("v.yml", &values)]), expected, "{rule}");
    }
}

#[test]
fn in_overlays_and_data_values() {
    for Case { rule, good, bad, must, found, .. } in CASES {
        // A schema overlay that brings the rule, and one that edits it.
        let base = format!("{LOAD}#@data/values-schema\n---\na: {bad}\n");
        let overlay = format!(
            "{LOAD}#@data/values-schema\n---\n#@overlay/noop\n#@overlay/replace-ann\n#@schema/validation {rule}\na:\n"
        );
        let expected = report("a", "a.yml:4", "b.yml:6", must, found);
        assert_eq!(inspected(&[("a.yml", &base), ("b.yml", &overlay)]), expected, "{rule}");
        // In data values, and lost where the value is replaced.
        let values = format!("{LOAD}#@data/values\n---\n#@assert/validate {rule}\na: {bad}\n");
        assert_eq!(
            inspected(&[("v.yml", &values)]),
            report("a", "v.yml:5", "v.yml:4", must, found),
            "{rule}"
        );
        let merged = format!("#@data/values\n---\n#@overlay/match missing_ok=True\na: {good}\n");
        assert_eq!(inspected(&[("v.yml", &values), ("w.yml", &merged)]), format!("a: {good}\n"), "{rule}");
        let merged = format!("#@data/values\n---\na: {bad}\n");
        let expected = report("a", "w.yml:3", "v.yml:4", must, found);
        assert_eq!(inspected(&[("v.yml", &values), ("w.yml", &merged)]), expected, "{rule}");
    }
}

#[test]
fn in_libraries_and_turned_off() {
    for Case { rule, good, bad, must, found, .. } in CASES {
        let schema = format!("{LOAD}#@data/values-schema\n---\n#@schema/validation {rule}\na: {bad}\n");
        let config = "#@ load(\"@ytt:data\", \"data\")\na: #@ data.values.a\n";
        let main = |arguments: &str| {
            format!(
                "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n--- #@ template.replace(library.get(\"l\").eval({arguments}))\n"
            )
        };
        let library = |main: &str, options: &Options| {
            let files =
                [("_ytt_lib/l/s.yml", schema.as_str()), ("_ytt_lib/l/c.yml", config), ("main.yml", main)];
            ran(&files, options)
        };
        let failed = library(&main(""), &Options::default());
        let reason = format!(
            "       from: _ytt_lib/l/s.yml:5\n         - must be: {must} (by: _ytt_lib/l/s.yml:4)\n           found: {found}\n"
        );
        assert!(failed.contains("Evaluating library 'l': Validating final data values:"), "{failed}");
        assert!(failed.contains(&reason), "{failed}\n{reason}");
        for arguments in
            ["data_value_schema_disable_validation=True", "dangerous_data_values_disable_validation=True"]
        {
            assert_eq!(library(&main(arguments), &Options::default()), format!("a: {bad}\n"), "{rule}");
        }
        assert_ne!(
            library(&main("output_disable_validation=True"), &Options::default()),
            format!("a: {bad}\n")
        );
        assert_eq!(library(&main(""), &without_validation()), format!("a: {bad}\n"), "{rule}");
        let root = [("s.yml", schema.as_str()), ("c.yml", config)];
        assert_eq!(ran(&root, &without_validation()), format!("a: {bad}\n"), "{rule}");
        let _ = good;
    }
}

/// What an annotation does in every situation: an annotation, a value that it accepts, one that it refuses, one of another
/// type, and what is printed of the refused ones.
struct Annotated {
    annotation: &'static str,
    good: &'static str,
    bad: &'static str,
    expected: &'static str,
    other: &'static str,
    other_expected: &'static str,
}

const ANNOTATED: &[Annotated] = &[
    Annotated {
        annotation: "validation (\"a name\", lambda v: v == \"x\" or fail(\"why\"), \"{key}={value}: {desc}, {failure} {{}}\")",
        good: "x",
        bad: "z",
        expected: "- k=\"z\": a name, why {} (by: ",
        other: "5",
        other_expected: "- k=5: a name, why {} (by: ",
    },
    Annotated {
        annotation: "validation (\"an x\", lambda v: v.name.first == \"x\")",
        good: "{name: {first: x}}",
        bad: "{name: {first: z}}",
        expected: "- must be: an x (by: ",
        other: "{name: z}",
        other_expected: "found: string has no .first field or method",
    },
    Annotated {
        annotation: "validation min=(\"a port\", 1024), max=(\"a lower port\", 65535)",
        good: "8080",
        bad: "80",
        expected: "- must be: a port (by: ",
        other: "x",
        other_expected: "found: string >= int not implemented",
    },
    Annotated {
        annotation: "validation one_not_null=[\"a\", \"b\"]",
        good: "{a: 1, b: ~}",
        bad: "{a: ~, b: ~}",
        expected: "found: all values are null",
        other: "x",
        other_expected: "found: value must be a map or dict, but was 'string'",
    },
    Annotated {
        annotation: "validation one_not_null=(\"one backend\", [\"a\", \"b\"])",
        good: "{a: 1, b: ~}",
        bad: "{a: 1, b: 2}",
        expected: "- must be: one backend (by: ",
        other: "x",
        other_expected: "found: value must be a map or dict, but was 'string'",
    },
    Annotated {
        annotation: "validation (\"a string or an integer\", assert.json_schema({\"type\": [\"string\", \"integer\"]}))",
        good: "5",
        bad: "[5]",
        expected: "found: expected a string or an integer, found a list",
        other: "1.5",
        other_expected: "found: expected a string or an integer, found a number",
    },
    Annotated {
        annotation: "validation min_len=3, when=lambda v, ctx: v != \"x\" and len(ctx.root) > 0",
        good: "x",
        bad: "z",
        expected: "- must be: length >= 3 (by: ",
        other: "5",
        other_expected: "found: len: value of type int has no len",
    },
];

/// Files in which a value has an annotation, what they are about, and what is inspected.
type Situation = (&'static str, Vec<(&'static str, String)>, Inspect);

fn situations(annotation: &str, value: &str) -> Vec<Situation> {
    let any = "#@schema/type any=True\n";
    let of_schema = format!("#@schema/{annotation}\n");
    let of_values = format!("#@assert/{}\n", annotation.replace("validation ", "validate "));
    let below = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
    let schema = |text: &str| format!("{LOAD}#@data/values-schema\n---\n{text}");
    let plain = schema(&format!("{any}{of_schema}k: {value}\n"));
    let item = format!("{any}{of_schema}k: ~\n");
    let main = "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n--- #@ template.replace(library.get(\"l\").eval())\n";
    vec![
        ("plain", vec![("s.yml", plain.clone())], Inspect::Values),
        (
            "nested",
            vec![(
                "s.yml",
                schema(&format!("a:\n  b:\n{}", below(&below(&format!("{any}{of_schema}k: {value}\n"))))),
            )],
            Inspect::Values,
        ),
        (
            "in an array",
            vec![
                ("s.yml", schema(&format!("a:\n-\n{}", below(&item)))),
                ("v.yml", format!("#@data/values\n---\na:\n- k: {value}\n")),
            ],
            Inspect::Values,
        ),
        (
            "in an overlay of the schema",
            vec![
                ("a.yml", schema(&format!("{any}k: {value}\n"))),
                ("b.yml", schema(&format!("#@overlay/noop\n#@overlay/replace-ann\n{any}{of_schema}k:\n"))),
            ],
            Inspect::Values,
        ),
        (
            "in data values",
            vec![("v.yml", format!("{LOAD}#@data/values\n---\n{of_values}k: {value}\n"))],
            Inspect::Values,
        ),
        (
            "in a library",
            vec![
                ("_ytt_lib/l/s.yml", plain),
                ("_ytt_lib/l/c.yml", "a: 1\n".to_owned()),
                ("m.yml", main.to_owned()),
            ],
            Inspect::Nothing,
        ),
        ("in output", vec![("t.yml", format!("{LOAD}{of_values}k: {value}\n"))], Inspect::Nothing),
    ]
}

#[test]
fn annotations_in_every_situation() {
    for Annotated { annotation, good, bad, expected, other, other_expected } in ANNOTATED {
        for (value, expected) in
            [(good, None), (bad, Some(expected)), (other, Some(other_expected)), (&"~", None)]
        {
            for (situation, files, inspect) in situations(annotation, value) {
                let files: Vec<(&str, &str)> =
                    files.iter().map(|(name, text)| (*name, text.as_str())).collect();
                let found = ran(&files, &Options { inspect, ..Options::default() });
                let context = format!("{annotation}, {value}, {situation}:\n{found}");
                match expected {
                    Some(expected) => assert!(found.contains(*expected), "{context}"),
                    None => assert!(!found.contains("alidating") && !found.contains("rror"), "{context}"),
                }
                let found = ran(&files, &Options { inspect, ..without_validation() });
                assert!(!found.contains("alidating") && !found.contains("rror"), "turned off: {context}");
            }
        }
    }
}

#[test]
fn conditions_that_fail_count_as_false() {
    for when in ["lambda v: fail(\"x\")", "lambda v: v[\"nope\"]", "lambda v, ctx: ctx.nope"] {
        for (situation, files, inspect) in situations(&format!("validation min_len=9, when={when}"), "abc") {
            let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
            let found = ran(&files, &Options { inspect, ..Options::default() });
            assert!(!found.contains("alidating"), "{when}, {situation}: {found}");
        }
    }
}

#[test]
fn output_documents_are_validated() {
    for Case { rule, good, bad, must, found, .. } in CASES {
        let template = |value: &str| {
            format!("{LOAD}---\nx: 1\n---\nspec:\n  list:\n  #@assert/validate {rule}\n  - {value}\n")
        };
        let expected = format!(
            "Validating output documents:\n  spec.list[0]\n    from: t.yml:8\n    - must be: {must} (by: t.yml:7)\n      found: {found}\n\n"
        );
        assert_eq!(ran(&[("t.yml", &template(bad))], &Options::default()), expected, "{rule}");
        assert!(ran(&[("t.yml", &template(good))], &Options::default()).contains(good), "{rule}");
        assert!(ran(&[("t.yml", &template(bad))], &without_validation()).contains(bad), "{rule}");
        // An overlay makes the value right before it is validated, or wrong.
        let fix = |value: &str| {
            format!(
                "#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.index(1)\n---\nspec:\n  list:\n  #@overlay/match by=overlay.index(0)\n  - {value}\n"
            )
        };
        let fixed = ran(&[("t.yml", &template(bad)), ("u.yml", &fix(good))], &Options::default());
        assert_eq!(fixed, format!("x: 1\n---\nspec:\n  list:\n  - {good}\n"), "{rule}");
        let broken = ran(&[("t.yml", &template(good)), ("u.yml", &fix(bad))], &Options::default());
        assert!(
            broken.starts_with("Validating output documents:\n  spec.list[0]\n    from: u.yml:7\n"),
            "{broken}"
        );
    }
}

#[test]
fn the_output_of_libraries_is_validated_there() {
    let config = "#@assert/validate min=5\na: 1\n";
    let main = |arguments: &str| {
        format!(
            "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n--- #@ template.replace(library.get(\"l\").eval({arguments}))\n"
        )
    };
    let failed = ran(&[("_ytt_lib/l/c.yml", config), ("m.yml", &main(""))], &Options::default());
    assert!(failed.contains("Evaluating library 'l': Validating output documents:"), "{failed}");
    // Whoever turned it off for the library does not want it for the same documents in the root.
    let off = ran(
        &[("_ytt_lib/l/c.yml", config), ("m.yml", &main("output_disable_validation=True"))],
        &Options::default(),
    );
    assert_eq!(off, "a: 1\n");
    let failed = ran(
        &[("_ytt_lib/l/c.yml", config), ("m.yml", &main("data_value_schema_disable_validation=True"))],
        &Options::default(),
    );
    assert!(failed.contains("Validating output documents:"), "{failed}");
}

#[test]
fn rules_of_output_see_all_documents() {
    let template = "--- \nkind: A\n#@assert/validate min=5, when=lambda v, ctx: ctx.root[0][\"kind\"] == \"A\" and len(ctx.parent) == 2\nm: 1\n#@assert/validate (\"two\", lambda d: False), when=lambda v, ctx: len(ctx.parent) == 2\n---\nkind: B\n";
    let expected = "Validating output documents:\n  m\n    from: t.yml:4\n    - must be: a value >= 5 (by: t.yml:3)\n      found: value < 5\n\n  (document)\n    from: t.yml:6\n    - must be: two (by: t.yml:5)\n\n";
    assert_eq!(ran(&[("t.yml", template)], &Options::default()), expected);
}

#[test]
fn data_values_are_empty_inside_of_rules() {
    let schema = "#@ load(\"@ytt:data\", \"data\")\n#@data/values-schema\n---\n#@schema/validation (\"x\", lambda v: len(data.values) == 0)\na: 1\n";
    assert_eq!(inspected(&[("s.yml", schema)]), "a: 1\n");
}

#[test]
fn annotations_survive_functions() {
    // In a schema.
    let schema = "#@ def port(number):\n#@schema/validation min=1\nport: #@ number\n#@ end\n#@data/values-schema\n---\none: #@ port(0)\nlist:\n- #@ port(1)\n";
    let expected = report("one.port", "s.yml:3", "s.yml:2", "a value >= 1", "value < 1");
    assert_eq!(inspected(&[("s.yml", schema)]), expected);
    let values = "#@data/values\n---\none:\n  port: 1\nlist:\n- port: 0\n";
    let expected = report("list[0].port", "v.yml:6", "s.yml:2", "a value >= 1", "value < 1");
    assert_eq!(inspected(&[("s.yml", schema), ("v.yml", values)]), expected);
    // In data values.
    let values = "#@ def port(number):\n#@assert/validate min=1\nport: #@ number\n#@ end\n#@data/values\n---\none: #@ port(0)\n";
    let expected = report("one.port", "v.yml:3", "v.yml:2", "a value >= 1", "value < 1");
    assert_eq!(inspected(&[("v.yml", values)]), expected);
    // In templates, also through `template.replace` and from a library file.
    let library = "#@ def port(number):\n#@assert/validate min=1\nport: #@ number\n#@ end\n";
    let template = "#@ load(\"f.lib.yml\", \"port\")\n#@ load(\"@ytt:template\", \"template\")\none: #@ port(0)\ntwo:\n  _: #@ template.replace(port(0))\n";
    let printed = ran(&[("f.lib.yml", library), ("t.yml", template)], &Options::default());
    let block = |path: &str| {
        format!(
            "  {path}\n    from: f.lib.yml:3\n    - must be: a value >= 1 (by: f.lib.yml:2)\n      found: value < 1\n\n"
        )
    };
    assert_eq!(printed, format!("Validating output documents:\n{}{}", block("one.port"), block("two.port")));
}

#[test]
fn overlays_edit_annotations() {
    let base = "#@ def is_even(n):\n#@   return n % 2 == 0\n#@ end\n#@data/values-schema\n---\n#@schema/validation is_even, not_null=True\n#@schema/nullable\nfoo: 42\n#@schema/validation is_even\nbar: 13\n";
    let edited = |overlay: &str| {
        let overlay = format!("#@data/values-schema\n---\n{overlay}");
        let schema = Options {
            inspect: Inspect::Schema,
            formats: Formats(vec!["json-schema".to_owned()]),
            ..Options::default()
        };
        ran(&[("a.yml", base), ("b.yml", &overlay)], &schema)
    };
    // Merged: arguments appended, keyword arguments replaced.
    let merged = edited(
        "#@schema/validation lambda n: n < 1000, min=10, not_null=False\n#@overlay/noop\n#@overlay/merge-anns\nfoo: ~\n",
    );
    assert!(merged.contains("description: 'Must be: is_even; lambda; a value >= 10'"), "{merged}");
    assert!(merged.contains("    - integer\n    - \"null\"\n"), "{merged}");
    // Replaced, with a value.
    let replaced = edited("#@schema/validation lambda n: n < 1000\n#@overlay/replace-ann\nbar: 1001\n");
    assert!(
        replaced.contains("description: 'Must be: lambda'") && replaced.contains("default: 1001")
            || replaced.contains("- bar"),
        "{replaced}"
    );
    // Removed by name, under both names, and by a function.
    for removal in
        ["\"schema/validate\"", "\"schema/validation\"", "via=lambda name: name == \"schema/validation\""]
    {
        let removed = edited(&format!("#@overlay/noop\n#@overlay/remove-anns {removal}\nbar: 0\n"));
        assert!(removed.contains("  bar:\n    type: integer\n    default: 13\n"), "{removed}");
    }
    // Removed, and another one set.
    let changed = edited(
        "#@overlay/noop\n#@overlay/remove-anns \"schema/validation\"\n#@schema/validation min=1, max=1000\nbar: 0\n",
    );
    assert!(changed.contains("    default: 13\n    minimum: 1\n    maximum: 1000\n"), "{changed}");
    // In data values and in output.
    let values = "#@data/values\n---\n#@assert/validate min=5\na: 1\n";
    let removal = "#@data/values\n---\n#@overlay/noop\n#@overlay/remove-anns \"assert/validate\"\na:\n";
    assert_eq!(inspected(&[("a.yml", values), ("b.yml", removal)]), "a: 1\n");
    let output = "#@assert/validate min=5\na: 1\n";
    let overlay = "#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.all\n---\n#@overlay/noop\n#@overlay/merge-anns\n#@assert/validate min=1\na:\n";
    assert_eq!(ran(&[("a.yml", output), ("b.yml", overlay)], &Options::default()), "a: 1\n");
    let overlay = overlay.replace("min=1", "max=0");
    let found = ran(&[("a.yml", output), ("b.yml", &overlay)], &Options::default());
    assert!(found.contains("a value >= 5") && found.contains("a value <= 0"), "{found}");
}

#[test]
fn not_null_as_a_function_is_checked_for_null_and_first() {
    for (rule, found) in
        [("assert.not_null()", "value is null"), ("assert.not_null", "assert.not_null: fail: value is null")]
    {
        let schema = format!(
            "{LOAD}#@data/values-schema\n---\n#@schema/nullable\n#@schema/validation (\"x\", lambda v: fail(\"not run\")), (\"required\", {rule})\na: 1\n"
        );
        assert_eq!(inspected(&[("s.yml", &schema)]), report("a", "s.yml:6", "s.yml:5", "required", found));
    }
}

#[test]
fn the_last_of_several_annotations_counts() {
    let schema = "#@data/values-schema\n---\n#@schema/validation min=5\n#@schema/validation max=10\na: 7\n";
    let template = "#@ load(\"@ytt:data\", \"data\")\n#@assert/validate (\"first\", lambda v: False)\n\
                    #@assert/validate (\"last\", lambda v: v < 9)\nb: #@ data.values.a\n";
    let with = |value: &str| {
        let values = format!("#@data/values\n---\na: {value}\n");
        ran(&[("schema.yml", schema), ("t.yml", template), ("values.yml", &values)], &Options::default())
    };
    assert_eq!(with("3"), "b: 3\n");
    says(&with("30"), ["a", "values.yml:3", "schema.yml:4"], "a value <= 10", "value > 10", "of a schema");
    let printed = with("9");
    assert!(printed.contains("must be: last") && !printed.contains("must be: first"), "{printed}");
}
