//! Hands units over as they are finished, in their order: a unit is handed over when all before it have been.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::input::Progress;
use crate::run::Done;

/// Units that are finished while others are still looked at.
pub(crate) struct Emitter<'p> {
    progress: &'p dyn Progress,
    /// The last word on a unit, once all before it are finished.
    last_word: &'p (dyn Fn(Done) -> Done + Sync),
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of the part that is handed over next.
    next: usize,
    /// Parts that are finished before those that precede them.
    early: BTreeMap<usize, Vec<Done>>,
    /// What was handed over.
    done: Vec<Done>,
}

impl<'p> Emitter<'p> {
    pub(crate) fn new(progress: &'p dyn Progress, last_word: &'p (dyn Fn(Done) -> Done + Sync)) -> Self {
        Emitter { progress, last_word, state: Mutex::default() }
    }

    /// Takes the finished units of a part of the run; parts have the numbers from 0 on.
    pub(crate) fn finish(&self, part: usize, done: Vec<Done>) {
        // Whoever holds the lock writes, so that nothing overtakes anything.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.early.insert(part, done);
        loop {
            let next = state.next;
            let Some(ready) = state.early.remove(&next) else { return };
            for done in ready.into_iter().map(self.last_word) {
                self.progress.unit(&done.unit);
                state.done.push(done);
            }
            state.next += 1;
        }
    }

    /// All units that were handed over.
    pub(crate) fn into_done(self) -> Vec<Done> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).done
    }
}

#[cfg(test)]
mod tests {
    use trueline_diagnostic::Unit;

    use super::*;

    struct Heard(Mutex<Vec<String>>);

    impl Progress for Heard {
        fn units(&self, _count: usize) {}
        fn done(&self) {}
        fn unit(&self, unit: &Unit) {
            self.0.lock().unwrap().push(unit.name.clone());
        }
    }

    #[test]
    fn a_unit_is_handed_over_when_all_before_it_have_been() {
        let heard = Heard(Mutex::default());
        let rename = |mut done: Done| {
            done.unit.name = done.unit.name.replace('c', "C");
            done
        };
        let emitter = Emitter::new(&heard, &rename);
        let part = |names: &[&str]| {
            let unit = |name: &&str| Unit { name: (*name).to_owned(), ..Unit::default() };
            names.iter().map(|name| Done::of(unit(name))).collect::<Vec<_>>()
        };
        let so_far = || heard.0.lock().unwrap().join(" ");
        emitter.finish(1, part(&["c"]));
        assert_eq!(so_far(), "");
        emitter.finish(0, part(&["a", "b"]));
        assert_eq!(so_far(), "a b C");
        emitter.finish(3, part(&["d"]));
        emitter.finish(2, Vec::new());
        assert_eq!(so_far(), "a b C d");
        assert_eq!(emitter.into_done().len(), 4);
    }
}
