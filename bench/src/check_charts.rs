//! `trueline check` on charts, beside our own `helm template` of the same charts, and on a repository of charts.

use std::fs;
use std::path::{Path, PathBuf};

use crate::check::beside_this_program;
use crate::helm::{self, REAL, measure, mebibytes, milliseconds};

/// Charts with many helpers, beside the largest ones.
const WITH_HELPERS: &[&str] = &[
    "bitnami_charts/keycloak",
    "bitnami_charts/postgresql",
    "bitnami_charts/opensearch",
    "bitnami_charts/redis",
];

/// Charts in a repository.
const REPOSITORY: usize = 117;

/// Compares on real charts, and checks many of them in one run.
pub(crate) fn run() {
    println!("# Checking charts");
    let Some(trueline) = beside_this_program("trueline") else {
        println!("  left out: there is no release build of trueline; run `cargo build --release` first");
        return;
    };
    let Some(corpus) = std::env::var_os("TRUELINE_CORPUS") else {
        println!("  left out: TRUELINE_CORPUS is not set");
        return;
    };
    let real = Path::new(&corpus).join("helm/charts/real");
    println!("  {:<28} {:>12} {:>12} {:>8} {:>12}", "", "template", "check", "times", "check");
    let with_helpers = WITH_HELPERS.iter().map(|path| (*path, &[] as &[&str]));
    for (path, flags) in REAL.iter().copied().chain(with_helpers) {
        let chart = real.join(path).display().to_string();
        let line = |words: &[&str]| {
            let words = words.iter().copied().chain([chart.as_str()]).chain(flags.iter().copied());
            words.map(str::to_owned).collect::<Vec<String>>()
        };
        let template = measure(&trueline, &line(&["helm", "template", "rel"]), &[0]);
        let check = measure(&trueline, &line(&["check", "--offline"]), &[0, 1]);
        println!(
            "  {:<28} {:>9.1} ms {:>9.1} ms {:>8.2} {:>8.1} MiB",
            helm::base(path),
            milliseconds(template.time),
            milliseconds(check.time),
            check.time.as_secs_f64() / template.time.as_secs_f64(),
            mebibytes(check.peak),
        );
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let charts = repository(&real, folder.path());
    let words = ["check", "--offline"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain([folder.path().display().to_string()]).collect();
    let check = measure(&trueline, &words, &[0, 1]);
    let title = format!("{charts} charts in one run");
    println!("  {title:<28} {:>25.1} ms {:>17.1} MiB", milliseconds(check.time), mebibytes(check.peak));
}

/// Makes a repository of the first charts of the corpus, in the order of their paths, each with its subcharts; gives their
/// number.
fn repository(real: &Path, folder: &Path) -> usize {
    let projects = directories(real);
    let charts = projects.iter().flat_map(|project| directories(project));
    let charts = charts.filter(|chart| chart.join("Chart.yaml").is_file()).take(REPOSITORY);
    charts.enumerate().map(|(number, chart)| copy(&chart, &folder.join(format!("chart-{number}")))).count()
}

fn directories(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the corpus can be read");
    let paths = entries.map(|entry| entry.expect("the corpus can be read").path());
    let mut directories: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    directories.sort();
    directories
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the corpus can be read") {
        let entry = entry.expect("the corpus can be read");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else if path.is_file() {
            fs::copy(&path, &target).expect("a file can be copied");
        }
    }
}
