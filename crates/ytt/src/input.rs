//! Files that flags name: from the disk, from standard input or from the network.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_gostd::system::{clean, error as go_error};
use trueline_source::{Fetch, MAX_READ, Network, Stat, StatKind, System, read_typed};

use crate::files::{Contents, InputFile, Loaded};
use crate::input_error::{InputError, InputErrorKind};

/// Directories are walked no deeper: their links are not followed, so only a hostile tree is as deep.
const MAX_DEPTH: usize = 256;

/// Which links may be followed.
#[derive(Debug, Default)]
pub struct Links {
    /// All of them.
    pub all: bool,
    /// Those that lead below one of these.
    pub destinations: Vec<String>,
}

/// What the flags of a run name.
#[derive(Debug)]
pub struct Inputs {
    system: Arc<dyn System>,
    links: Links,
    network: Network,
    has_read_stdin: Cell<bool>,
}

impl Inputs {
    /// Reads from a system, follows some links, and fetches addresses if that is allowed.
    pub fn new(system: Arc<dyn System>, links: Links, network: Network) -> Self {
        Inputs { system, links, network, has_read_stdin: Cell::new(false) }
    }

    /// The files that `-f PATH` or `-f NAME=PATH` names, in no particular order.
    pub fn group(&mut self, argument: &str) -> Result<Vec<InputFile>, InputError> {
        let pieces: Vec<&str> = argument.split('=').collect();
        let (name, path) = match pieces[..] {
            [path] => (None, path),
            [name, path] => (Some(name).filter(|name| !name.is_empty()), path),
            _ => {
                return Err(InputErrorKind::Flag.of(format!(
                    "Expected file '{argument}' to only have single '=' sign to for relative path assignment"
                )));
            }
        };
        let files = self.files(path)?;
        let is_directory = files.len() != 1 || self.is_directory(path);
        Ok(match name {
            Some(name) if !is_directory => files.into_iter().map(|file| file.renamed(name)).collect(),
            _ => files,
        })
    }

    /// The files below a path, or the file itself.
    pub fn files(&mut self, path: &str) -> Result<Vec<InputFile>, InputError> {
        if path == "-" {
            let contents = self.stdin();
            return Ok(vec![InputFile::new("stdin.yml", contents)]);
        }
        if path.starts_with("http://") || path.starts_with("https://") {
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
            let contents = Address { url: path.to_owned(), network: self.system.fetch(self.network) };
            return Ok(vec![InputFile::new(name, contents)]);
        }
        let at = PathBuf::from(path);
        let metadata = match path {
            "" => Err("no such file or directory".to_owned()),
            _ => self.system.link_stat(&at).map_err(|error| go_error(&error)),
        };
        let metadata = metadata.map_err(|error| {
            InputErrorKind::Unreadable.of(format!("Checking file '{path}': lstat {path}: {error}"))
        })?;
        if metadata.is_directory() {
            let mut files = Vec::new();
            let shown = clean(Path::new(path)).to_string_lossy().into_owned();
            self.walk(&at, &shown, "", 0, &mut files)
                .map_err(|error| error.while_doing(&format!("Listing files '{path}'")))?;
            return Ok(files);
        }
        let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
        Ok(vec![self.local(&at, path, &name, metadata)?])
    }

    /// What standard input holds. It can be read once; whoever asks again gets an error when they look at it.
    pub fn stdin(&mut self) -> Stdin {
        if self.has_read_stdin.replace(true) {
            return Stdin(Err(InputErrorKind::ReadTwice.of(
                "Standard input has already been read, has the '-' argument been used in more than one flag?",
            )));
        }
        let bytes = self.system.standard_input(MAX_READ);
        Stdin(bytes.map_err(|error| InputErrorKind::Unreadable.of(error.to_string())))
    }

    fn walk(
        &self,
        directory: &Path,
        shown: &str,
        relative: &str,
        depth: usize,
        files: &mut Vec<InputFile>,
    ) -> Result<(), InputError> {
        if depth > MAX_DEPTH {
            let text = format!("directories are nested more than {MAX_DEPTH} deep in {shown}");
            return Err(InputErrorKind::TooMuch.of(text));
        }
        let failure = |error: &std::io::Error| {
            InputErrorKind::Unreadable.of(format!("open {shown}: {}", go_error(error)))
        };
        let mut entries = self.system.names(directory).map_err(|error| failure(&error))?;
        entries.sort();
        for name in entries {
            let (path, name) = (directory.join(&name), name.to_string_lossy().into_owned());
            let shown =
                if shown == "." { name.clone() } else { format!("{}/{name}", shown.trim_end_matches('/')) };
            let relative = if relative.is_empty() { name } else { format!("{relative}/{name}") };
            let metadata = self.system.link_stat(&path).map_err(|error| {
                InputErrorKind::Unreadable.of(format!("lstat {shown}: {}", go_error(&error)))
            })?;
            if metadata.is_directory() {
                self.walk(&path, &shown, &relative, depth + 1, files)?;
            } else if metadata.kind == StatKind::Pipe {
                // Nobody may ever write into it; one that is named by itself is meant to be read.
                let text = format!("Expected file '{shown}' to be a regular file, but was not");
                return Err(InputErrorKind::NotAFile.of(text));
            } else {
                files.push(self.local(&path, &shown, &relative, metadata)?);
            }
        }
        Ok(())
    }

    fn local(
        &self,
        path: &Path,
        typed: &str,
        relative: &str,
        metadata: Stat,
    ) -> Result<InputFile, InputError> {
        if metadata.kind == StatKind::Link {
            self.check_link(path, typed)
                .map_err(|error| error.while_doing(&format!("Checking symlink file '{typed}'")))?;
        } else if !metadata.is_file() && metadata.kind != StatKind::Pipe {
            let text = format!("Expected file '{typed}' to be a regular file, but was not");
            return Err(InputErrorKind::NotAFile.of(text));
        }
        Ok(InputFile::new(
            relative,
            OnDisk { system: Arc::clone(&self.system), path: path.to_owned(), typed: typed.to_owned() },
        ))
    }

    fn check_link(&self, path: &Path, typed: &str) -> Result<(), InputError> {
        if self.links.all {
            return Ok(());
        }
        let destination = match self.system.real(path) {
            Ok(destination) => destination,
            // What a shell hands over with `<(…)` is a link to a pipe, which no file on the disk can pretend to be.
            Err(_) if self.is_link_to_pipe(path) => return Ok(()),
            Err(error) => {
                let missing = self.system.read_link(path).unwrap_or_default();
                let missing = Path::new(typed).parent().unwrap_or(Path::new("")).join(missing);
                return Err(InputErrorKind::Link.of(format!(
                    "Eval symlink: lstat {}: {}",
                    clean(&missing).display(),
                    go_error(&error)
                )));
            }
        };
        let working_directory = self.system.working_directory().unwrap_or_default();
        let is_allowed = self
            .links
            .destinations
            .iter()
            .any(|allowed| destination.starts_with(clean(&working_directory.join(allowed))));
        if is_allowed {
            return Ok(());
        }
        let here = clean(&working_directory);
        // A relative link is followed from where it was named, and so is named from there.
        let shown = match (Path::new(typed).is_absolute(), destination.strip_prefix(&here)) {
            (false, Ok(below)) => below.to_owned(),
            _ => destination.clone(),
        };
        Err(InputErrorKind::Link.of(format!(
            "Expected symlink file '{typed}' -> '{}' to be allowed, but was not (hint: symlinks are disallowed as a \
             security feature, use '--allow-symlink-destination' flags to override)",
            shown.display()
        )))
    }

    /// Whether a path that somebody typed is a directory.
    pub fn is_directory(&self, path: &str) -> bool {
        self.system.stat(Path::new(path)).is_ok_and(Stat::is_directory)
    }

    fn is_link_to_pipe(&self, path: &Path) -> bool {
        let Ok(descriptor) = self.system.real(path.parent().unwrap_or(path)) else { return false };
        let is_descriptor = descriptor.starts_with("/proc") && descriptor.ends_with("fd");
        is_descriptor
            && self.system.read_link(path).is_ok_and(|to| to.to_string_lossy().starts_with("pipe:["))
    }
}

/// A file of the disk.
struct OnDisk {
    system: Arc<dyn System>,
    path: PathBuf,
    typed: String,
}

impl Contents for OnDisk {
    fn read(&self) -> Result<Loaded, InputError> {
        let bytes = read_typed(&*self.system, &self.path, &self.typed)
            .map_err(|error| InputErrorKind::Unreadable.of(error.to_string()))?;
        Ok(Loaded { bytes: bytes.into(), source: None })
    }
}

/// A document of the network.
struct Address {
    url: String,
    network: Arc<dyn Fetch>,
}

impl Contents for Address {
    fn read(&self) -> Result<Loaded, InputError> {
        match self.network.fetch(&self.url) {
            Ok(fetched) => Ok(Loaded { bytes: fetched.bytes.into(), source: None }),
            Err(error) => {
                Err(InputErrorKind::Unreadable.of(format!("Requesting URL '{}': {error}", self.url)))
            }
        }
    }
}

/// What was read from standard input.
#[derive(Debug)]
pub struct Stdin(Result<Vec<u8>, InputError>);

impl Contents for Stdin {
    fn read(&self) -> Result<Loaded, InputError> {
        let bytes = self.0.as_ref().map_err(InputError::clone)?;
        Ok(Loaded { bytes: bytes.as_slice().into(), source: None })
    }
}
