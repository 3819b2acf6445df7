//! Reading what the system opened, with a bound, and the system's errors in our words.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use trueline_gostd::system::error as go_error;

use super::System;
use crate::{LoadError, LoadErrorKind};

/// Nothing that somebody names on a command line, and that is read whole, is larger.
pub const MAX_READ: u64 = 128 << 20;

/// So much room is made for a file whose length is not known; most that a person writes are shorter.
const ROOM: usize = 8 << 10;

/// All bytes of a reader, unless there are more than `limit`.
pub fn read_bounded(reader: impl Read, limit: u64, path: &str) -> Result<Vec<u8>, LoadError> {
    read_expected(reader, 0, limit, path)
}

/// The same of a file that seems to have so many bytes.
pub fn read_expected(reader: impl Read, expected: u64, limit: u64, path: &str) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    read_into(&mut bytes, reader, expected, limit, path)?;
    Ok(bytes)
}

/// Reads all bytes of a reader into an empty buffer, unless there are more than `limit`. `expected` is how many it
/// seems to have, or zero where that is not known.
pub fn read_into(
    bytes: &mut Vec<u8>,
    mut reader: impl Read,
    expected: u64,
    limit: u64,
    path: &str,
) -> Result<(), LoadError> {
    let broken = |error| failure(&error, path);
    // One byte more, so that the end is seen; a length that is a lie costs little.
    let expected = expected.min(limit).min(64 << 20) as usize;
    let room = if expected == 0 { ROOM } else { expected + 1 };
    bytes.resize(room, 0);
    let found = loop {
        match reader.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read.map_err(broken)?,
        }
    };
    bytes.truncate(found);
    if found == 0 || found == expected {
        return Ok(());
    }
    let left = limit.saturating_add(1).saturating_sub(found as u64);
    reader.take(left).read_to_end(bytes).map_err(broken)?;
    if bytes.len() as u64 > limit {
        return Err(LoadError::new(LoadErrorKind::TooLarge, path).with_detail(format!("{limit} bytes")));
    }
    Ok(())
}

/// A system error in our words.
pub fn failure(error: &io::Error, path: &str) -> LoadError {
    let kind = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LoadErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => LoadErrorKind::Denied,
        io::ErrorKind::IsADirectory => LoadErrorKind::WrongKind,
        _ => LoadErrorKind::Other,
    };
    let failed = LoadError::new(kind, path);
    match kind {
        LoadErrorKind::Other => failed.with_detail(plain(error)),
        _ => failed,
    }
}

/// The system's sentence without its error number.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// A file that somebody named and that could not be read. It is shown in the words of a program written in Go, as the
/// tools that we follow print it.
#[derive(Debug)]
pub struct TypedReadError {
    /// The path as it was typed.
    pub typed: String,
    /// Why it could not be read.
    pub kind: TypedReadErrorKind,
}

/// Why a file could not be read.
#[derive(Debug)]
pub enum TypedReadErrorKind {
    /// It cannot be opened.
    Open(io::Error),
    /// It is a directory.
    Directory,
    /// Reading it failed.
    Read(LoadError),
}

impl TypedReadError {
    /// Whether nothing is at the path.
    pub fn is_missing(&self) -> bool {
        matches!(&self.kind, TypedReadErrorKind::Open(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for TypedReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let typed = &self.typed;
        match &self.kind {
            TypedReadErrorKind::Open(error) => write!(formatter, "open {typed}: {}", go_error(error)),
            TypedReadErrorKind::Directory => write!(formatter, "read {typed}: is a directory"),
            TypedReadErrorKind::Read(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for TypedReadError {}

/// The bytes of a file at a path that somebody typed otherwise.
pub fn read_typed(system: &dyn System, path: &Path, typed: &str) -> Result<Vec<u8>, TypedReadError> {
    let failed = |kind| TypedReadError { typed: typed.to_owned(), kind };
    let file = match typed {
        "" => Err(io::Error::from(io::ErrorKind::NotFound)),
        _ => system.open(path),
    };
    let file = file.map_err(|error| failed(TypedReadErrorKind::Open(error)))?;
    if system.stat(path).is_ok_and(super::Stat::is_directory) {
        return Err(failed(TypedReadErrorKind::Directory));
    }
    read_bounded(file, MAX_READ, typed).map_err(|error| failed(TypedReadErrorKind::Read(error)))
}
