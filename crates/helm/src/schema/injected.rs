//! Values that a chart gets without its own doing: `global`, which Helm gives to every subchart, what its parent's
//! conditions read, and the values of its own subcharts. A strict schema refuses them, and nobody wrote them where it
//! looks.

use trueline_diagnostic::{Code, Diagnostic, Edit, Level, Severity};
use trueline_schema::Violation;
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Data, Limits, MapEntry, Value, json};

use super::{FILE, Standing};
use crate::chart::{Chart, Dependency};

/// A schema refuses what Helm or a parent chart puts into the values.
pub static INJECTED_VALUE: Code = Code {
    id: "TL0651",
    name: "injected-value",
    severity: Severity::Error,
    summary: "A schema refuses a value that Helm or a parent chart puts there",
    explanation: "Helm puts a map `global` into the values of every subchart, also where nobody has set it. A parent \
                  chart adds what its conditions read, such as `redis.enabled` for `condition: redis.enabled`. The \
                  values of the subchart then hold a key that its own values.yaml does not, and a schema with \
                  `additionalProperties: false` refuses it. In the same way the values of a chart hold a map with the \
                  name of each of its subcharts, with the subchart's own values in it. The schema has to allow what \
                  Helm and every parent chart give.",
    wrong: "{\"properties\": {\"port\": {}}, \"additionalProperties\": false}",
    right: "{\"properties\": {\"port\": {}, \"global\": {}, \"enabled\": {}}, \"additionalProperties\": false}",
};

const GLOBAL: &str = "global";

/// Takes the names that were given to a chart out of what its schema refuses, and says where they are from.
pub(super) fn take(
    violations: &mut Vec<Violation>,
    standing: &Standing<'_>,
    schema: SourceId,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for violation in violations.iter_mut().filter(|violation| closes_root(violation)) {
        let rule = violation.schema_span.map(|span| first_line(span, sources));
        violation.names.retain(|name| {
            let from_above = standing.above.and_then(|above| match name.as_str() {
                GLOBAL => global(standing, above),
                name => condition(name, standing, above),
            });
            let Some(mut finding) = from_above.or_else(|| subchart(name, standing)) else { return true };
            if let Some(rule) = rule {
                finding = finding.related(rule, "the schema allows no other fields");
            }
            let is_map =
                name == GLOBAL || standing.chart.dependencies.iter().any(|chart| chart.name() == name);
            findings.push(with_fix(finding, name, is_map, schema, sources));
            false
        });
    }
    violations.retain(|violation| !closes_root(violation) || !violation.names.is_empty());
    findings
}

/// Whether a rule allows no further names at the top of the values.
fn closes_root(violation: &Violation) -> bool {
    violation.instance_path.is_empty()
        && matches!(violation.keyword.as_str(), "additionalProperties" | "unevaluatedProperties")
}

/// `global`: at the place where somebody set it, or where the subchart is listed.
fn global(standing: &Standing<'_>, above: &Standing<'_>) -> Option<Diagnostic> {
    let name = standing.chart.name();
    if own_key(standing.chart, GLOBAL) {
        return None;
    }
    let mut next = Some(above);
    while let Some(outer) = next {
        if let Some(place) = entry(outer.values, GLOBAL).and_then(|entry| entry.key_origin) {
            let who = outer.chart.name();
            let message = format!(
                "the schema of the subchart `{name}` does not allow `global`, which the chart `{who}` sets"
            );
            return Some(finding(place, message).label("Helm gives it to every subchart"));
        }
        next = outer.above;
    }
    let parent = above.chart.name();
    let message = format!(
        "the schema of the subchart `{name}` does not allow `global`, which Helm gives to every subchart of `{parent}`"
    );
    let place = listed(standing, above)
        .and_then(|dependency| dependency.place("name"))
        .or_else(|| beginning(above.chart))
        .or_else(|| beginning(standing.chart))?;
    Some(finding(place, message).label("a subchart, so that Helm adds `global` to its values"))
}

/// What a condition of the parent reads from the subchart's values.
fn condition(key: &str, standing: &Standing<'_>, above: &Standing<'_>) -> Option<Diagnostic> {
    let name = standing.chart.name();
    let dependency = listed(standing, above)?;
    let read = dependency.condition.split(',').any(|path| {
        let mut parts = path.trim().split('.');
        parts.next() == Some(name) && parts.next() == Some(key)
    });
    if !read || own_key(standing.chart, key) {
        return None;
    }
    let place = entry(standing.values, key)?.key_origin?;
    let parent = above.chart.name();
    let message = format!(
        "the schema of the subchart `{name}` does not allow `{key}`, which the chart `{parent}` reads as its condition"
    );
    let finding = finding(place, message).label(format!("this becomes a value of `{name}`"));
    Some(match dependency.place("condition") {
        Some(condition) => finding.related(condition, "read here"),
        None => finding,
    })
}

/// The values of a subchart, below its name, which nobody has written there.
fn subchart(key: &str, standing: &Standing<'_>) -> Option<Diagnostic> {
    let chart = standing.chart;
    chart.dependencies.iter().find(|subchart| subchart.name() == key)?;
    if entry(standing.values, key).is_some_and(|entry| entry.key_origin.is_some()) {
        return None;
    }
    let listed = chart.metadata.dependencies.iter().find(|dependency| goes_by(dependency, key));
    let place = listed.and_then(|dependency| dependency.place("name")).or_else(|| beginning(chart))?;
    let name = chart.name();
    let message = format!(
        "the schema of the chart `{name}` does not allow `{key}`, which holds the values of its subchart of that name"
    );
    Some(finding(place, message).label(format!("a subchart, so that Helm adds `{key}` to the values")))
}

fn finding(place: Span, message: String) -> Diagnostic {
    Diagnostic::new(&INJECTED_VALUE, place, message).path("").level(Level::Schema)
}

/// The entry of the parent's Chart.yaml that the subchart is there by.
fn listed<'a>(standing: &Standing<'_>, above: &'a Standing<'_>) -> Option<&'a Dependency> {
    let name = standing.chart.name();
    above.chart.metadata.dependencies.iter().find(|dependency| goes_by(dependency, name))
}

/// Whether an entry of Chart.yaml is for the subchart of this name.
fn goes_by(dependency: &Dependency, name: &str) -> bool {
    match dependency.alias.as_str() {
        "" => dependency.name == name,
        alias => alias == name,
    }
}

fn entry<'a>(values: &'a Value, key: &str) -> Option<&'a MapEntry> {
    match &values.data {
        Data::Map(map) => map.get(key),
        _ => None,
    }
}

/// Whether the subchart has the key in its own values.yaml, so that nobody else is to blame.
fn own_key(chart: &Chart, key: &str) -> bool {
    entry(&chart.values, key).is_some()
}

fn beginning(chart: &Chart) -> Option<Span> {
    chart.chart_file.as_ref().and_then(|file| file.source).map(|source| Span::whole(source).at_start())
}

fn first_line(span: Span, sources: &SourceMap) -> Span {
    let source = sources.get(span.source);
    let length = source.slice(span).find(['\n', '\r']);
    length.map_or(span, |length| Span::new(span.source, span.start as usize, span.start as usize + length))
}

/// Offers the property that the schema lacks.
fn with_fix(
    finding: Diagnostic,
    name: &str,
    is_map: bool,
    schema: SourceId,
    sources: &SourceMap,
) -> Diagnostic {
    let kind = if is_map { "object" } else { "boolean" };
    let property = format!("\"{name}\": {{\"type\": \"{kind}\"}}");
    let file = sources.get(schema);
    let finding = finding.help(format!("allow it: add `{property}` to the `properties` of {}", file.name()));
    let Ok(document) = json::read(schema, file.text(), Limits::default()) else { return finding };
    let root = document.root();
    let (place, text) = match root.get("properties") {
        Some(properties) => {
            let Some(entries) = properties.written_entries() else { return finding };
            let inside = file.slice(properties.span()).get(1..).unwrap_or_default();
            let comma = match entries.count() {
                0 => "",
                _ if inside.starts_with(char::is_whitespace) => ",",
                _ => ", ",
            };
            (properties.span(), format!("{property}{comma}"))
        }
        None => (root.span(), format!("\"properties\": {{{property}}}, ")),
    };
    let inside = (place.start as usize).saturating_add(1);
    let edit = Edit { span: schema.span(inside, inside), replacement: text };
    finding.fix(format!("allow `{name}` in {FILE}"), vec![edit])
}
