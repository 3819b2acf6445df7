//! Charts that are not on the disk: those of repositories, of addresses and of registries.

mod access;
mod cache;
mod credentials;
mod download;
mod fetch;
mod indexes;
mod paths;
mod registry;

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_helm::chart::Compat;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::repository::{Index, unusable};
use trueline_source::Secret;

use super::flag::Parsed;
use crate::world::World;

pub(super) use access::{Access, FLAGS, Options};
pub(super) use cache::place;
pub(super) use download::{Download, Target};
pub(super) use indexes::check_protocol;
pub(super) use paths::Paths;
pub(super) use registry::Provenance;

/// Bytes of an index.
const LARGEST_INDEX: u64 = 256 << 20;
/// Bytes of an archive, and of everything else.
const LARGEST_ARCHIVE: u64 = 128 << 20;

/// Where registries say what was pulled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notes {
    Stdout,
    Stderr,
}

/// What one run knows about places that are not on the disk.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) paths: Paths,
    pub(super) options: Options,
    compat: Compat,
    notes: Notes,
    debug: bool,
    /// The indexes that were read, so that none is read twice.
    indexes: BTreeMap<String, Arc<Index>>,
    /// The `Authorization` headers that registries have taken, by registry and repository.
    tokens: BTreeMap<String, Secret>,
}

/// Whether the certificates that the flags name can be used. Helm looks at them first, whether a server is asked for
/// anything or not.
pub(super) fn check_certificates(parsed: &Parsed, world: &World) -> Result<(), String> {
    let missing = |wrong: String| format!("missing registry client: {wrong}");
    let certificates = Options::new(parsed, world).access("").certificates(world);
    let certificates = certificates.map_err(|error| missing(error.into()))?;
    world.system().check_certificates(&certificates).map_err(|fault| missing(unusable(&fault)))
}

impl Remote {
    /// What the flags and the environment say. `notes` is where Helm 4 says what was pulled from a registry.
    pub(super) fn new(parsed: &Parsed, compat: Compat, notes: Notes, world: &World) -> Self {
        Remote {
            paths: Paths::new(parsed, world),
            options: Options::new(parsed, world),
            compat,
            notes: if compat == Compat::Helm3 { Notes::Stderr } else { notes },
            debug: parsed.is_on("debug"),
            indexes: BTreeMap::new(),
            tokens: BTreeMap::new(),
        }
    }

    fn log(&self, world: &mut World, lines: &[LogLine]) {
        let is_shown = |line: &&LogLine| line.level != Level::Debug || self.debug;
        for line in lines.iter().filter(is_shown).filter_map(|line| line.render(self.compat)) {
            world.complain(&line);
        }
    }

    fn note(&self, world: &mut World, line: &str) -> Result<(), String> {
        match self.notes {
            Notes::Stdout => world.tell(&format!("{line}\n")),
            Notes::Stderr => {
                world.complain(line);
                Ok(())
            }
        }
    }
}
