//! A thread of evaluation: its stack, its calls, and the embedder's data and hooks.

use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use crate::builtin::Builtin;
use crate::code::{Code, Constant, Globals, Program};
use crate::custom::{CompareOp, Custom};
use crate::data::{Cell, Dict, List};
use crate::error::{Error, Frame, Position};
use crate::function::{Function, Module};
use crate::iterate::Elements;
use crate::library::{Method, universe};
use crate::limits::{Limits, Meter};
use crate::value::{Inner, Value};
use crate::{Args, ops};

type Loader = dyn Fn(&mut Thread, &str) -> Result<Globals, Error>;
type Printer = dyn Fn(&mut Thread, &[u8]);

/// Runs programs. Values belong to the thread that created them and to those forked from it: when the last of
/// these is dropped, functions lose their global variables and changed containers lose their contents, so that
/// values that refer to each other are freed.
pub struct Thread {
    pub(crate) shared: Rc<Shared>,
    pub(crate) stack: Vec<Value>,
    pub(crate) calls: Vec<Call>,
    pub(crate) elements: Vec<Elements>,
    /// Buffers for arguments, kept for reuse.
    pub(crate) buffers: Vec<Vec<Value>>,
    loader: Option<Rc<Loader>>,
    printer: Option<Rc<Printer>>,
    data: Option<Rc<dyn Any>>,
}

/// The state that forked threads share.
pub(crate) struct Shared {
    pub(crate) meter: Meter,
    universe: Rc<[Value]>,
    modules: RefCell<Vec<Weak<Module>>>,
    containers: RefCell<Containers>,
}

/// Containers into which a value was put that may contain the container itself.
#[derive(Default)]
struct Containers {
    lists: Vec<Weak<List>>,
    dicts: Vec<Weak<Dict>>,
    cells: Vec<Weak<Cell>>,
    /// When there are this many, those that were freed are removed from the list.
    sweep_at: usize,
}

/// A call that has not returned.
pub(crate) enum Call {
    Function(Activation),
    Builtin(Rc<Builtin>),
    Method(&'static Method),
    Custom(Rc<Custom>),
}

/// A call of a function written in Starlark.
pub(crate) struct Activation {
    pub(crate) function: Rc<Function>,
    /// The instruction that made the current call.
    pub(crate) at: usize,
    /// The next instruction.
    pub(crate) next: usize,
    /// The place of its local variables on the stack.
    pub(crate) base: usize,
    /// The place of its result on the stack.
    pub(crate) result: usize,
    /// How many loops were active when it was called.
    pub(crate) loops: usize,
}

impl Thread {
    /// A thread with limits of its own.
    pub fn new(limits: Limits) -> Thread {
        let shared = Shared {
            meter: Meter::new(limits),
            universe: universe().into(),
            modules: RefCell::default(),
            containers: RefCell::default(),
        };
        Thread::of(Rc::new(shared))
    }

    fn of(shared: Rc<Shared>) -> Thread {
        Thread {
            shared,
            stack: Vec::new(),
            calls: Vec::new(),
            elements: Vec::new(),
            buffers: Vec::new(),
            loader: None,
            printer: None,
            data: None,
        }
    }

    /// A thread without calls that shares the limits, the hooks and the data of this one: for loaded files, whose errors
    /// do not show the calls of those that load them.
    #[must_use]
    pub fn fork(&self) -> Thread {
        Thread {
            loader: self.loader.clone(),
            printer: self.printer.clone(),
            data: self.data.clone(),
            ..Thread::of(Rc::clone(&self.shared))
        }
    }

    /// Sets the implementation of `load`. Its result should be frozen.
    pub fn set_loader(&mut self, loader: impl Fn(&mut Thread, &str) -> Result<Globals, Error> + 'static) {
        self.loader = Some(Rc::new(loader));
    }

    /// Sets the output of `print`, which gets lines without the newline. Without it, nothing is written.
    pub fn set_print(&mut self, printer: impl Fn(&mut Thread, &[u8]) + 'static) {
        self.printer = Some(Rc::new(printer));
    }

    pub(crate) fn print(&mut self, text: &[u8]) {
        if let Some(printer) = self.printer.clone() {
            printer(self, text);
        }
    }

    pub(crate) fn load(&mut self, module: &str) -> Result<Globals, Error> {
        let Some(loader) = self.loader.clone() else {
            return Err(Error::new("load not implemented by this application"));
        };
        self.enter()?;
        let loaded = loader(self, module);
        self.leave();
        loaded.map_err(|error| error.reworded(format!("cannot load {module}: {}", error.message())))
    }

    /// Sets the data that the embedder's functions get from [`Thread::data`].
    pub fn set_data(&mut self, data: Rc<dyn Any>) {
        self.data = Some(data);
    }

    /// The data passed to [`Thread::set_data`], if it has this type.
    pub fn data<T: 'static>(&self) -> Option<Rc<T>> {
        self.data.clone().and_then(|data| data.downcast().ok())
    }

    /// Charges for work before it is done.
    ///
    /// # Errors
    /// If the limit is exceeded.
    pub fn spend(&self, steps: usize) -> Result<(), Error> {
        self.shared.meter.step(steps as u64)
    }

    /// How many steps are left.
    pub fn steps_left(&self) -> u64 {
        self.shared.meter.steps_left()
    }

    /// Checks that this much memory is available before it is used.
    ///
    /// # Errors
    /// If the limit would be exceeded.
    pub fn need_memory(&self, bytes: usize) -> Result<(), Error> {
        self.shared.meter.memory(bytes)
    }

    /// How many calls are active.
    pub fn depth(&self) -> usize {
        self.calls.len()
    }

    /// The active calls, innermost first.
    pub fn frames(&self) -> Vec<Frame> {
        self.calls.iter().rev().map(Call::frame).collect()
    }

    pub(crate) fn trace(&self, mut error: Error) -> Error {
        if !error.is_traced() {
            error.set_frames(self.frames());
        }
        error
    }

    /// Runs something one level deeper on the native stack.
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        let meter = &self.shared.meter;
        if meter.entered.get() >= meter.reentry {
            let message = format!("functions call back more than {} levels deep", meter.reentry);
            return Err(Error::limit(message));
        }
        meter.entered.set(meter.entered.get() + 1);
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        let entered = &self.shared.meter.entered;
        entered.set(entered.get().saturating_sub(1));
    }

    pub(crate) fn init(&mut self, program: &Program, given: &Globals) -> Result<Globals, Error> {
        let mut predeclared = Vec::with_capacity(program.predeclared.len());
        for name in &program.predeclared {
            let value = given.get(name).cloned().ok_or_else(|| {
                Error::new(format!("internal error: predeclared variable {name} is uninitialized"))
            })?;
            predeclared.push(value);
        }
        let constants = program.constants.iter().map(Constant::value).collect();
        let module = Rc::new(Module {
            constants,
            predeclared,
            universe: Rc::clone(&self.shared.universe),
            globals: RefCell::new(vec![Value::UNSET; program.code.globals.len()]),
        });
        self.shared.modules.borrow_mut().push(Rc::downgrade(&module));
        let function = Function::new(Arc::clone(&program.code), Rc::clone(&module), Vec::new(), Vec::new());
        let toplevel = Value::function(function);
        self.call(&toplevel, Args::of(&[]))?;
        let mut globals = Globals::new();
        for (name, value) in program.code.globals.iter().zip(module.globals.borrow().iter()) {
            if !value.is_unset() {
                globals.add(name, value.clone());
            }
        }
        Ok(globals)
    }

    /// Records a container into which a value was put, if that could create a cycle.
    pub(crate) fn note_list(&self, list: &Rc<List>, value: &Value) {
        if !value.is_scalar() && list.state.note() {
            self.shared.containers.borrow_mut().add(|all| &mut all.lists, list);
        }
    }

    pub(crate) fn note_dict(&self, dict: &Rc<Dict>, value: &Value) {
        if !value.is_scalar() && dict.state().note() {
            self.shared.containers.borrow_mut().add(|all| &mut all.dicts, dict);
        }
    }

    pub(crate) fn note_cell(&self, cell: &Rc<Cell>, value: &Value) {
        if !value.is_scalar() && cell.state.note() {
            self.shared.containers.borrow_mut().add(|all| &mut all.cells, cell);
        }
    }

    /// The result of `str()` for a value.
    ///
    /// # Errors
    /// If it would cost too much, or if a value of the embedder fails.
    pub fn str(&mut self, value: &Value) -> Result<Vec<u8>, Error> {
        ops::to_str(self, value)
    }

    /// The result of `repr()` for a value.
    ///
    /// # Errors
    /// If it would cost too much, or if a value of the embedder fails.
    pub fn repr(&mut self, value: &Value) -> Result<Vec<u8>, Error> {
        ops::to_repr(self, value)
    }

    /// `one == two`.
    ///
    /// # Errors
    /// If the values cannot be compared.
    pub fn equal(&mut self, one: &Value, two: &Value) -> Result<bool, Error> {
        ops::equal(self, one, two)
    }

    /// `one op two`.
    ///
    /// # Errors
    /// If the values cannot be compared.
    pub fn compare(&mut self, op: CompareOp, one: &Value, two: &Value) -> Result<bool, Error> {
        ops::compare(self, op, one, two)
    }

    /// `one op two` inside a comparison that may go this much deeper.
    ///
    /// # Errors
    /// If the values cannot be compared, or if they are nested too deeply.
    pub fn compare_depth(
        &mut self,
        op: CompareOp,
        one: &Value,
        two: &Value,
        depth: usize,
    ) -> Result<bool, Error> {
        ops::compare_depth(self, op, one, two, depth)
    }

    /// The hash of a value that can be a key.
    ///
    /// # Errors
    /// For values that cannot be keys.
    pub fn hash(&mut self, value: &Value) -> Result<u32, Error> {
        ops::hash(self, value)
    }

    /// `value.name`.
    ///
    /// # Errors
    /// If the attribute does not exist.
    pub fn attr(&mut self, value: &Value, name: &str) -> Result<Value, Error> {
        ops::get_attr(self, value, name)
    }

    /// `value[key]`.
    ///
    /// # Errors
    /// If the element does not exist.
    pub fn index(&mut self, value: &Value, key: &Value) -> Result<Value, Error> {
        ops::get_index(self, value, key)
    }

    /// `value[key] = item`.
    ///
    /// # Errors
    /// If the value cannot be changed this way.
    pub fn set_key(&mut self, value: &Value, key: &Value, item: &Value) -> Result<(), Error> {
        ops::set_index(self, value, key, item)
    }

    /// How many elements a value has, or bytes a string; `None` for values without elements.
    pub fn len(&self, value: &Value) -> Option<usize> {
        ops::length(value)
    }

    /// The elements of a value that can be iterated over, or the keys of a mapping.
    ///
    /// # Errors
    /// If there are too many.
    pub fn elements(&mut self, value: &Value) -> Result<Option<Vec<Value>>, Error> {
        let Some(mut elements) = Elements::of(value) else { return Ok(None) };
        let mut all = Vec::with_capacity(ops::length(value).unwrap_or(0).min(1024));
        while let Some(element) = elements.next() {
            self.spend(1)?;
            if all.len() == all.capacity() {
                self.need_memory(all.len() * size_of::<Value>())?;
            }
            all.push(element);
        }
        Ok(Some(all))
    }
}

impl Call {
    fn frame(&self) -> Frame {
        let builtin = |name: &str| Frame {
            function: name.into(),
            file: "<builtin>".into(),
            position: Position::default(),
        };
        match self {
            Call::Function(activation) => {
                let code: &Code = &activation.function.code;
                Frame {
                    function: Arc::clone(&code.name),
                    file: Arc::clone(&code.file),
                    position: code.position_of(activation.at),
                }
            }
            Call::Builtin(function) => builtin(function.name()),
            Call::Method(method) => builtin(method.name),
            Call::Custom(custom) => builtin(custom.value().call_name()),
        }
    }
}

impl Constant {
    fn value(&self) -> Value {
        match self {
            Constant::Int(value) => Value::int(*value),
            Constant::Big(value) => Value::big(value.clone()),
            Constant::Float(value) => Value::float(*value),
            Constant::String(value) => Value::string(value),
        }
    }
}

impl Containers {
    fn add<T>(&mut self, which: impl Fn(&mut Containers) -> &mut Vec<Weak<T>>, container: &Rc<T>) {
        if self.lists.len() + self.dicts.len() + self.cells.len() >= self.sweep_at {
            self.lists.retain(|known| known.strong_count() > 0);
            self.dicts.retain(|known| known.strong_count() > 0);
            self.cells.retain(|known| known.strong_count() > 0);
            self.sweep_at = (self.lists.len() + self.dicts.len() + self.cells.len()) * 2 + 1024;
        }
        which(self).push(Rc::downgrade(container));
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        for module in std::mem::take(self.modules.get_mut()) {
            if let Some(module) = module.upgrade() {
                module.clear();
            }
        }
        let containers = std::mem::take(self.containers.get_mut());
        containers.lists.iter().filter_map(Weak::upgrade).for_each(|list| list.clear());
        containers.dicts.iter().filter_map(Weak::upgrade).for_each(|dict| dict.empty());
        containers.cells.iter().filter_map(Weak::upgrade).for_each(|cell| cell.set(Value::UNSET));
    }
}

impl Value {
    /// The list in a value, to be changed.
    pub(crate) fn list_object(&self) -> Option<&Rc<List>> {
        match &self.0 {
            Inner::List(_, list) => Some(list),
            _ => None,
        }
    }

    pub(crate) fn dict_object(&self) -> Option<&Rc<Dict>> {
        match &self.0 {
            Inner::Dict(_, dict) => Some(dict),
            _ => None,
        }
    }
}
