//! The machine that the program runs on, as all crates below see it: its files, its network, its clock, its dice, its
//! environment and standard input. Two can be used side by side, each with a directory and an environment of its own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::net::ToSocketAddrs as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use trueline_source::{
    CertificateFault, Certificates, Fetch, Fetched, FileChange, Finished, LoadError, LoadErrorKind, Loader,
    Network, NewFile, NotWritten, Program, Receiving, Request, Response, SendError, SendErrorKind, Stat,
    StatKind, System, plain, read_bounded,
};

use crate::certificates;
use crate::disk::DiskLoader;
use crate::environment;
use crate::http::{HttpFetch, HttpLimits};
use crate::process;
use crate::transport;
use crate::writing;

/// What a run sees of the system. Copies are the same machine.
#[derive(Clone)]
pub(crate) struct Machine {
    directory: PathBuf,
    environment: Arc<BTreeMap<OsString, OsString>>,
    standard_input: Arc<Mutex<Box<dyn Read + Send>>>,
    clock: fn() -> SystemTime,
    connection: Connection,
    /// How documents are fetched.
    limits: HttpLimits,
    /// Where they are kept.
    cache: Option<PathBuf>,
}

/// What leads to the network.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Connection {
    /// Nothing.
    None,
    /// A connection to the servers themselves.
    Direct,
    /// The proxy that the environment of the process names, if it names one.
    OfProcess,
}

impl Connection {
    /// The proxy that leads to servers, if one does.
    pub(crate) fn proxy(self) -> Option<ureq::Proxy> {
        match self {
            Connection::None | Connection::Direct => None,
            Connection::OfProcess => environment::proxy(),
        }
    }
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
            environment: Arc::new(environment),
            standard_input: Arc::new(Mutex::new(Box::new(io::empty()))),
            clock: SystemTime::now,
            connection: Connection::None,
            limits: HttpLimits::default(),
            cache: None,
        }
    }

    /// The machine as this process sees it.
    pub(crate) fn of_process() -> Result<Self, NoDirectory> {
        let directory = std::env::current_dir().map_err(NoDirectory)?;
        Ok(Machine {
            standard_input: Arc::new(Mutex::new(Box::new(io::stdin()))),
            connection: Connection::OfProcess,
            cache: environment::cache_directory(),
            ..Machine::new(directory, std::env::vars_os().collect())
        })
    }

    /// The same machine, which fetches within other limits and keeps what it fetched in another directory, if one is
    /// named.
    pub(crate) fn fetching(self, limits: HttpLimits, cache: Option<PathBuf>) -> Self {
        Machine { limits, cache: cache.or(self.cache), ..self }
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
        self.standard_input = Arc::new(Mutex::new(reader));
    }

    pub(crate) fn connect(&mut self, connection: Connection) {
        self.connection = connection;
    }

    pub(crate) fn set_clock(&mut self, clock: fn() -> SystemTime) {
        self.clock = clock;
    }

    fn path(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }
}

/// Why there is no machine.
#[derive(Debug)]
pub(crate) struct NoDirectory(io::Error);

impl fmt::Display for NoDirectory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the working directory cannot be used: {}", plain(&self.0))
    }
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
            FileChange::Write { path, bytes, readers } => writing::write(&self.path(path), bytes, readers),
            FileChange::WriteQuickly { path, bytes } => writing::write_quickly(&self.path(path), bytes),
            FileChange::RemoveFile(path) => fs::remove_file(self.path(path)),
            FileChange::RemoveDirectory(path) => fs::remove_dir(self.path(path)),
            FileChange::RemoveTree(path) => fs::remove_dir_all(self.path(path)),
            FileChange::Rename { from, to } => fs::rename(self.path(from), self.path(to)),
        }
    }

    fn write_together(&self, files: &[NewFile<'_>]) -> Result<(), NotWritten> {
        writing::write_together(files, &self.directory)
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
        match self.connection {
            Connection::None => Arc::new(NoNetwork),
            connection => Arc::new(HttpFetch::new(network, self.limits, Arc::new(self.clone()), connection)),
        }
    }

    fn cache_directory(&self) -> Option<PathBuf> {
        self.cache.clone()
    }

    fn send(&self, request: &Request<'_>, receiving: &dyn Receiving) -> Result<Response, SendError> {
        match (request.network, self.connection) {
            (Network::Offline, _) | (_, Connection::None) => {
                Err(SendError { url: request.url.to_owned(), kind: SendErrorKind::Offline })
            }
            (Network::Allowed, connection) => transport::send(request, receiving, connection.proxy()),
        }
    }

    fn check_certificates(&self, certificates: &Certificates) -> Result<(), CertificateFault> {
        certificates::config(certificates).map(|_| ())
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
