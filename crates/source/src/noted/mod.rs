//! A system seen through somebody's open texts, which notes what is looked at: an answer that was computed from it holds
//! as long as a look at the same things would show the same.

mod loader;
mod system;

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use system::NotedSystem;

/// Texts that count in the place of files, by the real paths of these.
pub type Texts = BTreeMap<PathBuf, OpenText>;

/// What somebody has in the place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenText {
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// Nothing: the file counts as removed.
    Removed,
}

/// A look at something.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Look {
    /// What a file holds.
    Bytes(PathBuf),
    /// What somebody says of what a file holds: the judgement stands in the place of a hash.
    Judged(PathBuf),
    /// Whether there is something, and what.
    Entry(PathBuf),
    /// The names in a directory, with what they are.
    Names(PathBuf),
    /// The same, with how long files are.
    Entries(PathBuf),
}

/// What was looked at, with a hash of the bytes that were seen. Nothing stands for what could not be read.
#[derive(Debug, Default)]
pub struct Reads {
    looks: Mutex<HashMap<Look, Option<u64>>>,
}

impl Reads {
    /// Notes a look. Of two at the same thing the first counts: if it had changed in between, the answer is stale.
    pub fn note(&self, look: Look, seen: Option<u64>) {
        self.looks().entry(look).or_insert(seen);
    }

    /// Whether all looks would show what they showed, as far as somebody can tell of each.
    pub fn all(&self, mut holds: impl FnMut(&Look, Option<u64>) -> bool) -> bool {
        self.looks().iter().all(|(look, seen)| holds(look, *seen))
    }

    /// How many looks there were.
    pub fn count(&self) -> usize {
        self.looks().len()
    }

    fn looks(&self) -> MutexGuard<'_, HashMap<Look, Option<u64>>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hash of bytes that were seen.
pub fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The names directly below a directory that texts add to it, or take away.
fn children<'t>(texts: &'t Texts, directory: &'t Path) -> impl Iterator<Item = (&'t str, Child)> {
    let below = texts
        .range::<Path, _>((Bound::Included(directory), Bound::Unbounded))
        .take_while(move |(path, _)| path.starts_with(directory));
    below.filter_map(move |(path, text)| {
        let mut parts = path.strip_prefix(directory).ok()?.components();
        let name = parts.next()?.as_os_str().to_str()?;
        let child = match (parts.next(), text) {
            (Some(_), OpenText::Bytes(_)) => Child::Directory,
            (Some(_), OpenText::Removed) => return None,
            (None, OpenText::Bytes(bytes)) => Child::File(bytes.len() as u64),
            (None, OpenText::Removed) => Child::Gone,
        };
        Some((name, child))
    })
}

/// What texts make of a name in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Child {
    File(u64),
    Directory,
    Gone,
}
