//! What the end-to-end tests share: a sandbox to run the built program in, and a server to talk to.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A manifest without a finding.
pub(crate) const VALID: &str = "\
metadata:
  name: demo
  version: 1.0.0
  description: A demonstration of an extension
  category: devops
install:
  method: mise
  tool: node
  version: lts
validate:
  commands:
    - name: node
";

/// No run of the program takes as long, not even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A directory to run the program in, with a cache directory of its own.
pub(crate) struct Sandbox {
    directory: TempDir,
}

/// A run that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// One finding of a JSON report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) code: String,
    pub(crate) severity: String,
    /// `file:line:column` of the primary place.
    pub(crate) place: String,
    pub(crate) message: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Sandbox { directory: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with an environment that does not depend on who runs the tests.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trueline"));
        command.args(arguments).current_dir(self.directory.path());
        self.environment(&mut command);
        command
    }

    /// Takes away what would change the outcome.
    pub(crate) fn environment(&self, command: &mut Command) {
        for name in ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        for name in ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "http_proxy", "https_proxy"] {
            command.env_remove(name);
        }
        command.env("TRUELINE_CACHE_DIR", self.path(".cache"));
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        run(&mut self.command(arguments), b"")
    }

    pub(crate) fn run_with_stdin(&self, arguments: &[&str], stdin: &[u8]) -> Ran {
        run(&mut self.command(arguments), stdin)
    }

    /// Runs with a JSON report and gives back the exit code and the findings.
    pub(crate) fn findings(&self, arguments: &[&str]) -> (Option<i32>, Vec<Finding>) {
        let mut all = arguments.to_vec();
        all.extend(["--format", "json"]);
        let ran = self.run(&all);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        (ran.code, ran.findings())
    }
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.json()["findings"].as_array().unwrap().iter().map(Finding::new).collect()
    }
}

impl Finding {
    fn new(finding: &Value) -> Self {
        let primary =
            &finding["labels"].as_array().unwrap().iter().find(|label| label["role"] == "primary").unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Finding {
            code: text(&finding["code"]),
            severity: text(&finding["severity"]),
            place: format!("{}:{}:{}", text(&primary["file"]), primary["line"], primary["column"]),
            message: text(&finding["message"]),
        }
    }
}

/// Runs a command to its end. One that does not end is a failure, not a test that hangs.
pub(crate) fn run(command: &mut Command, stdin: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let writer = thread::spawn(move || {
        let _ = input.write_all(&stdin);
    });
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{command:?} does not end");
        }
        thread::sleep(Duration::from_millis(5));
    };
    writer.join().unwrap();
    Ran { code: status.code(), stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn collect(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

/// A server on the loopback that answers every request in the same way; gives back its address.
pub(crate) fn serve(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> String {
    serve_requests(move |request, stream| answer(request.path(), stream))
}

/// A request that a server got.
pub(crate) struct Request(String);

impl Request {
    /// The path, with the query.
    pub(crate) fn path(&self) -> &str {
        self.0.split(' ').nth(1).unwrap_or_default()
    }

    /// The value of a header; its name is given in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// The same for a server that looks at more than the path.
pub(crate) fn serve_requests(answer: impl Fn(&Request, &mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let answer = std::sync::Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().take(400) {
            let (mut stream, answer) = (stream.unwrap(), std::sync::Arc::clone(&answer));
            thread::spawn(move || {
                let mut request = Vec::new();
                let mut buffer = [0; 1024];
                while !request.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
                        _ => return,
                    }
                }
                answer(&Request(String::from_utf8_lossy(&request).into_owned()), &mut stream);
            });
        }
    });
    base
}

/// Answers a request.
pub(crate) fn say(stream: &mut TcpStream, status: &str, headers: &str, body: impl AsRef<[u8]>) {
    promise(stream, status, headers, body.as_ref(), body.as_ref().len());
}

/// Answers a request with a body that has another length than it is said to have.
pub(crate) fn promise(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8], length: usize) {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n");
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
