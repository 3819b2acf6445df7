//! Dropping nulls: a field that is null, must not be null and has no default is as good as absent.

use trueline_yaml::{Data, Value};

use super::prune::{Member, member_schema};
use crate::structural::Structural;
use crate::value::rewrite::{Fate, rewrite_list, rewrite_map, with_list, with_map};

/// Drops the nulls of maps that the schema neither allows nor has a default for. Nulls in lists stay.
pub fn drop_nulls(value: &Value, schema: &Structural) -> Value {
    let changed = if has_null(value) { changed(value, schema) } else { None };
    changed.unwrap_or_else(|| value.clone())
}

/// Hardly any object has one, and to see that no schema is needed.
fn has_null(value: &Value) -> bool {
    match &value.data {
        Data::Null => true,
        Data::Map(map) => map.values().any(|entry| has_null(&entry.value)),
        Data::List(items) => items.iter().any(has_null),
        _ => false,
    }
}

fn changed(value: &Value, schema: &Structural) -> Option<Value> {
    match &value.data {
        Data::Map(map) => {
            let changed = rewrite_map(map, |key, entry| match member_schema(schema, key) {
                Some(Member::Known(schema)) => match &entry.value.data {
                    Data::Null if !schema.generic.nullable && schema.generic.default.is_none() => Fate::Gone,
                    _ => self::changed(&entry.value, schema).into(),
                },
                // Without a schema nobody knows whether null is allowed.
                Some(Member::Anything) | None => Fate::Kept,
            });
            changed.map(|map| with_map(value, map))
        }
        Data::List(items) => {
            let schema = schema.items.as_deref()?;
            rewrite_list(items, |_, item| changed(item, schema)).map(|items| with_list(value, items))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::{schema, value};

    #[test]
    fn nulls_of_fields_go_unless_they_mean_something() {
        let schema = schema(
            r#"{"type": "object", "properties": {
                "a": {"type": "string"}, "b": {"type": "string", "nullable": true},
                "c": {"type": "string", "default": "x"}, "l": {"type": "array", "items": {"type": "string"}},
                "m": {"type": "object", "additionalProperties": {"type": "string"}},
                "p": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}"#,
        );
        let before = r#"{"a": null, "b": null, "c": null, "l": [null], "m": {"k": null}, "p": {"q": null}, "u": null}"#;
        let after = r#"{"b": null, "c": null, "l": [null], "m": {}, "p": {"q": null}, "u": null}"#;
        assert_eq!(drop_nulls(&value(before), &schema), value(after));
    }
}
