//! `trueline ytt` against what ytt printed: standard output, standard error, the exit code and the files that were
//! written, byte for byte.
//!
//! Some messages of ytt repeat names of Go types, generated names or bugs. Cases with such a tag may differ in standard
//! error as long as it names ytt's files and lines and ends with ytt's last clause.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use trueline_cli::World;

use crate::Case;

/// Tags of cases whose standard error need not be the same.
const LOOSE: &[&str] = &["go-internals", "tpl-names", "truncated-error", "quirk"];

/// A case for each folder with a `case.json`.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let root = folder.join("cases");
    for category in sorted(&root)? {
        for folder in sorted(&category)? {
            let path = folder.join("case.json");
            let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let case: Json =
                serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            let name = case["name"].as_str().unwrap_or_default().to_owned();
            cases.push(Case::new(name, move || check(&folder, &case)));
        }
    }
    Ok(cases)
}

/// What is in a folder, in order.
pub(super) fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    Ok(paths)
}

fn strings(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str)
}

fn check(folder: &Path, case: &Json) -> Result<(), String> {
    let directory = tempfile::TempDir::new().map_err(|error| error.to_string())?;
    let at = fs::canonicalize(directory.path()).map_err(|error| error.to_string())?;
    if folder.join("files").is_dir() {
        copy(&folder.join("files"), &at).map_err(|error| error.to_string())?;
    }
    let mut environment: BTreeMap<OsString, OsString> =
        [("PATH", "/bin"), ("HOME", "/nonexistent"), ("LC_ALL", "C")]
            .map(|(name, value)| (name.into(), value.into()))
            .into();
    for (name, value) in case["env"].as_object().into_iter().flatten() {
        environment.insert(name.into(), value.as_str().unwrap_or_default().into());
    }
    let (mut world, stdout, stderr) = World::new(at.clone(), environment);
    if let Some(name) = case["stdin"].as_str() {
        world.set_standard_input(Box::new(Cursor::new(read(&folder.join(name)))));
    }
    let arguments: Vec<OsString> = strings(&case["args"]).map(OsString::from).collect();
    let exit = trueline_cli::ytt(&arguments, &mut world);
    let expected = folder.join("expected");
    let mut differences = String::new();
    let wanted = String::from_utf8_lossy(&read(&expected.join("exit"))).trim().to_owned();
    if wanted != exit.to_string() {
        differences.push_str(&format!("exit code {exit} instead of {wanted}; "));
    }
    let printed = [("stdout", stdout.take()), ("stderr", stderr.take())];
    for (stream, found) in &printed {
        let (found, wanted) = (normal(found, &at), read(&expected.join(stream)));
        let wanted = String::from_utf8_lossy(&wanted).into_owned();
        let is_loose = *stream == "stderr" && strings(&case["tags"]).any(|tag| LOOSE.contains(&tag));
        if found != wanted && !(is_loose && says_as_much(&found, &wanted)) {
            differences.push_str(&format!("{stream} differs\n--- found\n{found}\n--- expected\n{wanted}\n"));
        }
    }
    for path in strings(&case["outputs"]) {
        if read(&at.join(path)) != read(&expected.join(path)) {
            differences.push_str(&format!("{path} differs; "));
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

/// A file that is not there counts as empty.
fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_default()
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&entry.path(), &to)?;
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Output without the numbers of generated names and the directory of the run.
fn normal(bytes: &[u8], directory: &Path) -> String {
    let text = String::from_utf8_lossy(bytes).replace(&*directory.to_string_lossy(), "$CWD");
    let mut parts = text.split("__ytt_tpl");
    let mut normal = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|character: char| character.is_ascii_digit());
        normal.push_str(if rest.len() < part.len() { "__ytt_tplXXX" } else { "__ytt_tpl" });
        normal.push_str(rest);
    }
    normal
}

/// Whether a message names the files and lines of another and ends like its first paragraph.
fn says_as_much(found: &str, wanted: &str) -> bool {
    let places = wanted.split_whitespace().filter(|word| {
        let word = word.trim_matches(['(', ')', ',', '\'', ':']);
        word.rsplit_once(':').is_some_and(|(file, line)| file.contains('.') && line.parse::<u32>().is_ok())
    });
    let says_places =
        places.into_iter().all(|place| found.contains(place.trim_matches(['(', ')', ',', '\'', ':'])));
    let message = wanted.lines().find(|line| line.starts_with("- ")).or_else(|| wanted.lines().last());
    let clause = message.and_then(|line| line.rsplit(": ").next()).unwrap_or_default();
    says_places && found.contains(clause.trim())
}
