//! `helm create`: a new chart.

use std::path::{Path, PathBuf};

use trueline_helm::chart::{self, Compat};
use trueline_helm::create::{self, NewFile};
use trueline_helm::quote;
use trueline_source::SourceMap;

use super::command::{Arguments, Command};
use super::flag::{Flag, Parsed};
use super::{Session, loading, package, settings};
use crate::output::{self, Destination};
use crate::world::{clean, go_error};

pub(super) const COMMAND: Command = Command {
    name: "create",
    aliases: &[],
    usage: "NAME",
    summary: "Make a new chart",
    description: "
NAME is the directory of the chart, and its last part the chart's name. The directory above it must exist. Files that
are there already are overwritten, and others left alone.
",
    arguments: |_| Arguments::Exactly(1),
    flags,
    exclusive: |_| &[],
    run,
};

fn flags(compat: Compat) -> Vec<Flag> {
    let starter = "make it after this chart: a path, or a name in the directory `starters` of Helm's data";
    let mut flags = vec![Flag::text("starter", starter).short('p')];
    if compat == Compat::Helm4 {
        flags.push(Flag::text("chart-api-version", "").hidden());
    }
    flags
}

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let typed = parsed.arguments.first().map(String::as_str).unwrap_or_default();
    session.world.print(format!("Creating {typed}\n").as_bytes())?;
    match parsed.text("chart-api-version").unwrap_or("v2") {
        "" | "v2" => {}
        "v3" => {
            return Err("charts of apiVersion v3 are an experiment of Helm's, and not made here".to_owned());
        }
        other => return Err(format!("unsupported chart API version: {other} (supported: v2, v3)")),
    }
    let (above, name) = split(typed);
    let parent = clean(&session.world.path(above));
    let directory = clean(&parent.join(name));
    let starter = parsed.text_or_empty("starter");
    if !starter.is_empty() {
        let files = from_starter(session, starter, name)?;
        not_a_file(&directory)?;
        return write(&directory, &files);
    }
    create::check_name(name)?;
    match std::fs::metadata(&parent) {
        Err(error) => return Err(format!("stat {}: {}", parent.display(), go_error(&error))),
        Ok(metadata) if !metadata.is_dir() => return Err(format!("no such directory {}", parent.display())),
        Ok(_) => {}
    }
    not_a_file(&directory)?;
    let files = create::scaffold(name);
    for (path, _) in &files {
        let file = directory.join(path);
        if file.exists() {
            let shown = quote(file.to_string_lossy().as_bytes());
            session
                .world
                .print(format!("WARNING: File {shown} already exists. Overwriting.\n").as_bytes())?;
        }
    }
    write(&directory, &files)?;
    make(&directory.join("charts"))
}

/// The directory that a chart is made in, and its name, as Go's `filepath.Dir` and `Base` see them: `.` and `..` are
/// names, and a slash at the end belongs to the directory.
fn split(typed: &str) -> (&str, &str) {
    let above = typed.rsplit_once('/').map_or("", |(above, _)| if above.is_empty() { "/" } else { above });
    let name = match typed.trim_end_matches('/') {
        "" if typed.is_empty() => ".",
        "" => "/",
        path => path.rsplit('/').next().unwrap_or_default(),
    };
    (above, name)
}

fn from_starter(session: &mut Session<'_>, starter: &str, name: &str) -> Result<Vec<NewFile>, String> {
    let path = match Path::new(starter) {
        path if path.is_absolute() => path.to_owned(),
        path => Path::new(&settings::data_home(session.world)).join("starters").join(path),
    };
    let path = clean(&path).to_string_lossy().into_owned();
    let failed = |wrong: String| format!("could not load {path}: {wrong}");
    std::fs::metadata(&path).map_err(|error| failed(format!("stat {path}: {}", go_error(&error))))?;
    let sources = SourceMap::new();
    let chart = loading::load(session, &path, &path, &sources, &chart::load_plain).map_err(failed)?;
    let times = package::times(session.world, session.compat)?;
    create::from_starter(&chart, name, times, session.compat)
}

fn not_a_file(directory: &Path) -> Result<(), String> {
    match std::fs::metadata(directory) {
        Ok(metadata) if !metadata.is_dir() => {
            Err(format!("file {} already exists and is not a directory", directory.display()))
        }
        _ => Ok(()),
    }
}

fn make(directory: &Path) -> Result<(), String> {
    std::fs::create_dir_all(directory)
        .map_err(|error| format!("mkdir {}: {}", directory.display(), go_error(&error)))
}

/// Writes all files, or none of them.
fn write(directory: &Path, files: &[NewFile]) -> Result<(), String> {
    let mut prepared = Vec::new();
    for (path, content) in files {
        let file: PathBuf = directory.join(path);
        make(file.parent().unwrap_or(directory))?;
        prepared.push((Destination::new(&file)?, content));
    }
    output::write_all(&prepared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_paths_as_go_takes_them() {
        for (typed, above, name) in [
            ("web", "", "web"),
            ("a/web", "a", "web"),
            ("/web", "/", "web"),
            (".", "", "."),
            ("", "", "."),
            ("./", ".", "."),
            ("a/..", "a", ".."),
            ("web/", "web", "web"),
            ("/", "/", "/"),
        ] {
            assert_eq!(split(typed), (above, name), "{typed}");
        }
    }
}
