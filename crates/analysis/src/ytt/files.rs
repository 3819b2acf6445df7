//! The files of a folder, read when a run needs them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use trueline_source::{EntryKind, LoadError, Loader, SourceId, SourceMap};
use trueline_ytt::files::{Contents, InputFile, Loaded, in_order};
use trueline_ytt::input_error::{InputError, InputErrorKind};

use crate::walk::join;

/// A folder may have so many files, and directories so deep.
const MOST_FILES: usize = 100_000;
const MAX_DEPTH: usize = 256;
/// All files of a folder together may have so many bytes.
const MOST_BYTES: usize = 512 << 20;

/// The files below a path, each with its path in the loader and in the folder, sorted by the latter.
#[derive(Debug)]
pub(super) struct Listing {
    files: Vec<(String, String)>,
    /// Why some are left out.
    pub(super) cut: Option<String>,
}

/// Finds the files of a unit: those below a directory, or one file.
pub(super) fn list(loader: &Arc<dyn Loader>, path: &str) -> Result<Listing, LoadError> {
    let mut listing = Listing { files: Vec::new(), cut: None };
    let entry = loader.entry(path)?;
    if entry.kind != EntryKind::Directory {
        // What flags make a template is one, even without a name, as standard input has none.
        let is_known = [".yml", ".yaml", ".txt", ".star"].iter().any(|ending| entry.name.ends_with(ending));
        let name = if is_known { entry.name } else { format!("{}.yml", entry.name) };
        listing.files.push((path.to_owned(), name));
        return Ok(listing);
    }
    let mut open = vec![(path.to_owned(), String::new(), 0)];
    while let Some((directory, below, depth)) = open.pop() {
        for entry in loader.names(&directory)? {
            let (at, name) = (join(&directory, &entry.name), join(&below, &entry.name));
            match entry.kind {
                EntryKind::Directory if entry.link || entry.name.starts_with('.') => {}
                EntryKind::Directory if depth >= MAX_DEPTH => {
                    listing.cut = Some(format!("`{name}` is nested deeper than {MAX_DEPTH} directories"));
                }
                EntryKind::Directory => open.push((at, name, depth + 1)),
                EntryKind::File if listing.files.len() >= MOST_FILES => {
                    listing.cut = Some(format!("this folder has more than {MOST_FILES} files"));
                    return Ok(listing);
                }
                EntryKind::File => listing.files.push((at, name)),
                EntryKind::Other => {}
            }
        }
    }
    listing.files.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
    Ok(listing)
}

/// What was read of a folder.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The sources of the files.
    pub(super) sources: RefCell<Vec<SourceId>>,
    /// The file that could not be read.
    pub(super) failed: RefCell<Option<LoadError>>,
    bytes: Cell<usize>,
}

struct FromLoader {
    loader: Arc<dyn Loader>,
    path: String,
    sources: Arc<SourceMap>,
    read: Rc<Read>,
}

impl Contents for FromLoader {
    fn read(&self) -> Result<Loaded, InputError> {
        let bytes = self.loader.read(&self.path).map_err(|error| {
            let text = error.to_string();
            self.read.failed.replace(Some(error));
            InputErrorKind::Unreadable.of(text)
        })?;
        self.read.bytes.set(self.read.bytes.get().saturating_add(bytes.len()));
        if self.read.bytes.get() > MOST_BYTES {
            let text = format!("the files of this folder have more than {} MiB", MOST_BYTES >> 20);
            return Err(InputErrorKind::TooMuch.of(text));
        }
        let kept = Rc::from(bytes.as_slice());
        let (source, _) = self.sources.add_file(self.loader.display(&self.path), bytes);
        self.read.sources.borrow_mut().push(source);
        Ok(Loaded { bytes: kept, source: Some(source) })
    }
}

impl Listing {
    /// The files as a run takes them.
    pub(super) fn open(
        &self,
        loader: &Arc<dyn Loader>,
        sources: &Arc<SourceMap>,
        read: &Rc<Read>,
    ) -> Vec<InputFile> {
        let file = |(path, name): &(String, String)| {
            let contents = FromLoader {
                loader: Arc::clone(loader),
                path: path.clone(),
                sources: Arc::clone(sources),
                read: Rc::clone(read),
            };
            InputFile::new(name, contents)
        };
        in_order(vec![self.files.iter().map(file).collect()])
    }

    /// The path in the loader of a file of the folder.
    pub(super) fn path_of<'l>(&'l self, name: &'l str) -> &'l str {
        let found = self.files.binary_search_by(|(_, known)| known.as_str().cmp(name));
        found.ok().and_then(|index| self.files.get(index)).map_or(name, |(path, _)| path)
    }
}
