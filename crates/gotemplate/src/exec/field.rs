//! Fields, methods and keys.

use super::call::Callee;
use super::pipeline::arguments_to;
use super::{Cell, Frame, MissingKey, Run};
use crate::node::{Chain, Fields, Name, Operand, Variable};
use crate::{Data, Error, Kind, Map, MapKind, Object, Reason, Value, fmt};

impl Run<'_> {
    /// `(…).a.b`.
    pub(super) fn chain<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        chain: &'t Chain,
        arguments: &'t [Operand],
        last: Option<Cell>,
    ) -> Result<Cell, Error> {
        frame.node = chain;
        let receiver = match &chain.operand {
            Operand::Pipe(pipe) => {
                let pipe = frame.nodes.pipe(*pipe);
                frame.node = pipe;
                self.nested(frame, dot, pipe)?
            }
            Operand::Function(function) => {
                frame.node = function;
                self.function(frame, dot, function, function, &[], None)?
            }
            other => {
                let words = format!("indirection through explicit nil in {}", frame.written(other));
                return Err(frame.error(words, None));
            }
        };
        self.fields_of(frame, dot, &receiver, chain.fields, chain, arguments, last)
    }

    /// `$x.a.b`.
    pub(super) fn variable<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        variable: &'t Variable,
        arguments: &'t [Operand],
        last: Option<Cell>,
    ) -> Result<Cell, Error> {
        frame.node = variable;
        // They are searched one by one.
        crate::Context::spend(self, frame.variables.len() as u64 / 32)?;
        let name = frame.nodes.name(variable.name);
        let found = frame.variables.iter().rev().find(|(known, _)| **known == **name);
        let Some((_, cell)) = found else {
            return Err(frame.error(format!("undefined variable: {name}"), None));
        };
        let cell = cell.clone();
        if variable.fields.is_empty() {
            if !arguments.is_empty() || last.is_some() {
                return Err(arguments_to(frame, variable));
            }
            return Ok(cell);
        }
        self.fields(frame, dot, &cell, variable.fields, arguments, last)
    }

    /// Reads the fields of a receiver one after the other; they belong to the node that is being executed.
    pub(super) fn fields<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        receiver: &Cell,
        fields: Fields,
        arguments: &'t [Operand],
        last: Option<Cell>,
    ) -> Result<Cell, Error> {
        let node = frame.node;
        self.fields_of(frame, dot, receiver, fields, node, arguments, last)
    }

    #[expect(clippy::too_many_arguments, reason = "the same arguments as in Go's evaluator")]
    fn fields_of<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        receiver: &Cell,
        fields: Fields,
        node: &'t dyn crate::node::Syntax,
        arguments: &'t [Operand],
        mut last: Option<Cell>,
    ) -> Result<Cell, Error> {
        let names = fields.names(frame.nodes);
        let count = names.len();
        if arguments.is_empty()
            && last.is_none()
            && count <= FEW
            && let Some(found) = self.keys(&receiver.value, names.clone())
        {
            return Ok(found);
        }
        let mut current: Option<Cell> = None;
        for (index, name) in names.enumerate() {
            let is_last = index + 1 == count;
            let receiver = current.as_ref().unwrap_or(receiver);
            let access = Access {
                fields,
                index,
                node,
                arguments: if is_last { arguments } else { &[] },
                last: if is_last { last.take() } else { None },
            };
            current = Some(self.field(frame, dot, receiver, name, access)?);
        }
        Ok(current.unwrap_or(Cell::INVALID))
    }

    /// The value found by following keys of maps, which is nearly always possible. `None` if something else is
    /// needed: a method, an object, or a missing key.
    fn keys<'n>(&self, receiver: &Value, mut names: impl ExactSizeIterator<Item = &'n Name>) -> Option<Cell> {
        let Data::Map(map) = &receiver.data else { return None };
        let name = names.next()?;
        if let MapKind::Named(type_name) = map.kind()
            && (self.options.map_methods)(type_name, name).is_some()
        {
            return None;
        }
        let boxed = map.kind() != MapKind::String;
        map.look_up(name, |entry| match entry {
            Some(entry) if names.len() == 0 => Some(Cell { value: entry.value.clone(), boxed }),
            Some(entry) => self.keys(&entry.value, names),
            None if names.len() == 0 && boxed && self.options.missing_key == MissingKey::Zero => {
                Some(Cell::boxed(self.nil_in(receiver)))
            }
            None => None,
        })
    }

    fn field<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        receiver: &Cell,
        name: &str,
        access: Access<'t>,
    ) -> Result<Cell, Error> {
        match &receiver.value.data {
            Data::Map(map) => self.map_field(frame, dot, receiver, map, name, access),
            Data::Invalid => match self.options.missing_key {
                MissingKey::Error => {
                    let words = format!("nil data; no entry for key {}", fmt::quote(name));
                    Err(frame.error(words, Some(Reason::NoKey { key: name.to_string() })))
                }
                MissingKey::Invalid | MissingKey::Zero => Ok(Cell::INVALID),
            },
            Data::Nil => {
                let words = format!("nil pointer evaluating interface {{}}.{name}");
                let reason = Reason::FieldOfNil { field: name.to_string(), owner: access.owner(frame) };
                Err(frame.error_about(words, reason, &[&receiver.value]))
            }
            Data::Object(object) => {
                if let Some(method) = object.method(name) {
                    let callee = Callee::Method(object.clone(), method);
                    return self.call(frame, dot, &callee, access.node, access.arguments, access.last);
                }
                let has_arguments = access.has_arguments();
                let found = match object.kind() {
                    Kind::Map => object.entries().map(|entries| {
                        let found = entries.into_iter().find(|(key, _)| **key == *name);
                        found.map_or_else(|| self.missing_in(&**object), |(_, value)| Cell::plain(value))
                    }),
                    _ => object.field(name).map(Cell::plain),
                };
                match found {
                    Some(_) if has_arguments && object.kind() == Kind::Map => Err(not_a_method(frame, name)),
                    Some(_) if has_arguments => {
                        let words = format!("{name} has arguments but cannot be invoked as function");
                        let reason = Reason::NotAFunction { found: name.to_string() };
                        Err(frame.error(words, Some(reason)))
                    }
                    Some(cell) => Ok(cell),
                    None => Err(no_field(frame, receiver, name, &access)),
                }
            }
            _ => Err(no_field(frame, receiver, name, &access)),
        }
    }

    fn map_field<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        receiver: &Cell,
        map: &Map,
        name: &str,
        access: Access<'t>,
    ) -> Result<Cell, Error> {
        let kind = map.kind();
        if let MapKind::Named(type_name) = kind
            && let Some(method) = (self.options.map_methods)(type_name, name)
        {
            let callee = Callee::MapMethod(map.clone(), method);
            return self.call(frame, dot, &callee, access.node, access.arguments, access.last);
        }
        if access.has_arguments() {
            return Err(not_a_method(frame, name));
        }
        let boxed = kind != MapKind::String;
        match map.get(name) {
            Some(value) => Ok(Cell { value, boxed }),
            None => match self.options.missing_key {
                MissingKey::Invalid => Ok(Cell::INVALID),
                MissingKey::Zero if boxed => Ok(Cell::boxed(self.nil_in(&receiver.value))),
                MissingKey::Zero => Ok(Cell::plain(Value::from(""))),
                MissingKey::Error => {
                    let words = format!("map has no entry for key {}", fmt::quote(name));
                    let reason = Reason::NoKey { key: name.to_string() };
                    Err(frame.error_about(words, reason, &[&receiver.value]))
                }
            },
        }
    }

    /// Nil for a missing key. It was not typed anywhere, but the map was.
    fn nil_in(&self, map: &Value) -> Value {
        Value::nil().at(if self.traces { map.origin } else { None })
    }

    fn missing_in(&self, object: &dyn Object) -> Cell {
        match self.options.missing_key {
            MissingKey::Zero => {
                let value = object.missing();
                Cell { boxed: value.is_nil(), value }
            }
            MissingKey::Invalid | MissingKey::Error => Cell::INVALID,
        }
    }
}

/// How many names are looked up at once; each takes some stack.
const FEW: usize = 16;

/// How a field is accessed.
struct Access<'t> {
    /// All fields of the node, and which of them it is.
    fields: Fields,
    index: usize,
    /// The node, for errors of a method.
    node: &'t dyn crate::node::Syntax,
    arguments: &'t [Operand],
    last: Option<Cell>,
}

impl Access<'_> {
    fn has_arguments(&self) -> bool {
        !self.arguments.is_empty() || self.last.is_some()
    }

    /// What precedes the field, as written.
    fn owner(&self, frame: &Frame<'_>) -> String {
        let whole = frame.written(self.node);
        let behind: usize = self.fields.names(frame.nodes).skip(self.index).map(|name| name.len() + 1).sum();
        let end = whole.len().saturating_sub(behind);
        whole.get(..end).unwrap_or_default().to_owned()
    }
}

fn not_a_method(frame: &Frame<'_>, name: &str) -> Error {
    let words = format!("{name} is not a method but has arguments");
    frame.error(words, Some(Reason::NotAFunction { found: name.to_owned() }))
}

fn no_field(frame: &Frame<'_>, receiver: &Cell, name: &str, access: &Access<'_>) -> Error {
    let words = format!("can't evaluate field {name} in type {}", receiver.type_name());
    let reason = Reason::NoField {
        field: name.to_owned(),
        owner: access.owner(frame),
        found: receiver.value.type_name(),
    };
    frame.error_about(words, reason, &[&receiver.value])
}
