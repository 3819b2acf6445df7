//! Chart.yaml and the files around it: what Helm asks of them before it renders anything.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_helm::chart::{Chart, Dependency};
use trueline_helm::engine::KubeVersion;
use trueline_helm::package::name_agrees;
use trueline_helm::release::{check_kube_version, is_constraint};
use trueline_helm::repository::{digest, digest_of_helm2, fits};
use trueline_helm::schema;
use trueline_source::{EntryKind, SourceMap, Span};

use crate::walk::{self, Candidate};

use super::codes::{
    DEPENDENCY_ENABLED, DEPRECATED_CHART, DIRECTORY_NAME, HIDDEN_SCHEMA, KUBE_VERSION, MISSING_DEPENDENCY,
    OTHER_VERSION, STALE_LOCK,
};

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

/// Subcharts of another version than Chart.yaml asks for: Helm renders them all the same, but not under an alias.
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
            let Dependency { name, version, alias, .. } = dependency;
            let found = &first.metadata.version;
            let message =
                format!("`charts/` has version `{found}` of `{name}`, which `{version}` does not allow");
            let finding = Diagnostic::new(&OTHER_VERSION, place, message)
                .help("run `trueline helm dependency update`, or change the version")
                .level(Level::Semantic);
            let finding = match alias.as_str() {
                "" => finding.label(format!("Helm renders version {found}")),
                alias => finding.severity(Severity::Warning).label(format!(
                    "Helm renders version {found} as `{name}`: the alias `{alias}` has no effect"
                )),
            };
            let there = first.metadata.place("version");
            Some(
                there.into_iter().fold(finding, |finding, span| finding.related(span, "this is the version")),
            )
        })
        .collect()
}

/// What a chart says of itself and of its dependencies that is worth knowing, or has no effect.
pub(super) fn remarks(candidate: &Candidate, chart: &Chart, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = directory_name(candidate, chart).into_iter().collect();
    findings.extend(chart.dependencies.iter().filter_map(|subchart| subdirectory_name(subchart, sources)));
    if chart.metadata.deprecated {
        findings.extend(chart.metadata.place("deprecated").map(|place| {
            Diagnostic::new(&DEPRECATED_CHART, place, "this chart is marked as deprecated")
                .level(Level::Semantic)
        }));
    }
    for dependency in &chart.metadata.dependencies {
        findings.extend(deprecated_dependency(dependency, chart));
        findings.extend(enabled(dependency));
    }
    findings
}

/// A directory that is not called as the chart in it.
fn directory_name(candidate: &Candidate, chart: &Chart) -> Option<Diagnostic> {
    let loader = candidate.loader();
    let entry = loader.entry(&candidate.path).ok()?;
    if entry.kind != EntryKind::Directory {
        return None;
    }
    let root = loader.root().unwrap_or_default();
    let directory = if candidate.path.is_empty() { &root } else { &*candidate.path };
    other_name(last_part(directory), chart)
}

/// A directory in `charts/` that is not called as the chart in it.
fn subdirectory_name(subchart: &Chart, sources: &SourceMap) -> Option<Diagnostic> {
    let source = subchart.chart_file.as_ref()?.source?;
    let shown = sources.get(source).name().to_owned();
    let directory = shown.strip_suffix("/Chart.yaml")?;
    // What an archive holds is in a directory of the archive, whose name nobody sees.
    let (above, name) = directory.rsplit_once('/')?;
    if last_part(above) == "charts" { other_name(name, subchart) } else { None }
}

fn other_name(directory: &str, chart: &Chart) -> Option<Diagnostic> {
    let name = chart.name();
    if directory.is_empty() || directory == name {
        return None;
    }
    let place = chart.metadata.place("name")?;
    let message = format!("the directory `{directory}` holds a chart named `{name}`");
    Some(
        Diagnostic::new(&DIRECTORY_NAME, place, message)
            .help(format!("rename the directory to `{name}`"))
            .path("/name")
            .level(Level::Semantic),
    )
}

/// The last part of a path, whatever its separators are.
fn last_part(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default()
}

/// A dependency that its makers have given up.
fn deprecated_dependency(dependency: &Dependency, chart: &Chart) -> Option<Diagnostic> {
    let subchart = chart.dependencies.iter().find(|subchart| subchart.name() == dependency.name)?;
    if !subchart.metadata.deprecated {
        return None;
    }
    let place = dependency.place("name").or_else(|| place(chart))?;
    let message = format!("the dependency `{}` is deprecated", dependency.name);
    let finding = Diagnostic::new(&DEPRECATED_CHART, place, message)
        .severity(Severity::Warning)
        .help("replace it by a chart that is maintained")
        .level(Level::Semantic);
    Some(match subchart.metadata.place("deprecated") {
        Some(there) => finding.related(there, "its Chart.yaml says so"),
        None => finding,
    })
}

/// `enabled` in an entry of `dependencies`, which Helm overwrites.
fn enabled(dependency: &Dependency) -> Option<Diagnostic> {
    let place = dependency.place("enabled")?;
    let message = format!("`enabled` of the dependency `{}` has no effect", dependency.name);
    let finding = Diagnostic::new(&DEPENDENCY_ENABLED, place, message).level(Level::Semantic);
    Some(match (dependency.enabled, dependency.condition.as_str()) {
        (true, _) => finding.severity(Severity::Note).help("remove it"),
        (false, "") => {
            let name = if dependency.alias.is_empty() { &dependency.name } else { &dependency.alias };
            let help =
                format!("write `condition: {name}.enabled`, and set `{name}.enabled: false` in values.yaml");
            finding.label("Helm renders the dependency").help(help)
        }
        (false, condition) => finding
            .label("only `condition` and `tags` disable a dependency")
            .help(format!("set `{condition}` to `false` in values.yaml, and remove `enabled`")),
    })
}

/// A lock file that is out of date: Chart.yaml has other dependencies now. Where a repository is called by the name
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
    let message = "Chart.lock is out of date";
    Some(
        Diagnostic::new(&STALE_LOCK, place, message)
            .label("changed since")
            .help("run `trueline helm dependency update`, which writes Chart.lock anew; `dependency build` refuses it")
            .level(Level::Semantic),
    )
}

/// Schemas that `.helmignore` keeps out of the chart: nobody gets them, and nothing is validated against them.
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
                        "remove the line that matches from `.helmignore`, or add `!{name}` after it"
                    ))
                    .level(Level::Semantic),
            )
        })
        .collect()
}

/// How deep and how many files of mapped folders are looked through.
const DEEPEST: usize = 16;
const MOST_FILES: usize = 1_000;

/// Files and folders that schema-dependencies.json maps prefixes to, and that `.helmignore` keeps out of the chart.
pub(super) fn hidden_targets(
    candidate: &Candidate,
    chart: &Chart,
    sources: &Arc<SourceMap>,
) -> Vec<Diagnostic> {
    let loader = candidate.loader();
    let is_directory = loader.entry(&candidate.path).is_ok_and(|entry| entry.kind == EntryKind::Directory);
    if !is_directory {
        return Vec::new();
    }
    let targets = schema::mapped_files(chart, sources);
    targets.into_iter().filter_map(|(path, place)| hidden_target(candidate, chart, &path, place)).collect()
}

fn hidden_target(candidate: &Candidate, chart: &Chart, path: &str, place: Span) -> Option<Diagnostic> {
    let mut on_disk = Vec::new();
    collect(candidate, path, 0, &mut on_disk);
    let is_there = |name: &String| chart.files.iter().any(|file| *file.name == **name);
    let is_all_hidden = !on_disk.iter().any(is_there);
    let is_text = |name: &&String| walk::is_text(name);
    let hidden: Vec<&String> = on_disk.iter().filter(|name| !is_there(name)).filter(is_text).collect();
    let first = hidden.first()?;
    let (what, line) = match (is_all_hidden && first.as_str() != path, hidden.len()) {
        (true, _) => (format!("the folder `{path}`"), format!("!{path}/")),
        (false, 1) => (format!("`{first}`"), format!("!{first}")),
        (false, count) => (format!("`{first}` and {} more of `{path}`", count - 1), format!("!{first}")),
    };
    let message =
        format!("`.helmignore` keeps {what} out of the chart, so references to it cannot be resolved");
    Some(
        Diagnostic::new(&HIDDEN_SCHEMA, place, message)
            .help(format!("remove the line of `.helmignore` that matches, or add `{line}` after it"))
            .level(Level::Schema),
    )
}

/// The files at a path of the chart's directory, and below it.
fn collect(candidate: &Candidate, path: &str, depth: usize, names: &mut Vec<String>) {
    let inside = walk::join(&candidate.path, path);
    let Ok(entry) = candidate.loader().entry(&inside) else { return };
    if entry.kind == EntryKind::File && names.len() < MOST_FILES {
        names.push(path.to_owned());
    }
    if entry.kind != EntryKind::Directory || depth >= DEEPEST {
        return;
    }
    for below in candidate.loader().list(&inside).unwrap_or_default().iter().filter(|entry| !entry.link) {
        collect(candidate, &walk::join(path, &below.name), depth + 1, names);
    }
}

/// Whether the chart is made for the version of Kubernetes that is asked for.
pub(super) fn kube_version(chart: &Chart, version: &KubeVersion) -> Option<Diagnostic> {
    let constraint = &chart.metadata.kube_version;
    check_kube_version(constraint, &version.normalized, &version.version).err()?;
    let place = chart.metadata.place("kubeVersion").or_else(|| place(chart))?;
    if !is_constraint(constraint) {
        let message = format!("`{constraint}` is not a range of versions, so Helm refuses every cluster");
        let finding = Diagnostic::new(&KUBE_VERSION, place, message).path("/kubeVersion");
        return Some(finding.help("write a range such as `>=1.25.0-0`").level(Level::Semantic));
    }
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
