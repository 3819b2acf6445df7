//! Comprehensions.

use crate::function::Fault;
use crate::program::build::go_type;
use crate::program::machine::{Machine, Slot, Step, Stop};
use crate::program::node::Fold;
use crate::value::Value;

impl<'p> Machine<'p> {
    pub(super) fn eval_fold(&mut self, fold: &'p Fold) -> Step {
        let range = match self.eval(&fold.range)? {
            Ok(range) => range,
            Err(fault) => return Ok(Err(fault)),
        };
        // The accumulator is computed when it is first read.
        self.set(fold.accumulator, Slot::Pending(&fold.start));
        match (&range, fold.second) {
            (Value::List(list), None) => {
                for item in list {
                    if !self.turn(fold, item, None)? {
                        break;
                    }
                }
            }
            (Value::Map(map), None) => {
                for (key, _) in map {
                    if !self.turn(fold, key, None)? {
                        break;
                    }
                }
            }
            (Value::List(list), Some(_)) => {
                for (index, item) in list.iter().enumerate() {
                    let index = Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
                    if !self.turn(fold, index, Some(item))? {
                        break;
                    }
                }
            }
            (Value::Map(map), Some(_)) => {
                for (key, value) in map {
                    if !self.turn(fold, key, Some(value))? {
                        break;
                    }
                }
            }
            (other, None) => {
                return Ok(Err(Fault::new(format!("got '{}', expected iterable type", go_type(other)))));
            }
            (other, Some(_)) => {
                return Ok(Err(Fault::new(format!(
                    "unsupported comprehension range type: {}",
                    go_type(other)
                ))));
            }
        }
        self.eval(&fold.result)
    }

    /// Looks at one item; whether there is to be another one. Only a condition that is false ends the loop.
    fn turn(&mut self, fold: &'p Fold, first: Value, second: Option<Value>) -> Result<bool, Stop> {
        self.set(fold.variable, Slot::Ready(Ok(first)));
        if let (Some(slot), Some(value)) = (fold.second, second) {
            self.set(slot, Slot::Ready(Ok(value)));
        }
        if let Ok(Value::Bool(false)) = self.eval(&fold.condition)? {
            return Ok(false);
        }
        let value = self.eval(&fold.step)?;
        self.set(fold.accumulator, Slot::Ready(value));
        Ok(true)
    }

    fn set(&mut self, slot: usize, value: Slot<'p>) {
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = value;
        }
    }
}
