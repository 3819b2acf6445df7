//! Sorting as Go's `sort.Slice` does it: a pattern-defeating quicksort, which is not stable. Items with equal keys come out in
//! an order of its own, and a comparison that is not a total order, because of NaN, still ends.

/// Up to so many items are sorted by inserting one after the other.
const INSERTED: usize = 12;
/// From so many items on a pivot is chosen from nine instead of three.
const NINTHER: usize = 50;

/// The numbers below `count` in the order that `is_less` gives.
pub(super) fn order(count: usize, is_less: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut sorter = Sorter { order: (0..count).collect(), is_less };
    let bad_pivots = usize::BITS - count.leading_zeros();
    sorter.quick(0, count, bad_pivots);
    sorter.order
}

struct Sorter<'a> {
    order: Vec<usize>,
    is_less: &'a dyn Fn(usize, usize) -> bool,
}

/// What the items that a pivot was chosen from look like.
#[derive(PartialEq)]
enum Hint {
    Increasing,
    Decreasing,
    Unknown,
}

impl Sorter<'_> {
    fn less(&self, left: usize, right: usize) -> bool {
        match (self.order.get(left), self.order.get(right)) {
            (Some(left), Some(right)) => (self.is_less)(*left, *right),
            _ => false,
        }
    }

    fn swap(&mut self, left: usize, right: usize) {
        if left.max(right) < self.order.len() {
            self.order.swap(left, right);
        }
    }

    /// Sorts the items from `start` to `end`. After so many bad pivots it is done with a heap.
    fn quick(&mut self, mut start: usize, mut end: usize, mut bad_pivots: u32) {
        let (mut was_balanced, mut was_partitioned) = (true, true);
        loop {
            let length = end - start;
            if length <= INSERTED {
                return self.insert(start, end);
            }
            if bad_pivots == 0 {
                return self.heap(start, end);
            }
            if !was_balanced {
                self.shuffle(start, end);
                bad_pivots -= 1;
            }
            let (mut pivot, mut hint) = self.pivot(start, end);
            if hint == Hint::Decreasing {
                if let Some(range) = self.order.get_mut(start..end) {
                    range.reverse();
                }
                pivot = (end - 1) - (pivot - start);
                hint = Hint::Increasing;
            }
            let looks_sorted = was_balanced && was_partitioned && hint == Hint::Increasing;
            if looks_sorted && self.insert_a_few(start, end) {
                return;
            }
            // The pivot is the smallest item: all equal ones are put to its left.
            if start > 0 && !self.less(start - 1, pivot) {
                start = self.partition_equal(start, end, pivot);
                continue;
            }
            let (middle, already) = self.partition(start, end, pivot);
            was_partitioned = already;
            let (left, right) = (middle - start, end - middle);
            was_balanced = left.min(right) >= length / 8;
            if left < right {
                self.quick(start, middle, bad_pivots);
                start = middle + 1;
            } else {
                self.quick(middle + 1, end, bad_pivots);
                end = middle;
            }
        }
    }

    fn insert(&mut self, start: usize, end: usize) {
        for next in start + 1..end {
            let mut place = next;
            while place > start && self.less(place, place - 1) {
                self.swap(place, place - 1);
                place -= 1;
            }
        }
    }

    fn heap(&mut self, start: usize, end: usize) {
        let length = end - start;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift_down(root, length, start);
        }
        for last in (0..length).rev() {
            self.swap(start, start + last);
            self.sift_down(0, last, start);
        }
    }

    fn sift_down(&mut self, mut root: usize, length: usize, start: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= length {
                return;
            }
            if child + 1 < length && self.less(start + child, start + child + 1) {
                child += 1;
            }
            if !self.less(start + root, start + child) {
                return;
            }
            self.swap(start + root, start + child);
            root = child;
        }
    }

    /// Moves a few items to other places, always the same ones, so a pattern that makes bad pivots does not last.
    fn shuffle(&mut self, start: usize, end: usize) {
        let length = end - start;
        let mut random = length as u64;
        let mask = (1_usize << (usize::BITS - length.leading_zeros())) - 1;
        let first = start + (length / 4) * 2 - 1;
        for step in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = random as usize & mask;
            if other >= length {
                other -= length;
            }
            self.swap(first + step, start + other);
        }
    }

    fn pivot(&self, start: usize, end: usize) -> (usize, Hint) {
        let length = end - start;
        let mut swaps = 0;
        let quarter = length / 4;
        let (mut low, mut middle, mut high) = (start + quarter, start + quarter * 2, start + quarter * 3);
        if length >= NINTHER {
            low = self.median(low - 1, low, low + 1, &mut swaps);
            middle = self.median(middle - 1, middle, middle + 1, &mut swaps);
            high = self.median(high - 1, high, high + 1, &mut swaps);
        }
        let chosen = self.median(low, middle, high, &mut swaps);
        let hint = match swaps {
            0 => Hint::Increasing,
            12 => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (chosen, hint)
    }

    fn median(&self, low: usize, middle: usize, high: usize, swaps: &mut u32) -> usize {
        let mut ordered = |left: usize, right: usize| {
            if self.less(right, left) {
                *swaps += 1;
                return (right, left);
            }
            (left, right)
        };
        let (low, middle) = ordered(low, middle);
        let (middle, _) = ordered(middle, high);
        ordered(low, middle).1
    }

    /// Whether the items are sorted after at most five of them were moved.
    fn insert_a_few(&mut self, start: usize, end: usize) -> bool {
        let mut next = start + 1;
        for _ in 0..5 {
            while next < end && !self.less(next, next - 1) {
                next += 1;
            }
            if next == end {
                return true;
            }
            if end - start < NINTHER {
                return false;
            }
            self.swap(next, next - 1);
            if next - start >= 2 {
                let mut place = next - 1;
                while place >= 1 && self.less(place, place - 1) {
                    self.swap(place, place - 1);
                    place -= 1;
                }
            }
            let mut place = next + 1;
            while end - next >= 2 && place < end && self.less(place, place - 1) {
                self.swap(place, place - 1);
                place += 1;
            }
        }
        false
    }

    /// Puts what is less than the pivot to its left, and the rest to its right: where the pivot is then, and whether
    /// nothing had to be moved.
    fn partition(&mut self, start: usize, end: usize, pivot: usize) -> (usize, bool) {
        self.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        let mut already = true;
        loop {
            while low <= high && self.less(low, start) {
                low += 1;
            }
            while low <= high && !self.less(high, start) {
                high -= 1;
            }
            if low > high {
                break;
            }
            already = false;
            self.swap(low, high);
            low += 1;
            high -= 1;
        }
        self.swap(high, start);
        (high, already)
    }

    /// Puts what is equal to the pivot first: where the rest begins.
    fn partition_equal(&mut self, start: usize, end: usize, pivot: usize) -> usize {
        self.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        loop {
            while low <= high && !self.less(start, low) {
                low += 1;
            }
            while low <= high && self.less(start, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.swap(low, high);
            low += 1;
            high -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The orders were recorded from Go. The second one has bad pivots.
    #[test]
    fn equal_keys_come_in_the_order_of_go() {
        let found = order(20, &|left, right| left % 3 < right % 3);
        assert_eq!(found, [9, 18, 15, 3, 12, 0, 6, 10, 7, 4, 13, 16, 1, 19, 8, 5, 11, 14, 2, 17]);
        let key = |index: usize| index * index % 7 % 2;
        let found = order(150, &|left, right| key(left) < key(right));
        assert_eq!(found.get(..12), Some(&[74, 21, 2, 3, 4, 5, 149, 7, 147, 9, 10, 11][..]));
    }

    #[test]
    fn every_pattern_is_sorted() {
        for count in [0, 1, 2, 12, 13, 49, 50, 100, 1_000] {
            for pattern in 0..6_usize {
                let key = |index: usize| match pattern {
                    0 => index,
                    1 => count - index,
                    2 => index * 7_919 % 1_009,
                    3 => index % 5,
                    4 => index.min(count - index),
                    _ => index ^ 1,
                };
                let found = order(count, &|left, right| key(left) < key(right));
                assert!(found.is_sorted_by_key(|index| key(*index)), "{count} {pattern}");
                let mut all = found.clone();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..count));
            }
        }
    }

    #[test]
    fn a_comparison_without_order_ends() {
        for count in [13, 100, 2_000] {
            assert_eq!(order(count, &|_, _| true).len(), count);
            assert_eq!(order(count, &|left, right| (left * 31 + right * 17) % 3 == 0).len(), count);
        }
    }
}
