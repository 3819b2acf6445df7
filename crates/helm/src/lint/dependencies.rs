//! Whether Chart.yaml and `charts/` name the same subcharts.

use std::collections::BTreeSet;

use super::{Linter, Severity};
use crate::chart::{Chart, LoadFailure, Loaded};

pub(super) fn check(linter: &mut Linter<'_>, loaded: &Result<Loaded, LoadFailure>) {
    let chart = match linter.chart(loaded) {
        Ok(loaded) => &loaded.chart,
        Err(wrong) => return linter.say(Severity::Error, "", format!("unable to load chart\n\t{wrong}")),
    };
    let place = linter.request.absolute;
    let rules: [(Severity, &str, Vec<&str>); 3] = [
        (Severity::Error, "chart metadata is missing these dependencies", not_listed(chart)),
        (Severity::Error, "multiple dependencies with name or alias", named_twice(chart)),
        (Severity::Warning, "chart directory is missing these dependencies", not_there(chart)),
    ];
    for (severity, words, found) in rules {
        if !found.is_empty() {
            linter.say(severity, place, format!("{words}: {}", found.join(",")));
        }
    }
}

/// Subcharts that Chart.yaml does not name.
pub(super) fn not_listed(chart: &Chart) -> Vec<&str> {
    let listed: BTreeSet<&str> =
        chart.metadata.dependencies.iter().map(|entry| entry.name.as_str()).collect();
    chart.dependencies.iter().map(Chart::name).filter(|name| !listed.contains(name)).collect()
}

/// Names that several entries of Chart.yaml have here.
fn named_twice(chart: &Chart) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let names = chart.metadata.dependencies.iter().map(|entry| match entry.alias.as_str() {
        "" => entry.name.as_str(),
        alias => alias,
    });
    names.filter(|name| !seen.insert(*name)).collect()
}

/// Entries of Chart.yaml that no subchart answers to.
fn not_there(chart: &Chart) -> Vec<&str> {
    let there: BTreeSet<&str> = chart.dependencies.iter().map(Chart::name).collect();
    chart
        .metadata
        .dependencies
        .iter()
        .map(|entry| entry.name.as_str())
        .filter(|name| !there.contains(name))
        .collect()
}
