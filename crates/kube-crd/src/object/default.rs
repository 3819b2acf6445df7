//! Defaulting: what a schema has a default for and an object lacks is put into it.

use std::cell::Cell;
use std::sync::Arc;

use trueline_kube_facts::Trail;
use trueline_yaml::{Data, MapEntry, Value};

use super::coerce::coerce;
use super::metadata::Malformed;
use super::prune::{Member, member_schema, prune};
use crate::props::OrBool;
use crate::structural::Root;
use crate::structural::Structural;
use crate::value::rewrite::{Fate, rewrite_list, rewrite_map, with_list, with_map};

/// How many values defaults may put into an object. Defaults inside of the items of defaults can multiply.
pub const MOST_DEFAULTED: usize = 200_000;

/// So many bytes of a string count as much as a value.
const TEXT_PER_VALUE: usize = 256;

/// Sets the defaults of the schema where a field is missing, or null without being allowed to be. Below what
/// is missing itself nothing is set. Of more than [`MOST_DEFAULTED`] values the rest is not set.
pub fn default(value: &Value, schema: &Structural) -> Value {
    default_within(value, schema).0
}

/// As [`default`], and whether all were set.
pub(super) fn default_within(value: &Value, schema: &Structural) -> (Value, bool) {
    let defaulting = Defaulting { left: Cell::new(MOST_DEFAULTED) };
    let changed = defaulting.changed(value, schema).unwrap_or_else(|| value.clone());
    (changed, defaulting.left.get() > 0)
}

struct Defaulting {
    left: Cell<usize>,
}

impl Defaulting {
    fn changed(&self, value: &Value, schema: &Structural) -> Option<Value> {
        match &value.data {
            Data::Map(map) => {
                let changed = rewrite_map(map, |key, entry| match member_schema(schema, key) {
                    Some(Member::Known(member)) => Fate::from(self.member_changed(&entry.value, member)),
                    Some(Member::Anything) | None => Fate::Kept,
                });
                let mut changed = changed.map(|map| with_map(value, map));
                for (name, property) in &schema.properties {
                    let default = property.generic.default.as_ref();
                    if let Some(default) = default.filter(|_| !map.contains_key(name))
                        && let Some(complete) = self.complete(default, property)
                    {
                        insert(changed.get_or_insert_with(|| value.clone()), name, complete);
                    }
                }
                changed
            }
            Data::List(items) => {
                let schema = schema.items.as_deref()?;
                let changed = rewrite_list(items, |_, item| self.member_changed(item, schema));
                changed.map(|items| with_list(value, items))
            }
            _ => None,
        }
    }

    /// What is null without being allowed to be takes the default, or stays null if there is none.
    fn member_changed(&self, value: &Value, schema: &Structural) -> Option<Value> {
        if !matches!(value.data, Data::Null) || schema.generic.nullable {
            return self.changed(value, schema);
        }
        self.complete(schema.generic.default.as_ref()?, schema)
    }

    /// A default with those inside of it, unless too many were set.
    fn complete(&self, default: &Value, schema: &Structural) -> Option<Value> {
        self.left.set(self.left.get().saturating_sub(weight(default)));
        if self.left.get() == 0 {
            return None;
        }
        Some(self.changed(default, schema).unwrap_or_else(|| default.clone()))
    }
}

/// How much a default adds to an object: its values, and long texts by their length.
fn weight(value: &Value) -> usize {
    match &value.data {
        Data::Map(map) => map.values().fold(1, |sum: usize, entry| sum.saturating_add(weight(&entry.value))),
        Data::List(items) => items.iter().fold(1, |sum: usize, item| sum.saturating_add(weight(item))),
        Data::String(text) => 1 + text.len() / TEXT_PER_VALUE,
        _ => 1,
    }
}

/// How many values there are in one.
pub(crate) fn size(value: &Value) -> usize {
    match &value.data {
        Data::Map(map) => map.values().fold(1, |sum: usize, entry| sum.saturating_add(size(&entry.value))),
        Data::List(items) => items.iter().fold(1, |sum: usize, item| sum.saturating_add(size(item))),
        _ => 1,
    }
}

fn insert(value: &mut Value, key: &Arc<str>, member: Value) {
    if let Data::Map(map) = &mut value.data {
        Arc::make_mut(map).insert(Arc::clone(key), MapEntry { key_origin: None, value: member });
    }
}

/// The schema with its defaults as the server serves them: unknown fields pruned, metadata of resources in
/// them coerced. They keep their origins in the definition.
pub fn with_pruned_defaults(mut schema: Structural) -> Structural {
    let mut pruned = Vec::new();
    prune_defaults(&schema, &schema, &mut Vec::new(), &mut pruned);
    set_defaults(&mut schema, &mut pruned.into_iter());
    schema
}

/// Whether a schema has a default, at any depth.
pub(crate) fn has_default(schema: &Structural) -> bool {
    schema.any(&|schema| schema.generic.default.is_some())
}

/// A step from an object to a part of it.
#[derive(Clone)]
enum Step {
    Key(Arc<str>),
    Item,
}

/// What becomes of each default of a schema, in the order in which [`set_defaults`] goes through them.
fn prune_defaults(
    schema: &Structural,
    root: &Structural,
    steps: &mut Vec<Step>,
    pruned: &mut Vec<Option<Value>>,
) {
    if let Some(default) = &schema.generic.default {
        // A default is pruned inside an object that holds nothing else: only there it is known whether it
        // belongs to metadata.
        let surrounded = surround(default.clone(), steps);
        let path = Trail::root("", None);
        let coerced = coerce(&surrounded, root, Root::Resource, Malformed::Dropped, &path);
        let value = coerced.map_or(surrounded, |coerced| coerced.value);
        let value = prune(&value, Some(root), Root::Resource).value;
        pruned.push(focus(&value, steps).cloned());
    }
    if let Some(OrBool::Schema(values)) = schema.additional_properties.as_deref() {
        steps.push(Step::Key("*".into()));
        prune_defaults(values, root, steps, pruned);
        steps.pop();
    }
    if let Some(items) = schema.items.as_deref() {
        steps.push(Step::Item);
        prune_defaults(items, root, steps, pruned);
        steps.pop();
    }
    for (name, property) in &schema.properties {
        steps.push(Step::Key(Arc::clone(name)));
        prune_defaults(property, root, steps, pruned);
        steps.pop();
    }
}

fn set_defaults(schema: &mut Structural, pruned: &mut impl Iterator<Item = Option<Value>>) {
    if schema.generic.default.is_some() {
        schema.generic.default = pruned.next().flatten();
    }
    if let Some(OrBool::Schema(values)) = schema.additional_properties.as_deref_mut() {
        set_defaults(values, pruned);
    }
    schema.items.iter_mut().for_each(|items| set_defaults(items, pruned));
    schema.properties.values_mut().for_each(|property| set_defaults(property, pruned));
}

fn surround(value: Value, steps: &[Step]) -> Value {
    steps.iter().rev().fold(value, |value, step| match step {
        Step::Key(key) => [(Arc::clone(key), value)].into_iter().collect(),
        Step::Item => [value].into_iter().collect(),
    })
}

fn focus<'a>(value: &'a Value, steps: &[Step]) -> Option<&'a Value> {
    steps.iter().try_fold(value, |value, step| match (step, &value.data) {
        (Step::Key(key), _) => value.get(key),
        (Step::Item, Data::List(items)) => items.first(),
        (Step::Item, _) => None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn defaults_that_multiply_are_bounded() {
        let chain = (0..14).fold(r#"{"type": "string", "default": "x"}"#.to_owned(), |inner, _| {
            format!(
                r#"{{"type": "array", "default": [{{}}, {{}}, {{}}], "items": {{"type": "object", "properties": {{"l": {inner}}}}}}}"#
            )
        });
        let schema = schema(&format!(r#"{{"type": "object", "properties": {{"l": {chain}}}}}"#));
        let (made, all) = default_within(&value("{}"), &schema);
        assert!(!all && size(&made) <= MOST_DEFAULTED + 1);
        assert!(default_within(&value(r#"{"l": []}"#), &schema).1);
    }

    #[test]
    fn long_defaults_count_with_their_length() {
        let long = "x".repeat(30_000);
        let schema = schema(&format!(
            r#"{{"type": "array", "items": {{"type": "object", "properties": {{"a": {{"type": "string", "default": "{long}"}}}}}}}}"#
        ));
        let all =
            |items: usize| default_within(&value(&format!("[{}]", vec!["{}"; items].join(","))), &schema).1;
        assert!(all(100) && !all(5_000));
    }

    use super::*;
    use crate::object::tests::{schema, value};

    #[test]
    fn defaults_are_set_where_something_is_missing() {
        let schema = schema(
            r#"{"type": "object", "properties": {
                "a": {"type": "string", "default": "x"},
                "n": {"type": "string", "default": "x", "nullable": true},
                "o": {"type": "object", "properties": {"p": {"type": "integer", "default": 1}}},
                "q": {"type": "object", "default": {}, "properties": {"r": {"type": "integer", "default": 2}}},
                "l": {"type": "array", "items": {"type": "integer", "default": 3}},
                "m": {"type": "object", "additionalProperties": {"type": "integer", "default": 4}}}}"#,
        );
        let cases = [
            ("{}", r#"{"a": "x", "n": "x", "q": {"r": 2}}"#),
            (
                r#"{"a": null, "n": null, "o": {}, "q": {"r": 5}}"#,
                r#"{"a": "x", "n": null, "o": {"p": 1}, "q": {"r": 5}}"#,
            ),
            (
                r#"{"a": 1, "n": "", "q": 1, "l": [null, 7], "m": {"k": null, "j": 8}}"#,
                r#"{"a": 1, "n": "", "q": 1, "l": [3, 7], "m": {"k": 4, "j": 8}}"#,
            ),
        ];
        for (before, after) in cases {
            let once = default(&value(before), &schema);
            assert_eq!(once, value(after), "{before}");
            assert_eq!(default(&once, &schema), once);
        }
    }

    #[test]
    fn defaults_are_pruned_before_they_are_served() {
        let served = with_pruned_defaults(schema(
            r#"{"type": "object", "properties": {
                "a": {"type": "object", "default": {"b": 1, "z": 2}, "properties": {"b": {"type": "integer"}}},
                "l": {"type": "array", "items": {"type": "object", "default": {"y": 1}}},
                "r": {"type": "object", "x-kubernetes-embedded-resource": true,
                      "x-kubernetes-preserve-unknown-fields": true,
                      "default": {"kind": "K", "metadata": {"labels": 1, "name": "n"}, "x": 1}}}}"#,
        ));
        let complete = default(&value(r#"{"l": [null]}"#), &served);
        let expected = r#"{"l": [{}], "a": {"b": 1}, "r": {"kind": "K", "metadata": {"name": "n"}, "x": 1}}"#;
        assert_eq!(complete, value(expected));
    }
}
