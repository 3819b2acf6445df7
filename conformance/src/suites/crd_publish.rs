//! What the server publishes about CRDs: schemas in OpenAPI v2 and v3, lists and paths. Of large CRDs only the
//! sums of the schemas were recorded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use trueline_kube::crd as definition;
use trueline_kube::crd::Crd;
use trueline_kube::publish::{OpenApi, Unfolding, publish};
use trueline_yaml::json::{Escaping, WriteOptions, write, write_string};
use trueline_yaml::{Data, Value, number, yaml_to_value};

use super::crd::{lines, read};
use crate::Case;

pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for case in lines(&folder.join("crd_cases.jsonl"))? {
        let text: Arc<str> = case["crd"].as_str().unwrap_or_default().into();
        add(&case, "openapi", "written", Source::Text(text), &mut cases);
    }
    let mut files = BTreeMap::new();
    for case in lines(&folder.join("real_index.jsonl"))? {
        let path = folder.join(case["file"].as_str().unwrap_or_default());
        files.insert(case["id"].as_str().unwrap_or_default().to_owned(), path.clone());
        add(&case, "openapi_sha256", "sums", Source::File(path), &mut cases);
    }
    for case in lines(&folder.join("real_openapi.jsonl"))? {
        if let Some(path) = files.get(case["id"].as_str().unwrap_or_default()) {
            let expect = serde_json::json!({"id": case["id"], "expect": case});
            add(&expect, "openapi", "real", Source::File(path.clone()), &mut cases);
        }
    }
    Ok(cases)
}

#[derive(Clone)]
enum Source {
    Text(Arc<str>),
    File(PathBuf),
}

impl Source {
    fn crd(&self) -> Result<Crd, String> {
        let text = match self {
            Source::Text(text) => Arc::clone(text),
            Source::File(path) => read(path)?.into(),
        };
        let decoded = definition::decode(&yaml_to_value(&text)?).map_err(|error| error.text)?;
        Ok(decoded.crd)
    }
}

fn add(case: &Json, key: &str, group: &str, source: Source, cases: &mut Vec<Case>) {
    let Some(versions) = case["expect"][key].as_object() else { return };
    let id = case["id"].as_str().unwrap_or_default();
    let versions = versions.clone();
    cases.push(Case::new(format!("{group}/{id}"), move || {
        let crd = source.crd()?;
        let mut differences = Vec::new();
        for (name, expected) in &versions {
            version(&crd, name, expected, &mut differences)?;
        }
        if differences.is_empty() { Ok(()) } else { Err(differences.join("\n  ")) }
    }));
}

fn version(crd: &Crd, name: &str, expected: &Json, differences: &mut Vec<String>) -> Result<(), String> {
    let version = crd.version(name).ok_or_else(|| format!("there is no version {name}"))?;
    let v2 = publish(crd, version, OpenApi::V2, Unfolding::Server);
    let v3 = publish(crd, version, OpenApi::V3, Unfolding::Server);
    for (key, ours) in [("v2", &v2.object), ("v2_list", &v2.list), ("v3", &v3.object)] {
        match &expected[key] {
            Json::Null => {}
            Json::String(sum) if *sum == sum_of(ours) => {}
            Json::String(_) => differences.push(format!("{name} {key}: another sum")),
            recorded if Value::from_serde(recorded) == *ours => {}
            recorded => differences.push(format!(
                "{name} {key}: {}\n    expected {}",
                text(ours),
                text(&Value::from_serde(recorded))
            )),
        }
    }
    if let Some(paths) = expected["paths"].as_array() {
        let recorded: Vec<&str> = paths.iter().filter_map(Json::as_str).collect();
        if v2.paths != recorded {
            differences.push(format!("{name} paths: {:?}\n    expected {recorded:?}", v2.paths));
        }
    }
    Ok(())
}

fn text(value: &Value) -> String {
    let options = WriteOptions { escaping: Escaping::Minimal, ..WriteOptions::default() };
    write(value, options).unwrap_or_default()
}

fn sum_of(value: &Value) -> String {
    let mut text = String::new();
    write_recorded(value, &mut text);
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text that the sums were made of: small numbers have an exponent in it from another power of ten on than
/// they have in Go's JSON.
fn write_recorded(value: &Value, out: &mut String) {
    match &value.data {
        Data::Float(number) if number.abs() < 1e-4 && *number != 0.0 => {
            out.push_str(&number::general(*number))
        }
        Data::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_recorded(item, out);
            }
            out.push(']');
        }
        Data::Map(map) => {
            let sorted: BTreeMap<&str, &Value> =
                map.iter().map(|(key, entry)| (&**key, &entry.value)).collect();
            out.push('{');
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_string(out, key, Escaping::Minimal);
                out.push(':');
                write_recorded(value, out);
            }
            out.push('}');
        }
        _ => out.push_str(&text(value)),
    }
}
