//! Rules as keywords of schemas: what can be said about a value without running anything.

use trueline_starlark::{Thread, Value as Starlark, View};

use super::Exporter;
use super::pattern::Pattern;
use crate::error::Error;
use crate::schema::types::{Scalar, Type};
use crate::tree::Value;
use crate::validation::{Check, Format, Validation};
use crate::value::{Context, tree_value};

/// The kinds of values that keywords distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    String,
    Integer,
    Float,
    Boolean,
    Array,
    /// A map with so many keys: those that are missing are added before it is validated.
    Map(usize),
    Any,
}

impl Shape {
    pub(super) fn of(declared: &Type) -> Shape {
        match declared {
            Type::Map(map) => Shape::Map(map.items.len()),
            Type::Array(_) => Shape::Array,
            Type::Any(_) => Shape::Any,
            Type::Nullable(nullable) => Shape::of(&nullable.value),
            Type::Scalar(scalar) => match scalar.scalar {
                Scalar::String => Shape::String,
                Scalar::Integer => Shape::Integer,
                Scalar::Float => Shape::Float,
                Scalar::Boolean => Shape::Boolean,
            },
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Shape::Integer | Shape::Float)
    }
}

/// What rules say about a value. Rules under a condition are left out.
#[derive(Default)]
pub(super) struct Constraints {
    pub(super) minimum: Option<Value>,
    pub(super) maximum: Option<Value>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    /// The allowed values, if comparing with them is all there is to it.
    pub(super) allowed: Option<Vec<Value>>,
    /// The allowed values as they are written.
    pub(super) listed: Option<Vec<Value>>,
    pub(super) format: Option<Format>,
    pub(super) multiple_of: Option<u64>,
    pub(super) is_odd: bool,
    /// Each with the index of what describes it.
    pub(super) patterns: Vec<(Pattern, usize)>,
    /// Items that an array has to have.
    pub(super) contained: Vec<Value>,
    /// Keys of which exactly one is not null; an empty list stands for all keys.
    pub(super) one_not_null: Option<Vec<Value>>,
    /// JSON Schemas that were written as rules.
    pub(super) schemas: Vec<Value>,
    pub(super) refuses_null: bool,
    /// What the rules want, in words.
    pub(super) descriptions: Vec<String>,
    /// The same of those that no keyword says.
    pub(super) unsaid: Vec<String>,
}

impl Constraints {
    /// What the rules of a node say about values of its type.
    pub(super) fn of(
        declared: &Type,
        validation: Option<&Validation>,
        exporter: &mut Exporter<'_>,
    ) -> Result<Constraints, Error> {
        let mut constraints = Constraints::default();
        let Some(validation) = validation.filter(|validation| !validation.is_conditional()) else {
            return Ok(constraints);
        };
        constraints.refuses_null = validation.refuses_null();
        let shape = Shape::of(declared);
        for rule in validation.rules() {
            let description = rule.description(exporter.thread)?;
            let check = rule.check_of(shape == Shape::Array);
            let is_said = match check {
                Some(check) => constraints.say(check, shape, exporter.thread, exporter.context)?,
                None => false,
            };
            if !is_said {
                constraints.unsaid.push(description.clone());
            }
            constraints.descriptions.push(description);
        }
        Ok(constraints)
    }

    /// Notes a rule; says whether keywords can.
    fn say(
        &mut self,
        check: &Check,
        shape: Shape,
        thread: &mut Thread,
        context: &Context,
    ) -> Result<bool, Error> {
        Ok(match check {
            Check::NotNull => true,
            Check::MinLen(length) => self.say_length(length, None, shape),
            Check::MaxLen(length) => self.say_length(&Starlark::int(0), Some(length), shape),
            Check::Len(length) => self.say_length(length, Some(length), shape),
            Check::Min(bound) if shape.is_number() => match number(bound, context) {
                Some(bound) => {
                    let known = self.minimum.take();
                    self.minimum = Some(known.filter(|known| is_less(&bound, known)).unwrap_or(bound));
                    true
                }
                None => false,
            },
            Check::Max(bound) if shape.is_number() => match number(bound, context) {
                Some(bound) => {
                    let known = self.maximum.take();
                    self.maximum = Some(known.filter(|known| is_less(known, &bound)).unwrap_or(bound));
                    true
                }
                None => false,
            },
            Check::OneOf(values) if self.allowed.is_none() => {
                self.listed = elements(values, thread, context)?.filter(|values| !values.is_empty());
                match allowed(values, shape, thread, context)? {
                    Some(values) => {
                        self.allowed = Some(values);
                        true
                    }
                    None => false,
                }
            }
            Check::OneNotNull(keys) if matches!(shape, Shape::Map(_)) && self.one_not_null.is_none() => {
                let keys = match keys {
                    None => Vec::new(),
                    Some(keys) => match elements(keys, thread, context)? {
                        Some(keys) if !keys.is_empty() => keys,
                        _ => return Ok(false),
                    },
                };
                self.one_not_null = Some(keys);
                true
            }
            Check::StartsWith(text) if shape == Shape::String => self.say_literal(text, Pattern::starting),
            Check::EndsWith(text) if shape == Shape::String => self.say_literal(text, Pattern::ending),
            Check::Contains(text) if shape == Shape::String => self.say_literal(text, Pattern::containing),
            Check::Contains(item) if shape == Shape::Array => match tree_value(item, context) {
                Ok(item) if !item.is_collection() => {
                    self.contained.push(item);
                    true
                }
                _ => false,
            },
            Check::Matches(pattern) if shape == Shape::String => {
                self.patterns.push((Pattern::written(pattern.source()), self.descriptions.len()));
                true
            }
            Check::Format(format) if shape == Shape::String && self.format.is_none() => {
                self.format = Some(*format);
                true
            }
            Check::JsonSchema(schema) => {
                self.schemas.push(schema.source().clone());
                true
            }
            // Numbers are quantities.
            Check::Format(Format::Quantity) if shape.is_number() => true,
            Check::Even if shape.is_number() => self.say_factor(2),
            Check::MultipleOf(factor) if shape.is_number() => {
                match factor.as_int().and_then(|factor| u64::try_from(factor).ok()) {
                    Some(factor) => self.say_factor(factor),
                    None => false,
                }
            }
            Check::Odd if shape.is_number() => {
                self.is_odd = true;
                shape == Shape::Integer || self.say_factor(1)
            }
            _ => false,
        })
    }

    fn say_length(&mut self, least: &Starlark, most: Option<&Starlark>, shape: Shape) -> bool {
        if !matches!(shape, Shape::String | Shape::Array | Shape::Map(_)) {
            return false;
        }
        let (Some(least), Some(most)) = (least.as_int(), most.map_or(Some(i64::MAX), Starlark::as_int))
        else {
            return false;
        };
        let Ok(most) = u64::try_from(most) else { return false };
        let least = u64::try_from(least).unwrap_or(0);
        if least > 0 {
            self.min_length = Some(self.min_length.map_or(least, |known| known.max(least)));
        }
        if most < i64::MAX as u64 {
            self.max_length = Some(self.max_length.map_or(most, |known| known.min(most)));
        }
        true
    }

    fn say_literal(&mut self, text: &Starlark, pattern: fn(&str) -> Pattern) -> bool {
        match text.as_str() {
            Some(text) => {
                self.patterns.push((pattern(text), self.descriptions.len()));
                true
            }
            None => false,
        }
    }

    /// Moves a rule to those that no keyword says.
    pub(super) fn unsay(&mut self, description: usize) {
        self.unsaid.extend(self.descriptions.get(description).cloned());
    }

    /// Whether all maps with so many keys have a length that the rules allow.
    pub(super) fn allows_length(&self, length: usize) -> bool {
        let length = length as u64;
        self.min_length.is_none_or(|least| length >= least)
            && self.max_length.is_none_or(|most| length <= most)
    }

    fn say_factor(&mut self, factor: u64) -> bool {
        let known = self.multiple_of.unwrap_or(1);
        let (mut divisor, mut rest) = (known, factor);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        match (known / divisor.max(1)).checked_mul(factor) {
            // Numbers of JSON are only exact up to here.
            Some(multiple) if multiple <= 1 << 53 => {
                self.multiple_of = Some(multiple);
                true
            }
            _ => false,
        }
    }
}

/// A bound that JSON can hold.
fn number(bound: &Starlark, context: &Context) -> Option<Value> {
    match bound.view() {
        View::Int(_) | View::BigInt(_) => tree_value(bound, context).ok(),
        View::Float(float) if float.is_finite() => Some(Value::Float(float)),
        _ => None,
    }
}

fn is_less(one: &Value, two: &Value) -> bool {
    let float = |value: &Value| match value {
        Value::Int(value) => *value as f64,
        Value::UInt(value) => *value as f64,
        Value::Float(value) => *value,
        _ => f64::NAN,
    };
    match (one, two) {
        (Value::Int(one), Value::Int(two)) => one < two,
        (one, two) => float(one) < float(two),
    }
}

fn elements(values: &Starlark, thread: &mut Thread, context: &Context) -> Result<Option<Vec<Value>>, Error> {
    let Some(values) = thread.elements(values)? else { return Ok(None) };
    let values: Result<Vec<Value>, _> = values.iter().map(|value| tree_value(value, context)).collect();
    Ok(values.ok())
}

/// The values that an enumeration allows, if comparing with them is all there is to it.
fn allowed(
    values: &Starlark,
    shape: Shape,
    thread: &mut Thread,
    context: &Context,
) -> Result<Option<Vec<Value>>, Error> {
    let Some(values) = elements(values, thread, context)? else { return Ok(None) };
    let is_float = |value: &Value| matches!(value, Value::Float(float) if !float.is_finite());
    if values.iter().any(is_float) {
        return Ok(None);
    }
    let fits = |value: &Value| match shape {
        Shape::String => matches!(value, Value::String(_)),
        Shape::Integer => matches!(value, Value::Int(_) | Value::UInt(_)),
        Shape::Float => matches!(value, Value::Int(_) | Value::UInt(_) | Value::Float(_)),
        Shape::Boolean => matches!(value, Value::Bool(_)),
        Shape::Any => !value.is_collection() && !value.is_null(),
        Shape::Array | Shape::Map(_) => false,
    };
    let fitting: Vec<Value> = values.iter().filter(|value| fits(value)).cloned().collect();
    // What an array or a map is compared with depends on what is added to it; and null is what empty ones are.
    let is_exact = shape != Shape::Any || fitting.len() == values.len();
    Ok((is_exact && !fitting.is_empty()).then_some(fitting))
}
