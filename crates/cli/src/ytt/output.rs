//! What becomes of the result of a run.

use std::path::{Path, PathBuf};

use trueline_source::{FileChange, StatKind, make_directories};
use trueline_ytt::error::Error;
use trueline_ytt::files::OutputFile;
use trueline_ytt::run::{Ended, Options};

use super::bulk;
use crate::pflag::Parsed;
use crate::world::{World, clean, go_error};

/// Directories that nobody wants to be emptied.
const SUSPICIOUS: [&str; 4] = ["/", ".", "./", ""];

const NOT_PRINTED: &str = "\nWarning: Found Non-YAML templates in input. Non-YAML templates are not rendered to standard \
    output.\nIf you want to include those results, use the --output-files or --dangerous-emptied-output-directory flag.\n";

/// Prints or writes what a run made; the error is what ytt prints.
pub(super) fn finish(
    parsed: &Parsed,
    options: &Options,
    ended: &Ended,
    world: &mut World,
) -> Result<(), String> {
    world.warn(&ended.messages);
    if parsed.is_on("bulk-out") {
        let text = match &ended.result {
            Ok(produced) => match produced.files() {
                Ok(files) => bulk::print(Ok(&files)),
                Err(error) => bulk::print(Err(error.text())),
            },
            Err(error) => bulk::print(Err(error.text())),
        };
        return world.print(text.as_bytes());
    }
    let produced = ended.result.as_ref().map_err(|error| error.text().to_owned())?;
    let emptied = parsed.text("dangerous-emptied-output-directory").filter(|path| !path.is_empty());
    let written = parsed.text("output-files").filter(|path| !path.is_empty());
    if let Some(directory) = emptied.or(written) {
        let files = produced.files().map_err(|error| error.text().to_owned())?;
        if emptied.is_some() {
            empty(directory, &files, world)?;
        }
        return write(directory, &files, world);
    }
    let format = options.formats.documents().map_err(|error| error.text().to_owned())?;
    let print = |part: &str| world.print(part.as_bytes()).map_err(Error::other);
    produced.print_parts(format, print).map_err(|error| error.text().to_owned())?;
    if !produced.texts.is_empty() {
        world.warn(NOT_PRINTED.as_bytes());
    }
    Ok(())
}

/// Deletes a directory with all that is in it.
fn empty(directory: &str, files: &[OutputFile], world: &World) -> Result<(), String> {
    let mut paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    paths.sort_unstable();
    if let Some([path, _]) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("Multiple files have same output destination paths: {path}"));
    }
    if SUSPICIOUS.contains(&directory) {
        return Err(format!("Expected output directory path to not be one of '{}'", SUSPICIOUS.join("', '")));
    }
    match world.change(FileChange::RemoveTree(&world.path(directory))) {
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => world
            .change(FileChange::RemoveFile(&world.path(directory)))
            .map_err(|error| format!("unlinkat {directory}: {}", go_error(&error))),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("unlinkat {directory}: {}", go_error(&error)))
        }
        _ => Ok(()),
    }
}

/// Writes files below a directory. Their paths come from file marks and libraries, and must not lead out of it; all are
/// looked at before the first is written.
fn write(directory: &str, files: &[OutputFile], world: &mut World) -> Result<(), String> {
    let paths =
        files.iter().map(|file| destination(directory, file, world)).collect::<Result<Vec<_>, _>>()?;
    make_directory(directory, world)?;
    for (file, path) in files.iter().zip(paths) {
        let shown = path.to_string_lossy().into_owned();
        world.print(format!("creating: {shown}\n").as_bytes())?;
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            make_directory(&parent.to_string_lossy(), world)?;
        }
        let at = world.path(&shown);
        // A link is replaced by the file: what it leads to is not ours to write.
        let written = world.change(FileChange::WriteQuickly { path: &at, bytes: &file.bytes });
        written.map_err(|error| format!("open {shown}: {}", go_error(&error)))?;
    }
    Ok(())
}

/// Where a file is written to: below the directory, and through no link in it.
fn destination(directory: &str, file: &OutputFile, world: &World) -> Result<PathBuf, String> {
    let root = clean(Path::new(directory));
    let path = clean(&root.join(&*file.path));
    let between = path.parent().and_then(|parent| parent.strip_prefix(&root).ok());
    let is_inside = between.is_some_and(|between| {
        let mut at = world.path(&root.to_string_lossy());
        between.components().all(|part| {
            at.push(part);
            !is_link(&at, world)
        })
    });
    match is_inside {
        true => Ok(path),
        false => Err(format!("Expected output file '{}' to be inside of the output directory", file.path)),
    }
}

fn is_link(path: &Path, world: &World) -> bool {
    world.system().link_stat(path).is_ok_and(|stat| stat.kind == StatKind::Link)
}

fn make_directory(directory: &str, world: &World) -> Result<(), String> {
    let failed = |error: std::io::Error| {
        // Go names the file that is in the way.
        let is_in_the_way = |path: &&Path| world.is_file(world.path(&path.to_string_lossy()));
        match Path::new(directory).ancestors().find(is_in_the_way) {
            Some(file) => format!("mkdir {}: not a directory", file.display()),
            None => format!("mkdir {directory}: {}", go_error(&error)),
        }
    };
    make_directories(&*world.system(), &world.path(directory)).map_err(failed)
}
