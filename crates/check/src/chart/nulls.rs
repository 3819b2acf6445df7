//! Why a value is not set: somebody set it to null, which takes away what the chart says.

use trueline_diagnostic::Diagnostic;
use trueline_helm::FIELD_OF_NOTHING;
use trueline_helm::chart::Chart;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Value};

/// Adds the null that took a value away to a finding that misses the value.
pub(super) fn explain(finding: Diagnostic, chart: &Chart, user: &Value) -> Diagnostic {
    if finding.code != &FIELD_OF_NOTHING {
        return finding;
    }
    let Some(pointer) = finding.path.clone() else { return finding };
    let names: Vec<String> =
        pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    let source = finding.primary.span.source;
    let mut search = Search { names: &names, source, user, found: Vec::new() };
    search.look(&mut vec![chart]);
    search.found.into_iter().fold(finding, |finding, place| finding.related(place, "this null takes it away"))
}

struct Search<'a> {
    names: &'a [String],
    source: SourceId,
    user: &'a Value,
    found: Vec<Span>,
}

impl<'a> Search<'a> {
    /// Looks at the values of every chart that has the template, from the root chart on: `way` leads there.
    fn look(&mut self, way: &mut Vec<&'a Chart>) {
        let Some(chart) = way.last().copied() else { return };
        if chart.templates.iter().any(|file| file.source == Some(self.source)) {
            let below_root: Vec<&str> = way.iter().skip(1).map(|chart| chart.name()).collect();
            let mut places = vec![null_at(self.user, &below_root, self.names)];
            for (depth, outer) in way.iter().enumerate() {
                places.push(null_at(&outer.values, below_root.get(depth..).unwrap_or_default(), self.names));
            }
            for place in places.into_iter().flatten() {
                if !self.found.contains(&place) {
                    self.found.push(place);
                }
            }
        }
        for subchart in &chart.dependencies {
            way.push(subchart);
            self.look(way);
            way.pop();
        }
    }
}

/// The null on the way to a value, if there is one.
fn null_at(values: &Value, charts: &[&str], names: &[String]) -> Option<Span> {
    let mut value = values;
    for name in charts {
        value = value.get(name)?;
    }
    for name in names {
        value = value.get(name)?;
        if matches!(value.data, Data::Null) {
            return value.origin;
        }
    }
    None
}
