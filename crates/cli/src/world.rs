//! Everything that a command of the helm and kubeconform families touches: the working directory, the environment, the streams,
//! the clock, the dice, the network and the disk. A command is run in a world of its own, so that many can be
//! run at the same time.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use trueline_diagnostic::without_credentials;
use trueline_report::harmless;
use trueline_schema::Network;
use trueline_source::{Fetch, Fetched, LoadError, LoadErrorKind};

use crate::disk::read_bounded;
use crate::progress::Progress;
use crate::transport::{Closed, Open, Transport};

/// Nothing that is read whole is larger.
pub(crate) const MAX_READ: u64 = 128 << 20;

/// The door to the network, made when it is known whether it may be used.
type Door = Box<dyn Fn(Network) -> Arc<dyn Fetch> + Send + Sync>;

/// What a command sees of the system.
pub struct World {
    /// The working directory; an absolute path.
    pub directory: PathBuf,
    /// The variables.
    pub environment: BTreeMap<OsString, OsString>,
    /// Standard input.
    pub stdin: Box<dyn Read + Send>,
    /// Standard output.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error.
    pub stderr: Box<dyn Write + Send>,
    /// Now.
    pub clock: fn() -> SystemTime,
    /// Fills a buffer with random bytes that nobody can foresee.
    pub random: fn(&mut [u8]),
    network: Door,
    /// Whether the process ends with the run.
    is_process: bool,
    /// What charts are fetched through.
    transport: Box<dyn Transport + Send + Sync>,
    /// Whether somebody watches standard error.
    watched: bool,
    /// Reads a line that does not show while it is typed; nothing where nobody can be asked.
    pub ask: Option<fn() -> io::Result<String>>,
}

impl fmt::Debug for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("World").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl World {
    /// A world with a directory and an environment, empty input, and output that can be read afterwards. It has
    /// no network.
    pub fn new(directory: PathBuf, environment: BTreeMap<OsString, OsString>) -> (Self, Captured, Captured) {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let world = World {
            directory,
            environment,
            stdin: Box::new(io::empty()),
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            clock: SystemTime::now,
            random: fill_random,
            network: Box::new(|_| Arc::new(NoNetwork)),
            is_process: false,
            transport: Box::new(Closed),
            watched: false,
            ask: None,
        };
        (world, stdout, stderr)
    }

    /// Lets charts be fetched through the network of this process, without a proxy.
    pub fn connect(&mut self) {
        self.transport = Box::new(Open { proxy: || None });
    }

    /// The world of this process.
    pub(crate) fn of_process() -> io::Result<Self> {
        Ok(World {
            directory: std::env::current_dir()?,
            environment: std::env::vars_os().collect(),
            stdin: Box::new(io::stdin()),
            stdout: Box::new(io::stdout()),
            stderr: Box::new(io::stderr()),
            clock: SystemTime::now,
            random: fill_random,
            network: Box::new(crate::checking::plain_fetcher),
            is_process: true,
            transport: Box::new(Open { proxy: crate::environment::proxy }),
            watched: crate::terminal::is_watched(),
            ask: crate::terminal::ask(),
        })
    }

    /// A variable, if it is set; bytes that are no text are replaced.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.environment.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned())
    }

    /// All variables; bytes that are no text are replaced.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        self.environment.iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    /// A variable that is set to something.
    pub(crate) fn non_empty_variable(&self, name: &str) -> Option<String> {
        self.variable(name).filter(|value| !value.is_empty())
    }

    /// Where a path leads that somebody typed.
    pub(crate) fn path(&self, typed: &str) -> PathBuf {
        self.directory.join(typed)
    }

    /// The bytes of a file that somebody typed; the error is Go's text.
    pub(crate) fn read_file(&self, typed: &str) -> Result<Vec<u8>, String> {
        read_at(&self.path(typed), typed)
    }

    /// Makes a directory that somebody typed, with those above it; the error is Go's text.
    pub(crate) fn make_directory(&self, typed: &str) -> Result<(), String> {
        match fs::metadata(self.path(typed)) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("stat {typed}: {}", go_error(&error))),
        }
        let ends = typed.match_indices('/').map(|(end, _)| end).chain([typed.len()]);
        for directory in ends.filter_map(|end| typed.get(..end)).filter(|directory| !directory.is_empty()) {
            let path = self.path(directory);
            if !path.is_dir() {
                fs::create_dir(path).map_err(|error| format!("mkdir {directory}: {}", go_error(&error)))?;
            }
        }
        Ok(())
    }

    /// All of standard input.
    pub(crate) fn read_stdin(&mut self) -> Result<Vec<u8>, String> {
        read_bounded(&mut self.stdin, MAX_READ, "-").map_err(|error| error.to_string())
    }

    /// The door to the network.
    pub(crate) fn network(&self, network: Network) -> Arc<dyn Fetch> {
        (self.network)(network)
    }

    /// What charts are fetched through.
    pub(crate) fn transport(&self, network: Network) -> &dyn Transport {
        match network {
            Network::Allowed => &*self.transport,
            Network::Offline => &Closed,
        }
    }

    /// Progress for something that is fetched, if somebody watches.
    pub(crate) fn progress(&self, name: &str) -> Progress {
        if self.watched { Progress::of_fetching(name) } else { Progress::hidden() }
    }

    /// Writes to standard output as it is. A reader that has gone away, as `head` does, is no failure.
    pub(crate) fn print(&mut self, text: &[u8]) -> Result<(), String> {
        match self.stdout.write_all(text).and_then(|()| self.stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("write /dev/stdout: {}", go_error(&error)))
            }
            _ => Ok(()),
        }
    }

    /// The same for a sentence, made harmless: it may repeat what charts and repositories say.
    pub(crate) fn tell(&mut self, text: &str) -> Result<(), String> {
        self.print(harmless(text).as_bytes())
    }

    /// Keeps something until the run ends. Giving back a large chart piece by piece takes a good part of the time
    /// that it is rendered in, and the end of the process does it at once.
    pub(crate) fn keep<T>(&self, value: T) {
        if self.is_process {
            std::mem::forget(value);
        }
    }

    /// Ends the process with a code, if it ends with the run: a thread that ends by itself gives back its memory
    /// piece by piece first.
    #[allow(clippy::disallowed_methods, reason = "the code is the one that would be returned from main")]
    pub(crate) fn end(&self, code: u8) {
        if self.is_process {
            std::process::exit(code.into());
        }
    }

    /// Says something on standard error, made harmless and without the credentials of addresses. If even that fails there
    /// is nobody left to tell.
    pub(crate) fn complain(&mut self, line: &str) {
        let _ = writeln!(self.stderr, "{}", harmless(&without_credentials(line)));
    }

    /// The same for words that quote what the user wrote, as the original prints them: a template line with an address in
    /// it is shown whole. Only control characters are made harmless.
    pub(crate) fn repeat(&mut self, line: &str) {
        let _ = writeln!(self.stderr, "{}", harmless(line));
    }

    /// Helps somebody who watches. Programs that read standard error find there what the original prints, and nothing
    /// else.
    pub(crate) fn hint(&mut self, line: &str) {
        if self.watched {
            let _ = writeln!(self.stderr, "hint: {line}");
        }
    }

    /// Writes to standard error as it is.
    pub(crate) fn warn(&mut self, text: &[u8]) {
        let _ = self.stderr.write_all(text);
    }

    /// Seconds since 1970, and nanoseconds.
    pub(crate) fn now(&self) -> (i64, u32) {
        match (self.clock)().duration_since(UNIX_EPOCH) {
            Ok(since) => (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos()),
            Err(_) => (0, 0),
        }
    }
}

/// The bytes of a file at a path that somebody typed otherwise; the error is Go's text.
pub(crate) fn read_at(path: &Path, typed: &str) -> Result<Vec<u8>, String> {
    let file = match typed {
        "" => Err(io::Error::from(io::ErrorKind::NotFound)),
        _ => fs::File::open(path),
    };
    let file = file.map_err(|error| format!("open {typed}: {}", go_error(&error)))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(format!("read {typed}: is a directory"));
    }
    read_bounded(file, MAX_READ, typed).map_err(|error| error.to_string())
}

/// A system error in Go's words.
pub(crate) fn go_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::AlreadyExists => "file exists".to_owned(),
        _ => {
            let plain = crate::disk::plain(error);
            let mut characters = plain.chars();
            match characters.next() {
                Some(first) => first.to_lowercase().chain(characters).collect(),
                None => plain,
            }
        }
    }
}

/// A path as it is typed, with `.` and `..` worked out as far as they can be without the disk.
pub(crate) fn clean(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut clean = PathBuf::new();
    for part in path.components() {
        match (part, clean.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                clean.pop();
            }
            (Component::ParentDir, Some(Component::RootDir)) => {}
            (part, _) => clean.push(part),
        }
    }
    if clean.as_os_str().is_empty() { PathBuf::from(".") } else { clean }
}

fn fill_random(buffer: &mut [u8]) {
    // A system without randomness cannot be worked with; the caller gets zeros, which no key generator takes.
    if getrandom::fill(buffer).is_err() {
        buffer.fill(0);
    }
}

/// Output that is kept.
#[derive(Debug, Clone, Default)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    /// What was written.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Captured {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A network that nothing can be reached through.
#[derive(Debug)]
struct NoNetwork;

impl Fetch for NoNetwork {
    fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
        Err(LoadError::new(LoadErrorKind::Offline, url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_without_looking_at_the_disk() {
        for (path, clean_path) in [
            ("a/./b/../c", "a/c"),
            ("./x", "x"),
            ("../x", "../x"),
            ("/../x", "/x"),
            (".", "."),
            ("a/..", "."),
        ] {
            assert_eq!(clean(Path::new(path)), Path::new(clean_path), "{path}");
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_reported_as_go_does() {
        let directory = tempfile::TempDir::new().unwrap();
        let (world, ..) = World::new(directory.path().to_owned(), BTreeMap::new());
        fs::create_dir(directory.path().join("d")).unwrap();
        fs::write(directory.path().join("f"), "x").unwrap();
        assert_eq!(world.read_file("f"), Ok(b"x".to_vec()));
        assert_eq!(world.read_file("no"), Err("open no: no such file or directory".to_owned()));
        assert_eq!(world.read_file("f/no"), Err("open f/no: not a directory".to_owned()));
        assert_eq!(world.read_file("d"), Err("read d: is a directory".to_owned()));
        assert_eq!(world.make_directory("d/e//f"), Ok(()));
        assert!(directory.path().join("d/e/f").is_dir());
        assert_eq!(world.make_directory("f/g"), Err("stat f/g: not a directory".to_owned()));
    }
}
