//! `cargo run -p conformance -- [suite] [--filter TEXT]`
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut suite = None;
    let mut filter = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--filter" => filter = arguments.next(),
            name if conformance::SUITES.iter().any(|suite| suite.name == name) => suite = Some(argument),
            _ => {
                let names: Vec<&str> = conformance::SUITES.iter().map(|suite| suite.name).collect();
                eprintln!("usage: conformance [suite] [--filter TEXT]; the suites are {}", names.join(", "));
                return ExitCode::from(2);
            }
        }
    }
    let corpus = std::env::var_os("TRUELINE_CORPUS").map(PathBuf::from);
    let tallies = conformance::run(corpus.as_deref(), suite.as_deref(), filter.as_deref());
    print!("{}", conformance::table(&tallies));
    if tallies.iter().all(|tally| tally.problems.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
