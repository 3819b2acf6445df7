//! Everything outside of the program, as one trait: files, the network, the clock, randomness, the environment and
//! standard input. The binary has one over the machine, tests have one in memory, and an engine that serves an editor
//! wraps either to put open texts over files and to note what was looked at.

mod change;
mod memory;
mod program;
mod read;
mod send;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::{Fetch, LoadError, Loader};

pub use change::{FileChange, NewFile, NotWritten, Placing, Readers, make_directories};
pub use memory::MemorySystem;
pub use program::{Ending, Finished, Program};
pub use read::{
    MAX_READ, TypedReadError, TypedReadErrorKind, failure, plain, read_bounded, read_expected, read_into,
    read_typed,
};
pub use send::{
    CertificateFault, Certificates, Phase, Reach, Receiving, RedirectFault, Request, Response, Secret,
    SendError, SendErrorKind, TrustFault, Unfollowed, Verification,
};

/// Whether documents may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// Yes.
    #[default]
    Allowed,
    /// No: only what is embedded, in the package or in a cache.
    Offline,
}

/// What a program sees of the machine it runs on. Paths are the system's own, and relative ones count from
/// [`System::working_directory`]. What is below one directory is better read through the [`Loader`] that
/// [`System::directory`] gives, which cannot leave it.
pub trait System: Send + Sync + fmt::Debug {
    /// The directory that relative paths count from.
    fn working_directory(&self) -> io::Result<PathBuf>;

    /// What is at a path, at the end of its links.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// What is at a path itself, which may be a link.
    fn link_stat(&self, path: &Path) -> io::Result<Stat>;

    /// The path with every link worked out.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;

    /// Where a link leads, as it says so itself.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;

    /// Opens a file or a pipe for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>>;

    /// The names in a directory, in whatever order.
    fn names(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// When a file was changed last, as the time since 1970.
    fn modified(&self, _path: &Path) -> io::Result<Duration> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Whether a file may be run as a program.
    fn is_executable(&self, _path: &Path) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Changes files. A system that is only looked at, as that of an editor, refuses.
    fn change(&self, _change: FileChange<'_>) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Writes files that belong together: all of them or none, as far as they are put in place.
    fn write_together(&self, _files: &[NewFile<'_>]) -> Result<(), NotWritten> {
        Err(NotWritten { file: 0, error: io::ErrorKind::ReadOnlyFilesystem.into() })
    }

    /// Locks a file, which is made if need be, until what is returned is dropped. If another run holds it, that is
    /// [`io::ErrorKind::WouldBlock`].
    fn lock(&self, _path: &Path) -> io::Result<Box<dyn Send>> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    /// Runs a program to its end.
    fn run(&self, _program: &Program<'_>) -> io::Result<Finished> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The first address of a host, if it has one.
    fn address_of(&self, _host: &str) -> Option<String> {
        None
    }

    /// Reads below a directory, which is shown as `shown`.
    fn directory(&self, path: &Path, shown: &str) -> Result<Arc<dyn Loader>, LoadError>;

    /// Standard input, of which no more than `most` bytes are read. Whoever asks again finds it at its end.
    fn standard_input(&self, most: u64) -> Result<Vec<u8>, LoadError>;

    /// How documents are fetched.
    fn fetch(&self, network: Network) -> Arc<dyn Fetch>;

    /// The directory that documents are kept in once they were fetched; nothing where there is none.
    fn cache_directory(&self) -> Option<PathBuf> {
        None
    }

    /// Sends a request.
    fn send(&self, request: &Request<'_>, _receiving: &dyn Receiving) -> Result<Response, SendError> {
        Err(SendError { url: request.url.to_owned(), kind: SendErrorKind::Offline })
    }

    /// Whether certificates can be used for requests.
    fn check_certificates(&self, _certificates: &Certificates) -> Result<(), CertificateFault> {
        Ok(())
    }

    /// The time since 1970.
    fn now(&self) -> Duration;

    /// Fills a buffer with random bytes that nobody can foresee.
    fn random(&self, buffer: &mut [u8]);

    /// The variables of the environment.
    fn variables(&self) -> Vec<(OsString, OsString)>;
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: StatKind,
    /// Length in bytes, of a file.
    pub length: u64,
}

/// What can be at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A link, where links are not followed.
    Link,
    /// A pipe.
    Pipe,
    /// A device that is read character by character, such as a terminal.
    Device,
    /// Anything else, such as a socket.
    Other,
}

impl Stat {
    /// Whether it is a file.
    pub fn is_file(self) -> bool {
        self.kind == StatKind::File
    }

    /// Whether it is a directory.
    pub fn is_directory(self) -> bool {
        self.kind == StatKind::Directory
    }

    /// Whether it is a pipe or a device: what can be read once, and waits for whoever writes.
    pub fn is_stream(self) -> bool {
        matches!(self.kind, StatKind::Pipe | StatKind::Device)
    }
}
