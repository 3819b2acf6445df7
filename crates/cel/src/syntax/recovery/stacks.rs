//! The stacks of calls that a prediction keeps apart, shared as a graph.

use rustc_hash::FxHashMap;

use super::grammar::StateId;

/// A set of stacks with a number of its own: equal sets have equal numbers.
pub(super) type StackId = u32;

/// The stack that is empty. A prediction without context does not know what is below it.
pub(super) const EMPTY: StackId = 0;

/// How deep two sets of stacks are compared when they are joined. Beyond it they are taken for equal, which is only
/// reached far into expressions that are too deep anyway.
const DEEPEST_JOIN: u32 = 1_000;

/// What the empty stack means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    /// Anything may be below it, so it covers all other stacks.
    Anything,
    /// Nothing is below it.
    Nothing,
}

/// All stacks of one prediction.
#[derive(Debug)]
pub(super) struct Stacks {
    /// The tops of each set, by the state to return to, each with what is below it.
    sets: Vec<Vec<(StateId, StackId)>>,
    numbers: FxHashMap<Vec<(StateId, StackId)>, StackId>,
}

impl Stacks {
    pub(super) fn new() -> Self {
        Self { sets: vec![Vec::new()], numbers: FxHashMap::default() }
    }

    /// The tops of a set of stacks; none for the empty stack.
    pub(super) fn tops(&self, stacks: StackId) -> &[(StateId, StackId)] {
        self.sets.get(stacks as usize).map(Vec::as_slice).unwrap_or_default()
    }

    fn number(&mut self, tops: Vec<(StateId, StackId)>) -> StackId {
        if tops.is_empty() {
            return EMPTY;
        }
        if let Some(&number) = self.numbers.get(&tops) {
            return number;
        }
        let number = self.sets.len() as StackId;
        self.sets.push(tops.clone());
        self.numbers.insert(tops, number);
        number
    }

    /// The stacks with one more state on top.
    pub(super) fn push(&mut self, stacks: StackId, state: StateId) -> StackId {
        self.number(vec![(state, stacks)])
    }

    /// The stacks of both sets.
    pub(super) fn join(&mut self, one: StackId, other: StackId, below: Below) -> StackId {
        self.join_at(one, other, below, 0)
    }

    fn join_at(&mut self, one: StackId, other: StackId, below: Below, depth: u32) -> StackId {
        if one == other || depth > DEEPEST_JOIN {
            return one;
        }
        if one == EMPTY || other == EMPTY {
            return match below {
                Below::Anything => EMPTY,
                Below::Nothing => one.max(other),
            };
        }
        let (left, right) = (self.tops(one).to_vec(), self.tops(other).to_vec());
        let mut joined = Vec::with_capacity(left.len() + right.len());
        let mut left = left.into_iter().peekable();
        let mut right = right.into_iter().peekable();
        while let (Some(&a), Some(&b)) = (left.peek(), right.peek()) {
            if a.0 <= b.0 {
                left.next();
            }
            if b.0 <= a.0 {
                right.next();
            }
            joined.push(match a.0.cmp(&b.0) {
                std::cmp::Ordering::Less => a,
                std::cmp::Ordering::Greater => b,
                std::cmp::Ordering::Equal => (a.0, self.join_at(a.1, b.1, below, depth + 1)),
            });
        }
        joined.extend(left);
        joined.extend(right);
        self.number(joined)
    }
}
