//! Converts YAML to JSON as `sigs.k8s.io/yaml` does, including its error messages.

use std::sync::Arc;

use trueline_source::SourceId;

use crate::compose::{Refusal, compose};
use crate::json::{UnsupportedNumber, sorted};
use crate::{Data, Document, ReadOptions, Value, decode};

/// The value that `YAMLToJSON` writes, or its error message. The origins of the nodes are their places in the
/// text, whatever source they name.
pub fn yaml_to_value(text: &str) -> Result<Value, String> {
    let value = convert(text, |_| Ok(()))?;
    match first_unsupported(&value) {
        Some(number) => Err(number.to_string()),
        None => Ok(value),
    }
}

/// The result of `YAMLToJSON` for the first document of the text, or its error message.
pub fn yaml_to_json(text: &str) -> Result<String, String> {
    to_text(convert(text, |_| Ok(()))?)
}

/// The result of `YAMLToJSONStrict`: duplicate keys are an error.
pub fn yaml_to_json_strict(text: &str) -> Result<String, String> {
    let value = convert(text, |document| {
        let lines = decode::strict_errors(document);
        if lines.is_empty() {
            return Ok(());
        }
        Err(format!("yaml: unmarshal errors:\n  {}", lines.join("\n  ")))
    })?;
    to_text(value)
}

fn to_text(value: Value) -> Result<String, String> {
    value.to_json_text().map_err(|error| error.to_string())
}

fn convert(text: &str, check: impl Fn(&Document) -> Result<(), String>) -> Result<Value, String> {
    // Duplicate keys are reported before anything that JSON cannot express.
    let options = ReadOptions::default();
    let stream = compose(SourceId::from_index(0), &Arc::from(text), &options, Refusal::Unreadable);
    match stream.first() {
        Err(error) => Err(error.go_text.clone()),
        Ok(None) => Ok(Value::new(Data::Null)),
        Ok(Some(document)) => {
            check(document)?;
            if let Some(error) = decode::conversion_errors(document).into_iter().next() {
                return Err(error.go_text);
            }
            Ok(Value::from_node(document.root()))
        }
    }
}

/// The first number that JSON cannot express, in the order of the keys.
pub(crate) fn first_unsupported(value: &Value) -> Option<UnsupportedNumber> {
    match &value.data {
        Data::Float(number) if !number.is_finite() => Some(UnsupportedNumber(*number)),
        Data::List(items) => items.iter().find_map(first_unsupported),
        Data::Map(map) => sorted(map).into_iter().find_map(|(_, value)| first_unsupported(value)),
        _ => None,
    }
}
