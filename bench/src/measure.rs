//! The clock and the table.

use std::time::{Duration, Instant};

/// One competitor: its name and the work to be measured.
pub(crate) type Competitor<'a> = (&'static str, &'a mut dyn FnMut());

/// One competitor's figure.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) time: Duration,
}

/// The shortest of several rounds for each competitor. They take turns, so that whatever else the machine does
/// meets all of them. Short work is repeated within a round, so that the clock can see it.
pub(crate) fn best_of(rounds: usize, competitors: &mut [Competitor<'_>]) -> Vec<Figure> {
    let repeats: Vec<u32> = competitors.iter_mut().map(|(_, work)| repeats(work)).collect();
    let mut figures: Vec<Figure> =
        competitors.iter().map(|(name, _)| Figure { name, time: Duration::MAX }).collect();
    for _ in 0..rounds {
        for ((figure, (_, work)), &repeats) in figures.iter_mut().zip(competitors.iter_mut()).zip(&repeats) {
            let started = Instant::now();
            (0..repeats).for_each(|_| work());
            figure.time = figure.time.min(started.elapsed() / repeats);
        }
    }
    figures
}

fn repeats(work: &mut dyn FnMut()) -> u32 {
    work();
    let started = Instant::now();
    work();
    let once = started.elapsed().max(Duration::from_nanos(100));
    (Duration::from_millis(5).as_nanos() / once.as_nanos()).clamp(1, 10_000) as u32
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
