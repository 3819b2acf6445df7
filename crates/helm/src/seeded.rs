//! A clock that stands still and dice that repeat themselves, so that two renderings can be compared.

use std::sync::{Mutex, PoisonError};

use trueline_gotemplate::Environment;

/// What the clock shows: the first second of 2025.
const NOW: (i64, u32) = (1_735_689_600, 0);

/// The environment of a rendering that can be repeated. Every seed gives a sequence of its own, the same on
/// every machine.
#[derive(Debug)]
pub struct Seeded {
    seed: u64,
    state: Mutex<u64>,
}

impl Seeded {
    /// The environment of a seed.
    pub fn new(seed: u64) -> Self {
        Seeded { seed, state: Mutex::new(seed) }
    }

    /// The environment of a seed for one text among several: what the others draw does not matter to it.
    pub(crate) fn for_text(seed: u64, name: &[u8]) -> Self {
        let mut state = seed;
        for byte in name {
            state ^= u64::from(*byte);
            state = next(&mut state);
        }
        Seeded::new(state)
    }
}

impl Environment for Seeded {
    fn now(&self) -> (i64, u32) {
        NOW
    }

    fn random(&self, buffer: &mut [u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in buffer.chunks_mut(8) {
            let bytes = next(&mut state).to_le_bytes();
            chunk.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        }
    }

    fn seed(&self) -> Option<u64> {
        Some(self.seed)
    }

    fn lookup_host(&self, _: &str) -> String {
        String::new()
    }
}

/// The dice of one template. Whether somebody still wants the output is for those around them to say.
#[derive(Clone, Copy)]
pub(crate) struct OfTemplate<'e> {
    pub(crate) dice: &'e Seeded,
    pub(crate) around: &'e dyn Environment,
}

impl Environment for OfTemplate<'_> {
    fn now(&self) -> (i64, u32) {
        self.dice.now()
    }

    fn random(&self, buffer: &mut [u8]) {
        self.dice.random(buffer);
    }

    fn seed(&self) -> Option<u64> {
        self.dice.seed()
    }

    fn lookup_host(&self, name: &str) -> String {
        self.dice.lookup_host(name)
    }

    fn is_cancelled(&self) -> bool {
        self.around.is_cancelled()
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_itself_and_others_differ() {
        let roll = |seed| {
            let mut bytes = [0; 20];
            Seeded::new(seed).random(&mut bytes);
            bytes
        };
        assert_eq!(roll(7), roll(7));
        assert_ne!(roll(7), roll(8));
    }

    #[test]
    fn each_text_has_dice_of_its_own() {
        let roll = |seed, name: &str| {
            let mut bytes = [0; 20];
            Seeded::for_text(seed, name.as_bytes()).random(&mut bytes);
            bytes
        };
        assert_eq!(roll(7, "a/b"), roll(7, "a/b"));
        assert_ne!(roll(7, "a/b"), roll(8, "a/b"));
        assert_ne!(roll(7, "a/b"), roll(7, "a/c"));
    }
}
