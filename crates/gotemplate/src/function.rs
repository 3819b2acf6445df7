//! What the host provides to templates: functions, the clock and randomness.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::uses::Uses;
use crate::{Error, Str, Type, Value};

/// A function that templates may call.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name in templates.
    pub name: &'static str,
    /// The types of its parameters. The arguments are checked against them before the call, with Go's error
    /// messages.
    pub parameters: &'static [Type],
    /// Whether the last parameter may be given any number of times.
    pub variadic: Variadic,
    /// The implementation. The arguments fit the parameters; nil is passed for parameters that may be nil.
    pub call: Call,
    /// Its parameters in words, such as `LENGTH TEXT`.
    pub usage: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// What it does with the values that it is given.
    pub uses: Uses,
}

impl Function {
    /// The same function, of which more is known than that it may use everything.
    pub const fn with(self, uses: Uses) -> Self {
        Function { uses, ..self }
    }
}

/// The implementation of a function.
pub type Call = fn(&mut dyn Context, &[Value]) -> Result<Value, Error>;

/// Whether the last parameter may be given any number of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variadic {
    /// Exactly once, like the others.
    No,
    /// Any number of times, including zero.
    Yes,
}

/// The part of a run that the called function can see.
pub trait Context {
    /// The clock and the random numbers.
    fn environment(&self) -> &dyn Environment;

    /// The host's data for its own functions.
    fn host(&self) -> &dyn Any;

    /// Runs a template of the set with `dot` and returns its output.
    fn execute(&mut self, name: &str, dot: &Value) -> Result<Str, Error>;

    /// Runs text as a template called `name`, which can call the templates of the set; what it defines is only
    /// visible to itself.
    fn execute_text(&mut self, name: &str, text: &Str, dot: &Value) -> Result<Str, TextError>;

    /// Whether traces are kept: if not, functions may skip that work.
    fn traces(&self) -> bool;

    /// Charges for work that grows with the size of a function's result; fails when the limit of the run is
    /// reached.
    fn spend(&mut self, steps: u64) -> Result<(), Error>;
}

/// Why text could not be run as a template.
#[derive(Debug)]
pub enum TextError {
    /// It is not a valid template; holds Go's message without what the caller puts around it.
    Parse(String),
    /// It failed while it ran.
    Execute(Error),
}

/// The clock and the random numbers, which only the host has.
pub trait Environment {
    /// Now: seconds since 1970 in UTC, and nanoseconds.
    fn now(&self) -> (i64, u32);

    /// Fills the buffer with random bytes.
    fn random(&self, buffer: &mut [u8]);

    /// The seed of the random numbers, if they are reproducible.
    fn seed(&self) -> Option<u64> {
        None
    }

    /// The address of a host name; empty if names must not be looked up.
    fn lookup_host(&self, name: &str) -> String;

    /// Whether nobody wants the output any more. It is asked now and then; a run that hears yes has no steps left.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The functions that a set of templates knows, by name.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    list: Vec<Entry>,
    ids: FxHashMap<&'static str, u32>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    function: Function,
    form: Form,
}

/// How the arguments of a function are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// All of them before the call.
    Plain,
    /// Go's `and`: up to the first empty one.
    And,
    /// Go's `or`: up to the first non-empty one.
    Or,
    /// Go's `call`, which names its first argument.
    Call,
}

impl Functions {
    /// Go's own functions.
    pub fn builtin() -> Self {
        let mut functions = Functions::default();
        functions.extend(crate::builtin::FUNCTIONS);
        for entry in &mut functions.list {
            entry.form = match entry.function.name {
                "and" => Form::And,
                "or" => Form::Or,
                "call" => Form::Call,
                _ => Form::Plain,
            };
        }
        functions
    }

    /// Adds functions; one with an existing name replaces the old one.
    pub fn extend(&mut self, functions: &[Function]) {
        for function in functions {
            let entry = Entry { function: *function, form: Form::Plain };
            match self.ids.get(function.name) {
                Some(id) => self.list[*id as usize] = entry,
                None => {
                    self.ids.insert(function.name, self.list.len() as u32);
                    self.list.push(entry);
                }
            }
        }
    }

    /// Removes a function.
    pub fn remove(&mut self, name: &str) {
        self.ids.remove(name);
    }

    /// The number by which the function is called.
    pub fn id(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// The function with this number.
    pub fn get(&self, id: u32) -> Option<&Function> {
        self.list.get(id as usize).map(|entry| &entry.function)
    }

    /// How the arguments of the function with this number are evaluated.
    pub(crate) fn form(&self, id: u32) -> Form {
        self.list.get(id as usize).map_or(Form::Plain, |entry| entry.form)
    }

    /// The names, sorted.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.ids.keys().copied().collect();
        names.sort_unstable();
        names
    }
}

/// Functions shared by a set of templates and those made from it.
pub type SharedFunctions = Arc<Functions>;
