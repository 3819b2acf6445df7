//! A chart that is edited while an engine lives on: how long a check takes after one line has changed, and how long until a
//! check that nobody wants any more has ended.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trueline_analysis::{Change, Host, Settings, UnitId};
use trueline_source::{Cancel, MemorySystem};

/// The word that this program calls itself with, to run on one core.
pub(crate) const ON_ONE_CORE: &str = "edit-on-one-core";

/// The chart that is edited.
const CHART: &str = "prometheus-community_helm-charts/kube-prometheus-stack";

/// So many lines of each kind are edited.
const EDITS: usize = 60;

/// Every so many edits the findings are compared with those of a new engine.
const COMPARED: usize = 10;

/// Starts itself again on one core.
pub(crate) fn run() {
    println!("# Checking again after an edit");
    let program = std::env::current_exe().expect("this program has a path");
    let ended = Command::new("taskset")
        .args([OsStr::new("-c"), OsStr::new("1"), program.as_os_str()])
        .arg(ON_ONE_CORE)
        .status();
    if !ended.is_ok_and(|status| status.success()) {
        println!("  left out: `taskset` cannot be run");
    }
}

/// Measures on the core that it was started on.
pub(crate) fn run_here() {
    let Some(corpus) = std::env::var_os("TRUELINE_CORPUS") else {
        println!("  left out: TRUELINE_CORPUS is not set");
        return;
    };
    let files = files_of(&Path::new(&corpus).join("helm/charts/real").join(CHART));
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    println!(
        "  {} files, {:.1} MB, {} threads",
        files.len(),
        bytes as f64 / 1e6,
        rayon::current_num_threads()
    );
    let started = Instant::now();
    let mut engine = Engine::new(files);
    engine.told();
    println!("  the first check: {:.1} ms", milliseconds(started.elapsed()));
    let is_template = |path: &str| path.starts_with("/chart/templates/") && path.ends_with(".yaml");
    engine.measure("values.yaml", &|path| path == "/chart/values.yaml");
    engine.measure("templates", &is_template);
    engine.measure("helpers", &|path| path == "/chart/templates/_helpers.tpl");
    engine.measure_cancelling();
}

struct Engine {
    files: Vec<(PathBuf, Vec<u8>)>,
    host: Host,
    numbers: u64,
}

impl Engine {
    fn new(files: Vec<(PathBuf, Vec<u8>)>) -> Self {
        let host = host(&files);
        Engine { files, host, numbers: 0x9E37_79B9_7F4A_7C15 }
    }

    /// What is found, in short.
    fn told(&self) -> Vec<String> {
        told(&self.host)
    }

    fn below(&mut self, end: usize) -> usize {
        self.numbers ^= self.numbers << 13;
        self.numbers ^= self.numbers >> 7;
        self.numbers ^= self.numbers << 17;
        (self.numbers % end.max(1) as u64) as usize
    }

    /// Edits lines of the files that are wanted, one at a time.
    fn measure(&mut self, what: &str, is_wanted: &dyn Fn(&str) -> bool) {
        let wanted: Vec<usize> = (0..self.files.len())
            .filter(|&number| {
                self.files.get(number).is_some_and(|(path, _)| is_wanted(&path.to_string_lossy()))
            })
            .collect();
        let (mut times, mut differences) = (Vec::new(), 0);
        for edit in 0..EDITS {
            let index = self.below(wanted.len());
            let Some(&number) = wanted.get(index) else { return };
            let (path, before) = self.files[number].clone();
            let after = self.edited(&before);
            self.files[number].1.clone_from(&after);
            let started = Instant::now();
            self.host.apply(Change::Open(path.clone(), after.into()));
            let found = check(&self.host, &Cancel::new());
            times.push(started.elapsed());
            drop(found);
            if edit % COMPARED == 0 && self.told() != told(&host(&self.files)) {
                differences += 1;
            }
            self.files[number].1.clone_from(&before);
            self.host.apply(Change::Open(path, before.into()));
            check(&self.host, &Cancel::new());
        }
        times.sort_unstable();
        let at = |share: usize| {
            times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or_default()
        };
        println!(
            "  {what:<12} half within {:>6.1} ms, p95 {:>6.1} ms, worst {:>6.1} ms; {differences} of {} compared differ",
            milliseconds(at(50)),
            milliseconds(at(95)),
            milliseconds(at(100)),
            EDITS.div_ceil(COMPARED),
        );
    }

    /// A file with one line edited: half of the edits are what somebody types at the end of a line, the others in a line.
    fn edited(&mut self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let written: Vec<usize> = (0..lines.len()).filter(|&line| !lines[line].trim().is_empty()).collect();
        let index = self.below(written.len());
        let (way, place) = (self.below(4), self.below(1_000));
        if let Some(line) = written.get(index).and_then(|&line| lines.get_mut(line)) {
            let letters: Vec<usize> = line
                .char_indices()
                .filter(|(_, letter)| letter.is_ascii_alphanumeric())
                .map(|(at, _)| at)
                .collect();
            match (way, letters.get(place % letters.len().max(1))) {
                (0, _) => line.push('x'),
                (1, _) => line.push_str(" # why"),
                (_, Some(&at)) => line.replace_range(at..=at, "7"),
                (_, None) => line.push(' '),
            }
        }
        (lines.join("\n") + "\n").into_bytes()
    }

    /// How long a check goes on after nobody wants it.
    fn measure_cancelling(&self) {
        let mut late = Vec::new();
        for wait in [1, 3, 5, 8, 12, 16, 20, 25, 30, 40] {
            let host = host(&self.files);
            let snapshot = host.snapshot();
            // What comes before the chart is read once for all units.
            let unit = snapshot.units().expect("a memory can be read").remove(0);
            let cancel = Cancel::new();
            std::thread::scope(|scope| {
                let run = scope.spawn(|| {
                    let answer = snapshot.check(&unit, &cancel);
                    (answer.is_err(), Instant::now())
                });
                std::thread::sleep(Duration::from_millis(wait));
                let asked = Instant::now();
                cancel.cancel();
                if let Ok((true, ended)) = run.join() {
                    late.push(ended.saturating_duration_since(asked));
                }
            });
        }
        let worst = late.iter().max().copied().unwrap_or_default();
        println!("  cancelled     {} times, after {:.1} ms at most", late.len(), milliseconds(worst));
    }
}

fn host(files: &[(PathBuf, Vec<u8>)]) -> Host {
    let add = |system: MemorySystem, (path, bytes): &(PathBuf, Vec<u8>)| {
        system.with_file(&path.to_string_lossy(), bytes.as_slice())
    };
    let settings = Settings { paths: vec!["chart".into()], offline: true, ..Settings::default() };
    Host::new(Arc::new(files.iter().fold(MemorySystem::new(), add)), settings)
}

fn check(host: &Host, cancel: &Cancel) -> Arc<trueline_analysis::Outcome> {
    let snapshot = host.snapshot();
    let units: Vec<UnitId> = snapshot.units().expect("a memory can be read");
    let unit = units.first().expect("there is a chart");
    snapshot.check(unit, cancel).expect("nobody gives it up")
}

fn told(host: &Host) -> Vec<String> {
    let outcome = check(host, &Cancel::new());
    let finding = |finding: &trueline_diagnostic::Diagnostic| {
        let finding = finding.clone().at_origin(&outcome.sources);
        let place = outcome.sources.position(finding.primary.span);
        let name = outcome.sources.get(finding.primary.span.source).name().to_owned();
        format!("{name}:{}:{} {} {:?}", place.line, place.column, finding.message, finding.help)
    };
    outcome.unit.findings.iter().map(finding).collect()
}

fn files_of(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut files, mut open) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the corpus can be read");
            open.extend(entries.map(|entry| entry.expect("the corpus can be read").path()));
        } else {
            let inside = path.strip_prefix(directory).expect("it is below the chart");
            files.push((Path::new("/chart").join(inside), fs::read(&path).expect("the corpus can be read")));
        }
    }
    files.sort();
    files
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
