//! Schemas for values that are made from what a chart has: values.yaml with its comments, and its subcharts.

mod annotation;
mod comments;
mod notes;
mod outline;
mod prose;
mod render;
mod shape;
mod subcharts;
mod table;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use trueline_diagnostic::{Code, Diagnostic, Severity};
use trueline_schema::Draft;
use trueline_source::{SourceKind, Span};
use trueline_yaml::json::{Escaping, KeyOrder, Layout, WriteOptions, write};
use trueline_yaml::{Data, Value};

use crate::chart::{Chart, Compat, File};
use crate::schema::{FILE, SchemaAccess, validate_one};
use crate::{dependencies, values};

pub use annotation::SCHEMA_ANNOTATION;
pub use subcharts::Subcharts;
pub use table::{Order, table};

use notes::Notes;
use render::{Renderer, ShapeContext};
use subcharts::Charts;

/// Values of a chart that do not keep what its annotations say.
pub static OWN_VALUES_REFUSED: Code = Code {
    id: "TL0671",
    name: "own-values-refused",
    severity: Severity::Warning,
    summary: "A chart's own values do not keep its annotations",
    explanation: "The schema that was made from values.yaml and its annotations refuses the values of values.yaml. \
                  That can be meant: a value that everybody has to set is refused until somebody does. Where it is \
                  not, the annotation and the default contradict each other, and nobody can install the chart \
                  without giving the value.",
    wrong: "replicas: 0 # @schema minimum:1",
    right: "replicas: 1 # @schema minimum:1",
};

/// The codes of this module.
pub const VALUES_SCHEMA_CODES: &[&Code] = &[&SCHEMA_ANNOTATION, &OWN_VALUES_REFUSED];

/// What is done about keys that values.yaml does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownKeys {
    /// They are allowed.
    #[default]
    Allowed,
    /// They are refused, except in maps that are empty, in `global`, and in what belongs to subcharts.
    Refused,
}

/// The draft that a schema is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Draft 2020-12.
    #[default]
    Draft202012,
    /// Draft 7, which older editors understand.
    Draft7,
}

impl Dialect {
    fn draft(self) -> Draft {
        match self {
            Dialect::Draft202012 => Draft::Draft202012,
            Dialect::Draft7 => Draft::Draft7,
        }
    }

    fn address(self) -> &'static str {
        match self {
            Dialect::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
            Dialect::Draft7 => "http://json-schema.org/draft-07/schema#",
        }
    }
}

/// How a schema is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the fields say what their types say")]
pub struct InferOptions {
    pub dialect: Dialect,
    pub unknown_keys: UnknownKeys,
    pub subcharts: Subcharts,
}

/// A schema that was made.
#[derive(Debug, Clone)]
pub struct Inferred {
    /// Its text, with a line break at the end.
    pub text: String,
    /// What is worth looking at, though the schema can be used.
    pub warnings: Vec<Diagnostic>,
}

/// Makes a values.schema.json for a chart: types and defaults from values.yaml, descriptions and more from its
/// comments, and the keys of subcharts. The error is what is wrong with annotations.
pub fn infer(
    chart: &Chart,
    options: &InferOptions,
    access: &SchemaAccess,
) -> Result<Inferred, Vec<Diagnostic>> {
    let draft = options.dialect.draft();
    let notes = notes_of(chart, access, draft)?;
    let mut charts = Charts { access, draft, subcharts: options.subcharts, seen: 0 };
    let mut shape = charts.shape(chart, &notes);
    shape.value = None;
    let mut renderer =
        Renderer { draft, unknown_keys: options.unknown_keys, shared: Vec::new(), findings: Vec::new() };
    shape.note = (!notes.root.is_empty())
        .then(|| std::rc::Rc::new(notes::Note { annotation: notes.root.clone(), ..Default::default() }));
    let rules = renderer.schema(&shape, ShapeContext::Known);
    // Of large values each of these is many times as large, and no two need to be there at the same time.
    drop((shape, notes));
    if !renderer.findings.is_empty() {
        return Err(renderer.findings);
    }
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), Json::from(options.dialect.address()));
    if let Json::Object(rules) = rules {
        schema.extend(rules);
    }
    for (name, shared) in renderer.shared {
        schema.insert(name.to_owned(), Json::Object(shared));
    }
    let text = json_text(&Json::Object(schema));
    let warnings = own_values(chart, &text, access);
    Ok(Inferred { text, warnings })
}

/// The notes in the comments of a chart's values.yaml.
fn notes_of(chart: &Chart, access: &SchemaAccess, draft: Draft) -> Result<Notes, Vec<Diagnostic>> {
    let source = chart.values_file.as_ref().and_then(|file| file.source);
    let notes = source.map(|source| Notes::read(source, &access.sources, &chart.values, draft));
    let mut notes = notes.unwrap_or_default();
    match notes.findings.is_empty() {
        true => Ok(notes),
        false => Err(std::mem::take(&mut notes.findings)),
    }
}

/// A schema as text, in the order in which it was put together.
pub fn json_text(schema: &Json) -> String {
    let options =
        WriteOptions { escaping: Escaping::Minimal, layout: Layout::Indented, order: KeyOrder::Given };
    // Numbers that JSON does not have never get into JSON values.
    let mut text = write(&Value::from_serde(schema), options).unwrap_or_default();
    text.push('\n');
    text
}

/// What the schema has against the values that it was made from: alone, and with those of subcharts.
fn own_values(chart: &Chart, text: &str, access: &SchemaAccess) -> Vec<Diagnostic> {
    let source = access.sources.add(FILE, SourceKind::File, text);
    let file = File { name: FILE.into(), data: text.as_bytes().into(), source: Some(source), modified: None };
    let chart = Chart { schema: Some(file), ..chart.clone() };
    let mut findings = match validate_one(&chart, &chart.values, access) {
        Ok(()) => Vec::new(),
        Err(failure) => failure.diagnostics,
    };
    if findings.is_empty() {
        let nothing = Value::new(Data::Map(Arc::default()));
        let mut log = Vec::new();
        let joined = dependencies::process(chart.clone(), &nothing, Compat::Helm4, &mut log)
            .and_then(|chart| values::coalesce(&chart, &nothing, Compat::Helm4, &mut log));
        if let Ok(joined) = joined
            && let Err(failure) = validate_one(&chart, &joined, access)
        {
            findings = failure.diagnostics;
        }
    }
    let start =
        chart.values_file.as_ref().and_then(|file| file.source).map(|file| Span::whole(file).at_start());
    for finding in &mut findings {
        finding.severity = Severity::Warning;
        // The schema is not written yet.
        finding.related.retain(|label| label.span.source != source);
        if finding.primary.span.source != source {
            finding.code = &OWN_VALUES_REFUSED;
            finding.help =
                Some("change the value or its annotation, unless everybody has to set it".to_owned());
        } else if let Some(start) = start {
            // A place in a file that nobody has seen yet does not help.
            finding.primary.span = start;
        }
    }
    findings
}
