//! The condition that a server sets on a CRD whose schemas are not structural.

use std::path::Path;

use trueline_kube::crd::Crd;
use trueline_yaml::json::{self, Escaping, KeyOrder, Layout, WriteOptions};
use trueline_yaml::{Dialect, Value};

use super::{CrdFailure, CrdFiles, Form, Problem};

/// The status of CRDs as far as it speaks of their schemas.
#[derive(Debug, Default)]
pub struct Conditions {
    objects: Vec<Value>,
    has_any: bool,
}

impl Conditions {
    /// Takes up the CRDs that a path names, and says which of them are longer than any request.
    pub fn read(&mut self, files: &CrdFiles, path: &Path) -> Result<Vec<Problem>, CrdFailure> {
        let read = files.readable(path)?;
        for decoded in &read.found {
            let (object, has_condition) = status(&decoded.crd);
            self.has_any |= has_condition;
            self.objects.push(object);
        }
        Ok(read.too_large.into_iter().map(Problem::from).collect())
    }

    /// Whether a server sets the condition on any of them.
    pub fn has_any(&self) -> bool {
        self.has_any
    }

    /// One object for each CRD, as `kubectl get crd -o yaml` or `-o json` would show its status.
    pub fn text(self, form: Form) -> Result<String, CrdFailure> {
        match form {
            Form::Json => {
                let list: Value = [
                    ("apiVersion", Value::from("v1")),
                    ("kind", Value::from("List")),
                    ("items", self.objects.into_iter().collect()),
                ]
                .into_iter()
                .collect();
                json_text(&list)
            }
            Form::Yaml => {
                let texts = self.objects.iter().map(|object| trueline_yaml::write(object, Dialect::Sigs));
                Ok(texts.collect::<Vec<_>>().join("---\n"))
            }
        }
    }
}

/// A value as JSON in several lines.
pub(super) fn json_text(value: &Value) -> Result<String, CrdFailure> {
    let options =
        WriteOptions { escaping: Escaping::Minimal, layout: Layout::Indented, order: KeyOrder::Given };
    let text = json::write(value, options).map_err(|error| CrdFailure::Number(error.to_string()))?;
    Ok(format!("{text}\n"))
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
