//! Our own findings about values and schemas, at the places where they were typed.

use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_schema::{
    Formats, INVALID_SCHEMA, Instance, Store, Violation, WordingContext, check_schema, diagnose,
};
use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, MapEntry, Value};

use super::{FILE, Standing, injected};

/// Values that a chart's schema refuses for a reason of its own validator.
pub static VALUES_REFUSED: Code = Code {
    id: "TL0650",
    name: "values-refused",
    severity: Severity::Error,
    summary: "Values do not keep the chart's schema",
    explanation: "A chart may hold a values.schema.json, and Helm renders nothing if the values do not keep it: those of \
                  the chart's values.yaml with everything given by files and flags merged over them. The values of a \
                  subchart, below its name, are validated against the subchart's schema, and have to be a map.",
    wrong: "redis: enabled",
    right: "redis:\n  enabled: true",
};

/// What is wrong with a schema.
pub(super) fn of_schema(store: &Store, source: SourceId) -> Vec<Diagnostic> {
    check_schema(store, source, Some(FILE))
}

/// What is wrong with values, each at the place where it was typed; a value that nobody typed at the nearest one
/// around it that somebody did. `reasons` are Helm's, with JSON pointers to the values.
pub(super) fn of_values(
    store: &Store,
    source: SourceId,
    standing: &Standing<'_>,
    reasons: &[(String, String)],
) -> Vec<Diagnostic> {
    let Standing { values, .. } = *standing;
    let fallback = fallback(standing).unwrap_or_else(|| Span::whole(source).at_start());
    let mut findings = match store.text_of_file(source, FILE, Formats::ByDraft) {
        Ok(schema) => {
            let mut violations = schema.validate(&with_integers(values));
            violations.iter_mut().for_each(|violation| place(violation, values));
            let injected = injected::take(&mut violations, standing, source, store.sources());
            let context = WordingContext {
                sources: store.sources(),
                schema: &schema,
                instance: Instance::from(values),
                fallback,
            };
            let mut findings = diagnose(&violations, &context);
            findings.retain(|finding| finding.severity == Severity::Error);
            findings.extend(injected);
            findings
        }
        Err(error) => error.diagnostics().to_vec(),
    };
    if findings.is_empty() {
        // Formats are where the two validators may differ.
        findings.extend(reasons.iter().map(|(path, reason)| {
            let span = typed(path, values).unwrap_or(fallback);
            let message = format!("the value does not keep the chart's schema: {reason}");
            Diagnostic::new(&VALUES_REFUSED, span, message).path(path).level(Level::Schema)
        }));
    }
    if standing.above.is_some() {
        findings.iter_mut().for_each(|finding| in_subchart(finding, standing));
    }
    findings
}

/// Says whose schema speaks: the path inside a subchart's values is not the one that was typed.
fn in_subchart(finding: &mut Diagnostic, standing: &Standing<'_>) {
    let Some(path) = &finding.path else { return };
    finding.path = Some(format!("{}{path}", standing.pointer()));
    if finding.code == &injected::INJECTED_VALUE {
        return;
    }
    let line = format!(
        "the schema is that of the subchart `{}`, for the values below that name",
        standing.chart.name()
    );
    finding.help = Some(match finding.help.take() {
        Some(help) => format!("{help}\n{line}"),
        None => line,
    });
}

/// A schema that Helm's validator refuses.
pub(super) fn refused_schema(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::new(&INVALID_SCHEMA, span, format!("the schema breaks the rules of its draft: {reason}"))
        .level(Level::Schema)
}

/// The values of a subchart are no map.
pub(super) fn wrong_kind(name: &str, value: &Value, standing: &Standing<'_>) -> Vec<Diagnostic> {
    let Some(span) = value.origin.or_else(|| fallback(standing)) else { return Vec::new() };
    let message = format!("the values of the subchart `{name}` must be a map, not {}", value.type_name());
    vec![Diagnostic::new(&VALUES_REFUSED, span, message).level(Level::Schema)]
}

/// The place for what stands nowhere: the values as a whole, the chart's own file of them, or what a chart above has
/// of both.
fn fallback(standing: &Standing<'_>) -> Option<Span> {
    let file = standing.chart.values_file.as_ref().and_then(|file| file.source);
    let own = standing.values.origin.or_else(|| file.map(|source| Span::whole(source).at_start()));
    own.or_else(|| standing.above.and_then(fallback))
}

/// The same values with floats that have no fraction as integers. Values have gone through JSON, where `3` and `3.0` are
/// one number and become a float, and Helm's validator takes it for an integer in every draft. The one that findings come
/// from follows draft 4 to the letter: there a number is an integer only if it is written as one.
fn with_integers(value: &Value) -> Value {
    // 2⁶³: what is smaller fits 64 bits with a sign.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let data = match &value.data {
        Data::Float(number) if number.fract() == 0.0 && number.abs() < LIMIT => Data::Int(*number as i64),
        Data::List(items) => Data::List(Arc::new(items.iter().map(with_integers).collect())),
        Data::Map(map) => {
            let entries = map.iter().map(|(key, entry)| {
                let value = with_integers(&entry.value);
                (Arc::clone(key), MapEntry { key_origin: entry.key_origin, value })
            });
            Data::Map(Arc::new(entries.collect()))
        }
        other => other.clone(),
    };
    Value { data, origin: value.origin }
}

/// Where a value was typed, or the nearest one around it that was.
fn typed(path: &str, values: &Value) -> Option<Span> {
    let mut path = path;
    loop {
        let found = Instance::from(values).at_pointer(path).and_then(|(_, place)| place.value.or(place.key));
        if found.is_some() {
            return found;
        }
        path = path.rsplit_once('/')?.0;
    }
}

/// Gives a violation a place that somebody typed.
fn place(violation: &mut Violation, values: &Value) {
    if violation.instance.value.is_none() {
        violation.instance.value = typed(&violation.instance_path, values);
    }
    violation.causes.iter_mut().flatten().for_each(|cause| place(cause, values));
}
