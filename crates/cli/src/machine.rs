//! The machine that the program runs on, as all crates below see it: its files, its network, its clock, its dice, its
//! environment and standard input. Two can be used side by side, each with a directory and an environment of its own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Read, Write as _};
use std::net::ToSocketAddrs as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use trueline_source::{
    Fetch, Fetched, FileChange, Finished, LoadError, LoadErrorKind, Loader, Network, Program, Readers, Stat,
    StatKind, System, read_bounded,
};

use crate::cache::Cache;
use crate::disk::DiskLoader;
use crate::environment;
use crate::http::{HttpFetch, HttpLimits};
use crate::process;

/// How documents are fetched, once it is known whether that is allowed.
pub(crate) type Fetching = Box<dyn Fn(Network) -> Arc<dyn Fetch> + Send + Sync>;

/// What a run sees of the system.
pub(crate) struct Machine {
    directory: PathBuf,
    environment: BTreeMap<OsString, OsString>,
    standard_input: Mutex<Box<dyn Read + Send>>,
    clock: fn() -> SystemTime,
    fetching: Fetching,
}

impl fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Machine").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Machine {
    /// A machine seen from a directory with an environment. Its standard input is empty, and it has no network.
    pub(crate) fn new(directory: PathBuf, environment: BTreeMap<OsString, OsString>) -> Self {
        Machine {
            directory,
            environment,
            standard_input: Mutex::new(Box::new(io::empty())),
            clock: SystemTime::now,
            fetching: Box::new(|_| Arc::new(NoNetwork)),
        }
    }

    /// The machine as this process sees it.
    pub(crate) fn of_process(fetching: Fetching) -> Result<Self, String> {
        let directory = std::env::current_dir().map_err(|error| {
            format!("the working directory cannot be used: {}", trueline_source::plain(&error))
        })?;
        Ok(Machine {
            standard_input: Mutex::new(Box::new(io::stdin())),
            fetching,
            ..Machine::new(directory, std::env::vars_os().collect())
        })
    }

    /// The directory that relative paths count from.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The variables.
    pub(crate) fn environment(&self) -> &BTreeMap<OsString, OsString> {
        &self.environment
    }

    /// A variable, if it is set.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsString> {
        self.environment.get(OsStr::new(name))
    }

    pub(crate) fn set_standard_input(&mut self, reader: Box<dyn Read + Send>) {
        self.standard_input = Mutex::new(reader);
    }

    pub(crate) fn set_clock(&mut self, clock: fn() -> SystemTime) {
        self.clock = clock;
    }

    fn path(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }
}

/// How documents are fetched where no flags say more about it.
pub(crate) fn plain_fetching() -> Fetching {
    fetching(HttpLimits::default(), environment::cache_directory())
}

/// How documents are fetched within limits, and kept in a directory.
pub(crate) fn fetching(limits: HttpLimits, cache: Option<PathBuf>) -> Fetching {
    Box::new(move |network| {
        let cache = cache.clone().map(|directory| Cache::new(directory, limits.size));
        Arc::new(HttpFetch::new(network, limits, cache, environment::proxy))
    })
}

impl System for Machine {
    fn working_directory(&self) -> io::Result<PathBuf> {
        Ok(self.directory.clone())
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        fs::metadata(self.path(path)).map(|metadata| stat(&metadata))
    }

    fn link_stat(&self, path: &Path) -> io::Result<Stat> {
        fs::symlink_metadata(self.path(path)).map(|metadata| stat(&metadata))
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(self.path(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(self.path(path))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(fs::File::open(self.path(path))?))
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(self.path(path))?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn modified(&self, path: &Path) -> io::Result<Duration> {
        Ok(fs::metadata(self.path(path))?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    fn is_executable(&self, path: &Path) -> io::Result<bool> {
        fs::metadata(self.path(path)).map(|metadata| may_be_run(&metadata))
    }

    fn change(&self, change: FileChange<'_>) -> io::Result<()> {
        match change {
            FileChange::MakeDirectory(path) => fs::create_dir(self.path(path)),
            FileChange::Write { path, bytes, readers } => write(&self.path(path), bytes, readers),
            FileChange::RemoveFile(path) => fs::remove_file(self.path(path)),
            FileChange::RemoveDirectory(path) => fs::remove_dir(self.path(path)),
            FileChange::RemoveTree(path) => fs::remove_dir_all(self.path(path)),
            FileChange::Rename { from, to } => fs::rename(self.path(from), self.path(to)),
        }
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        let file = fs::File::options().create(true).append(true).open(self.path(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Box::new(file)),
            Err(fs::TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    fn run(&self, program: &Program<'_>) -> io::Result<Finished> {
        process::run(program, &self.directory, &self.environment)
    }

    fn address_of(&self, host: &str) -> Option<String> {
        let found = (host, 0).to_socket_addrs().ok()?.next()?;
        Some(found.ip().to_string())
    }

    fn directory(&self, path: &Path, shown: &str) -> Result<Arc<dyn Loader>, LoadError> {
        Ok(Arc::new(DiskLoader::new(&self.path(path), shown)?))
    }

    fn standard_input(&self, most: u64) -> Result<Vec<u8>, LoadError> {
        let mut reader = self.standard_input.lock().unwrap_or_else(PoisonError::into_inner);
        read_bounded(&mut **reader, most, "-")
    }

    fn fetch(&self, network: Network) -> Arc<dyn Fetch> {
        (self.fetching)(network)
    }

    fn now(&self) -> Duration {
        (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn random(&self, buffer: &mut [u8]) {
        // A system without randomness cannot be worked with; the caller gets zeros, which no key generator takes.
        if getrandom::fill(buffer).is_err() {
            buffer.fill(0);
        }
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        self.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// Writes a file whole or not at all: it gets its name when all of it is there.
fn write(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".trueline-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(match readers {
        Readers::Usual => 0o666,
        Readers::Owner => 0o600,
    }));
    #[cfg(not(unix))]
    let _ = readers;
    let mut file = builder.tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

#[cfg(unix)]
fn may_be_run(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn may_be_run(_: &fs::Metadata) -> bool {
    true
}

fn stat(metadata: &fs::Metadata) -> Stat {
    let file_type = metadata.file_type();
    let kind = if file_type.is_file() {
        StatKind::File
    } else if file_type.is_dir() {
        StatKind::Directory
    } else if file_type.is_symlink() {
        StatKind::Link
    } else {
        special(file_type)
    };
    Stat { kind, length: if kind == StatKind::File { metadata.len() } else { 0 } }
}

#[cfg(unix)]
fn special(file_type: fs::FileType) -> StatKind {
    use std::os::unix::fs::FileTypeExt as _;
    if file_type.is_fifo() {
        StatKind::Pipe
    } else if file_type.is_char_device() {
        StatKind::Device
    } else {
        StatKind::Other
    }
}

#[cfg(not(unix))]
fn special(_: fs::FileType) -> StatKind {
    StatKind::Other
}

/// A network that nothing can be reached through.
#[derive(Debug)]
struct NoNetwork;

impl Fetch for NoNetwork {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        Err(LoadError::new(LoadErrorKind::Offline, url))
    }
}
