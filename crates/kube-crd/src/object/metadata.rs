//! `metadata` as the server has it after decoding: what it does not know is gone, and so is what holds nothing.

use std::sync::Arc;

use trueline_kube_facts::FieldPath;
use trueline_kube_facts::decode::{DecodeError, GoStruct, GoType, UnknownField, check, time, types};
use trueline_yaml::{Data, Map, MapEntry, Value};

use crate::value::rewrite::with_map;

/// Metadata after decoding.
#[derive(Debug)]
pub(crate) struct Metadata {
    /// The fields that hold something.
    pub(crate) value: Value,
    /// The fields that it does not have.
    pub(crate) unknown: Vec<UnknownField>,
}

/// What becomes of fields that hold a value of another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// They are an error.
    Refused,
    /// They are dropped, as when an object is read back or a default is prepared.
    Dropped,
}

/// Decodes the metadata at a path.
pub(crate) fn decode(value: &Value, path: &FieldPath, malformed: Malformed) -> Result<Metadata, DecodeError> {
    let checked = check(value, &types::OBJECT_META, "v1");
    let (map, mut unknown) = match (checked, malformed, &value.data) {
        (Ok(checked), _, Data::Map(map)) => (structure(map, &types::OBJECT_META), checked.unknown),
        (Ok(checked), ..) => (Map::default(), checked.unknown),
        (Err(_), Malformed::Dropped, Data::Map(map)) => field_by_field(value, map),
        (Err(error), ..) => return Err(DecodeError { path: path.join(&error.path), ..error }),
    };
    for field in &mut unknown {
        field.path = path.join(&field.path);
    }
    Ok(Metadata { value: with_map(value, map), unknown })
}

/// Every field is decoded by itself; those that fail are left out.
fn field_by_field(value: &Value, map: &Map) -> (Map, Vec<UnknownField>) {
    let mut unknown = Vec::new();
    let mut whole = Map::default();
    for (key, entry) in map {
        let single: Map = [(Arc::clone(key), entry.clone())].into_iter().collect();
        if let Ok(checked) = check(&with_map(value, single.clone()), &types::OBJECT_META, "v1") {
            unknown.extend(checked.unknown);
            whole.extend(structure(&single, &types::OBJECT_META));
        }
    }
    (whole, unknown)
}

/// The fields of a structure that hold something, after it has been checked.
fn structure(map: &Map, structure: &GoStruct) -> Map {
    let mut written = Map::default();
    for (key, entry) in map {
        let field = structure.fields.iter().find(|(name, _)| *name == &**key);
        // The time that an object is given to end in may be no time at all.
        let zero = if &**key == "deletionGracePeriodSeconds" { Zero::Kept } else { Zero::Left };
        if let Some(value) = field.and_then(|(_, kind)| member(&entry.value, kind, zero)) {
            written.insert(Arc::clone(key), MapEntry { key_origin: entry.key_origin, value });
        }
    }
    if structure.name == "OwnerReference" {
        for name in ["apiVersion", "kind", "name", "uid"] {
            written
                .entry(name.into())
                .or_insert_with(|| MapEntry { key_origin: None, value: Value::from("") });
        }
    }
    written
}

/// Whether a number that is zero is written.
#[derive(Clone, Copy, PartialEq)]
enum Zero {
    Kept,
    Left,
}

/// The value of a field; nothing if it holds nothing.
fn member(value: &Value, kind: &GoType, zero: Zero) -> Option<Value> {
    match (kind, &value.data) {
        (_, Data::Null) => None,
        (GoType::Text(_), Data::String(text)) if text.is_empty() => None,
        (GoType::Int64, Data::Int(0)) if zero == Zero::Left => None,
        (GoType::Time, Data::String(text)) => {
            let text = time::in_utc(text)?;
            Some(Value { data: Data::String(text.into()), origin: value.origin })
        }
        (GoType::Map(_), Data::Map(map)) if map.is_empty() => None,
        (GoType::Map(_), Data::Map(map)) => {
            let texts = map.iter().map(|(key, entry)| {
                (Arc::clone(key), MapEntry { key_origin: entry.key_origin, value: text(&entry.value) })
            });
            Some(with_map(value, texts.collect()))
        }
        (GoType::List(_), Data::List(items)) if items.is_empty() => None,
        (GoType::List(kind), Data::List(items)) => {
            let items = items.iter().map(|item| match (kind, &item.data) {
                (GoType::Struct(kind), Data::Map(map)) => with_map(item, structure(map, kind)),
                (GoType::Struct(kind), _) => with_map(item, structure(&Map::default(), kind)),
                _ => text(item),
            });
            Some(Value { data: Data::List(Arc::new(items.collect())), origin: value.origin })
        }
        _ => Some(value.clone()),
    }
}

/// A string; null is an empty one.
fn text(value: &Value) -> Value {
    match &value.data {
        Data::Null => Value { data: Data::String(Arc::default()), origin: value.origin },
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, malformed: Malformed) -> Result<(String, String), String> {
        let value = Value::from_json_text(text).unwrap();
        let metadata = decode(&value, &FieldPath::of("metadata"), malformed).map_err(|error| error.text)?;
        let unknown: Vec<String> =
            metadata.unknown.into_iter().map(|unknown| unknown.path.to_string()).collect();
        Ok((metadata.value.to_json_text().unwrap(), unknown.join(" ")))
    }

    #[test]
    fn only_what_holds_something_stays() {
        let cases = [
            (
                r#"{"name": "x", "labels": {}, "generation": 0, "creationTimestamp": null}"#,
                r#"{"name":"x"}"#,
                "",
            ),
            (
                r#"{"labels": {"a": null}, "finalizers": [null]}"#,
                r#"{"finalizers":[""],"labels":{"a":""}}"#,
                "",
            ),
            (
                r#"{"ownerReferences": [{"kind": "A", "x": 1}, null], "Name": "y"}"#,
                r#"{"ownerReferences":[{"apiVersion":"","kind":"A","name":"","uid":""},{"apiVersion":"","kind":"","name":"","uid":""}]}"#,
                "metadata.Name metadata.ownerReferences[0].x",
            ),
            ("null", "{}", ""),
            (r#"{"deletionGracePeriodSeconds": 0}"#, r#"{"deletionGracePeriodSeconds":0}"#, ""),
            (
                r#"{"creationTimestamp": "2024-01-01T01:00:00.5+01:00"}"#,
                r#"{"creationTimestamp":"2024-01-01T00:00:00Z"}"#,
                "",
            ),
        ];
        for (text, expected, unknown) in cases {
            assert_eq!(run(text, Malformed::Refused).unwrap(), (expected.to_owned(), unknown.to_owned()));
        }
    }

    #[test]
    fn what_has_another_type_is_refused_or_dropped() {
        let text = r#"{"name": "x", "labels": {"a": 1}, "foo": 1, "creationTimestamp": 5}"#;
        assert_eq!(
            run(text, Malformed::Refused).unwrap_err(),
            "json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string"
        );
        let dropped = run(text, Malformed::Dropped).unwrap();
        assert_eq!(dropped, (r#"{"name":"x"}"#.to_owned(), "metadata.foo".to_owned()));
    }
}
