//! The charts of a tree, whether they are enabled or not, under the names that their values stand under, and what
//! Helm itself reads of the values.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::paths::{Mark, PathId, Paths, Step};
use super::schema_names::read_by_schema;
use crate::chart::{Chart, Dependency, File};
use crate::dependencies::Import;

/// More charts than this are not looked into.
const MOST_CHARTS: usize = 2_000;

/// A chart at its place in the tree.
#[derive(Debug)]
pub(super) struct Scope {
    /// The name of the chart, or its alias.
    pub(super) name: String,
    /// Where its values are.
    pub(super) path: PathId,
    /// Its subcharts by name.
    pub(super) subcharts: FxHashMap<Arc<str>, usize>,
    /// What `.Files` shows.
    pub(super) files: Arc<[File]>,
}

/// All charts of a tree.
#[derive(Default)]
pub(super) struct Scopes {
    pub(super) list: Vec<Scope>,
    /// By what the names of their templates begin with.
    pub(super) by_prefix: FxHashMap<String, usize>,
}

impl Scopes {
    /// Puts a place into the tree for the values of each chart.
    pub(super) fn new(chart: &Chart, paths: &mut Paths) -> Self {
        let mut scopes = Scopes::default();
        scopes.chart(chart, chart.name().to_owned(), Paths::ROOT, paths);
        scopes
    }

    fn chart(&mut self, chart: &Chart, prefix: String, path: PathId, paths: &mut Paths) -> usize {
        let scope = self.list.len();
        self.list.push(Scope {
            name: chart.name().to_owned(),
            path,
            subcharts: FxHashMap::default(),
            files: Arc::clone(&chart.files),
        });
        read_by_helm(chart, path, paths);
        read_by_schema(chart, path, paths);
        for subchart in &chart.dependencies {
            let name: Arc<str> = subchart.name().into();
            let Some(below) = paths.dotted(path, &name) else { continue };
            paths.set_chart(below);
            let id = self.chart(subchart, subchart.path_below(&prefix), below, paths);
            if let Some(above) = self.list.get_mut(scope) {
                above.subcharts.insert(name, id);
            }
        }
        self.by_prefix.insert(prefix, scope);
        scope
    }
}

/// The chart with all its subcharts under the names that their entries give them, as if no condition left one out.
/// Nothing if there are too many of them.
pub(super) fn everything_enabled(chart: &Chart) -> Option<Chart> {
    enabled(chart, &mut MOST_CHARTS.clone())
}

fn enabled(chart: &Chart, budget: &mut usize) -> Option<Chart> {
    *budget = budget.checked_sub(1)?;
    let mut asked_for = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut subcharts = Vec::new();
    for dependency in &chart.metadata.dependencies {
        let loaded = chart.dependencies.iter().find(|loaded| loaded.name() == dependency.name);
        let name = name_in_parent(dependency);
        let Some(loaded) = loaded.filter(|_| seen.insert(name)) else { continue };
        asked_for.insert(dependency.name.as_str());
        let mut subchart = enabled(loaded, budget)?;
        subchart.metadata.name = name.to_owned();
        subcharts.push(subchart);
    }
    for loaded in &chart.dependencies {
        if !asked_for.contains(loaded.name()) && seen.insert(loaded.name()) {
            subcharts.push(enabled(loaded, budget)?);
        }
    }
    Some(Chart { dependencies: subcharts, ..chart.clone() })
}

pub(super) fn name_in_parent(dependency: &Dependency) -> &str {
    if dependency.alias.is_empty() { &dependency.name } else { &dependency.alias }
}

/// What Helm reads to work out the dependencies of a chart.
fn read_by_helm(chart: &Chart, path: PathId, paths: &mut Paths) {
    let touch = |paths: &mut Paths, from: PathId, dotted: &str, mark: Mark| {
        if let Some(found) = paths.dotted(from, dotted) {
            paths.mark(found, mark);
            paths.set_tested(found);
        }
    };
    for dependency in &chart.metadata.dependencies {
        let name = name_in_parent(dependency);
        for condition in dependency.condition.trim().split(',').filter(|condition| !condition.is_empty()) {
            touch(paths, path, condition, Mark::Touched);
        }
        for tag in &dependency.tags {
            if let Some(tag) = paths
                .step(Paths::ROOT, Step::Key("tags".into()))
                .and_then(|tags| paths.step(tags, Step::Key(tag.as_str().into())))
            {
                paths.mark(tag, Mark::Touched);
            }
        }
        for import in dependency.import_values.iter().filter_map(Import::read) {
            touch(paths, path, &format!("{name}.{}", import.child), Mark::Whole);
            // What is read there may be what was imported.
            if import.parent != "."
                && let Some(found) = paths.dotted(path, &import.parent)
            {
                paths.set_tested(found);
            }
        }
        // A chart that is not there may read anything.
        if !chart.dependencies.iter().any(|loaded| loaded.name() == name) {
            touch(paths, path, name, Mark::Whole);
        }
    }
}
