//! What a check found, and how much of the value passed: a branch of `anyOf` or `oneOf` that passed most
//! checks is the one whose errors are shown.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use trueline_kube_facts::{Breach, FieldError, FieldPath, Segment};
use trueline_source::Span;

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) breach: Breach,
    /// What it is about.
    pub(super) name: Name,
    /// The value as the server prints it.
    pub(super) value: Option<String>,
    pub(super) place: Option<Span>,
}

/// What a fault is about.
#[derive(Debug, Clone)]
pub(super) enum Name {
    /// A field, by its path from the value that is checked.
    Field(FieldPath),
    /// The schema as a whole: the server gives no field for `allOf`, `anyOf`, `oneOf` and `not`.
    Whole,
}

impl Fault {
    pub(super) fn into_error(self, path: &FieldPath) -> FieldError {
        let field = match &self.name {
            // The server puts a dot between both, even before an index.
            Name::Field(name) if matches!(name.segments(), [Segment::Index(_), ..]) && !path.is_empty() => {
                path.field("").join(name)
            }
            Name::Field(name) => path.join(name),
            Name::Whole => path.clone(),
        };
        FieldError { value: self.value, ..FieldError::new(self.breach, field, self.place) }
    }
}

/// The result of a check.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// By the server's own text of them: equal texts are one fault.
    found: IndexMap<Arc<str>, Fault, FxBuildHasher>,
    /// How many checks were made or passed, as the server counts them.
    pub(super) passed: u64,
}

impl Faults {
    /// A result with one fault.
    pub(super) fn of(text: String, fault: Fault) -> Self {
        let mut faults = Faults::default();
        faults.add(text, fault);
        faults
    }

    /// A result without faults that counts.
    pub(super) fn passed() -> Self {
        Faults { passed: 1, ..Faults::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds a fault; `text` is what it is known by.
    pub(super) fn add(&mut self, text: String, fault: Fault) {
        self.found.entry(text.into()).or_insert(fault);
    }

    /// Adds what another check found and passed.
    pub(super) fn merge(&mut self, other: Faults) {
        self.passed += other.passed;
        if self.found.is_empty() {
            self.found = other.found;
            return;
        }
        for (text, fault) in other.found {
            self.found.entry(text).or_insert(fault);
        }
    }

    /// Forgets the faults, not what passed.
    pub(super) fn forgive(&mut self) {
        self.found.clear();
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = Fault> {
        self.found.into_values()
    }
}
