//! A value that is a number or a boolean because it is not quoted, where a function of a template needs a string: the value
//! is what to change, not the template.

use trueline_diagnostic::{Diagnostic, Edit, Label};
use trueline_helm::ARGUMENT_TYPE;
use trueline_source::{Source, SourceKind, SourceMap, Span};
use trueline_yaml::{Data, Value};

/// The same finding at the value, if that alone is the cause.
pub(super) fn explain(finding: Diagnostic, sources: &SourceMap) -> Diagnostic {
    if finding.code != &ARGUMENT_TYPE || !finding.message.contains("needs a string") {
        return finding;
    }
    let [Label { span: value, .. }] = finding.related.as_slice() else { return finding };
    let value = *value;
    let source = sources.get(value.source);
    let typed = source.slice(value);
    let Some(what) = what_it_is(typed).filter(|_| matches!(source.kind(), SourceKind::File)) else {
        return finding;
    };
    let place = finding.primary.span;
    let label = format!("{} here", finding.message.split(", ").next().unwrap_or_default());
    let quoted = format!("\"{typed}\"");
    let message = match key_before(&source, value) {
        Some(key) => format!("`{key}: {typed}` is {what}, not a string"),
        None => format!("`{typed}` is {what}, not a string"),
    };
    Diagnostic {
        message,
        primary: Label::new(value, ""),
        related: vec![Label::new(place, label)],
        help: Some(format!("quote it: `{quoted}`")),
        ..finding
    }
    .fix("quote it", vec![Edit { span: value, replacement: quoted.clone() }])
}

/// What an unquoted text is, as far as that is not what was typed.
fn what_it_is(typed: &str) -> Option<String> {
    let value: Value = trueline_yaml::yaml_to_value(typed).ok()?;
    Some(match &value.data {
        Data::Bool(truth) if truth.to_string() == typed => "a boolean".to_owned(),
        Data::Bool(truth) => format!("the boolean {truth}"),
        Data::Int(number) if number.to_string() == typed => "a number".to_owned(),
        Data::Int(number) => format!("the number {number}"),
        Data::UInt(_) => "a number".to_owned(),
        Data::Float(number) if number.to_string() == typed => "a number".to_owned(),
        Data::Float(number) => format!("the number {number}"),
        _ => return None,
    })
}

/// The key that a value is written after, on its line.
fn key_before(source: &Source, value: Span) -> Option<String> {
    let line = source.text().get(..value.start as usize)?.rsplit('\n').next()?;
    let key = line.trim_end().strip_suffix(':')?;
    let key = key.rsplit([' ', '{', ',', '\t']).next()?.trim_matches(['"', '\'']);
    (!key.is_empty()).then(|| key.to_owned())
}
