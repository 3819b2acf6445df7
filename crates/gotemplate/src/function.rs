//! What the host gives to templates: functions, and the world around them.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Error, Str, Type, Value};

/// A function that templates may call.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name in templates.
    pub name: &'static str,
    /// The types of its parameters. The arguments are checked against them before the call, with Go's
    /// messages.
    pub parameters: &'static [Type],
    /// Whether the last parameter may be given any number of times.
    pub variadic: Variadic,
    /// Does it. The arguments fit the parameters; a nil stands for what may be nil.
    pub call: Call,
    /// Its parameters in words, such as `LENGTH TEXT`.
    pub usage: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
}

/// The code behind a function.
pub type Call = fn(&mut dyn Context, &[Value]) -> Result<Value, Error>;

/// Whether the last parameter may be given any number of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variadic {
    /// Exactly once, as all others.
    No,
    /// Any number of times, also never.
    Yes,
}

/// What a function sees of the run that calls it.
pub trait Context {
    /// The clock and the dice.
    fn environment(&self) -> &dyn Environment;

    /// What the host put beside the templates for its own functions.
    fn host(&self) -> &dyn Any;

    /// Runs a template of the set with `dot` and gives its text.
    fn execute(&mut self, name: &str, dot: &Value) -> Result<Str, Error>;

    /// Runs a text as a template called `name`, which sees the templates of the set; what it defines is
    /// seen only by itself.
    fn execute_text(&mut self, name: &str, text: &Str, dot: &Value) -> Result<Str, TextError>;

    /// Whether traces are kept: functions may skip that work otherwise.
    fn traces(&self) -> bool;

    /// Counts work that grows with the size of what a function makes; fails when a run has had its share.
    fn spend(&mut self, steps: u64) -> Result<(), Error>;
}

/// Why a text could not be run as a template.
#[derive(Debug)]
pub enum TextError {
    /// It is not a template: Go's text, without what the caller puts around it.
    Parse(String),
    /// It failed while it ran.
    Execute(Error),
}

/// The clock and the dice, which only the host has.
pub trait Environment {
    /// Now: seconds since 1970 in UTC, and nanoseconds.
    fn now(&self) -> (i64, u32);

    /// Fills the buffer with random bytes.
    fn random(&self, buffer: &mut [u8]);

    /// What the dice were started with, if they repeat themselves.
    fn seed(&self) -> Option<u64> {
        None
    }

    /// An address of a host name; empty where names are not to be looked up.
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
    /// Go's `and`: up to the first that is empty.
    And,
    /// Go's `or`: up to the first that is not.
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

    /// Adds functions; one of a name that is there replaces it.
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

    /// Takes a function out.
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
