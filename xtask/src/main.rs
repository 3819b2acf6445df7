//! Chores of this repository: `cargo xtask tidy`, `cargo xtask docs [--check]`,
//! `cargo xtask picture [--check]` and `cargo xtask api-pack DIR…`.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, clippy::disallowed_types)]

mod api_pack;
mod api_pack_lifecycle;
mod docs;
mod picture;
mod tidy;
mod tidy_edges;
mod tidy_layers;

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
        ["picture"] => picture::write(&root()),
        ["picture", "--check"] => picture::check(&root()),
        ["api-pack", directories @ ..] if !directories.is_empty() => api_pack::run(&root(), directories),
        _ => {
            eprintln!("usage: cargo xtask tidy | docs [--check] | picture [--check] | api-pack DIR…");
            return ExitCode::from(2);
        }
    };
    for problem in &problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() {
        println!("{}: nothing to complain about", words.first().copied().unwrap_or_default());
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
