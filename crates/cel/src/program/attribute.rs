//! Attributes: variables and what is read from them.

use crate::ast::ExprId;
use crate::function::{Fault, FaultKind};
use crate::program::machine::{Machine, Slot, Step, Stop};
use crate::program::node::{
    Access, Attribute, Candidate, Evaluated, Qualifier, QualifierKey, ResolvedName, Root,
};
use crate::shape::{ObjectShape, Shape};
use crate::value::{Map, Value, lossless_int, read};
use std::sync::Arc;
use trueline_yaml::Data;

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
            Root::Variable(number, name) => {
                let values = self.values;
                match values.get(*number) {
                    Some(Some(value)) => self.qualify_all(value, &attribute.qualifiers),
                    _ => Ok(Err(missing(name))),
                }
            }
            Root::Slot(slot) => self.resolve_slot(*slot, &attribute.qualifiers),
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

    fn resolve_slot(&mut self, slot: usize, qualifiers: &'p [Arc<Qualifier>]) -> Step {
        let is_constant = |qualifier: &Arc<Qualifier>| matches!(qualifier.key, QualifierKey::Constant(_));
        if !qualifiers.is_empty()
            && qualifiers.iter().all(is_constant)
            && let Some(place) = self.slots.get_mut(slot)
            && let Slot::Ready(Ok(_)) = place
            && let Slot::Ready(Ok(value)) = std::mem::replace(place, Slot::Empty)
        {
            // Nothing that is evaluated here reads the variable, so it is lent instead of copied.
            let found = self.qualify_all(&value, qualifiers);
            if let Some(place) = self.slots.get_mut(slot) {
                *place = Slot::Ready(Ok(value));
            }
            return found;
        }
        match self.read_slot(slot)? {
            Ok(value) => self.qualify_all(&value, qualifiers),
            Err(fault) => Ok(Err(fault)),
        }
    }

    fn resolve_maybe(&mut self, candidates: &'p [Candidate], qualifiers: &'p [Arc<Qualifier>]) -> Step {
        for candidate in candidates {
            let left = qualifiers.get(candidate.skipped..).unwrap_or_default();
            for named in &candidate.names {
                match &named.found {
                    Some(ResolvedName::Variable(number)) => {
                        let values = self.values;
                        if let Some(Some(value)) = values.get(*number) {
                            return self.qualify_all(value, left);
                        }
                    }
                    Some(ResolvedName::Slot(slot)) => {
                        return match self.read_slot(*slot)? {
                            Ok(value) => self.qualify_all(&value, left),
                            Err(fault) => Ok(Err(fault)),
                        };
                    }
                    Some(ResolvedName::Type(found)) if left.is_empty() => {
                        return Ok(Ok(Value::Type(found.clone())));
                    }
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
        let mut qualifiers = qualifiers;
        let mut current = match value {
            Value::Optional(None) => return Ok(Ok(Value::none())),
            Value::Optional(Some(held)) => {
                is_optional = true;
                plain(held)
            }
            other if qualifiers.is_empty() => return Ok(Ok(other.clone())),
            Value::Map(map) if let Some(place) = SeenMap::of(map) => match self.descend(place, qualifiers)? {
                Ok((found, left)) => {
                    qualifiers = left;
                    found
                }
                Err(fault) => return Ok(Err(fault)),
            },
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

    /// Reads fields of a document as far as that needs no value but the last.
    fn descend(
        &mut self,
        start: SeenMap<'_>,
        qualifiers: &'p [Arc<Qualifier>],
    ) -> Result<Result<Descent<'p>, Fault>, Stop> {
        let mut place = start;
        let mut left = qualifiers;
        loop {
            let Some((name, access, rest)) = next_field(left) else {
                return Ok(Ok((place.value(), left)));
            };
            let found = place.get(name);
            self.charge(1)?;
            left = rest;
            match (found, access) {
                (found, Access::Presence) => return Ok(Ok((Value::Bool(found.is_some()), left))),
                (None, _) => return Ok(Err(missing_key(&Value::String(name.clone())))),
                (Some((value, shape)), _) => match SeenMap::inside(value, shape) {
                    Some(inside) if !left.is_empty() => place = inside,
                    _ => return Ok(Ok((read(value, shape), left))),
                },
            }
        }
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

/// What is read from a value, one part after the other.
type Qualifiers<'p> = &'p [Arc<Qualifier>];

/// How far a document was read, and what is left to be read from there.
type Descent<'p> = (Value, Qualifiers<'p>);

/// A map of a document, as it is seen.
#[derive(Clone, Copy)]
struct SeenMap<'v> {
    map: &'v Arc<trueline_yaml::Map>,
    view: View<'v>,
}

#[derive(Clone, Copy)]
enum View<'v> {
    Object(&'v Arc<ObjectShape>),
    Values(&'v Shape),
}

impl<'v> SeenMap<'v> {
    fn of(map: &'v Map) -> Option<Self> {
        match map {
            Map::Object(map, shape) => Some(SeenMap { map, view: View::Object(shape) }),
            Map::Document(map, shape) => Some(SeenMap { map, view: View::Values(shape) }),
            Map::Computed(_) | Map::Lazy(_) => None,
        }
    }

    /// A value that is a map itself.
    fn inside(value: &'v trueline_yaml::Value, shape: &'v Shape) -> Option<Self> {
        match (&value.data, shape) {
            (Data::Map(map), Shape::Object(shape)) => Some(SeenMap { map, view: View::Object(shape) }),
            (Data::Map(map), Shape::Map(shape)) => Some(SeenMap { map, view: View::Values(shape) }),
            (Data::Map(map), _) => Some(SeenMap { map, view: View::Values(&Shape::Dyn) }),
            _ => None,
        }
    }

    fn get(&self, name: &str) -> Option<(&'v trueline_yaml::Value, &'v Shape)> {
        match self.view {
            View::Values(shape) => self.map.get(name).map(|entry| (&entry.value, shape)),
            View::Object(object) => {
                let field = object.fields.get(name)?;
                let value = &self.map.get(&field.key)?.value;
                // A field that is null is not there.
                (!matches!(value.data, Data::Null)).then_some((value, &field.shape))
            }
        }
    }

    fn value(&self) -> Value {
        Value::Map(match self.view {
            View::Object(shape) => Map::Object(self.map.clone(), shape.clone()),
            View::Values(shape) => Map::Document(self.map.clone(), shape.clone()),
        })
    }
}

/// The next field that is read by its name, and what comes after it.
fn next_field(qualifiers: Qualifiers<'_>) -> Option<(&Arc<str>, Access, Qualifiers<'_>)> {
    let (first, rest) = qualifiers.split_first()?;
    match &first.key {
        QualifierKey::Constant(Value::String(name)) if first.access != Access::Optional => {
            Some((name, first.access, rest))
        }
        _ => None,
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
    Fault::of(FaultKind::MissingKey(key.to_string().into()))
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
        Value::Map(map) => map_part(map, key)?.ok_or_else(|| missing_key(key)),
        Value::List(list) => {
            let index = index(key)?;
            index
                .and_then(|index| list.get(index))
                .ok_or_else(|| Fault::new(format!("index out of bounds: {key}")))
        }
        _ => Err(missing_key(key)),
    }
}

/// What a map has for a key, or why that cannot be said.
fn map_part(map: &Map, key: &Value) -> Result<Option<Value>, Fault> {
    match (map, key) {
        (Map::Lazy(map), Value::String(key)) => map.get(key).transpose(),
        _ => Ok(map.get(key)),
    }
}

/// The part of a value with this key, if there is one.
fn part_if_present(value: &Value, key: &Value) -> Result<Option<Value>, Fault> {
    match value {
        Value::Map(map) => map_part(map, key),
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
