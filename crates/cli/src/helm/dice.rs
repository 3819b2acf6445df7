//! The clock and the dice that templates see.

use std::sync::Arc;

use trueline_helm::{Environment, Seeded};
use trueline_source::System;

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
    system: Arc<dyn System>,
    /// The dice that repeat themselves.
    seeded: Option<Seeded>,
    names: Names,
}

impl Dice {
    pub(super) fn new(world: &World, seed: Option<u64>, names: Names) -> Self {
        let seeded = seed.map(Seeded::new);
        // Certificates and dates hold the time, so dice that repeat themselves need a clock that does.
        let now = seeded.as_ref().map_or_else(|| world.now(), Seeded::now);
        Dice { now, system: world.system(), seeded, names }
    }
}

impl Environment for Dice {
    fn now(&self) -> (i64, u32) {
        self.now
    }

    fn random(&self, buffer: &mut [u8]) {
        match &self.seeded {
            Some(seeded) => seeded.random(buffer),
            None => self.system.random(buffer),
        }
    }

    fn seed(&self) -> Option<u64> {
        self.seeded.as_ref().and_then(Environment::seed)
    }

    fn lookup_host(&self, name: &str) -> String {
        if self.names == Names::Unknown {
            return String::new();
        }
        self.system.address_of(name).unwrap_or_default()
    }
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
