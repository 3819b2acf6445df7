//! Which of the final values belong to which chart.

use std::sync::{Arc, LazyLock};

use trueline_yaml::{Data, Map, Value};

use crate::chart::Chart;

/// A chart with its values.
#[derive(Debug, Clone)]
pub struct ChartValues<'a> {
    /// The chart.
    pub chart: &'a Chart,
    /// How many charts stand above it.
    pub depth: usize,
    /// What the names of its templates begin with, such as `root/charts/name`.
    pub path: String,
    /// What its templates see as `.Values`.
    pub values: &'a Value,
}

static NONE: LazyLock<Value> = LazyLock::new(|| Value::new(Data::Map(Arc::new(Map::default()))));

/// The charts of a tree with their values: each chart before its subcharts.
pub fn per_chart<'a>(chart: &'a Chart, values: &'a Value) -> Vec<ChartValues<'a>> {
    let mut found = Vec::new();
    let mut open = vec![ChartValues { chart, depth: 0, path: chart.name().to_owned(), values }];
    while let Some(next) = open.pop() {
        for chart in next.chart.dependencies.iter().rev() {
            let values = below(next.values, chart.name()).unwrap_or(&NONE);
            let path = match &chart.path {
                Some(path) => path.to_string(),
                None => format!("{}/charts/{}", next.path, chart.name()),
            };
            open.push(ChartValues { chart, depth: next.depth + 1, path, values });
        }
        found.push(next);
    }
    found
}

/// The table that a path of names leads to. A dot in the name of a chart separates names here, as it
/// does for Helm, which then finds nothing.
fn below<'a>(values: &'a Value, path: &str) -> Option<&'a Value> {
    let table = path.split('.').try_fold(values, |table, name| table.get(name))?;
    matches!(table.data, Data::Map(_)).then_some(table)
}
