//! Chores of this repository: `cargo xtask tidy` and `cargo xtask docs [--check]`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, clippy::disallowed_types)]

mod docs;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let problems = match words.as_slice() {
        ["tidy"] => {
            let mut problems = tidy::run(&root());
            problems.extend(docs::check(&root()));
            problems
        }
        ["docs"] => docs::write(&root()),
        ["docs", "--check"] => docs::check(&root()),
        _ => {
            eprintln!("usage: cargo xtask tidy | docs [--check]");
            return ExitCode::from(2);
        }
    };
    for problem in &problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() {
        println!("{}: nothing to complain about", words.join(" "));
        ExitCode::SUCCESS
    } else {
        eprintln!("{} problem(s)", problems.len());
        ExitCode::FAILURE
    }
}

/// The top of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
