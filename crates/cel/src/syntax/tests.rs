//! Expressions that are read, printed and refused.

use proptest::prelude::*;

use super::*;
use crate::ast::{Entry, Expr, ExprKind};

fn options() -> ParseOptions {
    ParseOptions {
        optional: true,
        two_variable_comprehensions: true,
        sort_by: true,
        keep_macro_calls: true,
        ..ParseOptions::default()
    }
}

/// What is printed for an expression that must be well-formed.
fn printed(text: &str) -> String {
    match parse(text, &options()) {
        Ok(ast) => print(&ast),
        Err(issues) => panic!("{text}: {}", display(&issues, text)),
    }
}

/// The tree without the numbers of its nodes.
fn tree(text: &str) -> String {
    match parse(text, &options()) {
        Ok(mut ast) => {
            clear(&mut ast.root);
            format!("{:?}", ast.root)
        }
        Err(issues) => panic!("{text}: {}", display(&issues, text)),
    }
}

fn clear(expr: &mut Expr) {
    fn entries(entries: &mut [Entry]) {
        for entry in entries {
            entry.id = 0;
            clear(&mut entry.key);
            clear(&mut entry.value);
        }
    }
    expr.id = 0;
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Ident(_) => {}
        ExprKind::Select { operand, .. } => clear(operand),
        ExprKind::Call { target, args, .. } => {
            target.as_deref_mut().into_iter().chain(args).for_each(clear);
        }
        ExprKind::List { elements, .. } => elements.iter_mut().for_each(clear),
        ExprKind::Map(list) | ExprKind::Struct { fields: list, .. } => entries(list),
        ExprKind::Comprehension(comprehension) => {
            clear(&mut comprehension.range);
            clear(&mut comprehension.start);
            clear(&mut comprehension.condition);
            clear(&mut comprehension.step);
            clear(&mut comprehension.result);
        }
    }
}

/// The issues as `line:column message`, without the tokens that were expected.
fn issues_with(text: &str, options: &ParseOptions) -> Vec<String> {
    let issues = parse(text, options).err().unwrap_or_default();
    issues
        .iter()
        .map(|issue| {
            let message = issue.kind.to_string();
            let message = message.split(" expecting").next().unwrap_or_default();
            format!("{}:{} {message}", issue.line, issue.column)
        })
        .collect()
}

fn issues(text: &str) -> Vec<String> {
    issues_with(text, &options())
}

#[test]
fn literals_are_worth_what_cel_go_says() {
    for (text, expected) in [
        ("-0x1F", "-31"),
        ("0xffffffffffffffffu", "18446744073709551615u"),
        ("-9223372036854775808", "-9223372036854775808"),
        (".5e-1", "0.05"),
        ("1e3", "1000.0"),
        (r#""\x41\101\u0041\U00000041\?\`""#, r#""AAAA?`""#),
        (r"b'\xff\377é'", r#"b"\xff\xff\xc3\xa9""#),
        (r"r'\d'", r#""\\d""#),
        ("'''a'b\r\nc'''", r#""a'b\nc""#),
        ("\"\"\"\"\"\"", "\"\""),
        ("bR'''\\n'''", r#"b"\\n""#),
        ("[1, 2.5, 3u, true, false, null,]", "[1, 2.5, 3u, true, false, null]"),
        ("{'a': 1, 2: [,], ?c: {,}}", r#"{"a": 1, 2: [], ?c: {}}"#),
        ("a.b.C{d: 1, ?e: 2}", "a.b.C{d: 1, ?e: 2}"),
    ] {
        assert_eq!(printed(text), expected, "{text}");
    }
}

#[test]
fn literals_out_of_range_are_refused() {
    assert_eq!(issues("9223372036854775808"), ["1:0 invalid int literal"]);
    assert_eq!(issues("x + -0x8000000000000001"), ["1:4 invalid int literal"]);
    assert_eq!(issues("18446744073709551616u"), ["1:0 invalid uint literal"]);
    assert_eq!(issues("1e309"), ["1:0 invalid double literal"]);
    assert_eq!(issues(r#""\ud800""#), ["1:0 invalid unicode code point"]);
    assert_eq!(issues(r"b'\u0041'"), ["1:0 unable to unescape string"]);
}

#[test]
fn signs_belong_to_numbers_and_pairs_cancel() {
    assert_eq!(printed("-1"), "-1");
    assert_eq!(printed("-(1)"), "-(1)");
    assert_eq!(printed("- 1.5.f()"), "-1.5.f()");
    assert_eq!(printed("--1"), "1");
    assert_eq!(printed("!!!a"), "!a");
    assert_eq!(printed("-(-a)"), "-(-a)");
    assert_eq!(printed("-(1[a])"), "-(1[a])");
    assert_eq!(printed("-(-1.f())"), "-(-1.f())");
    assert_eq!(printed("-1u"), "-(1u)");
    assert_eq!(printed("a-1"), "a - 1");
}

#[test]
fn brackets_are_printed_where_they_mean_something() {
    for text in [
        "a + b - c * d / e % f",
        "a - (b - c)",
        "(a + b) * c",
        "a < b == c in d",
        "a < (b == c)",
        "a ? b : c ? d : e",
        "(a ? b : c) ? (d ? e : f) : g",
        "a && b || c && d",
        "a && (b || c)",
        "a && b && c && d && e",
        "a && (b && c)",
        "(a + b).c[d].?e[?f](g)",
        ".a.b(.c(), d)",
        "!(a && b)",
        "[?a, b].f()",
        "has(a.b) && has({}.c)",
        "a.all(x, x.exists(y, y > x)).map(z, [z])",
        "o.optMap(v, v + 1).optFlatMap(w, {w: m.transformMapEntry(k, v, k != v, {v: k})})",
        "l.sortBy(e, -e.size)",
    ] {
        let text = text.replace("[?f](g)", "[?f]");
        assert_eq!(printed(&text), text);
    }
}

#[test]
fn logical_operators_are_balanced() {
    assert_eq!(tree("a || b || c || d"), tree("(a || b) || (c || d)"));
    assert_eq!(tree("a && b && c"), tree("(a && b) && c"));
    assert_ne!(tree("a && b && c"), tree("a && (b && c)"));
}

#[test]
fn macros_become_loops() {
    let ast = parse("[1].exists_one(x, x > 0)", &options()).unwrap();
    let ExprKind::Comprehension(comprehension) = &ast.root.kind else { panic!("not a loop") };
    assert_eq!(&*comprehension.variable, "x");
    assert_eq!(&*comprehension.accumulator, "@result");
    let shape = Ast { macro_calls: Default::default(), ..ast.clone() };
    assert_eq!(print(&shape), "@loop([1], 0, true, x > 0 ? @result + 1 : @result, @result == 1)");
    // What a macro made up is at the macro's bracket.
    assert_eq!(ast.places.get(comprehension.step.id as usize), Some(&(14..15)));
    let shape = |text: &str| {
        let plain = ParseOptions { keep_macro_calls: false, ..options() };
        print(&parse(text, &plain).unwrap())
    };
    assert_eq!(
        shape("m.all(k, v, k)"),
        "@loop(m, true, @not_strictly_false(@result), @result && k, @result)"
    );
    assert_eq!(shape("m.map(x, f, t)"), "@loop(m, [], true, f ? @result + [t] : @result, @result)");
    assert_eq!(
        shape("m.transformMap(k, v, f, t)"),
        "@loop(m, {}, true, f ? cel.@mapInsert(@result, k, t) : @result, @result)"
    );
    assert_eq!(
        shape("o.optMap(v, e)"),
        "o.hasValue() ? optional.of(@loop([], o.value(), false, v, e)) : optional.none()"
    );
}

#[test]
fn macros_refuse_what_is_not_a_name() {
    assert_eq!(issues("[1].all(x.y, true)"), ["1:9 argument must be a simple name"]);
    assert_eq!(issues("[1].map(1, true)"), ["1:8 argument is not an identifier"]);
    assert_eq!(issues("m.all(k, k, true)"), ["1:9 duplicate variable name: k"]);
    assert_eq!(
        issues("m.exists(__result__, true)"),
        ["1:9 iteration variable overwrites accumulator variable"]
    );
    assert_eq!(issues("has(a)"), ["1:4 invalid argument to has() macro"]);
    assert_eq!(issues("o.optMap(1, 2)"), ["1:9 optMap() variable name must be a simple identifier"]);
    assert_eq!(
        issues("{}.sortBy(x, x)"),
        ["1:0 sortBy can only be applied to a list, identifier, comprehension, call or select expression"]
    );
}

#[test]
fn what_an_environment_lacks_is_refused() {
    let old = ParseOptions::default();
    assert_eq!(issues_with("a.?b", &old), ["1:1 unsupported syntax '.?'"]);
    assert_eq!(issues_with("a[?b]", &old), ["1:1 unsupported syntax '[?'"]);
    assert_eq!(issues_with("[?a]", &old), ["1:1 unsupported syntax '?'"]);
    assert_eq!(issues_with("{?a: b}", &old), ["1:1 unsupported syntax '?'"]);
    assert_eq!(issues_with("a.`b-c`", &old), ["1:2 unsupported syntax: '`'"]);
    // Calls that are not macros there are calls.
    assert!(issues_with("m.all(k, v, true)", &old).is_empty());
    assert!(issues_with("o.optMap(1, 2)", &old).is_empty());
    let quoted = ParseOptions { quoted_identifiers: true, ..options() };
    assert_eq!(print(&parse("a.`b-c`.`d`.`in`", &quoted).unwrap()), "a.`b-c`.d.`in`");
}

#[test]
fn reserved_words_are_only_fields() {
    assert_eq!(issues("a + while"), ["1:4 reserved identifier: while"]);
    assert_eq!(issues("[for(1), .as]"), ["1:1 reserved identifier: for", "1:9 reserved identifier: as"]);
    assert!(issues("a.for.package").is_empty());
    assert_eq!(issues("a.true"), ["1:2 Syntax error: mismatched input 'true'"]);
    assert_eq!(
        issues("has(a.if) && a.in && b").first().map(String::as_str),
        Some("1:15 Syntax error: no viable alternative at input '.in'")
    );
}

#[test]
fn syntax_errors_are_those_of_cel_go() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["1:-1 Syntax error: mismatched input '<EOF>'"]),
        ("a +", &["1:3 Syntax error: mismatched input '<EOF>'"]),
        ("a b", &["1:2 Syntax error: extraneous input 'b'"]),
        ("(a", &["1:2 Syntax error: missing ')' at '<EOF>'"]),
        ("f(a, )", &["1:5 Syntax error: mismatched input ')'"]),
        ("[a,, b]", &["1:3 Syntax error: mismatched input ','"]),
        ("{a: 1, b}", &["1:8 Syntax error: mismatched input '}'"]),
        ("a.b{c 1}", &["1:6 Syntax error: missing ':' at '1'"]),
        ("[1 2", &["1:3 Syntax error: mismatched input '2'"]),
        ("-1 !", &["1:3 Syntax error: extraneous input '!'"]),
        (
            "a = b",
            &["1:2 Syntax error: token recognition error at: '= '", "1:4 Syntax error: extraneous input 'b'"],
        ),
        (
            "'a\n'",
            &[
                "1:0 Syntax error: token recognition error at: ''a\n'",
                "2:0 Syntax error: token recognition error at: '''",
                "2:1 Syntax error: mismatched input '<EOF>'",
            ],
        ),
        (
            "é",
            &[
                "1:0 Syntax error: token recognition error at: 'é'",
                "1:1 Syntax error: mismatched input '<EOF>'",
            ],
        ),
        ("a\n .\n?", &["3:1 Syntax error: mismatched input '<EOF>'", "3:1 unsupported ident kind"]),
        ("if +", &["1:0 reserved identifier: if", "1:4 Syntax error: mismatched input '<EOF>'"]),
    ];
    for (text, expected) in cases {
        let found = issues(text);
        let is_same = found.len() == expected.len() && found.iter().zip(*expected).all(|(a, b)| a == b);
        assert!(is_same, "{text:?}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn issues_are_shown_with_their_line() {
    let text = "a &&\n\té - if";
    let issues = parse(text, &options()).unwrap_err();
    assert_eq!(
        display(&issues, text),
        "ERROR: <input>:2:2: Syntax error: token recognition error at: 'é'\n |  é - if\n | .＾\n\
         ERROR: <input>:2:6: reserved identifier: if\n |  é - if\n | .．...^"
    );
}

#[test]
fn expressions_have_limits() {
    let long = "1".repeat(100_001);
    assert_eq!(issues(&long), ["-1:-1 expression code point size exceeds limit: size: 100001, limit 100000"]);
    let nested = |levels: usize| format!("{}1{}", "(".repeat(levels), ")".repeat(levels));
    assert!(issues(&nested(249)).is_empty());
    assert_eq!(issues(&nested(250)), ["-1:-1 expression recursion limit exceeded: 250"]);
    let sum = |terms: usize| vec!["1"; terms].join(" + ");
    assert!(issues(&sum(251)).is_empty());
    assert_eq!(issues(&sum(252)), ["-1:-1 max recursion depth exceeded"]);
    // Chains of these are balanced or cancel each other.
    assert!(issues(&vec!["a"; 10_000].join(" && ")).is_empty());
    assert!(issues(&format!("{}a", "!".repeat(99_999))).is_empty());
    let broken = issues(&"@".repeat(300));
    assert_eq!(broken.len(), 101);
    assert_eq!(broken.last().map(String::as_str), Some("1:100 Syntax error: More than 100 syntax errors"));
    // Every link of this chain doubles what it is applied to.
    let chain = format!("o{}", ".optMap(x, x)".repeat(100));
    assert_eq!(issues(&chain), ["-1:-1 the expression is too large after its macros are expanded"]);
}

#[test]
fn no_input_overflows_the_stack() {
    for piece in [
        "(", "[", "{", "-", "!", "a.", "1+", "a?", "f(", "-1[", "{1:", "a[", "a.b{c:", "x.map(y,", "?",
        "1 in ",
    ] {
        for end in ["", "1", ")"] {
            let text = format!("{}{end}", piece.repeat(5_000 / piece.len()));
            let _ = parse(&text, &options());
        }
    }
}

fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| format!("{number}u")),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| format!("{number:?}")),
        "[a-z \\n\\t\"'\\\\é\u{1}]{0,6}".prop_map(|text| {
            let escaped: String = text.chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect();
            format!("'{escaped}'")
        }),
        proptest::collection::vec(any::<u8>(), 0..5).prop_map(|bytes| {
            let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("b'{escaped}'")
        }),
        prop_oneof![Just("true"), Just("false"), Just("null"), Just("a"), Just(".b"), Just("x")]
            .prop_map(str::to_owned),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    literal().prop_recursive(6, 64, 4, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||", "&&", "||",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("({a}) {o} ({b})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("(({a}) ? ({b}) : ({c}))")),
            proptest::collection::vec(inner.clone(), 2..6).prop_map(|terms| format!(
                "({})",
                terms.iter().map(|term| format!("({term})")).collect::<Vec<_>>().join(" && ")
            )),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("({a}).field")),
            inner.clone().prop_map(|a| format!("({a}).?field")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[?{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}).f({b}, {a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, ?{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{{a}: {b}, ?1: 2}}")),
            inner.clone().prop_map(|a| format!("T.U{{f: {a}, ?g: 1}}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}).exists(x, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}).transformMap(x, y, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}).optMap(x, {b})")),
            inner.prop_map(|a| format!("has(({a}).field)")),
        ]
    })
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "(", ")", "[", "]", "{", "}", ".", ",", "-", "!", "?", ":", "+", "*", "==", "in", "&&", "||", "true",
        "1", "2.5", "3u", "'s'", "b's'", "a", "b", "`c-d`", "@", "has", "all",
    ]);
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn printing_keeps_the_tree(text in expression()) {
        let printed = printed(&text);
        prop_assert_eq!(tree(&printed), tree(&text));
        prop_assert_eq!(super::tests::printed(&printed), printed);
    }

    #[test]
    fn both_readers_agree(text in prop_oneof![pieces(), expression()]) {
        let tokens = lexer::tokens(&text);
        let short = if tokens.unreadable.is_empty() {
            descent::read(tokens.list, 250).ok()
        } else {
            None
        };
        let long = recovery::read(&text, lexer::tokens(&text), 250);
        prop_assert_eq!(short.is_some(), long.issues.is_empty(), "{:?}", long.issues);
        if let (Some(short), Some(long)) = (short, long.tree) {
            let build = |tree| build::build(&text, tree, &options(), Vec::new()).map(|ast| format!("{ast:?}"));
            prop_assert_eq!(build(&short), build(&long));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        match parse(&text, &options()) {
            Ok(ast) => {
                let printed = print(&ast);
                prop_assert_eq!(tree(&printed), tree(&text));
            }
            Err(issues) => prop_assert!(!issues.is_empty()),
        }
    }
}
