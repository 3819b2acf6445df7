//! What the resources of a run may cost together, in steps of the validator.

/// What a resource may cost at first. What needs more is validated again, one at a time.
const FIRST_TRY: u64 = 100_000;

/// What all resources of a run may cost beyond what each may for its size.
const RUN: u64 = 60_000_000;
const FREE: u64 = 1_000;
const FREE_PER_PART: u64 = 200;

/// What is left of it.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Budget { left: RUN }
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// What a resource may cost that is validated beside others. Nothing is tried where nothing is left.
    pub(crate) fn first_try(&self) -> u64 {
        if self.is_spent() { 0 } else { FIRST_TRY }
    }

    /// What a resource may cost that is validated alone.
    pub(crate) fn left(&self) -> u64 {
        self.left.max(FIRST_TRY)
    }

    /// Pays for a resource of so many parts, beyond what it may cost for its size.
    pub(crate) fn pay(&mut self, steps: u64, parts: u64) {
        let free = parts.saturating_mul(FREE_PER_PART).saturating_add(FREE);
        self.left = self.left.saturating_sub(steps.saturating_sub(free));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_its_size_does_not_explain_is_paid_for() {
        let mut budget = Budget::new();
        for _ in 0..1_000_000 {
            budget.pay(FREE + 50 * FREE_PER_PART, 50);
        }
        assert_eq!((budget.left(), budget.is_spent()), (RUN, false));
        budget.pay(RUN, 0);
        assert_eq!((budget.left(), budget.is_spent()), (FIRST_TRY, false));
        budget.pay(RUN, 0);
        assert!(budget.is_spent());
        assert_eq!(budget.first_try(), 0);
    }
}
