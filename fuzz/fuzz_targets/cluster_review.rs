#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| trueline_fuzz::run("cluster_review", input));
