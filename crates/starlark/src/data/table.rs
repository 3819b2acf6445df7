//! A hash table that keeps the order of insertion. Keys are compared by its users, because comparing can fail.

use crate::{Value, live};

/// Tables of at most this many entries are searched from the front, without an index.
const SMALL: usize = 8;
const EMPTY: u32 = 0;
const DELETED: u32 = u32::MAX;

pub(super) struct Entry {
    pub(super) hash: u32,
    /// Unset if the entry was deleted.
    pub(super) key: Value,
    pub(super) value: Value,
}

#[derive(Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// The indices of entries, counted from one, at the slots of their hashes. Empty for small tables.
    index: Vec<u32>,
    live: usize,
    /// All entries before this one are deleted.
    first: usize,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.live
    }

    pub(super) fn entry(&self, position: usize) -> Option<&Entry> {
        self.entries.get(position)
    }

    pub(super) fn set_value(&mut self, position: usize, value: Value) {
        if let Some(entry) = self.entries.get_mut(position) {
            entry.value = value;
        }
    }

    /// The live entries, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.key.is_unset())
    }

    /// The first live entry at or after this position, with the position after it.
    pub(super) fn next(&self, position: usize) -> Option<(usize, &Entry)> {
        let start = position.max(self.first);
        let found = self.entries.iter().enumerate().skip(start).find(|(_, entry)| !entry.key.is_unset());
        found.map(|(position, entry)| (position + 1, entry))
    }

    /// Calls `found` with each live entry that has this hash, until it returns true.
    #[inline]
    pub(super) fn search(&self, hash: u32, mut found: impl FnMut(usize, &Entry) -> bool) {
        if self.index.is_empty() {
            for (position, entry) in self.entries.iter().enumerate() {
                if entry.hash == hash && !entry.key.is_unset() && found(position, entry) {
                    return;
                }
            }
            return;
        }
        let mask = self.index.len() - 1;
        let mut slot = spread(hash) & mask;
        while let Some(&number) = self.index.get(slot) {
            if number == EMPTY {
                return;
            }
            if number != DELETED {
                let position = number as usize - 1;
                if let Some(entry) = self.entries.get(position)
                    && entry.hash == hash
                    && found(position, entry)
                {
                    return;
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds a new key.
    pub(super) fn push(&mut self, hash: u32, key: Value, value: Value) {
        let before = self.bytes();
        if self.entries.len() > SMALL && self.entries.len() > self.live * 2 {
            self.rebuild();
        }
        self.entries.push(Entry { hash, key, value });
        self.live += 1;
        let count = self.entries.len();
        if count > SMALL {
            if count * 2 > self.index.len() {
                self.reindex((count * 4).next_power_of_two());
            } else {
                self.place(hash, count as u32);
            }
        }
        let after = self.bytes();
        if after > before {
            live::add(after - before);
        } else {
            live::remove(before - after);
        }
    }

    /// Removes an entry.
    pub(super) fn remove(&mut self, position: usize) -> Option<(Value, Value)> {
        let entry = self.entries.get_mut(position).filter(|entry| !entry.key.is_unset())?;
        let hash = entry.hash;
        let key = std::mem::replace(&mut entry.key, Value::UNSET);
        let value = std::mem::replace(&mut entry.value, Value::UNSET);
        self.live -= 1;
        if position == self.first {
            self.first += 1;
        }
        if !self.index.is_empty() {
            let mask = self.index.len() - 1;
            let mut slot = spread(hash) & mask;
            while let Some(number) = self.index.get_mut(slot).filter(|number| **number != EMPTY) {
                if *number == position as u32 + 1 {
                    *number = DELETED;
                    break;
                }
                slot = (slot + 1) & mask;
            }
        }
        Some((key, value))
    }

    /// All contents; the table is empty afterwards.
    pub(super) fn take(&mut self) -> Vec<Value> {
        live::remove(self.bytes());
        let table = std::mem::take(self);
        table.entries.into_iter().flat_map(|entry| [entry.key, entry.value]).collect()
    }

    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.index.capacity() * size_of::<u32>()
    }

    fn rebuild(&mut self) {
        self.entries.retain(|entry| !entry.key.is_unset());
        self.first = 0;
        if !self.index.is_empty() {
            self.reindex(self.index.len());
        }
    }

    fn reindex(&mut self, size: usize) {
        self.index.clear();
        self.index.resize(size, EMPTY);
        let hashes: Vec<(u32, bool)> =
            self.entries.iter().map(|entry| (entry.hash, entry.key.is_unset())).collect();
        for (position, (hash, deleted)) in hashes.into_iter().enumerate() {
            if !deleted {
                self.place(hash, position as u32 + 1);
            }
        }
    }

    fn place(&mut self, hash: u32, number: u32) {
        let mask = self.index.len() - 1;
        let mut slot = spread(hash) & mask;
        while let Some(place) = self.index.get_mut(slot) {
            if *place == EMPTY || *place == DELETED {
                *place = number;
                return;
            }
            slot = (slot + 1) & mask;
        }
    }
}

fn spread(hash: u32) -> usize {
    (hash.wrapping_mul(0x9E37_79B9) >> 7) as usize
}
