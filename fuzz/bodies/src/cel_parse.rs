//! The reader of CEL: no panic, every place inside the text, and what is printed is read as the same expression.

use trueline_cel::syntax::{ParseOptions, display, parse, print};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "cel_parse",
    run,
    seeds: &[
        "self.items.all(x, has(x.name) && x.name.matches(r'^[a-z]+$')) ? -1 : size(self.b) + 2 * 3u",
        "a.?b[?c].orValue({'k': [1, ?d,], ?e: 0x1F}).optMap(v, v.f(.g.h{i: 1.5e3, ?j: null}))",
        "m.transformMap(k, v, k != v, [k].map(x, x in v || !(x < 1)))[-0] // comment\n % --7 == b'\\x00\\377'",
        "l.sortBy(e, e.a).exists_one(y, y.filter(z, z) == [])\n && '''a'b''' != \"\\u00e9\\t\" && `c-d`",
        "[a,, b] + {c: 1, d} ? if : f(1 2) && \"open\n = @ é -1 ) ] . in a.true 9223372036854775808",
        "((((((1)))))) -1[-1[-1[a.b.c.d{e: f(g, h, , i}]]]",
    ],
};

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let old = ParseOptions { keep_macro_calls: true, ..ParseOptions::default() };
    let new = ParseOptions {
        optional: true,
        two_variable_comprehensions: true,
        sort_by: true,
        quoted_identifiers: true,
        ..old.clone()
    };
    for options in [old, new] {
        match parse(&text, &options) {
            Ok(ast) => {
                // The number 0 is that of nothing.
                for place in ast.places.iter().skip(1) {
                    assert!(text.get(place.start as usize..place.end as usize).is_some(), "{place:?}");
                }
                // Brackets that are added count as levels.
                let roomy = ParseOptions { most_depth: 1_000, most_code_points: usize::MAX, ..options };
                let printed = print(&ast);
                let again = parse(&printed, &roomy)
                    .unwrap_or_else(|issues| panic!("{printed:?}: {}", display(&issues, &printed)));
                assert_eq!(print(&again), printed);
            }
            Err(issues) => {
                assert!(!issues.is_empty());
                for issue in &issues {
                    let place = issue.place.start as usize..issue.place.end as usize;
                    assert!(text.get(place).is_some() || issue.line == -1, "{issue:?}");
                    assert!(!issue.kind.to_string().is_empty());
                }
                assert!(display(&issues, &text).starts_with("ERROR: <input>:"));
            }
        }
    }
}
