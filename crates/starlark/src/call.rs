//! Calls: arguments on the stack become parameters, or are passed to builtins.

use std::rc::Rc;

use crate::builtin::Args;
use crate::code::{CallShape, Code, Stars};
use crate::data::{Cell, Dict};
use crate::error::Error;
use crate::fault::{Fault, Fewer};
use crate::function::{Function, Module};
use crate::iterate::Elements;
use crate::thread::{Activation, Call, Thread};
use crate::value::{Inner, Value};
use crate::vm::Entered;

impl Thread {
    /// Calls a value.
    ///
    /// # Errors
    /// Any failure, with the calls that led to it.
    pub fn call(&mut self, callee: &Value, args: Args<'_>) -> Result<Value, Error> {
        self.shared.meter.step(1)?;
        match &callee.0 {
            Inner::Function(_, function) => {
                self.enter()?;
                let result = self.call_function(function, args);
                self.leave();
                result
            }
            Inner::Builtin(_, builtin) => {
                self.push_call(Call::Builtin(Rc::clone(builtin)))?;
                let result = builtin.invoke(self, &args);
                self.end_native(result)
            }
            Inner::Custom(_, custom) if custom.value().is_callable() => {
                self.push_call(Call::Custom(Rc::clone(custom)))?;
                let result = custom.value().call(self, &args);
                self.end_native(result)
            }
            _ => Err(not_callable(callee)),
        }
    }

    fn call_function(&mut self, function: &Rc<Function>, args: Args<'_>) -> Result<Value, Error> {
        let floor = self.calls.len();
        let result = self.stack.len();
        self.begin_function(Rc::clone(function), result, result)?;
        self.stack.extend_from_slice(args.positional);
        self.bind_or_fail(function, args.positional.len(), args.named)?;
        self.run(floor)
    }

    fn push_call(&mut self, call: Call) -> Result<(), Error> {
        if self.calls.len() >= self.shared.meter.depth {
            let depth = self.shared.meter.depth;
            return Err(Error::limit(format!("functions call each other more than {depth} levels deep")));
        }
        self.calls.push(call);
        Ok(())
    }

    /// Ends the call of a function that is not written in Starlark.
    fn end_native(&mut self, result: Result<Value, Error>) -> Result<Value, Error> {
        let result = result.map_err(|error| self.trace(error));
        self.calls.pop();
        result
    }

    fn begin_function(&mut self, function: Rc<Function>, base: usize, result: usize) -> Result<(), Error> {
        let loops = self.elements.len();
        self.push_call(Call::Function(Activation { function, at: 0, next: 0, base, result, loops }))
    }

    /// A call with all arguments on the stack, after the callee. The result replaces all from `result` on.
    pub(crate) fn enter_call(
        &mut self,
        code: &Code,
        module: &Module,
        shape: CallShape,
        callee: usize,
        result: usize,
    ) -> Result<Entered, Error> {
        self.shared.meter.step(1)?;
        let positional = usize::from(shape.positional);
        if let Some(place) = self.stack.get_mut(callee)
            && matches!(place.0, Inner::Function(..))
            && let Inner::Function(_, function) = std::mem::replace(&mut place.0, Inner::Unset)
        {
            let simple = shape.named == 0 && function.code.params == positional && function.code.is_plain();
            self.begin_function(Rc::clone(&function), callee + 1, result)?;
            if simple {
                self.make_locals(&function);
            } else {
                let named = self.take_named(code, module, shape);
                self.bind_or_fail(&function, positional, &named)?;
            }
            return Ok(Entered::Function);
        }
        let named = self.take_named(code, module, shape);
        let mut buffer = self.buffers.pop().unwrap_or_default();
        buffer.extend(self.stack.drain((callee + 1).min(self.stack.len())..));
        let called = self.stack.pop().unwrap_or(Value::NONE);
        let receiver = if result < callee { self.stack.pop() } else { None };
        let args = Args { positional: &buffer, named: &named };
        let value = self.call_native(&called, receiver.as_ref(), &args);
        buffer.clear();
        if buffer.capacity() <= 64 {
            self.buffers.push(buffer);
        }
        self.stack.push(value?);
        Ok(Entered::Done)
    }

    fn call_native(
        &mut self,
        callee: &Value,
        receiver: Option<&Value>,
        args: &Args<'_>,
    ) -> Result<Value, Error> {
        match &callee.0 {
            Inner::Method(method) => {
                self.push_call(Call::Method(method))?;
                let result = (method.function)(self, receiver.unwrap_or(&Value::NONE), args, method.name);
                self.end_native(result)
            }
            Inner::Builtin(_, builtin) => {
                self.push_call(Call::Builtin(Rc::clone(builtin)))?;
                let result = builtin.invoke(self, args);
                self.end_native(result)
            }
            Inner::Custom(_, custom) if custom.value().is_callable() => {
                self.push_call(Call::Custom(Rc::clone(custom)))?;
                let result = custom.value().call(self, args);
                self.end_native(result)
            }
            _ => Err(not_callable(callee)),
        }
    }

    /// A call with `*args`, `**kwargs` or both on top of the stack.
    pub(crate) fn enter_star_call(
        &mut self,
        code: &Code,
        module: &Module,
        shape: CallShape,
        stars: Stars,
    ) -> Result<Entered, Error> {
        self.shared.meter.step(1)?;
        let kwargs = if stars == Stars::Args { None } else { self.stack.pop() };
        let args = if stars == Stars::Kwargs { None } else { self.stack.pop() };
        let mut named = self.take_named(code, module, shape);
        if let Some(kwargs) = kwargs {
            let items = match &kwargs.0 {
                Inner::Dict(_, dict) => Some(dict.items()),
                Inner::Custom(_, custom) => custom.value().items(self).transpose()?,
                _ => None,
            };
            let Some(items) = items else {
                let type_name = kwargs.type_name();
                return Err(Error::new(format!("argument after ** must be a mapping, not {type_name}")));
            };
            for (key, _) in &items {
                if key.as_bytes().is_none() {
                    return Err(Error::new(format!("keywords must be strings, not {}", key.type_name())));
                }
            }
            // Each name is looked up, and put into a dict if no parameter has it.
            self.spend(items.len().saturating_mul(4))?;
            named.extend(items);
        }
        let mut positional = usize::from(shape.positional);
        let callee = self.stack.len().saturating_sub(positional + 1);
        if let Some(args) = args {
            let Some(mut elements) = Elements::of(&args) else {
                let type_name = args.type_name();
                return Err(Error::new(format!("argument after * must be iterable, not {type_name}")));
            };
            while let Some(element) = elements.next() {
                self.spend(1)?;
                self.stack.push(element);
                positional += 1;
            }
        }
        if let Some(Value(Inner::Function(_, function))) = self.stack.get(callee) {
            let function = Rc::clone(function);
            self.begin_function(Rc::clone(&function), callee + 1, callee)?;
            self.bind_or_fail(&function, positional, &named)?;
            return Ok(Entered::Function);
        }
        let buffer = self.stack.split_off((callee + 1).min(self.stack.len()));
        let called = self.stack.pop().unwrap_or(Value::NONE);
        let value = self.call_native(&called, None, &Args { positional: &buffer, named: &named })?;
        self.stack.push(value);
        Ok(Entered::Done)
    }

    /// Takes the arguments with names from the stack.
    fn take_named(&mut self, code: &Code, module: &Module, shape: CallShape) -> Vec<(Value, Value)> {
        if shape.named == 0 {
            return Vec::new();
        }
        let start = self.stack.len().saturating_sub(usize::from(shape.named));
        let names = code.argument_names.get(usize::from(shape.names)).map_or(&[][..], Vec::as_slice);
        let name = |index: &u32| module.constants.get(*index as usize).cloned().unwrap_or(Value::NONE);
        names.iter().map(name).zip(self.stack.drain(start..)).collect()
    }

    /// Binds the parameters of the innermost call. If that fails, the call is part of the trace and has ended.
    fn bind_or_fail(
        &mut self,
        function: &Function,
        positional: usize,
        named: &[(Value, Value)],
    ) -> Result<(), Error> {
        match self.bind(function, positional, named) {
            Ok(()) => {
                self.make_locals(function);
                Ok(())
            }
            Err(error) => {
                let error = self.trace(error);
                self.pop_call();
                Err(error)
            }
        }
    }

    /// Makes room for the local variables after the parameters, and boxes for those that inner functions use.
    fn make_locals(&mut self, function: &Function) {
        let code = &function.code;
        let more = code.locals.len().saturating_sub(code.params);
        let base = self.stack.len().saturating_sub(code.params);
        for _ in 0..more {
            self.stack.push(Value::UNSET);
        }
        for index in &code.cells {
            if let Some(place) = self.stack.get_mut(base + *index as usize) {
                let value = std::mem::replace(place, Value::UNSET);
                let cell = Rc::new(Cell::new(Value::UNSET));
                *place = Value(Inner::Cell(Rc::clone(&cell)));
                self.note_cell(&cell, &value);
                cell.set(value);
            }
        }
    }

    /// Turns the arguments on top of the stack and those with names into parameters.
    fn bind(&mut self, function: &Function, given: usize, named: &[(Value, Value)]) -> Result<(), Error> {
        let code = &function.code;
        let name = &code.name;
        if code.params == 0 {
            let count = given + named.len();
            if count > 0 {
                return Err(Fault::NoParameters { function: name.to_string(), given: count }.into());
            }
            return Ok(());
        }
        let params = code.params - usize::from(code.has_args) - usize::from(code.has_kwargs);
        let most = params.saturating_sub(code.keyword_only);
        let base = self.stack.len().saturating_sub(given);
        let mut rest = Vec::new();
        if given > most {
            if !code.has_args {
                let has_defaults = function.defaults.len() > code.keyword_only;
                let fewer = if has_defaults { Fewer::Allowed } else { Fewer::Refused };
                return Err(Fault::TooManyArguments { function: name.to_string(), most, fewer, given }.into());
            }
            rest = self.stack.split_off(base + most);
        }
        self.stack.resize(base + params, Value::UNSET);
        let mut others = code.has_kwargs.then(Dict::new);
        for (key, value) in named {
            let text = key.as_bytes().unwrap_or_default();
            let known = code.locals.iter().take(params).position(|param| param.as_bytes() == text);
            let quoted = || crate::unicode::quote(text);
            let twice = || Fault::RepeatedArgument { function: name.to_string(), parameter: quoted() };
            match (known.and_then(|index| self.stack.get_mut(base + index)), &mut others) {
                (Some(place), _) if place.is_unset() => *place = value.clone(),
                (Some(_), _) => return Err(twice().into()),
                (None, Some(others)) => {
                    if !others.insert(self, key.clone(), value.clone())? {
                        return Err(twice().into());
                    }
                }
                (None, None) => {
                    let (function, argument) = (name.to_string(), quoted());
                    return Err(Fault::UnknownArgument { function, argument }.into());
                }
            }
        }
        self.bind_defaults(function, params, base)?;
        if code.has_args {
            self.stack.push(Value::tuple(rest));
        }
        if let Some(others) = others {
            self.stack.push(Value::dict(others));
        }
        Ok(())
    }

    fn bind_defaults(&mut self, function: &Function, params: usize, base: usize) -> Result<(), Error> {
        let code = &function.code;
        let first_default = params.saturating_sub(function.defaults.len());
        let mut missing: Vec<&str> = Vec::new();
        for (index, place) in self.stack.iter_mut().skip(base).enumerate() {
            if !place.is_unset() {
                continue;
            }
            let default = index.checked_sub(first_default).and_then(|index| function.defaults.get(index));
            match default.filter(|value| !value.is_unset()) {
                Some(value) => *place = value.clone(),
                None => missing.push(code.locals.get(index).map_or("", |name| name)),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let missing = missing.into_iter().map(str::to_owned).collect();
        Err(Fault::MissingArguments { function: code.name.to_string(), missing }.into())
    }
}

fn not_callable(value: &Value) -> Error {
    Error::new(format!("invalid call of non-function ({})", value.type_name()))
}
