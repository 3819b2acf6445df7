//! The corpora as a test. Where they are absent it says so and passes.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::path::PathBuf;

#[test]
fn the_corpora_agree() {
    let corpus = std::env::var_os("TRUELINE_CORPUS").map(PathBuf::from);
    let tallies = conformance::run(corpus.as_deref(), None, None);
    let table = conformance::table(&tallies, conformance::Detail::Full);
    println!("{table}");
    assert!(tallies.iter().all(|tally| tally.problems.is_empty()), "{table}");
}
