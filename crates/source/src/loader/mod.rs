//! How files are read: a trait, so the same code runs on a disk, an archive or a memory image.

mod archive;
mod fetch;
mod memory;
mod metered;
mod overlay;

use std::fmt;
use std::sync::Arc;

pub use archive::{ArchiveLimits, ArchiveLoader};
pub use fetch::{Fetch, Fetched};
pub use memory::MemoryLoader;
pub use metered::{Meter, Metered};
pub use overlay::OverlayLoader;

use crate::noted::{Judge, Judged, Reads, Texts};

/// Access to files. Paths are relative to the loader's root, with `/` between their parts; the root
/// itself is the empty path. A loader never leaves its root, whatever the path says.
pub trait Loader: Send + Sync + fmt::Debug {
    /// The bytes of a file.
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError>;

    /// The bytes of a file that was listed before, so its metadata need not be read again.
    fn read_listed(&self, file: &Listed) -> Result<Vec<u8>, LoadError> {
        self.read(&file.path)
    }

    /// Reads several files that were listed before, and passes the bytes of each to `reader` with the file's
    /// index. A loader that has to wait for files may read several at once, so they may arrive in any order.
    fn read_each(&self, files: &[Listed], each: &Reader<'_>) {
        for (number, file) in files.iter().enumerate() {
            each(number, self.read(&file.path).as_deref().map_err(LoadError::clone));
        }
    }

    /// The entries of a directory, sorted by name.
    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError>;

    /// The entries of a directory, sorted by name, with the metadata that the directory itself holds: a loader
    /// need not look at each entry.
    fn names(&self, path: &str) -> Result<Vec<Name>, LoadError> {
        Ok(self
            .list(path)?
            .into_iter()
            .map(|Entry { name, kind, link, .. }| Name { name, kind, link })
            .collect())
    }

    /// What a path is, without reading it.
    fn entry(&self, path: &str) -> Result<Entry, LoadError>;

    /// A loader whose root is the directory `path` of this one, and that cannot leave it.
    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError>;

    /// The path inside the root that `path` leads to once every link is followed. A link that cannot be resolved
    /// is [`LoadErrorKind::NotFound`] with the path of what is missing.
    fn follow(&self, path: &str) -> Result<String, LoadError> {
        normalize_path(path)
    }

    /// The name to show to a user for a path, such as the path from the working directory.
    fn display(&self, path: &str) -> String;

    /// The absolute path of the root with `/` between its parts, if it has one: `file:` URLs below it lead into
    /// this loader.
    fn root(&self) -> Option<String> {
        None
    }

    /// What `judge` says of the bytes of a file that was listed before. Where looks are noted, it is the judgement that
    /// is, and not what the file holds.
    fn judge(&self, file: &Listed, judge: Judge) -> Result<Judged, LoadError> {
        let bytes = self.read_listed(file)?;
        Ok(Judged { says: (judge.judge)(&bytes), bytes: Some(bytes) })
    }

    /// The same loader seen through texts, which notes what is looked at in `reads` and nowhere else; nothing if it
    /// notes nothing at all.
    fn noting(&self, _reads: &Arc<Reads>, _texts: &Arc<Texts>) -> Option<Arc<dyn Loader>> {
        None
    }
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The last part of its path.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Length in bytes; 0 for a directory.
    pub length: u64,
    /// Whether it is executable.
    pub executable: bool,
    /// Whether it is a symbolic link; `kind` is then what it leads to. Walks do not follow links to
    /// directories: they may lead in circles.
    pub link: bool,
}

/// The name of an entry of a directory, with what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The last part of its path.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Whether it is a symbolic link; `kind` is then its target's kind.
    pub link: bool,
}

/// Receives the bytes of a file with the file's index.
pub type Reader<'a> = dyn Fn(usize, Result<&[u8], LoadError>) + Sync + 'a;

/// A file that [`Loader::list`] or [`Loader::names`] gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its path.
    pub path: String,
    /// Length in bytes; 0 if unknown.
    pub length: u64,
    /// Whether it is a symbolic link.
    pub link: bool,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A file, or a link to one inside the root.
    File,
    /// A directory, or a link to one inside the root.
    Directory,
    /// A device, a socket, or a link that cannot be resolved or leads out of the root.
    Other,
}

/// Why something could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The kind of failure.
    pub kind: LoadErrorKind,
    /// What was asked for.
    pub path: String,
    /// More about the failure, in words; may be empty.
    pub detail: String,
}

/// The kinds of [`LoadError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// Nothing exists at this path.
    NotFound,
    /// Permission was denied.
    Denied,
    /// The path leads out of the root: `..`, an absolute path or a symbolic link.
    Outside,
    /// A directory where a file was asked for, or the other way around.
    WrongKind,
    /// The file is larger than the limit.
    TooLarge,
    /// The request timed out.
    TimedOut,
    /// The network may not be used, and nothing is cached.
    Offline,
    /// The server could not be reached.
    Unreachable,
    /// The server answered with an error instead of the document.
    Refused,
    /// Anything else.
    Other,
}

impl LoadError {
    /// An error without details.
    pub fn new(kind: LoadErrorKind, path: impl Into<String>) -> Self {
        LoadError { kind, path: path.into(), detail: String::new() }
    }

    /// The same error with details.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            LoadErrorKind::NotFound => "does not exist",
            LoadErrorKind::Denied => "cannot be read (permission denied)",
            LoadErrorKind::Outside => "is outside the package",
            LoadErrorKind::WrongKind => {
                "is a directory where a file is expected, or a file where a directory is"
            }
            LoadErrorKind::TooLarge => "is larger than the limit",
            LoadErrorKind::TimedOut => "did not answer in time",
            LoadErrorKind::Offline => "is not available offline",
            LoadErrorKind::Unreachable => "could not be reached",
            LoadErrorKind::Refused => "could not be downloaded",
            LoadErrorKind::Other => "could not be read",
        };
        write!(formatter, "`{}` {what}", self.path)?;
        if !self.detail.is_empty() {
            write!(formatter, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

/// Resolves `.`, `..` and repeated `/` in a path.
///
/// An absolute path, a Windows drive or a `..` that leaves the root is [`LoadErrorKind::Outside`].
pub fn normalize_path(path: &str) -> Result<String, LoadError> {
    let outside = || LoadError::new(LoadErrorKind::Outside, path);
    let drive = path.len() >= 2 && path.as_bytes()[1] == b':' && path.as_bytes()[0].is_ascii_alphabetic();
    if path.starts_with(['/', '\\']) || drive || path.contains('\0') {
        return Err(outside());
    }
    // Nearly all paths are already normalized, so this case avoids an allocation.
    if !path.contains('\\') && path.split('/').all(|part| !matches!(part, "" | "." | "..")) {
        return Ok(path.to_owned());
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(outside)?;
            }
            // On Windows a backslash is a separator too, so a name that holds one is refused on every system.
            part if part.contains('\\') => return Err(outside()),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized() {
        assert_eq!(normalize_path("a//./b/../c").unwrap(), "a/c");
        assert_eq!(normalize_path("").unwrap(), "");
        assert_eq!(normalize_path("a/..").unwrap(), "");
    }

    #[test]
    fn paths_that_leave_the_root_are_refused() {
        for path in ["..", "a/../..", "/etc/passwd", "C:/x", "..\\x", "a\\..\\..\\x", "\\\\host\\x", "a\0"] {
            assert_eq!(normalize_path(path).unwrap_err().kind, LoadErrorKind::Outside, "{path:?}");
        }
    }
}
