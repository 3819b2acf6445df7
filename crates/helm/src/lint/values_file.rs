//! values.yaml: whether it can be read, and whether the chart's own schema allows it.

use std::sync::Arc;

use trueline_source::SourceKind;
use trueline_yaml::{Data, Value};

use super::{Linter, PathEntry, Schemas, Severity};
use crate::chart::{Chart, Compat, File, LoadFailure, Loaded, Metadata, read_values};
use crate::schema;
use crate::values::{Coalescer, Nulls, Source, Table};

const FILE: &str = "values.yaml";
const SCHEMA: &str = "values.schema.json";

pub(super) fn check(linter: &mut Linter<'_>, loaded: &Result<Loaded, LoadFailure>) {
    if linter.look(FILE) == PathEntry::Nothing {
        linter.say(Severity::Info, FILE, "file does not exist");
        return;
    }
    if let Err(wrong) = against_schema(linter, loaded.as_ref().ok().map(|loaded| &loaded.chart)) {
        linter.say(Severity::Error, FILE, wrong);
    }
}

fn against_schema(linter: &mut Linter<'_>, chart: Option<&Chart>) -> Result<(), String> {
    let schema = schema_of(linter, chart).filter(|schema| !schema.data.is_empty());
    // Values that the chart was loaded with can be read; what they say matters to a schema only.
    let is_readable = chart.is_some_and(|chart| chart.values_file.is_some());
    if is_readable && schema.is_none() {
        return Ok(());
    }
    let values = read(linter).map_err(|wrong| format!("unable to parse YAML: {wrong}"))?;
    let Some(schema) = schema else { return Ok(()) };
    let compat = linter.request.compat;
    let joined = Table::of(linter.request.user);
    if let Data::Map(map) = &values.data {
        let mut coalescer = Coalescer::new(compat, Nulls::Remove, &mut linter.report.log);
        coalescer.merge_tables(&joined, &Source::Frozen(Arc::clone(map)));
    }
    if compat == Compat::Helm4 && linter.request.schemas == Schemas::Skipped {
        return Ok(());
    }
    let owner = match chart {
        Some(chart) => Chart { schema: Some(schema), ..chart.clone() },
        None => only_schema(schema),
    };
    schema::validate_one(&owner, &joined.freeze(), linter.request.access)
        .map_err(|failure| failure.lines().to_owned())
}

/// The first document of values.yaml: more of them do not count here.
fn read(linter: &Linter<'_>) -> Result<Value, String> {
    let path = linter.inside(FILE);
    let bytes = linter.request.loader.read(&path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let source = linter.sources().add(linter.request.loader.display(&path), SourceKind::File, text);
    read_values(source, &bytes, linter.sources(), Compat::Helm3).map_err(|failure| {
        let name = match linter.request.compat {
            Compat::Helm4 => "common.Values",
            Compat::Helm3 => "chartutil.Values",
        };
        match failure.text().strip_suffix("map[string]interface {}") {
            Some(text) => format!("{text}{name}"),
            None => failure.to_string(),
        }
    })
}

/// The schema of the chart, even one that `.helmignore` hides.
fn schema_of(linter: &Linter<'_>, chart: Option<&Chart>) -> Option<File> {
    if let Some(schema) = chart.and_then(|chart| chart.schema.clone()) {
        return Some(schema);
    }
    let data = linter.request.loader.read(&linter.inside(SCHEMA)).ok()?;
    Some(File { name: SCHEMA.into(), data: data.into(), source: None, modified: None })
}

/// A chart of which nothing but its schema is known.
fn only_schema(schema: File) -> Chart {
    Chart {
        metadata: Metadata::default(),
        chart_file: None,
        lock: None,
        templates: Arc::default(),
        values: Value::new(Data::Map(Arc::default())),
        values_file: None,
        schema: Some(schema),
        files: Arc::default(),
        dependencies: Vec::new(),
        path: None,
        is_packed: false,
    }
}
