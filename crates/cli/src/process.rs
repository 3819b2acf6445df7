//! Programs that are run for a command: post-renderers, and those that keep credentials.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use trueline_source::{Ending, Finished, Program};

/// How often a program with a time limit is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs a program in a directory with an environment.
pub(crate) fn run(
    program: &Program<'_>,
    directory: &Path,
    environment: &BTreeMap<OsString, OsString>,
) -> io::Result<Finished> {
    let mut command = Command::new(program.path);
    command.args(program.arguments).env_clear().envs(environment);
    command.envs(program.variables.iter().map(|(name, value)| (name, value))).current_dir(directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = program.input.to_vec();
    // A program need not read all that it is given.
    std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let output = reader(stdout, program.most);
    let complaints = reader(stderr, program.most);
    // Who takes too long is not waited for: what it has started may hold its pipes open.
    let status = end(&mut child, program.patience)?;
    Ok(Finished { ending: ending(status), output: said(output)?, complaints: said(complaints)? })
}

type Reading = JoinHandle<io::Result<Vec<u8>>>;

/// Reads what a program says, up to a limit. A program that says more finds nobody who listens.
fn reader(pipe: Option<impl Read + Send + 'static>, most: u64) -> Reading {
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let Some(pipe) = pipe else { return Ok(said) };
        pipe.take(most).read_to_end(&mut said)?;
        Ok(said)
    })
}

fn said(reading: Reading) -> io::Result<Vec<u8>> {
    reading.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

/// Waits for the end of a program; one that takes too long is ended.
fn end(child: &mut Child, patience: Option<Duration>) -> io::Result<ExitStatus> {
    let Some(patience) = patience else { return child.wait() };
    let start = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(status),
            None if start.elapsed() < patience => std::thread::sleep(PAUSE),
            None => {
                // It is ours, and has had its time.
                child.kill()?;
                child.wait()?;
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }
}

#[cfg(unix)]
fn ending(status: ExitStatus) -> Ending {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Code(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::Unknown,
    }
}

#[cfg(not(unix))]
fn ending(status: ExitStatus) -> Ending {
    status.code().map_or(Ending::Unknown, Ending::Code)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, input: &str, patience: Option<Duration>) -> io::Result<Finished> {
        let arguments = ["-c".to_owned(), script.to_owned()];
        let variables = [(OsString::from("GREETING"), OsString::from("hello"))];
        let program = Program {
            path: Path::new("/bin/sh"),
            arguments: &arguments,
            variables: &variables,
            input: input.as_bytes(),
            patience,
            most: 1 << 20,
        };
        run(&program, Path::new("/"), &BTreeMap::new())
    }

    #[test]
    fn programs_are_run_to_their_end() {
        let finished = sh("/bin/cat; echo $GREETING >&2; exit 3", "in", None).unwrap();
        assert_eq!((finished.ending, &*finished.output), (Ending::Code(3), b"in".as_slice()));
        assert_eq!(finished.complaints, b"hello\n");
        assert_eq!(sh("kill -9 $$", "", None).unwrap().ending, Ending::Signal(9));
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended() {
        let error = sh("exec /bin/sleep 60", "", Some(Duration::from_millis(50))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
