//! `@schema/validation-defaults-for-strings` in every situation.

use super::{CASES, Case, LOAD, at, inspected, ran, says, without_validation};
use trueline_ytt::run::{Inspect, Options};

/// Where the annotation is, and a string below it.
struct Place {
    name: &'static str,
    /// Files in which `{rules}` is the annotation and `{null}` makes the string nullable. The data values set it to
    /// `{value}`.
    files: &'static [(&'static str, &'static str)],
    path: &'static str,
    /// The files of the annotation and of the value.
    by: &'static str,
    from: &'static str,
    /// Whether the string may be null: items of arrays never are.
    takes_null: bool,
}

const SCHEMA: &str = "s.yml";
const VALUES: &str = "v.yml";

const PLACES: &[Place] = &[
    Place {
        name: "on the document",
        files: &[
            (SCHEMA, "#@data/values-schema\n{rules}\n---\n{null}\nk: \"\"\n"),
            (VALUES, "#@data/values\n---\nk: {value} #! value\n"),
        ],
        path: "k",
        by: SCHEMA,
        from: VALUES,
        takes_null: true,
    },
    Place {
        name: "on the string",
        files: &[
            (SCHEMA, "#@data/values-schema\n---\n{rules}\n{null}\nk: \"\"\n"),
            (VALUES, "#@data/values\n---\nk: {value} #! value\n"),
        ],
        path: "k",
        by: SCHEMA,
        from: VALUES,
        takes_null: true,
    },
    Place {
        name: "on a map item",
        files: &[
            (SCHEMA, "#@data/values-schema\n---\no: \"\"\n{rules}\nm:\n  {null}\n  k: \"\"\n"),
            (VALUES, "#@data/values\n---\nm:\n  k: {value} #! value\n"),
        ],
        path: "m.k",
        by: SCHEMA,
        from: VALUES,
        takes_null: true,
    },
    Place {
        name: "nested",
        files: &[
            (
                SCHEMA,
                "#@data/values-schema\n---\n{rules}\nm:\n  a:\n    b:\n    - c:\n        {null}\n        k: \"\"\n",
            ),
            (VALUES, "#@data/values\n---\nm:\n  a:\n    b:\n    - c:\n        k: {value} #! value\n"),
        ],
        path: "m.a.b[0].c.k",
        by: SCHEMA,
        from: VALUES,
        takes_null: true,
    },
    Place {
        name: "on the item of an array",
        files: &[
            (SCHEMA, "#@data/values-schema\n---\nm:\n{rules}\n-\n  {null}\n  k: \"\"\n"),
            (VALUES, "#@data/values\n---\nm:\n- k: {value} #! value\n"),
        ],
        path: "m[0].k",
        by: SCHEMA,
        from: VALUES,
        takes_null: true,
    },
    Place {
        name: "strings in an array",
        files: &[
            (SCHEMA, "#@data/values-schema\n---\n{rules}\nm:\n- \"\"\n"),
            (VALUES, "#@data/values\n---\nm:\n- {value} #! value\n"),
        ],
        path: "m[0]",
        by: SCHEMA,
        from: VALUES,
        takes_null: false,
    },
    Place {
        name: "in an overlay that adds the string",
        files: &[
            ("a.yml", "#@data/values-schema\n---\nm:\n  o: \"\"\n"),
            (
                SCHEMA,
                "#@data/values-schema\n---\n{rules}\nm:\n  #@overlay/match missing_ok=True\n  {null}\n  k: \"\"\n",
            ),
            (VALUES, "#@data/values\n---\nm:\n  k: {value} #! value\n"),
        ],
        path: "m.k",
        by: SCHEMA,
        from: VALUES,
        takes_null: true,
    },
    Place {
        name: "in an overlay that edits the annotations of the string",
        files: &[
            ("a.yml", "#@data/values-schema\n---\no: \"\"\nk: \"\"\n"),
            (
                SCHEMA,
                "#@data/values-schema\n---\n#@overlay/noop\n#@overlay/replace-ann\n{rules}\n{null}\nk:\n",
            ),
            (VALUES, "#@data/values\n---\nk: {value} #! value\n"),
        ],
        path: "k",
        by: SCHEMA,
        from: VALUES,
        takes_null: true,
    },
];

/// The schema of a library, its own and one that it is handed.
const IN_LIBRARIES: &[Place] = &[
    Place {
        name: "in a library",
        files: &[
            ("_ytt_lib/l/s.yml", "#@data/values-schema\n{rules}\n---\n{null}\nk: \"\"\n"),
            ("_ytt_lib/l/v.yml", "#@data/values\n---\nk: {value} #! value\n"),
            ("_ytt_lib/l/c.yml", "#@ load(\"@ytt:data\", \"data\")\nk: #@ data.values.k\n"),
            (
                "m.yml",
                "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n--- #@ template.replace(library.get(\"l\").eval({arguments}))\n",
            ),
        ],
        path: "k",
        by: "_ytt_lib/l/s.yml",
        from: "_ytt_lib/l/v.yml",
        takes_null: true,
    },
    Place {
        name: "handed to a library",
        files: &[
            ("_ytt_lib/l/v.yml", "#@data/values\n---\nx:\n  k: {value} #! value\n"),
            ("_ytt_lib/l/c.yml", "#@ load(\"@ytt:data\", \"data\")\nk: #@ data.values.x.k\n"),
            (
                "m.yml",
                "#@ load(\"@ytt:library\", \"library\")\n#@ load(\"@ytt:template\", \"template\")\n#@ def schema():\n{rules}\nx:\n  {null}\n  k: \"\"\n#@ end\n--- #@ template.replace(library.get(\"l\").with_data_values_schema(schema()).eval({arguments}))\n",
            ),
        ],
        path: "x.k",
        by: "m.yml",
        from: "_ytt_lib/l/v.yml",
        takes_null: true,
    },
];

struct Filled(Vec<(&'static str, String)>);

impl Place {
    fn filled(&self, rules: &str, value: &str, null: &str, arguments: &str) -> Filled {
        let annotation = format!("#@schema/validation-defaults-for-strings {rules}");
        let filled = self.files.iter().map(|(name, text)| {
            let text = text.replace("{rules}", &annotation).replace("{null}", null);
            (*name, format!("{LOAD}{}", text.replace("{value}", value).replace("{arguments}", arguments)))
        });
        Filled(filled.collect())
    }

    fn is_in_library(&self) -> bool {
        self.from.starts_with("_ytt_lib")
    }
}

impl Filled {
    /// What is printed: data values, or what a library became.
    fn printed(&self, place: &Place, options: Options) -> String {
        let files: Vec<(&str, &str)> = self.0.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let inspect = if place.is_in_library() { Inspect::Nothing } else { Inspect::Values };
        ran(&files, &Options { inspect, ..options })
    }

    fn line(&self, name: &str, text: &str) -> String {
        let file = self.0.iter().find(|(other, _)| *other == name);
        at(name, file.map_or("", |(_, file)| file.as_str()), text)
    }
}

fn string_cases() -> impl Iterator<Item = &'static Case> {
    CASES.iter().filter(|case| case.good.parse::<i64>().is_err())
}

const NULLABLE: &str = "#@schema/nullable";

#[test]
fn every_rule_in_every_place() {
    assert!(string_cases().count() > 9);
    for Case { rule, good, bad, must, found, .. } in string_cases() {
        for place in PLACES.iter().chain(IN_LIBRARIES) {
            let context = format!("{rule}, {}", place.name);
            let with = |rules: &str, value: &str, null: &str| place.filled(rules, value, null, "");
            let passes = |filled: &Filled, options: Options, value: &str| {
                let printed = filled.printed(place, options);
                assert!(
                    printed.contains(&format!(" {value}\n")) && !printed.contains("alidating"),
                    "{context}: {printed}"
                );
            };
            let refused = |filled: &Filled, must: &str, found: &str| {
                let from = filled.line(place.from, "#! value");
                let by = filled.line(place.by, "defaults-for-strings");
                let printed = filled.printed(place, Options::default());
                assert!(printed.contains("Validating final data values:\n"), "{context}: {printed}");
                says(&printed, [place.path, &from, &by], must, found, &context);
            };
            passes(&with(rule, good, ""), Options::default(), good);
            refused(&with(rule, bad, ""), must, found);
            passes(&with(rule, bad, ""), without_validation(), bad);
            passes(
                &with(&format!("{rule}, when=lambda v: v != \"{bad}\""), bad, ""),
                Options::default(),
                bad,
            );
            // The rules of the string itself count in their place.
            let own = format!("#@schema/validation (\"any\", lambda v: True)\n{NULLABLE}");
            if place.takes_null {
                let (own, null) = match place.files.iter().any(|(_, text)| text.contains("  {null}")) {
                    true => (own.replace('\n', "\n  "), NULLABLE),
                    false => (own, NULLABLE),
                };
                passes(&with(rule, "~", null), Options::default(), "null");
                refused(&with(&format!("{rule}, not_null=True"), "~", null), "not null", "value is null");
                passes(&with(rule, bad, &own), Options::default(), bad);
            }
            // What is not a string is refused by its type.
            let printed = with(rule, "5", "").printed(place, Options::default());
            assert!(
                printed.contains("expected: string") && !printed.contains("must be"),
                "{context}: {printed}"
            );
            for argument in
                ["data_value_schema_disable_validation=True", "dangerous_data_values_disable_validation=True"]
            {
                if place.is_in_library() {
                    passes(&place.filled(rule, bad, "", argument), Options::default(), bad);
                }
            }
        }
    }
}

#[test]
fn only_strings_have_them() {
    for Case { rule, bad, .. } in string_cases() {
        let schema = format!(
            "{LOAD}#@data/values-schema\n#@schema/validation-defaults-for-strings {rule}\n---\ni: 5\nf: 0.5\nb: true\nl:\n- 5\n#@schema/type any=True\na: {bad}\n#@schema/nullable\nz: 5\n"
        );
        let expected = format!("i: 5\nf: 0.5\nb: true\nl: []\na: {bad}\nz: null\n");
        assert_eq!(inspected(&[("s.yml", &schema)]), expected, "{rule}");
    }
}

#[test]
fn strings_have_defaults() {
    let schema = "#@data/values-schema\n#@schema/validation-defaults-for-strings min_len=1\n---\na: \"\"\nb:\n  #@schema/validation max_len=3\n  c: \"\"\n  #@schema/nullable\n  d: \"\"\n  #@schema/validation-defaults-for-strings (\"x\", lambda v: v == \"x\"), when=lambda v: v != \"off\"\n  e:\n    f: \"\"\n    g: \"off\"\n  n: 0\n  h:\n  - \"\"\n";
    let values = "#@data/values\n---\nb:\n  d: \"\"\n  h:\n  - \"\"\n";
    let block = |path: &str, from: &str, must: &str, by: &str, found: &str| {
        format!("  {path}\n    from: {from}\n    - must be: {must} (by: {by})\n{found}\n")
    };
    let short = "      found: length = 0\n";
    let expected = [
        block("a", "s.yml:4", "length >= 1", "s.yml:2", short),
        block("b.d", "v.yml:4", "length >= 1", "s.yml:2", short),
        block("b.e.f", "s.yml:12", "x", "s.yml:10", ""),
        block("b.h[0]", "v.yml:6", "length >= 1", "s.yml:2", short),
    ];
    let found = inspected(&[("s.yml", schema), ("v.yml", values)]);
    // Keys that are missing come after those that are there.
    for block in &expected {
        assert!(found.contains(block.as_str()), "{found}\n{block}");
    }
    assert_eq!(found.len(), "Validating final data values:\n".len() + expected.concat().len(), "{found}");
    // An overlay hands its rules to its own nodes only.
    let base = "#@data/values-schema\n---\n#@schema/validation min_len=5\nhostname: \"\"\nproxy: \"\"\n";
    let overlay = "#@data/values-schema\n#@overlay/match-child-defaults missing_ok=True\n#@schema/validation-defaults-for-strings min_len=1\n---\nrepository: \"\"\n#@schema/validation min_len=0\nusername: \"\"\nlimit: #@ 30\n";
    let found = inspected(&[("base.yml", base), ("over.yml", overlay)]);
    let paths: Vec<&str> =
        found.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")).collect();
    assert_eq!(paths, ["  hostname", "  repository"], "{found}");
    assert!(found.contains("- must be: length >= 1 (by: over.yml:3)"), "{found}");
    // On the item of an array, and in the schema that a library is handed.
    let item = "#@data/values-schema\n---\na:\n#@schema/validation-defaults-for-strings min_len=1\n- \"\"\n";
    let values = "#@data/values\n---\na: [\"\"]\n";
    assert!(inspected(&[("s.yml", item), ("v.yml", values)]).contains("  a[0]\n"));
    let main = "#@ load(\"@ytt:library\", \"library\")\n#@ def schema():\n#@schema/validation-defaults-for-strings min_len=1\nx:\n  a: \"\"\n#@ end\n--- #@ library.get(\"l\").with_data_values_schema(schema()).data_values()\n";
    let found = ran(&[("_ytt_lib/l/c.yml", "a: 1\n"), ("m.yml", main)], &Options::default());
    assert!(found.contains("must be: length >= 1 (by: m.yml:3)"), "{found}");
    // Arguments are checked although there is no string.
    let wrong = "#@data/values-schema\n#@schema/validation-defaults-for-strings nope=1\n---\na: 1\n";
    assert!(inspected(&[("s.yml", wrong)]).contains("Invalid @schema/validation-defaults-for-strings annotation - unknown keyword argument \"nope\" (at s.yml:2)"));
}
