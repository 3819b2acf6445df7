//! Which values are looked at while something is done, for whoever wants to know. Questions stand in one another: what
//! an inner one finds, the outer one has found as well.

use super::paths::PathId;

/// The values that were looked at, in their order.
#[derive(Default)]
pub(super) struct Looked {
    /// Those that the open questions found.
    found: Vec<PathId>,
    /// Where in `found` those of the innermost question begin.
    start: usize,
    /// Where in `found` each value was put last, so that a question does not note it twice.
    last: Vec<u32>,
}

/// Where the question around another began.
pub(super) struct Outer(usize);

impl Looked {
    /// Begins to collect.
    pub(super) fn begin(&mut self) -> Outer {
        Outer(std::mem::replace(&mut self.start, self.found.len()))
    }

    /// A value is looked at.
    pub(super) fn add(&mut self, path: PathId) {
        if !self.has(path, self.found.len()) {
            self.put(path, self.found.len());
            self.found.push(path);
        }
    }

    /// Ends what was begun last, and gives what was found since.
    pub(super) fn end(&mut self, outer: Outer) -> Vec<PathId> {
        // Questions inside of this one noted what each of them found.
        let mut kept = self.start;
        for index in self.start..self.found.len() {
            let Some(&path) = self.found.get(index) else { break };
            if !self.has(path, kept) {
                self.put(path, kept);
                if let Some(place) = self.found.get_mut(kept) {
                    *place = path;
                }
                kept += 1;
            }
        }
        self.found.truncate(kept);
        let found = self.found.get(self.start..).unwrap_or_default().to_vec();
        self.start = outer.0;
        found
    }

    /// Whether a value is among those of the innermost question, before a place.
    fn has(&self, path: PathId, end: usize) -> bool {
        let last = self.last.get(path.index()).map_or(usize::MAX, |last| *last as usize);
        (self.start..end).contains(&last) && self.found.get(last) == Some(&path)
    }

    fn put(&mut self, path: PathId, place: usize) {
        let index = path.index();
        if index >= self.last.len() {
            self.last.resize(index + 1, u32::MAX);
        }
        if let Some(last) = self.last.get_mut(index) {
            *last = u32::try_from(place).unwrap_or(u32::MAX);
        }
    }
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
        assert_eq!(looked.begin().0, 0);
        assert_eq!(looked.end(Outer(0)), []);
        looked.add(c);
        assert_eq!(looked.end(none), [a, b, c]);
        let again = looked.begin();
        looked.add(a);
        assert_eq!(looked.end(again), [a]);
    }
}
