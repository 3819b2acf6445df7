//! Chart.yaml on its own, as it is written: what is wrong with it is for others to say.

use std::sync::Arc;

use trueline_source::{SourceMap, Span};
use trueline_yaml::yaml_to_json_strict;

use super::assemble::{CHART_YAML, decode};
use super::context::Context;
use super::decode::{Decoder, Unknown};
use super::metadata::Draft;
use super::raw::Raw;
use super::{Compat, File, LoadFailure, Maintainer, Metadata};
use crate::go_yaml;

/// What a Chart.yaml says.
#[derive(Debug)]
pub(crate) struct ChartFile {
    /// Its fields, neither cleaned nor completed.
    pub(crate) metadata: Metadata,
    /// Nothing stands for an entry that is empty.
    pub(crate) maintainers: Vec<Option<Maintainer>>,
    /// How many dependencies there are, empty ones included.
    pub(crate) dependencies: usize,
    /// The whole file.
    pub(crate) span: Option<Span>,
    /// What a reader that takes everything seriously says of it.
    pub(crate) strict: Result<(), String>,
}

/// Reads a Chart.yaml; `shown` is its name for a person.
pub(crate) fn read_chart_file(
    bytes: Vec<u8>,
    shown: String,
    sources: &SourceMap,
    compat: Compat,
) -> Result<ChartFile, LoadFailure> {
    let context = Context::new(sources, compat);
    let file = Raw::new(CHART_YAML.to_owned(), shown, bytes.as_slice().into()).into_source(sources);
    let mut draft = Draft::default();
    decode(&mut draft, &file, &context)?;
    let strict = strictly(&file, sources, context.package);
    Ok(ChartFile {
        maintainers: std::mem::take(&mut draft.maintainers),
        dependencies: draft.dependencies.len(),
        span: file.source.map(Span::whole),
        strict,
        metadata: draft.finish(),
    })
}

/// Reads the file once more, without forgiving equal keys and unknown fields.
fn strictly(file: &File, sources: &SourceMap, package: &'static str) -> Result<(), String> {
    let Some(source) = file.source else { return Ok(()) };
    let text = Arc::clone(sources.get(source).text());
    yaml_to_json_strict(&text).map_err(|wrong| format!("error converting YAML to JSON: {wrong}"))?;
    let document = go_yaml::first_written(source, &text, None).ok().flatten();
    let Some(document) = document.filter(|document| !document.root().is_null()) else { return Ok(()) };
    let decoder = Decoder::run_with(&mut Draft::default(), document.root(), package, Unknown::Refused);
    decoder.into_result().map_err(|(text, _)| text)
}
