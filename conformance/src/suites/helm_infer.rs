//! Schemas inferred from real charts: each accepts its chart's values, alone and with those of subcharts, and refuses
//! them after the type of any one leaf is changed.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trueline_helm::chart::{Chart, File};
use trueline_helm::schema::{self, SchemaAccess};
use trueline_helm::values_schema::{InferOptions, Inferred, UnknownKeys, infer};
use trueline_schema::{Access, Formats, Network, Schema, Store};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::real_charts;
use crate::Case;

/// In so many places the values of a chart are changed as a whole, besides all places by themselves.
const WHOLE: usize = 5;

static CHANGES: AtomicUsize = AtomicUsize::new(0);
static LEAVES: AtomicUsize = AtomicUsize::new(0);
static UNKNOWN: AtomicUsize = AtomicUsize::new(0);
static STATED: AtomicUsize = AtomicUsize::new(0);

/// One case for each chart.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let charts = real_charts::list(folder)?;
    Ok(charts.into_iter().map(|(id, path)| Case::new(id, move || check(&path))).collect())
}

/// What was changed in all.
pub(crate) fn summary() -> String {
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    format!(
        "{} leaves changed to {} other types; {} are null, of {} a comment or a subchart's schema states the type",
        count(&LEAVES),
        count(&CHANGES),
        count(&UNKNOWN),
        count(&STATED)
    )
}

fn check(path: &Path) -> Result<(), String> {
    let sources = Arc::new(SourceMap::new());
    let chart = real_charts::load(path, &sources)?;
    let access = SchemaAccess { sources, fetch: None, network: Network::Offline };
    let strict = InferOptions { unknown_keys: UnknownKeys::Refused, ..InferOptions::default() };
    accepts(&chart, &strict, &access)?;
    let text = accepts(&chart, &InferOptions::default(), &access)?;
    let source = access.sources.add("values.schema.json", SourceKind::File, text.as_str());
    let store = Store::new(Arc::clone(&access.sources), Access::default());
    let compiled = store.text(source, None, Formats::ByDraft).map_err(|error| error.to_string())?;
    let file = File {
        name: "values.schema.json".into(),
        data: text.as_bytes().into(),
        source: Some(source),
        modified: None,
    };
    let chart = Chart { schema: Some(file), ..chart };
    let mut leaves = Vec::new();
    collect(&chart.values, &mut Vec::new(), &mut leaves);
    changes_are_refused(&chart, &compiled, &leaves)?;
    let step = (leaves.len() / WHOLE).max(1);
    for path in leaves.iter().step_by(step) {
        let changed = replaced(&chart.values, path, &Value::new(Data::Map(Arc::new(odd()))));
        let is_map =
            matches!(at(&chart.values, path).map(|value| &value.data), Some(Data::Map(_) | Data::Null));
        if !is_map && !is_stated(&chart, path) && schema::validate_one(&chart, &changed, &access).is_ok() {
            return Err(format!("{}: accepted as a map", shown(path)));
        }
    }
    Ok(())
}

/// Makes a schema, which must have nothing against the chart's values.
fn accepts(chart: &Chart, options: &InferOptions, access: &SchemaAccess) -> Result<String, String> {
    let Inferred { text, warnings } = infer(chart, options, access).map_err(|findings| {
        findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("\n")
    })?;
    match warnings.first() {
        Some(warning) => {
            let position = access.sources.position(warning.primary.span);
            let name = access.sources.get(warning.primary.span.source).name().to_owned();
            Err(format!("refuses its own values: {} at {name}:{}", warning.message, position.line))
        }
        None => Ok(text),
    }
}

fn changes_are_refused(chart: &Chart, schema: &Schema, leaves: &[Vec<Step>]) -> Result<(), String> {
    for path in leaves {
        let Some(leaf) = at(&chart.values, path) else { continue };
        LEAVES.fetch_add(1, Ordering::Relaxed);
        if matches!(leaf.data, Data::Null) {
            UNKNOWN.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let mut types = Vec::new();
        types_at(&chart.values, path, &mut types);
        let others = [
            ("null", Data::Null),
            ("boolean", Data::Bool(true)),
            ("number", Data::Float(7.0)),
            ("string", Data::String("text".into())),
            ("array", Data::List(Arc::new(vec![Value::new(Data::Map(Arc::new(odd())))]))),
            ("object", Data::Map(Arc::new(odd()))),
        ];
        let mut accepted = Vec::new();
        for (name, other) in others {
            // What is null in one item of a list may be anything.
            if types.contains(&name) {
                continue;
            }
            CHANGES.fetch_add(1, Ordering::Relaxed);
            let changed = alone(path, &Value::new(other));
            if schema.is_valid(&changed) {
                accepted.push(name);
            }
        }
        if !accepted.is_empty() {
            if !is_stated(chart, path) {
                return Err(format!(
                    "{}: a {} became {}",
                    shown(path),
                    types.join(" or "),
                    accepted.join(" or ")
                ));
            }
            STATED.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Whether somebody may have said which types a value can have: in a comment, or in the schema of a subchart.
fn is_stated(chart: &Chart, path: &[Step]) -> bool {
    let text = chart.values_file.as_ref().map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let text = text.unwrap_or_default();
    let states = |line: &str| {
        let line = line.trim();
        line.contains("# @schema")
            || line.starts_with("# -- (")
            || line.contains("@param") && line.contains('[')
    };
    let subchart = match path.first() {
        Some(Step::Key(key)) => {
            let entries = chart.metadata.dependencies.iter();
            let name = entries.filter(|entry| **key == *entry.alias).map(|entry| entry.name.as_str()).next();
            Some(name.unwrap_or(key))
        }
        _ => None,
    };
    text.lines().any(states)
        || chart.dependencies.iter().any(|inner| Some(inner.name()) == subchart && inner.schema.is_some())
}

#[derive(Debug, Clone)]
enum Step {
    Key(Arc<str>),
    Item(usize),
}

fn shown(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => format!("/{key}"),
        Step::Item(index) => format!("/{index}"),
    };
    path.iter().map(step).collect()
}

/// The ways to all values that hold nothing.
fn collect(value: &Value, path: &mut Vec<Step>, leaves: &mut Vec<Vec<Step>>) {
    match &value.data {
        Data::Map(map) if !map.is_empty() => {
            for (key, entry) in map.iter() {
                path.push(Step::Key(Arc::clone(key)));
                collect(&entry.value, path, leaves);
                path.pop();
            }
        }
        Data::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Item(index));
                collect(item, path, leaves);
                path.pop();
            }
        }
        _ => leaves.push(path.clone()),
    }
}

fn at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match (&value.data, step) {
        (Data::Map(map), Step::Key(key)) => map.get(key).map(|entry| &entry.value),
        (Data::List(items), Step::Item(index)) => items.get(*index),
        _ => None,
    })
}

/// The types at a place, whichever item of a list is taken.
fn types_at(value: &Value, path: &[Step], types: &mut Vec<&'static str>) {
    match (&value.data, path) {
        (_, []) => types.push(value.type_name()),
        (Data::List(items), [Step::Item(_), rest @ ..]) => {
            items.iter().for_each(|item| types_at(item, rest, types));
        }
        (Data::Map(map), [Step::Key(key), rest @ ..]) => {
            if let Some(entry) = map.get(key) {
                types_at(&entry.value, rest, types);
            }
        }
        _ => {}
    }
}

fn odd() -> Map {
    let entry = MapEntry { key_origin: None, value: Value::new(Data::Bool(true)) };
    Map::from_iter([(Arc::from("odd"), entry)])
}

/// Values that hold nothing but the way to one value.
fn alone(path: &[Step], value: &Value) -> Value {
    match path {
        [] => value.clone(),
        [Step::Key(key), rest @ ..] => {
            let entry = MapEntry { key_origin: None, value: alone(rest, value) };
            Value::new(Data::Map(Arc::new(Map::from_iter([(Arc::clone(key), entry)]))))
        }
        [Step::Item(_), rest @ ..] => Value::new(Data::List(Arc::new(vec![alone(rest, value)]))),
    }
}

/// The same values with one of them replaced.
fn replaced(value: &Value, path: &[Step], other: &Value) -> Value {
    let data = match (&value.data, path) {
        (_, []) => return other.clone(),
        (Data::Map(map), [Step::Key(key), rest @ ..]) => {
            let mut map = Map::clone(map);
            if let Some(entry) = map.get_mut(key) {
                entry.value = replaced(&entry.value, rest, other);
            }
            Data::Map(Arc::new(map))
        }
        (Data::List(items), [Step::Item(index), rest @ ..]) => {
            let mut items = Vec::clone(items);
            if let Some(item) = items.get_mut(*index) {
                *item = replaced(item, rest, other);
            }
            Data::List(Arc::new(items))
        }
        (data, _) => data.clone(),
    };
    Value { data, origin: value.origin }
}
