//! Why a value is not set: somebody set it to null, which removes what the chart says.

use trueline_diagnostic::Diagnostic;
use trueline_helm::chart::Chart;
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Data, Value};

/// Adds the nulls that removed values to a finding of a template: those of the values that the actions on the way to it
/// read.
pub(super) fn explain(
    mut finding: Diagnostic,
    chart: &Chart,
    user: &Value,
    sources: &SourceMap,
) -> Diagnostic {
    let mut search = Search { user, found: Vec::new() };
    let frames = finding.trace.iter().map(|frame| frame.span);
    for span in [finding.primary.span].into_iter().chain(frames) {
        let source = sources.get(span.source);
        for names in value_paths(source.slice(span)) {
            search.look(span.source, &names, &mut vec![chart]);
        }
    }
    for (place, name) in search.found {
        if finding.primary.span != place && finding.related.iter().all(|label| label.span != place) {
            finding = finding.related(place, format!("`{name}` is set to null here"));
        }
    }
    finding
}

/// The values that an action reads, as names one below the other.
fn value_paths(action: &str) -> Vec<Vec<&str>> {
    const VALUES: &str = ".Values.";
    let is_name = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
    let found = action.match_indices(VALUES).filter_map(|(start, _)| {
        let path = action.get(start + VALUES.len()..)?;
        let end = path.find(|character| !is_name(character)).unwrap_or(path.len());
        let path = path.get(..end)?.trim_end_matches('.');
        (!path.is_empty()).then(|| path.split('.').collect())
    });
    found.collect()
}

struct Search<'a> {
    user: &'a Value,
    /// Where a null was typed, and the value that it removes.
    found: Vec<(Span, String)>,
}

impl<'a> Search<'a> {
    /// Looks at the values of every chart that has the template, from the root chart on: `way` leads there.
    fn look(&mut self, template: SourceId, names: &[&str], way: &mut Vec<&'a Chart>) {
        let Some(chart) = way.last().copied() else { return };
        if chart.templates.iter().any(|file| file.source == Some(template)) {
            let below_root: Vec<&str> = way.iter().skip(1).map(|chart| chart.name()).collect();
            self.found.extend(null_at(self.user, &below_root, names));
            for (depth, outer) in way.iter().enumerate() {
                let below = below_root.get(depth..).unwrap_or_default();
                self.found.extend(null_at(&outer.values, below, names));
            }
        }
        for subchart in &chart.dependencies {
            way.push(subchart);
            self.look(template, names, way);
            way.pop();
        }
    }
}

/// The null on the way to a value, if there is one.
pub(super) fn null_at(values: &Value, charts: &[&str], names: &[&str]) -> Option<(Span, String)> {
    let mut value = values;
    for name in charts {
        value = value.get(name)?;
    }
    for (depth, name) in names.iter().enumerate() {
        value = value.get(name)?;
        if matches!(value.data, Data::Null) {
            return value.origin.map(|place| (place, names[..=depth].join(".")));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_actions() {
        let action = "include \"x\" (dict \"a\" .Values.image \"b\" $.Values.a_b.c2) .Values. .Values.x.y.";
        assert_eq!(value_paths(action), [vec!["image"], vec!["a_b", "c2"], vec!["x", "y"]]);
        assert!(value_paths(".Chart.Name").is_empty());
    }
}
