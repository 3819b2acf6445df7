//! Files held in memory: for tests, for editors and for texts compiled into the program.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Entry, EntryKind, LoadError, LoadErrorKind, Loader, normalize_path};

/// A loader over files in memory. Directories exist by the files below them.
#[derive(Debug, Clone, Default)]
pub struct MemoryLoader {
    files: Arc<BTreeMap<String, File>>,
    root: String,
    name: String,
}

#[derive(Debug, Clone)]
struct File {
    bytes: Arc<[u8]>,
    executable: bool,
}

impl MemoryLoader {
    /// An empty loader; `name` is prepended to every path shown to a user.
    pub fn new(name: impl Into<String>) -> Self {
        MemoryLoader { name: name.into(), ..Self::default() }
    }

    /// Adds a file. A path that leaves the root is ignored because nothing could read it.
    pub fn with_file(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.insert(path, bytes.into(), false)
    }

    /// Adds a file with its executable bit set.
    pub fn with_executable(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.insert(path, bytes.into(), true)
    }

    fn insert(mut self, path: &str, bytes: Vec<u8>, executable: bool) -> Self {
        if let Ok(path) = normalize_path(path) {
            Arc::make_mut(&mut self.files).insert(path, File { bytes: bytes.into(), executable });
        }
        self
    }

    fn absolute(&self, path: &str) -> Result<String, LoadError> {
        let path = normalize_path(path)?;
        Ok(match (self.root.as_str(), path.as_str()) {
            ("", _) => path,
            (root, "") => root.to_owned(),
            (root, path) => format!("{root}/{path}"),
        })
    }

    /// The paths below a directory, relative to it.
    fn below<'a>(&'a self, directory: &str) -> impl Iterator<Item = (&'a str, &'a File)> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let length = prefix.len();
        self.files
            .range(prefix.clone()..)
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(move |(path, file)| (&path[length..], file))
    }
}

impl Loader for MemoryLoader {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        match self.files.get(&self.absolute(path)?) {
            Some(file) => Ok(file.bytes.to_vec()),
            None => {
                let kind = match self.entry(path) {
                    Ok(_) => LoadErrorKind::WrongKind,
                    Err(error) => error.kind,
                };
                Err(LoadError::new(kind, path))
            }
        }
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        if self.entry(path)?.kind != EntryKind::Directory {
            return Err(LoadError::new(LoadErrorKind::WrongKind, path));
        }
        let mut entries: BTreeMap<&str, Entry> = BTreeMap::new();
        for (below, file) in self.below(&self.absolute(path)?) {
            let (name, entry) = match below.split_once('/') {
                Some((name, _)) => (name, directory(name)),
                None => (below, file_entry(below, file)),
            };
            entries.entry(name).or_insert(entry);
        }
        Ok(entries.into_values().collect())
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        let absolute = self.absolute(path)?;
        let name = absolute.rsplit('/').next().unwrap_or_default();
        if let Some(file) = self.files.get(&absolute) {
            return Ok(file_entry(name, file));
        }
        if absolute.is_empty() || self.below(&absolute).next().is_some() {
            return Ok(directory(name));
        }
        Err(LoadError::new(LoadErrorKind::NotFound, path))
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        if self.entry(path)?.kind != EntryKind::Directory {
            return Err(LoadError::new(LoadErrorKind::WrongKind, path));
        }
        Ok(Arc::new(MemoryLoader {
            files: Arc::clone(&self.files),
            root: self.absolute(path)?,
            name: self.name.clone(),
        }))
    }

    fn display(&self, path: &str) -> String {
        let inside = self.absolute(path).unwrap_or_else(|_| path.to_owned());
        match (self.name.as_str(), inside.as_str()) {
            ("", _) => inside,
            (name, "") => name.to_owned(),
            ("/", inside) => format!("/{inside}"),
            (name, inside) => format!("{name}/{inside}"),
        }
    }
}

fn directory(name: &str) -> Entry {
    Entry { name: name.to_owned(), kind: EntryKind::Directory, length: 0, executable: false, link: false }
}

fn file_entry(name: &str, file: &File) -> Entry {
    Entry {
        name: name.to_owned(),
        kind: EntryKind::File,
        length: file.bytes.len() as u64,
        executable: file.executable,
        link: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loader() -> MemoryLoader {
        MemoryLoader::new("pkg")
            .with_file("a.yaml", "a")
            .with_file("dir/b.yaml", "bb")
            .with_executable("dir/run.sh", "#!")
            .with_file("dir/deep/c", "c")
            .with_file("dir2", "not in dir")
    }

    #[test]
    fn directories_exist_by_their_files() {
        let names: Vec<(String, EntryKind)> =
            loader().list("dir").unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect();
        assert_eq!(
            names,
            [
                ("b.yaml".to_owned(), EntryKind::File),
                ("deep".to_owned(), EntryKind::Directory),
                ("run.sh".to_owned(), EntryKind::File)
            ]
        );
        assert!(loader().entry("dir/run.sh").unwrap().executable);
        assert_eq!(loader().read("dir").unwrap_err().kind, LoadErrorKind::WrongKind);
        assert_eq!(loader().read("nope").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(loader().list("a.yaml").unwrap_err().kind, LoadErrorKind::WrongKind);
    }

    #[test]
    fn a_scoped_loader_stays_inside() {
        let scoped = loader().scoped("dir").unwrap();
        assert_eq!(scoped.read("deep/c").unwrap(), b"c");
        assert_eq!(scoped.read("../a.yaml").unwrap_err().kind, LoadErrorKind::Outside);
        assert_eq!(scoped.display("deep/c"), "pkg/dir/deep/c");
        assert_eq!(scoped.scoped("deep").unwrap().read("c").unwrap(), b"c");
        assert!(loader().scoped("a.yaml").is_err());
    }
}
