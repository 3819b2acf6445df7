//! A machine made of loaders in memory, and whole runs on it.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Cursor, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use trueline_analysis::{Progress, Run, Settings, Silent, Snapshot, Wanted};
use trueline_source::{
    Cancel, EntryKind, Fetch, Fetched, LoadError, LoadErrorKind, Loader, MemoryLoader, Network, SourceMap,
    Stat, StatKind, System,
};

/// Loaders at absolute paths. The one that is checked is the working directory.
#[derive(Debug)]
pub(crate) struct Mounted {
    main: PathBuf,
    loaders: BTreeMap<PathBuf, MemoryLoader>,
    /// Files that are found only by the names that flags have for them.
    named: BTreeMap<PathBuf, String>,
    variables: Vec<(OsString, OsString)>,
}

impl Mounted {
    /// A machine whose working directory holds these files.
    pub(crate) fn new(main: MemoryLoader) -> Self {
        Mounted::at("/main", main)
    }

    /// The same with the working directory at a path of its own.
    pub(crate) fn at(path: &str, main: MemoryLoader) -> Self {
        let main_path = PathBuf::from(path);
        Mounted {
            loaders: [(main_path.clone(), main)].into(),
            main: main_path,
            named: BTreeMap::new(),
            variables: Vec::new(),
        }
    }

    /// Puts other files at a path. What they are called has nothing to do with it.
    pub(crate) fn mount(mut self, path: &str, loader: MemoryLoader) -> Self {
        self.loaders.insert(PathBuf::from(path), loader);
        self
    }

    /// A file that a flag names.
    pub(crate) fn named(mut self, name: &str, text: impl Into<String>) -> Self {
        self.named.insert(PathBuf::from(name), text.into());
        self
    }

    /// A variable of the environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// The loader that a path belongs to, and the path in it.
    fn find(&self, path: &Path) -> io::Result<(&MemoryLoader, String)> {
        let path = self.absolute(path);
        let found =
            self.loaders.iter().rev().find_map(|(mount, loader)| {
                Some((loader, path.strip_prefix(mount).ok()?.to_str()?.to_owned()))
            });
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let mut absolute = PathBuf::from("/");
        for part in self.main.join(path).components() {
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
}

impl System for Mounted {
    fn working_directory(&self) -> io::Result<PathBuf> {
        Ok(self.main.clone())
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        if let Some(text) = self.named.get(path) {
            return Ok(Stat { kind: StatKind::File, length: text.len() as u64 });
        }
        let (loader, path) = self.find(path)?;
        let entry = loader.entry(&path).map_err(|_| io::ErrorKind::NotFound)?;
        let kind = match entry.kind {
            EntryKind::File => StatKind::File,
            EntryKind::Directory => StatKind::Directory,
            EntryKind::Other => StatKind::Other,
        };
        Ok(Stat { kind, length: entry.length })
    }

    fn link_stat(&self, path: &Path) -> io::Result<Stat> {
        self.stat(path)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.stat(path).map(|_| self.absolute(path))
    }

    fn read_link(&self, _: &Path) -> io::Result<PathBuf> {
        Err(io::ErrorKind::InvalidInput.into())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        if let Some(text) = self.named.get(path) {
            return Ok(Box::new(Cursor::new(text.clone())));
        }
        let (loader, path) = self.find(path)?;
        let bytes = loader.read(&path).map_err(|_| io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let (loader, path) = self.find(path)?;
        let entries = loader.list(&path).map_err(|_| io::ErrorKind::NotFound)?;
        Ok(entries.into_iter().map(|entry| entry.name.into()).collect())
    }

    fn directory(&self, path: &Path, _shown: &str) -> Result<Arc<dyn Loader>, LoadError> {
        let none = |_| LoadError::new(LoadErrorKind::NotFound, path.to_string_lossy());
        let (loader, path) = self.find(path).map_err(none)?;
        match path.is_empty() {
            true => Ok(Arc::new(loader.clone())),
            false => loader.scoped(&path),
        }
    }

    fn standard_input(&self, _: u64) -> Result<Vec<u8>, LoadError> {
        Ok(Vec::new())
    }

    fn fetch(&self, _: Network) -> Arc<dyn Fetch> {
        Arc::new(Nothing)
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

/// A network that has nothing.
#[derive(Debug)]
struct Nothing;

impl Fetch for Nothing {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        Err(LoadError::new(LoadErrorKind::Offline, url))
    }
}

/// Settings that check the working directory without a network.
pub(crate) fn settings() -> Settings {
    Settings { paths: vec![".".into()], offline: true, ..Settings::default() }
}

/// Checks everything, and gives what was found with its sources.
pub(crate) fn check(system: Mounted, settings: Settings) -> (Run, Arc<SourceMap>) {
    check_before(system, settings, &Silent)
}

/// The same, with progress reported to somebody.
pub(crate) fn check_before(
    system: Mounted,
    settings: Settings,
    progress: &dyn Progress,
) -> (Run, Arc<SourceMap>) {
    let snapshot = Snapshot::open(Arc::new(system), settings).unwrap();
    let report = snapshot.check_all(Wanted::default(), progress, &Cancel::new()).unwrap();
    (report.run, report.sources)
}
