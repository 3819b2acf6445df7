//! `assert.validate` and `assert.valid` in every situation. They are calls: turning validations off does not turn them off.

use super::{CASES, Case, LOAD, at, ran, says, without_validation};
use trueline_ytt::run::Options;

/// Where the call is.
struct Place {
    name: &'static str,
    /// Files in which `{rules}` are the rules, `{code}` is the value in Starlark and `{value}` the same in YAML.
    files: &'static [(&'static str, &'static str)],
    path: &'static str,
    /// The file and the line that lead to the value, and those that lead to the rules. What code makes has none.
    from: Option<(&'static str, &'static str)>,
    by: Option<(&'static str, &'static str)>,
    /// What is printed of a value that the rules accept.
    printed: &'static str,
}

const TEMPLATE: &str = "t.yml";
const VALUES: &str = "v.yml";
const EVALUATED: (&str, &str) = (
    "m.yml",
    "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n--- #@ template.replace(library.get(\"l\").eval())\n",
);
/// The same, with all validations turned off for the library.
const UNVALIDATED: (&str, &str) = (
    "m.yml",
    "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n--- #@ template.replace(library.get(\"l\").eval(data_value_schema_disable_validation=True, output_disable_validation=True))\n",
);

/// Calls of `assert.validate`.
const VALIDATE: &[Place] = &[
    Place {
        name: "in a template",
        files: &[(TEMPLATE, "r: #@ assert.validate(\"k\", {code}, {rules})\n")],
        path: "k",
        from: None,
        by: None,
        printed: "r: null\n",
    },
    Place {
        name: "nested",
        files: &[
            (VALUES, "#@data/values\n---\na:\n  b:\n    c: {value}\n"),
            (TEMPLATE, "r:\n  s: #@ assert.validate(\"a.b.c\", data.values.a.b.c, {rules})\n"),
        ],
        path: "a.b.c",
        from: Some((VALUES, "c: ")),
        by: None,
        printed: "r:\n  s: null\n",
    },
    Place {
        name: "in an array",
        files: &[
            (VALUES, "#@data/values\n---\na:\n- {value}\n"),
            (
                TEMPLATE,
                "r:\n#@ for index, value in enumerate(data.values.a):\n- #@ assert.validate(\"a[{}]\".format(index), value, {rules})\n#@ end\n",
            ),
        ],
        path: "a[0]",
        from: Some((VALUES, "- ")),
        by: None,
        printed: "r:\n- null\n",
    },
    Place {
        name: "in an overlay",
        files: &[
            (TEMPLATE, "r: 1\n"),
            (
                "o.yml",
                "#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.all\n---\nr: #@ assert.validate(\"k\", {code}, {rules})\n",
            ),
        ],
        path: "k",
        from: None,
        by: None,
        printed: "r: null\n",
    },
    Place {
        name: "in a function that an overlay calls with the value it replaces",
        files: &[
            (TEMPLATE, "r: {value}\n"),
            (
                "o.yml",
                "#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.all\n---\n#@overlay/replace via=lambda left, right: assert.validate(\"r\", left, {rules})\nr:\n",
            ),
        ],
        path: "r",
        from: Some((TEMPLATE, "r: ")),
        by: None,
        printed: "r: null\n",
    },
    Place {
        name: "in data values",
        files: &[
            ("d.yml", "#@data/values\n---\nd: #@ assert.validate(\"k\", {code}, {rules})\n"),
            (TEMPLATE, "r: #@ data.values.d\n"),
        ],
        path: "k",
        from: None,
        by: None,
        printed: "r: null\n",
    },
    Place {
        name: "in a function of another file",
        files: &[
            (
                "f.star",
                "load(\"@ytt:assert\", \"assert\")\ndef check(name, value):\n  assert.validate(name, value, {rules})\n  return True\nend\n",
            ),
            (VALUES, "#@data/values\n---\na: {value}\n"),
            (TEMPLATE, "#@ load(\"f.star\", \"check\")\nr: #@ check(\"a\", data.values.a)\n"),
        ],
        path: "a",
        from: Some((VALUES, "a: ")),
        by: None,
        printed: "r: true\n",
    },
    Place {
        name: "in a library",
        files: &[
            ("_ytt_lib/l/v.yml", "#@data/values\n---\na: {value}\n"),
            ("_ytt_lib/l/t.yml", "r: #@ assert.validate(\"a\", data.values.a, {rules})\n"),
            EVALUATED,
        ],
        path: "a",
        from: Some(("_ytt_lib/l/v.yml", "a: ")),
        by: None,
        printed: "r: null\n",
    },
    Place {
        name: "in a library without validations",
        files: &[("_ytt_lib/l/t.yml", "r: #@ assert.validate(\"a\", {code}, {rules})\n"), UNVALIDATED],
        path: "a",
        from: None,
        by: None,
        printed: "r: null\n",
    },
];

const RULES: &str = "#@assert/validate";

/// Calls of `assert.valid`.
const VALID: &[Place] = &[
    Place {
        name: "in a template",
        files: &[(
            TEMPLATE,
            "#@ def f():\n#@assert/validate {rules}\nk: {value}\n#@ end\n---\nr: #@ assert.valid(f())\n",
        )],
        path: "k",
        from: Some((TEMPLATE, "k: ")),
        by: Some((TEMPLATE, RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "nested",
        files: &[(
            TEMPLATE,
            "#@ def f():\na:\n  b:\n    #@assert/validate {rules}\n    k: {value}\n#@ end\n---\nr: #@ assert.valid(f())\n",
        )],
        path: "a.b.k",
        from: Some((TEMPLATE, "k: ")),
        by: Some((TEMPLATE, RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "in an array",
        files: &[(
            TEMPLATE,
            "#@ def f():\na:\n- 1\n#@assert/validate {rules}\n- {value} #! item\n#@ end\n---\nr: #@ assert.valid(f())\n",
        )],
        path: "a[1]",
        from: Some((TEMPLATE, "#! item")),
        by: Some((TEMPLATE, RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "in an array that is a part of a fragment",
        files: &[(
            TEMPLATE,
            "#@ def f():\na:\n- 1\n#@assert/validate {rules}\n- {value} #! item\n#@ end\n---\nr: #@ assert.valid(f()[\"a\"])\n",
        )],
        path: "[1]",
        from: Some((TEMPLATE, "#! item")),
        by: Some((TEMPLATE, RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "with a value from data values",
        files: &[
            (VALUES, "#@data/values\n---\na: {value}\n"),
            (
                TEMPLATE,
                "#@ def f(value):\n#@assert/validate {rules}\nk: #@ value\n#@ end\n---\nr: #@ assert.valid(f(data.values.a))\n",
            ),
        ],
        path: "k",
        from: Some((TEMPLATE, "k: ")),
        by: Some((TEMPLATE, RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "in documents",
        files: &[(
            TEMPLATE,
            "#@ def f():\n---\na: 1\n---\n#@assert/validate {rules}\nk: {value}\n#@ end\n---\nr: #@ assert.valid(f())\n",
        )],
        path: "k",
        from: Some((TEMPLATE, "k: ")),
        by: Some((TEMPLATE, RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "in an overlay",
        files: &[
            (TEMPLATE, "r: 1\n"),
            (
                "o.yml",
                "#@ load(\"@ytt:overlay\", \"overlay\")\n#@ def f():\n#@assert/validate {rules}\nk: {value}\n#@ end\n#@overlay/match by=overlay.all\n---\nr: #@ assert.valid(f())\n",
            ),
        ],
        path: "k",
        from: Some(("o.yml", "k: ")),
        by: Some(("o.yml", RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "what overlays made of a fragment",
        files: &[(
            TEMPLATE,
            "#@ load(\"@ytt:overlay\", \"overlay\")\n#@ def f():\n#@assert/validate {rules}\nk: ~\n#@ end\n#@ def g():\nk: {value} #! over\n#@ end\n---\nr: #@ assert.valid(overlay.apply(f(), g()))\n",
        )],
        path: "k",
        from: Some((TEMPLATE, "#! over")),
        by: Some((TEMPLATE, RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "a fragment of another file",
        files: &[
            ("f.lib.yml", "#@ def f():\n#@assert/validate {rules}\nk: {value}\n#@ end\n"),
            (TEMPLATE, "#@ load(\"f.lib.yml\", \"f\")\nr: #@ assert.valid(f())\n"),
        ],
        path: "k",
        from: Some(("f.lib.yml", "k: ")),
        by: Some(("f.lib.yml", RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "in a library",
        files: &[
            (
                "_ytt_lib/l/t.yml",
                "#@ def f():\n#@assert/validate {rules}\nk: {value}\n#@ end\n---\nr: #@ assert.valid(f())\n",
            ),
            EVALUATED,
        ],
        path: "k",
        from: Some(("_ytt_lib/l/t.yml", "k: ")),
        by: Some(("_ytt_lib/l/t.yml", RULES)),
        printed: "r: null\n",
    },
    Place {
        name: "in a library without validations",
        files: &[
            (
                "_ytt_lib/l/t.yml",
                "#@ def f():\n#@assert/validate {rules}\nk: {value}\n#@ end\n---\nr: #@ assert.valid(f())\n",
            ),
            UNVALIDATED,
        ],
        path: "k",
        from: Some(("_ytt_lib/l/t.yml", "k: ")),
        by: Some(("_ytt_lib/l/t.yml", RULES)),
        printed: "r: null\n",
    },
];

const LOAD_DATA: &str = "#@ load(\"@ytt:data\", \"data\")\n";

struct Filled(Vec<(&'static str, String)>);

impl Place {
    fn filled(&self, rules: &str, value: &str) -> Filled {
        let code = match value {
            "~" => "None".to_owned(),
            number if number.parse::<i64>().is_ok() => number.to_owned(),
            text => format!("\"{text}\""),
        };
        let filled = self.files.iter().map(|(name, text)| {
            let head = if name.ends_with(".star") { String::new() } else { format!("{LOAD}{LOAD_DATA}") };
            let text = text.replace("{rules}", rules).replace("{code}", &code).replace("{value}", value);
            (*name, format!("{head}{text}"))
        });
        Filled(filled.collect())
    }
}

impl Filled {
    fn printed(&self, options: &Options) -> String {
        let files: Vec<(&str, &str)> = self.0.iter().map(|(name, text)| (*name, text.as_str())).collect();
        ran(&files, options)
    }

    fn line(&self, place: Option<(&str, &str)>) -> String {
        let Some((name, text)) = place else { return "?".to_owned() };
        let file = self.0.iter().find(|(other, _)| *other == name);
        at(name, file.map_or("", |(_, file)| file.as_str()), text)
    }
}

#[test]
fn every_rule_in_every_place() {
    for (function, places) in [("assert.validate", VALIDATE), ("assert.valid", VALID)] {
        for Case { rule, good, bad, must, found, other, other_found } in CASES {
            for place in places {
                let context = format!("{function}, {rule}, {}", place.name);
                let passes = |rules: &str, value: &str| {
                    let printed = place.filled(rules, value).printed(&Options::default());
                    assert_eq!(printed, place.printed, "{context}");
                };
                let refused = |rules: &str, value: &str, must: &str, found: &str| {
                    let filled = place.filled(rules, value);
                    let (from, by) = (filled.line(place.from), filled.line(place.by));
                    for options in [Options::default(), without_validation()] {
                        let printed = filled.printed(&options);
                        assert!(printed.contains(&format!("{function}: \n")), "{context}: {printed}");
                        says(&printed, [place.path, &from, &by], must, found, &context);
                    }
                };
                passes(rule, good);
                refused(rule, bad, must, found);
                refused(rule, other, must, other_found);
                passes(rule, "~");
                refused(&format!("{rule}, not_null=True"), "~", "not null", "value is null");
                passes(&format!("{rule}, when=lambda v: False"), bad);
                passes(&format!("{rule}, when=lambda v, ctx: ctx.nope"), bad);
            }
        }
    }
}

#[test]
fn fragments_are_validated_on_demand() {
    let valid = |call: &str| {
        format!(
            "#@ load(\"@ytt:assert\", \"assert\")\n#@ load(\"@ytt:data\", \"data\")\n#@ def service(port):\n#@assert/validate (\"a map\", lambda v: len(v) == 1)\nspec:\n  #@assert/validate min=1024, max=65535\n  port: #@ port\n#@ end\n---\nr: #@ {call}\n"
        )
    };
    let run = |call: &str| ran(&[("t.yml", &valid(call))], &Options::default());
    assert_eq!(run("assert.valid(service(8080))"), "r: null\n");
    let failed = run("assert.valid(service(80))");
    let reason = "    reason:\n       spec.port\n         from: t.yml:7\n         - must be: a value >= 1024 (by: t.yml:6)\n           found: value < 1024";
    assert!(failed.starts_with("\n- assert.valid: \n"), "{failed}");
    assert!(failed.ends_with(reason), "{failed}");
    // A part of a fragment brings what is above it along.
    assert!(run("assert.valid(service(80)[\"spec\"])").contains("must be: a value >= 1024"));
    assert!(run("assert.valid(data.values)").contains("but was a struct without any"));
    assert!(
        run("assert.try_to(lambda: assert.validate(\"port\", 80, min=1024))[1]")
            .contains("must be: a value >= 1024")
    );
}
