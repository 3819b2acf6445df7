//! YAML to JSON as `sigs.k8s.io/yaml` does it, its error texts included.

use std::sync::Arc;

use trueline_source::SourceId;

use crate::compose::{Refusal, compose};
use crate::{Document, ReadOptions, Value, decode};

/// What `YAMLToJSON` makes of the first document of a text, or its error text.
pub fn yaml_to_json(text: &str) -> Result<String, String> {
    convert(text, |_| Ok(()))
}

/// What `YAMLToJSONStrict` makes of it: equal keys are an error.
pub fn yaml_to_json_strict(text: &str) -> Result<String, String> {
    convert(text, |document| {
        let lines = decode::strict_errors(document);
        if lines.is_empty() {
            return Ok(());
        }
        Err(format!("yaml: unmarshal errors:\n  {}", lines.join("\n  ")))
    })
}

fn convert(text: &str, check: impl Fn(&Document) -> Result<(), String>) -> Result<String, String> {
    // Equal keys are noticed before what JSON has no place for.
    let options = ReadOptions::default();
    let stream = compose(SourceId::from_index(0), &Arc::from(text), &options, Refusal::Unreadable);
    match stream.first() {
        Err(error) => Err(error.go_text.clone()),
        Ok(None) => Ok("null".to_owned()),
        Ok(Some(document)) => {
            check(document)?;
            if let Some(error) = decode::conversion_errors(document).into_iter().next() {
                return Err(error.go_text);
            }
            Value::from_node(document.root()).to_json_text().map_err(|error| error.to_string())
        }
    }
}
