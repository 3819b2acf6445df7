//! What go-yaml makes of a string, as `sigs.k8s.io/yaml` uses it: value, error text, strict error, the form
//! written back; and, for what it accepts, that every span reads again as its node.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{Dialect, ReadOptions, Value};

use crate::Case;

pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let path = folder.join("cases.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let case: Json =
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?;
        add(Arc::new(case), &mut cases);
    }
    Ok(cases)
}

fn add(case: Arc<Json>, cases: &mut Vec<Case>) {
    let name = text(&case, "name").to_owned();
    let of = |what: &str, run: fn(&Json) -> Result<(), String>| {
        let case = Arc::clone(&case);
        Case::new(format!("{name}:{what}"), move || run(&case))
    };
    cases.push(of("value", value));
    cases.push(of("strict", strict));
    if case.get("marshalled").is_some() {
        cases.push(of("written", written));
    }
    if case.get("json").is_some() {
        cases.push(of("spans", spans));
    }
}

fn value(case: &Json) -> Result<(), String> {
    let found = trueline_yaml::yaml_to_json(text(case, "yaml")).map_err(String::from);
    match case.get("error").and_then(Json::as_str) {
        Some(error) => same(&found, &Err(error.to_owned())),
        None => same_json(found, &case["json"]),
    }
}

fn strict(case: &Json) -> Result<(), String> {
    let found = trueline_yaml::yaml_to_json_strict(text(case, "yaml")).map_err(String::from);
    match case.get("strict_error").or(case.get("error")).and_then(Json::as_str) {
        Some(error) => same(&found, &Err(error.to_owned())),
        None => same_json(found, &case["json"]),
    }
}

fn written(case: &Json) -> Result<(), String> {
    let json = trueline_yaml::yaml_to_json(text(case, "yaml"))?;
    let value =
        Value::from_json_text(&json).map_err(|error| format!("our JSON cannot be read: {error:?}"))?;
    let found = trueline_yaml::marshal(&value.with_json_numbers(), Dialect::Sigs)
        .map_err(|error| error.to_string())?;
    same(&found, &text(case, "marshalled").to_owned())
}

fn spans(case: &Json) -> Result<(), String> {
    let sources = SourceMap::new();
    let id = sources.add("case", SourceKind::File, text(case, "yaml"));
    let stream = trueline_yaml::read(id, sources.get(id).text(), &ReadOptions::default());
    let wrong: Vec<String> =
        stream.documents.iter().flat_map(trueline_yaml::selfcheck::verify_spans).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn text<'a>(case: &'a Json, key: &str) -> &'a str {
    case.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn same_json(found: Result<String, String>, expected: &Json) -> Result<(), String> {
    let found = found.map_err(|error| format!("refused: {error}"))?;
    let parsed: Json = serde_json::from_str(&found).map_err(|error| format!("our JSON {found}: {error}"))?;
    if equal(&parsed, expected) { Ok(()) } else { Err(format!("{found} in place of {expected}")) }
}

/// Equal, with integers compared to the last digit and others by value: the corpus was written by another
/// JSON library, which spells floats in its own way.
fn equal(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => {
            left == right || (!(is_whole(left) && is_whole(right)) && left.as_f64() == right.as_f64())
        }
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| equal(value, other)))
        }
        (left, right) => left == right,
    }
}

fn is_whole(number: &serde_json::Number) -> bool {
    number.is_i64() || number.is_u64()
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found:?} in place of {expected:?}")) }
}
