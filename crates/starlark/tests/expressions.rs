//! Expressions with their values, or with the errors that they fail with: one per line, `expression  =>  value` or
//! `expression  =!  error`. A newline in an error is written `⏎`. All of them were compared with the original.

mod common;

use common::run;

#[test]
fn expressions_have_the_values_and_errors_of_the_original() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in [
        ("numbers", include_str!("expressions/numbers.txt")),
        ("strings", include_str!("expressions/strings.txt")),
        ("collections", include_str!("expressions/collections.txt")),
    ] {
        for (index, line) in text.lines().enumerate() {
            let (expression, expected, fails) = match line.rsplit_once("  =>  ") {
                Some((expression, expected)) => (expression, expected, false),
                None => match line.split_once("  =!  ") {
                    Some((expression, expected)) => (expression, expected, true),
                    None => panic!("{file}:{}: neither `=>` nor `=!`", index + 1),
                },
            };
            count += 1;
            // Inside a function, like most code, and with code above that the error must not point at.
            let source = format!("def f():\nreturn ({expression})\nend\nprint(repr(f()))\n");
            let outcome = run(&source);
            let (actual, failed) = match &outcome.error {
                Some(error) => (error.message().replace('\n', "⏎"), true),
                None => (outcome.output.trim_end_matches('\n').to_owned(), false),
            };
            if actual != expected || failed != fails {
                wrong.push(format!("{file}:{}: {expression}\n  is  {actual}\n  not {expected}", index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1200);
}
