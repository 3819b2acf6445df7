//! Converts YAML to JSON as `sigs.k8s.io/yaml` does, including its error messages.

use std::fmt;
use std::sync::Arc;

use trueline_source::SourceId;

use crate::compose::{Refusal, compose};
use crate::json::{UnsupportedNumber, sorted};
use crate::{Data, Document, ReadOptions, SyntaxError, Value, decode};

/// Why a document has no JSON, shown as the library in Go says it.
#[derive(Debug, Clone, PartialEq)]
pub enum GoError {
    /// It cannot be read, or holds what JSON cannot express.
    Syntax(Box<SyntaxError>),
    /// Keys appear twice; the library's words for each.
    Duplicates(Vec<String>),
    /// A number is one that JSON does not have.
    Number(UnsupportedNumber),
}

impl fmt::Display for GoError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoError::Syntax(error) => formatter.write_str(&error.go_text),
            GoError::Duplicates(lines) => {
                write!(formatter, "yaml: unmarshal errors:\n  {}", lines.join("\n  "))
            }
            GoError::Number(number) => number.fmt(formatter),
        }
    }
}

impl std::error::Error for GoError {}

impl From<GoError> for String {
    fn from(error: GoError) -> Self {
        error.to_string()
    }
}

/// The value that `YAMLToJSON` writes, or why there is none. The origins of the nodes are their places in the
/// text, whatever source they name.
pub fn yaml_to_value(text: &str) -> Result<Value, GoError> {
    let value = convert(text, |_| Ok(()))?;
    match first_unsupported(&value) {
        Some(number) => Err(GoError::Number(number)),
        None => Ok(value),
    }
}

/// The result of `YAMLToJSON` for the first document of the text, or why there is none.
pub fn yaml_to_json(text: &str) -> Result<String, GoError> {
    to_text(convert(text, |_| Ok(()))?)
}

/// The result of `YAMLToJSONStrict`: duplicate keys are an error.
pub fn yaml_to_json_strict(text: &str) -> Result<String, GoError> {
    let value = convert(text, |document| {
        let lines = decode::strict_errors(document);
        if lines.is_empty() {
            return Ok(());
        }
        Err(GoError::Duplicates(lines))
    })?;
    to_text(value)
}

fn to_text(value: Value) -> Result<String, GoError> {
    value.to_json_text().map_err(GoError::Number)
}

fn convert(text: &str, check: impl Fn(&Document) -> Result<(), GoError>) -> Result<Value, GoError> {
    // Duplicate keys are reported before anything that JSON cannot express.
    let options = ReadOptions::default();
    let stream = compose(SourceId::from_index(0), &Arc::from(text), &options, Refusal::Unreadable);
    match stream.first() {
        Err(error) => Err(GoError::Syntax(Box::new(error.clone()))),
        Ok(None) => Ok(Value::new(Data::Null)),
        Ok(Some(document)) => {
            check(document)?;
            if let Some(error) = decode::conversion_errors(document).into_iter().next() {
                return Err(GoError::Syntax(Box::new(error)));
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
