//! The loop that runs code.

use std::rc::Rc;
use std::sync::Arc;

use crate::code::{Capture, Code, Op, nearest};
use crate::custom::BinaryOp;
use crate::data::{Cell, Dict};
use crate::error::Error;
use crate::fault::Fault;
use crate::function::Function;
use crate::iterate::Elements;
use crate::ops;
use crate::thread::{Activation, Call, Thread};
use crate::value::{Inner, Value};

/// How many instructions take about as long as a call or a turn of a loop.
const INSTRUCTIONS_PER_STEP: u64 = 4;

/// Why the code of a function stopped running.
enum Stop {
    /// It has called another function, which is now the innermost call.
    Called,
    Returned(Value),
}

/// The outcome of a call.
pub(crate) enum Entered {
    /// A function written in Starlark became the innermost call.
    Function,
    /// The call has ended, and its result is on the stack.
    Done,
}

impl Thread {
    /// Runs the innermost call, and those that it makes, until there are no more calls than `floor`.
    pub(crate) fn run(&mut self, floor: usize) -> Result<Value, Error> {
        loop {
            let Some(Call::Function(activation)) = self.calls.last() else {
                return Err(Error::new("internal error: no function to run"));
            };
            let function = Rc::clone(&activation.function);
            let (mut at, next, base) = (activation.at, activation.next, activation.base);
            match self.execute(&function, &mut at, next, base) {
                Ok(Stop::Called) => {}
                Ok(Stop::Returned(value)) => {
                    self.pop_call();
                    if self.calls.len() <= floor {
                        return Ok(value);
                    }
                    self.stack.push(value);
                }
                Err(error) => {
                    self.set_at(at);
                    let error = self.trace(error);
                    while self.calls.len() > floor {
                        self.pop_call();
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Records which instruction the innermost function runs.
    fn set_at(&mut self, at: usize) {
        if let Some(Call::Function(activation)) = self.calls.last_mut() {
            activation.at = at;
        }
    }

    /// Ends the innermost call, with its loops and its part of the stack.
    pub(crate) fn pop_call(&mut self) {
        if let Some(Call::Function(Activation { result, loops, .. })) = self.calls.pop() {
            self.elements.truncate(loops);
            self.stack.truncate(result);
        }
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::NONE)
    }

    fn is_top_true(&self) -> bool {
        self.stack.last().is_some_and(Value::truth)
    }

    /// Runs code from `next` on until it calls or returns. If it fails, `at` is the instruction that did.
    #[allow(clippy::too_many_lines, reason = "one arm per instruction")]
    fn execute(
        &mut self,
        function: &Rc<Function>,
        at: &mut usize,
        next: usize,
        base: usize,
    ) -> Result<Stop, Error> {
        let code: &Code = &function.code;
        let module = &function.module;
        let mut pc = next;
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(error) => {
                        *at = pc - 1;
                        return Err(error);
                    }
                }
            };
        }
        macro_rules! fail {
            ($($message:tt)*) => {{
                *at = pc - 1;
                return Err(Error::new(format!($($message)*)));
            }};
        }
        loop {
            let Some(op) = code.ops.get(pc) else { fail!("internal error: no instruction") };
            pc += 1;
            match *op {
                Op::Local(index) => {
                    let value = self.stack.get(base + index as usize).cloned().unwrap_or(Value::UNSET);
                    if value.is_unset() {
                        fail!("local variable {} referenced before assignment", name(&code.locals, index));
                    }
                    self.stack.push(value);
                }
                Op::Constant(index) => {
                    let value = module.constants.get(index as usize).cloned().unwrap_or(Value::NONE);
                    self.stack.push(value);
                }
                Op::SetLocal(index) => {
                    let value = self.pop();
                    if let Some(place) = self.stack.get_mut(base + index as usize) {
                        *place = value;
                    }
                }
                Op::Global(index) => {
                    let value = module.globals.borrow().get(index as usize).cloned().unwrap_or(Value::UNSET);
                    if value.is_unset() {
                        fail!("global variable {} referenced before assignment", name(&code.globals, index));
                    }
                    self.stack.push(value);
                }
                Op::SetGlobal(index) => {
                    let value = self.pop();
                    let mut globals = module.globals.borrow_mut();
                    let old = globals.get_mut(index as usize).map(|place| std::mem::replace(place, value));
                    drop(globals);
                    drop(old);
                }
                Op::Predeclared(index) => {
                    let value = module.predeclared.get(index as usize).cloned().unwrap_or(Value::NONE);
                    self.stack.push(value);
                }
                Op::Universal(index) => {
                    let value = module.universe.get(index as usize).cloned().unwrap_or(Value::NONE);
                    self.stack.push(value);
                }
                Op::LocalCell(index) | Op::Free(index) => {
                    let is_free = matches!(op, Op::Free(_));
                    let cell = if is_free {
                        function.cells.get(index as usize)
                    } else {
                        match self.stack.get(base + index as usize) {
                            Some(Value(Inner::Cell(cell))) => Some(cell),
                            _ => None,
                        }
                    };
                    let value = cell.map_or(Value::UNSET, |cell| cell.get());
                    if value.is_unset() {
                        let names = if is_free { &code.free } else { &code.locals };
                        fail!("local variable {} referenced before assignment", name(names, index));
                    }
                    self.stack.push(value);
                }
                Op::SetCell(index) => {
                    let value = self.pop();
                    if let Some(Value(Inner::Cell(cell))) = self.stack.get(base + index as usize) {
                        let cell = Rc::clone(cell);
                        self.note_cell(&cell, &value);
                        cell.set(value);
                    }
                }
                Op::Call(shape) => {
                    let arguments = usize::from(shape.positional) + usize::from(shape.named);
                    let callee = self.stack.len().saturating_sub(arguments + 1);
                    self.set_at(pc - 1);
                    match attempt!(self.enter_call(code, module, shape, callee, callee)) {
                        Entered::Done => {}
                        Entered::Function => {
                            self.set_resume(pc);
                            return Ok(Stop::Called);
                        }
                    }
                }
                Op::CallMethod(shape) => {
                    let arguments = usize::from(shape.positional) + usize::from(shape.named);
                    let callee = self.stack.len().saturating_sub(arguments + 1);
                    self.set_at(pc - 1);
                    match attempt!(self.enter_call(code, module, shape, callee, callee.saturating_sub(1))) {
                        Entered::Done => {}
                        Entered::Function => {
                            self.set_resume(pc);
                            return Ok(Stop::Called);
                        }
                    }
                }
                Op::CallStars(shape, stars) => {
                    self.set_at(pc - 1);
                    match attempt!(self.enter_star_call(code, module, shape, stars)) {
                        Entered::Done => {}
                        Entered::Function => {
                            self.set_resume(pc);
                            return Ok(Stop::Called);
                        }
                    }
                }
                Op::LoadMethod(index) => {
                    let Some(wanted) = code.names.get(index as usize) else {
                        fail!("internal error: no name")
                    };
                    let value = self.pop();
                    match wanted.methods.of(&value) {
                        Some(method) => {
                            self.stack.push(value);
                            self.stack.push(Value(Inner::Method(method)));
                        }
                        None => {
                            self.set_at(pc - 1);
                            let attribute = attempt!(ops::get_attr(self, &value, &wanted.text));
                            self.stack.push(Value::UNSET);
                            self.stack.push(attribute);
                        }
                    }
                }
                Op::Attr(index) => {
                    let Some(wanted) = code.names.get(index as usize) else {
                        fail!("internal error: no name")
                    };
                    let value = self.pop();
                    self.set_at(pc - 1);
                    attempt!(self.shared.meter.step(2));
                    let attribute = attempt!(ops::get_attr(self, &value, &wanted.text));
                    self.stack.push(attribute);
                }
                Op::SetAttr(index) => {
                    let Some(wanted) = code.names.get(index as usize) else {
                        fail!("internal error: no name")
                    };
                    let value = self.pop();
                    let target = self.pop();
                    self.set_at(pc - 1);
                    attempt!(ops::set_attr(self, &target, &wanted.text, &value));
                }
                Op::Pop => {
                    self.pop();
                }
                Op::Return => {
                    attempt!(self.shared.meter.step(steps_of(pc)));
                    let value = self.pop();
                    *at = pc - 1;
                    return Ok(Stop::Returned(value));
                }
                Op::Jump(target) => pc = target as usize,
                Op::Loop(target) => {
                    attempt!(self.shared.meter.step(1 + steps_of(pc.saturating_sub(target as usize))));
                    pc = target as usize;
                }
                Op::JumpIf(target) => {
                    if self.pop().truth() {
                        pc = target as usize;
                    }
                }
                Op::JumpIfNot(target) => {
                    if !self.pop().truth() {
                        pc = target as usize;
                    }
                }
                Op::JumpIfOrPop(target) => {
                    if self.is_top_true() {
                        pc = target as usize;
                    } else {
                        self.pop();
                    }
                }
                Op::JumpIfNotOrPop(target) => {
                    if self.is_top_true() {
                        self.pop();
                    } else {
                        pc = target as usize;
                    }
                }
                Op::Next(target) => match self.elements.last_mut().and_then(Elements::next) {
                    Some(value) => self.stack.push(value),
                    None => pc = target as usize,
                },
                Op::BeginIteration => {
                    let value = self.pop();
                    match Elements::of(&value) {
                        Some(elements) => self.elements.push(elements),
                        None => {
                            *at = pc - 1;
                            return Err(Fault::NotIterable { found: value.type_name().to_owned() }.into());
                        }
                    }
                }
                Op::EndIteration => {
                    self.elements.pop();
                }
                Op::Binary(op) => {
                    let right = self.pop();
                    let left = self.pop();
                    let value = match small(op, &left, &right) {
                        Some(value) => value,
                        None => {
                            self.set_at(pc - 1);
                            attempt!(ops::binary(self, op, &left, &right))
                        }
                    };
                    self.stack.push(value);
                }
                Op::Compare(op) => {
                    let right = self.pop();
                    let left = self.pop();
                    let holds = match (&left.0, &right.0) {
                        (Inner::Int(_, left), Inner::Int(_, right)) => op.holds(left.cmp(right)),
                        _ => {
                            self.set_at(pc - 1);
                            attempt!(ops::compare(self, op, &left, &right))
                        }
                    };
                    self.stack.push(Value::bool(holds));
                }
                Op::InplaceAdd => {
                    let right = self.pop();
                    let left = self.pop();
                    let value = match small(BinaryOp::Plus, &left, &right) {
                        Some(value) => value,
                        None => {
                            self.set_at(pc - 1);
                            attempt!(ops::inplace_add(self, left, &right))
                        }
                    };
                    self.stack.push(value);
                }
                Op::Unary(op) => {
                    let operand = self.pop();
                    self.set_at(pc - 1);
                    let value = attempt!(ops::unary(self, op, &operand));
                    self.stack.push(value);
                }
                Op::Not => {
                    let value = !self.pop().truth();
                    self.stack.push(Value::bool(value));
                }
                Op::None => self.stack.push(Value::NONE),
                Op::Mandatory => self.stack.push(Value::UNSET),
                Op::Duplicate => {
                    let value = self.stack.last().cloned().unwrap_or(Value::NONE);
                    self.stack.push(value);
                }
                Op::DuplicateTwo => {
                    let start = self.stack.len().saturating_sub(2);
                    self.stack.extend_from_within(start..);
                }
                Op::Exchange => {
                    let length = self.stack.len();
                    if length >= 2 {
                        self.stack.swap(length - 1, length - 2);
                    }
                }
                Op::Index => {
                    let key = self.pop();
                    let value = self.pop();
                    self.set_at(pc - 1);
                    let element = attempt!(ops::get_index(self, &value, &key));
                    self.stack.push(element);
                }
                Op::SetIndex => {
                    let element = self.pop();
                    let key = self.pop();
                    let value = self.pop();
                    self.set_at(pc - 1);
                    attempt!(ops::set_index(self, &value, &key, &element));
                }
                Op::Slice => {
                    let step = self.pop();
                    let end = self.pop();
                    let start = self.pop();
                    let value = self.pop();
                    self.set_at(pc - 1);
                    let part = attempt!(ops::slice(self, &value, &start, &end, &step));
                    self.stack.push(part);
                }
                Op::MakeDict => self.stack.push(Value::dict(Dict::new())),
                Op::SetDict | Op::SetDictUnique => {
                    let value = self.pop();
                    let key = self.pop();
                    let dict = self.pop();
                    self.set_at(pc - 1);
                    let Some(dict) = dict.dict_object() else { fail!("internal error: no dict") };
                    let is_new = attempt!(dict.insert(self, key.clone(), value));
                    if !is_new && matches!(op, Op::SetDictUnique) {
                        let shown = attempt!(ops::shown(self, &key));
                        fail!("duplicate key: {shown}");
                    }
                }
                Op::Append => {
                    let value = self.pop();
                    let list = self.pop();
                    if let Some(list) = list.list_object() {
                        list.change(|items| items.push(value));
                    }
                }
                Op::Unpack(count) => {
                    let value = self.pop();
                    attempt!(self.unpack(&value, count as usize));
                }
                Op::MakeTuple(count) => {
                    let start = self.stack.len().saturating_sub(count as usize);
                    let items = self.stack.split_off(start);
                    self.stack.push(Value::tuple(items));
                }
                Op::MakeList(count) => {
                    let start = self.stack.len().saturating_sub(count as usize);
                    let items = self.stack.split_off(start);
                    self.stack.push(Value::list(items));
                }
                Op::MakeFunction(index) => {
                    let Some(inner) = code.functions.get(index as usize) else {
                        fail!("internal error: no function")
                    };
                    let start = self.stack.len().saturating_sub(inner.defaults);
                    let defaults = self.stack.split_off(start);
                    let cells = inner.captures.iter().filter_map(|capture| match capture {
                        Capture::Free(index) => function.cells.get(*index as usize).map(Rc::clone),
                        Capture::Local(index) => match self.stack.get(base + *index as usize) {
                            Some(Value(Inner::Cell(cell))) => Some(Rc::clone(cell)),
                            _ => None,
                        },
                    });
                    let cells: Vec<Rc<Cell>> = cells.collect();
                    let made = Function::new(Arc::clone(inner), Rc::clone(module), defaults, cells);
                    self.stack.push(Value::function(made));
                }
                Op::Load(index) => {
                    self.set_at(pc - 1);
                    attempt!(self.load_names(code, index as usize));
                }
            }
        }
    }

    /// Records where the function that made the call continues.
    fn set_resume(&mut self, pc: usize) {
        let caller = self.calls.len().checked_sub(2).and_then(|index| self.calls.get_mut(index));
        if let Some(Call::Function(activation)) = caller {
            activation.next = pc;
        }
    }

    fn load_names(&mut self, code: &Code, index: usize) -> Result<(), Error> {
        let Some(wanted) = code.loads.get(index) else { return Ok(()) };
        let module = &wanted.module;
        let loaded = self.load(module)?;
        // Of several missing names, the original reports the last.
        if let Some(from) = wanted.names.iter().rev().find(|from| loaded.get(from).is_none()) {
            let mut names: Vec<&str> = loaded.iter().map(|(name, _)| name).collect();
            names.sort_unstable();
            let hint = nearest(from, names).map(|name| format!(" (did you mean {name}?)"));
            let hint = hint.unwrap_or_default();
            return Err(Error::new(format!("load: name {from} not found in module {module}{hint}")));
        }
        self.stack.extend(wanted.names.iter().filter_map(|from| loaded.get(from)).cloned());
        Ok(())
    }

    /// Puts the elements of a value on the stack, the first on top.
    fn unpack(&mut self, value: &Value, count: usize) -> Result<(), Error> {
        if let Inner::Tuple(_, tuple) = &value.0
            && tuple.items().len() == count
        {
            self.stack.extend(tuple.items().iter().rev().cloned());
            return Ok(());
        }
        let Some(mut elements) = Elements::of(value) else {
            return Err(Error::new(format!("got {} in sequence assignment", value.type_name())));
        };
        let start = self.stack.len();
        for got in 0..count {
            let Some(element) = elements.next() else {
                return Err(Error::new(format!("too few values to unpack (got {got}, want {count})")));
            };
            self.stack.push(element);
        }
        if elements.next().is_some() {
            let got = ops::length(value).map_or("-1".to_owned(), |length| length.to_string());
            return Err(Error::new(format!("too many values to unpack (got {got}, want {count})")));
        }
        if let Some(unpacked) = self.stack.get_mut(start..) {
            unpacked.reverse();
        }
        Ok(())
    }
}

/// The cost of this many instructions in a row. They are charged when a loop repeats and when a function
/// returns, so that long code costs more than short code.
#[inline]
fn steps_of(instructions: usize) -> u64 {
    instructions as u64 / INSTRUCTIONS_PER_STEP
}

/// Operations on two small numbers.
#[inline]
fn small(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let (Inner::Int(left_mark, left), Inner::Int(right_mark, right)) = (&left.0, &right.0) else {
        return None;
    };
    let result = match op {
        BinaryOp::Plus => left.checked_add(*right)?,
        BinaryOp::Minus => left.checked_sub(*right)?,
        BinaryOp::Star => left.checked_mul(*right)?,
        BinaryOp::Percent if *right > 0 => left.rem_euclid(*right),
        BinaryOp::SlashSlash if *right > 0 => left.div_euclid(*right),
        _ => return None,
    };
    Some(Value(Inner::Int(left_mark.or(*right_mark), result)))
}

fn name(names: &[Arc<str>], index: u32) -> &str {
    names.get(index as usize).map_or("", |name| name)
}
