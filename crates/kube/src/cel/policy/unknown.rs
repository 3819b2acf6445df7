//! What only a cluster knows, and how expressions are kept from guessing it.
//!
//! Such a value is a fault when it is read. A fault decides nothing that the rest of an expression decides already
//! (`false && x`), so an expression that has a value in spite of it has that value whatever the cluster knows.

use std::sync::{Arc, Mutex, PoisonError};

use trueline_cel::function::Fault;
use trueline_cel::value::{Lazy, Value};

/// Something that only a cluster knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// What somebody is allowed to do.
    Authorizer,
    /// Who sends the request.
    User,
    /// What the client asks for beside the object.
    Options,
    /// The namespace of the object, other than its name.
    Namespace,
    /// The labels of the namespace, by which a policy selects.
    NamespaceLabels,
    /// What the server itself puts into an object.
    SetByServer,
    /// The name of the resource of a kind that nobody defines.
    Resource,
    /// The object in another version.
    Conversion,
    /// The kind of the parameters.
    ParameterKind,
    /// Whether a rule holds whose variables are nested too deep.
    TooDeep,
}

impl Unknown {
    /// Why something is left out because of it.
    pub fn why(self) -> &'static str {
        match self {
            Unknown::Authorizer => "it asks what the user is allowed to do (`authorizer`)",
            Unknown::User => "it depends on who sends the request (`request.userInfo`)",
            Unknown::Options => "it depends on how the request is sent (`request.options`)",
            Unknown::Namespace => "it reads the namespace of the object, which is not among the inputs",
            Unknown::NamespaceLabels => {
                "it selects by labels of the namespace of the object, which is not among the inputs"
            }
            Unknown::SetByServer => "it reads metadata that only the server sets",
            Unknown::Resource => "the CRD of the object is not known",
            Unknown::Conversion => {
                "it is about another version of the kind, and only the server can convert the object"
            }
            Unknown::ParameterKind => "the CRD of its parameters is not known",
            Unknown::TooDeep => "its variables are nested too deep",
        }
    }
}

/// What an evaluation wanted to know.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<Seen>);

#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    first: Option<Unknown>,
    is_lost: bool,
}

impl Asked {
    fn with<T>(&self, change: impl FnOnce(&mut Seen) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes something, and gives the fault for it.
    pub(super) fn note(&self, unknown: Unknown) -> Fault {
        self.with(|seen| seen.first.get_or_insert(unknown).to_owned());
        Fault::new(unknown.why())
    }

    /// Notes that an answer was made up.
    pub(super) fn lose(&self) {
        self.with(|seen| seen.is_lost = true);
    }

    /// Begins anew.
    pub(super) fn reset(&self) {
        self.with(|seen| *seen = Seen::default());
    }

    /// What was asked first, if that may have changed the result. `has_value` says whether there is one.
    pub(super) fn decides(&self, has_value: bool) -> Option<Unknown> {
        self.with(|seen| seen.first.filter(|_| !has_value || seen.is_lost))
    }
}

/// An object of which some fields are not known.
#[derive(Debug)]
pub(super) struct Partial {
    pub(super) known: Vec<(Arc<str>, Value)>,
    /// What is not known of the others; nothing if there are no others.
    pub(super) unknown: Option<fn(&str) -> Option<Unknown>>,
    pub(super) asked: Arc<Asked>,
}

impl Lazy for Partial {
    fn get(&self, key: &str) -> Option<Result<Value, Fault>> {
        match self.known.iter().find(|(name, _)| &**name == key) {
            Some((_, value)) => Some(Ok(value.clone())),
            None => self.unknown?(key).map(|unknown| Err(self.asked.note(unknown))),
        }
    }

    fn keys(&self) -> Vec<Arc<str>> {
        if self.unknown.is_some() {
            // What goes through all fields would miss some.
            self.asked.note(Unknown::SetByServer);
            self.asked.lose();
        }
        self.known.iter().map(|(name, _)| Arc::clone(name)).collect()
    }

    fn lose(&self, _: &str) {
        self.asked.lose();
    }
}
