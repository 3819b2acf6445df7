//! Tuples, ranges, large numbers, and the boxes of variables that functions share.

use std::cell::RefCell;
use std::ops::Deref;

use num_bigint::BigInt;

use crate::{Value, live};

/// A tuple.
pub(crate) struct Tuple(Vec<Value>);

impl Tuple {
    pub(crate) fn new(items: Vec<Value>) -> Tuple {
        live::add(live::OBJECT + items.capacity() * size_of::<Value>());
        Tuple(items)
    }

    pub(crate) fn items(&self) -> &[Value] {
        &self.0
    }
}

impl Drop for Tuple {
    fn drop(&mut self) {
        let items = std::mem::take(&mut self.0);
        live::remove(live::OBJECT + items.capacity() * size_of::<Value>());
        live::release(items);
    }
}

/// The result of `range()`.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    pub(crate) start: i64,
    pub(crate) stop: i64,
    /// Never zero.
    pub(crate) step: i64,
    length: usize,
}

impl Range {
    /// The step must not be zero.
    pub(crate) fn new(start: i64, stop: i64, step: i64) -> Range {
        let (from, to, by) = (i128::from(start), i128::from(stop), i128::from(step));
        let length = match step {
            1.. if stop > start => (to - 1 - from) / by + 1,
            ..=-1 if start > stop => (from - 1 - to) / -by + 1,
            _ => 0,
        };
        Range { start, stop, step, length: usize::try_from(length).unwrap_or(0) }
    }

    /// How many numbers it has.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// One of its numbers.
    pub fn get(&self, index: usize) -> Option<i64> {
        let index = i64::try_from(index).ok().filter(|_| index < self.length)?;
        index.checked_mul(self.step)?.checked_add(self.start)
    }

    pub(crate) fn contains(&self, number: i64) -> bool {
        let delta = i128::from(number) - i128::from(self.start);
        let step = i128::from(self.step);
        delta % step == 0 && (0..self.length as i128).contains(&(delta / step))
    }

    pub(crate) fn slice(&self, start: i64, end: i64, step: i64) -> Range {
        let at = |index: i64| self.start.saturating_add(self.step.saturating_mul(index));
        Range::new(at(start), at(end), self.step.saturating_mul(step))
    }
}

impl PartialEq for Range {
    /// Ranges are equal if they yield the same numbers.
    fn eq(&self, other: &Range) -> bool {
        self.length == other.length
            && (self.length == 0
                || self.start == other.start && (self.length == 1 || self.step == other.step))
    }
}

/// A local variable that inner functions use as well.
pub(crate) struct Cell {
    value: RefCell<Value>,
    pub(crate) state: super::State,
}

impl Cell {
    pub(crate) fn new(value: Value) -> Cell {
        live::add(live::OBJECT);
        Cell { value: RefCell::new(value), state: super::State::default() }
    }

    pub(crate) fn get(&self) -> Value {
        self.value.borrow().clone()
    }

    pub(crate) fn set(&self, value: Value) {
        let old = self.value.replace(value);
        if !old.is_scalar() {
            live::release(vec![old]);
        }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        live::remove(live::OBJECT);
        let value = std::mem::replace(self.value.get_mut(), Value::UNSET);
        if !value.is_scalar() {
            live::release(vec![value]);
        }
    }
}

/// An integer of more than 64 bits.
pub(crate) struct Big(BigInt);

impl Big {
    pub(crate) fn new(value: BigInt) -> Big {
        let big = Big(value);
        live::add(big.bytes());
        big
    }

    fn bytes(&self) -> usize {
        live::OBJECT + usize::try_from(self.0.bits() / 8).unwrap_or(0)
    }
}

impl Drop for Big {
    fn drop(&mut self) {
        live::remove(self.bytes());
    }
}

impl Deref for Big {
    type Target = BigInt;

    fn deref(&self) -> &BigInt {
        &self.0
    }
}
