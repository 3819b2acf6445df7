//! The keys that a chart has because of its subcharts: theirs, those that turn them on and off, and `global`.

use std::rc::Rc;

use trueline_schema::{Draft, Outline};
use trueline_yaml::{Data, Map, Value};

use super::notes::{Note, Notes};
use super::outline::loose;
use super::shape::{Reader, Shape};
use super::types::Types;
use crate::chart::{Chart, Compat, Dependency};
use crate::schema::SchemaAccess;
use crate::{dependencies, log, schema};

/// More charts than these are listed by name only. Aliases of charts with aliases multiply.
const MAX_CHARTS: usize = 1_000;

/// Whether subcharts are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Subcharts {
    /// The schema says what their values look like.
    #[default]
    Described,
    /// The schema says that they have values, and nothing more.
    Named,
}

/// Makes the shapes of charts.
pub(super) struct Charts<'a> {
    pub(super) access: &'a SchemaAccess,
    pub(super) draft: Draft,
    pub(super) subcharts: Subcharts,
    pub(super) seen: usize,
}

impl Charts<'_> {
    /// The shape of the values of a chart and of its subcharts.
    pub(super) fn shape(&mut self, chart: &Chart, notes: &Notes) -> Shape {
        let mut shape = Reader { sources: &self.access.sources, notes }.shape(&chart.values);
        let entries = &chart.metadata.dependencies;
        if entries.iter().any(|entry| !entry.import_values.is_empty()) {
            shape.cover(self.imported(chart.clone()));
            // A subchart that has to be turned on brings its imports along then; they are no defaults.
            if has_switches(chart) {
                let mut others = self.imported(always_on(chart));
                others.forget_values();
                shape.cover(others);
            }
        }
        let listed = entries.iter().map(|entry| {
            let key = if entry.alias.is_empty() { &entry.name } else { &entry.alias };
            (key.as_str(), chart.dependencies.iter().find(|subchart| subchart.metadata.name == entry.name))
        });
        let is_listed = |subchart: &&Chart| entries.iter().any(|entry| entry.name == subchart.metadata.name);
        let others = chart.dependencies.iter().filter(|subchart| !is_listed(subchart));
        for (key, subchart) in listed.chain(others.map(|subchart| (subchart.name(), Some(subchart)))) {
            self.subchart(&mut shape, key, subchart);
        }
        entries.iter().for_each(|entry| switches(&mut shape, entry));
        let global = shape.properties.entry("global");
        global.ensure(&[], Types::OBJECT);
        global.open = true;
        shape
    }

    fn subchart(&mut self, shape: &mut Shape, key: &str, subchart: Option<&Chart>) {
        let mut inner = Shape::of_types(Types::OBJECT);
        self.seen += 1;
        if let Some(subchart) = subchart.filter(|_| self.seen <= MAX_CHARTS) {
            if self.subcharts == Subcharts::Described {
                inner = self.inside(subchart);
                inner.forget_nulls();
            }
            let said = match subchart.metadata.description.as_str() {
                "" => format!("Values of the subchart {}", subchart.name()),
                text => format!("Values of the subchart {}: {text}", subchart.name()),
            };
            inner.note = Some(Rc::new(Note { description: Some(said), ..Note::default() }));
        }
        inner.open = true;
        let own = shape.properties.entry(key);
        own.cover(inner);
        // A chart with `key: null` still gives its subchart a map.
        own.types = own.types.with(Types::OBJECT);
        // What the parent sets below the name is shown there; the map as a whole has no default.
        own.value = None;
    }

    fn inside(&mut self, subchart: &Chart) -> Shape {
        let source = subchart.values_file.as_ref().and_then(|file| file.source);
        let notes =
            source.map(|source| Notes::read(source, &self.access.sources, &subchart.values, self.draft));
        let mut shape = self.shape(subchart, &notes.unwrap_or_default());
        if let Some(own) = own_schema(subchart, self.access) {
            shape.written = Some(Rc::new(loose(&own)));
        }
        shape
    }

    /// What the values of subcharts add to those of the chart.
    fn imported(&self, chart: Chart) -> Shape {
        let nothing = Value::new(Data::Map(std::sync::Arc::new(Map::default())));
        let mut log: Vec<log::LogLine> = Vec::new();
        match dependencies::process(chart, &nothing, Compat::Helm4, &mut log) {
            Ok(mut processed) => {
                // Among them are the subcharts' own, under their names.
                if self.subcharts == Subcharts::Named
                    && let Data::Map(values) = &mut processed.values.data
                {
                    let names: Vec<&str> = processed.dependencies.iter().map(Chart::name).collect();
                    std::sync::Arc::make_mut(values).retain(|key, _| !names.contains(&&**key));
                }
                let notes = Notes::default();
                Reader { sources: &self.access.sources, notes: &notes }.shape(&processed.values)
            }
            Err(_) => Shape::of_types(Types::OBJECT),
        }
    }
}

/// The schema that a chart has, if it can be used.
pub(super) fn own_schema(chart: &Chart, access: &SchemaAccess) -> Option<Outline> {
    schema::outline(chart, access)?.ok()
}

fn has_switches(chart: &Chart) -> bool {
    let mut entries = chart.metadata.dependencies.iter();
    entries.any(|entry| !entry.condition.is_empty() || !entry.tags.is_empty())
        || chart.dependencies.iter().any(has_switches)
}

/// The chart with all of its subcharts, whatever the values say.
fn always_on(chart: &Chart) -> Chart {
    let mut chart = chart.clone();
    chart.dependencies = chart.dependencies.iter().map(always_on).collect();
    for entry in &mut chart.metadata.dependencies {
        entry.condition.clear();
        entry.tags.clear();
    }
    chart
}

/// The keys that turn a subchart on and off.
fn switches(shape: &mut Shape, entry: &Dependency) {
    for path in entry.condition.split(',').filter(|path| !path.is_empty()) {
        let path: Vec<&str> = path.split('.').collect();
        shape.ensure(&path, Types::BOOLEAN);
    }
    for tag in &entry.tags {
        shape.ensure(&["tags", tag], Types::BOOLEAN);
    }
}
