//! A whole system seen through open texts, with notes of what is looked at.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::loader::NotedLoader;
use super::{Child, Look, OpenText, Reads, Texts, children, hash_of};
use crate::{Fetch, LoadError, Loader, MemoryLoader, Network, Stat, StatKind, System};

/// Standard input, once it was read: an engine that runs again finds the same there.
pub(crate) type HeldInput = Arc<OnceLock<Result<Vec<u8>, LoadError>>>;

/// A system seen through open texts.
#[derive(Debug, Clone)]
pub struct NotedSystem {
    base: Arc<dyn System>,
    input: HeldInput,
    texts: Arc<Texts>,
    reads: Arc<Reads>,
}

impl NotedSystem {
    /// A system without any texts over it.
    pub fn new(base: Arc<dyn System>) -> Self {
        NotedSystem { base, input: HeldInput::default(), texts: Arc::default(), reads: Arc::default() }
    }

    /// The same system seen through texts, with notes of its own.
    pub fn with_texts(&self, texts: Arc<Texts>) -> Self {
        let (base, input) = (Arc::clone(&self.base), Arc::clone(&self.input));
        NotedSystem { base, input, texts, reads: Arc::default() }
    }

    /// What was looked at so far.
    pub fn reads(&self) -> &Arc<Reads> {
        &self.reads
    }

    /// The texts that count in the place of files.
    pub fn texts(&self) -> &Arc<Texts> {
        &self.texts
    }

    /// The real path that a path leads to; its own, from the root on, where nothing is there yet.
    pub fn place(&self, path: &Path) -> PathBuf {
        if let Ok(real) = self.base.real(path) {
            return real;
        }
        let directory = self.base.working_directory().unwrap_or_default();
        let path = trueline_gostd::system::clean(&directory.join(path));
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.place(parent).join(name),
            _ => path,
        }
    }

    /// The hash of what a file holds now; nothing where it cannot be read. No note is taken of it.
    pub fn hash(&self, place: &Path) -> Option<u64> {
        self.bytes(place).as_deref().map(hash_of)
    }

    /// What a file holds now; nothing where it cannot be read. No note is taken of it.
    pub fn bytes(&self, place: &Path) -> Option<Vec<u8>> {
        match self.texts.get(place) {
            Some(OpenText::Bytes(bytes)) => Some(bytes.to_vec()),
            Some(OpenText::Removed) => None,
            None => {
                let mut bytes = Vec::new();
                self.base.open(place).ok()?.read_to_end(&mut bytes).ok()?;
                Some(bytes)
            }
        }
    }

    /// Whether there is a file now, as open text or on the disk.
    pub fn is_file(&self, place: &Path) -> bool {
        match self.texts.get(place) {
            Some(text) => *text != OpenText::Removed,
            None => self.base.stat(place).is_ok_and(Stat::is_file),
        }
    }

    fn is_directory_of_texts(&self, place: &Path) -> bool {
        children(&self.texts, place).any(|(_, child)| child != Child::Gone)
    }

    fn seen(&self, path: &Path, stat: io::Result<Stat>) -> io::Result<Stat> {
        let place = self.place(path);
        self.reads.note(Look::Entry(place.clone()), None);
        match self.texts.get(&place) {
            Some(OpenText::Bytes(bytes)) => Ok(Stat { kind: StatKind::File, length: bytes.len() as u64 }),
            Some(OpenText::Removed) => Err(io::ErrorKind::NotFound.into()),
            None if stat.is_err() && self.is_directory_of_texts(&place) => {
                Ok(Stat { kind: StatKind::Directory, length: 0 })
            }
            None => stat,
        }
    }
}

impl System for NotedSystem {
    fn working_directory(&self) -> io::Result<PathBuf> {
        self.base.working_directory()
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.seen(path, self.base.stat(path))
    }

    fn link_stat(&self, path: &Path) -> io::Result<Stat> {
        self.seen(path, self.base.link_stat(path))
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.stat(path).map(|_| self.place(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.reads.note(Look::Entry(self.place(path)), None);
        self.base.read_link(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let place = self.place(path);
        let opened: io::Result<Box<dyn Read + Send>> = match self.texts.get(&place) {
            Some(OpenText::Bytes(bytes)) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
            Some(OpenText::Removed) => Err(io::ErrorKind::NotFound.into()),
            None => self.base.open(path),
        };
        let is_file = self.texts.contains_key(&place) || self.base.stat(path).is_ok_and(Stat::is_file);
        // What is no file, such as a pipe, can be read once only: it is taken for what it was.
        let seen = if is_file { self.hash(&place) } else { None };
        self.reads.note(Look::Bytes(place), seen);
        opened
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let place = self.place(path);
        self.reads.note(Look::Names(place.clone()), None);
        let listed = self.base.names(path);
        if listed.is_err() && !self.is_directory_of_texts(&place) {
            return listed;
        }
        let mut names: BTreeSet<OsString> = listed.unwrap_or_default().into_iter().collect();
        for (name, child) in children(&self.texts, &place) {
            match child {
                Child::Gone => names.remove(std::ffi::OsStr::new(name)),
                Child::File(_) | Child::Directory => names.insert(name.into()),
            };
        }
        Ok(names.into_iter().collect())
    }

    fn directory(&self, path: &Path, shown: &str) -> Result<Arc<dyn Loader>, LoadError> {
        let root = self.place(path);
        self.reads.note(Look::Entry(root.clone()), None);
        let inner = match self.base.directory(path, shown) {
            Err(_) if self.is_directory_of_texts(&root) => {
                Arc::new(MemoryLoader::new(shown)) as Arc<dyn Loader>
            }
            inner => inner?,
        };
        let (texts, reads) = (Arc::clone(&self.texts), Arc::clone(&self.reads));
        Ok(Arc::new(NotedLoader { inner, root, texts, reads }))
    }

    fn standard_input(&self, most: u64) -> Result<Vec<u8>, LoadError> {
        self.input.get_or_init(|| self.base.standard_input(most)).clone()
    }

    fn fetch(&self, network: Network) -> Arc<dyn Fetch> {
        self.base.fetch(network)
    }

    fn now(&self) -> Duration {
        self.base.now()
    }

    fn random(&self, buffer: &mut [u8]) {
        self.base.random(buffer);
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        self.base.variables()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemorySystem;

    #[test]
    fn texts_are_seen_by_every_path_that_leads_to_them() {
        let base = MemorySystem::new().with_file("/w/a.yaml", "disk").seen_from("/w");
        let texts: Texts = [
            (PathBuf::from("/w/a.yaml"), OpenText::Bytes(b"open".as_slice().into())),
            (PathBuf::from("/w/new/b.yaml"), OpenText::Bytes(b"b".as_slice().into())),
        ]
        .into();
        let system = NotedSystem::new(Arc::new(base)).with_texts(Arc::new(texts));
        let read = |path: &str| {
            let mut text = String::new();
            system.open(Path::new(path)).unwrap().read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(
            (read("a.yaml"), read("/w/./a.yaml"), read("new/b.yaml")),
            ("open".into(), "open".into(), "b".into())
        );
        assert!(system.stat(Path::new("new")).unwrap().is_directory());
        assert_eq!(system.names(Path::new(".")).unwrap(), ["a.yaml", "new"]);
        let loader = system.directory(Path::new("new"), "new").unwrap();
        assert_eq!(loader.read("b.yaml").unwrap(), b"b");
        assert_eq!(system.place(Path::new("x/../y/z.yaml")), Path::new("/w/y/z.yaml"));
        let seen = Some(hash_of(b"open"));
        assert!(!system.reads().all(|look, hash| look != &Look::Bytes("/w/a.yaml".into()) || hash != seen));
    }
}
