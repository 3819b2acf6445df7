//! Conversion to and from the values outside templates.

use std::sync::Arc;

use trueline_gostd::base64::STANDARD;
use trueline_yaml as yaml;

use super::{Data, Element, Entry, IntKind, List, Map, MapKind, UintKind, Value};

/// Values nested deeper than this are not turned into text: templates can make a map contain itself.
pub const MAX_DEPTH: usize = 1_000;

/// Whether values remember where they were typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origins {
    /// They remember.
    Kept,
    /// They do not, because nobody will ask.
    Dropped,
}

/// Why a value is not plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotPlain {
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// More than [`MAX_NODES`] values.
    TooLarge,
    /// A complex number, which no text format can express.
    Complex,
}

impl Value {
    /// The value for templates: maps become shared and mutable.
    pub fn from_plain(value: &yaml::Value, origins: Origins) -> Self {
        let keep = |origin| if origins == Origins::Kept { origin } else { None };
        let data = match &value.data {
            yaml::Data::Null => Data::Nil,
            yaml::Data::Bool(value) => Data::Bool(*value),
            yaml::Data::Int(value) => Data::Int(IntKind::Int64, *value),
            yaml::Data::UInt(value) => Data::Uint(UintKind::Uint64, *value),
            yaml::Data::Float(value) => Data::Float(*value),
            yaml::Data::String(text) => Data::String(Arc::clone(text).into()),
            yaml::Data::List(items) => {
                let items = items.iter().map(|item| Value::from_plain(item, origins)).collect();
                Data::List(List::new(Element::Any, items))
            }
            yaml::Data::Map(map) => {
                let entries = map.iter().map(|(key, entry)| {
                    let key_origin = keep(entry.key_origin);
                    (Arc::clone(key), Entry { key_origin, value: Value::from_plain(&entry.value, origins) })
                });
                Data::Map(Map::from_entries(MapKind::Any, entries))
            }
        };
        Value { data, origin: keep(value.origin) }
    }

    /// The value for encoders. Host objects become their plain form, bytes their base64 text, as in Go's JSON
    /// encoder.
    pub fn to_plain(&self) -> Result<yaml::Value, NotPlain> {
        if self.is_larger_than(MAX_NODES) {
            return Err(NotPlain::TooLarge);
        }
        to_plain(self, MAX_DEPTH)
    }

    /// Whether it contains more than this many values. A few maps that contain each other can exceed all memory
    /// when written out.
    pub fn is_larger_than(&self, most: usize) -> bool {
        self.count_up_to(most.saturating_add(1)) > most
    }

    /// How many values it contains, including itself; `most` if there are more.
    pub fn count_up_to(&self, most: usize) -> usize {
        let mut left = most;
        count(self, &mut left, MAX_DEPTH);
        most - left
    }

    /// The approximate number of bytes when it is written out or copied, indentation included; `most` if there
    /// are more. This is the cost of working on the whole value, known before the first part is written.
    pub fn weight_up_to(&self, most: usize) -> usize {
        let mut left = most;
        weigh(self, &mut left, 0);
        most - left
    }
}

/// The cost of a value besides its text.
const NODE: usize = 16;

/// Subtracts the weight of each nested value from what is left; false if that is not enough.
fn weigh(value: &Value, left: &mut usize, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return true;
    }
    let own = match &value.data {
        Data::String(text) => text.len(),
        Data::Bytes(bytes) => bytes.len().saturating_mul(4),
        Data::Object(object) => object.weight(),
        _ => 0,
    };
    match left.checked_sub(own.saturating_add(NODE + 2 * depth)) {
        Some(fewer) => *left = fewer,
        None => {
            *left = 0;
            return false;
        }
    }
    match &value.data {
        Data::List(list) => list.iter().all(|item| weigh(item, left, depth + 1)),
        Data::Map(map) => map
            .visit(|key, entry| {
                *left = left.saturating_sub(key.len());
                if weigh(&entry.value, left, depth + 1) { Ok(()) } else { Err(()) }
            })
            .is_ok(),
        _ => true,
    }
}

/// Values that contain more values than this are not turned into text.
pub const MAX_NODES: usize = 4_000_000;

/// Subtracts one for each nested value from what is left; false if that is not enough. The caller refuses
/// values that are nested too deep.
fn count(value: &Value, left: &mut usize, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    match left.checked_sub(1) {
        Some(fewer) => *left = fewer,
        None => return false,
    }
    match &value.data {
        Data::List(list) => list.iter().all(|item| count(item, left, depth)),
        Data::Map(map) => {
            map.visit(|_, entry| if count(&entry.value, left, depth) { Ok(()) } else { Err(()) }).is_ok()
        }
        _ => true,
    }
}

fn to_plain(value: &Value, depth: usize) -> Result<yaml::Value, NotPlain> {
    let depth = depth.checked_sub(1).ok_or(NotPlain::TooDeep)?;
    let data = match &value.data {
        Data::Invalid | Data::Nil => yaml::Data::Null,
        Data::Bool(value) => yaml::Data::Bool(*value),
        Data::Int(_, value) => yaml::Data::Int(*value),
        Data::Uint(_, value) => i64::try_from(*value).map_or(yaml::Data::UInt(*value), yaml::Data::Int),
        Data::Float(value) => yaml::Data::Float(*value),
        Data::Complex(_) => return Err(NotPlain::Complex),
        Data::String(text) => yaml::Data::String(text.key()),
        Data::Bytes(bytes) => yaml::Data::String(STANDARD.encode(bytes).into()),
        Data::List(list) if list.is_nil() => yaml::Data::Null,
        Data::Map(map) if map.is_nil() => yaml::Data::Null,
        Data::List(list) => {
            let items: Result<_, _> = list.iter().map(|item| to_plain(item, depth)).collect();
            yaml::Data::List(Arc::new(items?))
        }
        Data::Map(map) => {
            let mut plain = yaml::Map::with_capacity_and_hasher(map.len(), Default::default());
            map.visit(|key, entry| {
                let value = to_plain(&entry.value, depth)?;
                plain.insert(Arc::clone(key), yaml::MapEntry { key_origin: entry.key_origin, value });
                Ok(())
            })?;
            yaml::Data::Map(Arc::new(plain))
        }
        Data::Object(object) => return Ok(object.plain()),
    };
    Ok(yaml::Value { data, origin: value.origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_go_there_and_back() {
        let plain = yaml::Value::from_json_text(r#"{"a": [1, "x", null, {"b": true}], "c": 1.5}"#).unwrap();
        let value = Value::from_plain(&plain, Origins::Dropped);
        assert_eq!(value.to_plain().unwrap(), plain);
    }

    #[test]
    fn nil_slices_and_maps_are_null() {
        for value in [Value::from(List::nil(Element::Any)), Value::from(Map::nil(MapKind::Any))] {
            assert_eq!(value.to_plain().unwrap().data, yaml::Data::Null);
            assert!(!value.is_true() && !value.is_nil());
        }
    }

    #[test]
    fn a_map_that_contains_itself_is_refused() {
        let map = Map::new(MapKind::Any);
        map.set("self", Value::from(map.clone()));
        assert_eq!(Value::from(map.clone()).to_plain().unwrap_err(), NotPlain::TooDeep);
        map.remove("self");
    }

    #[test]
    fn maps_that_contain_each_other_are_refused_before_they_are_written_out() {
        let mut value = Value::nil();
        for _ in 0..60 {
            value = Value::from(Map::from_iter([("a", value.clone()), ("b", value)]));
        }
        assert_eq!(value.to_plain().unwrap_err(), NotPlain::TooLarge);
        assert!(!Value::list(vec![Value::nil(); 9]).is_larger_than(10));
        assert!(Value::list(vec![Value::nil(); 10]).is_larger_than(10));
    }

    #[test]
    fn deep_values_are_freed_without_a_deep_stack() {
        let mut value = Value::nil();
        for _ in 0..100_000 {
            value = Value::list(vec![value]);
        }
        drop(value);
        let mut value = Value::nil();
        for _ in 0..100_000 {
            value = Value::from(Map::from_iter([("a", value)]));
        }
        drop(value);
    }
}
