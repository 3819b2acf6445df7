//! Any source gives a value or an error, within the limits.

mod common;

use common::{LIMITS, run, run_with};
use proptest::prelude::*;
use trueline_starlark::{BlockStyle, ErrorKind, Limits};

const LITTLE: Limits = Limits { steps: 20_000, memory: 1 << 22, depth: 200, reentry: 10 };

fn styles() -> impl Strategy<Value = BlockStyle> {
    prop_oneof![Just(BlockStyle::End), Just(BlockStyle::Indent)]
}

/// Words that programs are made of.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "x",
        "y",
        "f",
        "if",
        "elif",
        "else",
        "for",
        "in",
        "not",
        "and",
        "or",
        "while",
        "def",
        "return",
        "lambda",
        "break",
        "continue",
        "end",
        "load",
        "pass",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        ".",
        "=",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "&",
        "|",
        "^",
        "~",
        "<<",
        ">>",
        "+=",
        "-=",
        "*=",
        "**",
        "1",
        "0",
        "2.5",
        "1e3",
        "0x1f",
        "99999999999999999999",
        "'a'",
        "\"b\\n\"",
        "'''c'''",
        "r'd'",
        "'%s %d'",
        "'{} {x!r}'",
        "None",
        "True",
        "len",
        "range",
        "str",
        "list",
        "dict",
        "sorted",
        "max",
        "zip",
        "enumerate",
        "set",
        "int",
        "float",
        "hash",
        "print",
        "type",
        "getattr",
        "struct",
        "append",
        "upper",
        "split",
        "join",
        "format",
        "items",
        "get",
        "pop",
        "key",
        "\n",
        "\n",
        "\n",
        "  ",
        "#c\n",
        "\\\n",
        "\t",
    ]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn bytes_do_no_harm(source in prop::collection::vec(any::<u8>(), 0..200), style in styles()) {
        run_with(&source, style, LITTLE);
    }

    #[test]
    fn words_do_no_harm(source in words(), style in styles()) {
        run_with(source.as_bytes(), style, LITTLE);
    }

    #[test]
    fn statements_do_no_harm(values in prop::collection::vec("[a-c0-9\\[\\](){},:+*%'. ]{1,12}", 1..8)) {
        let lines = values.iter().map(|value| format!("x = {value}\n")).collect::<String>();
        run_with(lines.as_bytes(), BlockStyle::End, LITTLE);
        let calls = values.iter().map(|value| format!("def f(a, b=1, *c, **d): return {value}\nf({value})\n"));
        run_with(calls.collect::<String>().as_bytes(), BlockStyle::End, LITTLE);
    }

    #[test]
    fn numbers_are_those_of_another_library(one in any::<i64>(), two in any::<i64>(), shift in 0u32..200) {
        let wide = i128::from(one) * i128::from(two);
        let floored = |a: i128, b: i128| a.div_euclid(b) - i128::from(a.rem_euclid(b) != 0 && b < 0);
        let divisor = i128::from(two) | 1;
        let quotient = floored(wide, divisor);
        let rest = wide - quotient * divisor;
        let source = format!(
            "p = {one} * {two}\nprint(p, p // ({divisor}), p % ({divisor}), (p << {shift}) >> {shift}, p + 1, p - {two}, p == {wide})\n"
        );
        let outcome = run(&source);
        let expected = format!("{wide} {quotient} {rest} {wide} {} {} True\n", wide + 1, wide - i128::from(two));
        prop_assert_eq!(outcome.output, expected);
    }

    #[test]
    fn strings_come_back_from_their_text(text in any::<Vec<u8>>()) {
        let octal: String = text.iter().map(|byte| format!("\\{byte:03o}")).collect();
        let source = format!("x = '{octal}'\nprint(len(x), ''.join(list(x.elems())) == x, x[::-1][::-1] == x)\n");
        let outcome = run(&source);
        prop_assert_eq!(outcome.output, format!("{} True True\n", text.len()));
    }

    #[test]
    fn sorting_sorts(values in prop::collection::vec(-50i64..50, 0..80)) {
        let mut expected = values.clone();
        expected.sort_unstable();
        // Floats among them take the general path.
        let source = format!("x = {values:?}\nprint(sorted(x) == sorted([float(v) for v in x]), sorted(x))\n");
        let outcome = run(&source);
        prop_assert_eq!(outcome.output, format!("True {expected:?}\n"));
    }
}

#[test]
fn indentation_makes_blocks_too() {
    let source = b"def f(x):\n  if x:\n    return 1\n  else:\n    pass\n  return 2\nprint(f(1), f(0))\n";
    let outcome = run_with(source, BlockStyle::Indent, LIMITS);
    assert_eq!(outcome.output, "1 2\n", "{:?}", outcome.error);
    let error =
        run_with(b"if 1:\n    x = 1\n  y = 2\n", BlockStyle::Indent, LIMITS).error.expect("bad indentation");
    assert_eq!(error.kind(), ErrorKind::Syntax);
    assert_eq!(error.message(), "unindent does not match any outer indentation level");
}
