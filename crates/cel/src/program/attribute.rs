//! Attributes: variables and what is read from them.

use crate::ast::ExprId;
use crate::function::Fault;
use crate::program::machine::{Machine, Slot, Step, Stop};
use crate::program::node::{Access, Attribute, Candidate, Evaluated, Found, Qualifier, QualifierKey, Root};
use crate::value::{Value, lossless_int};
use std::sync::Arc;

impl<'p> Machine<'p> {
    /// The value of an attribute that is evaluated by itself. A condition costs what its parts cost.
    pub(super) fn eval_attribute(&mut self, attribute: &'p Attribute) -> Step {
        let value = self.resolve(attribute)?;
        if !matches!(attribute.root, Root::Conditional(_)) {
            self.charge(1)?;
        }
        Ok(value.map_err(|fault| fault.at(attribute.id)))
    }

    /// `has(a.b)`: costs what it costs to come to `a`, and to look.
    pub(super) fn eval_presence(&mut self, id: ExprId, attribute: &'p Attribute) -> Step {
        let value = self.resolve(attribute)?;
        if matches!(attribute.root, Root::Conditional(_)) {
            // cel-go takes one unit back that a condition never cost.
            self.cost = self.cost.wrapping_sub(1);
            self.charge(0)?;
        }
        Ok(match value {
            Ok(Value::Optional(held)) => Ok(Value::Bool(held.is_some())),
            other => other.map_err(|fault| fault.at(id)),
        })
    }

    /// The value of an attribute as part of something else, which costs nothing for the attribute itself.
    pub(super) fn resolve(&mut self, attribute: &'p Attribute) -> Step {
        match &attribute.root {
            Root::Variable(number, name) => match self.values.get(*number) {
                Some(Some(value)) => self.qualify_all(value, &attribute.qualifiers),
                _ => Ok(Err(missing(name))),
            },
            Root::Slot(slot) => match self.read_slot(*slot)? {
                Ok(value) => self.qualify_all(&value, &attribute.qualifiers),
                Err(fault) => Ok(Err(fault)),
            },
            Root::Computed(node) => match self.eval(node)? {
                Ok(value) => self.qualify_all(&value, &attribute.qualifiers),
                Err(fault) => Ok(Err(fault)),
            },
            Root::Conditional(conditional) => match self.eval(&conditional.condition)? {
                Ok(Value::Bool(true)) => self.resolve(&conditional.truthy),
                Ok(Value::Bool(false)) => self.resolve(&conditional.falsy),
                Ok(_) => Ok(Err(Fault::no_such_overload())),
                Err(fault) => Ok(Err(fault)),
            },
            Root::Maybe(candidates) => self.resolve_maybe(candidates, &attribute.qualifiers),
        }
    }

    fn resolve_maybe(&mut self, candidates: &'p [Candidate], qualifiers: &'p [Arc<Qualifier>]) -> Step {
        for candidate in candidates {
            let left = qualifiers.get(candidate.skipped..).unwrap_or_default();
            for named in &candidate.names {
                match &named.found {
                    Some(Found::Variable(number)) => {
                        if let Some(Some(value)) = self.values.get(*number) {
                            return self.qualify_all(value, left);
                        }
                    }
                    Some(Found::Slot(slot)) => {
                        return match self.read_slot(*slot)? {
                            Ok(value) => self.qualify_all(&value, left),
                            Err(fault) => Ok(Err(fault)),
                        };
                    }
                    Some(Found::Type(found)) if left.is_empty() => return Ok(Ok(Value::Type(found.clone()))),
                    _ => {}
                }
            }
        }
        let names = candidates.first().map(|candidate| {
            candidate.names.iter().map(|named| named.name.to_string()).collect::<Vec<_>>().join(", ")
        });
        Ok(Err(missing(&names.unwrap_or_default())))
    }

    /// The value of a variable of a comprehension. An accumulator is computed when it is first read.
    pub(super) fn read_slot(&mut self, slot: usize) -> Step {
        match self.slots.get(slot) {
            Some(Slot::Ready(value)) => Ok(value.clone()),
            Some(Slot::Pending(node)) => {
                let node = *node;
                let value = self.eval(node)?;
                if let Some(slot) = self.slots.get_mut(slot) {
                    *slot = Slot::Ready(value.clone());
                }
                Ok(value)
            }
            _ => Ok(Err(Fault::new("no such attribute(s)"))),
        }
    }

    /// Reads one part after the other.
    fn qualify_all(&mut self, value: &Value, qualifiers: &'p [Arc<Qualifier>]) -> Step {
        let mut is_optional = false;
        let mut current = match value {
            Value::Optional(None) => return Ok(Ok(Value::none())),
            Value::Optional(Some(held)) => {
                is_optional = true;
                plain(held)
            }
            other if qualifiers.is_empty() => return Ok(Ok(other.clone())),
            other => other.clone(),
        };
        for qualifier in qualifiers {
            is_optional |= qualifier.access == Access::Optional;
            current = if is_optional {
                match self.qualify_if_present(qualifier, &current)? {
                    Ok(Some(found)) => found,
                    Ok(None) => return Ok(Ok(Value::none())),
                    Err(fault) => return Ok(Err(fault)),
                }
            } else {
                match self.qualify(qualifier, &current)? {
                    Ok(found) => found,
                    Err(fault) => return Ok(Err(fault)),
                }
            };
        }
        Ok(Ok(if is_optional { Value::some(current) } else { current }))
    }

    fn qualify(&mut self, qualifier: &'p Qualifier, value: &Value) -> Step {
        let found = match self.key(qualifier)? {
            Ok(key) if qualifier.access == Access::Presence => {
                part_if_present(value, key.get()).map(|found| Value::Bool(found.is_some()))
            }
            Ok(key) => part(value, key.get()),
            Err(fault) => Err(fault),
        };
        self.charge(1)?;
        Ok(found.map_err(|fault| fault.at(qualifier.id)))
    }

    fn qualify_if_present(
        &mut self,
        qualifier: &'p Qualifier,
        value: &Value,
    ) -> Result<Result<Option<Value>, Fault>, Stop> {
        let found = match self.key(qualifier)? {
            Ok(key) => part_if_present(value, key.get()),
            Err(fault) => Err(fault),
        };
        // What is not there costs nothing.
        if let Ok(Some(_)) = found {
            self.charge(1)?;
        }
        Ok(found.map_err(|fault| fault.at(qualifier.id)))
    }

    fn key(&mut self, qualifier: &'p Qualifier) -> Result<Result<KeyValue<'p>, Fault>, Stop> {
        let value = match &qualifier.key {
            QualifierKey::Constant(value) => return Ok(Ok(KeyValue::Constant(value))),
            QualifierKey::Attribute(attribute) => self.resolve(attribute)?,
            QualifierKey::Computed(node) => self.eval(node)?,
        };
        Ok(value.and_then(|value| match is_key(&value) {
            true => Ok(KeyValue::Computed(value)),
            false => Err(invalid_key(&value)),
        }))
    }
}

/// What a part is asked for by.
enum KeyValue<'p> {
    Constant(&'p Value),
    Computed(Value),
}

impl KeyValue<'_> {
    fn get(&self) -> &Value {
        match self {
            KeyValue::Constant(value) => value,
            KeyValue::Computed(value) => value,
        }
    }
}

/// Whether parts can be asked for by this value.
pub(super) fn is_key(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Int(_) | Value::UInt(_) | Value::Bool(_) | Value::Double(_))
}

pub(super) fn invalid_key(value: &Value) -> Fault {
    Fault::new(format!("invalid qualifier type: {}", crate::program::build::go_type(value)))
}

fn missing(name: &str) -> Fault {
    Fault::new(format!("no such attribute(s): {name}"))
}

fn missing_key(key: &Value) -> Fault {
    Fault::new(format!("no such key: {key}"))
}

/// What Go sees in an optional: inner optionals are taken apart, and a type is its name.
fn plain(held: &Value) -> Value {
    match held {
        Value::Optional(Some(inner)) => plain(inner),
        Value::Optional(None) => Value::Null,
        Value::Type(named) => Value::string(named.runtime_name()),
        other => other.clone(),
    }
}

/// The part of a value with this key.
fn part(value: &Value, key: &Value) -> Evaluated {
    match value {
        Value::Map(map) => map.get(key).ok_or_else(|| missing_key(key)),
        Value::List(list) => {
            let index = index(key)?;
            index
                .and_then(|index| list.get(index))
                .ok_or_else(|| Fault::new(format!("index out of bounds: {key}")))
        }
        _ => Err(missing_key(key)),
    }
}

/// The part of a value with this key, if there is one.
fn part_if_present(value: &Value, key: &Value) -> Result<Option<Value>, Fault> {
    match value {
        Value::Map(map) => Ok(map.get(key)),
        Value::List(list) => Ok(index(key)?.and_then(|index| list.get(index))),
        _ => Ok(None),
    }
}

/// The index that a key is in a list; nothing if it is negative.
fn index(key: &Value) -> Result<Option<usize>, Fault> {
    let unsupported = || Fault::new(format!("unsupported index value {key} in list"));
    let index = match key {
        Value::Int(index) => *index,
        Value::Double(number) => lossless_int(*number).ok_or_else(unsupported)?,
        Value::UInt(index) => i64::try_from(*index).map_err(|_| unsupported())?,
        other => return Err(Fault::new(format!("unsupported index type '{}' in list", other.type_name()))),
    };
    Ok(usize::try_from(index).ok())
}
