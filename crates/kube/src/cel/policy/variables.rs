//! `variables`: each is evaluated when it is first read, and only once.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use trueline_cel::function::Fault;
use trueline_cel::value::{Lazy, Map, Value};
use trueline_kube_cel::budget::PER_CALL;

use super::inputs::Inputs;
use super::programs::Programs;
use super::unknown::Unknown;

/// How deep variables may read one another; the server has no limit but its memory.
const DEEPEST: usize = 100;

/// The variables of a policy for one list of expressions.
#[derive(Debug)]
pub(super) struct Variables {
    programs: Arc<Programs>,
    inputs: Arc<Inputs>,
    state: Mutex<State>,
    this: Weak<Variables>,
}

#[derive(Debug, Default)]
struct State {
    made: Vec<Slot>,
    depth: usize,
    cost: u64,
}

#[derive(Debug, Default, Clone)]
enum Slot {
    #[default]
    Unread,
    Open,
    Made(Result<Value, Fault>),
}

impl Variables {
    pub(super) fn new(programs: &Arc<Programs>, inputs: &Arc<Inputs>) -> Arc<Variables> {
        let made = vec![Slot::Unread; programs.variables.len()];
        Arc::new_cyclic(|this| Variables {
            programs: Arc::clone(programs),
            inputs: Arc::clone(inputs),
            state: Mutex::new(State { made, ..State::default() }),
            this: Weak::clone(this),
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What evaluating them cost since it was asked last.
    pub(super) fn take_cost(&self) -> u64 {
        self.with(|state| std::mem::take(&mut state.cost))
    }

    /// The value of `variables` itself.
    pub(super) fn value(&self) -> Option<Value> {
        let this: Arc<Variables> = self.this.upgrade()?;
        Some(Value::Map(Map::Lazy(this)))
    }

    fn make(&self, index: usize) -> Result<Value, Fault> {
        let Some((name, compiled)) = self.programs.variables.get(index) else {
            return Err(Fault::new("no such variable"));
        };
        let ready = match &compiled.program {
            Ok(ready) => ready,
            Err(words) => {
                return Err(Fault::new(format!("composited variable \"{name}\" fails to compile: {words}")));
            }
        };
        let values = self.inputs.bind(ready, self.value());
        let outcome = ready.program.run(&values, PER_CALL);
        self.with(|state| state.cost = state.cost.saturating_add(outcome.cost));
        outcome.result.map_err(|fault| {
            if ready.asks_rights {
                self.inputs.asked.note(Unknown::Authorizer);
            }
            Fault::new(format!("composited variable \"{name}\" fails to evaluate: {fault}"))
        })
    }
}

impl Lazy for Variables {
    fn get(&self, key: &str) -> Option<Result<Value, Fault>> {
        // Of several with one name, the last counts.
        let index = self.programs.variables.iter().rposition(|(name, _)| &**name == key)?;
        let known = self.with(|state| {
            let slot = state.made.get_mut(index)?;
            let before = slot.clone();
            if matches!(before, Slot::Unread) {
                *slot = Slot::Open;
                state.depth += 1;
            }
            Some((before, state.depth))
        })?;
        match known {
            (Slot::Made(result), _) => return Some(result),
            (Slot::Open, _) => return Some(Err(self.inputs.asked.note(Unknown::TooDeep))),
            (Slot::Unread, _) => {}
        }
        let result = match known.1 > DEEPEST {
            true => Err(self.inputs.asked.note(Unknown::TooDeep)),
            false => self.make(index),
        };
        self.with(|state| {
            state.depth = state.depth.saturating_sub(1);
            if let Some(slot) = state.made.get_mut(index) {
                *slot = Slot::Made(result.clone());
            }
        });
        Some(result)
    }

    fn keys(&self) -> Vec<Arc<str>> {
        self.programs.variables.iter().map(|(name, _)| Arc::clone(name)).collect()
    }

    fn lose(&self, _: &str) {
        self.inputs.asked.lose();
    }
}
