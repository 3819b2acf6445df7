//! Lists that are sets or maps: no item, and no key of an item, may occur twice.

use rustc_hash::FxHashMap;
use trueline_kube_facts::{FieldError, Trail, rules};
use trueline_yaml::{Data, Value};

use crate::props::OrBool;
use crate::structural::Structural;
use crate::value::printed::{json, printed};

rules! {
    /// An item of a list with keys is not an object.
    LIST_MAP_ITEM: Invalid, "custom/list-map-item", "must be an object for an array of list-type map";
    /// Two items of a set are the same, or two items of a list have the same keys.
    DUPLICATE_ITEM: Duplicate, "custom/duplicate-item";
}

/// All items of sets and maps in a value that occur twice. An item that occurs more often is reported once.
pub(crate) fn validate_list_types(value: &Value, schema: &Structural, path: &Trail<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(value, schema, path, &mut errors);
    errors
}

fn walk(value: &Value, schema: &Structural, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    match &value.data {
        Data::Map(map) => {
            for (key, entry) in map.iter() {
                if let Some(OrBool::Schema(schema)) = schema.additional_properties.as_deref() {
                    walk(&entry.value, schema, &path.key(key), errors);
                }
                if let Some(property) = schema.properties.get(key) {
                    walk(&entry.value, property, &path.child(key), errors);
                }
            }
        }
        Data::List(items) => {
            match schema.extensions.list_type.as_deref() {
                Some("set") => {
                    for index in second_occurrences(items.iter().map(json)) {
                        duplicate(items.get(index).map(printed), &path.index(index), errors);
                    }
                }
                Some("map") => keyed(items, schema, path, errors),
                _ => {}
            }
            if let Some(schema) = schema.items.as_deref() {
                for (index, item) in items.iter().enumerate() {
                    walk(item, schema, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

fn keyed(items: &[Value], schema: &Structural, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let other = items.iter().enumerate().find(|(_, item)| !matches!(item.data, Data::Null | Data::Map(_)));
    if let Some((index, item)) = other {
        errors.push(path.index(index).refuse_value(printed(item), &LIST_MAP_ITEM));
        return;
    }
    let keys: Vec<String> = items
        .iter()
        .map(|item| {
            let keys = schema.extensions.list_map_keys.iter();
            let found = keys.filter_map(|key| item.get(key).map(|value| (key.clone(), value.clone())));
            json(&found.collect())
        })
        .collect();
    for index in second_occurrences(keys.iter().cloned()) {
        duplicate(keys.get(index).cloned(), &path.index(index), errors);
    }
}

fn duplicate(value: Option<String>, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    errors.push(path.refuse(&DUPLICATE_ITEM).with_value(value.unwrap_or_default()));
}

/// Where a string occurs for the second time.
fn second_occurrences(texts: impl Iterator<Item = String>) -> Vec<usize> {
    let mut times: FxHashMap<String, usize> = FxHashMap::default();
    let mut second = Vec::new();
    for (index, text) in texts.enumerate() {
        let times = times.entry(text).or_default();
        *times += 1;
        if *times == 2 {
            second.push(index);
        }
    }
    second
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::{schema, value};

    #[test]
    fn items_of_sets_and_maps_occur_once() {
        let schema = schema(
            r#"{"type": "object", "properties": {
                "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "p"],
                        "items": {"type": "object"}},
                "of": {"type": "object", "additionalProperties": {"type": "array", "x-kubernetes-list-type": "set"}}}}"#,
        );
        let cases = [
            (r#"{"set": ["a", "b", 1, "1"]}"#, ""),
            (
                r#"{"set": ["a", "a", "a", {"x": 1}, {"x": 1}]}"#,
                "set[1]: Duplicate value: \"a\"|set[4]: Duplicate value: {\"x\":1}",
            ),
            (r#"{"map": [{"k": "a", "v": 1}, {"k": "a", "p": 1}]}"#, ""),
            (
                r#"{"map": [{"k": "a", "v": 1}, {"v": 2, "k": "a"}]}"#,
                "map[1]: Duplicate value: {\"k\":\"a\"}",
            ),
            (r#"{"map": [{}, null]}"#, "map[1]: Duplicate value: {}"),
            (
                r#"{"map": [{}, "x"]}"#,
                "map[1]: Invalid value: \"x\": must be an object for an array of list-type map",
            ),
            (r#"{"of": {"a.b": [1, 1]}}"#, "of[a.b][1]: Duplicate value: 1"),
        ];
        for (text, expected) in cases {
            let value = value(text);
            let errors = validate_list_types(&value, &schema, &Trail::root("", Some(&value)));
            let texts: Vec<String> = errors.iter().map(FieldError::message).collect();
            assert_eq!(texts.join("|"), expected, "{text}");
        }
    }
}
