//! Which branches of templates were taken, for whoever wants to know what a run did not reach.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use trueline_source::SourceId;

use super::{Frame, Run};
use crate::node::Branch;

/// The branches that runs have taken, by the place of `if`, `with` or `range`. Only those of sources count.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    taken: RefCell<FxHashMap<(SourceId, u32), Taken>>,
}

/// Which parts of a branch were executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// What stands behind the condition.
    pub list: bool,
    /// What stands behind `else`, or would.
    pub otherwise: bool,
}

/// A part of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    List,
    Otherwise,
}

impl Branches {
    /// Which parts of the branch were executed whose first action begins at an offset of a source.
    pub fn taken(&self, source: SourceId, start: u32) -> Taken {
        self.taken.borrow().get(&(source, start)).copied().unwrap_or_default()
    }

    /// Adds what other runs have taken.
    pub fn join(&mut self, other: &Branches) {
        let known = self.taken.get_mut();
        for (place, taken) in other.taken.borrow().iter() {
            let entry = known.entry(*place).or_default();
            entry.list |= taken.list;
            entry.otherwise |= taken.otherwise;
        }
    }
}

impl Run<'_> {
    /// Notes that a part of a branch is executed, if somebody wants to know.
    pub(super) fn take(&self, frame: &Frame<'_>, branch: &Branch, part: Part) {
        let Some(branches) = self.options.branches else { return };
        let Some(source) = frame.origin.source() else { return };
        let mut taken = branches.taken.borrow_mut();
        let entry = taken.entry((source, branch.place.start)).or_default();
        match part {
            Part::List => entry.list = true,
            Part::Otherwise => entry.otherwise = true,
        }
    }
}
