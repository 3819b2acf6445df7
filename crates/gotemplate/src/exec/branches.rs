//! Records which branches of templates were taken, for reports on what a run did not reach.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use trueline_source::SourceId;

use super::{Frame, Run};
use crate::node::Branch;

/// The branches that runs have taken, by the place of `if`, `with` or `range`, for templates that are sources.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    taken: RefCell<FxHashMap<(SourceId, u32), Taken>>,
}

/// Which parts of a branch were executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// The part after the condition.
    pub list: bool,
    /// The part after `else`, whether or not there is one.
    pub otherwise: bool,
}

/// A part of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    List,
    Otherwise,
}

impl Branches {
    /// Which parts were executed of the branch whose first action begins at this offset of the source.
    pub fn taken(&self, source: SourceId, start: u32) -> Taken {
        self.taken.borrow().get(&(source, start)).copied().unwrap_or_default()
    }

    /// Adds the branches that other runs have taken.
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
    /// Records that a part of a branch is executed, if branches are recorded.
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
