//! `trueline crd check --conditions`: the condition that a server sets on a CRD whose schemas are not structural.

use std::path::PathBuf;

use trueline_kube::crd::Crd;
use trueline_report::Format;
use trueline_source::SourceMap;
use trueline_yaml::json::{self, Escaping, KeyOrder, Layout, WriteOptions};
use trueline_yaml::{Dialect, Value};

use super::reading::{readable, sentences};
use crate::command::{Ended, INVALID, VALID, say};
use crate::flags::ReportFlags;
use crate::terminal::complain;

/// Prints one object for each CRD, as `kubectl get crd -o yaml` would show its status. Fails if any has the condition.
pub(super) fn print(paths: &[PathBuf], flags: &ReportFlags) -> Ended {
    if !matches!(flags.format, Format::Human | Format::Json) {
        return Err("`--conditions` prints YAML, or JSON with `--format json`".to_owned());
    }
    let sources = SourceMap::new();
    let (mut objects, mut fails) = (Vec::new(), false);
    for path in paths {
        let read = readable(path, &sources)?;
        for sentence in sentences(&read.too_large, &sources) {
            complain(&format!("error: {sentence}"));
            fails = true;
        }
        for decoded in &read.found {
            let (object, has_condition) = status(&decoded.crd);
            fails |= has_condition;
            objects.push(object);
        }
    }
    let text = match flags.format {
        Format::Json => {
            let list: Value = [
                ("apiVersion", Value::from("v1")),
                ("kind", Value::from("List")),
                ("items", objects.into_iter().collect()),
            ]
            .into_iter()
            .collect();
            let options = WriteOptions {
                escaping: Escaping::Minimal,
                layout: Layout::Indented,
                order: KeyOrder::Given,
            };
            let text = json::write(&list, options).map_err(|error| error.to_string())?;
            format!("{text}\n")
        }
        _ => {
            let texts = objects.iter().map(|object| trueline_yaml::write(object, Dialect::Sigs));
            texts.collect::<Vec<_>>().join("---\n")
        }
    };
    say(&text)?;
    Ok(if fails { INVALID } else { VALID })
}

/// What the status of a CRD says of its schemas, and whether it says anything.
fn status(crd: &Crd) -> (Value, bool) {
    let condition = crd.non_structural_condition();
    let has_condition = condition.is_some();
    let conditions: Value = condition
        .iter()
        .map(|condition| -> Value {
            [
                ("message", &condition.message),
                ("reason", &condition.reason),
                ("status", &condition.status),
                ("type", &condition.type_name),
            ]
            .into_iter()
            .map(|(key, text)| (key, Value::from(&**text)))
            .collect()
        })
        .collect();
    let map = |key: &str, value: Value| -> Value { [(key, value)].into_iter().collect() };
    let object = [
        ("apiVersion", Value::from("apiextensions.k8s.io/v1")),
        ("kind", Value::from("CustomResourceDefinition")),
        ("metadata", map("name", Value::from(&*crd.metadata.name))),
        ("status", map("conditions", conditions)),
    ];
    (object.into_iter().collect(), has_condition)
}
