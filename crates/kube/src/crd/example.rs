//! Values made up for a schema: the smallest that keep to it, to show what a change of the schema breaks.

use std::sync::Arc;

use trueline_regexp::Regexp;
use trueline_yaml::{Data, Map, MapEntry, Value};

use crate::object::{Purpose, validate};
use crate::props::OrBool;
use crate::structural::{Structural, ValueValidation};

/// How deep and how large made-up values may be.
const MAX_DEPTH: usize = 40;
const MAX_ITEMS: i64 = 20;
const MAX_LENGTH: i64 = 2_000;

/// A value that keeps to the schema, if one is found.
pub(super) fn sample(schema: &Structural) -> Option<Value> {
    at_depth(schema, MAX_DEPTH).filter(|value| validate(value, schema, Purpose::Objects, "").is_empty())
}

fn at_depth(schema: &Structural, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let nothing = ValueValidation::default();
    let demanded = schema.value_validation.as_deref().unwrap_or(&nothing);
    if let Some(choice) = demanded.choices.iter().find(|choice| !matches!(choice.data, Data::Null)) {
        return Some(without_origin(choice));
    }
    match &*schema.generic.type_name {
        "object" => {
            let mut map = Map::default();
            if schema.extensions.embedded_resource {
                let metadata = [("name", Value::from("example"))].into_iter().collect();
                let head = [
                    ("apiVersion", Value::from("v1")),
                    ("kind", Value::from("Example")),
                    ("metadata", metadata),
                ];
                map.extend(head.map(|(name, value)| (name.into(), entry(value))));
            }
            for name in demanded.required.iter().filter(|name| !is_head(schema, name)) {
                let value = match (schema.properties.get(name), schema.additional_properties.as_deref()) {
                    (Some(property), _) => at_depth(property, depth)?,
                    (None, Some(OrBool::Schema(additional))) => at_depth(additional, depth)?,
                    _ => Value::from("x"),
                };
                map.insert(Arc::clone(name), entry(value));
            }
            fill_object(schema, demanded, &mut map, depth)?;
            add_first_branches(schema, demanded, &mut map, depth);
            Some(Value::new(Data::Map(Arc::new(map))))
        }
        "array" => {
            let count = demanded.min_items.unwrap_or_default().clamp(0, MAX_ITEMS);
            let items: Option<Vec<Value>> = (0..count)
                .map(|_| schema.items.as_deref().and_then(|items| at_depth(items, depth)))
                .collect();
            Some(items?.into_iter().collect())
        }
        "boolean" => Some(Value::from(true)),
        "integer" => number(demanded).map(|number| Value::from(number.ceil() as i64)),
        "number" => number(demanded).map(Value::from),
        "string" => text(demanded).map(|text| Value::from(&*text)),
        _ if schema.extensions.int_or_string => Some(Value::from(1)),
        _ => Some(Value::from("x")),
    }
}

/// Whether a field is one that every resource inside of another has.
fn is_head(schema: &Structural, name: &str) -> bool {
    schema.extensions.embedded_resource && matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Fields that are not required, as long as there are too few.
fn fill_object(schema: &Structural, demanded: &ValueValidation, map: &mut Map, depth: usize) -> Option<()> {
    let least = usize::try_from(demanded.min_properties.unwrap_or_default().clamp(0, MAX_ITEMS)).ok()?;
    for (name, property) in &schema.properties {
        if map.len() < least && !map.contains_key(name) {
            map.insert(Arc::clone(name), entry(at_depth(property, depth)?));
        }
    }
    if let Some(OrBool::Schema(additional)) = schema.additional_properties.as_deref() {
        for number in map.len()..least {
            map.insert(format!("key{number}").into(), entry(at_depth(additional, depth)?));
        }
    }
    Some(())
}

/// What the first branch of `anyOf` and `oneOf`, and all of `allOf`, require.
fn add_first_branches(schema: &Structural, demanded: &ValueValidation, map: &mut Map, depth: usize) {
    let firsts = demanded.any_of.first().into_iter().chain(demanded.one_of.first()).chain(&demanded.all_of);
    for branch in firsts {
        for name in &branch.value_validation.required {
            if let Some(property) = schema.properties.get(name).filter(|_| !map.contains_key(name))
                && let Some(value) = at_depth(property, depth)
            {
                map.insert(Arc::clone(name), entry(value));
            }
        }
        for (name, nested) in &branch.properties {
            if let Some(choice) = nested.value_validation.choices.first() {
                map.insert(Arc::clone(name), entry(without_origin(choice)));
            }
        }
    }
}

fn number(demanded: &ValueValidation) -> Option<f64> {
    let step = demanded.multiple_of.filter(|step| *step > 0.0).unwrap_or(1.0);
    let mut number = match (demanded.minimum, demanded.maximum) {
        (Some(minimum), _) => (minimum / step).ceil() * step,
        (None, Some(maximum)) if maximum < step => (maximum / step).floor() * step,
        _ => step,
    };
    if demanded.exclusive_minimum && Some(number) == demanded.minimum {
        number += step;
    }
    if demanded.exclusive_maximum && Some(number) == demanded.maximum {
        number -= step;
    }
    number.is_finite().then_some(number)
}

/// Texts that formats and common patterns accept.
const TEXTS: &[&str] = &[
    "a",
    "x",
    "example",
    "1",
    "A",
    "a-b",
    "a.b",
    "/a",
    "1Gi",
    "10m",
    "10s",
    "1h",
    "true",
    "a/b",
    "a:b",
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "00:00:5e:00:53:01",
    "https://example.com/",
    "example.com",
    "me@example.com",
    "2024-02-29",
    "2024-02-29T10:11:12Z",
    "10:00",
    "1.2.3",
    "v1.2.3",
    "YQ==",
    "#ffffff",
    "rgb(1,2,3)",
    "123e4567-e89b-42d3-a456-426614174000",
    "978-0321751041",
    "0321751043",
    "4111111111111111",
    "111-11-1111",
    "507f1f77bcf86cd799439011",
    "ABC_D",
    "arn:aws:iam::123456789012:role/a",
];

fn text(demanded: &ValueValidation) -> Option<String> {
    let least = demanded.min_length.unwrap_or_default();
    let most = demanded.max_length.unwrap_or(MAX_LENGTH);
    let pattern = match &*demanded.pattern {
        "" => None,
        pattern => Some(Regexp::compile(pattern.as_bytes()).ok()?),
    };
    let check = crate::object::formats::check(&demanded.format);
    let padded =
        usize::try_from(least.clamp(0, MAX_LENGTH)).map(|least| "a".repeat(least)).unwrap_or_default();
    let fits = |text: &str| {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        (least..=most).contains(&length)
            && pattern.as_ref().is_none_or(|pattern| pattern.is_match(text.as_bytes()))
            && check.is_none_or(|check| check(text))
    };
    TEXTS.iter().copied().chain([padded.as_str(), ""]).find(|text| fits(text)).map(str::to_owned)
}

/// Values that may be accepted by one schema and refused by the other: around the bounds of both.
pub(super) fn candidates(old: &Structural, new: &Structural) -> Vec<Value> {
    let mut candidates: Vec<Value> = Vec::new();
    candidates.extend(sample(old));
    for schema in [old, new] {
        let Some(demanded) = schema.value_validation.as_deref() else { continue };
        candidates.extend(demanded.choices.iter().map(without_origin));
        let nested = demanded.not.as_deref().into_iter().chain(&demanded.all_of);
        let nested = nested.chain(&demanded.any_of).chain(&demanded.one_of);
        candidates.extend(nested.flat_map(|nested| &nested.value_validation.choices).map(without_origin));
        for bound in [demanded.minimum, demanded.maximum, demanded.multiple_of].into_iter().flatten() {
            for number in [bound - 1.0, bound, bound + 1.0, bound + 0.5] {
                candidates.push(Value::from(number));
                if number.abs() < 9e15 {
                    candidates.push(Value::from(number as i64));
                }
            }
        }
        for length in [demanded.min_length, demanded.max_length].into_iter().flatten() {
            for length in [length.saturating_sub(1), length, length.saturating_add(1)] {
                let length = usize::try_from(length.clamp(0, MAX_LENGTH)).unwrap_or_default();
                candidates.push(Value::from(&*"a".repeat(length)));
            }
        }
        for count in [demanded.min_items, demanded.max_items].into_iter().flatten() {
            let item = old.items.as_deref().and_then(sample);
            for count in [count.saturating_sub(1), count, count.saturating_add(1)] {
                if let (Some(item), 0..=MAX_ITEMS) = (&item, count) {
                    candidates.push((0..count).map(|_| item.clone()).collect());
                }
            }
        }
        for count in [demanded.min_properties, demanded.max_properties].into_iter().flatten() {
            for count in [count.saturating_sub(1), count, count.saturating_add(1)] {
                candidates.extend(object_of(old, count.clamp(0, MAX_ITEMS)));
            }
        }
    }
    if let Some(Data::Map(map)) = sample(old).map(|sample| sample.data) {
        // What has a default can be left out.
        let has_default =
            |name: &str| old.properties.get(name).is_some_and(|property| property.generic.default.is_some());
        let mut least = Map::clone(&map);
        least.retain(|name, _| !has_default(name));
        candidates.push(Value::new(Data::Map(Arc::new(least))));
        if old.extensions.preserve_unknown_fields {
            for value in [Value::from("x"), Value::from(1)] {
                let mut more = Map::clone(&map);
                more.insert("key".into(), entry(value));
                candidates.push(Value::new(Data::Map(Arc::new(more))));
            }
        }
    }
    if let Some(item) = old.items.as_deref().and_then(sample) {
        candidates.push([item.clone(), item].into_iter().collect());
    }
    if old.generic.nullable {
        candidates.push(Value::new(Data::Null));
    }
    if &*old.generic.type_name == "string" || old.extensions.int_or_string {
        candidates.extend(TEXTS.iter().map(|text| Value::from(*text)));
        candidates.extend(["", "A b", "ä", "-"].map(Value::from));
    }
    if matches!(&*old.generic.type_name, "integer" | "number") || old.extensions.int_or_string {
        candidates.extend([0, 1, -1, 7, 1_000_000].map(Value::from));
        candidates.push(Value::from(0.5));
    }
    if &*old.generic.type_name == "boolean" {
        candidates.extend([true, false].map(Value::from));
    }
    if old.extensions.preserve_unknown_fields && old.generic.type_name.is_empty() {
        candidates.extend([Value::from("x"), Value::from(1), Value::from(true)]);
    }
    candidates
}

/// An object with so many fields.
fn object_of(schema: &Structural, count: i64) -> Option<Value> {
    let mut wanted = schema.clone();
    wanted.value_validation.get_or_insert_default().min_properties = Some(count);
    at_depth(&wanted, MAX_DEPTH)
}

fn entry(value: Value) -> MapEntry {
    MapEntry { key_origin: None, value }
}

/// Made-up values were typed nowhere.
fn without_origin(value: &Value) -> Value {
    Value::from_serde(&value.to_serde())
}
