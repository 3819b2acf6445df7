//! What the charts of a run may cost together.
//!
//! Charts are checked side by side, and so are the sets of values of a chart. Which of them is the one too many must
//! not depend on which was faster: each is numbered, what it cost is noted, and it counts only if those before it left
//! enough. What comes after that is given up, also where it was done already.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What one chart may cost: steps of its templates, with all its sets of values.
pub(crate) const CHART: u64 = 200_000_000;

/// What all charts of a run may cost beyond what each may for its size.
const RUN: u64 = 2 * CHART;

/// What a chart may cost for its size: several times as much as real charts do.
const FREE: u64 = 100_000;
const FREE_PER_BYTE: u64 = 256;

/// What a byte of rendered text costs: it is read and checked.
pub(crate) const COST_PER_WRITTEN_BYTE: u64 = 8;

/// What a document or a finding costs: it is kept until the last set of values is done.
pub(crate) const COST_PER_DOCUMENT: u64 = 2_000;

/// What a step of validating values against schemas costs: it takes longer than one of a template.
pub(crate) const COST_PER_SCHEMA_STEP: u64 = 4;

/// What a first try may cost. What needs more is done again, one at a time: it may take as much memory as it wants
/// steps.
pub(crate) const FIRST_TRY: u64 = 20_000_000;

/// A sum that is shared by numbered parts of some work.
#[derive(Debug)]
pub(crate) struct Budget {
    most: u64,
    /// What each part cost, if it cost anything.
    spent: Mutex<BTreeMap<usize, u64>>,
    large: Mutex<()>,
}

impl Budget {
    /// For the charts of a run.
    pub(crate) fn of_run() -> Self {
        Budget::new(RUN)
    }

    /// For the sets of values of a chart.
    pub(crate) fn of_chart() -> Self {
        Budget::new(CHART)
    }

    fn new(most: u64) -> Self {
        Budget { most, spent: Mutex::default(), large: Mutex::default() }
    }

    fn spent(&self) -> MutexGuard<'_, BTreeMap<usize, u64>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is left for a part, as far as it is known now: those before it that are not done may still take of it.
    pub(crate) fn left_for(&self, number: usize) -> u64 {
        let before = self.spent().range(..number).fold(0, |sum: u64, (_, cost)| sum.saturating_add(*cost));
        self.most.saturating_sub(before)
    }

    /// Whether the parts before one cost more than they may already.
    pub(crate) fn is_spent_before(&self, number: usize) -> bool {
        number.checked_sub(1).is_some_and(|before| self.is_over(before))
    }

    /// Notes what a part cost, beside what was noted of it before.
    pub(crate) fn note(&self, number: usize, cost: u64) {
        if cost > 0 {
            let mut spent = self.spent();
            let sum = spent.entry(number).or_default();
            *sum = sum.saturating_add(cost);
        }
    }

    /// Whether a part and those before it cost more than they may. The answer is final once all of them are noted.
    pub(crate) fn is_over(&self, number: usize) -> bool {
        let sum = self.spent().range(..=number).fold(0, |sum: u64, (_, cost)| sum.saturating_add(*cost));
        sum > self.most
    }

    /// What all parts cost together, as far as they were allowed to: parts that ran side by side may have cost more before
    /// it was known that nothing was left for them, and that depends on which was faster.
    pub(crate) fn total(&self) -> u64 {
        let sum = self.spent().values().fold(0, |sum: u64, cost| sum.saturating_add(*cost));
        sum.min(self.most)
    }

    /// Does something large, which nothing else may do at the same time.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _alone = self.large.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

/// The place of one chart in the budget of its run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share<'b> {
    pub(crate) run: &'b Budget,
    pub(crate) number: usize,
}

impl Share<'_> {
    /// Whether those before this chart cost too much already, whatever those of them that are not done will cost.
    pub(crate) fn is_spent(self) -> bool {
        self.run.is_spent_before(self.number)
    }

    /// Notes what the chart cost, beyond what it may for its size.
    pub(crate) fn note(self, cost: u64, bytes: u64) {
        let free = bytes.saturating_mul(FREE_PER_BYTE).saturating_add(FREE);
        self.run.note(self.number, cost.saturating_sub(free));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_parts_decides_and_not_the_order_in_which_they_are_done() {
        let costs = [0, 40, 0, 50, 20, 0, 1];
        let orders: [[usize; 7]; 3] = [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [4, 1, 6, 0, 3, 5, 2]];
        for order in orders {
            let budget = Budget::new(100);
            for number in order {
                budget.note(number, costs[number]);
            }
            let over: Vec<usize> = (0..costs.len()).filter(|number| budget.is_over(*number)).collect();
            assert_eq!(over, [4, 5, 6], "{order:?}");
        }
    }

    #[test]
    fn what_is_left_is_never_less_than_what_will_be() {
        let budget = Budget::new(100);
        assert_eq!(budget.left_for(3), 100);
        budget.note(5, 90);
        assert_eq!((budget.left_for(3), budget.left_for(6)), (100, 10));
        budget.note(1, 70);
        assert_eq!((budget.left_for(3), budget.left_for(6)), (30, 0));
        assert!(!budget.is_over(1) && budget.is_over(5));
    }

    #[test]
    fn parts_that_nothing_was_left_for_cost_nothing_beyond_the_whole() {
        let budget = Budget::new(100);
        for number in 0..3 {
            budget.note(number, 90);
        }
        assert_eq!(budget.total(), 100);
    }

    #[test]
    fn a_chart_pays_only_for_what_its_size_does_not_explain() {
        let budget = Budget::new(1_000);
        let share = Share { run: &budget, number: 0 };
        share.note(FREE + 10 * FREE_PER_BYTE, 10);
        assert!(!budget.is_over(0) && !share.is_spent());
        share.note(FREE + 10 * FREE_PER_BYTE + 1_001, 10);
        assert!(budget.is_over(0));
        assert!(Share { run: &budget, number: 1 }.is_spent());
    }
}
