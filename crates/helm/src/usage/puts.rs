//! What templates put into values, and into what Helm gives to them: for every template that runs later, it is as if it
//! had been there from the beginning.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::abstraction::{Abstract, Atom};
use super::paths::{PathId, Paths};

/// What was put where, and when.
#[derive(Default)]
pub(super) struct Puts {
    owners: FxHashMap<Atom, Owner>,
    /// Which values of the chart are among them: nearly all that is asked for is not.
    paths: Vec<bool>,
    /// Whether something else is.
    has_others: bool,
    /// Counts what was new.
    clock: u32,
    /// When a string became known that a `tpl` may run.
    texts: u32,
    /// When something was put where it may be a global of all charts.
    globals: u32,
}

/// What was put into one value.
#[derive(Default)]
struct Owner {
    under: FxHashMap<Arc<str>, Put>,
    /// What all entries of were put into it.
    everywhere: Option<Put>,
    changed: u32,
}

#[derive(Default)]
struct Put {
    value: Abstract,
    changed: u32,
}

impl Puts {
    /// The time, which goes on when something new is put somewhere.
    pub(super) fn clock(&self) -> u32 {
        self.clock
    }

    /// Whether something was put into a value.
    pub(super) fn has(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Path(path) => self.paths.get(path.index()).is_some_and(|is_owner| *is_owner),
            Atom::Root(_) | Atom::Builtin(_) => self.has_others && self.owners.contains_key(atom),
            _ => false,
        }
    }

    fn owner(&self, atom: &Atom) -> Option<&Owner> {
        if self.has(atom) { self.owners.get(atom) } else { None }
    }

    /// What was put under a key of a value.
    pub(super) fn under(&self, atom: &Atom, key: &str) -> Option<&Abstract> {
        self.owner(atom)?.under.get(key).map(|put| &put.value)
    }

    /// What was put under any key of a value.
    pub(super) fn under_keys(&self, atom: &Atom) -> impl Iterator<Item = &Abstract> {
        self.owner(atom).into_iter().flat_map(|owner| owner.under.values()).map(|put| &put.value)
    }

    /// The maps whose entries were put into a value.
    pub(super) fn everywhere(&self, atom: &Atom) -> Option<&Abstract> {
        self.owner(atom)?.everywhere.as_ref().map(|put| &put.value)
    }

    /// Puts something under a key of a value, or all entries of something into it; tells whether that is new.
    pub(super) fn put(
        &mut self,
        atom: &Atom,
        key: Option<&Arc<str>>,
        value: &Abstract,
        paths: &Paths,
    ) -> bool {
        if let Atom::Path(path) = atom {
            let length = self.paths.len().max(path.index() + 1);
            self.paths.resize(length, false);
            self.paths.iter_mut().skip(path.index()).take(1).for_each(|is_owner| *is_owner = true);
        } else {
            self.has_others = true;
        }
        let owner = self.owners.entry(atom.clone()).or_default();
        let put = match key {
            Some(key) => owner.under.entry(Arc::clone(key)).or_default(),
            None => owner.everywhere.get_or_insert_default(),
        };
        let is_new = put.value.join(value);
        if is_new {
            self.clock += 1;
            (put.changed, owner.changed) = (self.clock, self.clock);
            let is_chart = matches!(atom, Atom::Path(path) if paths.is_chart(*path));
            if is_chart && key.is_none_or(|key| &**key == "global") {
                self.globals = self.clock;
            }
        }
        is_new
    }

    /// A string became known that a `tpl` may run.
    pub(super) fn change_texts(&mut self) {
        self.clock += 1;
        self.texts = self.clock;
    }

    /// Whether such a string became known since.
    pub(super) fn has_new_texts(&self, since: u32) -> bool {
        self.texts > since
    }

    /// Whether something was put under a key of a value since.
    pub(super) fn is_new_under(&self, atom: &Atom, key: &str, since: u32) -> bool {
        let under = self.owner(atom).and_then(|owner| owner.under.get(key));
        under.is_some_and(|put| put.changed > since) || self.is_new_everywhere(atom, since)
    }

    /// Whether entries of something were put into a value since.
    pub(super) fn is_new_everywhere(&self, atom: &Atom, since: u32) -> bool {
        let everywhere = self.owner(atom).and_then(|owner| owner.everywhere.as_ref());
        everywhere.is_some_and(|put| put.changed > since)
    }

    /// Whether anything was put into a value of the chart since.
    pub(super) fn is_new_in(&self, path: PathId, since: u32) -> bool {
        self.owner(&Atom::Path(path)).is_some_and(|owner| owner.changed > since)
    }

    /// Whether a global was put anywhere since.
    pub(super) fn has_new_globals(&self, since: u32) -> bool {
        self.globals > since
    }
}
