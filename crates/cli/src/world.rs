//! Everything that a command of the helm, kubeconform and ytt families touches: the machine, and besides it where output
//! goes, who watches, and what charts are fetched through. A command is run in a world of its own, so that many can
//! be run at the same time.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use trueline_diagnostic::without_credentials;
pub(crate) use trueline_gostd::system::{clean, error as go_error};
use trueline_kubeconform::Surroundings;
use trueline_report::harmless;
use trueline_source::{
    Fetch, FileChange, LoadError, MAX_READ, Network, Receiving, Request, Response, SendError, Stat, System,
    TypedReadError, read_typed,
};

use crate::machine::{Connection, Machine, NoDirectory};
use crate::progress::Progress;

/// What a command sees of the system.
pub struct World {
    machine: Arc<Machine>,
    /// Standard output.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error.
    pub stderr: Box<dyn Write + Send>,
    /// Whether the process ends with the run.
    is_process: bool,
    /// Whether somebody watches standard error.
    watched: bool,
    /// Reads a line that does not show while it is typed; nothing where nobody can be asked.
    pub ask: Option<fn() -> io::Result<String>>,
}

impl fmt::Debug for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("World").field("machine", &self.machine).finish_non_exhaustive()
    }
}

impl World {
    /// A world with a directory and an environment, empty input, and output that can be read afterwards. It has
    /// no network.
    pub fn new(directory: PathBuf, environment: BTreeMap<OsString, OsString>) -> (Self, Captured, Captured) {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let world = World {
            machine: Arc::new(Machine::new(directory, environment)),
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            is_process: false,
            watched: false,
            ask: None,
        };
        (world, stdout, stderr)
    }

    /// Lets charts be fetched through the network of this process, without a proxy. It is said before anything is run.
    pub fn connect(&mut self) {
        if let Some(machine) = Arc::get_mut(&mut self.machine) {
            machine.connect(Connection::Direct);
        }
    }

    /// The world of this process.
    pub(crate) fn of_process() -> Result<Self, NoDirectory> {
        Ok(World {
            machine: Arc::new(Machine::of_process()?),
            stdout: Box::new(io::stdout()),
            stderr: Box::new(io::stderr()),
            is_process: true,
            watched: crate::terminal::is_watched(),
            ask: crate::terminal::ask(),
        })
    }

    /// The machine.
    pub(crate) fn system(&self) -> Arc<dyn System> {
        Arc::clone(&self.machine) as Arc<dyn System>
    }

    /// The working directory; an absolute path.
    pub(crate) fn directory(&self) -> &Path {
        self.machine.directory()
    }

    /// The variables.
    pub(crate) fn environment(&self) -> &BTreeMap<OsString, OsString> {
        self.machine.environment()
    }

    /// Reads standard input from there. It is said before anything is run.
    pub fn set_standard_input(&mut self, reader: Box<dyn Read + Send>) {
        if let Some(machine) = Arc::get_mut(&mut self.machine) {
            machine.set_standard_input(reader);
        }
    }

    /// Takes the time from there. It is said before anything is run.
    pub fn set_clock(&mut self, clock: fn() -> SystemTime) {
        if let Some(machine) = Arc::get_mut(&mut self.machine) {
            machine.set_clock(clock);
        }
    }

    /// A variable, if it is set; bytes that are no text are replaced.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.machine.variable(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// All variables; bytes that are no text are replaced.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        self.environment().iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    /// A variable that is set to something.
    pub(crate) fn non_empty_variable(&self, name: &str) -> Option<String> {
        self.variable(name).filter(|value| !value.is_empty())
    }

    /// Where a path leads that somebody typed.
    pub(crate) fn path(&self, typed: &str) -> PathBuf {
        self.directory().join(typed)
    }

    /// What is at a path, at the end of its links.
    pub(crate) fn stat(&self, path: impl AsRef<Path>) -> io::Result<Stat> {
        self.machine.stat(path.as_ref())
    }

    /// Whether there is something at a path.
    pub(crate) fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.stat(path).is_ok()
    }

    /// Whether there is a directory at a path.
    pub(crate) fn is_directory(&self, path: impl AsRef<Path>) -> bool {
        self.stat(path).is_ok_and(Stat::is_directory)
    }

    /// Whether there is a file at a path.
    pub(crate) fn is_file(&self, path: impl AsRef<Path>) -> bool {
        self.stat(path).is_ok_and(Stat::is_file)
    }

    /// Changes files.
    pub(crate) fn change(&self, change: FileChange<'_>) -> io::Result<()> {
        self.machine.change(change)
    }

    /// The names in a directory, in order; none where there is no directory.
    pub(crate) fn names(&self, directory: impl AsRef<Path>) -> Vec<OsString> {
        let mut names = self.machine.names(directory.as_ref()).unwrap_or_default();
        names.sort();
        names
    }

    /// The bytes of a file that somebody typed; the error is shown in Go's words.
    pub(crate) fn read_file(&self, typed: &str) -> Result<Vec<u8>, TypedReadError> {
        read_typed(&*self.machine, &self.path(typed), typed)
    }

    /// Makes a directory that somebody typed, with those above it; the error is Go's text.
    pub(crate) fn make_directory(&self, typed: &str) -> Result<(), String> {
        match self.stat(typed) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("stat {typed}: {}", go_error(&error))),
        }
        let ends = typed.match_indices('/').map(|(end, _)| end).chain([typed.len()]);
        for directory in ends.filter_map(|end| typed.get(..end)).filter(|directory| !directory.is_empty()) {
            if !self.is_directory(directory) {
                let made = self.machine.change(FileChange::MakeDirectory(Path::new(directory)));
                made.map_err(|error| format!("mkdir {directory}: {}", go_error(&error)))?;
            }
        }
        Ok(())
    }

    /// All of standard input.
    pub(crate) fn read_stdin(&mut self) -> Result<Vec<u8>, LoadError> {
        self.machine.standard_input(MAX_READ)
    }

    /// The door to the network.
    pub(crate) fn network(&self, network: Network) -> Arc<dyn Fetch> {
        self.machine.fetch(network)
    }

    /// Sends a request, and shows how far its answer is to somebody who watches.
    pub(crate) fn send(&self, request: &Request<'_>) -> Result<Response, SendError> {
        let name = request.url.rsplit('/').next().unwrap_or_default();
        self.machine.send(request, &self.progress(name))
    }

    /// Progress for something that is fetched, if somebody watches.
    fn progress(&self, name: &str) -> Progress {
        if self.watched { Progress::of_fetching(name) } else { Progress::hidden() }
    }

    /// Writes to standard output as it is; the error is Go's text.
    pub(crate) fn print(&mut self, text: &[u8]) -> Result<(), String> {
        self.write(text).map_err(|error| format!("write /dev/stdout: {}", go_error(&error)))
    }

    /// Writes to standard output. A reader that has gone away, as `head` does, is no failure.
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        match self.stdout.write_all(text).and_then(|()| self.stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
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
        let since = self.machine.now();
        (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
    }
}

impl Surroundings for World {
    fn system(&self) -> Arc<dyn System> {
        World::system(self)
    }

    fn print(&mut self, text: &[u8]) -> io::Result<()> {
        self.write(text)
    }

    fn complain(&mut self, line: &str) {
        World::complain(self, line);
    }

    fn receiving(&self, name: &str) -> Box<dyn Receiving> {
        Box::new(self.progress(name))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_that_cannot_be_read_are_reported_as_go_does() {
        let directory = tempfile::TempDir::new().unwrap();
        let (world, ..) = World::new(directory.path().to_owned(), BTreeMap::new());
        fs::create_dir(directory.path().join("d")).unwrap();
        fs::write(directory.path().join("f"), "x").unwrap();
        assert_eq!(world.read_file("f").unwrap(), b"x");
        let refused = |path: &str| world.read_file(path).unwrap_err().to_string();
        assert_eq!(refused("no"), "open no: no such file or directory");
        assert_eq!(refused("f/no"), "open f/no: not a directory");
        assert_eq!(refused("d"), "read d: is a directory");
        assert_eq!(world.make_directory("d/e//f"), Ok(()));
        assert!(directory.path().join("d/e/f").is_dir());
        assert_eq!(world.make_directory("f/g"), Err("stat f/g: not a directory".to_owned()));
    }
}
