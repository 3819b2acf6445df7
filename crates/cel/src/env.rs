//! Environments: which variables, functions and types an expression may use, and how it is checked.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::checked::Checked;
use crate::function::Function;
use crate::shape::{ObjectShape, OtherFields};
use crate::syntax::{Issue, ParseOptions};
use crate::types::Type;

/// A check of an expression whose types are right.
pub type Validator = fn(&Env, &Checked, &str, &mut Vec<Issue>);

/// What expressions may use. Cloning one is cheap, so an environment is made once and extended with variables.
#[derive(Debug, Clone)]
pub struct Env {
    variables: Vec<Variable>,
    names: FxHashMap<Arc<str>, usize>,
    functions: Arc<FxHashMap<&'static str, Arc<Function>>>,
    types: Arc<FxHashMap<Arc<str>, Type>>,
    open_type: Option<&'static str>,
    validators: Vec<Validator>,
    pub(crate) container: Arc<str>,
    /// How expressions are checked.
    pub options: Options,
    /// How expressions are read.
    pub syntax: ParseOptions,
}

/// A variable that expressions may use.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name, which may have dots.
    pub name: Arc<str>,
    /// Its type.
    pub declared: Type,
}

/// How expressions are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether `1 < 2.0` is allowed.
    pub numbers: Numbers,
    /// Whether fields whose names are reserved words may be read without escaping.
    pub reserved_fields: ReservedFields,
}

/// Which numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Those of one type.
    OfOneType,
    /// All of them.
    OfAllTypes,
}

/// How fields are read whose names are reserved words: `a.namespace` or `a.__namespace__`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservedFields {
    /// Only escaped.
    Escaped,
    /// Both ways.
    Plain,
}

impl Env {
    /// An environment with nothing in it.
    pub(crate) fn empty() -> Self {
        Env {
            variables: Vec::new(),
            names: FxHashMap::default(),
            functions: Arc::default(),
            types: Arc::default(),
            open_type: None,
            validators: Vec::new(),
            container: "".into(),
            options: Options { numbers: Numbers::OfOneType, reserved_fields: ReservedFields::Plain },
            syntax: ParseOptions::default(),
        }
    }

    /// Adds functions. What a function of this name has already is kept, and its overloads are added to.
    pub fn add_functions(&mut self, functions: impl IntoIterator<Item = Function>) {
        let known = Arc::make_mut(&mut self.functions);
        for function in functions {
            match known.get_mut(function.name) {
                Some(present) => {
                    let present = Arc::make_mut(present);
                    for overload in function.overloads {
                        match present.overloads.iter_mut().find(|own| own.id == overload.id) {
                            Some(own) => *own = overload,
                            None => present.overloads.push(overload),
                        }
                    }
                    present.singleton = present.singleton.or(function.singleton);
                }
                None => {
                    known.insert(function.name, Arc::new(function));
                }
            }
        }
    }

    /// Adds a type that expressions can name.
    pub fn add_type(&mut self, name: impl Into<Arc<str>>, named: Type) {
        Arc::make_mut(&mut self.types).insert(name.into(), named);
    }

    /// Adds a check of expressions whose types are right.
    pub fn add_validator(&mut self, validator: Validator) {
        self.validators.push(validator);
    }

    /// Declares a variable. Values are bound to variables by their number, which is how many were declared before.
    pub fn add_variable(&mut self, name: impl Into<Arc<str>>, declared: Type) -> usize {
        let name = name.into();
        if let Some(&number) = self.names.get(&name) {
            if let Some(variable) = self.variables.get_mut(number) {
                variable.declared = declared;
            }
            return number;
        }
        let number = self.variables.len();
        self.names.insert(name.clone(), number);
        self.variables.push(Variable { name, declared });
        number
    }

    /// Sets the namespace in which names are looked up first.
    pub fn set_container(&mut self, container: impl Into<Arc<str>>) {
        self.container = container.into();
    }

    /// The variables in the order in which they were declared.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The number of a variable.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// A function by its full name.
    pub fn function(&self, name: &str) -> Option<&Arc<Function>> {
        self.functions.get(name)
    }

    /// Adds a type that may have any fields: `Name{…}`, and `Name.field{…}` for what is in them.
    pub fn add_open_type(&mut self, name: &'static str) {
        self.open_type = Some(name);
    }

    /// A type by its full name.
    pub fn named_type(&self, name: &str) -> Option<Type> {
        let is_open = |open: &&str| {
            name.strip_prefix(*open).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if self.open_type.as_ref().is_some_and(is_open) {
            let shape =
                ObjectShape { name: name.into(), fields: FxHashMap::default(), others: OtherFields::Any };
            return Some(Type::Object(Arc::new(shape)));
        }
        self.types.get(name).cloned()
    }

    /// The checks of expressions whose types are right.
    pub(crate) fn validators(&self) -> &[Validator] {
        &self.validators
    }

    /// The full names that a name may mean, the most specific first.
    pub(crate) fn candidates<'a>(&self, name: &'a str) -> Candidates<'a> {
        match name.strip_prefix('.') {
            Some(absolute) => Candidates { container: "".into(), name: absolute, state: State::Last },
            None if self.container.is_empty() => {
                Candidates { container: "".into(), name, state: State::Last }
            }
            None => Candidates {
                container: self.container.clone(),
                name,
                state: State::Within(self.container.len()),
            },
        }
    }
}

/// The full names that a name may mean.
pub(crate) struct Candidates<'a> {
    container: Arc<str>,
    name: &'a str,
    state: State,
}

enum State {
    /// Within this many bytes of the container.
    Within(usize),
    /// Only the name itself is left.
    Last,
    Done,
}

impl Iterator for Candidates<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        match self.state {
            State::Within(length) => {
                let container = self.container.get(..length)?;
                self.state = container.rfind('.').map_or(State::Last, State::Within);
                Some(format!("{container}.{}", self.name))
            }
            State::Last => {
                self.state = State::Done;
                Some(self.name.to_owned())
            }
            State::Done => None,
        }
    }
}
