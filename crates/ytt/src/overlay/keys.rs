//! Which items of a map have a key, while an overlay changes the map.

use rustc_hash::FxHashSet;

use super::calls::Caller;
use super::fault::Fault;
use crate::tree::{KeyIndex, MapItem, Value};

/// Up to how many searches an index is not worth its making.
const FEW: usize = 8;

/// Finds items by their keys. Items are only marked as removed until the end, so the index stays true.
pub(super) struct Keys {
    index: Option<KeyIndex>,
    removed: FxHashSet<usize>,
}

impl Keys {
    /// For a map that will be searched so many times.
    pub(super) fn new(searches: usize) -> Keys {
        Keys { index: (searches > FEW).then(KeyIndex::new), removed: FxHashSet::default() }
    }

    /// The items with a key.
    pub(super) fn find(
        &mut self,
        items: &[MapItem],
        key: &Value,
        caller: &Caller<'_>,
    ) -> Result<Vec<usize>, Fault> {
        let removed = &self.removed;
        let is_there = |index: &usize| !removed.contains(index);
        match &mut self.index {
            Some(index) => {
                index.update(items);
                Ok(index.find_all(items, key).filter(is_there).collect())
            }
            None => {
                caller.charge(items.len() / 8)?;
                let with_key = items.iter().enumerate().filter(|(_, item)| item.key.is_same(key));
                Ok(with_key.map(|(index, _)| index).filter(is_there).collect())
            }
        }
    }

    /// Notes that items may have other keys than before.
    pub(super) fn forget(&mut self) {
        if self.index.is_some() {
            self.index = Some(KeyIndex::new());
        }
    }

    /// Marks an item as removed.
    pub(super) fn remove(&mut self, index: usize) {
        self.removed.insert(index);
    }

    /// Whether an item was removed.
    pub(super) fn is_removed(&self, index: usize) -> bool {
        self.removed.contains(&index)
    }

    /// Removes what was marked.
    pub(super) fn finish(self, items: &mut Vec<MapItem>) {
        if self.removed.is_empty() {
            return;
        }
        let mut index = 0;
        items.retain(|_| {
            index += 1;
            !self.removed.contains(&(index - 1))
        });
    }
}
