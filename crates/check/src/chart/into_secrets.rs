//! Which values end up in the Secrets of a chart: where they were typed, and what they replace.

use trueline_helm::chart::Chart;
use trueline_source::Span;
use trueline_yaml::{Data, Value};

/// What the values of a chart had in the places where a user gives secrets: defaults of secrets are secrets, too.
pub(super) fn replaced(chart: &Chart, user: &Value, known: &[Span]) -> Vec<Span> {
    let mut found = Vec::new();
    if !known.is_empty() {
        Walk { known, found: &mut found }.step(user, &[&chart.values], &[chart]);
    }
    found
}

struct Walk<'a> {
    known: &'a [Span],
    found: &'a mut Vec<Span>,
}

impl Walk<'_> {
    /// Looks at a value of the user beside those that it replaces, and the charts whose values it is.
    fn step(&mut self, value: &Value, below: &[&Value], charts: &[&Chart]) {
        let Data::Map(map) = &value.data else {
            if self.is_secret(value) {
                self.found.extend(below.iter().filter_map(|value| value.origin));
            }
            return;
        };
        for (key, entry) in map.iter() {
            let subcharts = charts.iter().flat_map(|chart| &chart.dependencies);
            let subcharts: Vec<&Chart> = subcharts.filter(|chart| chart.name() == &**key).collect();
            let mut below: Vec<&Value> = below.iter().filter_map(|value| value.get(key)).collect();
            below.extend(subcharts.iter().map(|chart| &chart.values));
            if !below.is_empty() {
                self.step(&entry.value, &below, &subcharts);
            }
        }
    }

    fn is_secret(&self, value: &Value) -> bool {
        let is_known = |place: Span| {
            let mut known = self.known.iter();
            known.any(|span| span.source == place.source && span.start < place.end && place.start < span.end)
        };
        value.origin.is_some_and(is_known)
            || match &value.data {
                Data::List(items) => items.iter().any(|item| self.is_secret(item)),
                Data::Map(map) => map.values().any(|entry| self.is_secret(&entry.value)),
                _ => false,
            }
    }
}
