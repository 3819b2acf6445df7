//! What is known of a value in a template before it runs: which values of the chart it may be or hold.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::builtin::Builtin;
use super::paths::PathId;

/// One thing that a value may be.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// Something that holds no values of the chart.
    Unknown,
    /// A string that is written in the template.
    Text(Arc<str>),
    /// A string whose beginning and end are written in the template.
    Like(Arc<str>, Arc<str>),
    /// A value of the chart.
    Path(PathId),
    /// A string that was made of a value of the chart.
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
pub(super) struct Abstract(Atoms);

/// What a value may be. Nearly all values are one thing, which needs no memory of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
enum Atoms {
    #[default]
    None,
    One(Atom),
    /// Two or more, sorted.
    Many(Vec<Atom>),
}

impl Abstract {
    /// Something that holds no values of the chart.
    pub(super) fn unknown() -> Self {
        Atom::Unknown.into()
    }

    /// No value at all: what no branch gives.
    pub(super) fn nothing() -> Self {
        Abstract(Atoms::None)
    }

    pub(super) fn atoms(&self) -> &[Atom] {
        match &self.0 {
            Atoms::None => &[],
            Atoms::One(atom) => std::slice::from_ref(atom),
            Atoms::Many(atoms) => atoms,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.atoms().len()
    }

    /// Adds what another may be; tells whether that was new.
    pub(super) fn join(&mut self, other: &Abstract) -> bool {
        let before = self.len();
        for atom in other.atoms() {
            self.add(atom.clone());
        }
        self.len() != before
    }

    pub(super) fn add(&mut self, atom: Atom) {
        self.0 = match std::mem::take(&mut self.0) {
            Atoms::None => Atoms::One(atom),
            Atoms::One(known) => match known.cmp(&atom) {
                Ordering::Less => Atoms::Many(vec![known, atom]),
                Ordering::Equal => Atoms::One(known),
                Ordering::Greater => Atoms::Many(vec![atom, known]),
            },
            Atoms::Many(mut atoms) => {
                if let Err(position) = atoms.binary_search(&atom) {
                    atoms.insert(position, atom);
                }
                Atoms::Many(atoms)
            }
        };
    }

    pub(super) fn joined(mut self, other: &Abstract) -> Self {
        self.join(other);
        self
    }

    /// The value of the chart that it is for certain.
    pub(super) fn only_path(&self) -> Option<PathId> {
        match self.atoms() {
            [Atom::Path(path)] => Some(*path),
            _ => None,
        }
    }

    /// The text that it is for certain.
    pub(super) fn only_text(&self) -> Option<&Arc<str>> {
        match self.atoms() {
            [Atom::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// The atoms that a search has met: most meet a few.
#[derive(Default)]
pub(super) struct Seen {
    few: Vec<Atom>,
    many: FxHashSet<Atom>,
}

impl Seen {
    /// So few are compared one by one.
    const FEW: usize = 12;

    /// Remembers an atom; tells whether it is new.
    pub(super) fn insert(&mut self, atom: &Atom) -> bool {
        if self.few.contains(atom) {
            return false;
        }
        if self.few.len() < Self::FEW {
            self.few.push(atom.clone());
            return true;
        }
        self.many.insert(atom.clone())
    }
}

impl From<Atom> for Abstract {
    fn from(atom: Atom) -> Self {
        Abstract(Atoms::One(atom))
    }
}

impl From<Vec<Atom>> for Abstract {
    fn from(mut atoms: Vec<Atom>) -> Self {
        if atoms.len() > 1 {
            atoms.sort_unstable();
            atoms.dedup();
        }
        Abstract(match atoms.len() {
            0 => Atoms::None,
            1 => atoms.pop().map_or(Atoms::None, Atoms::One),
            _ => Atoms::Many(atoms),
        })
    }
}

impl FromIterator<Atom> for Abstract {
    fn from_iter<I: IntoIterator<Item = Atom>>(atoms: I) -> Self {
        atoms.into_iter().collect::<Vec<Atom>>().into()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_sorted_and_kept_once() {
        let text = |text: &str| Atom::Text(text.into());
        let mut value = Abstract::nothing();
        assert_eq!(value.atoms(), &[]);
        value.add(text("b"));
        value.add(text("b"));
        assert_eq!(value, Abstract::from(text("b")));
        assert!(value.join(&[text("c"), text("a")].into_iter().collect()));
        assert!(!value.join(&text("a").into()));
        assert_eq!(value.atoms(), &[text("a"), text("b"), text("c")]);
        assert_eq!(value.only_text(), None);
    }
}
