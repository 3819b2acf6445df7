//! Programs: expressions made ready to run. A program is built once and run many times, by many threads at once.

mod attribute;
mod build;
mod fold;
mod machine;
mod node;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::ast::Ast;
use crate::check::Checked;
use crate::env::Env;
use crate::function::{Fault, FaultKind};
use crate::value::Value;
use node::Node;

/// An expression that is ready to run.
#[derive(Debug)]
pub struct Program {
    root: Node,
    /// How many variables of comprehensions there are.
    slots: usize,
    places: Vec<Range<u32>>,
}

/// What a run gave.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The value, or why there is none.
    pub result: Result<Value, Fault>,
    /// What it cost.
    pub cost: u64,
    /// Whether it was ended because it cost too much. The result is a fault then.
    pub end: End,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Done,
    /// Because it cost more than it was allowed to.
    LimitExceeded,
}

impl Program {
    /// Makes an expression ready to run. Parts that depend on nothing are computed.
    ///
    /// # Errors
    ///
    /// A conversion of a literal fails, or a regular expression cannot be read.
    pub fn new(env: &Env, checked: &Checked) -> Result<Self, Fault> {
        build::build(env, &checked.ast, Some(checked))
    }

    /// Makes an expression ready to run whose types were not checked. Names and functions are looked for when it runs.
    ///
    /// # Errors
    ///
    /// As [`Program::new`].
    pub fn unchecked(env: &Env, ast: &Ast) -> Result<Self, Fault> {
        build::build(env, ast, None)
    }

    /// Runs it. Values are bound to variables by their numbers in the environment; what is missing is not bound.
    pub fn run(&self, values: &[Option<Value>], limit: u64) -> Outcome {
        let mut machine = machine::Machine::new(values, self.slots, limit);
        match machine.eval(&self.root) {
            Ok(result) => Outcome { result, cost: machine.cost, end: End::Done },
            Err(machine::Stop::Crash(fault)) => {
                Outcome { result: Err(fault), cost: machine.cost, end: End::Done }
            }
            Err(machine::Stop::Limit) => Outcome {
                result: Err(Fault::of(FaultKind::CostLimit)),
                cost: machine.cost,
                end: End::LimitExceeded,
            },
        }
    }

    /// Where in the text of the expression a fault comes from, if that is known.
    pub fn place(&self, fault: &Fault) -> Option<Range<u32>> {
        self.places.get(fault.node? as usize).cloned()
    }
}
