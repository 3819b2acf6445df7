//! A machine in memory: for tests, and for whoever has no disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Cursor, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{
    FileChange, Network, NewFile, NotWritten, Placing, Receiving, Request, Response, SendError,
    SendErrorKind, Stat, StatKind, System, read_bounded,
};
use crate::{Fetch, Fetched, LoadError, LoadErrorKind, Loader, MemoryLoader};

/// Files in memory, at a moment that never passes, and with dice that always fall the same way. Servers answer what
/// they were told to.
#[derive(Debug, Default)]
pub struct MemorySystem {
    directory: PathBuf,
    files: Mutex<Files>,
    locked: Arc<Mutex<BTreeSet<PathBuf>>>,
    standard_input: Mutex<Vec<u8>>,
    variables: Vec<(OsString, OsString)>,
    documents: BTreeMap<String, Arc<[u8]>>,
    responses: BTreeMap<String, Response>,
    cache: Option<PathBuf>,
}

/// What is on the disk.
#[derive(Debug, Clone, Default)]
struct Files {
    files: BTreeMap<PathBuf, File>,
    /// Directories that were made, as far as no file says that they are there.
    directories: BTreeSet<PathBuf>,
}

#[derive(Debug, Clone)]
struct File {
    bytes: Arc<[u8]>,
    is_executable: bool,
}

impl MemorySystem {
    /// A machine without any file. Its working directory is the root.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Directories exist by the files below them, or because they were made.
    pub fn with_file(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.with(path, bytes.into(), false)
    }

    /// Adds a file with its run bit set.
    pub fn with_executable(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.with(path, bytes.into(), true)
    }

    fn with(self, path: &str, bytes: Vec<u8>, is_executable: bool) -> Self {
        let path = self.absolute(Path::new(path));
        self.files().files.insert(path, File { bytes: bytes.into(), is_executable });
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

    /// Says what a server answers to requests for an address.
    pub fn with_response(mut self, url: &str, response: Response) -> Self {
        self.responses.insert(url.to_owned(), response);
        self
    }

    /// Keeps documents that were fetched in a directory.
    pub fn with_cache_directory(mut self, directory: &str) -> Self {
        self.cache = Some(self.absolute(Path::new(directory)));
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

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files {
    /// The files below a directory, each with its path from there.
    fn below(&self, directory: &Path) -> impl Iterator<Item = (&Path, &File)> {
        let directory = directory.to_owned();
        self.files.iter().filter_map(move |(path, file)| Some((path.strip_prefix(&directory).ok()?, file)))
    }

    fn is_directory(&self, path: &Path) -> bool {
        path == Path::new("/")
            || self.directories.contains(path)
            || !self.files.contains_key(path) && self.below(path).next().is_some()
    }

    /// What is at a path from the root on.
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        match self.files.get(path) {
            Some(file) => Ok(Stat { kind: StatKind::File, length: file.bytes.len() as u64 }),
            None if self.is_directory(path) => Ok(Stat { kind: StatKind::Directory, length: 0 }),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The names of what is in a directory.
    fn names(&self, directory: &Path) -> BTreeSet<OsString> {
        let below = self.below(directory).map(|(path, _)| path);
        let made = self.directories.iter().filter_map(|path| path.strip_prefix(directory).ok());
        let first = |path: &Path| path.components().next().map(|part| part.as_os_str().to_owned());
        below.chain(made).filter_map(first).collect()
    }

    /// Whether something can be put at a path: its directory is there.
    fn has_place_for(&self, path: &Path) -> io::Result<()> {
        let parent = path.parent().ok_or(io::ErrorKind::IsADirectory)?;
        match self.stat(parent)?.is_directory() {
            true => Ok(()),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn write(&mut self, path: PathBuf, bytes: Vec<u8>) -> io::Result<()> {
        self.has_place_for(&path)?;
        if self.is_directory(&path) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let is_executable = self.files.get(&path).is_some_and(|before| before.is_executable);
        self.files.insert(path, File { bytes: bytes.into(), is_executable });
        Ok(())
    }

    fn make_directory(&mut self, path: PathBuf) -> io::Result<()> {
        if self.stat(&path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.has_place_for(&path)?;
        self.directories.insert(path);
        Ok(())
    }

    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        if self.is_directory(path) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        self.keep_parent(path);
        self.files.remove(path).map(|_| ()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn remove_directory(&mut self, path: &Path) -> io::Result<()> {
        if !self.stat(path)?.is_directory() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if !self.names(path).is_empty() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        self.keep_parent(path);
        self.directories.remove(path);
        Ok(())
    }

    fn remove_tree(&mut self, path: &Path) -> io::Result<()> {
        if !self.stat(path)?.is_directory() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        self.keep_parent(path);
        self.files.retain(|file, _| !file.starts_with(path));
        self.directories.retain(|directory| !directory.starts_with(path));
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let is_directory = self.stat(from)?.is_directory();
        self.has_place_for(to)?;
        if is_directory && self.is_directory(to) && !self.names(to).is_empty() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        if !is_directory && self.is_directory(to) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        self.keep_parent(from);
        let moved = |path: &Path| {
            path.strip_prefix(from).ok().map(|rest| match rest.as_os_str().is_empty() {
                true => to.to_owned(),
                false => to.join(rest),
            })
        };
        let files = std::mem::take(&mut self.files);
        self.files = files.into_iter().map(|(path, file)| (moved(&path).unwrap_or(path), file)).collect();
        let directories = std::mem::take(&mut self.directories);
        self.directories = directories.into_iter().map(|path| moved(&path).unwrap_or(path)).collect();
        if is_directory {
            self.directories.insert(to.to_owned());
        }
        Ok(())
    }

    /// A directory stays when the last that is in it goes.
    fn keep_parent(&mut self, path: &Path) {
        if let Some(parent) = path.parent() {
            self.directories.insert(parent.to_owned());
        }
    }
}

/// A file that is locked, until this is dropped.
struct Locked {
    path: PathBuf,
    all: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Drop for Locked {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}

impl System for MemorySystem {
    fn working_directory(&self) -> io::Result<PathBuf> {
        Ok(self.absolute(Path::new("")))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.files().stat(&self.absolute(path))
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
        let path = self.absolute(path);
        let files = self.files();
        match files.files.get(&path) {
            Some(file) => Ok(Box::new(Cursor::new(Arc::clone(&file.bytes)))),
            None if files.is_directory(&path) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        if !self.stat(path)?.is_directory() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(self.files().names(&self.absolute(path)).into_iter().collect())
    }

    fn is_executable(&self, path: &Path) -> io::Result<bool> {
        let path = self.absolute(path);
        let files = self.files();
        files.stat(&path)?;
        Ok(files.files.get(&path).is_some_and(|file| file.is_executable))
    }

    fn change(&self, change: FileChange<'_>) -> io::Result<()> {
        let mut files = self.files();
        match change {
            FileChange::MakeDirectory(path) => files.make_directory(self.absolute(path)),
            FileChange::Write { path, bytes, .. } | FileChange::WriteQuickly { path, bytes } => {
                files.write(self.absolute(path), bytes.to_vec())
            }
            FileChange::RemoveFile(path) => files.remove_file(&self.absolute(path)),
            FileChange::RemoveDirectory(path) => files.remove_directory(&self.absolute(path)),
            FileChange::RemoveTree(path) => files.remove_tree(&self.absolute(path)),
            FileChange::Rename { from, to } => files.rename(&self.absolute(from), &self.absolute(to)),
        }
    }

    fn write_together(&self, new: &[NewFile<'_>]) -> Result<(), NotWritten> {
        let mut after = self.files().clone();
        for (file, NewFile { path, placing, content }) in new.iter().enumerate() {
            let mut bytes = Vec::new();
            let path = self.absolute(path);
            let written = content(&mut bytes).and_then(|()| match placing {
                Placing::Whole => after.write(path, bytes),
                // There are no devices here.
                Placing::Stream => Err(io::ErrorKind::NotFound.into()),
            });
            written.map_err(|error| NotWritten { file, error })?;
        }
        *self.files() = after;
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        let path = self.absolute(path);
        let mut files = self.files();
        if files.stat(&path).is_err() {
            files.write(path.clone(), Vec::new())?;
        }
        match self.locked.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone()) {
            true => Ok(Box::new(Locked { path, all: Arc::clone(&self.locked) })),
            false => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    fn directory(&self, path: &Path, shown: &str) -> Result<Arc<dyn Loader>, LoadError> {
        match self.stat(path) {
            Ok(stat) if stat.is_directory() => {}
            Ok(_) => return Err(LoadError::new(LoadErrorKind::WrongKind, shown)),
            Err(error) => return Err(super::failure(&error, shown)),
        }
        let mut loader = MemoryLoader::new(shown);
        for (path, file) in self.files().below(&self.absolute(path)) {
            let path = path.to_string_lossy();
            loader = match file.is_executable {
                true => loader.with_executable(&path, &*file.bytes),
                false => loader.with_file(&path, &*file.bytes),
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

    fn cache_directory(&self) -> Option<PathBuf> {
        self.cache.clone()
    }

    fn send(&self, request: &Request<'_>, receiving: &dyn Receiving) -> Result<Response, SendError> {
        let failed = |kind| Err(SendError { url: request.url.to_owned(), kind });
        let response = match (request.network, self.responses.get(request.url)) {
            (Network::Offline, _) => return failed(SendErrorKind::Offline),
            (Network::Allowed, None) => return failed(SendErrorKind::UnknownHost(request.url.to_owned())),
            (Network::Allowed, Some(response)) => response.clone(),
        };
        let length = response.body.len() as u64;
        if length > request.limit {
            return failed(SendErrorKind::TooLarge(request.limit));
        }
        receiving.begin(Some(length));
        receiving.advance(length);
        Ok(response)
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

    #[test]
    fn files_are_changed_as_on_a_disk() {
        let system = MemorySystem::new().with_file("/a/old", "1");
        let path = Path::new;
        let kind = |change| system.change(change).unwrap_err().kind();
        system.change(FileChange::MakeDirectory(path("/a/b"))).unwrap();
        assert_eq!(kind(FileChange::MakeDirectory(path("/a/b"))), io::ErrorKind::AlreadyExists);
        assert_eq!(kind(FileChange::MakeDirectory(path("/x/y"))), io::ErrorKind::NotFound);
        assert_eq!(
            kind(FileChange::WriteQuickly { path: path("/a/b"), bytes: b"" }),
            io::ErrorKind::IsADirectory
        );
        assert_eq!(
            kind(FileChange::WriteQuickly { path: path("/a/old/x"), bytes: b"" }),
            io::ErrorKind::NotADirectory
        );
        system.change(FileChange::WriteQuickly { path: path("/a/b/new"), bytes: b"2" }).unwrap();
        assert_eq!(kind(FileChange::RemoveDirectory(path("/a/b"))), io::ErrorKind::DirectoryNotEmpty);
        system.change(FileChange::Rename { from: path("/a/b"), to: path("/c") }).unwrap();
        assert_eq!(system.names(path("/")).unwrap(), ["a", "c"]);
        assert_eq!(system.stat(path("/c/new")).unwrap().length, 1);
        system.change(FileChange::RemoveFile(path("/a/old"))).unwrap();
        assert!(system.names(path("/a")).unwrap().is_empty());
        system.change(FileChange::RemoveTree(path("/c"))).unwrap();
        assert!(system.stat(path("/c/new")).is_err() && system.stat(path("/c")).is_err());
        let lock = system.lock(path("/a/lock")).unwrap();
        assert_eq!(system.lock(path("/a/lock")).err().unwrap().kind(), io::ErrorKind::WouldBlock);
        drop(lock);
        assert!(system.lock(path("/a/lock")).is_ok());
    }

    #[test]
    fn files_that_belong_together_are_all_written_or_none() {
        let system = MemorySystem::new().with_file("/a/one", "before");
        let write = |second: &str| {
            let content = |out: &mut dyn io::Write| out.write_all(b"after");
            let file = |path| NewFile { path, placing: Placing::Whole, content: &content };
            system.write_together(&[file(Path::new("/a/one")), file(Path::new(second))])
        };
        let length = || system.stat(Path::new("/a/one")).unwrap().length;
        let failed = write("/none/two").unwrap_err();
        assert_eq!((failed.file, failed.error.kind(), length()), (1, io::ErrorKind::NotFound, 6));
        write("/a/two").unwrap();
        assert_eq!((length(), system.stat(Path::new("/a/two")).unwrap().length), (5, 5));
    }

    #[test]
    fn servers_answer_what_they_were_told() {
        let response = Response {
            status: 200,
            status_text: "200 OK".to_owned(),
            headers: vec![("ETag".to_owned(), "v1".to_owned())],
            body: b"{}".to_vec(),
            url: "https://x/y".to_owned(),
        };
        let system = MemorySystem::new().with_response("https://x/y", response);
        let certificates = super::super::Certificates::default();
        let ask = |url, network, limit| {
            let request = Request {
                url,
                network,
                authorization: None,
                reach: super::super::Reach::Server,
                accept: None,
                limit,
                patience: Duration::ZERO,
                form: None,
                certificates: &certificates,
            };
            system.send(&request, &super::super::Unfollowed).map_err(|error| error.kind)
        };
        assert_eq!(ask("https://x/y", Network::Allowed, 9).unwrap().header("etag"), Some("v1"));
        assert_eq!(ask("https://x/y", Network::Allowed, 1), Err(SendErrorKind::TooLarge(1)));
        assert_eq!(ask("https://x/y", Network::Offline, 9), Err(SendErrorKind::Offline));
        assert!(matches!(ask("https://x/z", Network::Allowed, 9), Err(SendErrorKind::UnknownHost(_))));
    }
}
