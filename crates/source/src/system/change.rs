//! Changes to files.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use super::System;

/// A change to the files of a system.
#[derive(Debug, Clone, Copy)]
pub enum FileChange<'c> {
    /// Makes a directory in one that is there.
    MakeDirectory(&'c Path),
    /// Writes a file in a directory that is there, whole or not at all.
    Write {
        /// The file.
        path: &'c Path,
        /// What it holds from now on.
        bytes: &'c [u8],
        /// Who may read it.
        readers: Readers,
    },
    /// Writes one file of many in a directory that is there, whole or not at all, with the rights of the file that it
    /// replaces. Other than with [`FileChange::Write`], it may be lost if the machine itself stops soon after.
    WriteQuickly {
        /// The file.
        path: &'c Path,
        /// What it holds from now on.
        bytes: &'c [u8],
    },
    /// Removes a file.
    RemoveFile(&'c Path),
    /// Removes an empty directory.
    RemoveDirectory(&'c Path),
    /// Removes a directory and everything below it.
    RemoveTree(&'c Path),
    /// Gives a file or a directory another name.
    Rename {
        /// Its name before.
        from: &'c Path,
        /// Its name from now on.
        to: &'c Path,
    },
}

/// Who may read a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Whoever may read new files.
    Usual,
    /// Its owner only.
    Owner,
}

/// A file that is written together with others.
#[derive(Clone, Copy)]
pub struct NewFile<'f> {
    /// The file, in a directory that is there.
    pub path: &'f Path,
    /// How it is written.
    pub placing: Placing,
    /// Writes what it holds.
    pub content: &'f dyn Fn(&mut dyn Write) -> io::Result<()>,
}

impl fmt::Debug for NewFile<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NewFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placing {
    /// It is put in place in one step, with the rights of the file that it replaces.
    Whole,
    /// It is a device or a pipe, which can only be written to.
    Stream,
}

/// Why files that belong together were not written.
#[derive(Debug)]
pub struct NotWritten {
    /// The number of the file that could not be written.
    pub file: usize,
    /// Why it could not.
    pub error: io::Error,
}

/// Makes a directory and all that are missing above it.
pub fn make_directories(system: &dyn System, path: &Path) -> io::Result<()> {
    match system.change(FileChange::MakeDirectory(path)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => {
                make_directories(system, parent)?;
                make_directories_in(system, path)
            }
            _ => Err(error),
        },
        Err(error) => directory_or(system, path, error),
    }
}

/// Makes a directory whose parent is there; another run may do the same at the same time.
fn make_directories_in(system: &dyn System, path: &Path) -> io::Result<()> {
    system.change(FileChange::MakeDirectory(path)).or_else(|error| directory_or(system, path, error))
}

fn directory_or(system: &dyn System, path: &Path, error: io::Error) -> io::Result<()> {
    let is_there = path.as_os_str().is_empty() || system.stat(path).is_ok_and(super::Stat::is_directory);
    if is_there { Ok(()) } else { Err(error) }
}
