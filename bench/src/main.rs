//! Measures Trueline beside its peers in one run and prints the ratios.

// Measuring is what this program is for: it reads the clock, starts programs and prints.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod cel;
mod check;
mod check_charts;
mod edit;
mod generate;
mod helm;
mod kube;
#[allow(unsafe_code, reason = "libyaml is only to be had as a port of its C code")]
mod libyaml;
mod measure;
mod review;
mod schema;
mod yaml;
mod ytt;

/// As the program has it, for all competitors that are written in Rust.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.first().is_some_and(|first| first == helm::PEAK) {
        return helm::print_peak(wanted.into_iter().skip(1));
    }
    if wanted.first().is_some_and(|first| first == edit::ON_ONE_CORE) {
        return edit::run_here();
    }
    let parts: [(&str, fn()); 10] = [
        ("yaml", yaml::run),
        ("schema", schema::run),
        ("check", check::run),
        ("check", check_charts::run),
        ("helm", helm::run),
        ("edit", edit::run),
        ("kube", kube::run),
        ("review", review::run),
        ("cel", cel::run),
        ("ytt", ytt::run),
    ];
    for (name, run) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            run();
        }
    }
}
