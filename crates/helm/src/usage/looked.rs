//! Which values are looked at while something is done, for whoever wants to know. Questions stand in one another: what
//! an inner one finds, the outer one has found as well.
//!
//! What a template looked at that was run before is not gone through again: it is held as a whole, and taken apart only
//! for a condition, which has to know each value.

use std::cell::Cell;
use std::rc::Rc;

use super::paths::PathId;

/// So few values are noted one by one rather than as a whole.
const FEW: usize = 8;

/// The values that a run of a template looked at.
#[derive(Debug, Default)]
pub(super) struct Touched {
    paths: Box<[PathId]>,
    /// And what those runs looked at.
    runs: Box<[Rc<Touched>]>,
    /// The last listing that it was part of.
    listed: Cell<u32>,
}

/// The values that are looked at, in their order.
#[derive(Default)]
pub(super) struct Looked {
    /// What the open questions found, and where in it the innermost one begins.
    found: Vec<PathId>,
    start: usize,
    /// The runs that belong to it, and where those of the innermost question begin.
    runs: Vec<Rc<Touched>>,
    runs_start: usize,
    /// Where in `found` each value was put last, so that a question does not note it twice.
    last: Vec<u32>,
    /// The last listing that each value was part of.
    listed: Vec<u32>,
    listings: u32,
}

/// Where the question around another began.
pub(super) struct Outer {
    start: usize,
    runs_start: usize,
}

impl Looked {
    /// Begins to collect.
    pub(super) fn begin(&mut self) -> Outer {
        Outer {
            start: std::mem::replace(&mut self.start, self.found.len()),
            runs_start: std::mem::replace(&mut self.runs_start, self.runs.len()),
        }
    }

    /// A value is looked at.
    pub(super) fn add(&mut self, path: PathId) {
        let place = self.last.get(path.index()).map_or(0, |place| *place as usize);
        if place < self.start || self.found.get(place) != Some(&path) {
            replace(&mut self.last, path, u32::try_from(self.found.len()).unwrap_or(u32::MAX));
            self.found.push(path);
        }
    }

    /// All is looked at that a run looks at.
    pub(super) fn add_run(&mut self, touched: &Rc<Touched>) {
        if touched.paths.len() <= FEW && touched.runs.is_empty() {
            touched.paths.iter().for_each(|path| self.add(*path));
        } else {
            self.runs.push(Rc::clone(touched));
        }
    }

    /// Ends what was begun last, and lists what was found since.
    pub(super) fn end(&mut self, outer: Outer) -> Vec<PathId> {
        let (found, runs) = self.since();
        let mut all = found;
        let mut open = runs;
        while let Some(run) = open.pop() {
            for path in &run.paths {
                if replace(&mut self.listed, *path, self.listings) != self.listings {
                    all.push(*path);
                }
            }
            let is_new = |run: &&Rc<Touched>| run.listed.replace(self.listings) != self.listings;
            open.extend(run.runs.iter().filter(is_new).cloned());
        }
        self.leave(outer);
        all
    }

    /// Ends what was begun last, which was a run.
    pub(super) fn end_run(&mut self, outer: Outer) -> Rc<Touched> {
        let (paths, runs) = self.since();
        // Those around it hold the run itself from now on.
        self.found.truncate(self.start);
        self.runs.truncate(self.runs_start);
        self.leave(outer);
        let touched = Rc::new(Touched { paths: paths.into(), runs: runs.into(), listed: Cell::default() });
        self.add_run(&touched);
        touched
    }

    fn leave(&mut self, outer: Outer) {
        (self.start, self.runs_start) = (outer.start, outer.runs_start);
    }

    /// What the innermost question found, each value and each run once: a new listing, which they are part of.
    fn since(&mut self) -> (Vec<PathId>, Vec<Rc<Touched>>) {
        self.listings += 1;
        let mut paths = Vec::new();
        for path in self.found.get(self.start..).unwrap_or_default() {
            if replace(&mut self.listed, *path, self.listings) != self.listings {
                paths.push(*path);
            }
        }
        let runs = self.runs.get(self.runs_start..).unwrap_or_default();
        let is_new = |run: &&Rc<Touched>| run.listed.replace(self.listings) != self.listings;
        (paths, runs.iter().filter(is_new).cloned().collect())
    }
}

/// Keeps a number for a value, and gives the one before.
fn replace(all: &mut Vec<u32>, path: PathId, number: u32) -> u32 {
    if path.index() >= all.len() {
        all.resize(path.index() + 1, 0);
    }
    all.get_mut(path.index()).map_or(0, |kept| std::mem::replace(kept, number))
}

#[cfg(test)]
mod tests {
    use super::super::paths::{Paths, Step};
    use super::*;

    #[test]
    fn inner_questions_are_part_of_outer_ones_and_nothing_is_told_twice() {
        let mut paths = Paths::new();
        let mut path = |name: &str| paths.step(Paths::ROOT, Step::Key(name.into())).unwrap();
        let (a, b, c) = (path("a"), path("b"), path("c"));
        let mut looked = Looked::default();
        let none = looked.begin();
        looked.add(a);
        looked.add(a);
        let first = looked.begin();
        looked.add(b);
        looked.add(a);
        assert_eq!(looked.end(first), [b, a]);
        let second = looked.begin();
        looked.add(c);
        looked.add(b);
        looked.add(c);
        assert_eq!(looked.end(second), [c, b]);
        looked.add(c);
        assert_eq!(looked.end(none), [a, b, c]);
        let again = looked.begin();
        looked.add(a);
        assert_eq!(looked.end(again), [a]);
    }

    #[test]
    fn what_a_run_found_is_found_again_where_it_is_called() {
        let mut paths = Paths::new();
        let many: Vec<PathId> =
            (0..20).filter_map(|name| paths.step(Paths::ROOT, Step::Key(name.to_string().into()))).collect();
        let mut looked = Looked::default();
        let file = looked.begin();
        let run = looked.begin();
        many.iter().skip(1).for_each(|path| looked.add(*path));
        let helper = looked.end_run(run);
        let condition = looked.begin();
        looked.add(many[0]);
        looked.add(many[5]);
        looked.add_run(&helper);
        looked.add_run(&helper);
        let mut found = looked.end(condition);
        found.sort_unstable();
        assert_eq!(found, many);
        let whole = looked.end_run(file);
        let condition = looked.begin();
        looked.add_run(&whole);
        assert_eq!(looked.end(condition).len(), many.len());
    }
}
