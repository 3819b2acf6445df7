//! `trueline ytt schema import` on the schemas of charts: the ytt schema, exported again, has the verdict of the original on
//! the chart's values and on values with one leaf changed, or what it does not express is listed for the place.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};
use trueline_schema::{Access, Formats, Schema, Store};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{NodeRef, ReadOptions, ScalarValue};
use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::run::{Formats as Outputs, Inspect, Options, run};
use trueline_ytt::schema::{Unexpressed, import};
use trueline_ytt::tree::Format;
use trueline_ytt::values::{FlagInputs, FoundFile};

use crate::Case;

static COMPARED: AtomicUsize = AtomicUsize::new(0);
static LISTED: AtomicUsize = AtomicUsize::new(0);
static NOT_SCHEMAS: AtomicUsize = AtomicUsize::new(0);

/// Maps of ytt schemas are closed: keys that are not declared are removed before anything is compared.
const CLOSED: &str = "additionalProperties";

/// One case for each schema.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut paths = Vec::new();
    find(folder, &mut paths)?;
    paths.sort();
    let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    Ok(paths.into_iter().map(|path| Case::new(name(&path), move || check(&path))).collect())
}

/// What was compared in all.
pub(crate) fn summary() -> String {
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    format!(
        "{} verdicts compared, {} differ where it is listed; {} files are not schemas that can be used",
        count(&COMPARED),
        count(&LISTED),
        count(&NOT_SCHEMAS)
    )
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            find(&path, paths)?;
        } else if path.ends_with("values.schema.json") {
            paths.push(path);
        }
    }
    Ok(())
}

struct NoFlags;

impl FlagInputs for NoFlags {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, String> {
        Err(path.to_owned())
    }
}

fn compiled(text: &str) -> Result<Schema, String> {
    let sources = Arc::new(SourceMap::new());
    let source = sources.add("schema.json", SourceKind::File, text);
    let store = Store::new(sources, Access::default());
    store.text(source, None, Formats::Assert).map_err(|error| error.to_string())
}

fn accepts(schema: &Schema, values: &Json) -> bool {
    let sources = SourceMap::new();
    let text: Arc<str> = values.to_string().into();
    let source = sources.add("values.json", SourceKind::File, Arc::clone(&text));
    match trueline_yaml::json::read(source, &text, Default::default()) {
        Ok(document) => schema.is_valid(document.root()),
        Err(_) => false,
    }
}

fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let Ok(original) = compiled(&text) else {
        NOT_SCHEMAS.fetch_add(1, Ordering::Relaxed);
        return Ok(());
    };
    let sources = SourceMap::new();
    let shared: Arc<str> = text.as_str().into();
    let source = sources.add("values.schema.json", SourceKind::File, Arc::clone(&shared));
    let stream = trueline_yaml::read(source, &shared, &ReadOptions::default());
    let document = stream.documents.first().ok_or("no document")?;
    let imported = import(document.root())?;
    let exported = export(&imported.text)?;
    let again = compiled(&exported.to_string()).map_err(|error| format!("{error}\n{exported:#}"))?;
    let values = fs::read_to_string(path.with_file_name("values.yaml")).unwrap_or_default();
    let shared: Arc<str> = values.as_str().into();
    let source = sources.add("values.yaml", SourceKind::File, Arc::clone(&shared));
    let stream = trueline_yaml::read(source, &shared, &ReadOptions::default());
    let mut values = stream.documents.first().map_or(Json::Null, |document| to_json(document.root()));
    if !values.is_object() {
        values = json!({});
    }
    let is_closed = imported.unexpressed.iter().any(|lost| lost.keyword == CLOSED);
    if is_closed {
        prune(&mut values, &exported);
    }
    let whole = (accepts(&original, &values), accepts(&again, &values));
    let compare = |values: &Json, place: &str| {
        COMPARED.fetch_add(1, Ordering::Relaxed);
        let (before, after) = (accepts(&original, values), accepts(&again, values));
        if before == after {
            return Ok(());
        }
        // What the values have anyway is not about the changed leaf.
        let is_known = !place.is_empty() && whole == (before, after);
        let listed = without_listed(values, &imported.unexpressed, place);
        let is_known = is_known || accepts(&original, &listed) == accepts(&again, &listed);
        if is_known || imported.unexpressed.iter().any(|lost| is_about(lost, place)) {
            LISTED.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        Err(format!(
            "`{place}`: the original says {before}, the import {after}\n{values}\n{}\n{exported:#}",
            imported.text
        ))
    };
    compare(&values, "")?;
    let mut places = Vec::new();
    leaves(&values, &mut Vec::new(), &mut places);
    for place in places.iter().take(400) {
        let name = shown(place);
        for other in
            [json!(null), json!("changed"), json!(12345), json!(true), json!([]), json!(1.5), json!("")]
        {
            let mut changed = values.clone();
            if let Some(leaf) = changed.pointer_mut(&pointer(place)) {
                *leaf = other;
            }
            compare(&changed, &name)?;
        }
        let mut changed = values.clone();
        let (last, before) = place.split_last().ok_or("no place")?;
        if let Some(Json::Object(map)) = changed.pointer_mut(&pointer(before)) {
            map.remove(last);
            compare(&changed, &name)?;
        }
    }
    Ok(())
}

fn export(schema: &str) -> Result<Json, String> {
    let files = in_order(vec![vec![InputFile::new("schema.yml", schema.as_bytes().to_vec())]]);
    let formats = Outputs(vec!["json-schema".to_owned(), "json".to_owned()]);
    let options = Options { inspect: Inspect::Schema, formats, ..Options::default() };
    let ended = run(files, &options, &NoFlags);
    let printed = ended.result.and_then(|produced| produced.print(Format::Json));
    let text = printed.map_err(|error| format!("the import cannot be used: {error}\n{schema}"))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// Whether something that is not expressed is about a value, or what is around or in it.
fn is_about(lost: &Unexpressed, place: &str) -> bool {
    if lost.keyword == CLOSED && lost.effect.contains("no other keys") {
        return false;
    }
    let is_inside = |outer: &str, inner: &str| {
        outer.is_empty()
            || inner == outer
            || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    is_inside(&lost.path, place) || is_inside(place, &lost.path)
}

/// The values without those that something is listed for, besides the one that was changed.
fn without_listed(values: &Json, unexpressed: &[Unexpressed], changed: &str) -> Json {
    let mut values = values.clone();
    for lost in unexpressed.iter().filter(|lost| !lost.path.is_empty() && !is_about(lost, changed)) {
        let path = lost.path.split("[]").next().unwrap_or_default();
        let (before, last) = path.rsplit_once('.').unwrap_or(("", path));
        let place: Vec<String> = before.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect();
        if let Some(Json::Object(map)) = values.pointer_mut(&pointer(&place)) {
            map.remove(last);
        }
    }
    values
}

fn prune(value: &mut Json, schema: &Json) {
    match value {
        Json::Object(map) => {
            if let Some(properties) = schema["properties"].as_object() {
                map.retain(|key, _| properties.contains_key(key));
                map.iter_mut().for_each(|(key, value)| prune(value, &properties[key]));
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| prune(item, &schema["items"])),
        _ => {}
    }
}

fn leaves(value: &Json, at: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    let inside: Vec<(String, &Json)> = match value {
        Json::Object(map) if !map.is_empty() => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Json::Array(items) if !items.is_empty() => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        _ if at.is_empty() => return,
        _ => {
            places.push(at.clone());
            return;
        }
    };
    for (key, value) in inside {
        at.push(key);
        leaves(value, at, places);
        at.pop();
    }
}

fn pointer(place: &[String]) -> String {
    place.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

fn shown(place: &[String]) -> String {
    let mut text = String::new();
    for key in place {
        if key.parse::<usize>().is_ok() && !text.is_empty() {
            text.push_str("[]");
        } else if text.is_empty() {
            text.push_str(key);
        } else {
            text = format!("{text}.{key}");
        }
    }
    text
}

fn to_json(node: NodeRef<'_>) -> Json {
    let node = node.alias_target().unwrap_or(node);
    if let Some(items) = node.items() {
        return items.map(to_json).collect();
    }
    if let Some(entries) = node.entries() {
        return Json::Object(
            entries.map(|(key, value)| (key.key_text().into_owned(), to_json(value))).collect(),
        );
    }
    match node.scalar() {
        Some(ScalarValue::Bool(value)) => json!(value),
        Some(ScalarValue::Int(value)) => json!(value),
        Some(ScalarValue::UInt(value)) => json!(value),
        Some(ScalarValue::Float(value)) => json!(value),
        Some(ScalarValue::String) => json!(node.as_str().unwrap_or_default()),
        Some(ScalarValue::Null) | None => Json::Null,
    }
}
