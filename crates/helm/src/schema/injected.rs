//! Values that a subchart gets without its own doing: `global`, which Helm gives to every subchart, and what its
//! parent's conditions read. A strict schema refuses them, and nobody wrote them where it looks.

use trueline_diagnostic::{Code, Diagnostic, Edit, Level, Severity};
use trueline_schema::Violation;
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::{Data, Limits, MapEntry, Value, json};

use super::{FILE, Standing};
use crate::chart::{Chart, Dependency};

/// A schema of a subchart refuses what its parent or Helm gives it.
pub static INJECTED_VALUE: Code = Code {
    id: "TL0651",
    name: "injected-value",
    severity: Severity::Error,
    summary: "A subchart's schema refuses a value that its parent chart gives it",
    explanation: "Helm puts a map `global` into the values of every subchart, also where nobody has set it. A parent \
                  chart adds what its conditions read, such as `redis.enabled` for `condition: redis.enabled`. The \
                  values of the subchart then hold a key that its own values.yaml does not, and a schema with \
                  `additionalProperties: false` refuses it. The schema has to allow what every parent chart gives.",
    wrong: "{\"properties\": {\"port\": {}}, \"additionalProperties\": false}",
    right: "{\"properties\": {\"port\": {}, \"global\": {}, \"enabled\": {}}, \"additionalProperties\": false}",
};

const GLOBAL: &str = "global";

/// Takes the names that were given to a subchart out of what its schema refuses, and says where they are from.
pub(super) fn take(
    violations: &mut Vec<Violation>,
    standing: &Standing<'_>,
    schema: SourceId,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let Some(above) = standing.above else { return Vec::new() };
    let mut findings = Vec::new();
    for violation in violations.iter_mut().filter(|violation| closes_root(violation)) {
        let rule = violation.schema_span.map(|span| first_line(span, sources));
        violation.names.retain(|name| {
            let finding = match name.as_str() {
                GLOBAL => global(standing, above),
                name => condition(name, standing, above),
            };
            let Some(mut finding) = finding else { return true };
            if let Some(rule) = rule {
                finding = finding.related(rule, "the schema allows no other fields");
            }
            findings.push(with_fix(finding, name, schema, sources));
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

fn finding(place: Span, message: String) -> Diagnostic {
    Diagnostic::new(&INJECTED_VALUE, place, message).path("").level(Level::Schema)
}

/// The entry of the parent's Chart.yaml that the subchart is there by.
fn listed<'a>(standing: &Standing<'_>, above: &'a Standing<'_>) -> Option<&'a Dependency> {
    let name = standing.chart.name();
    let goes_by = |dependency: &&Dependency| match dependency.alias.as_str() {
        "" => dependency.name == name,
        alias => alias == name,
    };
    above.chart.metadata.dependencies.iter().find(goes_by)
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
fn with_fix(finding: Diagnostic, name: &str, schema: SourceId, sources: &SourceMap) -> Diagnostic {
    let kind = if name == GLOBAL { "object" } else { "boolean" };
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
