//! Cases recorded from the real Helm: every rendering case, run in this process in a world of its own, against
//! what Helm 4 and Helm 3 printed. Standard output, exit code and written files are one suite a Helm; standard
//! error is a suite of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;
use tempfile::TempDir;
use trueline_cli::World;

use super::helm_archive;
use super::helm_compare::{difference, names_the_same, same_lines, without_times};
use crate::Case;

/// The commands whose cases are run.
const COMMANDS: &[&str] = &["create", "dep", "dependency", "lint", "package", "repo", "show", "template"];

/// The output of Helm 4, with its exit codes and files.
pub(crate) fn load_v4(folder: &Path) -> Result<Vec<Case>, String> {
    load(folder, |case| vec![output(case, "v4")])
}

/// The output of Helm 3, with its exit codes and files.
pub(crate) fn load_v3(folder: &Path) -> Result<Vec<Case>, String> {
    load(folder, |case| vec![output(case, "v3")])
}

/// Standard error of both: whether it is the same to the letter, and whether it says the same.
pub(crate) fn load_stderr(folder: &Path) -> Result<Vec<Case>, String> {
    load(folder, |case| vec![stderr(case, "v4"), stderr(case, "v3"), clause(case, "v4"), clause(case, "v3")])
}

/// What one run printed.
struct Outcome {
    exit: u8,
    stdout: Result<(), String>,
    stderr: Vec<u8>,
    files: Result<(), String>,
}

/// One recorded case.
struct Recorded {
    id: String,
    root: PathBuf,
    /// Where the case stands, for outputs beside it.
    folder: PathBuf,
    case: Json,
    /// Run once a Helm, whichever suites ask.
    outcomes: [OnceLock<Result<Outcome, String>>; 2],
}

type Corpus = Vec<Arc<Recorded>>;

fn load(folder: &Path, cases: impl Fn(&Arc<Recorded>) -> Vec<Option<Case>>) -> Result<Vec<Case>, String> {
    // All suites share the runs; a process sees one corpus.
    static CORPUS: OnceLock<Result<Corpus, String>> = OnceLock::new();
    let corpus = CORPUS.get_or_init(|| read_corpus(folder)).as_ref().map_err(Clone::clone)?;
    Ok(corpus.iter().flat_map(cases).flatten().collect())
}

fn read_corpus(folder: &Path) -> Result<Corpus, String> {
    let root = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut corpus = Vec::new();
    for group in entries(&root.join("cases"))? {
        for path in
            entries(&group)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "json"))
        {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let case: Json =
                serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            if !case["args"][0].as_str().is_some_and(|command| COMMANDS.contains(&command)) {
                continue;
            }
            let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
            corpus.push(Arc::new(Recorded {
                id: format!("{}/{}", text("group"), text("id")),
                root: root.clone(),
                folder: group.clone(),
                case,
                outcomes: Default::default(),
            }));
        }
    }
    Ok(corpus)
}

pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    Ok(paths)
}

fn case(
    recorded: &Arc<Recorded>,
    id: String,
    version: &'static str,
    check: impl Fn(&Recorded, &Json, &Outcome) -> Result<(), String> + Send + Sync + 'static,
) -> Option<Case> {
    recorded.expectation(version)?;
    let recorded = Arc::clone(recorded);
    Some(Case::new(id, move || {
        let expected = recorded.expectation(version).ok_or("no expectation")?;
        let outcome = recorded.outcome(version).as_ref().map_err(Clone::clone)?;
        check(&recorded, expected, outcome)
    }))
}

fn output(recorded: &Arc<Recorded>, version: &'static str) -> Option<Case> {
    case(recorded, recorded.id.clone(), version, |_, expected, outcome| {
        let exit = expected["exit"].as_u64().unwrap_or_default();
        if u64::from(outcome.exit) != exit {
            let stderr = String::from_utf8_lossy(&outcome.stderr);
            return Err(format!("exit code {} in place of {exit}; standard error:\n{stderr}", outcome.exit));
        }
        outcome.stdout.clone()?;
        outcome.files.clone()
    })
}

fn stderr(recorded: &Arc<Recorded>, version: &'static str) -> Option<Case> {
    let id = format!("{}:{version}", recorded.id);
    case(recorded, id, version, |recorded, expected, outcome| {
        let wanted = expected["stderr"].as_str().unwrap_or_default();
        let found = String::from_utf8_lossy(&outcome.stderr);
        let same = if recorded.case["compare"] == "stderr-unordered" {
            same_lines(&found, wanted)
        } else {
            found == wanted
        };
        if same { Ok(()) } else { Err(difference("standard error", found.as_bytes(), wanted.as_bytes())) }
    })
}

/// What counts where the words differ: the file, the line and the last clause of Helm's error are there.
fn clause(recorded: &Arc<Recorded>, version: &'static str) -> Option<Case> {
    let id = format!("{}:{version}:clause", recorded.id);
    case(recorded, id, version, |_, expected, outcome| {
        let wanted = expected["stderr"].as_str().unwrap_or_default();
        names_the_same(&String::from_utf8_lossy(&outcome.stderr), wanted)
    })
}

/// A directory that stands for the home of whoever runs Helm.
fn home() -> Result<&'static Path, String> {
    static HOME: OnceLock<Result<TempDir, String>> = OnceLock::new();
    let home = HOME.get_or_init(|| TempDir::new().map_err(|error| error.to_string()));
    home.as_ref().map(TempDir::path).map_err(Clone::clone)
}

impl Recorded {
    fn expectation(&self, version: &str) -> Option<&Json> {
        let expect = &self.case["expect"];
        match &expect[version] {
            Json::String(same) if same == "same" => Some(&expect["v4"]),
            Json::Null => None,
            expected => Some(expected),
        }
    }

    fn outcome(&self, version: &'static str) -> &Result<Outcome, String> {
        self.outcomes[usize::from(version == "v3")].get_or_init(|| self.run(version))
    }

    fn run(&self, version: &str) -> Result<Outcome, String> {
        let expected = self.expectation(version).ok_or("no expectation")?;
        let work = self.work()?;
        let before = work.as_ref().map(|work| snapshot(work.path())).transpose()?;
        let home = home()?;
        let mut environment: BTreeMap<OsString, OsString> = BTreeMap::new();
        for (name, value) in [("PATH", "/usr/bin:/bin"), ("TZ", "UTC"), ("LANG", "C.UTF-8")] {
            environment.insert(name.into(), value.into());
        }
        environment.insert("HOME".into(), home.into());
        for (name, folder) in
            [("HELM_CACHE_HOME", "cache"), ("HELM_CONFIG_HOME", "config"), ("HELM_DATA_HOME", "data")]
        {
            environment.insert(name.into(), home.join(folder).into());
        }
        for (name, value) in self.case["env"].as_object().into_iter().flatten() {
            environment.insert(name.into(), value.as_str().unwrap_or_default().into());
        }
        let directory = work.as_ref().map_or(self.root.as_path(), TempDir::path);
        let (mut world, stdout, stderr) = World::new(directory.to_owned(), environment);
        // Some cases ask for what nobody serves on the loopback.
        world.connect();
        let stdin = self.case["stdin"].as_str().unwrap_or_default().to_owned();
        world.set_standard_input(Box::new(std::io::Cursor::new(stdin)));
        let compat = if version == "v3" { "--compat=helm3" } else { "--compat=helm4" };
        let root = self.root.to_string_lossy();
        let arguments: Vec<OsString> = std::iter::once(compat.into())
            .chain(self.case["args"].as_array().into_iter().flatten().map(|argument| {
                OsString::from(argument.as_str().unwrap_or_default().replace("@ROOT@", &root))
            }))
            .collect();
        let exit = trueline_cli::helm(&arguments, &mut world);

        let mask = |bytes: Vec<u8>| self.mask(bytes, work.as_ref().map(TempDir::path), home);
        let files = match (&work, before) {
            (Some(work), Some(before)) => self.files(expected, &before, &snapshot(work.path())?, &mask),
            _ => Ok(()),
        };
        let found = mask(stdout.take());
        let wanted = self.stdout(expected)?;
        let stdout =
            if found == wanted { Ok(()) } else { Err(difference("standard output", &found, &wanted)) };
        Ok(Outcome { exit, stdout, stderr: mask(stderr.take()), files })
    }

    /// The directory in which a case that writes files is run.
    fn work(&self) -> Result<Option<TempDir>, String> {
        let Some(copies) = self.case["work"]["copy"].as_array() else { return Ok(None) };
        let work = TempDir::new().map_err(|error| error.to_string())?;
        for copy in copies {
            let part = |index: usize| copy[index].as_str().unwrap_or_default();
            copy_tree(&self.root.join(part(0)), &work.path().join(part(1)))
                .map_err(|error| format!("{}: {error}", part(0)))?;
        }
        Ok(Some(work))
    }

    fn mask(&self, bytes: Vec<u8>, work: Option<&Path>, home: &Path) -> Vec<u8> {
        let mut bytes = bytes;
        for (path, name) in [(work, "@WORK@"), (Some(self.root.as_path()), "@ROOT@"), (Some(home), "@HOME@")]
        {
            if let Some(path) = path {
                bytes = replace(&bytes, path.to_string_lossy().as_bytes(), name.as_bytes());
            }
        }
        let masks_time =
            self.case["mask"].as_array().is_some_and(|masks| masks.iter().any(|mask| mask == "time"));
        if masks_time { without_times(&bytes) } else { bytes }
    }

    fn stdout(&self, expected: &Json) -> Result<Vec<u8>, String> {
        let Some(file) = expected["stdout_file"].as_str() else {
            return Ok(expected["stdout"].as_str().unwrap_or_default().into());
        };
        let path = self.folder.join(file);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if !file.ends_with(".gz") {
            return Ok(bytes);
        }
        let mut text = Vec::new();
        let read = flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut text);
        read.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(text)
    }

    /// Whether the files that were written are those that Helm wrote.
    fn files(
        &self,
        expected: &Json,
        before: &Tree,
        after: &Tree,
        mask: &dyn Fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<(), String> {
        let Some(tree) = expected["tree"].as_array() else { return Ok(()) };
        let mut changes: BTreeMap<&str, &str> = BTreeMap::new();
        for (path, content) in after {
            match before.get(path) {
                None => changes.insert(path, "added"),
                Some(old) if old != content => changes.insert(path, "modified"),
                Some(_) => None,
            };
        }
        changes.extend(
            before.keys().filter(|path| !after.contains_key(*path)).map(|path| (path.as_str(), "deleted")),
        );
        let text = |entry: &'_ Json, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let wanted: BTreeMap<String, String> =
            tree.iter().map(|entry| (text(entry, "path"), text(entry, "change"))).collect();
        if !changes
            .iter()
            .map(|(path, change)| (*path, *change))
            .eq(wanted.iter().map(|(path, change)| (path.as_str(), change.as_str())))
        {
            return Err(format!("the files are {changes:?} in place of {wanted:?}"));
        }
        // The text of a new chart is our own; that the files are the same counts.
        if self.case["args"][0] == "create" {
            return Ok(());
        }
        for entry in tree {
            let path = text(entry, "path");
            if let (true, Some(found)) = (entry["entries"].is_array(), after.get(&path)) {
                helm_archive::same(found, entry).map_err(|wrong| format!("{path}: {wrong}"))?;
            }
            let (Some(content), Some(found)) = (entry["text"].as_str(), after.get(&path)) else { continue };
            let found = mask(found.clone());
            if found != content.as_bytes() {
                return Err(difference(&path, &found, content.as_bytes()));
            }
        }
        Ok(())
    }
}

/// The files of a directory by their path; directories only where they are empty.
type Tree = BTreeMap<String, Vec<u8>>;

fn snapshot(root: &Path) -> Result<Tree, String> {
    let mut tree = Tree::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let inside = entries(&folder)?;
        let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        if inside.is_empty() && folder != root {
            tree.insert(format!("{}/", shown(&folder)), Vec::new());
        }
        for path in inside {
            if path.is_symlink() {
                tree.insert(shown(&path), b"->".to_vec());
            } else if path.is_dir() {
                open.push(path);
            } else {
                let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                tree.insert(shown(&path), bytes);
            }
        }
    }
    Ok(tree)
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_symlink() {
            link(&fs::read_link(entry.path())?, &target)?;
        } else if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_target: &Path, _at: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(found) = memchr::memmem::find(rest, from) {
        replaced.extend_from_slice(&rest[..found]);
        replaced.extend_from_slice(to);
        rest = &rest[found + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}
