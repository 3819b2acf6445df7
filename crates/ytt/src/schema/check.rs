//! Data values checked against a type: missing keys are added, and what does not fit is collected.

use super::types::{DocumentType, MapType, Scalar, Type};
use super::violation::{Problem, Violation};
use crate::tree::{Document, Map, Meta, Value};

impl DocumentType {
    /// Adds what is missing to a document and returns what does not fit. If its structure does not fit, that is all
    /// there is to say: only then keys and scalars are looked at.
    pub fn fit(&self, document: &mut Document) -> Vec<Violation> {
        fit(&mut document.value, &document.meta, &self.value)
    }
}

/// The same for the value of a node.
pub(super) fn fit(value: &mut Value, holder: &Meta, declared: &Type) -> Vec<Violation> {
    let mut violations = Vec::new();
    complete(value, holder, declared, &mut violations);
    if violations.is_empty() {
        check(value, holder, declared, &mut violations);
    }
    violations
}

/// Adds missing keys, and reports maps and arrays that are in the wrong place.
fn complete(value: &mut Value, holder: &Meta, declared: &Type, violations: &mut Vec<Violation>) {
    match (declared, &*value) {
        (Type::Nullable(nullable), _) => complete(value, holder, &nullable.value, violations),
        (Type::Map(declared), Value::Map(map)) => {
            if is_incomplete(map, declared)
                && let Some(map) = value.as_map_mut()
            {
                complete_map(map, declared, violations);
            }
        }
        (Type::Array(declared), Value::Array(array)) => {
            if array.items.iter().any(|item| item.value.is_collection())
                && let Some(array) = value.as_array_mut()
            {
                for item in &mut array.items {
                    complete(&mut item.value, &item.meta, &declared.item.value, violations);
                }
            }
        }
        (Type::Array(_) | Type::Scalar(_), Value::Map(map)) => {
            violations.push(Violation::wrong_type("map", &map.meta.position(), &holder.place(), declared));
        }
        (Type::Map(_) | Type::Scalar(_), Value::Array(array)) => {
            violations.push(Violation::wrong_type(
                "array",
                &array.meta.position(),
                &holder.place(),
                declared,
            ));
        }
        _ => {}
    }
}

/// Whether a map has to be changed or looked into: one that is shared is copied for it.
fn is_incomplete(map: &Map, declared: &MapType) -> bool {
    map.items.len() < declared.items.len()
        || map.items.iter().any(|item| item.value.is_collection() || declared.find(&item.key).is_none())
}

fn complete_map(map: &mut Map, declared: &MapType, violations: &mut Vec<Violation>) {
    let mut is_there = vec![false; declared.items.len()];
    for item in &mut map.items {
        let Some(index) = declared.find(&item.key) else { continue };
        if let (Some(known), Some(is_there)) = (declared.items.get(index), is_there.get_mut(index)) {
            *is_there = true;
            complete(&mut item.value, &item.meta, &known.value, violations);
        }
    }
    let missing = declared.defaults.iter().zip(is_there).filter(|(_, is_there)| !is_there);
    map.items.extend(missing.map(|(item, _)| item.clone()));
}

/// Reports undeclared keys and scalars of the wrong kind.
fn check(value: &Value, holder: &Meta, declared: &Type, violations: &mut Vec<Violation>) {
    match (declared, value) {
        (Type::Map(declared), Value::Map(map)) => check_map(map, declared, violations),
        (Type::Array(declared), Value::Array(array)) => {
            for item in &array.items {
                check(&item.value, &item.meta, &declared.item.value, violations);
            }
        }
        (Type::Nullable(nullable), Value::Map(_) | Value::Array(_)) => {
            check(value, holder, &nullable.value, violations);
        }
        (_, Value::Map(_) | Value::Array(_)) => {}
        _ => violations.extend(check_scalar(value, holder, declared)),
    }
}

fn check_map(map: &Map, declared: &MapType, violations: &mut Vec<Violation>) {
    for item in map.items.iter().filter(|item| declared.find(&item.key).is_none()) {
        let problem = Problem::undeclared_key(&item.key, declared.keys());
        let place = item.meta.key_place();
        violations
            .push(Violation::new(problem, &item.meta.position(), &place).declared_at(&declared.position));
    }
    for item in &map.items {
        if let Some(known) = declared.get(&item.key) {
            check(&item.value, &item.meta, &known.value, violations);
        }
    }
}

/// A scalar checked against a type, at the position of the node that has it.
pub(super) fn check_scalar(value: &Value, holder: &Meta, declared: &Type) -> Option<Violation> {
    let fits = match declared {
        Type::Any(_) => true,
        Type::Nullable(nullable) => {
            return if value.is_null() { None } else { check_scalar(value, holder, &nullable.value) };
        }
        Type::Scalar(declared) => Scalar::of(value).is_some_and(|scalar| declared.scalar.takes(scalar)),
        Type::Map(_) | Type::Array(_) => false,
    };
    (!fits).then(|| Violation::wrong_type(value.type_name(), &holder.position(), &holder.place(), declared))
}
