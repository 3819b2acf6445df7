//! Writing files whole or not at all: what is written gets its name when all of it is there.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use trueline_source::{NewFile, NotWritten, Placing, Readers};

/// Writes a file, and waits until it is on the disk.
pub(crate) fn write(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut file = beside(path, readers)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

/// Writes a file with the rights of the one that it replaces, and leaves it to the system when it is on the disk.
pub(crate) fn write_quickly(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = in_place_of(path)?;
    file.write_all(bytes)?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

/// Writes files that belong together: all are prepared first, then each is put in place in one step. Relative paths count
/// from `directory`.
pub(crate) fn write_together(files: &[NewFile<'_>], directory: &Path) -> Result<(), NotWritten> {
    let mut prepared = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let path = directory.join(file.path);
        let written = prepare(&path, file).map_err(|error| NotWritten { file: number, error })?;
        prepared.extend(written.map(|written| (number, path, written)));
    }
    let mut new: Vec<PathBuf> = Vec::new();
    for (number, path, file) in prepared {
        let is_new = fs::symlink_metadata(&path).is_err();
        if let Err(error) = file.persist(&path) {
            // What was not there before is not there afterwards.
            new.iter().for_each(|path| drop(fs::remove_file(path)));
            return Err(NotWritten { file: number, error: error.error });
        }
        new.extend(is_new.then_some(path));
    }
    Ok(())
}

/// Writes what a file holds beside its place; at once where there is no place.
fn prepare(path: &Path, file: &NewFile<'_>) -> io::Result<Option<NamedTempFile>> {
    if file.placing == Placing::Stream {
        let mut stream = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
        (file.content)(&mut stream)?;
        stream.flush()?;
        return Ok(None);
    }
    let mut written = in_place_of(path)?;
    let mut buffered = BufWriter::new(written.as_file_mut());
    (file.content)(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    written.as_file().sync_all()?;
    Ok(Some(written))
}

/// A file that is to replace another, with its rights; those of any other new file if there is none.
fn in_place_of(path: &Path) -> io::Result<NamedTempFile> {
    let file = beside(path, Readers::Usual)?;
    if let Ok(metadata) = fs::symlink_metadata(path)
        && metadata.is_file()
    {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(file)
}

/// A file in the directory of another, without a name that anybody looks for.
fn beside(path: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".trueline-");
    // Temporary files are private by default.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(match readers {
        Readers::Usual => 0o666,
        Readers::Owner => 0o600,
    }));
    #[cfg(not(unix))]
    let _ = readers;
    builder.tempfile_in(path.parent().unwrap_or(Path::new(".")))
}
