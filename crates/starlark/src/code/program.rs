//! Programs, and what remains after they have run.

use std::sync::Arc;

use num_bigint::BigInt;

use super::compile;
use super::op::Code;
use super::resolve_names::resolve;
use crate::error::{Error, ErrorKind, Position};
use crate::syntax::{Ast, Statement};
use crate::{Thread, Value};

/// A program that can be run many times, by any thread.
#[derive(Debug)]
pub struct Program {
    pub(crate) code: Arc<Code>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) predeclared: Vec<Arc<str>>,
}

/// A constant; it becomes a value when the program starts.
#[derive(Debug)]
pub(crate) enum Constant {
    Int(i64),
    Big(BigInt),
    Float(f64),
    String(Vec<u8>),
}

impl Program {
    /// Resolves names and generates code. `is_predeclared` says which names [`Program::init`] will receive
    /// besides those of the language.
    ///
    /// # Errors
    /// All undefined names, and other faults of that kind ([`ErrorKind::Resolve`]).
    pub fn compile(ast: &Ast, is_predeclared: &dyn Fn(&str) -> bool) -> Result<Program, Error> {
        let resolved =
            resolve(ast, is_predeclared).map_err(|problems| Error::source(ErrorKind::Resolve, problems))?;
        let position = ast.statements.first().map_or(Position { line: 1, column: 1 }, Statement::start);
        compile::program(ast, &resolved, position)
    }

    /// Runs the program.
    ///
    /// # Errors
    /// Any failure, with the calls that led to it.
    pub fn init(&self, thread: &mut Thread, predeclared: &Globals) -> Result<Globals, Error> {
        thread.init(self, predeclared)
    }

    /// The modules that the program itself loads, in order.
    pub fn loads(&self) -> impl Iterator<Item = &str> {
        self.code.loads.iter().map(|load| load.module.as_str())
    }

    /// The name of the file that it was parsed from.
    pub fn file(&self) -> &str {
        &self.code.file
    }
}

/// Names with values, in the order in which they were added: what a program receives, and what it defines.
#[derive(Clone, Default, Debug)]
pub struct Globals {
    values: Vec<(Arc<str>, Value)>,
}

impl Globals {
    /// No names.
    pub fn new() -> Globals {
        Globals::default()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }

    /// Whether the name has a value.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Adds or replaces a value.
    pub fn set(&mut self, name: &str, value: Value) {
        match self.values.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, old)) => *old = value,
            None => self.values.push((name.into(), value)),
        }
    }

    pub(crate) fn add(&mut self, name: &Arc<str>, value: Value) {
        self.values.push((Arc::clone(name), value));
    }

    /// Removes the names for which the predicate is false.
    pub fn retain(&mut self, mut fits: impl FnMut(&str) -> bool) {
        self.values.retain(|(name, _)| fits(name));
    }

    /// All names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (&**name, value))
    }

    /// Freezes all values.
    pub fn freeze(&self) {
        self.values.iter().for_each(|(_, value)| value.freeze());
    }
}
