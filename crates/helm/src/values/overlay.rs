//! Values over values, as files on the command line are joined: maps are merged, everything else
//! replaces what was there, nulls too.

use std::sync::Arc;

use trueline_yaml::{Data, Map, Value};

/// Puts the second map over the first. What is not a map replaces the whole.
pub fn overlay(base: &mut Value, over: Value) {
    match (&mut base.data, over.data) {
        (Data::Map(base), Data::Map(over)) => maps(base, over),
        (base_data, over_data) => {
            *base_data = over_data;
            base.origin = over.origin;
        }
    }
}

fn maps(base: &mut Arc<Map>, over: Arc<Map>) {
    if base.is_empty() {
        *base = over;
        return;
    }
    let base = Arc::make_mut(base);
    let over = Arc::try_unwrap(over).unwrap_or_else(|shared| (*shared).clone());
    for (key, entry) in over {
        match base.get_mut(&key) {
            Some(known) if matches!((&known.value.data, &entry.value.data), (Data::Map(_), Data::Map(_))) => {
                overlay(&mut known.value, entry.value);
            }
            _ => {
                base.insert(key, entry);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_merge_and_everything_else_replaces() {
        for (base, over, expected) in [
            ("{}", r#"{"a": 1}"#, r#"{"a": 1}"#),
            (r#"{"a": 1, "b": 2}"#, r#"{"a": 3}"#, r#"{"a": 3, "b": 2}"#),
            (r#"{"m": {"x": 1, "y": 2}}"#, r#"{"m": {"x": null}}"#, r#"{"m": {"x": null, "y": 2}}"#),
            (r#"{"m": {"x": 1}}"#, r#"{"m": 5}"#, r#"{"m": 5}"#),
            (r#"{"m": 5}"#, r#"{"m": {"x": 1}}"#, r#"{"m": {"x": 1}}"#),
            (r#"{"l": [1, 2]}"#, r#"{"l": [3]}"#, r#"{"l": [3]}"#),
            (r#"{"m": {"x": 1}}"#, r#"{"m": {}}"#, r#"{"m": {"x": 1}}"#),
        ] {
            let mut value = Value::from_json_text(base).unwrap();
            overlay(&mut value, Value::from_json_text(over).unwrap());
            assert_eq!(value, Value::from_json_text(expected).unwrap(), "{base} under {over}");
        }
    }
}
