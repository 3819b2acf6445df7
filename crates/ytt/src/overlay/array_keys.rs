//! Which items of an array have a value at a key, while an overlay changes the array.

use rustc_hash::FxHashMap;

use super::compare::{same_by_key, value_of_key};
use crate::tree::{ArrayItem, Text, Value};

/// Up to how many searches an index is not worth its making.
const FEW: usize = 8;

/// Finds items of an array by the value of one of their keys.
pub(super) struct ArrayKeys {
    is_worth_it: bool,
    key: Option<Text>,
    /// How many items are known.
    length: usize,
    places: FxHashMap<u64, Vec<u32>>,
}

impl ArrayKeys {
    /// For an array that will be searched so many times.
    pub(super) fn new(searches: usize) -> ArrayKeys {
        ArrayKeys { is_worth_it: searches > FEW, key: None, length: 0, places: FxHashMap::default() }
    }

    /// The items that have the same value at the key as `new`; `None` if they have to be asked one by one, as where one of
    /// them does not have the key.
    pub(super) fn find(&mut self, items: &[ArrayItem], key: &Text, new: &Value) -> Option<Vec<usize>> {
        if !self.is_worth_it || items.len() <= FEW {
            return None;
        }
        let wanted = value_of_key(key.as_bytes(), new).ok()?;
        if self.key.as_ref() != Some(key) || self.length > items.len() {
            self.forget();
            self.key = Some(key.clone());
        }
        for (index, item) in items.iter().enumerate().skip(self.length) {
            let Ok(value) = value_of_key(key.as_bytes(), &item.value) else {
                self.forget();
                return None;
            };
            self.places.entry(value.fingerprint()).or_default().push(u32::try_from(index).ok()?);
        }
        self.length = items.len();
        let candidates = self.places.get(&wanted.fingerprint()).map_or(&[][..], Vec::as_slice);
        let is_it = |index: &usize| {
            items.get(*index).is_some_and(|item| same_by_key(key.as_bytes(), &item.value, new) == Ok(true))
        };
        Some(candidates.iter().map(|&index| index as usize).filter(is_it).collect())
    }

    /// Notes that items which were found with `new` have been changed.
    pub(super) fn changed(&mut self, items: &[ArrayItem], found: &[usize], new: &Value) {
        let Some(key) = &self.key else { return };
        let is_as_before = |index: &usize| {
            items.get(*index).is_some_and(|item| same_by_key(key.as_bytes(), &item.value, new) == Ok(true))
        };
        if !found.iter().all(is_as_before) {
            self.forget();
        }
    }

    /// Begins anew.
    pub(super) fn forget(&mut self) {
        self.key = None;
        self.length = 0;
        self.places.clear();
    }
}
