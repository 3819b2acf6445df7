//! Programs with their output and their errors: `### title`, the source, `=>`, what is printed, and for each
//! problem `! message` and the calls that led to it with their lines. All of them were compared with the
//! original, which strips the white space at the start of each line.

mod common;

use std::fmt::Write as _;

use common::{Outcome, run};

/// The expected lines of a program.
fn described(outcome: &Outcome) -> String {
    let mut text = outcome.output.clone();
    let Some(error) = &outcome.error else { return text };
    for problem in error.problems() {
        let _ = writeln!(text, "! {}\n  at {}", problem.message, problem.position.line);
    }
    if error.problems().is_empty() {
        let _ = writeln!(text, "! {}", error.message());
        for frame in error.frames().iter().filter(|frame| &*frame.file != "<builtin>") {
            let _ = writeln!(text, "  in {} at {}", frame.function, frame.position.line);
        }
    }
    text
}

/// Strips lines as the original does, except after a backslash.
fn stripped(source: &str) -> String {
    let mut continued = false;
    let lines = source.split('\n').map(|line| {
        let line = if continued { line } else { line.trim_start() };
        continued = line.ends_with('\\');
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn programs_print_and_fail_as_in_the_original() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for text in [include_str!("programs/running.txt"), include_str!("programs/syntax.txt")] {
        for case in text.split("### ").skip(1) {
            let (title, rest) = case.split_once('\n').unwrap_or((case, ""));
            let (source, expected) = rest.split_once("=>\n").expect("a program and what it does");
            count += 1;
            let actual = described(&run(&stripped(source)));
            if actual != expected {
                wrong.push(format!("### {title}\n{source}--- is\n{actual}--- not\n{expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 250);
}
