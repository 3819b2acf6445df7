//! The clock and the table.

use std::time::{Duration, Instant};

/// The shortest of several rounds of a piece of work. Short work is repeated within a round, so that the
/// clock can see it.
pub(crate) fn best_of(rounds: usize, mut work: impl FnMut()) -> Duration {
    work();
    let started = Instant::now();
    work();
    let once = started.elapsed().max(Duration::from_nanos(100));
    let repeats = (Duration::from_millis(20).as_nanos() / once.as_nanos()).clamp(1, 10_000) as u32;
    let round = || {
        let started = Instant::now();
        (0..repeats).for_each(|_| work());
        started.elapsed() / repeats
    };
    std::iter::repeat_with(round).take(rounds).min().unwrap_or_default()
}

/// One competitor's figure.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) time: Duration,
}

/// Prints the figures for an input of so many bytes, and how often each fits into the first one's speed.
pub(crate) fn print_throughput(title: &str, bytes: usize, figures: &[Figure]) {
    println!("{title}");
    let ours = figures.first().map_or(Duration::ZERO, |figure| figure.time);
    for figure in figures {
        let throughput = bytes as f64 / figure.time.as_secs_f64() / 1e6;
        let ratio = figure.time.as_secs_f64() / ours.as_secs_f64();
        println!("  {:<40} {throughput:>9.1} MB/s   trueline is {ratio:>6.2} x", figure.name);
    }
}

/// Prints times, and how often the first one's fits into each.
pub(crate) fn print_times(title: &str, figures: &[Figure]) {
    println!("{title}");
    let ours = figures.first().map_or(Duration::ZERO, |figure| figure.time);
    for figure in figures {
        let ratio = figure.time.as_secs_f64() / ours.as_secs_f64();
        println!(
            "  {:<40} {:>9.1} ms     trueline is {ratio:>6.2} x",
            figure.name,
            figure.time.as_secs_f64() * 1e3
        );
    }
}
