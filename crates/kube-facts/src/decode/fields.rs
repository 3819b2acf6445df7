//! Reading fields of a value that has been checked against its type: what is missing or null is Go's zero value.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_yaml::{Data, Value};

/// A field that is not null.
pub fn get<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.get(name).filter(|field| !matches!(field.data, Data::Null))
}

/// A string; empty if there is none.
pub fn text(value: &Value, name: &str) -> Arc<str> {
    optional_text(value, name).unwrap_or_default()
}

/// A string that may be missing.
pub fn optional_text(value: &Value, name: &str) -> Option<Arc<str>> {
    match &get(value, name)?.data {
        Data::String(text) => Some(Arc::clone(text)),
        _ => None,
    }
}

/// A boolean; false if there is none.
pub fn flag(value: &Value, name: &str) -> bool {
    optional_flag(value, name).unwrap_or_default()
}

/// A boolean that may be missing.
pub fn optional_flag(value: &Value, name: &str) -> Option<bool> {
    match get(value, name)?.data {
        Data::Bool(flag) => Some(flag),
        _ => None,
    }
}

/// An integer that may be missing.
pub fn integer(value: &Value, name: &str) -> Option<i64> {
    whole(get(value, name)?)
}

/// A number that may be missing.
pub fn number(value: &Value, name: &str) -> Option<f64> {
    match get(value, name)?.data {
        Data::Int(number) => Some(number as f64),
        Data::UInt(number) => Some(number as f64),
        Data::Float(number) => Some(number),
        _ => None,
    }
}

/// The items of a list; none if there is no list.
pub fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    match get(value, name).map(|field| &field.data) {
        Some(Data::List(items)) => items,
        _ => &[],
    }
}

/// The texts of a list.
pub fn texts(value: &Value, name: &str) -> Vec<Arc<str>> {
    items(value, name).iter().map(text_of).collect()
}

/// The text of a value; empty if it is none.
pub fn text_of(value: &Value) -> Arc<str> {
    match &value.data {
        Data::String(text) => Arc::clone(text),
        _ => Arc::default(),
    }
}

/// The entries of a map of texts.
pub fn text_map(value: &Value, name: &str) -> BTreeMap<Arc<str>, Arc<str>> {
    map(value, name, text_of)
}

/// The entries of a map, each read.
pub fn map<T>(value: &Value, name: &str, read: impl Fn(&Value) -> T) -> BTreeMap<Arc<str>, T> {
    match get(value, name).map(|field| &field.data) {
        Some(Data::Map(map)) => {
            map.iter().map(|(key, entry)| (Arc::clone(key), read(&entry.value))).collect()
        }
        _ => BTreeMap::new(),
    }
}

/// The integer that a value is. A float counts if it is whole: it is written without a fraction when YAML
/// becomes JSON.
pub fn whole(value: &Value) -> Option<i64> {
    match value.data {
        Data::Int(number) => Some(number),
        Data::UInt(number) => i64::try_from(number).ok(),
        Data::Float(number) if number.fract() == 0.0 && number.abs() < 9.2e18 => Some(number as i64),
        _ => None,
    }
}
