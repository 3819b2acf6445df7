//! The clock and the dice that templates see.

use std::net::ToSocketAddrs;
use std::sync::{Mutex, PoisonError};

use trueline_helm::Environment;

use crate::world::World;

/// Who answers when a template asks for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Unknown,
    LookedUp,
}

/// The clock stands still while a chart is rendered; the dice are those of the system, or repeat themselves.
#[derive(Debug)]
pub(super) struct Dice {
    now: (i64, u32),
    random: fn(&mut [u8]),
    /// The state of dice that repeat themselves.
    state: Option<Mutex<u64>>,
    names: Names,
}

/// What the clock shows beside a seed: the first second of 2025.
const SEEDED_NOW: (i64, u32) = (1_735_689_600, 0);

impl Dice {
    pub(super) fn new(world: &World, seed: Option<u64>, names: Names) -> Self {
        // Certificates and dates hold the time, so dice that repeat themselves need a clock that does.
        let now = if seed.is_some() { SEEDED_NOW } else { world.now() };
        Dice { now, random: world.random, state: seed.map(Mutex::new), names }
    }
}

impl Environment for Dice {
    fn now(&self) -> (i64, u32) {
        self.now
    }

    fn random(&self, buffer: &mut [u8]) {
        let Some(state) = &self.state else { return (self.random)(buffer) };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in buffer.chunks_mut(8) {
            let bytes = next(&mut state).to_le_bytes();
            chunk.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        }
    }

    fn lookup_host(&self, name: &str) -> String {
        if self.names == Names::Unknown {
            return String::new();
        }
        let addresses = (name, 0).to_socket_addrs();
        addresses
            .ok()
            .and_then(|mut found| found.next())
            .map(|found| found.ip().to_string())
            .unwrap_or_default()
    }
}

/// SplitMix64: every seed gives a sequence of its own, the same on every machine.
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
    use std::collections::BTreeMap;

    fn roll(seed: Option<u64>) -> [u8; 20] {
        let (world, ..) = World::new("/".into(), BTreeMap::new());
        let mut bytes = [0; 20];
        Dice::new(&world, seed, Names::Unknown).random(&mut bytes);
        bytes
    }

    #[test]
    fn a_seed_repeats_itself_and_others_differ() {
        assert_eq!(roll(Some(7)), roll(Some(7)));
        assert_ne!(roll(Some(7)), roll(Some(8)));
        assert_ne!(roll(None), roll(None));
    }

    #[test]
    fn names_are_looked_up_only_when_asked_for() {
        let (world, ..) = World::new("/".into(), BTreeMap::new());
        assert_eq!(Dice::new(&world, None, Names::Unknown).lookup_host("localhost"), "");
        assert_ne!(Dice::new(&world, None, Names::LookedUp).lookup_host("127.0.0.1"), "");
    }
}
