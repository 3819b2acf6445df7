//! Whether a value contains another: what `overlay.subset`, `overlay.map_key` and `overlay/assert` ask.

use std::fmt;

use crate::error::Fact;
use crate::tree::{Map, Value};

/// The deepest nesting that is compared.
const DEEPEST: usize = 1_000;

/// Why a value does not contain another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    NotAMap(&'static str),
    NotAnArray(&'static str),
    MissingKey,
    TooFewItems,
    Leaf(&'static str, &'static str),
    TooDeep,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::NotAMap(found) => write!(f, "Expected map, but was {found}"),
            Difference::NotAnArray(found) => write!(f, "Expected array, but was {found}"),
            Difference::MissingKey => f.write_str("Expected at least one map item to match by key"),
            Difference::TooFewItems => f.write_str("Expected to have matching number of array items"),
            Difference::Leaf(left, right) => write!(f, "Expected leaf values to match {left} {right}"),
            Difference::TooDeep => write!(f, "Expected values to nest at most {DEEPEST} levels deep"),
        }
    }
}

/// Why a value cannot be compared by a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unkeyed {
    NotAMap(&'static str),
    Missing(Fact),
}

impl fmt::Display for Unkeyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unkeyed::NotAMap(found) => write!(f, "Expected value to be map, but was {found}"),
            Unkeyed::Missing(fact) => write!(f, "{fact}"),
        }
    }
}

/// Checks that `left` contains `right`: every key of its maps with a value that contains the expected one, and the first
/// items of its arrays.
pub(crate) fn contains(left: &Value, right: &Value) -> Result<(), Difference> {
    contains_at(left, right, 0)
}

fn contains_at(left: &Value, right: &Value, depth: usize) -> Result<(), Difference> {
    if depth > DEEPEST {
        return Err(Difference::TooDeep);
    }
    match right {
        Value::Map(right) => {
            let Value::Map(left) = left else { return Err(Difference::NotAMap(left.type_name())) };
            map_contains(left, right, depth)
        }
        Value::Array(right) => {
            let Value::Array(left) = left else { return Err(Difference::NotAnArray(left.type_name())) };
            for (index, right) in right.items.iter().enumerate() {
                let left = left.items.get(index).ok_or(Difference::TooFewItems)?;
                contains_at(&left.value, &right.value, depth + 1)?;
            }
            Ok(())
        }
        _ => leafs_match(left, right),
    }
}

fn map_contains(left: &Map, right: &Map, depth: usize) -> Result<(), Difference> {
    // Keys mostly come in the same order, so the search goes on after the last one found.
    let mut next = 0;
    for expected in &right.items {
        let is_it =
            |index: &usize| left.items.get(*index).is_some_and(|item| item.key.is_same(&expected.key));
        let found = (next..left.items.len()).find(is_it).or_else(|| (0..next).find(is_it));
        let Some(item) = found.and_then(|index| left.items.get(index)) else {
            return Err(Difference::MissingKey);
        };
        contains_at(&item.value, &expected.value, depth + 1)?;
        next = found.map_or(0, |index| index + 1);
    }
    Ok(())
}

/// Whether two scalars are the same. Collections are not compared here, and so never match.
fn leafs_match(left: &Value, right: &Value) -> Result<(), Difference> {
    if !left.is_collection() && left.is_same(right) {
        Ok(())
    } else {
        Err(Difference::Leaf(left.type_name(), right.type_name()))
    }
}

/// Whether two maps have the same scalar at a key, which both of them must have.
pub(crate) fn same_by_key(key: &[u8], left: &Value, right: &Value) -> Result<bool, Unkeyed> {
    let left = value_of_key(key, left)?;
    let right = value_of_key(key, right)?;
    Ok(leafs_match(left, right).is_ok())
}

pub(super) fn value_of_key<'v>(key: &[u8], value: &'v Value) -> Result<&'v Value, Unkeyed> {
    let Value::Map(map) = value else { return Err(Unkeyed::NotAMap(value.type_name())) };
    let is_it = |key_of_item: &Value| key_of_item.as_text().is_some_and(|text| text.as_bytes() == key);
    match map.items.iter().find(|item| is_it(&item.key)) {
        Some(item) => Ok(&item.value),
        None => Err(Unkeyed::Missing(Fact::NoMatchKey { key: String::from_utf8_lossy(key).into_owned() })),
    }
}
