//! Calls into Starlark, with the work that they cost.

use starlark::{Args, Thread};
use trueline_starlark as starlark;

use super::fault::{Fault, Problem};
use crate::error::Fact;
use crate::tree::{Meta, Position, Value};
pub(super) use crate::value::go_type_name;
use crate::value::{Content, Context, from_starlark, to_starlark};

/// What it costs to add a node, in steps: nodes take memory, and inserting can double them again and again.
pub(super) const NODE: usize = 64;

/// Whoever calls functions for an overlay.
pub(super) struct Caller<'t> {
    pub(super) thread: &'t mut Thread,
    pub(super) context: &'t Context,
}

impl Caller<'_> {
    /// Pays for work before it is done.
    pub(super) fn charge(&self, steps: usize) -> Result<(), Fault> {
        self.thread.spend(steps).map_err(failed)
    }

    /// Pays for looking through a map.
    pub(super) fn charge_lookup(&self, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Map(map) => self.charge(map.items.len() / 8),
            _ => Ok(()),
        }
    }

    /// Calls a function of a template.
    pub(super) fn call(
        &mut self,
        function: &starlark::Value,
        arguments: &[starlark::Value],
    ) -> Result<starlark::Value, Fault> {
        self.thread.call(function, Args::of(arguments)).map_err(failed)
    }

    /// A value as functions see it. Scalars remember where they were typed.
    pub(super) fn argument(&mut self, value: &Value, meta: Option<&Meta>) -> Result<starlark::Value, Fault> {
        let place = meta.map_or_else(Position::unknown, Meta::place);
        to_starlark(self.thread, value, &place, self.context).map_err(failed)
    }

    /// What a function returned, and where it was typed if it is a scalar of the input.
    pub(super) fn result(&mut self, value: &starlark::Value) -> Result<(Content, Position), Fault> {
        let content = from_starlark(value, self.context).map_err(failed)?;
        Ok((content, self.context.position(value.mark())))
    }
}

/// A failure of a function, or of what it was given.
pub(super) fn failed(error: starlark::Error) -> Fault {
    let problem = match error.kind() {
        starlark::ErrorKind::Limit => Problem::Limit,
        _ => Problem::Function,
    };
    let mut fault = Fault::new(problem, error.message());
    fault.fact = error.fault().cloned().map(Fact::Language);
    fault.cause = Some(error);
    fault
}

/// A boolean, or what ytt says if it is not one.
pub(super) fn expect_bool(value: &starlark::Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("expected starlark.Bool, but was {}", go_type_name(value)))
}
