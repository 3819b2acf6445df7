//! What the templates of each chart are run with.

use std::sync::Arc;

use trueline_gotemplate::{Map, MapKind, Str, Value, Watch};

use super::{Operation, Options, Release, files, metadata};
use crate::chart::{Chart, Compat};

/// What the templates of a chart are run with.
pub(super) struct Dot {
    /// Shared by all templates of the chart: what one of them writes to it the next ones see.
    map: Map,
    base_path: Arc<str>,
}

impl Dot {
    /// Makes it the dot of one template.
    pub(super) fn of(&self, path: &Arc<str>, compat: Compat) -> Value {
        let template = Map::from_iter([
            ("Name", Value::from(Str::from(Arc::clone(path)))),
            ("BasePath", Value::from(Str::from(Arc::clone(&self.base_path)))),
        ]);
        self.map.set("Template", template.with_kind(values_kind(compat)).into());
        Value::from(self.map.with_kind(values_kind(compat)))
    }
}

/// The dots of a chart and of its subcharts, in the order of their numbers. `watch` tells of what is written to them, and
/// of what is read of the values.
pub(super) fn of(chart: &Chart, values: Value, options: &Options<'_>, watch: &Watch) -> Vec<Dot> {
    let release = release(&options.release);
    release.watch(watch);
    let mut dots = Dots {
        options,
        watch,
        release,
        capabilities: options.capabilities.value(options.compat),
        charts: Vec::new(),
    };
    let values = values.as_map().cloned().unwrap_or_else(|| Map::new(MapKind::Any));
    dots.chart(chart, metadata::Level::Root, &chart.metadata.name, values);
    dots.charts
}

struct Dots<'a> {
    options: &'a Options<'a>,
    watch: &'a Watch,
    release: Value,
    capabilities: Value,
    charts: Vec<Dot>,
}

impl Dots<'_> {
    /// Gives what a chart's templates are run with.
    fn chart(&mut self, chart: &Chart, level: metadata::Level, path: &str, values: Map) -> Map {
        let subcharts = Map::new(MapKind::Any);
        let metadata = metadata::value(&chart.metadata, level, self.options.compat);
        metadata.watch(self.watch);
        let map = Map::from_iter([
            ("Chart", metadata),
            ("Files", Value::object(files::Files::new(&chart.files))),
            ("Release", self.release.clone()),
            ("Capabilities", self.capabilities.clone()),
            ("Values", values.with_kind(values_kind(self.options.compat)).into()),
            ("Subcharts", subcharts.clone().into()),
        ]);
        for child in &chart.dependencies {
            let name = child.metadata.name.as_str();
            let values = table(&values, name).unwrap_or_else(|| Map::new(MapKind::Any));
            let child_map = self.chart(child, metadata::Level::Subchart, &child.path_below(path), values);
            subcharts.set(name, child_map.into());
        }
        for map in [&values, &subcharts, &map] {
            map.watch(self.watch);
        }
        let base_path = format!("{path}/templates").into();
        self.charts.push(Dot { map: map.clone(), base_path });
        map
    }
}

/// The map under a chart's name. Helm looks it up as a path, so a dot in a name leads further down.
fn table(values: &Map, name: &str) -> Option<Map> {
    let mut table = values.clone();
    for part in name.split('.') {
        table = table.get(part)?.as_map()?.clone();
    }
    Some(table)
}

/// The type that Helm gives to `.Values` and `.Template`, which `typeOf` and messages show.
fn values_kind(compat: Compat) -> MapKind {
    MapKind::Named(match compat {
        Compat::Helm4 => "common.Values",
        Compat::Helm3 => "chartutil.Values",
    })
}

fn release(release: &Release) -> Value {
    Map::from_iter([
        ("Name", Value::from(release.name.as_str())),
        ("Namespace", Value::from(release.namespace.as_str())),
        ("IsUpgrade", Value::from(release.operation == Operation::Upgrade)),
        ("IsInstall", Value::from(release.operation == Operation::Install)),
        ("Revision", Value::int(1)),
        ("Service", Value::from("Helm")),
    ])
    .into()
}
