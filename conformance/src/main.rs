//! `cargo run -p conformance -- [suite] [TEXT] [-v]`: the suites, of them the cases whose name holds the text, with
//! all that is known about each that fails.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut suite = None;
    let mut filter = None;
    let mut detail = conformance::Detail::Short;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "-v" => detail = conformance::Detail::Full,
            name if conformance::SUITES.iter().any(|suite| suite.name == name) => suite = Some(argument),
            text if suite.is_some() && filter.is_none() && !text.starts_with('-') => filter = Some(argument),
            _ => {
                let names: Vec<&str> = conformance::SUITES.iter().map(|suite| suite.name).collect();
                eprintln!("usage: conformance [suite [TEXT]] [-v]; the suites are {}", names.join(", "));
                return ExitCode::from(2);
            }
        }
    }
    let corpus = std::env::var_os("TRUELINE_CORPUS").map(PathBuf::from);
    let tallies = conformance::run(corpus.as_deref(), suite.as_deref(), filter.as_deref());
    print!("{}", conformance::table(&tallies, detail));
    if tallies.iter().all(|tally| tally.problems.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
