//! A value of a chart: who sets it, and which templates read it.

use trueline_helm::chart::{Chart, read_values};
use trueline_helm::usage::{Setting, Usage};
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Data, Document, Value};

use super::{Item, node};
use crate::chart::COMPAT;
use crate::parts::UnitParts;

/// The value at an offset of a file of values.
pub(super) fn at(
    document: &Document,
    source: SourceId,
    offset: u32,
    parts: &UnitParts,
    sources: &SourceMap,
) -> Option<(Span, Item)> {
    let (chart, texts) = parts.loaded()?;
    let (mut keys, given) = match way_to_values(chart, source) {
        Some(way) => (way, None),
        None if is_given(chart, source, sources) => {
            let text = sources.get(source);
            (Vec::new(), read_values(source, text.text().as_bytes(), sources, COMPAT).ok())
        }
        None => return None,
    };
    let found = node::at(document.root(), offset)?;
    keys.extend(found.keys);
    let user = given.clone().unwrap_or_else(|| Value::new(Data::Map(Default::default())));
    let (usage, _) = Usage::of_again(chart, texts, &user, COMPAT, (parts.usage(), None))?;
    let given: Vec<Value> = given.into_iter().collect();
    let story = usage.map(|usage| usage.story(&keys, &given));
    let (set, reads) = story.map(|story| (story.set, story.reads)).unwrap_or_default();
    let set = set.into_iter().filter_map(|Setting { span, .. }| span).collect();
    Some((found.span, Item::Value { keys, part: found.part, set, reads }))
}

/// The names of the subcharts on the way to the one whose values.yaml a source is.
fn way_to_values(chart: &Chart, source: SourceId) -> Option<Vec<String>> {
    if chart.values_file.as_ref().is_some_and(|file| file.source == Some(source)) {
        return Some(Vec::new());
    }
    chart.dependencies.iter().find_map(|subchart| {
        let mut way = way_to_values(subchart, source)?;
        way.insert(0, subchart.name().to_owned());
        Some(way)
    })
}

/// Whether a source is a file of values that the chart is checked with.
fn is_given(chart: &Chart, source: SourceId, sources: &SourceMap) -> bool {
    let name = sources.get(source).name().to_owned();
    let is_of_chart = chart.files.iter().chain(chart.templates.iter()).chain(&chart.chart_file);
    name.ends_with("-values.yaml") && !is_of_chart.into_iter().any(|file| file.source == Some(source))
}
