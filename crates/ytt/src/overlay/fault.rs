//! What can be wrong with an overlay.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use trueline_starlark as starlark;

use crate::error::{Error, ErrorKind, Fact};
use crate::tree::{Annotation, Document, MapItem, Meta, Position, Value};

/// An overlay that could not be applied. It is small to pass around; its facts are read through it.
#[derive(Debug, Clone)]
pub struct Fault(Box<Facts>);

/// What is known about an overlay that could not be applied.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The whole message, as ytt prints it after its own prefixes.
    pub text: String,
    /// What kind of problem it is.
    pub problem: Problem,
    /// Where it is: the overlay's node at fault first, then the nodes that it was compared with.
    pub places: Vec<Position>,
    /// The annotation that asked for what failed.
    pub annotation: Option<Position>,
    /// The failure of a function that an annotation names.
    pub cause: Option<starlark::Error>,
    /// The key of a map that there is nothing to merge into.
    pub missing: Option<MissingKey>,
    /// What else is known of the problem.
    pub fact: Option<Fact>,
    located: bool,
}

/// A key that was to be merged into one that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// The key.
    pub key: String,
    /// The key that was probably meant.
    pub nearest: Option<String>,
    /// Whether the keys are those that a schema declares.
    pub is_of_schema: bool,
}

/// More keys than these are not compared with one that is missing, nor longer ones.
const MOST_KEYS: usize = 500;
const LONGEST_KEY: usize = 500;

/// The kinds of problems, with their facts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The number of matched nodes is not the expected one.
    Count {
        /// What was expected, such as `1` or `>= 2`; `None` if a function decided.
        expected: Option<String>,
        /// How many nodes were matched.
        found: usize,
    },
    /// A map was to be merged into something that is not a map, or the like.
    Kind {
        /// What the overlay holds.
        expected: &'static str,
        /// What was there.
        found: &'static str,
    },
    /// An annotation that cannot be understood.
    Annotation,
    /// Several items of a map would have the same key.
    Duplicate {
        /// The key.
        key: String,
    },
    /// The values differ from what `overlay/assert` says.
    Assertion,
    /// A function that an annotation names failed.
    Function,
    /// There was nothing that the overlay could be applied to.
    Target,
    /// It would cost more than is allowed.
    Limit,
}

impl Fault {
    /// A problem that has no place yet.
    pub(crate) fn new(problem: Problem, text: impl Into<String>) -> Fault {
        let (places, annotation, cause) = (Vec::new(), None, None);
        let (text, missing, fact, located) = (text.into(), None, None, false);
        Fault(Box::new(Facts { text, problem, places, annotation, cause, missing, fact, located }))
    }

    /// A problem that is known by its facts.
    pub(super) fn known(problem: Problem, fact: Fact) -> Fault {
        let mut fault = Fault::new(problem, fact.to_string());
        fault.fact = Some(fact);
        fault
    }

    pub(super) fn annotation(text: impl Into<String>) -> Fault {
        Fault::new(Problem::Annotation, text)
    }

    pub(super) fn kind(expected: &'static str, found: &'static str) -> Fault {
        let text = format!("Expected {expected}, but was {found}");
        Fault::new(Problem::Kind { expected, found }, text)
    }

    pub(super) fn duplicate(key: &Value) -> Fault {
        let key = key.go_string();
        let text =
            format!("Expected only one item of the map to have the key '{key}', but there are several");
        Fault::new(Problem::Duplicate { key }, text)
    }

    /// Whether no document is one that a document of an overlay is for.
    pub(super) fn found_no_document(&self, overlay: &Document) -> bool {
        let own = overlay.meta.key_place();
        let is_own = |place: &Position| place.as_string() == own.as_string() && place.range() == own.range();
        self.places.first().is_some_and(is_own) && matches!(self.problem, Problem::Count { found: 0, .. })
    }

    /// Adds the overlay's node that was being applied. The innermost one that has a position is the place of the problem:
    /// what was computed has none.
    pub(super) fn within(mut self, label: fmt::Arguments<'_>, node: &Meta) -> Fault {
        self.text = format!("{label} on {}: {}", node.position().as_string(), self.text);
        if !self.located && (node.position().is_known() || node.place().is_known()) {
            self.located = true;
            self.places.insert(0, node.key_place());
        }
        self
    }

    /// Adds the node that something was to be merged into, unless a node further inside is known.
    pub(super) fn against(mut self, node: &Meta) -> Fault {
        if !self.located && self.places.is_empty() {
            self.places.push(node.key_place());
        }
        self
    }

    /// Notes the key of a map item that matched nothing, unless a key further inside is known.
    pub(super) fn for_key(mut self, key: &Value, known: &[MapItem]) -> Fault {
        if self.missing.is_some() || !matches!(self.problem, Problem::Count { found: 0, .. }) {
            return self;
        }
        let key = key.go_string();
        let names: Vec<String> = known.iter().take(MOST_KEYS).map(|item| item.key.go_string()).collect();
        // What was found is not what is missing.
        if names.contains(&key) || known.len() > MOST_KEYS {
            return self;
        }
        let names = names.iter().map(String::as_str).filter(|name| name.len().max(key.len()) <= LONGEST_KEY);
        let nearest = starlark::nearest(&key, names).map(str::to_owned);
        self.missing = Some(MissingKey { key, nearest, is_of_schema: false });
        self
    }

    /// Adds the annotation at fault, unless one further inside is known.
    pub(super) fn by(mut self, annotation: Option<&Annotation>) -> Fault {
        if !self.located && self.annotation.is_none() {
            self.annotation = annotation.map(|annotation| annotation.position.clone());
        }
        self
    }
}

impl Deref for Fault {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.0
    }
}

impl DerefMut for Fault {
    fn deref_mut(&mut self) -> &mut Facts {
        &mut self.0
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        if fault.problem == Problem::Limit {
            return Error::limit(fault.text.clone()).at_all(fault.places.iter().cloned());
        }
        let fault = Rc::new(fault);
        let error = Error::new(ErrorKind::Overlay(Rc::clone(&fault) as Rc<dyn Any>), fault.text.clone());
        let error = error.at_all(fault.places.iter().cloned());
        match &fault.annotation {
            // Annotations after the last node belong to a document that is nowhere.
            Some(annotation) if error.places().is_empty() => error.at(annotation.clone()),
            _ => error,
        }
    }
}
