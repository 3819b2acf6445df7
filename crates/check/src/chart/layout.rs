//! Chart.yaml and the files around it: what Helm asks of them before it renders anything.

use trueline_diagnostic::{Diagnostic, Level};
use trueline_helm::chart::{Chart, Dependency};
use trueline_helm::engine::KubeVersion;
use trueline_helm::package::name_agrees;
use trueline_helm::release::check_kube_version;
use trueline_helm::repository::{digest, digest_of_helm2, fits};
use trueline_source::{EntryKind, Span};

use crate::walk::{self, Candidate};

use super::codes::{HIDDEN_SCHEMA, KUBE_VERSION, MISSING_DEPENDENCY, OTHER_VERSION, STALE_LOCK};

/// What may be hidden.
const SCHEMA: &str = "values.schema.json";
const MAPPING: &str = "schema-dependencies.json";

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
                    "fetch it from {repository} with `trueline helm dependency update`; without it nothing is rendered"
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

/// Subcharts of another version than Chart.yaml asks for: Helm leaves them out without a word.
pub(super) fn other_versions(chart: &Chart) -> Vec<Diagnostic> {
    let listed = chart.metadata.dependencies.iter();
    listed
        .filter_map(|dependency| {
            let named: Vec<&Chart> =
                chart.dependencies.iter().filter(|subchart| subchart.name() == dependency.name).collect();
            let fits = |subchart: &&Chart| {
                dependency.version.is_empty()
                    || fits(&subchart.metadata.version, &dependency.version).unwrap_or(true)
            };
            let first = named.first()?;
            if named.iter().any(fits) {
                return None;
            }
            let place = dependency.place("version").or_else(|| place(chart))?;
            let Dependency { name, version, .. } = dependency;
            let found = &first.metadata.version;
            let message =
                format!("`charts/` has `{name}` {found}, which is not a version that `{version}` allows");
            let finding = Diagnostic::new(&OTHER_VERSION, place, message)
                .label("Helm leaves the subchart out")
                .help("run `trueline helm dependency update`, or change the version")
                .level(Level::Semantic);
            let there = first.metadata.place("version");
            Some(
                there.into_iter().fold(finding, |finding, span| finding.related(span, "this is the version")),
            )
        })
        .collect()
}

/// A lock file that was made for other dependencies than Chart.yaml has now. Where a repository is called by the name
/// that it was added with, only the one who added it knows its address.
pub(super) fn stale_lock(chart: &Chart) -> Option<Diagnostic> {
    let lock = chart.lock.as_ref().filter(|lock| !lock.digest.is_empty())?;
    let wanted = &chart.metadata.dependencies;
    // Empty lists can be written in several ways, each with a sum of its own.
    if wanted.is_empty() && lock.dependencies.is_empty() {
        return None;
    }
    let is_alias = |dependency: &Dependency| {
        dependency.repository.starts_with('@') || dependency.repository.starts_with("alias:")
    };
    let is_old = chart.metadata.api_version == "v1" && digest_of_helm2(wanted) == lock.digest;
    if wanted.iter().any(is_alias) || is_old || digest(wanted, &lock.dependencies) == lock.digest {
        return None;
    }
    let place = chart.metadata.place("dependencies").or_else(|| place(chart))?;
    let message = "Chart.lock was made for other dependencies than these";
    Some(
        Diagnostic::new(&STALE_LOCK, place, message)
            .label("changed since")
            .help("run `trueline helm dependency update`, which writes Chart.lock anew; `dependency build` refuses it")
            .level(Level::Semantic),
    )
}

/// Schemas that `.helmignore` keeps out of the chart: nobody gets them, and nothing is held against them.
pub(super) fn hidden_schemas(candidate: &Candidate, chart: &Chart) -> Vec<Diagnostic> {
    let is_there = |name: &str| match name {
        SCHEMA => chart.schema.is_some(),
        name => chart.files.iter().any(|file| *file.name == *name),
    };
    let on_disk = |name: &&str| {
        let path = walk::join(&candidate.path, name);
        candidate.loader().entry(&path).is_ok_and(|entry| entry.kind == EntryKind::File)
    };
    let is_directory =
        candidate.loader().entry(&candidate.path).is_ok_and(|entry| entry.kind == EntryKind::Directory);
    let hidden = [SCHEMA, MAPPING].into_iter().filter(|name| is_directory && !is_there(name)).filter(on_disk);
    hidden
        .filter_map(|name| {
            let message = format!("`.helmignore` keeps `{name}` out of the chart");
            Some(
                Diagnostic::new(&HIDDEN_SCHEMA, place(chart)?, message)
                    .help(format!(
                        "take the line that matches out of `.helmignore`, or add `!{name}` behind it"
                    ))
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

/// Whether an archive is called as the chart in it. What came through a pipe has no name.
pub(super) fn archive_name(candidate: &Candidate, chart: &Chart) -> Option<Diagnostic> {
    let entry = candidate.loader().entry(&candidate.path).ok()?;
    let is_named = entry.name.ends_with(".tgz") || entry.name.ends_with(".tar.gz");
    if entry.kind == EntryKind::File && is_named { name_agrees(&entry.name, chart) } else { None }
}

/// The beginning of Chart.yaml.
fn place(chart: &Chart) -> Option<Span> {
    chart.chart_file.as_ref().and_then(|file| file.source).map(|source| Span::whole(source).at_start())
}
