//! Files on the disk below one directory, and nothing outside it.

use std::collections::HashMap;
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use trueline_source::{
    Entry, EntryKind, Listed, LoadError, LoadErrorKind, Loader, Name, Reader, failure, normalize_path,
    read_expected, read_into,
};

/// No text that a person wrote is as large; it also keeps every offset within 32 bits.
const MAX_FILE: u64 = 256 << 20;

/// Fewer files than this are read faster than another thread is woken.
const FILES_A_THREAD: usize = 16;

/// A loader over a directory of the disk. Links are followed only as long as they stay inside.
#[derive(Debug, Clone)]
pub(crate) struct DiskLoader {
    /// The directory with every link worked out, so that other paths can be compared with it.
    root: PathBuf,
    /// The directory as a person would type it; empty for the working directory.
    shown: String,
    max_file: u64,
    /// Directories that were worked out before, by the path that was asked for: the files of one directory
    /// share the work.
    directories: Arc<Mutex<HashMap<PathBuf, PathBuf>>>,
}

impl DiskLoader {
    /// A loader over `directory`, which is shown as `shown`.
    pub(crate) fn new(directory: &Path, shown: impl Into<String>) -> Result<Self, LoadError> {
        let shown = shown.into();
        let root = fs::canonicalize(directory).map_err(|error| failure(&error, &shown))?;
        if !fs::metadata(&root).map_err(|error| failure(&error, &shown))?.is_dir() {
            return Err(LoadError::new(LoadErrorKind::WrongKind, shown));
        }
        Ok(DiskLoader { root, shown, max_file: MAX_FILE, directories: Arc::default() })
    }

    /// Where a path really is, with what is there.
    fn resolve(&self, path: &str) -> Result<(PathBuf, Metadata), LoadError> {
        let joined = self.root.join(normalize_path(path)?);
        if let Some(found) = self.resolve_in_directory(&joined) {
            return Ok(found);
        }
        let real = fs::canonicalize(&joined).map_err(|error| {
            let error = failure(&error, path);
            match fs::symlink_metadata(&joined) {
                Ok(_) if error.kind == LoadErrorKind::NotFound => {
                    error.with_detail("it is a symbolic link that cannot be resolved")
                }
                _ => error,
            }
        })?;
        if !real.starts_with(&self.root) {
            return Err(LoadError::new(LoadErrorKind::Outside, path).with_detail("it is a symbolic link"));
        }
        let metadata = fs::metadata(&real).map_err(|error| failure(&error, path))?;
        Ok((real, metadata))
    }
}

impl DiskLoader {
    /// Where a path really is, if its directory is inside and it is not a link itself.
    fn resolve_in_directory(&self, joined: &Path) -> Option<(PathBuf, Metadata)> {
        let real = if joined == self.root {
            self.root.clone()
        } else {
            let (directory, name) = (joined.parent()?, joined.file_name()?);
            self.real_directory(directory)?.join(name)
        };
        let metadata = fs::symlink_metadata(&real).ok()?;
        (!metadata.is_symlink()).then_some((real, metadata))
    }

    /// Where a directory really is, if it is inside. What is known of the directory that it is in saves asking for
    /// every part of its path.
    fn real_directory(&self, directory: &Path) -> Option<PathBuf> {
        if directory == self.root {
            return Some(self.root.clone());
        }
        if let Some(real) = self.directories().get(directory) {
            return Some(real.clone());
        }
        let real = match self.resolve_in_directory(directory) {
            Some((real, metadata)) if metadata.is_dir() => real,
            _ => fs::canonicalize(directory).ok().filter(|real| real.starts_with(&self.root))?,
        };
        self.directories().insert(directory.to_owned(), real.clone());
        Some(real)
    }

    /// The entries of a directory, in whatever order the disk has them.
    fn open_directory(&self, path: &str) -> Result<fs::ReadDir, LoadError> {
        let (real, metadata) = self.resolve(path)?;
        if !metadata.is_dir() {
            return Err(LoadError::new(LoadErrorKind::WrongKind, path).with_detail("it is not a directory"));
        }
        fs::read_dir(&real).map_err(|error| failure(&error, path))
    }

    fn directories(&self) -> MutexGuard<'_, HashMap<PathBuf, PathBuf>> {
        self.directories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a file that was listed before: what is no link needs not to be looked at again.
    fn read_listed_into(&self, listed: &Listed, bytes: &mut Vec<u8>) -> Result<(), LoadError> {
        let path = &listed.path;
        let joined = self.root.join(normalize_path(path)?);
        let place = joined.parent().zip(joined.file_name());
        let real = place.and_then(|(directory, name)| Some(self.real_directory(directory)?.join(name)));
        match real {
            Some(real) if !listed.link => {
                let file = File::open(&real).map_err(|error| failure(&error, path))?;
                read_into(bytes, file, listed.length, self.max_file, path)
            }
            _ => {
                *bytes = self.read(path)?;
                Ok(())
            }
        }
    }

    /// What is not there, at the end of the links that begin at `path`.
    fn missing(&self, path: &str) -> String {
        let mut path = path.to_owned();
        // As many links as Linux follows.
        for _ in 0..40 {
            let Ok(target) = fs::read_link(self.root.join(&path)) else { break };
            let Some(target) = target.to_str() else { break };
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            match normalize_path(&join(directory, target)) {
                Ok(next) if !target.starts_with('/') => path = next,
                _ => return target.to_owned(),
            }
        }
        path
    }
}

impl Loader for DiskLoader {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        let (real, metadata) = self.resolve(path)?;
        // Asked before opening: the mere opening of a pipe waits for its writer.
        if !metadata.is_file() {
            return Err(not_a_file(path, &metadata));
        }
        let file = File::open(&real).map_err(|error| failure(&error, path))?;
        read_expected(file, metadata.len(), self.max_file, path)
    }

    fn read_listed(&self, file: &Listed) -> Result<Vec<u8>, LoadError> {
        let mut bytes = Vec::new();
        self.read_listed_into(file, &mut bytes)?;
        Ok(bytes)
    }

    fn read_each(&self, files: &[Listed], each: &Reader<'_>) {
        let read = |buffer: &mut Vec<u8>, (number, file): (usize, &Listed)| {
            buffer.clear();
            each(number, self.read_listed_into(file, buffer).map(|()| buffer.as_slice()));
        };
        if files.len() < 2 * FILES_A_THREAD {
            let mut buffer = Vec::new();
            files.iter().enumerate().for_each(|file| read(&mut buffer, file));
        } else {
            let files = files.par_iter().enumerate().with_min_len(FILES_A_THREAD);
            files.for_each_init(Vec::new, read);
        }
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        let base = normalize_path(path)?;
        let mut entries = Vec::new();
        for item in self.open_directory(path)? {
            let item = item.map_err(|error| failure(&error, path))?;
            entries.push(match askable(&item) {
                Ok(name) => match item.metadata() {
                    // Its directory is known to be inside; only a link can lead elsewhere.
                    Ok(metadata) if !metadata.is_symlink() => described(name, &metadata),
                    Ok(_) => self.entry(&join(&base, &name))?,
                    // It was there a moment ago.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(failure(&error, path)),
                },
                Err(name) => other(name),
            });
        }
        entries.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(entries)
    }

    fn names(&self, path: &str) -> Result<Vec<Name>, LoadError> {
        let base = normalize_path(path)?;
        let mut names = Vec::new();
        for item in self.open_directory(path)? {
            let item = item.map_err(|error| failure(&error, path))?;
            names.push(match askable(&item) {
                Ok(name) => match item.file_type() {
                    Ok(file_type) if file_type.is_symlink() => {
                        let Entry { kind, link, .. } = self.entry(&join(&base, &name))?;
                        Name { name, kind, link }
                    }
                    Ok(file_type) => Name { name, kind: kind_of(file_type), link: false },
                    // It was there a moment ago.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(failure(&error, path)),
                },
                Err(name) => Name { name, kind: EntryKind::Other, link: false },
            });
        }
        names.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(names)
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        let normal = normalize_path(path)?;
        let name = normal.rsplit('/').next().unwrap_or_default().to_owned();
        let joined = self.root.join(&normal);
        let itself = fs::symlink_metadata(&joined).map_err(|error| failure(&error, path))?;
        let link = itself.file_type().is_symlink();
        // The links of its directories count too, so that a path through one cannot leave the root.
        match self.resolve(path) {
            Ok((_, metadata)) => Ok(Entry { link, ..described(name, &metadata) }),
            Err(_) if link => Ok(Entry { link, ..other(name) }),
            Err(error) => Err(error),
        }
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        let (real, metadata) = self.resolve(path)?;
        if !metadata.is_dir() {
            return Err(LoadError::new(LoadErrorKind::WrongKind, path).with_detail("it is not a directory"));
        }
        let shown = if normalize_path(path)?.is_empty() { self.shown.clone() } else { self.display(path) };
        Ok(Arc::new(DiskLoader { root: real, shown, max_file: self.max_file, directories: Arc::default() }))
    }

    fn follow(&self, path: &str) -> Result<String, LoadError> {
        match self.resolve(path) {
            Ok((real, _)) => {
                let inside = real.strip_prefix(&self.root).unwrap_or(&real);
                Ok(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
            }
            Err(error) if error.kind == LoadErrorKind::NotFound => {
                Err(LoadError { path: self.missing(&normalize_path(path)?), ..error })
            }
            Err(error) => Err(error),
        }
    }

    fn display(&self, path: &str) -> String {
        let inside = normalize_path(path).unwrap_or_else(|_| path.to_owned());
        match (self.shown.as_str(), inside.as_str()) {
            ("", "") => ".".to_owned(),
            ("/", inside) => format!("/{inside}"),
            (shown, inside) => join(shown, inside),
        }
    }

    fn root(&self) -> Option<String> {
        self.root.to_str().map(|root| root.replace(std::path::MAIN_SEPARATOR, "/"))
    }
}

fn not_a_file(path: &str, metadata: &Metadata) -> LoadError {
    let what = if metadata.is_dir() { "it is a directory" } else { "it is neither a file nor a directory" };
    LoadError::new(LoadErrorKind::WrongKind, path).with_detail(what)
}

/// The name of an entry that can be asked for. Paths are text; a name that is none can be listed, but not asked for.
fn askable(item: &fs::DirEntry) -> Result<String, String> {
    match item.file_name().into_string() {
        Ok(name) if name.contains('\\') => Err(name),
        Ok(name) => Ok(name),
        Err(name) => Err(name.to_string_lossy().into_owned()),
    }
}

/// What is no link.
fn kind_of(file_type: FileType) -> EntryKind {
    if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_dir() {
        EntryKind::Directory
    } else {
        EntryKind::Other
    }
}

/// What is no link.
fn described(name: String, metadata: &Metadata) -> Entry {
    let kind = kind_of(metadata.file_type());
    let length = if kind == EntryKind::File { metadata.len() } else { 0 };
    Entry { executable: is_executable(&name, metadata), kind, length, link: false, name }
}

fn other(name: String) -> Entry {
    Entry { name, kind: EntryKind::Other, length: 0, executable: false, link: false }
}

fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", name) => name.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, name) => [directory, "/", name].concat(),
    }
}

#[cfg(unix)]
fn is_executable(_name: &str, metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// Windows has no such bit: the name says what may be run.
#[cfg(not(unix))]
fn is_executable(name: &str, metadata: &Metadata) -> bool {
    const RUN: [&str; 8] = ["exe", "com", "bat", "cmd", "ps1", "sh", "bash", "py"];
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    metadata.is_file() && RUN.iter().any(|run| extension.eq_ignore_ascii_case(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn package() -> (TempDir, DiskLoader) {
        let directory = TempDir::new().unwrap();
        fs::create_dir_all(directory.path().join("pkg/hooks")).unwrap();
        fs::write(directory.path().join("secret"), "s").unwrap();
        fs::write(directory.path().join("pkg/extension.yaml"), "a: 1\n").unwrap();
        fs::write(directory.path().join("pkg/hooks/run.sh"), "#!/bin/sh\n").unwrap();
        let loader = DiskLoader::new(&directory.path().join("pkg"), "some/pkg").unwrap();
        (directory, loader)
    }

    #[test]
    fn files_are_read_and_listed() {
        let (_keep, loader) = package();
        assert_eq!(loader.read("extension.yaml").unwrap(), b"a: 1\n");
        assert_eq!(loader.read("hooks/../extension.yaml").unwrap(), b"a: 1\n");
        let names: Vec<String> = loader.list("").unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["extension.yaml", "hooks"]);
        assert_eq!(loader.entry("extension.yaml").unwrap().length, 5);
        assert_eq!(loader.entry("hooks").unwrap().kind, EntryKind::Directory);
        assert_eq!(loader.read("hooks").unwrap_err().kind, LoadErrorKind::WrongKind);
        assert_eq!(loader.list("extension.yaml").unwrap_err().kind, LoadErrorKind::WrongKind);
        assert_eq!(loader.read("none").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(loader.read("extension.yaml/none").unwrap_err().kind, LoadErrorKind::NotFound);
    }

    #[test]
    fn listed_files_are_read_whatever_became_of_them() {
        let (keep, loader) = package();
        let listed = |path: &str, length| Listed { path: path.to_owned(), length, link: false };
        let files = [
            listed("extension.yaml", 5),
            listed("extension.yaml", 0),
            listed("extension.yaml", 3),
            listed("hooks/run.sh", 4096),
            listed("hooks/gone.sh", 1),
            listed("../secret", 1),
        ];
        let read = Mutex::new(vec![None; files.len()]);
        loader.read_each(&files, &|number, bytes| {
            read.lock().unwrap()[number] = Some(bytes.map(<[u8]>::to_vec).map_err(|error| error.kind));
        });
        let yaml = || Some(Ok(b"a: 1\n".to_vec()));
        let shell = Some(Ok(b"#!/bin/sh\n".to_vec()));
        let (gone, outside) = (Some(Err(LoadErrorKind::NotFound)), Some(Err(LoadErrorKind::Outside)));
        assert_eq!(*read.lock().unwrap(), [yaml(), yaml(), yaml(), shell, gone, outside]);
        drop(keep);
    }

    #[test]
    fn paths_are_shown_as_they_would_be_typed() {
        let (keep, loader) = package();
        assert_eq!(loader.display("hooks/run.sh"), "some/pkg/hooks/run.sh");
        assert_eq!(loader.display(""), "some/pkg");
        assert_eq!(loader.scoped("hooks").unwrap().display("run.sh"), "some/pkg/hooks/run.sh");
        let here = DiskLoader::new(keep.path(), "").unwrap();
        assert_eq!((here.display("secret"), here.display("")), ("secret".to_owned(), ".".to_owned()));
        assert_eq!(here.scoped("").unwrap().display("secret"), "secret");
    }

    #[test]
    fn nothing_outside_is_read() {
        let (_keep, loader) = package();
        for path in ["../secret", "/etc/passwd", "hooks/../../secret"] {
            assert_eq!(loader.read(path).unwrap_err().kind, LoadErrorKind::Outside, "{path}");
            assert_eq!(loader.entry(path).unwrap_err().kind, LoadErrorKind::Outside, "{path}");
        }
        assert_eq!(
            loader.scoped("hooks").unwrap().read("../extension.yaml").unwrap_err().kind,
            LoadErrorKind::Outside
        );
    }

    #[test]
    fn large_files_are_refused() {
        let (_keep, mut loader) = package();
        loader.max_file = 3;
        let error = loader.read("extension.yaml").unwrap_err();
        assert_eq!(error.to_string(), "`extension.yaml` is larger than the limit: 3 bytes");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_leave_the_root_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (keep, loader) = package();
        let package = keep.path().join("pkg");
        symlink("../secret", package.join("out")).unwrap();
        symlink("..", package.join("up")).unwrap();
        symlink("nowhere", package.join("gone")).unwrap();
        symlink("round", package.join("round")).unwrap();
        symlink("extension.yaml", package.join("in")).unwrap();
        symlink("../extension.yaml", package.join("hooks/back")).unwrap();

        assert_eq!(loader.read("in").unwrap(), b"a: 1\n");
        assert!(loader.entry("in").unwrap().link);
        for path in ["out", "up/secret"] {
            assert_eq!(loader.read(path).unwrap_err().kind, LoadErrorKind::Outside, "{path}");
        }
        assert_eq!(loader.read("gone").unwrap_err().detail, "it is a symbolic link that cannot be resolved");
        assert_eq!(loader.read("round").unwrap_err().kind, LoadErrorKind::Other);
        assert_eq!(loader.follow("in").unwrap(), "extension.yaml");
        assert_eq!(loader.follow("hooks/back").unwrap(), "extension.yaml");
        assert_eq!(loader.follow("gone").unwrap_err().path, "nowhere");
        assert_eq!(loader.follow("out").unwrap_err().kind, LoadErrorKind::Outside);
        let others: Vec<String> = loader
            .list("")
            .unwrap()
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::Other)
            .map(|entry| entry.name)
            .collect();
        assert_eq!(others, ["gone", "out", "round", "up"]);
        let hooks = loader.scoped("hooks").unwrap();
        assert_eq!(loader.read("hooks/back").unwrap(), b"a: 1\n");
        assert_eq!(hooks.read("back").unwrap_err().kind, LoadErrorKind::Outside);
    }

    #[cfg(unix)]
    #[test]
    fn the_run_bit_is_seen_and_special_files_are_not_opened() {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::net::UnixListener;
        let (keep, loader) = package();
        assert!(!loader.entry("hooks/run.sh").unwrap().executable);
        let script = keep.path().join("pkg/hooks/run.sh");
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(loader.entry("hooks/run.sh").unwrap().executable);

        let _socket = UnixListener::bind(keep.path().join("pkg/socket")).unwrap();
        assert_eq!(loader.entry("socket").unwrap().kind, EntryKind::Other);
        assert_eq!(loader.read("socket").unwrap_err().kind, LoadErrorKind::WrongKind);
    }
}
