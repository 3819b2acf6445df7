//! Chart.yaml and the files around it: what Helm asks of them before it renders anything.

use trueline_diagnostic::{Diagnostic, Level};
use trueline_helm::chart::Chart;
use trueline_helm::engine::KubeVersion;
use trueline_helm::package::name_agrees;
use trueline_helm::release::check_kube_version;
use trueline_source::{EntryKind, Span};

use crate::walk::Candidate;

use super::codes::{KUBE_VERSION, MISSING_DEPENDENCY};

/// The dependencies that are listed and are not there: as far as Helm looks, which is the chart itself.
pub(super) fn missing_dependencies(chart: &Chart) -> Vec<Diagnostic> {
    let is_there = |name: &str| chart.dependencies.iter().any(|subchart| subchart.name() == name);
    let missing = chart.metadata.dependencies.iter().filter(|dependency| !is_there(&dependency.name));
    missing
        .filter_map(|dependency| {
            let place = dependency.place("name").or_else(|| place(chart))?;
            let message = format!("the dependency `{}` is not in `charts/`", dependency.name);
            let help = match dependency.repository.as_str() {
                "" => "put the chart there; without it nothing is rendered".to_owned(),
                repository => format!(
                    "fetch it from {repository} with `helm dependency build`; without it nothing is rendered"
                ),
            };
            Some(
                Diagnostic::new(&MISSING_DEPENDENCY, place, message)
                    .label("listed here")
                    .help(help)
                    .level(Level::Semantic),
            )
        })
        .collect()
}

/// Whether the chart is made for the version of Kubernetes that is asked for.
pub(super) fn kube_version(chart: &Chart, version: &KubeVersion) -> Option<Diagnostic> {
    let constraint = &chart.metadata.kube_version;
    check_kube_version(constraint, &version.normalized, &version.version).err()?;
    let place = chart.metadata.place("kubeVersion").or_else(|| place(chart))?;
    let message = format!("the chart is not made for Kubernetes {}", version.version);
    Some(
        Diagnostic::new(&KUBE_VERSION, place, message)
            .label("only for these versions")
            .help("give the version that it is for with `--kube-version`, or widen the constraint")
            .path("/kubeVersion")
            .level(Level::Semantic),
    )
}

/// Whether an archive is called as the chart in it.
pub(super) fn archive_name(candidate: &Candidate, chart: &Chart) -> Option<Diagnostic> {
    let entry = candidate.loader.entry(&candidate.path).ok()?;
    if entry.kind == EntryKind::File { name_agrees(&entry.name, chart) } else { None }
}

/// The beginning of Chart.yaml.
fn place(chart: &Chart) -> Option<Span> {
    chart.chart_file.as_ref().and_then(|file| file.source).map(|source| Span::whole(source).at_start())
}
