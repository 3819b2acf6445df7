//! A system seen through somebody's open texts, which notes what is looked at: an answer that was computed from it holds
//! as long as a look at the same things would show the same.

mod loader;
mod system;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Entry;

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
    Judged(PathBuf, Judge),
    /// Whether there is something, and what.
    Entry(PathBuf),
    /// The names in a directory, with what they are.
    Names(PathBuf),
    /// The same, with how long files are.
    Entries(PathBuf),
}

/// Somebody who says something of what files hold. Judges are distinguished by their names.
#[derive(Clone, Copy)]
pub struct Judge {
    /// Its name.
    pub name: &'static str,
    /// What it says of the bytes of a file.
    pub judge: fn(&[u8]) -> u64,
}

/// What a judge says of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The judgement.
    pub says: u64,
    /// What the file holds, for whoever would read it next; nothing where a judgement was noted, which does not stand for it.
    pub bytes: Option<Vec<u8>>,
}

impl PartialEq for Judge {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Judge {}

impl Hash for Judge {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// What was looked at, with a hash of the bytes that were seen. Nothing stands for what could not be read.
#[derive(Debug, Default)]
pub struct Reads {
    looks: Mutex<HashMap<Look, Option<u64>>>,
    /// What is known from earlier looks.
    known: Disk,
    /// What was found on the disk, where it is kept for later looks.
    found: Option<Mutex<Disk>>,
}

/// The bytes of a file, with their hash.
type Content = (Arc<[u8]>, u64);

/// What was found on the disk.
#[derive(Debug, Default, Clone)]
struct Disk {
    contents: HashMap<PathBuf, Content>,
    /// How many bytes those are.
    bytes: usize,
    entries: HashMap<PathBuf, Vec<Entry>>,
    /// The real paths of paths.
    places: HashMap<PathBuf, PathBuf>,
}

/// So many bytes of files are kept for later looks.
const MOST_KEPT: usize = 64 << 20;

impl Reads {
    /// Notes that keep what is found on the disk for those that come [after](Reads::after) them.
    pub fn keeping() -> Self {
        Reads { found: Some(Mutex::default()), ..Reads::default() }
    }

    /// Notes that take from earlier ones what the disk holds, but for the files that have changed. No other look of the
    /// earlier ones may have become stale.
    pub fn after(earlier: &Reads, changed: &HashSet<PathBuf>) -> Self {
        let mut known = earlier.found.as_ref().map(|found| lock(found).clone()).unwrap_or_default();
        known.contents.retain(|place, _| !changed.contains(place));
        known.entries.retain(|place, _| !changed.iter().any(|file| file.parent() == Some(place)));
        Reads { known, ..Reads::keeping() }
    }

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
        lock(&self.looks)
    }

    /// What a file on the disk holds, if that is known. What was asked of `read` is kept.
    fn content<E>(&self, place: &Path, read: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Content, E> {
        let content = match self.known.contents.get(place) {
            Some((bytes, hash)) => (Arc::clone(bytes), *hash),
            None => {
                let bytes = read()?;
                let hash = hash_of(&bytes);
                (bytes.into(), hash)
            }
        };
        self.keep(place, &content);
        Ok(content)
    }

    fn known_content(&self, place: &Path) -> Option<&Content> {
        self.known.contents.get(place)
    }

    fn keeps(&self) -> bool {
        self.found.is_some()
    }

    fn keep(&self, place: &Path, (bytes, hash): &Content) {
        let Some(mut found) = self.found.as_ref().map(lock) else { return };
        let size = found.bytes.saturating_add(bytes.len());
        if size <= MOST_KEPT && !found.contents.contains_key(place) {
            found.bytes = size;
            found.contents.insert(place.to_owned(), (Arc::clone(bytes), *hash));
        }
    }

    /// The entries of a directory on the disk.
    fn entries<E>(
        &self,
        place: &Path,
        list: impl FnOnce() -> Result<Vec<Entry>, E>,
    ) -> Result<Vec<Entry>, E> {
        let entries = match self.known.entries.get(place) {
            Some(entries) => entries.clone(),
            None => list()?,
        };
        if let Some(mut found) = self.found.as_ref().map(lock) {
            found.entries.insert(place.to_owned(), entries.clone());
        }
        Ok(entries)
    }

    /// The real path of a path.
    fn place(&self, path: PathBuf, find: impl FnOnce() -> PathBuf) -> PathBuf {
        let place = match self.known.places.get(&path) {
            Some(place) => place.clone(),
            None => find(),
        };
        if let Some(mut found) = self.found.as_ref().map(lock) {
            found.places.insert(path, place.clone());
        }
        place
    }
}

fn lock<T>(locked: &Mutex<T>) -> MutexGuard<'_, T> {
    locked.lock().unwrap_or_else(PoisonError::into_inner)
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
