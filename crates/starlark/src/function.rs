//! Functions written in Starlark, and the modules that they belong to.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::code::Code;
use crate::data::Cell;
use crate::error::Position;
use crate::{Value, live};

/// A `def` or a `lambda`, with its captured variables.
pub struct Function {
    pub(crate) code: Arc<Code>,
    pub(crate) module: Rc<Module>,
    /// The default values of parameters; unset for those after `*` without one.
    pub(crate) defaults: Vec<Value>,
    pub(crate) cells: Vec<Rc<Cell>>,
}

impl Function {
    pub(crate) fn new(
        code: Arc<Code>,
        module: Rc<Module>,
        defaults: Vec<Value>,
        cells: Vec<Rc<Cell>>,
    ) -> Function {
        live::add(live::OBJECT);
        Function { code, module, defaults, cells }
    }

    /// The name; `lambda` for functions without one.
    pub fn name(&self) -> &str {
        &self.code.name
    }

    /// The file that it was written in.
    pub fn file(&self) -> &str {
        &self.code.file
    }

    /// Where its `def` or `lambda` is.
    pub fn position(&self) -> Position {
        self.code.position
    }

    /// How many parameters it has, including `*args` and `**kwargs`.
    pub fn parameter_count(&self) -> usize {
        self.code.params
    }

    pub(crate) fn freeze(&self, waiting: &mut Vec<Value>) {
        waiting.extend(self.defaults.iter().filter(|value| !value.is_scalar()).cloned());
        for cell in self.cells.iter().filter(|cell| cell.state.freeze()) {
            waiting.push(cell.get());
        }
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        live::remove(live::OBJECT);
        live::release(std::mem::take(&mut self.defaults));
    }
}

/// The state that the functions of one file share while it runs and afterwards.
pub(crate) struct Module {
    pub(crate) constants: Vec<Value>,
    pub(crate) predeclared: Vec<Value>,
    pub(crate) universe: Rc<[Value]>,
    pub(crate) globals: RefCell<Vec<Value>>,
}

impl Module {
    pub(crate) fn clear(&self) {
        let globals = std::mem::take(&mut *self.globals.borrow_mut());
        live::release(globals);
    }
}
