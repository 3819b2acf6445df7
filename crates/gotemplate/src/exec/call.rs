//! Calls of functions and methods: their arguments are counted, evaluated and checked as in Go.

use std::rc::Rc;
use std::sync::Arc;

use super::origin::origin_of;
use super::{Cell, Frame, MapMethod, Run};
use crate::function::Form;
use crate::node::{self, Operand, Syntax};
use crate::{
    Data, Error, Function, IntKind, Map, MapKind, Method, Object, Reason, Str, Type, Value, Variadic, fmt,
};

/// The function or method that is called.
pub(super) enum Callee<'r> {
    Function(&'r Function, Form),
    Method(Rc<dyn Object>, &'static Method),
    MapMethod(Map, &'static MapMethod),
}

impl Callee<'_> {
    fn name(&self) -> &'static str {
        match self {
            Callee::Function(function, _) => function.name,
            Callee::Method(_, method) => method.name,
            Callee::MapMethod(_, method) => method.name,
        }
    }

    fn parameters(&self) -> &'static [Type] {
        match self {
            Callee::Function(function, _) => function.parameters,
            Callee::Method(_, method) => method.parameters,
            Callee::MapMethod(_, method) => method.parameters,
        }
    }

    fn is_variadic(&self) -> bool {
        matches!(self, Callee::Function(Function { variadic: Variadic::Yes, .. }, _))
    }

    fn form(&self) -> Form {
        match self {
            Callee::Function(_, form) => *form,
            _ => Form::Plain,
        }
    }
}

/// The largest result of one call.
pub(crate) const LARGEST_RESULT: usize = 32 << 20;

/// How many bytes of memory one step covers: all steps of a run together allow a few hundred megabytes.
const BYTES_PER_STEP: usize = 2;

/// How many bytes of reading one step covers.
const READ_PER_STEP: usize = 16;

impl Run<'_> {
    /// Calls a function by its name. Errors of the function are about `node`.
    pub(super) fn function<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        function: &'t node::Function,
        node: &'t dyn Syntax,
        arguments: &'t [Operand],
        last: Option<Cell>,
    ) -> Result<Cell, Error> {
        let functions = self.set.functions();
        let Some(callee) = functions.get(function.id) else {
            let words =
                format!("{} is not a defined function", fmt::quote(&**frame.nodes.name(function.name)));
            return Err(frame.error(words, None));
        };
        let callee = Callee::Function(callee, functions.form(function.id));
        self.call(frame, dot, &callee, node, arguments, last)
    }

    /// Calls a function or a method.
    pub(super) fn call<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        callee: &Callee<'_>,
        node: &'t dyn Syntax,
        arguments: &'t [Operand],
        last: Option<Cell>,
    ) -> Result<Cell, Error> {
        self.step(frame)?;
        check_count(frame, callee, arguments.len(), last.is_some())?;
        if matches!(callee.form(), Form::And | Form::Or) {
            return self.short_circuit(frame, dot, callee, arguments, last);
        }
        let mut values = self.spare.pop().unwrap_or_default();
        for (index, argument) in arguments.iter().enumerate() {
            let value = self.argument(frame, dot, callee, parameter(callee, index), argument)?;
            values.push(value);
        }
        if let Some(last) = last {
            let wanted = parameter(callee, arguments.len());
            values.push(fit(frame, callee, last, wanted)?);
        }
        let result = self.charge_arguments(&values).and_then(|()| match callee {
            Callee::Function(_, Form::Call) => Err(call_of_value(frame, arguments, &values)),
            Callee::Function(function, _) => (function.call)(self, &values),
            Callee::Method(object, method) => (method.call)(&**object, self, &values),
            Callee::MapMethod(map, method) => (method.call)(map, self, &values),
        });
        let mut value = match result.and_then(|value| self.charge(value)) {
            Ok(value) => value,
            Err(error) => {
                frame.node = node;
                return Err(frame.call_error(callee.name(), error, &values));
            }
        };
        if self.traces
            && value.origin.is_none()
            && value.as_str().is_none_or(|text| text.runs().is_empty())
            && !values.iter().any(|argument| is_handed_on(argument, &value))
        {
            value.origin = values.iter().rev().filter(|value| !value.is_nil()).find_map(origin_of);
        }
        values.clear();
        self.spare.push(values);
        Ok(Cell::plain(value))
    }

    /// Charges for the strings that a function receives, because most functions read them completely, and for
    /// bytes, which many convert to a list.
    fn charge_arguments(&mut self, values: &[Value]) -> Result<(), Error> {
        let cost: usize = values
            .iter()
            .map(|value| match &value.data {
                Data::String(text) => text.len() / READ_PER_STEP + text.runs().len() / READ_PER_STEP,
                Data::Bytes(bytes) => bytes.len().saturating_mul(size_of::<Value>() / BYTES_PER_STEP),
                _ => 0,
            })
            .fold(0, usize::saturating_add);
        crate::Context::spend(self, cost as u64)
    }

    /// Charges for the result of a function, so no template can fill the memory by calling it again and again.
    fn charge(&mut self, value: Value) -> Result<Value, Error> {
        let bytes = match &value.data {
            Data::String(text) => {
                if text.len() > LARGEST_RESULT {
                    return Err(Error::limit(format!(
                        "the result is larger than {} MiB",
                        LARGEST_RESULT >> 20
                    )));
                }
                text.len().saturating_add(std::mem::size_of_val(text.runs()))
            }
            Data::Bytes(bytes) => bytes.len(),
            Data::List(list) => list.len().saturating_mul(size_of::<Value>()),
            _ => 0,
        };
        crate::Context::spend(self, (bytes / BYTES_PER_STEP) as u64)?;
        Ok(value)
    }

    /// `and` and `or` evaluate no more arguments than they need.
    fn short_circuit<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        callee: &Callee<'_>,
        arguments: &'t [Operand],
        last: Option<Cell>,
    ) -> Result<Cell, Error> {
        let decides = callee.form() == Form::Or;
        let mut value = Value::new(Data::Invalid);
        for argument in arguments {
            value = self.argument(frame, dot, callee, Type::Reflect, argument)?;
            if value.is_true() == decides {
                return Ok(Cell::plain(value));
            }
        }
        Ok(last.unwrap_or_else(|| Cell::plain(value)))
    }

    /// The value of an argument for a parameter.
    fn argument<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        callee: &Callee<'_>,
        wanted: Type,
        operand: &'t Operand,
    ) -> Result<Value, Error> {
        frame.node = operand;
        let nodes = frame.nodes;
        let cell = match operand {
            Operand::Field(field) => {
                frame.node = field;
                self.fields(frame, dot, dot, field.fields, &[], None)?
            }
            Operand::Dot(_) => dot.clone(),
            Operand::Variable(variable) => self.variable(frame, dot, variable, &[], None)?,
            Operand::Pipe(pipe) => self.nested(frame, dot, nodes.pipe(*pipe))?,
            Operand::Function(function) => {
                frame.node = function;
                self.function(frame, dot, function, function, &[], None)?
            }
            Operand::Chain(chain) => self.chain(frame, dot, nodes.chain(*chain), &[], None)?,
            Operand::Nil(_) if can_be_nil(wanted) => return Ok(zero(wanted)),
            Operand::Nil(_) => {
                let words = format!("cannot assign nil to {}", wanted.name());
                return Err(frame.error(words, Some(mismatch(callee, wanted, "nil"))));
            }
            Operand::Bool(..) | Operand::Number(_) | Operand::Text(_) => {
                return self.constant(frame, callee, wanted, operand);
            }
        };
        fit(frame, callee, cell, wanted)
    }

    /// A constant takes the type of the parameter.
    fn constant<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        callee: &Callee<'_>,
        wanted: Type,
        operand: &'t Operand,
    ) -> Result<Value, Error> {
        let nodes = frame.nodes;
        let data = match (wanted, operand) {
            (Type::Any | Type::Reflect | Type::Bool, Operand::Bool(_, value)) => Data::Bool(*value),
            (Type::Any | Type::Reflect | Type::String, Operand::Text(constant)) => {
                Data::String(Str::from(nodes.constant(constant.value).clone()))
            }
            (Type::Any | Type::Reflect, Operand::Number(number)) => {
                return self.number(frame, nodes.number(*number)).map(|cell| cell.value);
            }
            (_, Operand::Number(number)) => match (wanted, nodes.number(*number)) {
                (Type::Int(kind), node::Number { int: Some(value), .. }) => {
                    Data::Int(kind, kind.wrap(*value))
                }
                (Type::NamedInt(_), node::Number { int: Some(value), .. }) => {
                    Data::Int(IntKind::Int64, *value)
                }
                (Type::Uint(kind), node::Number { uint: Some(value), .. }) => {
                    Data::Uint(kind, kind.wrap(*value))
                }
                (Type::Float64, node::Number { float: Some(value), .. }) => Data::Float(*value),
                (Type::Complex128, node::Number { complex: Some(parts), .. }) => {
                    Data::Complex((*parts).into())
                }
                _ => return Err(unexpected(frame, callee, wanted, operand)),
            },
            _ => return Err(unexpected(frame, callee, wanted, operand)),
        };
        Ok(Value::new(data))
    }
}

/// Whether a result is an argument that was not typed as a value, such as the constant that `default` falls
/// back to: then the other arguments do not determine its place.
fn is_handed_on(argument: &Value, result: &Value) -> bool {
    argument.origin.is_none()
        && match (&argument.data, &result.data) {
            (Data::String(text), Data::String(result)) => Arc::ptr_eq(text.shared(), result.shared()),
            (Data::Int(kind, number), Data::Int(of, result)) => kind == of && number == result,
            (Data::Float(number), Data::Float(result)) => number == result,
            (Data::Bool(flag), Data::Bool(result)) => flag == result,
            _ => false,
        }
}

/// The error about a constant that does not fit a parameter of this type.
fn unexpected(frame: &Frame<'_>, callee: &Callee<'_>, wanted: Type, operand: &Operand) -> Error {
    let found = frame.written(operand);
    let kind = match wanted {
        Type::Bool => "bool",
        Type::String => "string",
        Type::Int(_) | Type::NamedInt(_) => "integer",
        Type::Uint(_) => "unsigned integer",
        Type::Float64 => "float",
        Type::Complex128 => "complex",
        _ => {
            let words = format!("can't handle {found} for arg of type {}", wanted.name());
            return frame.error(words, Some(mismatch(callee, wanted, constant_type(frame, operand))));
        }
    };
    let reason = mismatch(callee, wanted, constant_type(frame, operand));
    frame.error(format!("expected {kind}; found {found}"), Some(reason))
}

/// The type that a constant has by itself.
fn constant_type(frame: &Frame<'_>, operand: &Operand) -> &'static str {
    match operand {
        Operand::Bool(..) => "bool",
        Operand::Number(number) if frame.nodes.number(*number).int.is_some() => "int",
        Operand::Number(_) => "float64",
        Operand::Text(_) => "string",
        _ => "nil",
    }
}

fn mismatch(callee: &Callee<'_>, wanted: Type, found: &str) -> Reason {
    Reason::ArgumentType {
        function: callee.name().to_owned(),
        wanted: wanted.name().into_owned(),
        found: found.to_owned(),
    }
}

/// The type of the parameter that takes the argument at `index`.
fn parameter(callee: &Callee<'_>, index: usize) -> Type {
    let parameters = callee.parameters();
    parameters.get(index).or(parameters.last()).copied().unwrap_or(Type::Any)
}

fn check_count(frame: &Frame<'_>, callee: &Callee<'_>, written: usize, piped: bool) -> Result<(), Error> {
    let wanted = callee.parameters().len();
    let found = written + usize::from(piped);
    let name = callee.name();
    let (words, wanted) = if callee.is_variadic() {
        let least = wanted.saturating_sub(1);
        if found >= least {
            return Ok(());
        }
        // Go does not count the piped argument here.
        (format!("wrong number of args for {name}: want at least {least} got {written}"), least)
    } else {
        if found == wanted {
            return Ok(());
        }
        (format!("wrong number of args for {name}: want {wanted} got {found}"), wanted)
    };
    let variadic = callee.is_variadic();
    let reason = Reason::ArgumentCount { function: name.to_owned(), wanted, variadic, found };
    Err(frame.error(words, Some(reason)))
}

/// The value for a parameter, if it has the right type.
fn fit(frame: &Frame<'_>, callee: &Callee<'_>, cell: Cell, wanted: Type) -> Result<Value, Error> {
    let value = cell.value;
    match (&value.data, wanted) {
        (_, Type::Reflect) => return Ok(value),
        (Data::Invalid, _) if can_be_nil(wanted) => return Ok(zero(wanted).at(value.origin)),
        (Data::Invalid, _) => {
            let words = format!("invalid value; expected {}", wanted.name());
            return Err(frame.error_about(words, mismatch(callee, wanted, "nil"), &[&value]));
        }
        _ if is_assignable(&value, wanted) => return Ok(value),
        _ => {}
    }
    let found = match value.data {
        Data::Nil => "interface {}".to_owned(),
        _ => value.type_name(),
    };
    let words = format!("wrong type for value; expected {}; got {found}", wanted.name());
    Err(frame.error_about(words, mismatch(callee, wanted, &found), &[&value]))
}

fn is_assignable(value: &Value, wanted: Type) -> bool {
    match (value.type_of(), wanted) {
        (_, Type::Any | Type::Reflect) => true,
        (_, _) if value.is_nil() => false,
        // A named type and its underlying type.
        (Type::Map(MapKind::Named(_)), Type::Map(MapKind::Any))
        | (Type::Map(MapKind::Any), Type::Map(MapKind::Named(_))) => true,
        // Pointers are followed.
        (Type::Named(found), Type::Named(wanted)) => {
            found.strip_prefix('*').unwrap_or(found) == wanted || found == wanted
        }
        (Type::Named(found), Type::NamedInt(wanted)) => found == wanted,
        (found, wanted) => found == wanted,
    }
}

fn can_be_nil(wanted: Type) -> bool {
    match wanted {
        Type::Any | Type::Reflect | Type::Bytes | Type::List(_) | Type::Map(_) => true,
        Type::Named(name) => name.starts_with('*'),
        _ => false,
    }
}

/// The value that represents nil.
fn zero(wanted: Type) -> Value {
    Value::new(if wanted == Type::Reflect { Data::Invalid } else { Data::Nil })
}

/// `call`: no value here is a function, so it always fails.
fn call_of_value(frame: &Frame<'_>, arguments: &[Operand], values: &[Value]) -> Error {
    let callee = values.first().cloned().unwrap_or_default();
    if callee.is_nil() {
        return Error::new("call of nil");
    }
    let name = match (arguments.first(), &callee.data) {
        (Some(operand), _) => frame.written(operand),
        (None, Data::String(text)) => text.text().into_owned(),
        (None, _) => format!("<{} Value>", callee.type_name()),
    };
    Error::new(format!("non-function {name} of type {}", callee.type_name()))
}
