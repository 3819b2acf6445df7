//! `helm create`: a new chart.

use std::path::{Path, PathBuf};

use trueline_helm::chart::{self, Compat};
use trueline_helm::create::{self, NewFile};
use trueline_helm::quote;
use trueline_source::{FileChange, SourceMap, StatKind};

use super::command::{Arguments, Command};
use super::flag::{Flag, Parsed};
use super::{Session, loading, package, settings};
use crate::output::{self, Destination};
use crate::world::{World, clean, go_error};

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
    session.world.tell(&format!("Creating {typed}\n"))?;
    match parsed.text("chart-api-version").unwrap_or("v2") {
        "" | "v2" => {}
        "v3" => {
            return Err("charts of apiVersion v3 are an experiment of Helm's, and not made here".to_owned());
        }
        other => return Err(format!("unsupported chart API version: {other} (supported: v2, v3)")),
    }
    let (above, name) = split(typed);
    if create::is_way_elsewhere(name) {
        return Err(format!(
            "{} is not a name of a chart: it leads to another directory",
            quote(name.as_bytes())
        ));
    }
    let parent = clean(&session.world.path(above));
    let directory = clean(&parent.join(name));
    let starter = parsed.text_or_empty("starter");
    if !starter.is_empty() {
        let files = from_starter(session, starter, name)?;
        not_a_file(session.world, &directory)?;
        not_through_links(session.world, &directory, &files)?;
        return write(session.world, &directory, &files, &[]);
    }
    create::check_name(name)?;
    match session.world.stat(&parent) {
        Err(error) => return Err(format!("stat {}: {}", parent.display(), go_error(&error))),
        Ok(stat) if !stat.is_directory() => return Err(format!("no such directory {}", parent.display())),
        Ok(_) => {}
    }
    not_a_file(session.world, &directory)?;
    let files = create::scaffold(name);
    not_through_links(session.world, &directory, &files)?;
    for (path, _) in &files {
        let file = directory.join(path);
        if session.world.exists(&file) {
            let shown = quote(file.to_string_lossy().as_bytes());
            session
                .world
                .print(format!("WARNING: File {shown} already exists. Overwriting.\n").as_bytes())?;
        }
    }
    write(session.world, &directory, &files, &["charts"])
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
    session.world.stat(&path).map_err(|error| failed(format!("stat {path}: {}", go_error(&error))))?;
    let sources = SourceMap::new();
    let chart = loading::load(session, &path, &path, &sources, &chart::load_plain).map_err(failed)?;
    let times = package::times(session.world, session.compat)?;
    Ok(create::from_starter(&chart, name, times, session.compat)?)
}

fn not_a_file(world: &World, directory: &Path) -> Result<(), String> {
    match world.stat(directory) {
        Ok(stat) if !stat.is_directory() => {
            Err(format!("file {} already exists and is not a directory", directory.display()))
        }
        _ => Ok(()),
    }
}

/// Refuses a directory of the chart that is a link: it may lead anywhere, and who made it is not known. Helm follows it.
fn not_through_links(world: &World, directory: &Path, files: &[NewFile]) -> Result<(), String> {
    let below = files.iter().flat_map(|(path, _)| {
        let parts: Vec<&Path> = Path::new(path).ancestors().skip(1).collect();
        parts.into_iter().rev().map(|part| directory.join(part)).collect::<Vec<_>>()
    });
    let charts = directory.join("charts");
    for place in below.chain([charts]) {
        // A slash at the end would lead through the link.
        let place: PathBuf = place.components().collect();
        if world.system().link_stat(&place).is_ok_and(|stat| stat.kind == StatKind::Link) {
            return Err(format!("{} is a link: no chart is written through it", place.display()));
        }
    }
    Ok(())
}

/// Makes a directory and those above it, and notes the ones that were not there.
fn make(world: &World, directory: &Path, made: &mut Vec<PathBuf>) -> Result<(), String> {
    let missing =
        directory.ancestors().take_while(|path| !path.as_os_str().is_empty() && !world.exists(path));
    for path in missing.collect::<Vec<_>>().into_iter().rev() {
        world
            .change(FileChange::MakeDirectory(path))
            .map_err(|error| format!("mkdir {}: {}", path.display(), go_error(&error)))?;
        made.push(path.to_owned());
    }
    Ok(())
}

/// Writes all files and makes some directories, or leaves everything as it was.
fn write(world: &World, directory: &Path, files: &[NewFile], directories: &[&str]) -> Result<(), String> {
    let mut made = Vec::new();
    let written = write_noting(world, directory, files, directories, &mut made);
    if written.is_err() {
        // Only what is empty goes: somebody else may have put something there meanwhile.
        made.iter().rev().for_each(|path| drop(world.change(FileChange::RemoveDirectory(path))));
    }
    written
}

fn write_noting(
    world: &World,
    directory: &Path,
    files: &[NewFile],
    directories: &[&str],
    made: &mut Vec<PathBuf>,
) -> Result<(), String> {
    let mut prepared = Vec::new();
    for name in directories {
        make(world, &directory.join(name), made)?;
    }
    for (path, content) in files {
        let file: PathBuf = directory.join(path);
        make(world, file.parent().unwrap_or(directory), made)?;
        prepared.push((Destination::new(&file, &*world.system())?, content));
    }
    Ok(output::write_all(&prepared, &*world.system())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_tree_that_cannot_be_written_whole_is_not_left_behind() {
        let place = tempfile::tempdir().unwrap();
        let world = World::new(place.path().to_owned(), BTreeMap::new()).0;
        let directory = place.path().join("deep/web");
        // A name that no file system takes stands in for a full disk.
        let files: Vec<NewFile> =
            ["Chart.yaml".to_owned(), "templates/tests/a.yaml".to_owned(), "n".repeat(300)]
                .map(|path| (path, b"x".to_vec()))
                .into();
        assert!(write(&world, &directory, &files, &["charts"]).is_err());
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
        assert_eq!(write(&world, &directory, &files[..2], &["charts"]), Ok(()));
        assert!(directory.join("charts").is_dir() && directory.join("templates/tests/a.yaml").is_file());
        // What was there before stays.
        assert!(write(&world, &directory, &files, &["crds"]).is_err());
        assert!(directory.join("Chart.yaml").is_file() && !directory.join("crds").exists());
    }

    #[cfg(unix)]
    #[test]
    fn no_chart_is_written_through_links() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let world = World::new(place.path().to_owned(), BTreeMap::new()).0;
        let (web, other) = (place.path().join("web"), place.path().join("other"));
        std::fs::create_dir_all(web.join("templates")).unwrap();
        std::fs::create_dir(&other).unwrap();
        let files: Vec<NewFile> = vec![("templates/tests/a.yaml".to_owned(), b"x".to_vec())];
        assert_eq!(not_through_links(&world, &web, &files), Ok(()));
        symlink(&other, web.join("templates/tests")).unwrap();
        assert!(
            not_through_links(&world, &web, &files)
                .unwrap_err()
                .ends_with("web/templates/tests is a link: no chart is written through it")
        );
        symlink(&web, place.path().join("link")).unwrap();
        assert!(not_through_links(&world, &place.path().join("link"), &[]).is_ok());
        assert!(not_through_links(&world, &place.path().join("link/"), &files).is_err());
    }

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
