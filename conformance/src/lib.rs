//! Runs the corpora recorded from the real tools and counts agreement.
//!
//! A corpus is found under `TRUELINE_CORPUS`; without it a suite says so and passes. Disagreements that
//! are known stand in `expected-failures/<suite>.txt`, each with its reason. The lists only shrink: a
//! listed case that passes fails the run, and so does a listed case that no longer exists.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod expected;
mod suites;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

pub use suites::SUITES;

/// A family of cases from one corpus.
pub struct Suite {
    /// Its name, as the command line takes it.
    pub name: &'static str,
    /// Reads the cases of a corpus; an error if the corpus is there but cannot be read.
    pub load: fn(&Path) -> Result<Vec<Case>, String>,
    /// The folder of the corpus that it needs.
    pub folder: &'static str,
    /// What its cases add up to, for a suite that counts more than its cases.
    pub summary: Option<fn() -> String>,
}

/// One case: agreement, or what differs.
pub struct Case {
    /// Its name; unique in its suite.
    pub id: String,
    /// Runs it.
    pub run: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Case {
    /// A case from its name and its check.
    pub fn new(id: impl Into<String>, run: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        Case { id: id.into(), run: Box::new(run) }
    }
}

/// The figures of one suite.
#[derive(Debug, Default)]
pub struct Tally {
    /// The suite.
    pub suite: &'static str,
    /// How many cases ran.
    pub cases: usize,
    /// How many agreed.
    pub passed: usize,
    /// How many disagreed as listed.
    pub expected: usize,
    /// What fails the run, in words.
    pub problems: Vec<String>,
    /// Why the suite did not run, if it did not.
    pub absent: Option<String>,
    /// What its cases add up to.
    pub summary: Option<String>,
    /// How many cases ran and agreed, by what stands before the `/` in their names.
    pub groups: BTreeMap<String, (usize, usize)>,
}

/// How much is said about what fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A line a problem.
    Short,
    /// All that is known about each, and the figures of each group of cases.
    Full,
}

/// Runs the suites whose name is `only` (all, if none is named), and of them the cases that contain `filter`.
pub fn run(corpus: Option<&Path>, only: Option<&str>, filter: Option<&str>) -> Vec<Tally> {
    SUITES
        .iter()
        .filter(|suite| only.is_none_or(|name| suite.name == name))
        .map(|suite| run_suite(suite, corpus, filter))
        .collect()
}

fn run_suite(suite: &Suite, corpus: Option<&Path>, filter: Option<&str>) -> Tally {
    let mut tally = Tally { suite: suite.name, ..Tally::default() };
    let Some(folder) = corpus.map(|corpus| corpus.join(suite.folder)).filter(|folder| folder.is_dir()) else {
        tally.absent = Some(format!("no corpus `{}` under TRUELINE_CORPUS", suite.folder));
        return tally;
    };
    let cases = match (suite.load)(&folder) {
        Ok(cases) if !cases.is_empty() => cases,
        Ok(_) => {
            tally.problems.push("the corpus holds no case".to_owned());
            return tally;
        }
        Err(error) => {
            tally.problems.push(error);
            return tally;
        }
    };
    let mut expected = match expected::read(&lists(), suite.name) {
        Ok(expected) => expected,
        Err(error) => {
            tally.problems.push(error);
            return tally;
        }
    };
    let wanted: Vec<&Case> =
        cases.iter().filter(|case| filter.is_none_or(|filter| case.id.contains(filter))).collect();
    let run = || wanted.par_iter().map(|case| (case.id.as_str(), (case.run)())).collect();
    // A pool of its own: a case waits for threads that share work among those of the global pool.
    let results: Vec<(&str, Result<(), String>)> = match rayon::ThreadPoolBuilder::new().build() {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    };
    tally.cases = results.len();
    for (id, result) in results {
        if let Some((group, _)) = id.split_once('/') {
            let (cases, passed) = tally.groups.entry(group.to_owned()).or_default();
            *cases += 1;
            *passed += usize::from(result.is_ok());
        }
        match (result, expected.remove(id)) {
            (Ok(()), None) => tally.passed += 1,
            (Ok(()), Some(_)) => {
                tally.passed += 1;
                tally.problems.push(format!("{id}: passes now; take it off the list of expected failures"));
            }
            (Err(_), Some(_)) => tally.expected += 1,
            (Err(difference), None) => tally.problems.push(format!("{id}: {difference}")),
        }
    }
    tally.summary = suite.summary.map(|summary| summary());
    if filter.is_none() {
        for id in expected.into_keys() {
            tally.problems.push(format!("{id}: listed as an expected failure, but there is no such case"));
        }
    }
    tally
}

/// The folder of the lists.
fn lists() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("expected-failures")
}

/// The figures as a table, with what fails the run above it.
pub fn table(tallies: &[Tally], detail: Detail) -> String {
    let mut text = String::new();
    for tally in tallies {
        let shown = if detail == Detail::Full { usize::MAX } else { 40 };
        for problem in tally.problems.iter().take(shown) {
            let words = match detail {
                Detail::Full => problem.as_str(),
                Detail::Short => problem.lines().next().unwrap_or_default(),
            };
            let _ = writeln!(text, "{}: {words}", tally.suite);
        }
        if tally.problems.len() > shown {
            let _ = writeln!(text, "{}: … and {} more", tally.suite, tally.problems.len() - shown);
        }
    }
    if detail == Detail::Full {
        for tally in tallies {
            for (group, (cases, passed)) in &tally.groups {
                let _ = writeln!(text, "{:<22} {passed:>7} of {cases}", format!("{}/{group}", tally.suite));
            }
        }
    }
    let _ = writeln!(
        text,
        "{:<22} {:>7} {:>7} {:>17} {:>9}",
        "suite", "cases", "passed", "expected failures", "problems"
    );
    for tally in tallies {
        match &tally.absent {
            Some(reason) => {
                let _ = writeln!(text, "{:<22} not run: {reason}", tally.suite);
            }
            None => {
                let _ = writeln!(
                    text,
                    "{:<22} {:>7} {:>7} {:>17} {:>9}",
                    tally.suite,
                    tally.cases,
                    tally.passed,
                    tally.expected,
                    tally.problems.len()
                );
                if let Some(summary) = &tally.summary {
                    let _ = writeln!(text, "  {summary}");
                }
            }
        }
    }
    let passed: usize = tallies.iter().map(|tally| tally.passed).sum();
    let failed: usize = tallies.iter().map(|tally| tally.problems.len()).sum();
    let _ = writeln!(text, "{passed} passed, {failed} failed");
    text
}
