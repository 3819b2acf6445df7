//! The places that marks stand for. A run marks each value that a template looks at, so there may be millions.

use std::hash::{Hash, Hasher};
use std::ptr;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHasher};
use trueline_starlark::Mark;

use crate::tree::{File, Position};

/// Places, each with one mark.
pub(super) struct Places {
    /// Also keeps the files alive that are known by their addresses.
    files: Vec<Rc<File>>,
    numbers: FxHashMap<*const File, u32>,
    /// The file that was asked for last, with its number: mostly it is the next one as well.
    last: (*const File, u32),
    /// The place of mark 1 comes first.
    places: Vec<FileStretch>,
    /// Marks by the hash of their place, in the first free slot from there on; zero is a free one. Its length is a power
    /// of two.
    slots: Vec<u32>,
}

/// A stretch of the file with a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FileStretch {
    file: u32,
    start: u32,
    end: u32,
}

impl FileStretch {
    fn slot(self) -> usize {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish() as usize
    }
}

impl Default for Places {
    fn default() -> Places {
        Places {
            files: Vec::new(),
            numbers: FxHashMap::default(),
            last: (ptr::null(), 0),
            places: Vec::new(),
            slots: Vec::new(),
        }
    }
}

impl Places {
    /// The mark of a place; none for unknown ones.
    pub(super) fn mark(&mut self, position: &Position) -> Mark {
        let (Some(file), Some(range)) = (position.file(), position.range()) else { return Mark::NONE };
        let place = FileStretch { file: self.number(file), start: range.start, end: range.end };
        if self.places.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = place.slot() & mask;
        while let Some(&mark) = self.slots.get(at).filter(|mark| **mark != 0) {
            if self.places.get(mark as usize - 1) == Some(&place) {
                return Mark(mark);
            }
            at = (at + 1) & mask;
        }
        let Ok(mark) = u32::try_from(self.places.len() + 1) else { return Mark::NONE };
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = mark;
            self.places.push(place);
        }
        Mark(mark)
    }

    /// The place of a mark; unknown for [`Mark::NONE`].
    pub(super) fn position(&self, mark: Mark) -> Position {
        let place = (mark.0 as usize).checked_sub(1).and_then(|index| self.places.get(index));
        let known = place.and_then(|place| Some((self.files.get(place.file as usize)?, place)));
        known.map_or_else(Position::unknown, |(file, place)| Position::new(file, place.start..place.end))
    }

    fn number(&mut self, file: &Rc<File>) -> u32 {
        let address = Rc::as_ptr(file);
        if self.last.0 != address {
            let number = *self.numbers.entry(address).or_insert_with(|| {
                self.files.push(Rc::clone(file));
                self.files.len() as u32 - 1
            });
            self.last = (address, number);
        }
        self.last.1
    }

    /// Makes twice as many slots, and puts the marks into them again.
    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(64);
        self.slots = vec![0; length];
        for (index, place) in self.places.iter().enumerate() {
            let mut at = place.slot() & (length - 1);
            while self.slots.get(at).is_some_and(|mark| *mark != 0) {
                at = (at + 1) & (length - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = index as u32 + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_many_places_has_its_mark() {
        let text = "x".repeat(10_000);
        let files = [File::new("a.yml", text.as_str()), File::new("b.yml", text.as_str())];
        let mut places = Places::default();
        let place = |index: u32| Position::new(&files[index as usize % 2], index..index + 1 + index % 3);
        for round in 0..2 {
            for index in 0..5_000 {
                assert_eq!(places.mark(&place(index)), Mark(index + 1), "{round}");
            }
        }
        for index in 0..5_000 {
            let found = places.position(Mark(index + 1));
            assert_eq!((found.file_name(), found.range()), (place(index).file_name(), place(index).range()));
        }
    }
}
