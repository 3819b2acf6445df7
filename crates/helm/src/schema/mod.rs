//! Values validated against the charts' values.schema.json, with Helm's verdicts and words, and beside them our own
//! findings at the places where the values were typed.
//!
//! A schema reads nothing outside its chart, and nothing is fetched unless the caller opens a door to the network.

mod array;
mod equality;
mod evaluate;
mod failure;
mod files;
mod findings;
mod format;
mod injected;
mod judge;
mod library;
mod metaschema;
mod number;
mod object;
mod plain;
mod syntax;
#[cfg(test)]
mod tests;
mod trouble;
mod words;

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic};
use trueline_schema::{Access, DEPENDENCIES_FILE, Network, Outline, SchemaError, Store, TOO_COSTLY, within};
use trueline_source::{Fetch, SourceId, SourceKind, SourceMap, Span};
use trueline_sprig::regexp::Regexp;
use trueline_yaml::{Data, Value};

use crate::chart::{Chart, File};
use crate::values::go_type;
use evaluate::{Evaluator, Formats};
use files::ChartFiles;
use library::{Called, Library};

pub use findings::VALUES_REFUSED;
pub use injected::INJECTED_VALUE;
pub use judge::{Cause, Judge, Objection, References, is_kubernetes_duration};
pub use syntax::stream_fault;
pub(crate) use trouble::broken_rules;

/// The codes of values that schemas refuse.
pub const CODES: &[&Code] = &[&VALUES_REFUSED, &INJECTED_VALUE];

/// The name of a chart's schema, and its path in the chart.
pub(crate) const FILE: &str = "values.schema.json";

/// The address by which Helm calls every chart's schema.
const ADDRESS: &str = "file:///values.schema.json";

/// What checking against schemas may use.
#[derive(Debug, Clone)]
pub struct SchemaAccess {
    /// The texts of the values; those of schemas are added.
    pub sources: Arc<SourceMap>,
    /// The door to the network; without it nothing is fetched.
    pub fetch: Option<Arc<dyn Fetch>>,
    /// Whether the network may be used.
    pub network: Network,
}

/// The charts whose schemas refuse their values, or cannot be used.
#[derive(Debug, Clone)]
pub struct SchemaFailure {
    text: String,
    /// What is wrong, at its places.
    pub diagnostics: Vec<Diagnostic>,
}

impl SchemaFailure {
    /// What is wrong, without the words about which charts it is wrong with.
    pub fn lines(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for SchemaFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "values don't meet the specifications of the schema(s) in the following chart(s):\n",
        )?;
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for SchemaFailure {}

/// Validates the final values against the schema of a chart, and the part of each subchart against its own.
pub fn validate(chart: &Chart, values: &Value, access: &SchemaAccess) -> Result<(), SchemaFailure> {
    validate_and_tell(chart, values, access).0
}

/// Validates as [`validate`] does, and tells what else there is to say: schemas that are fetched without encryption,
/// and what is wrong with a schema-dependencies.json that no schema uses.
pub fn validate_and_tell(
    chart: &Chart,
    values: &Value,
    access: &SchemaAccess,
) -> (Result<(), SchemaFailure>, Vec<Diagnostic>) {
    let failure = SchemaFailure { text: String::new(), diagnostics: Vec::new() };
    let mut run = Validation { access, store: None, failure, remarks: Vec::new() };
    run.check_tree(&Standing { chart, values, above: None });
    let Validation { failure, remarks, .. } = run;
    (if failure.text.is_empty() { Ok(()) } else { Err(failure) }, remarks)
}

/// The files and folders that a chart's schema-dependencies.json maps prefixes to, each with its place there.
pub fn mapped_files(chart: &Chart, sources: &Arc<SourceMap>) -> Vec<(String, Span)> {
    if !has_mapping(chart) {
        return Vec::new();
    }
    let store = Store::new(Arc::clone(sources), Access::default());
    store.for_package(Arc::new(ChartFiles::new(chart, sources)), None).mapped_files()
}

fn has_mapping(chart: &Chart) -> bool {
    chart.files.iter().any(|file| &*file.name == DEPENDENCIES_FILE)
}

/// Validates values against one chart's own schema, without its subcharts. The text is what Helm says below the name
/// of the chart.
pub fn validate_one(chart: &Chart, values: &Value, access: &SchemaAccess) -> Result<(), SchemaFailure> {
    match &chart.schema {
        Some(schema) => {
            let mut remarks = Vec::new();
            check(&Standing { chart, values, above: None }, schema, &store(access), &mut remarks)
        }
        None => Ok(()),
    }
}

/// Whether a chart or one of its subcharts has a schema.
pub fn has_schema(chart: &Chart) -> bool {
    chart.schema.is_some() || chart.dependencies.iter().any(has_schema)
}

/// A chart's own schema, read with everything that it refers to; nothing if it has none.
pub fn outline(chart: &Chart, access: &SchemaAccess) -> Option<Result<Outline, SchemaError>> {
    let schema = chart.schema.as_ref()?;
    let store = store(access);
    let store = store.for_package(Arc::new(ChartFiles::new(chart, store.sources())), None);
    Some(store.outline_of_file(source_of(schema, store.sources()), FILE))
}

fn store(access: &SchemaAccess) -> Store {
    let reach = Access { fetch: access.fetch.clone(), network: access.network, ..Access::default() };
    Store::new(Arc::clone(&access.sources), reach)
}

/// A chart with its values, and the chart that it is a part of.
struct Standing<'a> {
    chart: &'a Chart,
    values: &'a Value,
    above: Option<&'a Standing<'a>>,
}

impl Standing<'_> {
    /// The chart's values as a JSON pointer from those of the root chart.
    fn pointer(&self) -> String {
        let Some(above) = self.above else { return String::new() };
        let name = self.chart.name().replace('~', "~0").replace('/', "~1");
        format!("{}/{name}", above.pointer())
    }
}

/// A run over a chart and its subcharts.
struct Validation<'a> {
    access: &'a SchemaAccess,
    /// Made when it is first needed, and shared by all charts.
    store: Option<Store>,
    failure: SchemaFailure,
    remarks: Vec<Diagnostic>,
}

impl Validation<'_> {
    fn refuse(&mut self, name: &str, found: SchemaFailure) {
        self.failure.text.push_str(&format!("{name}:\n{}", found.text));
        self.failure.diagnostics.extend(found.diagnostics);
    }

    fn check_tree(&mut self, standing: &Standing<'_>) {
        let Standing { chart, values, .. } = *standing;
        if chart.schema.is_some() || has_mapping(chart) {
            let store = self.store.get_or_insert_with(|| store(self.access)).clone();
            match &chart.schema {
                Some(schema) => {
                    if let Err(found) = check(standing, schema, &store, &mut self.remarks) {
                        self.refuse(&chart.metadata.name, found);
                    }
                }
                None => {
                    let files = Arc::new(ChartFiles::new(chart, store.sources()));
                    let store = store.for_package(files, None);
                    self.remarks.extend_from_slice(store.dependency_findings());
                }
            }
        }
        for subchart in &chart.dependencies {
            let name = subchart.metadata.name.as_str();
            let Data::Map(map) = &values.data else { continue };
            let Some(entry) = map.get(name) else { continue };
            match &entry.value.data {
                Data::Null => {}
                Data::Map(_) => {
                    let below = Standing { chart: subchart, values: &entry.value, above: Some(standing) };
                    self.check_tree(&below);
                }
                other => {
                    let got = go_type(other);
                    let text = format!("invalid type for values: expected object (map), got {got}\n");
                    let diagnostics = findings::wrong_kind(name, &entry.value, standing);
                    self.refuse(name, SchemaFailure { text, diagnostics });
                }
            }
        }
    }
}

fn check(
    standing: &Standing<'_>,
    schema: &File,
    store: &Store,
    remarks: &mut Vec<Diagnostic>,
) -> Result<(), SchemaFailure> {
    let store = store.for_package(Arc::new(ChartFiles::new(standing.chart, store.sources())), None);
    let source = source_of(schema, store.sources());
    let outline = match store.outline_of_file(source, FILE) {
        Ok(outline) => outline,
        Err(error) => return Err(trouble::unusable(&store, source, &error)),
    };
    remarks.extend_from_slice(outline.warnings());
    if let Some(failure) = trouble::against_metaschema(&store, source, &outline) {
        return Err(failure);
    }
    let refused = within(|| told(&outline, standing.values)).map_err(|_| {
        // Another validator would take as long, and its limits are made for other schemas.
        let finding = Diagnostic::new(
            &TOO_COSTLY,
            Span::whole(source).at_start(),
            "validating the values against this schema takes too long",
        )
        .help("look for `allOf`, `anyOf` and `$ref` that lead to the same schema in more and more ways");
        SchemaFailure { text: "- at '': validation takes too long\n".to_owned(), diagnostics: vec![finding] }
    })?;
    match refused {
        Some((lines, reasons)) => Err(SchemaFailure {
            diagnostics: findings::of_values(&store, source, standing, &reasons),
            text: format!("{lines}\n"),
        }),
        None => Ok(()),
    }
}

/// What Helm says of values that a schema refuses, and the reasons without their layout.
fn told(outline: &Outline, values: &Value) -> Option<(String, Vec<(String, String)>)> {
    let library = Library::new(outline, outline.draft(), Called::AsOfChart)?;
    let evaluator = Evaluator::new(library, Formats::ByDraft);
    let failures = evaluator.failures(values);
    (!failures.is_empty()).then(|| (words::lines(&failures), words::leaves(&failures)))
}

/// The source of a schema; its text becomes one if it is none yet.
fn source_of(schema: &File, sources: &SourceMap) -> SourceId {
    schema.source.unwrap_or_else(|| {
        let text = String::from_utf8_lossy(&schema.data).into_owned();
        sources.add(&*schema.name, SourceKind::File, text)
    })
}

/// Makes a pattern ready; the reason why it is none is Go's.
fn compile(pattern: &str) -> Result<Rc<Regexp>, String> {
    Ok(Regexp::compile(pattern.as_bytes())?)
}
