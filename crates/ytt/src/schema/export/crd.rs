//! A schema as CRDs have it: structural, with defaults that the server fills in, and rules in CEL.

use std::rc::Rc;

use super::cel::{exactly_one, members};
use super::constraints::{Constraints, Shape};
use super::default::name_of;
use super::keys::{Key, Keywords};
use super::openapi::{add_lengths, add_numbers};
use super::{Exporter, array, map};
use crate::error::Error;
use crate::schema::types::{DocumentType, MapType, Scalar, Type};
use crate::tree::{Map, MapItem, Meta, Value};
use crate::validation::{Format, QUANTITY_PATTERN, Validation};

/// The document that `--data-values-schema-inspect -o crd-schema` prints.
pub(super) fn document(declared: &DocumentType, exporter: &mut Exporter<'_>) -> Result<Value, Error> {
    let root = Node { declared: &declared.value, validation: declared.validation.as_ref(), default: None };
    let mut keywords = root.schema(exporter)?;
    if matches!(declared.value, Type::Any(_)) {
        keywords.0.retain(|(key, _)| *key != Key::Nullable);
        keywords.string(Key::Type, "object");
    }
    Ok(map([("openAPIV3Schema", keywords.into_map())]))
}

/// A node of a schema.
struct Node<'t> {
    declared: &'t Type,
    validation: Option<&'t Rc<Validation>>,
    /// What there is if nobody says otherwise; items of arrays and whole documents have none.
    default: Option<&'t Value>,
}

impl Node<'_> {
    fn schema(&self, exporter: &mut Exporter<'_>) -> Result<Keywords, Error> {
        let mut keywords = Keywords::default();
        let (inner, is_nullable) = match self.declared {
            Type::Nullable(nullable) => (&nullable.value, true),
            other => (other, matches!(other, Type::Any(_))),
        };
        let constraints =
            Constraints::of(self.declared, self.validation.map(|validation| &**validation), exporter)?;
        let takes_null = is_nullable && !constraints.refuses_null;
        if takes_null {
            keywords.add(Key::Nullable, Value::Bool(true));
        }
        match inner {
            Type::Map(declared) => {
                keywords.string(Key::Type, "object");
                add_properties(&mut keywords, declared, exporter)?;
            }
            Type::Array(declared) => {
                let item = &declared.item;
                let item =
                    Node { declared: &item.value, validation: item.validation.as_ref(), default: None };
                keywords.string(Key::Type, "array");
                let outside = exporter.repeated;
                exporter.repeated = outside.saturating_mul(constraints.max_length.unwrap_or(u64::MAX));
                let item = item.schema(exporter);
                exporter.repeated = outside;
                keywords.add(Key::Items, item?.into_map());
            }
            Type::Scalar(scalar) => match scalar.scalar {
                Scalar::Float => keywords.string(Key::Type, "number"),
                other => keywords.string(Key::Type, other.name()),
            },
            Type::Any(_) | Type::Nullable(_) => keywords.add(Key::PreserveUnknown, Value::Bool(true)),
        }
        if let Some(default) = self.default
            && let Some(default) = filled_in(default, inner, &constraints)
            && !exporter.is_required(self.default.unwrap_or(&Value::Null), self.declared, self.validation)?
        {
            keywords.add(Key::Default, default);
        }
        add_constraints(&mut keywords, &constraints, inner, takes_null);
        if let (Some(keys), Type::Map(declared)) = (&constraints.one_not_null, inner) {
            add_union(&mut keywords, declared, keys, exporter.repeated);
        }
        let documentation = self.declared.documentation();
        keywords.add_words(documentation, &constraints.descriptions);
        if let Some(example) = documentation.examples.first() {
            keywords.add(Key::Example, example.value.clone());
        }
        Ok(keywords)
    }
}

/// The default that the server can fill in: it has to be valid where lengths are counted in characters, and a null is as
/// good as nothing. The fields of an object have defaults of their own.
fn filled_in(default: &Value, declared: &Type, constraints: &Constraints) -> Option<Value> {
    match default {
        Value::Null => None,
        Value::Map(_) if matches!(declared, Type::Map(_)) => Some(map([])),
        Value::String(text)
            if !text.is_ascii() && (constraints.min_length, constraints.max_length) != (None, None) =>
        {
            None
        }
        other => Some(other.clone()),
    }
}

fn add_properties(
    keywords: &mut Keywords,
    declared: &MapType,
    exporter: &mut Exporter<'_>,
) -> Result<(), Error> {
    let mut properties = Vec::with_capacity(declared.items.len());
    for (item, default) in declared.items.iter().zip(declared.default_items()) {
        let node = Node {
            declared: &item.value,
            validation: item.validation.as_ref(),
            default: Some(&default.value),
        };
        let name = Value::string(name_of(&default.key));
        properties.push(MapItem::plain(name, node.schema(exporter)?.into_map()));
    }
    if !properties.is_empty() {
        keywords.add(Key::Properties, Map::new(properties, Meta::default()).into());
    }
    let required = exporter.required(declared)?;
    if !required.is_empty() {
        keywords.add(Key::Required, array(required));
    }
    Ok(())
}

fn add_constraints(keywords: &mut Keywords, constraints: &Constraints, declared: &Type, takes_null: bool) {
    add_numbers(keywords, constraints);
    let shape = Shape::of(declared);
    if shape == Shape::Integer {
        without_fractions(keywords);
    }
    let mut all = Vec::new();
    match shape {
        Shape::Array => add_lengths(keywords, constraints, (Key::MinItems, Key::MaxItems)),
        Shape::String => add_lengths(keywords, constraints, (Key::MinLength, Key::MaxLength)),
        // All keys are there when a map is validated, and so the rule says nothing or is never met.
        Shape::Map(length) if !constraints.allows_length(length) => {
            keywords.add(Key::MinProperties, Value::unsigned(length as u64 + 1));
        }
        _ => {}
    }
    if let Some(values) = &constraints.allowed {
        let values = array(values.iter().cloned());
        match takes_null {
            // The server looks for null in an enumeration and never finds it, but it does not look further inside.
            true => all.push(map([("enum", values)])),
            false => keywords.add(Key::Enum, values),
        }
    }
    if constraints.is_odd {
        keywords.add(Key::Not, map([("multipleOf", Value::Int(2))]));
    }
    let mut patterns: Vec<&str> =
        constraints.patterns.iter().map(|(pattern, _)| pattern.go.as_str()).collect();
    if let Some(format) = constraints.format {
        let (name, pattern) = checked_format(format);
        if let Some(name) = name {
            keywords.string(Key::Format, name);
        }
        patterns.extend(pattern);
    }
    let mut patterns = patterns.into_iter();
    if let Some(pattern) = patterns.next() {
        keywords.string(Key::Pattern, pattern);
    }
    all.extend(patterns.map(|pattern| map([("pattern", Value::string(pattern))])));
    if !all.is_empty() {
        keywords.add(Key::AllOf, array(all));
    }
}

/// Rules in CEL may cost so much: those of items are only written where their number is limited.
const MOST_CHECKED: u64 = 100_000;

/// The rule that exactly one member is set.
fn add_union(keywords: &mut Keywords, declared: &MapType, keys: &[Value], repeated: u64) {
    let members = members(declared, keys);
    if repeated.saturating_mul(members.len() as u64) > MOST_CHECKED {
        return;
    }
    if let Some(rule) = exactly_one(declared, &members) {
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        let message = format!("exactly one of {} must be set", names.join(", "));
        let rule = map([("rule", Value::string(rule)), ("message", Value::string(message))]);
        keywords.add(Key::CelRules, array([rule]));
    }
}

/// The server cuts fractions off the bounds of integers.
fn without_fractions(keywords: &mut Keywords) {
    for (key, value) in &mut keywords.0 {
        let Value::Float(bound) = *value else { continue };
        let bound = match key {
            Key::Minimum => bound.ceil(),
            Key::Maximum => bound.floor(),
            _ => continue,
        };
        if bound.abs() < 9e15 {
            *value = Value::Int(bound as i64);
        }
    }
}

const HOSTNAME: &str =
    "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$";

/// The name of a format that the server checks, and what it has to match besides: the server takes more for a URI and for
/// an address of mail.
fn checked_format(format: Format) -> (Option<&'static str>, Option<&'static str>) {
    match format {
        Format::Quantity => (None, Some(QUANTITY_PATTERN)),
        Format::Uri => (Some("uri"), Some("^[A-Za-z][A-Za-z0-9+.-]*:")),
        Format::Email => (Some("email"), Some("^[^<>]*$")),
        // The server refuses names that end with a label of digits.
        Format::Hostname => (None, Some(HOSTNAME)),
        Format::DateTime | Format::Date | Format::Ipv4 | Format::Ipv6 | Format::Uuid => {
            (Some(format.name()), None)
        }
        _ => (None, None),
    }
}
