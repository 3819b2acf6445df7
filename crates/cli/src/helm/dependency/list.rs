//! `helm dependency list`: what a chart depends on, and whether it is there.

use std::path::Path;

use trueline_helm::chart::{self, Chart, Dependency};
use trueline_helm::repository::{address, fits, is_strict_version};
use trueline_helm::{path_match, quote};
use trueline_source::SourceMap;
use trueline_yaml::Data;

use super::super::flag::Parsed;
use super::super::{Session, loading, table};
use super::say;
use crate::world::go_error;

pub(super) fn run(session: &mut Session<'_>, parsed: &Parsed, path: &str) -> Result<(), String> {
    if let Err(error) = session.world.stat(path) {
        return Err(format!("stat {path}: {}", go_error(&error)));
    }
    let chart = load(session, path)?;
    if !has_dependencies(&chart) {
        let line = format!("WARNING: no dependencies at {}", address::join(path, "charts"));
        return say(session, &line);
    }
    let widest = parsed.text("max-col-width").and_then(|width| width.parse().ok()).unwrap_or(80);
    let mut rows = vec![["NAME", "VERSION", "REPOSITORY", "STATUS"].map(str::to_owned).to_vec()];
    for dependency in &chart.metadata.dependencies {
        let status = status(session, path, dependency, &chart);
        let Dependency { name, version, repository, .. } = dependency;
        let repository = trueline_diagnostic::shown_address(repository);
        rows.push(vec![name.clone(), version.clone(), repository, status.to_owned()]);
    }
    say(session, &table::table(&rows, widest))?;
    say(session, "")?;
    for warning in strangers(session, path, &chart.metadata.dependencies) {
        say(session, &warning)?;
    }
    Ok(())
}

/// Loads a chart as Helm's commands about dependencies do: texts name the path as it was typed.
pub(super) fn load(session: &mut Session<'_>, path: &str) -> Result<Chart, String> {
    let real = session.world.path(path);
    loading::load_named(session, path, &real, path, &SourceMap::new(), &chart::load_plain)
}

/// Whether a chart has a list of dependencies, if only an empty one.
pub(super) fn has_dependencies(chart: &Chart) -> bool {
    let written = chart.metadata.written.as_ref().and_then(|written| written.get("dependencies"));
    !chart.metadata.dependencies.is_empty()
        || written.is_some_and(|written| matches!(written.data, Data::List(_)))
}

/// What is in `charts/` of a dependency.
fn status(session: &mut Session<'_>, path: &str, dependency: &Dependency, parent: &Chart) -> &'static str {
    let name = dependency.name.as_str();
    let folder = address::join(path, "charts");
    let pattern = format!("{name}-*.tgz");
    let mut archives = Vec::new();
    for file in names(session, &folder) {
        match path_match(&pattern, &file) {
            Ok(true) => archives.push(file),
            Ok(false) => {}
            Err(_) => return "bad pattern",
        }
    }
    let is_version = |file: &&String| {
        let stem = file.strip_suffix(".tgz").unwrap_or(file);
        let version = stem.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).unwrap_or(stem);
        is_strict_version(version)
    };
    let archive = match archives.as_slice() {
        [] => None,
        [only] => Some(only),
        several => {
            let mut versions = several.iter().filter(is_version);
            match (versions.next(), versions.next()) {
                (Some(_), Some(_)) => return "too many matches",
                (one, _) => one,
            }
        }
    };
    if let Some(archive) = archive {
        return match load(session, &address::join(&folder, archive)) {
            Err(_) => "corrupt",
            Ok(chart) if chart.name() != name => "misnamed",
            Ok(chart) => version_status(&chart.metadata.version, dependency, "ok"),
        };
    }
    match parent.dependencies.iter().rev().find(|chart| chart.name() == name) {
        None => "missing",
        Some(chart) => version_status(&chart.metadata.version, dependency, "unpacked"),
    }
}

fn version_status(version: &str, dependency: &Dependency, right: &'static str) -> &'static str {
    if version == dependency.version {
        return right;
    }
    match fits(version, &dependency.version) {
        Ok(true) => right,
        Ok(false) => "wrong version",
        Err(_) => "invalid version",
    }
}

/// What is in `charts/` though Chart.yaml does not name it.
fn strangers(session: &mut Session<'_>, path: &str, dependencies: &[Dependency]) -> Vec<String> {
    let folder = address::join(path, "charts");
    let mut warnings = Vec::new();
    for name in names(session, &folder) {
        let file = address::join(&folder, &name);
        let is_directory = session.world.is_directory(&file);
        if !is_directory && Path::new(&name).extension().is_none_or(|ending| ending != "tgz") {
            continue;
        }
        match load(session, &file) {
            Err(_) => warnings.push(format!("WARNING: {} is not a chart.", quote(&file))),
            Ok(chart) if !dependencies.iter().any(|entry| entry.name == chart.name()) => {
                warnings.push(format!("WARNING: {} is not in Chart.yaml.", quote(&file)));
            }
            Ok(_) => {}
        }
    }
    warnings
}

/// The names in a directory, in order; none where there is no directory.
pub(super) fn names(session: &Session<'_>, directory: &str) -> Vec<String> {
    let names = session.world.names(directory).into_iter();
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
