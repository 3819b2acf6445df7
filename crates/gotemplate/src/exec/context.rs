//! The part of a run that functions can see.

use std::any::Any;
use std::rc::Rc;

use super::{Overlay, Run, STEPS_UNASKED, TextOrigin};
use crate::{Context, Environment, Error, Reason, Str, TextError, Value};

impl Run<'_> {
    /// Runs something one level deeper, if the limit allows it.
    fn deeper_in_function<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= self.options.limits.depth {
            return Err(Error::new(self.too_deep()).because(Reason::Depth));
        }
        self.depth += 1;
        let result = act(self);
        self.depth -= 1;
        result
    }
}

impl Context for Run<'_> {
    fn environment(&self) -> &dyn Environment {
        self.options.environment
    }

    fn host(&self) -> &dyn Any {
        self.options.host
    }

    fn execute(&mut self, name: &str, dot: &Value) -> Result<Str, Error> {
        self.deeper_in_function(|run| run.execute_named(name.as_bytes(), dot))
    }

    fn execute_text(&mut self, name: &str, text: &Str, dot: &Value) -> Result<Str, TextError> {
        // A parsed template is several times as large as its text.
        if !self.set.is_read(name, text) {
            self.spend((text.len() as u64).saturating_mul(4)).map_err(TextError::Execute)?;
        }
        let trees = self.set.read_text(name, text).map_err(|errors| {
            TextError::Parse(errors.first().map(ToString::to_string).unwrap_or_default())
        })?;
        let Some(tree) = trees.first().cloned() else { return Ok(Str::empty()) };
        let origin = Rc::new(TextOrigin::of_text(text));
        // A template that runs itself again sees the same definitions.
        let is_new = self.overlays.last().is_none_or(|overlay| !Rc::ptr_eq(&overlay.trees, &trees));
        if is_new {
            self.overlays.push(Overlay { trees, origin: Rc::clone(&origin) });
        }
        let result = self.deeper_in_function(|run| run.capture(&tree, &origin, dot));
        if is_new {
            self.overlays.pop();
        }
        result.map_err(TextError::Execute)
    }

    fn traces(&self) -> bool {
        self.traces
    }

    fn spend(&mut self, steps: u64) -> Result<(), Error> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                let is_asked = self.steps / STEPS_UNASKED != left / STEPS_UNASKED;
                if is_asked && self.options.environment.is_cancelled() {
                    self.steps = 0;
                    return Err(self.out_of_steps());
                }
                self.steps = left;
                Ok(())
            }
            None => {
                self.steps = 0;
                Err(self.out_of_steps())
            }
        }
    }
}
