//! Helps the tests of the families: values from JSON.

use std::sync::Arc;

use trueline_yaml::{Data, MapEntry, Value};

/// A value without origins.
pub(crate) fn value(json: &serde_json::Value) -> Value {
    Value::new(match json {
        serde_json::Value::Null => Data::Null,
        serde_json::Value::Bool(value) => Data::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Data::Int(number),
            None => Data::Float(number.as_f64().unwrap_or_default()),
        },
        serde_json::Value::String(text) => Data::String(text.as_str().into()),
        serde_json::Value::Array(items) => Data::List(Arc::new(items.iter().map(value).collect())),
        serde_json::Value::Object(map) => Data::Map(Arc::new(
            map.iter()
                .map(|(name, json)| {
                    (Arc::from(name.as_str()), MapEntry { key_origin: None, value: value(json) })
                })
                .collect(),
        )),
    })
}
