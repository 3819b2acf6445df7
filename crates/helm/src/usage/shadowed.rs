//! Values that replace others of another kind: a map by a plain value, or a plain value by a map.

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::codes::SHADOWED_VALUE;
use super::paths::View;
use super::{Usage, words};
use crate::chart::Chart;

/// Values are looked at up to this depth.
const DEPTH: usize = 64;

impl Usage {
    /// Values of files and flags, and of charts above others, that are of another kind than the default they replace.
    pub fn shadowed(&self, user: &Value) -> Vec<Diagnostic> {
        let mut search = Search { findings: Vec::new(), seen: FxHashSet::default() };
        search.chart(&self.chart, &[user], &self.paths.at_root(), &mut Vec::new());
        search.findings
    }
}

struct Search {
    findings: Vec<Diagnostic>,
    seen: FxHashSet<Span>,
}

impl Search {
    /// Compares what is above the values of a chart with them, then the same for its subcharts.
    fn chart(&mut self, chart: &Chart, above: &[&Value], view: &View<'_>, keys: &mut Vec<String>) {
        for upper in above {
            self.values(upper, &chart.values, view, keys);
        }
        for subchart in &chart.dependencies {
            let name = subchart.name();
            let above: Vec<&Value> =
                above.iter().copied().chain([&chart.values]).filter_map(|values| values.get(name)).collect();
            keys.push(name.to_owned());
            self.chart(subchart, &above, &view.key(name), keys);
            keys.pop();
        }
    }

    fn values(&mut self, upper: &Value, lower: &Value, view: &View<'_>, keys: &mut Vec<String>) {
        let (Data::Map(upper), Data::Map(lower)) = (&upper.data, &lower.data) else { return };
        if keys.len() > DEPTH {
            return;
        }
        for (key, entry) in upper.iter() {
            let Some(default) = lower.get(key) else { continue };
            let below = view.key(key);
            keys.push(key.to_string());
            if is_other_kind(&entry.value, &default.value) && !below.is_type_tested() {
                let place = entry.value.origin.or(entry.key_origin);
                self.report(&entry.value, place, &default.value, keys);
            }
            self.values(&entry.value, &default.value, &below, keys);
            keys.pop();
        }
    }

    fn report(&mut self, given: &Value, place: Option<Span>, default: &Value, keys: &[String]) {
        let Some(span) = place.filter(|span| self.seen.insert(*span)) else { return };
        let name = words::dotted(keys);
        let (is, was) = (kind(given), kind(default));
        let message = format!("`{name}` is {is} here, and {was} in the chart");
        let help = match &default.data {
            Data::Map(map) => {
                let names: Vec<String> =
                    map.keys().take(3).map(|key| words::dotted_below(keys, key)).collect();
                format!("set what is below it, such as {}", words::list(&names))
            }
            _ => format!("give {was}, as the chart's values.yaml does"),
        };
        let mut finding = Diagnostic::new(&SHADOWED_VALUE, span, message).help(help);
        if let Some(origin) = default.origin {
            finding = finding.related(origin, format!("{was} by default"));
        }
        self.findings.push(finding.path(words::pointer(keys)).level(Level::Semantic));
    }
}

/// Whether one is a map with entries and the other is a plain value or a list. What is empty stands for any kind.
fn is_other_kind(given: &Value, default: &Value) -> bool {
    match (&given.data, &default.data) {
        (Data::Null, _) | (_, Data::Null) => false,
        (Data::Map(_), Data::Map(_)) => false,
        (_, Data::Map(map)) | (Data::Map(map), _) if map.is_empty() => false,
        (Data::Map(_), Data::String(text)) => !text.is_empty(),
        (Data::Map(_), Data::List(items)) => !items.is_empty(),
        (Data::Map(_), _) | (_, Data::Map(_)) => true,
        _ => false,
    }
}

fn kind(value: &Value) -> &'static str {
    match &value.data {
        Data::Null => "nothing",
        Data::Bool(_) => "a truth value",
        Data::Int(_) | Data::UInt(_) | Data::Float(_) => "a number",
        Data::String(_) => "a string",
        Data::List(_) => "a list",
        Data::Map(_) => "a map",
    }
}
