//! Stable sorting. If comparing may fail, or the order is inconsistent, the result and the error depend on the
//! algorithm, which is then that of the original: insertion sort of short blocks, which are merged in place.

use std::cmp::Ordering;

use crate::Thread;
use crate::custom::CompareOp;
use crate::error::{Error, ErrorKind};
use crate::ops::compare;
use crate::value::{Inner, Value};

/// A key with the value that is sorted by it.
type Keyed = (Value, Value);

pub(super) fn sort(thread: &mut Thread, items: &mut [Keyed], reverse: bool) -> Result<(), Error> {
    let length = items.len();
    thread.spend(length.saturating_mul(length.checked_ilog2().unwrap_or(0) as usize + 1))?;
    if let Some(order) = plain_order(items) {
        items.sort_by(|(one, _), (two, _)| if reverse { order(two, one) } else { order(one, two) });
        return Ok(());
    }
    let mut sorting = Sorting { thread, items, reverse, error: None };
    sorting.sort()?;
    sorting.error.map_or(Ok(()), Err)
}

/// How to compare keys that are all strings, or all small integers, or all floats that are numbers.
fn plain_order(items: &[Keyed]) -> Option<fn(&Value, &Value) -> Ordering> {
    if items.iter().all(|(key, _)| matches!(key.0, Inner::Text(..))) {
        return Some(|one, two| one.as_bytes().cmp(&two.as_bytes()));
    }
    if items.iter().all(|(key, _)| matches!(key.0, Inner::Int(..))) {
        return Some(|one, two| one.as_int().cmp(&two.as_int()));
    }
    None
}

struct Sorting<'a> {
    thread: &'a mut Thread,
    items: &'a mut [Keyed],
    reverse: bool,
    /// The last failure: the original continues, and reports this one.
    error: Option<Error>,
}

const BLOCK: usize = 20;

impl Sorting<'_> {
    fn less(&mut self, one: usize, two: usize) -> Result<bool, Error> {
        let (one, two) = if self.reverse { (two, one) } else { (one, two) };
        let (Some((one, _)), Some((two, _))) = (self.items.get(one), self.items.get(two)) else {
            return Ok(false);
        };
        let (one, two) = (one.clone(), two.clone());
        self.thread.spend(1)?;
        match compare(self.thread, CompareOp::Less, &one, &two) {
            Ok(less) => Ok(less),
            Err(error) if error.kind() == ErrorKind::Limit => Err(error),
            Err(error) => {
                self.error = Some(error);
                Ok(false)
            }
        }
    }

    fn sort(&mut self) -> Result<(), Error> {
        let length = self.items.len();
        for start in (0..length).step_by(BLOCK) {
            self.insertion_sort(start, (start + BLOCK).min(length))?;
        }
        let mut size = BLOCK;
        while size < length {
            let mut start = 0;
            while start + size < length {
                self.merge(start, start + size, (start + 2 * size).min(length))?;
                start += 2 * size;
            }
            size *= 2;
        }
        Ok(())
    }

    fn insertion_sort(&mut self, start: usize, end: usize) -> Result<(), Error> {
        for index in start + 1..end {
            let mut place = index;
            while place > start && self.less(place, place - 1)? {
                self.items.swap(place, place - 1);
                place -= 1;
            }
        }
        Ok(())
    }

    /// Merges two sorted parts in place: finds how much of the end of the first belongs after how much of the
    /// start of the second, exchanges them, and does the same on both sides.
    fn merge(&mut self, start: usize, middle: usize, end: usize) -> Result<(), Error> {
        if middle - start == 1 {
            let (mut low, mut high) = (middle, end);
            while low < high {
                let half = usize::midpoint(low, high);
                if self.less(half, start)? { low = half + 1 } else { high = half }
            }
            self.rotate(start, start + 1, low);
            return Ok(());
        }
        if end - middle == 1 {
            let (mut low, mut high) = (start, middle);
            while low < high {
                let half = usize::midpoint(low, high);
                if self.less(middle, half)? { high = half } else { low = half + 1 }
            }
            self.rotate(low, middle, middle + 1);
            return Ok(());
        }
        let half = usize::midpoint(start, end);
        let sum = half + middle;
        let (mut low, mut high) = if middle > half { (sum - end, half) } else { (start, middle) };
        while low < high {
            let at = usize::midpoint(low, high);
            if self.less(sum - 1 - at, at)? { high = at } else { low = at + 1 }
        }
        let other = sum - low;
        if low < middle && middle < other {
            self.rotate(low, middle, other);
        }
        if start < low && low < half {
            self.merge(start, low, half)?;
        }
        if half < other && other < end {
            self.merge(half, other, end)?;
        }
        Ok(())
    }

    /// Exchanges the parts before and after `middle`.
    fn rotate(&mut self, start: usize, middle: usize, end: usize) {
        if let Some(part) = self.items.get_mut(start..end) {
            part.rotate_left(middle - start);
        }
    }
}
