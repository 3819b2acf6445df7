//! What the values that somebody gives do to templates that fail: a null takes a value away, and a plain value in the place
//! of a list cannot be gone through. The value is what to change, and not the template that worked before.

use trueline_diagnostic::{Diagnostic, Edit, Label, nearest};
use trueline_helm::chart::Chart;
use trueline_helm::{FIELD_OF_NOTHING, NOT_ITERABLE};
use trueline_source::{SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Data, Value};

use super::cause::given_places;
use super::nulls::null_at;

/// The same finding at the value that was given, if that is the cause.
pub(super) fn explain(finding: Diagnostic, chart: &Chart, user: &Value, sources: &SourceMap) -> Diagnostic {
    let place = finding.primary.span;
    let source = sources.get(place.source);
    let code = source.slice(place);
    let Some(below) = way_to(chart, place.source) else { return finding };
    let charts: Vec<&str> = below.iter().map(String::as_str).collect();
    if finding.code == &FIELD_OF_NOTHING {
        let names: Vec<&str> = match &finding.path {
            Some(path) => path.split('/').skip(1).collect(),
            None => return finding,
        };
        return match null_at(user, &charts, &names) {
            Some((null, name)) => Diagnostic {
                message: format!("`{name}` is set to null, so `{code}` cannot be read"),
                primary: Label::new(null, ""),
                related: vec![Label::new(place, "read here")],
                help: Some("remove it to keep what the chart sets".to_owned()),
                fix: None,
                ..finding
            },
            None => finding,
        };
    }
    if finding.code != &NOT_ITERABLE {
        return finding;
    }
    let [Label { span: given, .. }] = finding.related.as_slice() else { return finding };
    let given = *given;
    let typed = sources.get(given.source);
    let is_word = !typed.slice(given).contains(['\n', '[', '{']);
    if !is_word || !given_places(user).contains(&given) {
        return finding;
    }
    let name = code.trim_start_matches('$').trim_start_matches(".Values").trim_start_matches('.');
    let text = typed.slice(given).trim_matches(['"', '\'']);
    let is_changeable = matches!(typed.kind(), SourceKind::File);
    let found = Diagnostic {
        message: format!("`{name}` has to be a list, and is `{text}`"),
        primary: Label::new(given, ""),
        related: vec![Label::new(place, "`range` goes through it here")],
        help: Some("write a list".to_owned()),
        fix: None,
        ..finding
    };
    match is_changeable {
        true => {
            let replacement = format!("[{}]", typed.slice(given));
            found.fix("make it a list", vec![Edit { span: given, replacement }])
        }
        false => found,
    }
}

/// The same finding, with the value that a template most likely means, if it reads one that nothing sets under a name that
/// is nearly another.
pub(super) fn misspelt(
    finding: Diagnostic,
    chart: &Chart,
    values: &Value,
    sources: &SourceMap,
) -> Diagnostic {
    let Some(path) = finding.path.clone().filter(|_| finding.code == &FIELD_OF_NOTHING) else {
        return finding;
    };
    let place = finding.primary.span;
    let Some(below) = way_to(chart, place.source) else { return finding };
    let Some(mut value) = below.iter().try_fold(values, |value, name| value.get(name)) else {
        return finding;
    };
    let names: Vec<&str> = path.split('/').skip(1).collect();
    for (depth, name) in names.iter().enumerate() {
        let Data::Map(map) = &value.data else { return finding };
        if let Some(entry) = map.get(*name) {
            value = &entry.value;
            continue;
        }
        let Some(near) = nearest(name, map.keys().map(|key| &**key)) else { return finding };
        let before = names[..depth].iter().map(|name| format!("{name}.")).collect::<String>();
        let found = finding.clone().label("");
        let found = Diagnostic { help: Some(format!("did you mean `.Values.{before}{near}`?")), ..found };
        let typed = format!(".Values.{before}{name}");
        return match only_place(&typed, name, place, sources) {
            Some(span) => {
                let edit = Edit { span, replacement: near.to_owned() };
                found.fix(format!("write `{near}`"), vec![edit])
            }
            None => found,
        };
    }
    finding
}

/// Where the last name of a path is written in an expression, if the path is there once.
fn only_place(path: &str, name: &str, expression: Span, sources: &SourceMap) -> Option<Span> {
    let source = sources.get(expression.source);
    let mut found = source.slice(expression).match_indices(path);
    let (start, _) = found.next().filter(|_| matches!(source.kind(), SourceKind::File))?;
    let end = expression.start as usize + start + path.len();
    found.next().is_none().then(|| expression.source.span(end - name.len(), end))
}

/// The names of the subcharts on the way to the one that has a template, from the root chart on.
fn way_to(chart: &Chart, template: SourceId) -> Option<Vec<String>> {
    if chart.templates.iter().any(|file| file.source == Some(template)) {
        return Some(Vec::new());
    }
    chart.dependencies.iter().find_map(|subchart| {
        let mut way = way_to(subchart, template)?;
        way.insert(0, subchart.name().to_owned());
        Some(way)
    })
}
