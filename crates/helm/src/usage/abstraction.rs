//! What is known of a value in a template before it runs: which values of the chart it may be or hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin::Builtin;
use super::paths::PathId;

/// One thing that a value may be.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// Something that holds no values of the chart.
    Unknown,
    /// A text that stands in the template.
    Text(Arc<str>),
    /// A text of which the beginning and the end stand in the template.
    Like(Arc<str>, Arc<str>),
    /// A value of the chart.
    Path(PathId),
    /// A text that was made of a value of the chart.
    Made(PathId),
    /// What the templates of a chart are given: `.Values`, `.Chart` and so on.
    Root(usize),
    /// `.Chart`, `.Release` and the like.
    Builtin(Builtin),
    /// `.Subcharts` of a chart.
    Subcharts(usize),
    /// `.Files` of a chart, or what one of them holds.
    Files(usize),
    /// A map or list that a template made.
    Object(ObjectId),
}

/// A map or list that a template made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ObjectId(pub(super) u32);

/// A value that may be any of a few things.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Abstract(Vec<Atom>);

impl Abstract {
    /// Something that holds no values of the chart.
    pub(super) fn unknown() -> Self {
        Atom::Unknown.into()
    }

    /// No value at all: what no branch gives.
    pub(super) fn nothing() -> Self {
        Abstract(Vec::new())
    }

    pub(super) fn atoms(&self) -> &[Atom] {
        &self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds what another may be; tells whether that was new.
    pub(super) fn join(&mut self, other: &Abstract) -> bool {
        let before = self.0.len();
        for atom in &other.0 {
            self.add(atom.clone());
        }
        self.0.len() != before
    }

    pub(super) fn add(&mut self, atom: Atom) {
        if let Err(position) = self.0.binary_search(&atom) {
            self.0.insert(position, atom);
        }
    }

    pub(super) fn joined(mut self, other: &Abstract) -> Self {
        self.join(other);
        self
    }

    /// The value of the chart that it is for certain.
    pub(super) fn only_path(&self) -> Option<PathId> {
        match self.0.as_slice() {
            [Atom::Path(path)] => Some(*path),
            _ => None,
        }
    }

    /// The text that it is for certain.
    pub(super) fn only_text(&self) -> Option<&Arc<str>> {
        match self.0.as_slice() {
            [Atom::Text(text)] => Some(text),
            _ => None,
        }
    }
}

impl From<Atom> for Abstract {
    fn from(atom: Atom) -> Self {
        Abstract(vec![atom])
    }
}

impl FromIterator<Atom> for Abstract {
    fn from_iter<I: IntoIterator<Item = Atom>>(atoms: I) -> Self {
        let mut value = Abstract::nothing();
        atoms.into_iter().for_each(|atom| value.add(atom));
        value
    }
}

/// What is known of a map or list that a template made. What was put in once stays: nothing is taken out again.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    /// By key; of a list, by number.
    pub(super) fields: BTreeMap<Arc<str>, Abstract>,
    /// Under keys that are not known.
    pub(super) any: Abstract,
    /// Maps and lists whose entries it has as well.
    pub(super) parents: Abstract,
}
