//! A queue that is nearly always soon empty again: a vector with a head index, so the common operations are an
//! addition and a comparison.

/// A queue.
#[derive(Debug)]
pub(super) struct Queue<T> {
    items: Vec<T>,
    head: usize,
}

impl<T: Copy> Queue<T> {
    pub(super) fn new() -> Self {
        Queue { items: Vec::with_capacity(16), head: 0 }
    }

    #[inline]
    pub(super) fn front(&self) -> Option<T> {
        self.items.get(self.head).copied()
    }

    #[inline]
    pub(super) fn push_back(&mut self, item: T) {
        self.items.push(item);
    }

    #[inline]
    pub(super) fn pop_front(&mut self) -> Option<T> {
        let item = self.front()?;
        self.head += 1;
        if self.head == self.items.len() {
            self.clear();
        } else if self.head > 1024 && self.head > self.items.len() / 2 {
            // A queue that is never empty must not grow for ever.
            self.items.drain(..self.head);
            self.head = 0;
        }
        Some(item)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.items.len() - self.head
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.head == self.items.len()
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.head = 0;
    }

    /// Inserts an item before the one at `index`, counted from the head.
    #[inline]
    pub(super) fn insert(&mut self, index: usize, item: T) {
        let place = (self.head + index).min(self.items.len());
        self.items.insert(place, item);
    }

    /// The last item.
    #[inline]
    pub(super) fn back(&self) -> Option<T> {
        if self.is_empty() { None } else { self.items.last().copied() }
    }

    /// Takes the last item away.
    #[inline]
    pub(super) fn pop_back(&mut self) {
        if !self.is_empty() {
            self.items.pop();
        }
    }

    /// The items in order.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.items[self.head..]
    }

    /// Takes the item at `index`, counted from the head, away.
    pub(super) fn remove(&mut self, index: usize) {
        if self.head + index < self.items.len() {
            self.items.remove(self.head + index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_with_exceptions() {
        let mut queue = Queue::new();
        for number in 0..5000 {
            queue.push_back(number);
            if number % 2 == 1 {
                assert_eq!(queue.pop_front(), Some(number / 2));
            }
        }
        assert_eq!(queue.len(), 2500);
        queue.insert(1, -1);
        queue.remove(0);
        queue.pop_back();
        assert_eq!((queue.front(), queue.back(), queue.len()), (Some(-1), Some(4998), 2499));
        queue.clear();
        assert!(queue.is_empty() && queue.as_slice().is_empty() && queue.pop_front().is_none());
    }
}
