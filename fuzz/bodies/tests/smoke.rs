//! Every target over its seeds, the crashes of the past and a fixed number of mutations.

#![allow(clippy::disallowed_methods, reason = "the crashes of the past are files")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use trueline_fuzz::{Mutator, TARGETS, Target};

#[test]
fn targets_keep_their_promises() {
    let iterations = std::env::var("TRUELINE_FUZZ_ITERATIONS").ok().and_then(|number| number.parse().ok());
    let mut broken = Vec::new();
    for target in TARGETS {
        let seeds: Vec<Vec<u8>> = target.seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
        let seeds: Vec<Vec<u8>> = seeds.into_iter().chain(crashes(target)).collect();
        let mut mutator = Mutator::new(seeds.clone(), 1);
        let mutations = (0..iterations.unwrap_or(2_000)).map(|_| mutator.next_input());
        let inputs = seeds.iter().cloned().chain(mutations);
        // The shortest is the easiest to understand.
        let shortest = inputs.filter(|input| !keeps_promises(target, input)).min_by_key(Vec::len);
        broken.extend(
            shortest.map(|input| format!("{} on {:?}", target.name, String::from_utf8_lossy(&input))),
        );
    }
    assert!(broken.is_empty(), "promises are broken: {broken:#?}");
}

fn crashes(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes").join(target.name);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn keeps_promises(target: &Target, input: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_ok()
}
