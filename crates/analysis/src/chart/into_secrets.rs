//! Which values end up in the Secrets of a chart: where they were typed, and what they replace.

use trueline_helm::chart::Chart;
use trueline_helm::engine::{self, KubeVersion, Notes, Operation, Release, Texts};
use trueline_helm::{Origins, Seeded, dependencies, values};
use trueline_source::{SourceMap, Span};
use trueline_yaml::{Data, Value};

use super::settings::{COMPAT, ChartSettings};
use super::{capabilities, documents};
use crate::secret;

/// Where values were typed that the templates of a chart write into Secrets, with the values of a user: in files, flags and
/// templates. Nothing is known of templates that fail, nor of those that write nothing.
pub(crate) fn typed_into_secrets(
    chart: &Chart,
    texts: &Texts,
    user: &Value,
    sources: &SourceMap,
) -> Vec<Span> {
    let mut log = Vec::new();
    let Ok(chart) = dependencies::process(chart.clone(), user, COMPAT, &mut log) else { return Vec::new() };
    let Ok(values) = values::coalesce(&chart, user, COMPAT, &mut log) else { return Vec::new() };
    let usual = ChartSettings::default();
    let environment = Seeded::new(0);
    let options = engine::Options {
        compat: COMPAT,
        release: Release {
            name: usual.release_name,
            namespace: usual.namespace,
            operation: Operation::Install,
        },
        capabilities: capabilities::of_cluster(&KubeVersion::default(), Vec::new()),
        mode: engine::Mode::Render,
        origins: Origins::Kept,
        environment: &environment,
        limits: trueline_helm::Limits::default(),
    };
    let rendering = engine::render_all(&chart, &texts.read_for(&chart), &values, &options, Notes::None);
    let documents = documents::read(&rendering.output.files, (None, None), sources).documents;
    let mut known = secret::of_documents(&documents, sources);
    known.extend(replaced(&chart, user, &known));
    known
}

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
