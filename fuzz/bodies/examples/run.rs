//! Runs a target on so many inputs made of its seeds and of the crashes of the past:
//!
//!     cargo run --release -p trueline-fuzz --example run -- TARGET COUNT [NUMBER]
//!
//! The number decides which inputs are made; the same number makes the same ones. An input that breaks a promise is
//! written to `TARGET-NUMBER-INDEX` in the working directory, and the run goes on.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program for the command line")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trueline_fuzz::{Mutator, TARGETS};

/// An input that takes longer than this is reported, too.
const SLOW: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u64>().ok());
    let target = arguments.first().and_then(|name| TARGETS.iter().find(|target| target.name == name));
    let (Some(target), Some(count)) = (target, number(1)) else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        println!("usage: run TARGET COUNT [NUMBER]; the targets are {}", names.join(", "));
        return ExitCode::from(2);
    };
    let chosen = number(2).unwrap_or(1);
    let seeds = target.seeds.iter().map(|seed| seed.as_bytes().to_vec());
    let mut mutator = Mutator::new(seeds.chain(crashes(target.name)), chosen);
    let start = Instant::now();
    let mut broken = 0_u64;
    for index in 0..count {
        let input = mutator.next_input();
        let before = Instant::now();
        let holds = catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_ok();
        if holds && before.elapsed() < SLOW {
            continue;
        }
        broken += 1;
        let name = format!("{}-{chosen}-{index}", target.name);
        println!("{name}: {} after {:?}", if holds { "slow" } else { "broken" }, before.elapsed());
        if let Err(error) = std::fs::write(&name, &input) {
            println!("{name} cannot be written: {error}");
        }
    }
    println!(
        "{} with {chosen}: {count} inputs in {:.0?}, {broken} of them bad",
        target.name,
        start.elapsed()
    );
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn crashes(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes").join(target);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| std::fs::read(path).ok()).collect()
}
