//! A machine in memory: for tests, and for whoever has no disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Cursor, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Network, Stat, StatKind, System, read_bounded};
use crate::{Fetch, Fetched, LoadError, LoadErrorKind, Loader, MemoryLoader};

/// Files in memory, without a network, at a moment that never passes, and with dice that always fall the same way.
#[derive(Debug, Default)]
pub struct MemorySystem {
    directory: PathBuf,
    files: BTreeMap<PathBuf, (Arc<[u8]>, bool)>,
    standard_input: Mutex<Vec<u8>>,
    variables: Vec<(OsString, OsString)>,
    documents: BTreeMap<String, Arc<[u8]>>,
}

impl MemorySystem {
    /// A machine without any file. Its working directory is the root.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Directories exist by the files below them.
    pub fn with_file(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let path = self.absolute(Path::new(path));
        self.files.insert(path, (bytes.into().into(), false));
        self
    }

    /// Adds a file with its run bit set.
    pub fn with_executable(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let path = self.absolute(Path::new(path));
        self.files.insert(path, (bytes.into().into(), true));
        self
    }

    /// Makes a directory the working directory.
    pub fn seen_from(mut self, directory: &str) -> Self {
        self.directory = self.absolute(Path::new(directory));
        self
    }

    /// Says what standard input holds.
    pub fn with_standard_input(self, bytes: impl Into<Vec<u8>>) -> Self {
        *self.standard_input.lock().unwrap_or_else(PoisonError::into_inner) = bytes.into();
        self
    }

    /// Sets a variable of the environment.
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Adds a document that can be fetched.
    pub fn with_document(mut self, url: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.documents.insert(url.to_owned(), bytes.into().into());
        self
    }

    /// A path from the root on, with `.` and `..` worked out.
    fn absolute(&self, path: &Path) -> PathBuf {
        let mut absolute = PathBuf::from("/");
        for part in self.directory.join(path).components() {
            match part {
                Component::Normal(name) => absolute.push(name),
                Component::ParentDir => {
                    absolute.pop();
                }
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        absolute
    }

    /// The files below a directory, each with its path from there.
    fn below(&self, directory: &Path) -> impl Iterator<Item = (&Path, &(Arc<[u8]>, bool))> {
        let directory = directory.to_owned();
        self.files.iter().filter_map(move |(path, file)| Some((path.strip_prefix(&directory).ok()?, file)))
    }
}

impl System for MemorySystem {
    fn working_directory(&self) -> io::Result<PathBuf> {
        Ok(self.absolute(Path::new("")))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let path = self.absolute(path);
        if let Some((bytes, _)) = self.files.get(&path) {
            return Ok(Stat { kind: StatKind::File, length: bytes.len() as u64 });
        }
        if path == Path::new("/") || self.below(&path).next().is_some() {
            return Ok(Stat { kind: StatKind::Directory, length: 0 });
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn link_stat(&self, path: &Path) -> io::Result<Stat> {
        self.stat(path)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.stat(path).map(|_| self.absolute(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.stat(path)?;
        Err(io::ErrorKind::InvalidInput.into())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        match self.files.get(&self.absolute(path)) {
            Some((bytes, _)) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
            None if self.stat(path).is_ok() => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        if !self.stat(path)?.is_directory() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let directory = self.absolute(path);
        let first = |path: &Path| path.components().next().map(|part| part.as_os_str().to_owned());
        let names: BTreeSet<OsString> = self.below(&directory).filter_map(|(path, _)| first(path)).collect();
        Ok(names.into_iter().collect())
    }

    fn directory(&self, path: &Path, shown: &str) -> Result<Arc<dyn Loader>, LoadError> {
        match self.stat(path) {
            Ok(stat) if stat.is_directory() => {}
            Ok(_) => return Err(LoadError::new(LoadErrorKind::WrongKind, shown)),
            Err(error) => return Err(super::failure(&error, shown)),
        }
        let mut loader = MemoryLoader::new(shown);
        for (path, (bytes, executable)) in self.below(&self.absolute(path)) {
            let path = path.to_string_lossy();
            loader = match executable {
                true => loader.with_executable(&path, &**bytes),
                false => loader.with_file(&path, &**bytes),
            };
        }
        Ok(Arc::new(loader))
    }

    fn standard_input(&self, most: u64) -> Result<Vec<u8>, LoadError> {
        let held = std::mem::take(&mut *self.standard_input.lock().unwrap_or_else(PoisonError::into_inner));
        read_bounded(&*held, most, "-")
    }

    fn fetch(&self, network: Network) -> Arc<dyn Fetch> {
        Arc::new(Documents { documents: self.documents.clone(), network })
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        self.variables.clone()
    }
}

/// The documents that can be fetched.
#[derive(Debug)]
struct Documents {
    documents: BTreeMap<String, Arc<[u8]>>,
    network: Network,
}

impl Fetch for Documents {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        match (self.network, self.documents.get(url)) {
            (Network::Offline, _) => Err(LoadError::new(LoadErrorKind::Offline, url)),
            (Network::Allowed, Some(bytes)) => Ok(Fetched { bytes: bytes.to_vec(), url: url.to_owned() }),
            (Network::Allowed, None) => Err(LoadError::new(LoadErrorKind::Unreachable, url)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_directories_are_found_by_their_paths() {
        let system = MemorySystem::new().with_file("a/b/c.yaml", "c").with_executable("/a/run.sh", "#!");
        let path = Path::new;
        assert!(system.stat(path("a/./b")).unwrap().is_directory());
        assert_eq!(system.stat(path("/a/b/../b/c.yaml")).unwrap(), Stat { kind: StatKind::File, length: 1 });
        assert_eq!(system.stat(path("a/none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(system.names(path("a")).unwrap(), ["b", "run.sh"]);
        assert_eq!(system.real(path("a/../a/b")).unwrap(), path("/a/b"));
        let mut text = String::new();
        system.open(path("a/b/c.yaml")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "c");
        assert_eq!(system.open(path("a")).err().unwrap().kind(), io::ErrorKind::IsADirectory);
        let loader = system.directory(path("a"), "shown").unwrap();
        assert_eq!(loader.read("b/c.yaml").unwrap(), b"c");
        assert!(loader.entry("run.sh").unwrap().executable);
        assert_eq!(loader.display("run.sh"), "shown/run.sh");
        assert_eq!(system.directory(path("a/run.sh"), "x").unwrap_err().kind, LoadErrorKind::WrongKind);
    }

    #[test]
    fn standard_input_is_read_once_and_documents_are_fetched_where_that_is_allowed() {
        let system = MemorySystem::new().with_standard_input("a: 1").with_document("https://x/y", "doc");
        assert_eq!(system.standard_input(10).unwrap(), b"a: 1");
        assert_eq!(system.standard_input(10).unwrap(), b"");
        assert_eq!(system.fetch(Network::Allowed).fetch("https://x/y").unwrap().bytes, b"doc");
        let kind = |network| system.fetch(network).fetch("https://x/z").unwrap_err().kind;
        assert_eq!(kind(Network::Allowed), LoadErrorKind::Unreachable);
        assert_eq!(kind(Network::Offline), LoadErrorKind::Offline);
    }
}
